import asyncio
import json
import threading
from typing import Any

import httpx
import pytest
from tests.mcp.server_support import ERAS, Api, application, call, served, talk, text

from specfn import mcp

CANARY = "canary-4711"

AMBIENT = {
    "Authorization": f"Bearer {CANARY}",
    "Cookie": f"session={CANARY}",
    "Proxy-Authorization": f"Basic {CANARY}",
    "X-Api-Key": CANARY,
    "X-Forwarded-For": CANARY,
    "traceparent": f"00-{CANARY}",
}

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": CANARY, "version": CANARY},
    "io.modelcontextprotocol/clientCapabilities": {},
    "traceparent": CANARY,
    "token": CANARY,
}


def post(origin: str, message: Any, timeout: float = 30, **headers: str) -> httpx.Response:
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return httpx.post(f"{origin}/mcp", content=body, headers={**accept, **headers}, timeout=timeout)


def message(era: str) -> Any:
    params = {"name": "pets_getById", "arguments": {"id": 1}}
    params["_meta"] = META if era == "auto" else {"token": CANARY}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def versions(era: str) -> dict[str, str]:
    if era == "legacy":
        return {"Mcp-Protocol-Version": "2025-11-25"}
    return {
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "pets_getById",
    }


@pytest.mark.parametrize("era", ERAS)
def test_nothing_of_a_client_reaches_the_api(era: str) -> None:
    """Headers, cookies, tokens and metadata of a client are not in the request of the API; its own credential is."""
    api = Api()
    with served(mcp.asgi(application(), api.connection(), client_token=CANARY * 2)) as origin:
        ambient = {**AMBIENT, "Authorization": f"Bearer {CANARY * 2}"}
        response = post(origin, message(era), **ambient, **versions(era))
    assert response.status_code == 200, response.text
    assert "Rex" in response.text
    (request,) = api.requests
    assert CANARY not in f"{request.url} {request.headers.raw} {request.content!r}"
    assert request.headers["authorization"] == "Bearer own-token"


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_over_http(era: str) -> None:
    """The official client lists and calls over streamable HTTP."""
    api = Api()
    with served(mcp.asgi(application(), api.connection())) as origin:
        result = call(f"{origin}/mcp", era, "pets_getById", {"id": 1})
    assert text(result) == '{"status":200,"data":{"name":"Rex"}}'


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff", b'{"jsonrpc":"2.0"}', b"[" * 100_000, b'{"id":1}']
)
@pytest.mark.parametrize("era", ERAS)
def test_malformed_messages_are_refused(era: str, body: bytes) -> None:
    """A malformed message is an error of the client, without the text of an exception; the server goes on."""
    with served(mcp.asgi(application(), Api().connection())) as origin:
        response = post(origin, body, **versions(era))
        assert 400 <= response.status_code < 500
        assert "Traceback" not in response.text
        assert "site-packages" not in response.text
        assert post(origin, message(era), **versions(era)).status_code == 200


def test_the_server_refuses_other_hosts_and_origins() -> None:
    """The guard protects the whole application, also paths that do not exist."""
    with served(mcp.asgi(application(), Api().connection())) as origin:
        assert post(origin, message("legacy"), Host="evil.example").status_code == 421
        assert post(origin, message("legacy"), Origin="https://evil.example").status_code == 403
        assert httpx.get(f"{origin}/other", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_disconnects_ends_the_request(era: str) -> None:
    """Over HTTP, the request to the API ends when the client closes its connection."""
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
    with served(mcp.asgi(application(), Api().connection(async_client=client))) as origin:
        with pytest.raises(httpx.ReadTimeout):
            post(origin, message(era), timeout=1, **versions(era))
        assert begun.is_set()
        assert cancelled.wait(20)


def test_cancelling_a_call_closes_its_request() -> None:
    """A client that cancels a call ends the request to the API."""
    cancelled = asyncio.Event()

    async def handle(_: httpx.Request) -> httpx.Response:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return httpx.Response(200)

    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    server = mcp.server(application(), Api().connection(async_client=client))

    async def leave(peer: Any) -> bool:
        waiting = asyncio.ensure_future(peer.call_tool("pets_getById", {"id": 1}))
        await asyncio.sleep(0.2)
        waiting.cancel()
        return await asyncio.wait_for(cancelled.wait(), 10)

    for era in ERAS:
        cancelled.clear()
        assert talk(server, era, leave)
