"""The MCP server with other programs: uvicorn's workers, many clients, and a large document."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.live.processes import free_port, running
from tests.mcp.server_support import ERAS, accepting, text
from tests.strict_shop.server import Server, serve

SOURCE = str(Path(__file__).parent.parent.parent / "src")

#: The application of the workers.
APP = """
import os

import specfn
from specfn import mcp

app = mcp.asgi(
    specfn.load(os.environ["DOCUMENT"]),
    specfn.Connection(base_url=os.environ["API"], credentials={"bearer": os.environ["TOKEN"]}),
    key=os.environ["KEY"],
)
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as found:
        yield found


def environment(shop: Server) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": SOURCE, "SPECFN_AUTH_BEARER": shop.token}


# -- workers and many clients -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workers(shop: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two workers of uvicorn behind one port."""
    folder = tmp_path_factory.mktemp("workers")
    (folder / "application.py").write_text(APP, "utf-8")
    url = f"http://127.0.0.1:{free_port()}"
    more = {"DOCUMENT": shop.document_url, "API": shop.base_url, "TOKEN": shop.token}
    command = [sys.executable, "-m", "uvicorn", "application:app", "--workers", "2"]
    with running(
        [*command, "--port", url.rpartition(":")[2]],
        url,
        folder,
        {**environment(shop), **more, "KEY": "key-that-both-workers-share-4711"},
    ):
        yield f"{url}/mcp"


@pytest.mark.parametrize("era", ERAS)
def test_fifty_clients_at_once(workers: str, era: str) -> None:
    """Fifty clients list and call at the same time, and each receives its own response."""

    async def one(number: int) -> str:
        async with Client(workers, mode=era) as client:
            assert (await client.list_tools()).tools
            sent = {"query": {"q": f"product {number}"}}
            return text(await client.call_tool("products_get", sent))

    async def everyone() -> list[str]:
        return await asyncio.gather(*map(one, range(50)))

    assert (
        asyncio.run(everyone()) == ['{"status":200,"data":{"items":[],"total":0,"next":null}}'] * 50
    )


def test_approvals_reach_any_worker(workers: str, shop: Server) -> None:
    """Clients of the stateless protocol approve calls, whichever worker receives them."""

    async def one(number: int) -> bool:
        async with Client(workers, mode="auto", elicitation_callback=accepting()) as client:
            sent = {"body": {"name": "Games", "slug": f"games-{number}"}}
            return bool((await client.call_tool("categories_post", sent)).is_error)

    async def everyone() -> list[bool]:
        return await asyncio.gather(*map(one, range(20)))

    before = len(shop.received)
    assert asyncio.run(everyone()) == [False] * 20
    assert len([each for each in shop.received[before:] if each.method == "POST"]) == 20


# -- a large document ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("mode", "count"), [("all", 1_223), ("search", 4), ("auto", 4)])
def test_github_over_stdio(corpus: Path, era: str, mode: str, count: int) -> None:
    """All functions of GitHub are one page in mode ``all``; search mode finds and describes them."""
    document = corpus / "dev" / "octokit__api.github.com.json"
    arguments = [
        "-m",
        "specfn",
        "serve",
        str(document),
        "--base-url",
        "http://127.0.0.1:9",
        "--mode",
        mode,
    ]
    parameters = StdioServerParameters(
        command=sys.executable, args=arguments, env={**os.environ, "PYTHONPATH": SOURCE}
    )

    async def talk() -> None:
        async with Client(stdio_client(parameters), mode=era) as client:
            listed = await client.list_tools()
            assert (len(listed.tools), listed.next_cursor) == (count, None)
            if count == 4:
                found = await client.call_tool("search_functions", {"query": "list issues"})
                name = text(found).partition(" ")[0]
                described = await client.call_tool("describe_functions", {"names": [name]})
                assert json.loads(text(described))[0]["arguments"]["type"] == "object"

    asyncio.run(talk())
