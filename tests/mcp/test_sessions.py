"""Sessions over HTTP, for clients of protocols before 2026-07-28."""

import asyncio
import threading
from typing import Any

import httpx
import pytest
from mcp.client.client import Client
from tests.mcp.http_support import message, post, versions
from tests.mcp.server_support import (
    ERAS,
    Api,
    accepting,
    application,
    call,
    declining,
    served,
    talk,
    text,
)

from specfn import mcp

PET = {"body": {"name": "Rex"}}
TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("era", ERAS)
def test_a_user_approves_over_http(era: str) -> None:
    """With sessions, clients of both eras ask their user, whose decision counts."""
    api = Api()
    app = mcp.asgi(application(), api.connection(), sessions=True)
    with served(app) as origin:
        ask: Any = lambda user: call(  # noqa: E731  # short
            f"{origin}/mcp", era, "pets_post", PET, elicitation_callback=user
        )
        assert ask(declining).is_error
        assert api.received == []
        assert not ask(accepting()).is_error
        assert api.received == ["POST /v1/pets"]


def test_without_sessions_the_call_is_refused() -> None:
    """Without sessions, a client of an earlier protocol cannot be asked, so nothing is sent."""
    api = Api()
    with served(mcp.asgi(application(), api.connection())) as origin:
        user = accepting()
        result = call(f"{origin}/mcp", "legacy", "pets_post", PET, elicitation_callback=user)
    assert result.is_error
    assert api.received == []


@pytest.mark.parametrize("sessions", [False, True])
@pytest.mark.parametrize("era", ERAS)
def test_a_cancel_ends_the_request_to_the_api(era: str, sessions: bool) -> None:  # noqa: FBT001
    """A client that cancels a call ends the request to the API at once, before the call itself would end."""
    if era == "legacy" and not sessions:
        pytest.skip("such a client cannot name the call without a session")
    begun, cancelled = threading.Event(), threading.Event()

    async def handle(_: httpx.Request) -> httpx.Response:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return httpx.Response(200)

    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    connection = Api().connection(async_client=client)

    async def leave(peer: Any) -> bool:
        waiting = asyncio.ensure_future(peer.call_tool("pets_getById", {"id": 1}))
        assert await asyncio.to_thread(begun.wait, 20)
        waiting.cancel()
        return await asyncio.to_thread(cancelled.wait, 10)

    with served(mcp.asgi(application(), connection, sessions=sessions)) as origin:
        assert talk(f"{origin}/mcp", era, leave)


def test_the_guard_checks_requests_of_sessions() -> None:
    """A known session needs the host, the origin and the token like any other request."""
    app = mcp.asgi(application(), Api().connection(), sessions=True, client_token=TOKEN)
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    with served(app) as origin:
        token = {"Authorization": f"Bearer {TOKEN}"}
        opened = post(origin, opening, **token)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], **versions("legacy")}
        assert post(origin, message("legacy"), **session).status_code == 401
        assert post(origin, message("legacy"), **session, **token, Host="evil").status_code == 421
        hostile = {"Origin": "https://evil.example"}
        assert post(origin, message("legacy"), **session, **token, **hostile).status_code == 403
        assert "Rex" in post(origin, message("legacy"), **session, **token).text


def test_two_sessions_at_once() -> None:
    """Two clients with sessions get the answers of their own calls, and the forms of their own calls."""
    api = Api(lambda request: httpx.Response(200, json={"name": str(request.url.path)}))

    async def one(origin: str, number: int) -> list[str]:
        seen: list[str] = []

        async def user(_: Any, params: Any) -> Any:
            seen.append(params.message)
            return await accepting()(_, params)

        async with Client(f"{origin}/mcp", mode="legacy", elicitation_callback=user) as client:
            for _ in range(5):
                result = await client.call_tool("pets_eraseById", {"id": number})
                assert f"/pets/{number}" in text(result)
        assert len(seen) == 5
        return seen

    async def both(origin: str) -> None:
        forms = await asyncio.gather(*(one(origin, number) for number in (111, 222)))
        assert all("111" in form and "222" not in form for form in forms[0])
        assert all("222" in form and "111" not in form for form in forms[1])

    with served(mcp.asgi(application(), api.connection(), sessions=True)) as origin:
        asyncio.run(both(origin))
