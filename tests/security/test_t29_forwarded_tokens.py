"""T10, T29: a client's token reaches the API only if it was issued for the API, and nothing goes in its place."""

import asyncio
from typing import Any

import httpx
import pytest
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.mcp.callers_support import NAMES, client_of
from tests.mcp.server_support import DOCUMENT, ERAS, served

import specfn
from specfn import Connection, mcp
from specfn.errors import UsageError

BASE = "https://api.example/v1"


class Verifier:
    """Verifies tokens, each of which says what it was issued for."""

    def __init__(self, resource: str) -> None:
        self.resource = resource

    async def verify_token(self, token: str) -> AccessToken | None:
        subject = token.removeprefix("token-of-")
        return AccessToken(
            token=token, client_id="host", scopes=[], subject=subject, resource=self.resource
        )


def settings(resource: str, **more: Any) -> AuthSettings:
    own = {"validate_token_resource": True, **more}
    return AuthSettings(
        issuer_url="https://login.example",  # type: ignore[arg-type]  # a URL
        resource_server_url=resource,  # type: ignore[arg-type]  # a URL
        **own,
    )


def server(base: str, *, issued_for: str = "", document: Any = DOCUMENT, **more: Any) -> Any:
    """A server that forwards tokens; ``more`` replaces arguments."""
    given: dict[str, Any] = {
        "connection": Connection(base, servers="base_url"),
        "token_verifier": Verifier(issued_for or base),
        "auth": settings(base),
        "forward_token": "bearer",
        **more,
    }
    app = specfn.load(document)
    return mcp.asgi(app, given.pop("connection"), **given)


class Api:
    """An API that records tokens, and redirects one path to another origin."""

    def __init__(self, other: str = "") -> None:
        self.tokens: list[str | None] = []
        self.other = other
        self.app = Starlette(routes=[Route("/v1/pets/{id}", self.answer)])

    async def answer(self, request: Request) -> Response:
        self.tokens.append(request.headers.get("authorization"))
        await asyncio.sleep(0.001 * (len(self.tokens) % 5))
        if self.other:
            return RedirectResponse(f"{self.other}/v1/pets/1", 307)
        return JSONResponse({"name": request.headers["authorization"]})


@pytest.mark.parametrize("era", ERAS)
def test_each_caller_is_its_own_token(era: str) -> None:
    """60 interleaved calls of three callers: the API gets the token of the caller, and no text shows one."""
    api = Api()
    with served(api.app) as origin:
        app = server(f"{origin}/v1")

        async def calls(url: str, name: str) -> list[str]:
            async with client_of(name, url, era) as client:
                asked = (client.call_tool("pets_getById", {"id": n}) for n in range(20))
                return [str(result.content) for result in await asyncio.gather(*asked)]

        async def all_calls(url: str) -> list[list[str]]:
            return await asyncio.gather(*(calls(url, name) for name in NAMES))

        with served(app) as url:
            texts = asyncio.run(all_calls(url))
    assert sorted(map(str, api.tokens)) == sorted(
        f"Bearer token-of-{n}" for n in NAMES for _ in range(20)
    )
    assert "token-of" not in str(texts)


def test_a_token_for_something_else_is_refused() -> None:
    """A token that was issued for another resource reaches nothing."""
    api = Api()
    with (
        served(api.app) as origin,
        served(server(f"{origin}/v1", issued_for="https://other.example")) as url,
    ):
        given = {"Authorization": "Bearer token-of-ada", "Accept": "application/json"}
        assert httpx.post(f"{url}/mcp", json={}, headers=given).status_code == 401
    assert api.tokens == []


def test_another_origin_gets_no_token() -> None:
    """A redirect of the API to another origin is followed without the token."""
    other = Api()
    with served(other.app) as away:
        api = Api(away)
        with served(api.app) as origin:
            own = Connection(
                f"{origin}/v1", servers="base_url", redirects="any", allow_private=True
            )
            with served(server(f"{origin}/v1", connection=own)) as url:

                async def call() -> None:
                    async with client_of("ada", url, "auto") as client:
                        await client.call_tool("pets_getById", {"id": 1})

                asyncio.run(call())
    assert api.tokens == ["Bearer token-of-ada"]
    assert "Bearer token-of-ada" not in other.tokens


#: Arguments with which a token could reach something else, or another credential the API; and a word of the error.
UNSAFE: dict[str, tuple[dict[str, Any], str]] = {
    "no verifier": ({"token_verifier": None, "auth": None}, "needs token_verifier"),
    "no check of the audience": (
        {"auth": settings(BASE, validate_token_resource=False)},
        "validate_token_resource=True",
    ),
    "tokens of the MCP server": (
        {"auth": settings("https://tools.example/mcp")},
        "must have the origin of base_url",
    ),
    "no base URL": ({"connection": None}, "needs a Connection with a base_url"),
    "servers of the document": ({"connection": Connection(BASE)}, 'servers="base_url"'),
    "more origins": (
        {"connection": Connection(BASE, servers="base_url", origins=["https://b.example"])},
        "without origins",
    ),
    "the operator's credential": (
        {"connection": Connection(BASE, servers="base_url", credentials={"bearer": "x"})},
        "exclude each other",
    ),
    "the operator's header": (
        {"connection": Connection(BASE, servers="base_url", headers={"authorization": "x"})},
        "exclude each other",
    ),
    "the operator's cookie": (
        {"connection": Connection(BASE, servers="base_url", cookies={"session": "x"})},
        "exclude each other",
    ),
    "an unknown scheme": ({"forward_token": "other"}, "is not a bearer"),
    "a function for connections": ({"connection": lambda _: None}, "needs a Connection"),
}


@pytest.mark.parametrize(("given", "reason"), UNSAFE.values(), ids=UNSAFE)
def test_everything_unsafe_is_an_error_at_the_start(given: dict[str, Any], reason: str) -> None:
    """Without a check of the audience, or with another place or credential, the server does not start."""
    assert server(BASE)
    with pytest.raises(UsageError, match=reason):
        server(BASE, **given)


def test_a_scheme_that_is_no_token() -> None:
    """A token is no API key and no password."""
    for scheme in (
        {"type": "apiKey", "in": "header", "name": "X-Key"},
        {"type": "http", "scheme": "basic"},
    ):
        document = {**DOCUMENT, "components": {"securitySchemes": {"bearer": scheme}}}
        with pytest.raises(UsageError, match="is not a bearer"):
            server(BASE, document=document)
