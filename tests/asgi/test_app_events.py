"""X15: streams of events of an ASGI application in this process."""

import asyncio
import itertools
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import specfn
from specfn import Connection
from specfn.errors import LimitError, TransportError

EVENTS = {"text/event-stream": {"schema": {"type": "object"}}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Ticks", "version": "1"},
    "paths": {
        f"/{name}": {"get": {"responses": {"200": {"description": "", "content": EVENTS}}}}
        for name in ("few", "endless", "stalling", "broken", "silent")
    },
}


class Ticks:
    """An ASGI application that sends events, and notices if their reader leaves."""

    def __init__(self) -> None:
        self.left = threading.Event()
        self.sent = 0

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        assert scope["type"] == "http"
        name = scope["path"].removeprefix("/")
        if name == "openapi.json":
            await send(self._start(b"application/json"))
            await send({"type": "http.response.body", "body": json.dumps(DOCUMENT).encode()})
            return
        if name == "silent":
            return
        await send(self._start(b"text/event-stream; charset=utf-8"))
        try:
            for number in itertools.count() if name == "endless" else range(3):
                body = b'data: {"n":%d}\n\n' % number
                await send({"type": "http.response.body", "body": body, "more_body": True})
                self.sent += 1
            if name == "stalling":
                await asyncio.sleep(60)
            assert name != "broken"
            await send({"type": "http.response.body"})
        except asyncio.CancelledError:
            self.left.set()
            raise

    def _start(self, media_type: bytes) -> Any:
        headers = [(b"content-type", media_type)]
        return {"type": "http.response.start", "status": 200, "headers": headers}


@pytest.fixture
def ticks() -> Iterator[tuple[specfn.Application, Connection, Ticks]]:
    served = Ticks()
    app, connection = specfn.from_asgi(served)
    yield app, connection, served
    connection.close()


FEW = [{"n": 0}, {"n": 1}, {"n": 2}]


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(
    ("name", "limits", "note"),
    [
        ("few", {}, ""),
        ("endless", {"max_events": 3}, "max_events is reached"),
        ("stalling", {"timeout": {"read": 0.2}}, "the server sent nothing for 0.2 s"),
        ("stalling", {"timeout": {"total": 0.3}}, "not finished within 0.3 s"),
        ("broken", {}, "the server closed the connection"),
    ],
)
def test_events_of_an_application(ticks: Any, way: str, name: str, limits: Any, note: str) -> None:
    """X15: the events until a limit or a fault are a result, as over the wire, and the request ends."""
    app, connection, served = ticks
    limited = connection.model_copy(update=limits)
    if way == "sync":
        result = app.execute(f"GET /{name}", {}, limited)
    else:
        result = asyncio.run(app.aexecute(f"GET /{name}", {}, limited))
    assert [each["data"] for each in result.data] == FEW
    assert note in " ".join(each.text for each in result.notes)
    assert result.truncated is bool(note)
    assert name not in {"endless", "stalling"} or served.left.wait(20)


def test_an_iteration_ends_the_request(ticks: Any) -> None:
    """X15: the application waits for its reader, and its request ends with the iteration."""
    app, connection, served = ticks
    with app.execute("GET /endless", {}, connection, stream=True) as stream:
        assert [next(stream).data for _ in range(3)] == FEW
        assert served.sent < 20
    assert served.left.wait(20)
    assert [each.data for each in app.execute("GET /few", {}, connection, stream=True)] == FEW

    async def read() -> list[Any]:
        async with await app.aexecute("GET /endless", {}, connection, stream=True) as events:
            return [(await anext(events)).data for _ in range(3)]

    served.left.clear()
    assert asyncio.run(read()) == FEW
    assert served.left.wait(20)


def test_faults_of_an_iteration(ticks: Any) -> None:
    """X15: a broken stream raises after its events; an application without a response is a transport error."""
    app, connection, _ = ticks
    found: list[Any] = []
    with pytest.raises(TransportError):
        found.extend(each.data for each in app.execute("GET /broken", {}, connection, stream=True))
    assert found == FEW
    with pytest.raises(TransportError):
        app.execute("GET /silent", {}, connection, stream=True)
    few = connection.model_copy(update={"max_events": 2})
    with pytest.raises(LimitError, match="after 2 events"):
        list(app.execute("GET /endless", {}, few, stream=True))


def test_a_stream_within_the_loop_of_the_application() -> None:
    """X15: an asynchronous caller in the loop of the application reads its events."""

    async def read() -> list[Any]:
        served = Ticks()
        app, connection = specfn.from_asgi(served)
        stream = await app.aexecute("GET /few", {}, connection, stream=True)
        found = [each.data async for each in stream]
        await connection.aclose()
        return found

    assert asyncio.run(read()) == FEW
