"""T24: no answer takes more memory or more time than the connection allows."""

import asyncio
import contextlib
import gzip
import itertools
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import httpcore
import pytest

import specfn
from specfn import Connection
from specfn.errors import TransportError
from specfn.network.sockets import Exchange


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.apropagate(function, given, connection))


@pytest.fixture(params=[specfn.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Any]:
    return request.param


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"


def endless(_: bytes) -> Iterator[bytes]:
    """Chunks without end; the server stops when nobody listens any more."""
    yield CHUNKED + b"\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    yield from itertools.repeat(chunk)


def bomb(_: bytes) -> Iterator[bytes]:
    """Ten gigabytes of zeros, a thousand to one."""
    yield CHUNKED + b"Content-Encoding: gzip\r\n\r\n"
    compressor = zlib.compressobj(9, wbits=31)
    block = b"\0" * 0x100000
    for _ in range(10_000):
        piece = compressor.compress(block)
        if piece:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)


@pytest.mark.parametrize("respond", [endless, bomb])
def test_endless_answers(call: Callable[..., Any], make: Any, loopback: Any, respond: Any) -> None:
    """An answer without end is cut at the limit, and costs little more than the limit."""
    loopback.respond = respond
    connection = Connection(base_url=loopback.url, max_bytes=2_000_000)
    tracemalloc.start()
    result = call(make(), {}, connection)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(result.data), result.truncated) == (2_000_000, True)
    assert peak < 20_000_000


EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def packed(line: bytes) -> Callable[[bytes], Iterator[bytes]]:
    """Events without end, or lines that end none, a thousand to one."""

    def respond(_: bytes) -> Iterator[bytes]:
        yield EVENTS + b"Content-Encoding: gzip\r\n\r\n"
        yield from itertools.repeat(gzip.compress(line * 200_000, 1))

    return respond


@pytest.mark.parametrize("line", [b"data:{}\n\n", b"\n", b":\n", b"data:x\n"])
def test_endless_events(call: Callable[..., Any], make: Any, loopback: Any, line: bytes) -> None:
    """A stream without end is cut at the limit of events, and costs little more than its events."""
    loopback.respond = packed(line)
    connection = Connection(
        base_url=loopback.url, max_events=1_000, max_bytes=1_000_000, timeout=20
    )
    tracemalloc.start()
    result = call(make(), {}, connection)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    count = 1_000 if line.startswith(b"data:{") else 0
    assert (len(result.data), result.truncated) == (count, True)
    assert peak < 20_000_000


