"""The server inside another ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from mcp.server.auth.provider import AccessToken
from starlette.applications import Starlette
from tests.mcp.http_support import PAGE, ask, message, post, versions
from tests.mcp.server_support import ERAS, Api, application, call, served, text

import specfn
from specfn import mcp
from specfn.errors import UsageError


def mount(kind: Callable[..., Any], app: Any, **options: Any) -> Any:
    outer = kind(**options)
    outer.mount("/tools", app)
    return outer


@pytest.mark.parametrize("kind", [FastAPI, Starlette])
@pytest.mark.parametrize("era", ERAS)
def test_a_mounted_server_answers(era: str, kind: Any) -> None:
    """With its lifespan, a server that is mounted in another application is called like one that runs alone."""
    app = mcp.asgi(application(), Api().connection())
    with served(mount(kind, app, lifespan=app.lifespan)) as origin:
        result = call(f"{origin}/tools/mcp", era, "pets_getById", {"id": 1})
        assert httpx.get(f"{origin}/tools/health").status_code == 200
    assert text(result) == '{"status":200,"data":{"name":"Rex"}}'


@pytest.mark.parametrize("kind", [FastAPI, Starlette])
def test_a_lifespan_that_is_missing_is_named(kind: Any) -> None:
    """Without the lifespan, a request is answered with what is missing, and the server is not healthy."""
    app = mcp.asgi(application(), Api().connection())
    with served(mount(kind, app)) as origin:
        response = post(f"{origin}/tools", message("legacy"), **versions("legacy"))
        assert httpx.get(f"{origin}/tools/health").status_code == 503
    assert response.status_code == 503
    assert "lifespan=mcp_app.lifespan" in response.json()["error"]["message"]


def test_an_own_lifespan_enters_that_of_the_server() -> None:
    """An application with a lifespan of its own enters that of the server in it, each time that it starts."""
    app = mcp.asgi(application(), Api().connection())

    @asynccontextmanager
    async def lifespan(outer: FastAPI) -> AsyncIterator[None]:
        async with app.lifespan(outer):
            yield

    outer = mount(FastAPI, app, lifespan=lifespan)
    for _ in range(2):
        with served(outer) as origin:
            result = call(f"{origin}/tools/mcp", "legacy", "pets_getById", {"id": 1})
        assert not result.is_error


@pytest.mark.parametrize("era", ERAS)
def test_a_server_over_the_application_that_mounts_it(era: str) -> None:
    """The functions of an application are called in its event loop by the server that it mounts."""
    outer = FastAPI()
    loops: set[Any] = set()

    @outer.get("/pets/{number}", operation_id="getPet")
    async def get_pet(number: int) -> dict[str, int]:
        loops.add(asyncio.get_running_loop())
        return {"number": number}

    functions, connection = specfn.from_asgi(outer)
    app = mcp.asgi(functions, connection)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        loops.add(asyncio.get_running_loop())
        async with app.lifespan():
            yield

    outer.router.lifespan_context = lifespan
    outer.mount("/tools", app)
    with served(outer) as origin:
        name = functions.functions["getPet"].name
        result = call(f"{origin}/tools/mcp", era, name, {"number": 7})
    assert text(result) == '{"status":200,"data":{"number":7}}'
    assert len(loops) == 1


class Verifier:
    """A verifier that knows no token."""

    async def verify_token(self, token: str) -> AccessToken | None:  # noqa: ARG002  # of the SDK
        return None


def test_a_verifier_needs_its_settings() -> None:
    """A verifier without settings would refuse all clients, and settings without a verifier none."""
    with pytest.raises(UsageError, match="belong together"):
        mcp.asgi(application(), Api().connection(), token_verifier=Verifier())


# -- pages in a browser -----------------------------------------------------------------------------------


def test_a_page_of_a_named_origin_may_call() -> None:
    """A browser that asks for a named page is answered without a token; the call itself needs it."""
    app = mcp.asgi(
        application(), Api().connection(), origins=[PAGE + "/"], client_token="0123456789abcdef"
    )
    with served(app) as origin:
        asked = ask(origin, PAGE)
        assert asked.status_code == 200
        assert asked.headers["access-control-allow-origin"] == PAGE
        assert "mcp-protocol-version" in asked.headers["access-control-allow-headers"].lower()
        sent = {**versions("legacy"), "Origin": PAGE}
        refused = post(origin, message("legacy"), **sent)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, PAGE)
        token = {"Authorization": "Bearer 0123456789abcdef"}
        answered = post(origin, message("legacy"), **sent, **token)
        assert (answered.status_code, answered.headers["access-control-allow-origin"]) == (
            200,
            PAGE,
        )


def test_health_tells_nothing() -> None:
    """``/health`` is answered to everyone under any name, without a body."""
    app = mcp.asgi(application(), Api().connection(), client_token="0123456789abcdef")
    with served(app) as origin:
        response = httpx.get(f"{origin}/health", headers={"Host": "10.0.0.7:8000"})
    assert (response.status_code, response.content) == (200, b"")


def test_a_server_starts_again() -> None:
    """The lifespan can be run again after its end, as reloading servers and test clients do."""

    async def run() -> None:
        app = mcp.asgi(application(), Api().connection())
        for _ in range(2):
            async with app.lifespan():
                pass

    asyncio.run(run())
