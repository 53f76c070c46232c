"""An API that records requests, and servers over it, for the tests of the MCP server."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import mcp_types as types
import uvicorn
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from specfn import Application, Connection, Options, load

ERAS = ("legacy", "auto")

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
PET = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}
BODY = {"content": {"application/json": {"schema": PET}}, "required": True}
RESPONSE = {"200": {"description": "", "content": {"application/json": {"schema": PET}}}}
LIST = {"type": "array", "items": PET}
LISTED = {"200": {"description": "", "content": {"application/json": {"schema": LIST}}}}

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://api.example/v1"}],
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    "security": [{"bearer": []}],
    "paths": {
        "/pets": {
            "get": {"summary": "List pets", "responses": LISTED},
            "post": {"summary": "Add a pet", "requestBody": BODY, "responses": RESPONSE},
        },
        "/pets/{id}": {
            "parameters": [ID],
            "get": {"summary": "Find a pet", "responses": RESPONSE},
            "delete": {"summary": "Delete a pet", "responses": {"204": {"description": ""}}},
        },
    },
}

Reply = Callable[[httpx.Request], httpx.Response]


def pet(_: httpx.Request) -> httpx.Response:
    """Return a pet."""
    return httpx.Response(200, json={"name": "Rex"})


@dataclass
class Api:
    """An API that records what it receives.

    Attributes:
        reply: its response.
        requests: the received requests.
    """

    reply: Reply = pet
    requests: list[httpx.Request] = field(default_factory=list)

    def connection(self, **more: Any) -> Connection:
        """Return a connection whose requests arrive here."""

        def handle(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            return self.reply(request)

        client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        settings: dict[str, Any] = {
            "base_url": "https://api.example/v1",
            "credentials": {"bearer": "own-token"},
            "async_client": client,
        }
        return Connection(**{**settings, **more})

    @property
    def received(self) -> list[str]:
        """Return the methods and paths of the received requests."""
        return [f"{each.method} {each.url.path}" for each in self.requests]


def application(document: dict[str, Any] = DOCUMENT, **options: Any) -> Application:
    """Return the functions of a document."""
    return load(document, options=Options(**options))


def accepting(**content: Any) -> Callable[[Any, Any], Awaitable[types.ElicitResult]]:
    """Return a user that accepts each form with a content."""

    async def respond(_: Any, params: Any) -> types.ElicitResult:
        assert params.message
        return types.ElicitResult(action="accept", content=content)

    return respond


async def declining(_: Any, __: Any) -> types.ElicitResult:
    """Decline each form."""
    return types.ElicitResult(action="decline")


def talk(server: Any, era: str, do: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """Return what a client of an era gets from a server."""

    async def run() -> Any:
        async with Client(server, mode=era, **options) as client:
            try:
                return await do(client)
            except MCPError as error:  # a group of exceptions would wrap it
                return error

    found = asyncio.run(run())
    if isinstance(found, MCPError):
        raise found
    return found


def call(server: Any, era: str, name: str, arguments: Any = None, **options: Any) -> Any:
    """Return the result of one tool call."""
    return talk(server, era, lambda client: client.call_tool(name, arguments or {}), **options)


def text(result: Any) -> str:
    """Return the text of a result."""
    (content,) = result.content
    found: str = content.text
    return found


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Run an ASGI application on a free loopback port, and return its origin."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
