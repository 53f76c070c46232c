"""Searchable words of a function, read from the normalized document without composing schemas.

Words are split and in lower case, without stop words, and lightly stemmed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.pointer import unescape
from specfn.function.description import headline
from specfn.function.function import Function
from specfn.migrate.route import Route

#: The weight of each field in the score. The object is the last static segment of the path.
WEIGHTS: Final[Mapping[str, float]] = {
    "name": 2.2,
    "path": 3.7,
    "object": 2,
    "summary": 2,
    "tags": 1.3,
    "tag_descriptions": 0.6,
    "description": 0.7,
    "parameters": 0.5,
    "parameter_descriptions": 0.17,
    "enums": 0.4,
    "response": 0.55,
}

#: The maximum number of enum members, properties and levels of one schema that are read.
_ENUMS: Final = 20
_PROPERTIES: Final = 60
_LEVELS: Final = 3

#: A run of letters or digits of any script; camel case and digits are separated within it.
_WORD: Final = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")

#: The maximum number of characters of one text that are read, and of a word that is kept.
_MAX_TEXT_CHARACTERS: Final = 20_000
_MAX_WORD_CHARACTERS: Final = 40

#: The maximum number of characters of a word that may be short for another one, and of such words of one path.
_MAX_SHORT_CHARACTERS: Final = 4
_MAX_SHORT_WORDS_OF_PATH: Final = 16

#: Words that say nothing about a function. `me` and `my` do, and are not among them.
_STOP_WORDS: Final = frozenset(
    "a about after all also am an and any are as at be been before being both but by can could did do does doing "
    "each every few for from further get give had has have having he her here hers him his how i if in into is it "
    "its itself just let ll may more most no nor not now of off on once one only or other our out over own "
    "please re s same shall she should so some such t tell than that the their them then there these they this "
    "those to too under until up us use used using very want was we were what when where which while who whom "
    "whose why will with would you your".split()
)

#: Endings that are replaced, with the minimum number of letters that remain before them.
_ENDINGS: Final = (
    ("ies", "y", 2),
    ("sses", "ss", 1),
    ("shes", "sh", 1),
    ("ches", "ch", 1),
    ("xes", "x", 1),
    ("s", "", 2),
)
_FORMS: Final = (
    ("ied", "y", 2),
    ("ing", "", 3),
    ("ed", "", 3),
    ("ion", "", 4),
    ("ment", "", 4),
)

#: The endings of words that are no plural, although they end with `s`.
_SINGULAR: Final = ("ss", "us", "is")

#: Segments at the beginning of paths that say nothing.
_BEGINNING: Final = re.compile(r"api|rest|public|v?\d[\d.]*+(?:(?:beta|alpha)\d*)?", re.IGNORECASE)

#: The maximum number of characters of the description of a tag that are read.
_MAX_TAG_CHARACTERS: Final = 200

#: The words of a function that reads a collection and has no text.
_LIST: Final = ("list",)

#: The component schemas of a document, by name.
Components: TypeAlias = Mapping[str, Any]

_PREFIX: Final = "#/components/schemas/"


def component_schemas(document: JsonObject) -> Components:
    """Return the component schemas of a normalized document."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    return schemas if isinstance(schemas, dict) else {}


def tag_descriptions(document: JsonObject) -> Mapping[str, str]:
    """Return the beginnings of the descriptions of a document's tags, which say what its own words mean."""
    tags = document.get("tags")
    return {
        tag["name"]: _text(tag.get("description"))[:_MAX_TAG_CHARACTERS]
        for tag in (tags if isinstance(tags, list) else ())
        if isinstance(tag, dict) and isinstance(tag.get("name"), str)
    }


