"""What a server says beyond its answer is nobody's answer: the next call of the connection gets its own."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import httpcore
import httpx
import pytest

from specfn import Connection
from specfn.errors import TransportError
from specfn.http.transport import pool, send
from specfn.network import sockets

STOLEN = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"id": 99}'
)


@pytest.fixture(params=["sync", "async", "client", "async client"])
def ask(request: Any, make: Any, loopback: Any) -> Iterator[Callable[[], list[Any]]]:
    """Four calls, one after another, of one connection."""
    ours = Connection(base_url=loopback.url)
    with asyncio.Runner() as runner, httpx.Client() as client:
        async_client = httpx.AsyncClient()

        async def awaited(connection: Connection) -> list[Any]:
            return [(await send.apropagate(make(), {}, connection)).data for _ in range(4)]

        def several() -> list[Any]:
            if request.param == "async":
                return runner.run(awaited(ours))
            if request.param == "async client":
                return runner.run(awaited(ours.model_copy(update={"async_client": async_client})))
            own = ours.model_copy(update={"client": client}) if request.param == "client" else ours
            return [send.propagate(make(), {}, own).data for _ in range(4)]

        yield several
        runner.run(async_client.aclose())


@pytest.mark.parametrize(
    "rest",
    [STOLEN, STOLEN * 3, STOLEN[:20], b"the rest of a body", b"\r\n\r\n", b"0\r\n\r\n", b"x" * 70_000],
    ids=["an answer", "answers", "half an answer", "text", "blank lines", "a chunk", "much"],
)  # fmt: skip
def test_each_call_gets_its_own_answer(
    ask: Callable[[], list[Any]], loopback: Any, http: Any, rest: bytes
) -> None:
    """A second answer, or the rest of a longer one, is neither given to the next call nor in its way."""

    def respond(_: bytes) -> bytes:
        count = len(loopback.requests)
        return http(b'{"id": %d}' % count) + (rest if count % 2 else b"")

    loopback.respond = respond
    assert ask() == [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]
    assert len(loopback.requests) == 4


def test_a_clean_connection_is_kept(ask: Callable[[], list[Any]], loopback: Any, http: Any) -> None:
    """An answer that ends where it says it does costs no connection."""
    loopback.respond = lambda _: http(b"{}")
    assert ask() == [{}] * 4
    assert loopback.connections == 1


@pytest.mark.parametrize("part", ["_is_to_close", "Exchange.next"])
@pytest.mark.parametrize("ask", ["sync", "async"], indirect=True)
def test_either_guard_is_enough(
    ask: Callable[[], list[Any]],
    loopback: Any,
    http: Any,
    monkeypatch: pytest.MonkeyPatch,
    part: str,
) -> None:
    """The pool is told to close a socket with a rest; if it does not ask, the socket refuses the next request."""
    if part == "_is_to_close":
        monkeypatch.setattr(sockets, part, lambda *_: False)
    else:
        genuine = sockets.Exchange.next
        monkeypatch.setattr(
            sockets.Exchange,
            "next",
            lambda self: genuine(self) if self.is_over else sockets.Exchange(),
        )
    loopback.respond = lambda _: http(b'{"id": %d}' % len(loopback.requests)) + STOLEN
    assert ask() == [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]
    assert loopback.connections == 4


@pytest.mark.parametrize("ask", ["client", "async client"], indirect=True)
def test_where_a_client_cannot_be_looked_into_its_sockets_are_closed(
    ask: Callable[[], list[Any]], loopback: Any, http: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the bytes of a caller's client cannot be counted, each response has a socket of its own."""
    monkeypatch.setattr(pool, "_OPENED", ("nothing",))
    loopback.respond = lambda _: http(b'{"id": %d}' % len(loopback.requests)) + STOLEN
    assert ask() == [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]
    assert loopback.connections == 4


@pytest.mark.parametrize("ask", ["sync", "async"], indirect=True)
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 204 No\r\n\r\n",
        b"HTTP/1.1 304 Same\r\nContent-Length: 99\r\n\r\n",
        b"HTTP/1.1 103 Hint\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n01\r\n}\r\n0\r\nA: b\r\n\r\n",
    ],
    ids=["204", "304", "interim", "line feeds", "chunks"],
)
def test_every_framing_keeps_its_socket(
    ask: Callable[[], list[Any]], loopback: Any, answer: bytes
) -> None:
    """Wherever the end of a response can be known, the socket serves the next call."""
    loopback.respond = lambda _: answer
    ask()
    assert (len(loopback.requests), loopback.connections) == (4, 1)


def test_heads_are_bounded(loopback: Any, make: Any) -> None:
    """A flood of interim responses ends as an error of the protocol, long before the call's time is over."""
    loopback.respond = lambda _: itertools.repeat(b"HTTP/1.1 103 Hint\r\nLink: x\r\n\r\n" * 1_000)
    connection = Connection(base_url=loopback.url, timeout={"total": 60})
    for call in (send.propagate, lambda *given: asyncio.run(send.apropagate(*given))):
        with pytest.raises(TransportError, match="is not HTTP"):
            call(make(), {}, connection)


@pytest.mark.parametrize("is_reused", [False, True])
def test_no_more_than_a_bounded_head_is_taken(is_reused: bool) -> None:  # noqa: FBT001
    """What arrives before a response begins is at most 256 KiB, on every socket."""
    exchange = sockets.Exchange(is_reused=is_reused)
    taken = 0
    with contextlib.suppress(httpcore.RemoteProtocolError):
        for taken in range(0, 1_000_000, 1_000):  # noqa: B007
            exchange.receive(b"x" * 1_000)
    assert 100_000 < taken <= 256 * 1024
