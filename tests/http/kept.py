"""A server that ends kept connections in every way there is, as it is told, and counts what it was asked."""

import contextlib
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"

#: Ways to take a request on a connection that has been used, and to send no byte of a response.
SILENT: Final = ("close", "half-close", "reset", "unread")

#: Ways that look similar, and say something else: a response has begun, or nothing has ended.
OTHER: Final = ("byte", "half a head", "no HTTP", "wait")

#: Ways to go on after a response: keep the connection, or end it before the next request.
AFTER: Final = ("keep", "answer and close", "answer and reset")


@dataclass
class Server:
    """The server, seen from outside.

    Attributes:
        url: its origin.
        plan: from the number of the connection and of the request on it (both from 0) to what is done.
        requests: what arrived, as the number of the connection and the bytes.
    """

    url: str
    plan: Callable[[int, int], str] = lambda _, __: "keep"
    requests: list[tuple[int, bytes]] = field(default_factory=list)
    connections: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def asked(self, method: str) -> int:
        """Return how many requests with a method arrived."""
        return sum(raw.startswith(method.encode() + b" ") for _, raw in self.requests)


def _received(stream: Any) -> bytes | None:
    """Read one request; ``None`` where the client has closed the connection."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = stream.recv(65536)
        if not piece:
            return None
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    _, found, length = head.lower().partition(b"content-length: ")
    while len(body) < (int(length.split(b"\r\n")[0]) if found else 0):
        body += stream.recv(65536)
    return head + b"\r\n\r\n" + body


def _reset(stream: Any) -> None:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _do(server: Server, stream: Any, what: str, method: bytes) -> bool:
    """Do something with a connection on which a request has arrived; false where it ends."""
    if what in AFTER:
        stream.sendall(HEAD if method == b"HEAD" else HEAD + b"{}")
    if what.endswith("reset"):
        _reset(stream)
    if what == "half-close":
        stream.shutdown(socket.SHUT_WR)
    if what in {"half-close", "wait"}:
        server.ended.wait(60)
    if what == "byte":
        stream.sendall(b"H")
    if what == "half a head":
        stream.sendall(HEAD[:40])
    if what == "no HTTP":
        stream.sendall(b"SSH-2.0\r\n\r\n")
    if what == "no TLS":
        plain = socket.socket(fileno=stream.detach())
        plain.sendall(b"\x17\x03\x03\x00\x20" + b"x" * 32)
        plain.close()
    return what == "keep"


def _serve(server: Server, number: int, stream: Any) -> None:
    with contextlib.suppress(OSError), stream:
        position = 0
        while True:
            if server.plan(number, position) == "unread" and position:
                select.select([stream], [], [])
                return  # what was not read makes the system reset the connection
            raw = _received(stream)
            if raw is None:
                return
            server.requests.append((number, raw))
            if not _do(server, stream, server.plan(number, position), raw.partition(b" ")[0]):
                return
            position += 1


@contextmanager
def kept_server(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """The server while the block runs; with a context, over TLS."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=200)
    scheme = "https" if context else "http"
    server = Server(f"{scheme}://localhost:{listener.getsockname()[1]}")

    def handle(number: int, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            wrapped = context.wrap_socket(connection, server_side=True) if context else connection
            _serve(server, number, wrapped)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            number, server.connections = server.connections, server.connections + 1
            threading.Thread(target=handle, args=(number, connection), daemon=True).start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield server
    finally:
        server.ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(5)
