"""The official client and the inspector list, page, call, fail, search and approve, on the shop and on kinto."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from tests.live.inspector import Mcpdo, inspect
from tests.live.processes import free_port, running
from tests.mcp.server_support import ERAS, accepting, declining, text
from tests.strict_shop.server import serve

import specfn

SOURCE = str(Path(__file__).parent.parent.parent / "src")


@dataclass(frozen=True, kw_only=True)
class Api:
    """A running API, and calls of it.

    Attributes:
        document: the URL of its document.
        base_url: its base URL.
        credential: the environment variable with its credential, and the value.
        reads: the name of a function that lists.
        writes: the name of a function that creates, and its arguments for a name.
        refuses: a call that the API answers with an error: the function and its arguments.
        query: the words of a search for ``writes``.
    """

    document: str
    base_url: str
    credential: tuple[str, str]
    reads: str
    writes: tuple[str, Callable[[str], dict[str, Any]]]
    refuses: tuple[str, dict[str, Any]]
    query: str

    def command(self, *options: str) -> list[str]:
        """Return the command of a server."""
        given = [self.document, "--base-url", self.base_url, *options]
        return [sys.executable, "-m", "specfn", "serve", *given]

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a server, besides that of the tests."""
        return {"PYTHONPATH": SOURCE, self.credential[0]: self.credential[1]}

    @contextmanager
    def server(self, transport: str, folder: Path, *options: str) -> Iterator[Any]:
        """Serve the API over stdio or HTTP, and yield what the official client connects to."""
        environment = {**os.environ, **self.variables}
        if transport == "stdio":
            command = self.command(*options)
            yield stdio_client(
                StdioServerParameters(command=command[0], args=command[1:], env=environment)
            )
            return
        place = f"127.0.0.1:{free_port()}"
        command = self.command("--http", place, *options)
        with running(command, f"http://{place}", folder, environment):
            yield f"http://{place}/mcp"

    def talk(
        self, way: "Way", do: Callable[[Client], Awaitable[Any]], *options: str, **more: Any
    ) -> Any:
        """Return what the official client gets from a server."""

        async def run(server: Any) -> Any:
            async with Client(server, mode=way.era, **more) as client:
                return await do(client)

        with self.server(way.transport, way.folder, *options) as server:
            return asyncio.run(run(server))

    def inspect(self, *arguments: str) -> Any:
        """Return what the one-shot command line of the inspector prints."""
        given = [each for pair in self.variables.items() for each in ("-e", "=".join(pair))]
        return inspect(*given, *self.command(), *arguments)


class Way(NamedTuple):
    """How a client reaches a server: the era of the protocol, the transport, and a folder for logs."""

    era: str
    transport: str
    folder: Path

    @property
    def allowed(self) -> tuple[str, ...]:
        """The options for calls that change data: earlier clients cannot approve over HTTP."""
        is_asked = self.transport == "stdio" or self.era != "legacy"
        return () if is_asked else ("--allow", "write")


@pytest.fixture(params=[(era, transport) for era in ERAS for transport in ("stdio", "http")])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Way:
    return Way(*request.param, tmp_path)


@pytest.fixture(scope="module")
def shop() -> Iterator[Api]:
    with serve() as server:
        yield Api(
            document=server.document_url,
            base_url=server.base_url,
            credential=("SPECFN_AUTH_BEARER", server.token),
            reads="products_get",
            writes=("products_post", lambda name: {"body": {"name": name, "price": 1, "stock": 1}}),
            refuses=("products_getByProductId", {"productId": str(UUID(int=1))}),
            query="create a product",
        )


@pytest.fixture(scope="module")
def store(kinto: str) -> Api:
    return Api(
        document=f"{kinto}/v1/__api__",
        base_url=f"{kinto}/v1",
        credential=("SPECFN_AUTH_BASICAUTH", "alice:her password"),
        reads="buckets_get",
        writes=("buckets_post", lambda name: {"body": {"data": {"id": name}}}),
        refuses=("buckets_getById", {"id": "none"}),
        query="create a bucket",
    )


@pytest.fixture(params=["shop", "store"])
def api(request: pytest.FixtureRequest) -> Api:
    found: Api = request.getfixturevalue(request.param)
    return found