def fields_of(
    function: Function, name: str, components: Components, tags: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the words of each field of a function; nothing of the human part is read.

    Args:
        function: the function.
        name: the name that a model reads.
        components: the component schemas of its document.
        tags: the descriptions of its tags.
    """
    operation, route = function.operation, function.route
    found: dict[str, list[str]] = {field: [] for field in WEIGHTS}
    found["name"] += [*words_of(name), *words_of(function.operation_id or "")]
    found["path"] += path_words(function)
    found["object"] += object_words(function)
    found["summary"] += words_of(headline(route))
    if function.method == "get" and not _ends_with_parameter(function):
        found["summary"] += (
            () if operation.get("summary") or operation.get("description") else _LIST
        )
    found["description"] += words_of(_text(operation.get("description")))
    found["tags"] += (word for tag in function.tags for word in words_of(tag))
    found["tag_descriptions"] += (w for tag in function.tags for w in words_of(tags.get(tag, "")))
    if function.separated is None:
        _add_declared(found, route, components)
    else:
        _add_composed(found, function.model_function.validator)
    if route.success is not None and route.success.schema is not None:
        found["response"] += words_of(_schema_name(route.success.schema))
        for key, _ in properties(route.success.schema, components):
            found["response"] += words_of(key)
    return found


def _schema_name(schema: Any) -> str:
    """Return the name of the component that a schema, or the items of its array, refers to."""
    node = schema.get("items", schema) if isinstance(schema, dict) else schema
    reference = node.get("$ref") if isinstance(node, dict) else None
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


def _add_declared(found: dict[str, list[str]], route: Route, components: Components) -> None:
    """Add the parameters and the properties of the body, as the document declares them."""
    for parameter in route.parameters:
        found["parameters"] += words_of(parameter.name)
        _add_schema(found, parameter.description, parameter.schema, components)
    for group in route.groups:
        for parameter in group.parameters:
            found["parameters"] += words_of(parameter.name)
            _add_schema(found, parameter.description, parameter.schema, components)
    if route.body is not None:
        for name, schema in properties(route.body.schema, components):
            found["parameters"] += words_of(name)
            _add_schema(found, schema.get("description"), schema, components)


def _add_composed(found: dict[str, list[str]], root: JsonObject) -> None:
    """Add the properties of the model's part, from its composed schema."""
    definitions = root.get("$defs", {})
    for name, schema in properties(root, definitions):
        found["parameters"] += words_of(name)
        _add_schema(found, schema.get("description"), schema, definitions)


def path_words(function: Function) -> tuple[str, ...]:
    """Return the words of the static segments of a path."""
    return tuple(word for piece in _static(function) for word in words_of(piece))


def short_path_words(function: Function) -> Iterator[tuple[str, str]]:
    """Yield the first short words of the static segments of a path without their plural, and their stems."""
    known = _STOP_WORDS | {"my"}
    words = (
        (word if word.endswith(_SINGULAR) else word.removesuffix("s"), stem(word))
        for piece in _static(function)
        for word in plain_words(piece)
        if word not in known
    )
    pairs = (pair for pair in words if len(pair[0]) <= _MAX_SHORT_CHARACTERS)
    return islice(pairs, _MAX_SHORT_WORDS_OF_PATH)


def object_words(function: Function) -> tuple[str, ...]:
    """Return the words of the last static segment of a path."""
    return words_of(_static(function)[-1]) if _static(function) else ()


def member_words(function: Function, components: Components) -> frozenset[str]:
    """Return the words of the members of a body that are not those of the path: what an update can change."""
    body = function.route.body
    names = (name for name, _ in properties(body.schema, components)) if body is not None else ()
    return frozenset(word for name in names for word in words_of(name)) - {*path_words(function)}


def first_noun(function: Function) -> str:
    """Return the first static segment of a path that is not a version or a beginning of all paths."""
    for piece in _static(function):
        if words_of(piece) and not _BEGINNING.fullmatch(piece):
            return piece
    return ""


def _ends_with_parameter(function: Function) -> bool:
    return function.path.rstrip("/").endswith("}")


def _static(function: Function) -> list[str]:
    segments = function.route.template.segments
    return [piece for segment in segments for piece in segment if isinstance(piece, str)]


def properties(
    schema: Any, components: Components, *, levels: int = _LEVELS
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the properties that a schema declares, through references, arrays, unions and `allOf`."""
    left = _PROPERTIES
    seen: set[int] = set()
    tasks = [(schema, 0)]
    while tasks and left > 0:
        node, level = tasks.pop()
        node = target(node, components)
        if not isinstance(node, dict) or id(node) in seen or level > levels:
            continue
        seen.add(id(node))
        declared = node.get("properties")
        for name, value in declared.items() if isinstance(declared, dict) else ():
            if left > 0 and value is not False:  # a separated function forbids the human part so
                left -= 1
                yield name, value if isinstance(value, dict) else {}
            if level == 0 and name in ("body", "query"):
                tasks.append((value, 1))
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = node.get(keyword)
            tasks += [(each, level + 1) for each in branches] if isinstance(branches, list) else []
        tasks.append((node.get("items"), level + 1))


def target(node: Any, components: Components) -> Any:
    """Follow references to a component, at most as many as the levels that are read."""
    for _ in range(_LEVELS):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            return node
        name = node["$ref"].removeprefix(_PREFIX).removeprefix("#/$defs/")
        node = components.get(unescape(name))
    return None


def _add_schema(
    found: dict[str, list[str]], description: Any, schema: Any, components: Components
) -> None:
    found["parameter_descriptions"] += words_of(_text(description))
    enum = _enum(target(schema, components))
    found["enums"] += (word for text in enum for word in words_of(text))


def _enum(schema: Any) -> Iterable[str]:
    members = schema.get("enum") if isinstance(schema, dict) else None
    return (
        [each for each in members[:_ENUMS] if isinstance(each, str)]
        if isinstance(members, list)
        else ()
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


# -- words --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a lower-case word without its plural and its ending; words on `ss`, `us` and `is` keep their plural."""
    base = word if word.endswith(_SINGULAR) else _without(word, _ENDINGS)
    base = _without(base, _FORMS)
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeious":
        return base[:-1]
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


def _without(word: str, endings: Iterable[tuple[str, str, int]]) -> str:
    for ending, replacement, least in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: len(word) - len(ending)] + replacement
    return word


@lru_cache(maxsize=65_536)
def words_of(text: str) -> tuple[str, ...]:
    """Return the stemmed words of a text in order, without stop words."""
    return tuple(stem(word) for word in plain_words(text) if word not in _STOP_WORDS)


def is_plural(word: str) -> bool:
    """Return true if a word may be a plural."""
    return len(word) > 3 and word.endswith("s") and not word.endswith(_SINGULAR)


def is_stop_word(word: str) -> bool:
    """Return true if a word says nothing about a function."""
    return word in _STOP_WORDS


def plain_words(text: str) -> list[str]:
    """Return all words of a text in lower case and in order."""
    parts = _WORD.findall(text[:_MAX_TEXT_CHARACTERS])
    words = (
        (part[:-1] if part[:-1].isupper() and part[-1] == "s" else part).lower() for part in parts
    )
    return [word for word in words if len(word) <= _MAX_WORD_CHARACTERS]


def is_one_edit(left: str, right: str) -> bool:
    """Return true if one inserted, removed, replaced or exchanged letter makes two different words equal."""
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    one, other = left[start:], right[start:]
    exchanged = len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
    return left != right and (
        one[1:] == other[1:] or one[1:] == other or one == other[1:] or exchanged
    )
