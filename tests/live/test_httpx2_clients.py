"""Clients of httpx2 send the calls of a connection like those of httpx (rule X6)."""

import asyncio
import gzip
import logging
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from tests.http.conftest import Loopback, http_answer, listen

import specfn
from specfn.errors import TransportError, UsageError

CANARY = "canary-4711"

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/x": {
            "get": {"security": [{"key": []}], "responses": {"200": {}}},
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {}}}},
                "responses": {"200": {}},
            },
        }
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "k"}}},
}
APP = specfn.load(DOCUMENT)


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client() as client:
        yield client


@pytest.fixture
def server() -> Iterator[Loopback]:
    server, stop = listen()
    yield server
    stop()


def call(place: str, arguments: Any, server: Loopback, *, is_async: bool, **client: Any) -> Any:
    """Call an operation with a client of httpx2 that has some settings."""
    if not is_async:
        with httpx2.Client(**client) as own:
            connection = specfn.Connection(base_url=server.url, client=own)
            return APP.execute(place, arguments, connection)

    async def run() -> Any:
        async with httpx2.AsyncClient(**client) as own:
            connection = specfn.Connection(base_url=server.url, async_client=own)
            return await APP.aexecute(place, arguments, connection)

    return asyncio.run(run())


@pytest.mark.parametrize("is_async", [False, True])
def test_its_authentication_and_bodies(server: Loopback, *, is_async: bool) -> None:
    """The authentication of a client is enough; bodies and compressed responses are those of any call."""
    server.respond = lambda _: http_answer(gzip.compress(b"[1]"), Content_Encoding="gzip")
    result = call("GET /x", {}, server, is_async=is_async, auth=("u", "p"))
    assert result.data == [1]
    assert server.head["authorization"][0].startswith("Basic ")
    header = {"Authorization": "Own 1", "X-Other": "1"}
    call("POST /x", {"body": {"a": 1}}, server, is_async=is_async, headers=header)
    assert server.head["authorization"] == ["Own 1"]
    assert "x-other" not in server.head
    assert server.body == b'{"a":1}'


@pytest.mark.parametrize("is_async", [False, True])
def test_its_secrets_are_masked(
    server: Loopback,
    client: httpx2.Client,
    caplog: pytest.LogCaptureFixture,
    *,
    is_async: bool,
) -> None:
    """What a client adds is masked in what the server repeats, and no query is in the log."""
    server.respond = lambda _: http_answer(f'["{CANARY}"]'.encode())
    header = {"Authorization": f"Bearer {CANARY}"}
    with caplog.at_level(logging.INFO):
        result = call("GET /x", {}, server, is_async=is_async, headers=header)
        connection = specfn.Connection(
            base_url=server.url, client=client, credentials={"key": CANARY}
        )
        APP.execute("GET /x", {}, connection)
    assert CANARY not in result.for_model()
    assert CANARY not in caplog.text


def test_its_errors_are_errors_of_calls(server: Loopback, client: httpx2.Client) -> None:
    """A failure of httpx2 is a TransportError, before and after the first bytes of a response."""

    def fail(request: Any) -> Any:
        raise httpx2.ConnectError("refused", request=request)

    failing = httpx2.Client(transport=httpx2.MockTransport(fail))
    connection = specfn.Connection(base_url=server.url, client=failing, anonymous=True)
    with pytest.raises(TransportError, match="could not connect") as caught:
        APP.execute("GET /x", {}, connection)
    assert not caught.value.sent
    server.respond = lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1"]
    own = specfn.Connection(base_url=server.url, client=client, anonymous=True)
    with pytest.raises(TransportError) as broken:
        APP.execute("GET /x", {}, own)
    assert broken.value.sent


def test_events_arrive_one_by_one(server: Loopback, client: httpx2.Client) -> None:
    """Streams are read from the client's response."""
    server.respond = lambda _: http_answer(
        b"data: 1\n\ndata: 2\n\n", media_type="text/event-stream"
    )
    connection = specfn.Connection(base_url=server.url, client=client, anonymous=True)
    with APP.execute("GET /x", {}, connection, stream=True) as events:
        assert [event.data for event in events] == ["1", "2"]


def test_a_response_that_a_hook_has_read(server: Loopback) -> None:
    """A hook of the client may read the response before."""
    server.respond = lambda _: http_answer(gzip.compress(b"[1]"), Content_Encoding="gzip")
    hooks: dict[str, Any] = {"response": [lambda response: response.read()]}
    assert call("GET /x", {}, server, is_async=False, auth=("u", "p"), event_hooks=hooks).data == [
        1
    ]


def test_sync_and_async_clients_are_not_mixed_up() -> None:
    """Each kind of client has its own field."""
    with pytest.raises(UsageError, match="client"):
        specfn.Connection(client=httpx2.AsyncClient())
    with pytest.raises(UsageError, match="async_client"):
        specfn.Connection(async_client=httpx2.Client())
