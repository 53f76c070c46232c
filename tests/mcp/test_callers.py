"""A connection for each caller, over real sockets."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitResult
from tests.mcp.callers_support import AUTH, NAMES, Team, Verifier, client_of, connecting
from tests.mcp.server_support import DOCUMENT, ERAS, Api, application, served

from specfn import Connection, mcp
from specfn.errors import UsageError

FILE = {
    "get": {
        "operationId": "getFile",
        "responses": {
            "200": {
                "description": "",
                "content": {
                    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                },
            }
        },
    }
}
FUNCTIONS = application({**DOCUMENT, "paths": {**DOCUMENT["paths"], "/file": FILE}})

#: A script that reads, and writes after an approval.
SCRIPT = """
before = await api.pets.get()
after = await api.pets.post(body={"name": "x"})
[before, after]
"""


def guarded(connection: Any, **options: Any) -> Any:
    """Return a server whose callers are verified."""
    return mcp.asgi(FUNCTIONS, connection, token_verifier=Verifier(), auth=AUTH, **options)


def texts(result: Any) -> str:
    """Return all texts of a result."""
    return " ".join(getattr(content, "text", "") for content in result.content)


async def call_as(name: str, origin: str, era: str, tools: list[tuple[str, Any]]) -> list[str]:
    """Call tools as a caller, who approves each call; return what was wrong."""

    async def approve(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept")

    others = [other for other in NAMES if other != name]
    async with client_of(name, origin, era, elicitation_callback=approve) as client:
        some = asyncio.Semaphore(
            1 if tools[0][0] == "run" else len(tools)
        )  # few scripts run at once

        async def call(tool: str, sent: Any) -> Any:
            async with some:
                return await client.call_tool(tool, sent)

        results = await asyncio.gather(*(call(tool, sent) for tool, sent in tools))
    return [
        f"{name}: {texts(result)}"
        for result in results
        if result.is_error or any(other in texts(result) for other in others)
    ]


@pytest.mark.parametrize("mode", ["all", "code"])
@pytest.mark.parametrize("era", ERAS)
def test_interleaved_calls_of_three_callers(era: str, mode: str, tmp_path: Path) -> None:
    """Reads, approved writes, files and scripts of three callers at once: each caller gets only what is its own."""
    team = Team()
    all_tools = [
        ("pets_get", {}),
        ("pets_post", {"body": {"name": "x"}}),
        ("pets_eraseById", {"id": 7}),
        ("file_get", {}),
    ]
    tools = all_tools * 17 if mode == "all" else [("run", {"code": SCRIPT})] * 10

    async def run(origin: str) -> list[str]:
        calls = [call_as(name, origin, era, tools) for name in NAMES]
        return [fault for faults in await asyncio.gather(*calls) for fault in faults]

    with served(team.app) as api:
        app = guarded(connecting(f"{api}/v1"), sessions=True, files=tmp_path, mode=mode)
        with served(app) as origin:
            assert asyncio.run(run(origin)) == []
    assert team.crossings == []
    requests = 17 * 4 if mode == "all" else 20
    assert {name: team.users.count(name) for name in NAMES} == dict.fromkeys(NAMES, requests)
    if mode == "all":
        assert {file.read_bytes()[:11] for file in tmp_path.iterdir()} == {
            f"file of {name}".encode() for name in NAMES
        }


def test_a_connection_keeps_its_sockets() -> None:
    """Equal connections of a caller are one, so that its sockets are used again."""
    team, ports = Team(), set()

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            ports.add(scope["client"])
        await team.app(scope, receive, send)

    async def run(origin: str) -> None:
        async with client_of("ada", origin, "auto") as client:
            for _ in range(5):
                assert not (await client.call_tool("pets_get", {})).is_error

    with served(counting) as api, served(guarded(connecting(f"{api}/v1"))) as origin:
        asyncio.run(run(origin))
    assert len(ports) == 1


def test_a_function_for_connections_needs_a_verifier() -> None:
    """Without verified callers, a function could not know whose connection it returns."""
    with pytest.raises(UsageError, match="token_verifier"):
        mcp.asgi(FUNCTIONS, connecting("https://api.example"))


@pytest.mark.parametrize("returned", [None, "text", Connection(credentials={"other": "x"})])
def test_a_wrong_connection_sends_nothing(returned: Any) -> None:
    """A function that returns something else fails its call, and the model reads that it is a fault of the server."""
    api = Api()

    async def connection(_: Any) -> Any:
        return returned

    async def run(origin: str) -> Any:
        async with client_of("ada", origin, "auto") as client:
            return await client.call_tool("pets_get", {})

    with served(guarded(connection)) as origin:
        result = asyncio.run(run(origin))
    assert result.is_error
    assert "the server is not configured for this call" in texts(result)
    assert api.requests == []
