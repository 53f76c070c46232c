"""Six tasks on the shop, done by a scripted model that knows neither names nor layout.

``do_tasks`` drives any integration through the three functions of ``Integration``. The script knows the facts of its tasks
(a name, a price, a picture) and nothing about the API: it searches with the words of a task, reads the schemas of what
was found, chooses the first function that takes its facts, puts each fact where the schema declares it, and reads
the response. Use it with ``renamed_shop(seed)``, whose paths are random:

    with renamed_shop(seed) as found:
        application = specfn.load(found.document)
        connection = specfn.Connection(base_url=found.base_url, credentials={"bearer": found.token})
        ...
        do_tasks(integration, found)

The user of the integration must approve the deletion, inside of ``call``; do_tasks checks that exactly one product was
deleted, and that all requests arrived at the shop.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tests.live.renamed_shop import RenamedShop

#: A PNG image of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

#: The effects of functions, as a search shows them.
EFFECTS = ("read", "write", "destructive")


class Integration(Protocol):
    """The functions of an API, as a model of an integration reaches them."""

    def search(self, query: str) -> str:
        """Return one line per function: its name, its effect in brackets, and its summary."""

    def describe(self, names: Sequence[str]) -> str:
        """Return a JSON array with an object for each of 1 to 5 functions.

        Each has the members ``name``, ``description`` and ``arguments``, the JSON Schema of the arguments that the model reads.
        """

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Return the text that the model receives for a call, after the approval of the user where it is needed."""


class Fact(NamedTuple):
    """A value of a task, and the words that name its place."""

    words: frozenset[str]
    value: Any


class Chosen(NamedTuple):
    """A function and its arguments."""

    name: str
    arguments: dict[str, Any]


def do_tasks(integration: Integration, shop: RenamedShop) -> None:
    """Create, find, change, upload, delete with approval, and page through; check what the shop received."""
    names = ["Kettle", "Teapot", "Teacup", "Saucer", "Spoon"]
    made = [
        data(do(integration, "create a product", "write", name=name, price=4.5, stock=number))
        for number, name in enumerate(names)
    ]
    found = data(do(integration, "find products by a text", "read", text="Teapot"))
    [teapot] = records(found)
    assert teapot["name"] == "Teapot"
    changed = data(
        do(integration, "change some of a product", "write", id=teapot["id"], price=9.25)
    )
    assert (changed["name"], changed["price"]) == ("Teapot", 9.25)
    uploaded = data(
        do(integration, "upload an image of a product", "write", id=teapot["id"], image=PIXEL)
    )
    assert uploaded["size"] == len(base64.b64decode(PIXEL))
    gone = made[0]["id"]
    do(integration, "delete a product", "destructive", id=gone)
    seen = list(pages(integration))
    assert sorted(seen) == sorted({each["id"] for each in made} - {gone})
    received = [f"{each.method} {each.path}" for each in shop.shop.received]
    deleted = [each for each in received if each.startswith("DELETE")]
    assert deleted == [f"DELETE /v1/products/{gone}"]
    assert [each.split()[0] for each in received].count("POST") == len(names) + 1


def pages(integration: Integration) -> Iterator[str]:
    """Yield the ids of all products, read in pages of two."""
    number = 0
    while True:
        number += 1
        found = do(integration, "list products page by page", "read", page=number, limit=2)
        items = records(data(found))
        yield from (item["id"] for item in items)
        if not items:
            return


def do(integration: Integration, task: str, effect: str, **facts: Any) -> str:
    """Do a task, and return the text of the response, which must be a success.

    Args:
        integration: the functions.
        task: the words of the search.
        effect: of the function.
        facts: the values of the task by a word for each.
    """
    chosen = choose(integration, task, effect, facts)
    text = integration.call(chosen.name, chosen.arguments)
    assert 200 <= response(text)["status"] < 300, f"{task}: {chosen}: {text}"
    return text


def choose(integration: Integration, task: str, effect: str, facts: Mapping[str, Any]) -> Chosen:
    """Return the first function of a search that takes all facts and needs no others."""
    listed = integration.search(task)
    names = [name for name, found in LINE.findall(listed) if found == effect][:5]
    assert names, f"{task}: no function of this effect in\n{listed}"
    described = json.loads(integration.describe(names))
    wanted = [Fact(frozenset({word}), value) for word, value in facts.items()]
    for each in described:
        used: set[frozenset[str]] = set()
        arguments = fill(each["arguments"], wanted, used)
        if arguments is not None and len(used) == len(wanted):
            return Chosen(each["name"], arguments)
    raise AssertionError(f"{task}: no function takes {facts} among\n{listed}\n{described}")


#: A line of a search: a name and an effect.
LINE = re.compile(rf"^\W*(\w+) \[({'|'.join(EFFECTS)})\]", re.MULTILINE)


def fill(schema: dict[str, Any], facts: Sequence[Fact], used: set[frozenset[str]]) -> Any:
    """Return an object with facts at the places that a schema declares; ``None`` if a required place has no fact."""
    made: dict[str, Any] = {}
    required = schema.get("required", ())
    exact = {name for name in schema.get("properties", {}) if any({name} == f.words for f in facts)}
    for name, each in schema.get("properties", {}).items():
        value = place(name, each, facts, used, is_named=name in exact, names=exact)
        if value is not None:
            made[name] = value
        elif name in required:
            return None
    return made or (None if required else {})


def place(
    name: str,
    schema: dict[str, Any],
    facts: Sequence[Fact],
    used: set[frozenset[str]],
    *,
    is_named: bool,
    names: set[str],
) -> Any:
    """Return the value of a property: a fact with its name, else one that its description names, else an object of facts."""
    if "properties" in schema:
        return fill(schema, facts, used) or None
    description = schema.get("description", "")
    words = {name} if is_named else {*re.findall(r"\w+", description.lower())}
    for fact in facts:
        if fact.words & words and fact.words not in used and (is_named or not fact.words & names):
            used.add(fact.words)
            return as_file(fact.value, description) if fact.value == PIXEL else fact.value
    return None


def as_file(content: str, description: str) -> str:
    """Return a file in the form that a description shows, with its content as Base64."""
    [form] = re.findall(r"\bdata:\S+,DATA", description)
    return str(form).replace("FILENAME", "pixel.png").replace("DATA", content)


def data(text: str) -> Any:
    """Return the data of a response."""
    return response(text)["data"]


def response(text: str) -> dict[str, Any]:
    """Return the response at the beginning of a text; a note about the next page may follow."""
    found, _ = json.JSONDecoder().raw_decode(text)
    assert isinstance(found, dict)
    return found


def records(found: Any) -> list[dict[str, Any]]:
    """Return the list of objects in the data of a response."""
    if isinstance(found, list):
        return found
    [items] = [each for each in found.values() if isinstance(each, list)]
    return list(items)
