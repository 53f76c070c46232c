"""Three callers of a server with tokens of their own, and an API that knows them by other tokens."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specfn import Connection
from specfn.mcp import Caller

NAMES = ("ada", "bob", "eve")

AUTH = AuthSettings(
    issuer_url="https://login.example",  # type: ignore[arg-type]  # a URL
    resource_server_url="https://tools.example/mcp",  # type: ignore[arg-type]  # a URL
    validate_token_resource=True,
)


class Verifier:
    """Verifies the tokens of the callers."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who a token belongs to."""
        name = token.removeprefix("token-of-")
        if name not in NAMES:
            return None
        return AccessToken(
            token=token,
            client_id="host",
            scopes=[],
            subject=name,
            resource="https://tools.example/mcp",
            claims={"iss": "https://login.example"},
        )


class Team:
    """An API that answers with the name of its user, sets a cookie, and sends a file.

    Attributes:
        crossings: requests that carried something of another user.
        users: the user of each request.
    """

    def __init__(self) -> None:
        self.crossings: list[str] = []
        self.users: list[str] = []
        paths = [
            Route("/v1/pets", self.answer, methods=["GET", "POST"]),
            Route("/v1/pets/{id}", self.answer, methods=["GET", "DELETE"]),
            Route("/v1/file", self.file),
        ]
        self.app = Starlette(routes=paths)

    async def answer(self, request: Request) -> Response:
        user = self._user(request)
        await asyncio.sleep(0.001 * (len(self.users) % 7))
        # an API that takes its session from a cookie, whoever sent the token
        known = request.cookies.get("session", user)
        if known != user:
            self.crossings.append(f"cookie of {known} with {user}")
        response = JSONResponse({"name": known})
        response.set_cookie("session", user)
        return response

    async def file(self, request: Request) -> Response:
        content = f"file of {self._user(request)}".encode() + b"\x00\xff"
        return Response(content, media_type="application/octet-stream")

    def _user(self, request: Request) -> str:
        scheme, _, token = request.headers["authorization"].partition(" ")
        assert (scheme, token.partition("-")[0]) == ("Bearer", "api")
        user = token.removeprefix("api-")
        self.users.append(user)
        return user


def connecting(base_url: str) -> Callable[[Caller], Any]:
    """Return a function that returns a new connection for each call."""

    async def connection(caller: Caller) -> Connection:
        await asyncio.sleep(0)
        credentials = {"bearer": f"api-{caller.subject}"}
        return Connection(base_url, credentials=credentials, redirects="same-origin")

    return connection


@asynccontextmanager
async def client_of(name: str, origin: str, era: str, **options: Any) -> Any:
    """Connect a caller with the official client."""
    headers = {"Authorization": f"Bearer token-of-{name}"}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        streams = streamable_http_client(f"{origin}/mcp", http_client=http)
        yield await stack.enter_async_context(Client(streams, mode=era, **options))