def kind(result: Any) -> tuple[bool, int | None]:
    """Return whether a result is an error, and the status in its text, which sentences on pages may follow."""
    shown = text(result).partition("\n")[0]
    return bool(result.is_error), json.loads(shown)["status"] if shown.startswith("{") else None


def test_the_official_client(api: Api, way: Way) -> None:
    """The client reads all pages, calls, reads errors, and approves and declines what changes data."""
    name, arguments = api.writes

    async def talk(client: Client) -> None:
        names: list[str] = []
        cursor = None
        while cursor is not None or not names:
            page = await client.list_tools(cursor=cursor)
            assert len(page.tools) <= 10
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
        assert names == [each.name for each in specfn.load(api.document).functions]
        assert kind(await client.call_tool(api.reads, {})) == (False, 200)
        bad = await client.call_tool(api.reads, {"query": 5})
        assert bad.is_error
        assert "expected" in text(bad)
        with pytest.raises(MCPError, match="no function named"):  # nothing is like this name
            await client.call_tool("buy", {})
        made = await client.call_tool(name, arguments(f"one-{way.era}-{way.transport}"))
        assert kind(made) == (False, 201)
        failed, status = kind(await client.call_tool(*api.refuses))
        assert (failed, status) in {(True, 404), (True, 403)}

    api.talk(way, talk, "--page-size", "10", *way.allowed, elicitation_callback=accepting())

    async def declined(client: Client) -> None:
        result = await client.call_tool(name, arguments("declined"))
        assert result.is_error
        assert "declined" not in text(await client.call_tool(api.reads, {}))

    api.talk(way, declined, elicitation_callback=declining)


def test_the_official_client_searches(api: Api, way: Way) -> None:
    """The client finds a function by search, reads its schema, and calls it after an approval."""
    name, arguments = api.writes

    async def talk(client: Client) -> None:
        found = text(await client.call_tool("search_functions", {"query": api.query}))
        assert found.startswith(f"{name} [write]")
        described = text(await client.call_tool("describe_functions", {"names": [name]}))
        assert json.loads(described)[0]["call_with"] == "change_function"
        sent = {"name": name, "arguments": arguments(f"two-{way.era}-{way.transport}")}
        assert (await client.call_tool("read_function", sent)).is_error
        assert kind(await client.call_tool("change_function", sent)) == (False, 201)

    api.talk(way, talk, "--mode", "search", *way.allowed, elicitation_callback=accepting())


def test_the_inspector_lists_calls_and_fails(api: Api) -> None:
    """The inspector's command line lists tools of portable schemas, calls one, reports an error, and cannot approve."""
    listed = api.inspect("--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [
        each.name for each in specfn.load(api.document).functions
    ]

    def call(name: str, *arguments: str) -> Any:
        given = [each for pair in arguments for each in ("--tool-arg", pair)]
        return api.inspect("--method", "tools/call", "--tool-name", name, *given)

    called = call(api.reads)
    assert not called.get("isError")
    assert json.loads(called["content"][0]["text"].partition("\n")[0])["status"] == 200
    failed = call(api.reads, "query=5")
    assert failed["isError"]
    assert "expected" in failed["content"][0]["text"]
    name, arguments = api.writes
    refused = call(name, *(f"{key}={json.dumps(value)}" for key, value in arguments("no").items()))
    assert refused["isError"]
    assert "no user is available" in refused["content"][0]["text"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_approves(api: Api, era: str, tmp_path: Path) -> None:
    """A call waits in the inspector's ``mcpdo`` for the user: it is sent when accepted, and not when declined."""
    name, arguments = api.writes
    mcpdo = Mcpdo(tmp_path, era, api.command(), api.variables)
    try:

        def decided(new: str, *decision: str) -> Any:
            body = json.dumps(arguments(new)["body"])
            waiting = mcpdo("tools/call", name, f"body:={body}")["elicitationPending"]
            assert new in waiting["message"]
            return mcpdo("elicitation/respond", waiting["elicitationId"], *decision)

        assert decided(f"three-{era}", "--decline")["isError"]
        assert not decided(f"four-{era}", "{}")["isError"]
        stored = json.dumps(mcpdo("tools/call", api.reads))
        assert (f"three-{era}" in stored, f"four-{era}" in stored) == (False, True)
    finally:
        mcpdo.stop()
