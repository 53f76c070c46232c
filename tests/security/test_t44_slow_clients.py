"""T44: slow, idle or many clients of a server on this machine neither starve others nor fill the log."""

import asyncio
import errno
import logging
import re
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import document, process  # noqa: F401  # fixtures

from specfn.http_server import listen
from specfn.http_server.listen import bind_socket, build_server

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HALF + b"\r\n"
BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"


async def hello(scope: Any, receive: Any, send: Any) -> None:
    """Read a request, and respond."""
    assert scope["type"] == "http"
    while (await receive()).get("more_body"):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
    )
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def serving(app: Any = hello) -> AsyncIterator[int]:
    """Serve an application in this event loop; the value is its port."""
    with bind_socket("127.0.0.1", 0, "--port 0") as bound:
        server = build_server(app)
        server.config.lifespan = "off"
        running = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
            await asyncio.sleep(0.01)
        with listen.limit_logs():
            yield bound.getsockname()[1]
        server.should_exit = server.force_exit = True
        await running


async def connect(port: int, content: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(content)
    return reader, writer


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Everything that a server sends until it closes the connection; it has five seconds."""
    async with asyncio.timeout(5):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def change(**values: float) -> None:
        for name, value in values.items():
            monkeypatch.setattr(listen, name, value)

    return change


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        (b"", b""),
        (HALF, b""),
        (b"GET /", b"x" * 200),
        (HALF, b"X: y\r\n" * 50),
        (WHOLE + HALF, b"x" * 200),
    ],
    ids=["silent", "half", "trickling line", "trickling headers", "second request"],
)
def test_headers_have_a_time_limit(
    limits: Callable[..., None], content: bytes, pieces: bytes
) -> None:
    """T44: a client that does not complete the headers of a request is disconnected, even if it keeps sending."""
    limits(MAX_HEADER_SECONDS=0.3, MAX_IDLE_SECONDS=60)
    sent = 0

    async def trickle(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        for piece in pieces:
            writer.write(bytes([piece]))
            await asyncio.sleep(0.05)
            sent += 1

    async def run() -> bytes:
        async with serving() as port:
            reader, writer = await connect(port, content)
            trickling = asyncio.create_task(trickle(writer))
            received = await rest(reader)
            trickling.cancel()
            writer.close()
            return received

    received = asyncio.run(run())
    assert received.count(b"hello") == content.count(WHOLE)
    assert sent < 200


def test_a_body_has_a_time_limit(limits: Callable[..., None]) -> None:
    """T44: a client that does not complete the body of a request is disconnected."""
    limits(MAX_BODY_SECONDS=0.3)

    async def run() -> bytes:
        async with serving() as port:
            reader, writer = await connect(port, BODY + b"x")
            received = await rest(reader)
            writer.close()
            return received

    assert b"hello" not in asyncio.run(run())


def test_a_response_has_no_time_limit(limits: Callable[..., None]) -> None:
    """T44: the limits are for requests; a response may take longer than all of them together."""
    limits(MAX_HEADER_SECONDS=0.1, MAX_BODY_SECONDS=0.1, MAX_IDLE_SECONDS=0.1)

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.wait([asyncio.create_task(receive())], timeout=0.5)
        await hello(scope, lambda: asyncio.sleep(0, {"type": "http.request"}), send)

    async def run() -> bytes:
        async with serving(slow) as port:
            reader, writer = await connect(port, WHOLE)
            received = await rest(reader)
            writer.close()
            return received

    assert asyncio.run(run()).endswith(b"hello")


def test_those_that_waited_longest_make_room(
    limits: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    """T44: with too many connections, the oldest without a request are closed; requests are still answered."""
    limits(MAX_CONNECTIONS=5)

    async def run() -> tuple[list[bytes], bytes]:
        async with serving() as port:
            halves = [await connect(port, HALF) for _ in range(20)]
            closed = [await rest(reader) for reader, _ in halves[:15]]
            reader, writer = await connect(port, WHOLE)
            async with asyncio.timeout(5):
                line = await reader.readline()
            for _, each in (*halves, (None, writer)):
                each.close()
            return closed, line

    closed, line = asyncio.run(run())
    assert closed == [b""] * 15
    assert line == b"HTTP/1.1 200 OK\r\n"
    assert [each.message for each in caplog.records if each.levelno >= logging.WARNING] == [
        "too many connections: those that waited longest are closed"
    ]


def test_requests_in_progress_are_not_closed(limits: Callable[..., None]) -> None:
    """T44: if all connections have a request in progress, a new connection is closed, and none of the others."""
    limits(MAX_CONNECTIONS=3)
    go_on = asyncio.Event()

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        await go_on.wait()
        await hello(scope, receive, send)

    async def run() -> tuple[bytes, list[bytes]]:
        async with serving(waiting) as port:
            busy = [await connect(port, WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
                    for _ in range(3)]  # fmt: skip
            await asyncio.sleep(0.2)
            refused, one = await connect(port, WHOLE)
            nothing = await rest(refused)
            go_on.set()
            received = [await rest(reader) for reader, _ in busy]
            for _, each in (*busy, (None, one)):
                each.close()
            return nothing, received

    nothing, received = asyncio.run(run())
    assert nothing == b""
    assert all(each.endswith(b"hello") for each in received)


def test_headers_are_bounded(limits: Callable[..., None]) -> None:
    """T44: headers that do not end are refused when they exceed the limit."""
    limits(MAX_HEADER_BYTES=2_000, MAX_HEADER_SECONDS=60)

    async def run() -> bytes:
        async with serving() as port:
            reader, writer = await connect(port, HALF + b"X: " + b"y" * 30_000)
            received = await rest(reader)
            writer.close()
            return received

    received = asyncio.run(run())
    assert not received or received.startswith(
        b"HTTP/1.1 400 "
    )  # a reset may overtake the response


def test_a_server_without_descriptors_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """T44: connections that cannot be accepted are one line of the log, and invalid requests are another."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with serving() as port:
            for _ in range(50):
                error = OSError(errno.EMFILE, "Too many open files")
                loop.call_exception_handler({"message": "socket.accept()", "exception": error})
                reader, writer = await connect(port, b"?\r\n\r\n")
                await rest(reader)
                writer.close()

    asyncio.run(run())
    lines = [each.message for each in caplog.records if each.levelno >= logging.WARNING]
    assert lines == [
        "a new connection waits, because all file descriptors are in use",
        "Invalid HTTP request received.",
    ]


@pytest.mark.parametrize(
    "command", [("ui", "--port", "0"), ("serve", "--http", "127.0.0.1:0")], ids=["ui", "serve"]
)
def test_half_requests_do_not_starve_others(
    process: Callable[..., Any],  # noqa: F811  # the fixture
    document: Callable[..., Path],  # noqa: F811  # likewise
    command: tuple[str, ...],
) -> None:
    """T44: with 128 descriptors and 200 half requests, the next request is answered, and the log has few lines."""
    name, *options = command
    base = ("--base-url", "http://127.0.0.1:9")
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))  # noqa: E731
    running = process(name, document({"/x": {"get": {}}}), *base, *options, preexec_fn=limit)
    try:
        address = None
        while address is None:
            line = running.stderr.readline()
            assert line, "the server ended"
            address = re.search(r"http://(127\.0\.0\.1):([1-9][0-9]+)/", line.partition(" at ")[2])
        where = (address[1], int(address[2]))
        halves = [socket.create_connection(where, timeout=30) for _ in range(200)]
        for half in halves:
            half.sendall(HALF)
        with socket.create_connection(where, timeout=30) as whole:
            whole.sendall(f"GET / HTTP/1.1\r\nHost: {where[0]}:{where[1]}\r\n\r\n".encode())
            status = whole.recv(100)
        for half in halves:
            half.close()
    finally:
        running.terminate()
        _, log = running.communicate(timeout=30)
    assert status.startswith(b"HTTP/1.1 4")
    assert "Traceback" not in log
    assert len(log.splitlines()) <= 4