def test_endless_headers(call: Callable[..., Any], make: Any, loopback: Any) -> None:
    """Headers are bounded by the client; an answer that is only headers is an error."""

    def respond(_: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        yield from itertools.repeat(b"X-A: " + b"x" * 1_000 + b"\r\n")

    loopback.respond = respond
    with pytest.raises(TransportError):
        call(make(), {}, Connection(base_url=loopback.url))


#: What a slow server begins with, and what it goes on with.
SLOW = {
    "status line": (b"", b"H"),
    "headers": (b"HTTP/1.1 200 OK\r\nX-A: ", b"x"),
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x"),
    "chunks": (CHUNKED + b"\r\n", b"1\r\nx\r\n"),
    "chunk extension": (CHUNKED + b"\r\n1;a=", b"x"),
}


@pytest.mark.parametrize("kind", SLOW)
def test_slow_answers(call: Callable[..., Any], make: Any, loopback: Any, kind: str) -> None:
    """A server that sends a little now and then holds a call no longer than its total timeout."""
    head, piece = SLOW[kind]
    said: list[bytes] = []

    def drip(_: bytes) -> Iterator[bytes]:
        """One piece every few milliseconds: never silent, and done when nobody waits any more."""
        yield head
        for _ in range(100):
            time.sleep(0.02)
            said.append(piece)
            yield piece

    loopback.respond = drip
    connection = Connection(base_url=loopback.url, timeout={"read": 5, "total": 0.3})
    if b"\r\n\r\n" in head:
        result = call(make(), {}, connection)
        assert result.truncated
        assert "not finished within 0.3 s" in result.notes[-1].text
    else:
        with pytest.raises(TransportError, match=r"not finished within 0\.3 s"):
            call(make(), {}, connection)
    assert len(said) < 100


def test_a_server_that_only_listens(call: Callable[..., Any], make: Any) -> None:
    """A server that accepts and never answers ends with the timeout, and so does one over TLS."""
    # httpcore leaves a socket to the garbage collector if a TLS handshake is cancelled, which warns
    schemes = ("http", "https") if call is specfn.propagate else ("http",)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for scheme in schemes:
            connection = Connection(base_url=f"{scheme}://127.0.0.1:{port}", timeout={"total": 0.3})
            with pytest.raises(TransportError, match=r"not finished within 0\.3 s"):
                call(make(), {}, connection)


class HangingResolver:
    """A resolver that does not respond until the test is over, or for 5 seconds.

    Attributes:
        asked: the names that were looked up.
        responses: the number of lookups that are over.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self.responses = 0
        self.end = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: str, *_: Any, **__: Any) -> Any:
        self.asked.append(host)
        self.end.wait(5)
        self.responses += 1
        raise socket.gaierror("no such host")


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingResolver]:
    hanging = HangingResolver(monkeypatch)
    yield hanging
    hanging.end.set()
    for thread in threading.enumerate():
        if thread.name == "specfn resolver":
            thread.join()


@pytest.mark.parametrize(
    ("timeout", "reason"),
    [
        ({"total": 0.3}, "not finished within 0.3 s"),
        ({"connect": 0.3}, "no connection within 0.3 s"),
    ],
    ids=["total", "connect"],
)
def test_a_resolver_that_hangs(
    call: Callable[..., Any],
    make: Any,
    resolver: HangingResolver,
    timeout: dict[str, float],
    reason: str,
) -> None:
    """T24: the resolution of a name is part of the time of a call, and the end of a loop does not wait for it."""
    connection = Connection(base_url="http://slow.example", timeout=timeout)
    with pytest.raises(TransportError, match=reason):
        call(make(), {}, connection)
    assert (resolver.asked, resolver.responses) == (["slow.example"], 0)


def test_a_hanging_lookup_is_shared(
    call: Callable[..., Any], make: Any, resolver: HangingResolver
) -> None:
    """T24: calls to a host whose lookup hangs wait for the same lookup, so they do not occupy a thread each."""
    connection = Connection(base_url="http://slow.example", timeout={"total": 0.1})
    for _ in range(5):
        with pytest.raises(TransportError):
            call(make(), {}, connection)
    assert resolver.asked == ["slow.example"]


def test_the_addresses_of_a_host_share_the_time(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """T24: each of many addresses that do not respond gets what the others left of the time of the call."""
    addresses = [f"192.0.2.{number}" for number in range(20)]
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 80)) for each in addresses]
    given: list[float] = []

    def connect(_: Any, timeout: float, **__: Any) -> None:
        given.append(timeout)
        time.sleep(0.1)
        raise TimeoutError

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: entries)
    monkeypatch.setattr(socket, "create_connection", connect)
    connection = Connection(base_url="http://many.example", timeout={"total": 0.25})
    with pytest.raises(TransportError, match=r"not finished within 0\.25 s"):
        specfn.propagate(make(), {}, connection)
    assert len(given) <= 3
    assert given == sorted(given, reverse=True)


def test_a_server_that_reads_slowly(call: Callable[..., Any], make: Any, declare_body: Any) -> None:
    """T24: a server that takes a long body in small parts does not hold a call longer than its total timeout."""
    received: list[int] = []
    content = "x" * 60_000_000
    is_over = threading.Event()

    def read(listener: socket.socket) -> None:
        with listener.accept()[0] as accepted, contextlib.suppress(ConnectionError):
            while not is_over.wait(0.002):
                received.append(len(accepted.recv(65_536)))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        reader = threading.Thread(target=read, args=(listener,), daemon=True)
        reader.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        function = make("/x", "post", body=declare_body())
        with pytest.raises(TransportError, match=r"not finished within 0\.3 s"):
            call(function, {"body": content}, Connection(base_url=url, timeout={"total": 0.3}))
        is_over.set()
        reader.join()
        assert sum(received) < len(content) / 2


def test_pauses_count(
    call: Callable[..., Any], make: Any, loopback: Any, http: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause that is longer than the rest of the call's time is not begun: the answer is what it is."""
    for library in (time, asyncio):
        monkeypatch.setattr(library, "sleep", lambda _: pytest.fail("the call pauses"))
    loopback.respond = lambda _: http(b"", "503 Busy", Retry_After="120")
    connection = Connection(base_url=loopback.url, retries=10, timeout={"total": 60})
    assert call(make(), {}, connection).status == 503
    assert len(loopback.requests) == 1


def flood(piece: bytes) -> Callable[[bytes], Iterator[bytes]]:
    """The same again and again, as fast as it is read."""
    return lambda _: itertools.repeat(piece * (0x10000 // len(piece)))


FLOODS = {
    "interim answers": flood(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "early hints": flood(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "blank lines": flood(b"\r\n"),
    "status line": flood(b"H"),
    "chunk extension": lambda _: itertools.chain([CHUNKED + b"\r\n1;a="], flood(b"x")(b"")),
    "chunk size": lambda _: itertools.chain([CHUNKED + b"\r\n"], flood(b"0")(b"")),
    "trailers": lambda _: itertools.chain([CHUNKED + b"\r\n0\r\n"], flood(b"X-A: b\r\n")(b"")),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_floods_of_what_is_no_content(
    call: Callable[..., Any], make: Any, loopback: Any, kind: str
) -> None:
    """What surrounds an answer is bounded as well: a flood of it is an error, and takes no memory."""
    loopback.respond = FLOODS[kind]
    tracemalloc.start()
    with pytest.raises(TransportError):
        call(make(), {}, Connection(base_url=loopback.url, timeout={"total": 0.5}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_small_members_without_end(call: Callable[..., Any], make: Any, loopback: Any) -> None:
    """Gzip members that hold nothing, one after another, give no content and end with the call's time."""
    empty = gzip.compress(b"")
    piece = empty * (0x10000 // len(empty))
    head = CHUNKED + b"Content-Encoding: gzip\r\n\r\n"
    chunk = b"%x\r\n%s\r\n" % (len(piece), piece)
    loopback.respond = lambda _: itertools.chain([head], itertools.repeat(chunk))
    result = call(make(), {}, Connection(base_url=loopback.url, timeout={"total": 0.5}))
    assert (result.data, result.truncated) == (None, True)
    assert "not finished within" in result.notes[-1].text


#: One interim response of a kibibyte, and the most of them that a response may begin with.
INTERIM = b"HTTP/1.1 103 Early Hints\r\nX-A: " + b"x" * 989 + b"\r\n\r\n"
MOST = 256


@pytest.mark.parametrize("count", [MOST - 2, MOST + 80])
def test_heads_are_bounded_together(
    call: Callable[..., Any], make: Any, loopback: Any, http: Any, count: int
) -> None:
    """All heads of a response have 256 KiB: interim ones that are each small are an error beyond it."""
    loopback.respond = lambda _: INTERIM * count + http(b"{}")
    assert len(INTERIM) == 1_024
    connection = Connection(base_url=loopback.url)
    if count < MOST:
        assert call(make(), {}, connection).status == 200
        return
    with pytest.raises(TransportError):
        call(make(), {}, connection)


def test_the_bound_of_heads_is_exact() -> None:
    """Of a head that does not end, 256 KiB are taken and not one byte more."""
    exchange = Exchange()
    assert len(exchange.receive(b"x" * 256 * 1_024)) == 256 * 1_024
    with pytest.raises(httpcore.RemoteProtocolError, match="headers of the response are too long"):
        exchange.receive(b"x")
