"""A server that does its work badly, one request in twenty, and remembers everything that it was asked.

The number in the path of a request decides what becomes of it, so that a run can be repeated: numbers
that 20 divides meet one fault after another, the others are answered. It is a process of its own
(``python -m tests.http.faulty`` prints its port): in one with those who call, both would wait for the lock
of the interpreter most of the time.
"""

import asyncio
import gzip
import itertools
import json
import socket
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

_ROOT: Final = Path(__file__).parent.parent.parent

#: One call in so many meets a fault.
EVERY: Final = 20

#: How long a fault that is slow goes on; callers must have left before.
_SLOWLY: Final = 30.0

_JSON: Final = b"Content-Type: application/json\r\n"
_OK: Final = b"HTTP/1.1 200 OK\r\n" + _JSON


@dataclass(frozen=True)
class Faulty:
    """The server, seen from outside.

    Attributes:
        url: its origin.
    """

    url: str

    def asked(self) -> dict[tuple[str, int], int]:
        """How often each request came, by method and number."""
        told = httpx.get(f"{self.url}/asked", trust_env=False).json()
        return {(method, number): times for method, number, times in told}


async def _reset(writer: asyncio.StreamWriter, _: int) -> AsyncIterator[bytes]:
    """The connection is gone, without a word."""
    own: socket.socket = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return
    yield b""


def _says_then_resets(piece: bytes) -> "Fault":
    """These bytes, and then the connection is gone."""

    async def fault(writer: asyncio.StreamWriter, _: int) -> AsyncIterator[bytes]:
        yield piece
        await writer.drain()
        async for nothing in _reset(writer, 0):
            yield nothing

    return fault


def _says(*pieces: bytes) -> "Fault":
    """These bytes, and then the end of the connection."""

    async def fault(_: asyncio.StreamWriter, __: int) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return fault


def _drips(head: bytes, piece: bytes, pause: float = 0.05) -> "Fault":
    """A little now and then, for longer than anybody waits."""

    async def fault(_: asyncio.StreamWriter, __: int) -> AsyncIterator[bytes]:
        yield head
        for _ in range(int(_SLOWLY / pause)):
            await asyncio.sleep(pause)
            yield piece

    return fault


def _floods(head: bytes, piece: bytes) -> "Fault":
    """As much as is taken."""

    async def fault(_: asyncio.StreamWriter, __: int) -> AsyncIterator[bytes]:
        yield head
        for _ in itertools.repeat(None, 2_000):
            yield piece

    return fault


Fault = Callable[[asyncio.StreamWriter, int], AsyncIterator[bytes]]

_CHUNKED: Final = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
_GZIP: Final = _OK + b"Content-Encoding: gzip\r\n"
_BOMB: Final = gzip.compress(bytes(20_000_000), 9)
_TEXT: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: "
_WHOLE: Final = _OK + b"Content-Length: 2\r\n\r\n{}"
_RETRY: Final = b"Retry-After: 0\r\nContent-Length: 2\r\n\r\n{}"

