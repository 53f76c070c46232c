"""A scripted model does six tasks over MCP, on an API whose paths are random."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.live.processes import free_port, running
from tests.live.renamed_shop import RenamedShop, random_words, renamed_document, renamed_shop
from tests.live.tasks import do_tasks
from tests.mcp.server_support import ERAS, text
from tests.strict_shop import shop_document

import specfn
from specfn import mcp

SOURCE = str(Path(__file__).parent.parent.parent / "src")


class OverMcp:
    """The functions of a server in search mode, as a client's model reaches them."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client
        self._tools: dict[str, str] = {}

    def search(self, query: str) -> str:
        return self._call("search_functions", {"query": query})

    def describe(self, names: Sequence[str]) -> str:
        found = self._call("describe_functions", {"names": list(names)})
        self._tools |= {each["name"]: each["call_with"] for each in json.loads(found)}
        return found

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        return self._call(self._tools[name], {"name": name, "arguments": arguments})

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        result = self._portal.call(self._client.call_tool, tool, arguments)
        assert not result.is_error, text(result)
        return text(result)


class User:
    """A user who approves each call, and remembers what the forms said."""

    def __init__(self) -> None:
        self.approved: list[str] = []

    async def __call__(self, _: Any, params: Any) -> types.ElicitResult:
        self.approved.append(params.message)
        return types.ElicitResult(action="accept", content={})


def drive(server: Any, era: str, found: RenamedShop, *, asked: bool = True) -> None:
    """Do the tasks as a client of a server; the user approves the deletion and nothing else, where users are asked."""
    user = User()
    client = Client(server, mode=era, elicitation_callback=user)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        do_tasks(OverMcp(portal, client), found)
    assert [": DELETE /" in form for form in user.approved] == [True] * asked


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("seed", range(3))
def test_six_tasks_by_search(era: str, seed: int) -> None:
    """The model finds functions by search alone, and takes names and layout from the texts that it received."""
    with renamed_shop(seed) as found:
        connection = specfn.Connection(base_url=found.base_url, credentials={"bearer": found.token})
        app = specfn.load(found.document)
        server = mcp.server(app, connection, mode="search", allow=("read", "write"))
        drive(server, era, found)


@pytest.mark.parametrize("era", ERAS)
def test_six_tasks_over_stdio(era: str, tmp_path: Path) -> None:
    """The command serves the same tasks."""
    file = tmp_path / "shop.json"
    with renamed_shop(4711) as found:
        file.write_text(json.dumps(found.document), "utf-8")
        options = ("--base-url", found.base_url, "--mode", "search", "--allow", "write")
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "specfn", "serve", str(file), *options],
            env={**os.environ, "PYTHONPATH": SOURCE, "SPECFN_AUTH_BEARER": found.token},
        )
        drive(stdio_client(parameters), era, found)


@pytest.mark.parametrize("era", ERAS)
def test_six_tasks_over_http(era: str, tmp_path: Path) -> None:
    """The command serves the same tasks over streamable HTTP. Earlier clients cannot approve there."""
    file = tmp_path / "shop.json"
    place = f"127.0.0.1:{free_port()}"
    with renamed_shop(4712) as found:
        file.write_text(json.dumps(found.document), "utf-8")
        allowed = ("--allow", "write", *(("--allow", "destructive") if era == "legacy" else ()))
        options = ("--http", place, "--base-url", found.base_url, "--mode", "search", *allowed)
        command = [sys.executable, "-m", "specfn", "serve", str(file), *options]
        environment = {**os.environ, "PYTHONPATH": SOURCE, "SPECFN_AUTH_BEARER": found.token}
        with running(command, f"http://{place}", tmp_path, environment):
            drive(f"http://{place}/mcp", era, found, asked=era != "legacy")


@pytest.mark.parametrize("seed", range(3))
def test_no_name_of_the_shop_remains(seed: int) -> None:
    """No function of the renamed document has the name of one of the shop, and no path a word of its paths."""
    own = specfn.loads(shop_document.text())
    words = random_words(seed)
    other = specfn.load(renamed_document(words))
    assert len(other.functions) == len(own.functions)
    assert not {each.name for each in own.functions} & {each.name for each in other.functions}
    assert not {*words} & {*words.values()}
    for path in renamed_document(words)["paths"]:
        assert not any(word in path for word in words if len(word) > 2)
