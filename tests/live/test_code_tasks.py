"""A scripted model does six tasks in code over MCP, on an API whose paths are random.

Its code contains only names that it read in the results of searches.
"""

import ast
import base64
import json
import re
from typing import Any, NamedTuple

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from tests.live.renamed_shop import RenamedShop, renamed_shop
from tests.live.tasks import PIXEL
from tests.live.test_mcp_tasks import User
from tests.mcp.server_support import ERAS, text

import specfn
from specfn import mcp

#: A line of a search: the place of a function, its effect and its summary.
LINE = re.compile(r"^# (api\.[\w.]+) \[(\w+)\] ?(.*)", re.MULTILINE)


class Signature(NamedTuple):
    """A function that a search found: its place, the types of its arguments, and the members of types with comments."""

    place: str
    arguments: dict[str, str]
    members: dict[str, dict[str, str]]

    def member(self, argument: str, word: str) -> str:
        """Return the member of an argument with a word as name, or in its comment."""
        members = self.members.get(self.arguments[argument], {})
        return next(
            m for m, c in members.items() if word == m or word in re.findall(r"\w+", c.lower())
        )


class Coder:
    """A model that searches and runs code.

    Attributes:
        round_trips: the number of its tool calls.
        characters: the characters that it sent and received.
    """

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client
        self.round_trips = 0
        self.characters = 0

    def find(self, task: str, effect: str, *arguments: str) -> Signature:
        """Return the first function of an effect that has these arguments."""
        found = self._call("search_functions", {"words": task})
        for place, its, summary in LINE.findall(found):
            if its != effect:
                continue
            known = signatures(found, [place])
            if not known:  # only the best hits have signatures: search for this one
                again = self._call("search_functions", {"words": summary, "limit": 1})
                known = signatures(again, [place])
            if known and {*arguments} <= known[0].arguments.keys():
                return known[0]
        raise AssertionError(f"{task}: no {effect} function has {arguments}\n{found}")

    def run(self, code: str) -> Any:
        """Return the value of a script."""
        return json.loads(self._call("run", {"code": code}))

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        result = self._portal.call(self._client.call_tool, tool, arguments)
        assert not result.is_error, text(result)
        self.round_trips += 1
        self.characters += len(json.dumps(arguments)) + len(text(result))
        return text(result)


#: A class of a module, and a member of it with its comment.
CLASS = re.compile(r"^class (\w+)\(.*\n((?:    .*\n)+)", re.MULTILINE)
MEMBER = re.compile(r"^    (\w+): [^#\n]*(?:#: (.*))?$", re.MULTILINE)


#: The head of a signature: its place and its arguments.
HEAD = re.compile(r"^async def (api[\w.]+)(\(.*):", re.MULTILINE)


def signatures(found: str, places: list[str]) -> list[Signature]:
    """Return the signatures of those places that have one in the text of a search."""
    members = {name: dict(MEMBER.findall(body)) for name, body in CLASS.findall(found)}
    heads = dict(HEAD.findall(found))
    known = []
    for place in filter(heads.__contains__, places):
        [function] = ast.parse(f"def f{heads[place]}: ...").body
        assert isinstance(function, ast.FunctionDef)
        arguments = {
            a.arg: ast.unparse(a.annotation) for a in function.args.kwonlyargs if a.annotation
        }
        known.append(Signature(place, arguments, members))
    return known


#: Code that takes the list of a response.
ITEMS = "def items(found):\n    return found if isinstance(found, list) else [v for v in found.values() if isinstance(v, list)][0]\n"


def do_tasks(model: Coder, shop: RenamedShop) -> None:
    """Create, find, change, upload, delete with approval, and page through, in three scripts."""
    create = model.find("create a product", "write", "body").place
    names = ["Kettle", "Teapot", "Teacup", "Saucer", "Spoon"]
    made = model.run(
        f"import asyncio\ncalls = [{create}(body={{'name': n, 'price': 4.5, 'stock': 1}}) for n in {names}]\n"
        "[each['id'] for each in await asyncio.gather(*calls)]"
    )
    find = model.find("find products by a text", "read", "query")
    change = model.find("change some of a product", "write", "body")
    upload = model.find("upload an image of a product", "write", "body")
    changed = model.run(
        f"{ITEMS}[teapot] = items(await {find.place}(query={{{find.member('query', 'text')!r}: 'Teapot'}}))\n"
        f"changed = await {change.place}({next(iter(change.arguments))}=teapot['id'], body={{'price': 9.25}})\n"
        f"picture = {{{upload.member('body', 'image')!r}: 'data:image/png;base64,{PIXEL}'}}\n"
        f"image = await {upload.place}({next(iter(upload.arguments))}=teapot['id'], body=picture)\n"
        "[changed['name'], changed['price'], image['size']]"
    )
    assert changed == ["Teapot", 9.25, len(base64.b64decode(PIXEL))]
    erase = model.find("delete a product", "destructive")
    listing = model.find("list products page by page", "read", "query").place
    left = model.run(
        f"{ITEMS}await {erase.place}({next(iter(erase.arguments))}={made[0]!r})\n"
        "ids, page = [], 0\n"
        "while page == 0 or found:\n"
        "    page += 1\n"
        f"    found = items(await {listing}(query={{'page': page, 'limit': 2}}))\n"
        "    ids += [each['id'] for each in found]\n"
        "ids"
    )
    assert sorted(left) == sorted(made[1:])
    received = [f"{each.method} {each.path}" for each in shop.shop.received]
    deleted = [each for each in received if each.startswith("DELETE")]
    assert deleted == [f"DELETE /v1/products/{made[0]}"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("seed", range(3))
def test_six_tasks_in_code(era: str, seed: int) -> None:
    """The model does six tasks with names that it found; the user approves the deletion and nothing else."""
    with renamed_shop(seed) as found:
        connection = specfn.Connection(base_url=found.base_url, credentials={"bearer": found.token})
        server = mcp.server(
            specfn.load(found.document), connection, mode="code", allow=("read", "write")
        )
        user = User()
        client = Client(server, mode=era, elicitation_callback=user)
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
            do_tasks(Coder(portal, client), found)
        [form] = user.approved
        assert ": DELETE /" in form