FAULTS: Final[dict[str, Fault]] = {
    "reset": _reset,
    "half, then reset": _says_then_resets(_OK + b'Content-Length: 1000\r\n\r\n{"id":'),
    "hang up": _says(),
    "half a status line": _says(b"HTTP/1.1 2"),
    "half a head": _says(_OK + b"Content-Le"),
    "half a body": _says(_OK + b"Content-Length: 100\r\n\r\n{"),
    "half a chunk": _says(_CHUNKED + b"10\r\n{"),
    "no last chunk": _says(_CHUNKED + b"2\r\n{}\r\n"),
    "no HTTP": _says(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "no header": _says(b"HTTP/1.1 200 OK\r\n\x00\xff\xfe\r\n\r\n"),
    "length too short": _says(_OK + b'Content-Length: 1\r\n\r\n{"id": 1}'),
    "length that is none": _says(_OK + b"Content-Length: many\r\n\r\n{}"),
    "two lengths": _says(_OK + b"Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}"),
    "negative length": _says(_OK + b"Content-Length: -1\r\n\r\n{}"),
    "chunk size that is none": _says(_CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"),
    "status that is none": _says(b"HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
    "status 999": _says(b"HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\n{}"),
    "no JSON": _says(_OK + b"Content-Length: 5\r\n\r\n{nope"),
    "cut JSON": _says(_OK + b'Content-Length: 7\r\n\r\n{"id": '),
    "NaN": _says(_OK + b"Content-Length: 3\r\n\r\nNaN"),
    "deep JSON": _says(_OK + b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000),
    "no gzip": _says(_GZIP + b"Content-Length: 5\r\n\r\nhello"),
    "cut gzip": _says(_GZIP + b"Content-Length: 9\r\n\r\n" + gzip.compress(b"{}" * 99)[:9]),
    "bomb": _says(_GZIP + b"Content-Length: %d\r\n\r\n" % len(_BOMB) + _BOMB),
    "unknown coding": _says(_OK + b"Content-Encoding: br\r\nContent-Length: 3\r\n\r\n\x8b\x00\x80"),
    "unknown charset": _says(_TEXT + b"text/plain; charset=klingon\r\n\r\n\xff\xfe\xfd\xfc"),
    "wrong charset": _says(_TEXT + b"text/plain; charset=utf-8\r\n\r\n\xff\xfe\xfd\xfc"),
    "charset of JSON": _says(_TEXT + b"application/json; charset=utf-32\r\n\r\n{\x00\x00}"),
    "charset that is a codec": _says(_TEXT + b"text/plain; charset=zlib_codec\r\n\r\nx\x9c\x03\x00"),
    "silence": _drips(b"", b"", 5.0),
    "slow head": _drips(b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "slow body": _drips(_OK + b"Content-Length: 100000\r\n\r\n", b" "),
    "slow chunks": _drips(_CHUNKED, b"1\r\n \r\n"),
    "endless body": _floods(_OK + b"\r\n", b" " * 0x10000),
    "endless chunks": _floods(_CHUNKED, b"10000\r\n" + b" " * 0x10000 + b"\r\n"),
    "endless headers": _floods(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 1_000),
    "endless interim answers": _floods(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000),
    "busy": _says(b"HTTP/1.1 503 Busy\r\n" + _JSON + _RETRY),
    "slow down": _says(b"HTTP/1.1 429 Slow\r\n" + _JSON + _RETRY),
    "redirect to itself": _says(b"HTTP/1.1 307 Again\r\nLocation: ?\r\nContent-Length: 0\r\n\r\n"),
    "redirect to nowhere": _says(b"HTTP/1.1 302 No\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n"),
    "two answers": _says(_WHOLE * 2),
    "whole, then closed": _says(_WHOLE),
    "whole, then reset": _says_then_resets(_WHOLE),
}  # fmt: skip


#: Faults that go on for longer than anybody waits.
SLOW: Final = frozenset({"silence", "slow head", "slow body", "slow chunks"})

#: Faults in which the server takes a request and sends no byte.
UNANSWERED: Final = frozenset({"reset", "hang up"})

#: Faults after which the server keeps the connection. After any other it closes it without a word, so that the
#: next request may be sent on a connection that is just being closed.
KEPT: Final = frozenset(
    {
        "length too short", "status 999", "no JSON", "cut JSON", "NaN", "deep JSON", "no gzip", "cut gzip",
        "bomb", "unknown coding", "unknown charset", "wrong charset", "charset of JSON", "charset that is a codec",
        "busy", "slow down", "redirect to itself", "redirect to nowhere", "two answers",
    }
)  # fmt: skip


def fault_of(number: int) -> str | None:
    """The fault that a call meets; ``None`` for those that are answered."""
    return list(FAULTS)[number // EVERY % len(FAULTS)] if number % EVERY == 0 else None


_asked: Counter[tuple[str, int]] = Counter()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Read one request and answer it; false where that was the last one of the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n")[0].decode("ascii").split(" ")
    _, found, length = head.lower().partition(b"content-length: ")
    if found:
        await reader.readexactly(int(length.split(b"\r\n")[0]))
    name = target.partition("?")[0].rpartition("/")[2]
    if name == "asked":
        _say(writer, [[*key, times] for key, times in _asked.items()])
        return True
    number = int(name)
    _asked[method, number] += 1
    fault = fault_of(number)
    if fault is None:
        _say(writer, {"id": number})
        return True
    async for piece in FAULTS[fault](writer, number):
        writer.write(piece)
        await writer.drain()
    return fault in KEPT


def _say(writer: asyncio.StreamWriter, value: object) -> None:
    body = json.dumps(value).encode()
    writer.write(_OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while await _answer(reader, writer):
            await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def _main() -> None:
    listening = await asyncio.start_server(_serve, "127.0.0.1", 0, backlog=1_000)
    print(listening.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # to who started it
    await listening.serve_forever()


@contextmanager
def faulty_server() -> Iterator[Faulty]:
    """The server while the block runs."""
    command = [sys.executable, "-m", "tests.http.faulty"]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Faulty(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(_main())
