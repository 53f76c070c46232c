import asyncio
import threading
from typing import Any

import httpx
import pytest
from tests.mcp.http_support import message, post, versions
from tests.mcp.server_support import ERAS, Api, application, call, served, talk, text

from specfn import mcp


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


@pytest.mark.parametrize("era", ERAS)
def test_cancelling_a_call_closes_its_request(era: str) -> None:
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

    assert talk(server, era, leave)
