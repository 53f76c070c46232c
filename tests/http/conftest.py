"""A callable operation made of plain records, and a server that keeps what reached it, byte by byte."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from specfn.migrate.route import Api, Body, DeclaredResponse, Parameter, ParameterGroup, Route
from specfn.migrate.template import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """The least that satisfies ``migrate.route.CallableFunction``: arguments are taken as they come."""

    route: Route
    api: Api
    name: str = "operation"
    found: tuple[Any, ...] = ()

    def arguments_by_key(self, arguments: Any) -> dict[str, Any]:
        if isinstance(arguments, list):
            keys = [key for key, _ in self.route.keys]
            return dict(zip(keys, arguments, strict=False))
        return arguments

    def accepts_only_integers(self, place: tuple[str | int, ...]) -> bool:  # noqa: ARG002
        return False

    def problems(self, arguments: Any) -> tuple[Any, ...]:  # noqa: ARG002
        return self.found


def parameter(name: str, location: str, **more: Any) -> Parameter:
    usual = {
        "path": ("simple", False),
        "header": ("simple", False),
        "query": ("form", True),
        "cookie": ("form", True),
        "querystring": ("form", True),
    }
    style, explode = usual[location]
    given = {
        "key": name,
        "schema": {},
        "required": location == "path",
        "style": style,
        "explode": explode,
    }
    return Parameter(name=name, location=location, **(given | more))


def body(media_type: str = "application/json", kind: str = "json", **encoding: Any) -> Body:
    return Body(
        media_type=media_type,
        kind=kind,
        schema={},
        required=True,
        description=None,
        encoding=encoding,
        pointer="/paths/~1x/post/requestBody",
    )


def answer(*media_types: str) -> DeclaredResponse:
    return DeclaredResponse(
        status="200",
        media_type=media_types[0] if media_types else None,
        kind="json",
        schema={},
        description=None,
        media_types=media_types,
    )


def operation(
    path: str = "/x", method: str = "get", *parameters: Parameter, **more: Any
) -> Operation:
    """An operation with these parameters; placeholders that are not among them are plain ones."""
    given = {each.name: each for each in parameters if each.location == "path"}
    declared = [name for name in given if "{" not in name]
    template = parse(path, declared)
    names = [
        piece.name
        for pieces in (*template.segments, *(pieces or () for _, pieces in template.query))
        for piece in pieces
        if not isinstance(piece, str)
    ]

    def group(key: str, *locations: str) -> ParameterGroup | None:
        members = tuple(each for each in parameters if each.location in locations)
        required = any(each.required for each in members)
        return ParameterGroup(key=key, parameters=members, required=required) if members else None

    return Operation(
        route=Route(
            method=method,
            path=path,
            template=template,
            accessor=("operation", method),
            parameters=tuple(
                given.get(name) or parameter(name, "path") for name in dict.fromkeys(names)
            ),
            query=group("query", "query", "querystring"),
            headers=group("headers", "header"),
            cookies=group("cookies", "cookie"),
            body=more.get("body"),
            success=more.get("success"),
            exceptions={},
            security=more.get("security", ()),
            servers=more.get("servers", ()),
            notes=(),
            operation={},
            pointer="/paths/~1x/get",
            safety="read" if method in {"get", "head", "options", "query"} else "write",
        ),
        api=Api(
            servers=more.get("api_servers", ()),
            security_schemes=more.get("schemes", {}),
            source=more.get("source"),
        ),
        found=more.get("found", ()),
    )


@dataclass
class Loopback:
    """A server on this machine that answers what it is told and keeps each request's bytes.

    Attributes:
        url: its origin.
        requests: the bytes of every request, head and body.
        connections: how many connections were made.
        respond: from the request's bytes to the answer's: bytes, or pieces sent one after another.
    """

    url: str
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    respond: Callable[[bytes], Any] = lambda _: http_answer(b"{}")

    @property
    def line(self) -> str:
        """The request line of the last request."""
        return self.requests[-1].split(b"\r\n", 1)[0].decode("ascii")

    @property
    def target(self) -> str:
        """Path and query of the last request, as they arrived."""
        return self.line.split(" ")[1]

    @property
    def head(self) -> dict[str, list[str]]:
        """The headers of the last request, by lower-case name."""
        lines = self.requests[-1].partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
        found: dict[str, list[str]] = {}
        for line in lines:
            name, _, value = line.decode("utf-8").partition(": ")
            found.setdefault(name.lower(), []).append(value)
        return found

    @property
    def body(self) -> bytes:
        return self.requests[-1].partition(b"\r\n\r\n")[2]


def http_answer(
    content: bytes, status: str = "200 OK", media_type: str = "application/json", **headers: str
) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}"]
    if media_type:
        lines.append(f"Content-Type: {media_type}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def _serve(server: Loopback, connection: socket.socket) -> None:
    with contextlib.suppress(OSError), connection:
        received = b""
        while True:
            while b"\r\n\r\n" not in received:
                piece = connection.recv(65536)
                if not piece:
                    return
                received += piece
            head, _, rest = received.partition(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n")[1:]:
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            while len(rest) < length:
                rest += connection.recv(65536)
            server.requests.append(head + b"\r\n\r\n" + rest[:length])
            received = rest[length:]
            told = server.respond(server.requests[-1])
            for part in (told,) if isinstance(told, bytes) else told:
                connection.sendall(part)
            if not isinstance(told, bytes):
                return


def listen() -> tuple[Loopback, Callable[[], None]]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = Loopback(f"http://127.0.0.1:{listener.getsockname()[1]}")
    threads: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            server.connections += 1
            threads.append(threading.Thread(target=_serve, args=(server, connection), daemon=True))
            threads[-1].start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()

    def stop() -> None:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(5)

    return server, stop


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server, stop = listen()
    yield server
    stop()


@pytest.fixture
def other() -> Iterator[Loopback]:
    """A second server: another origin, which must not hear what the first may."""
    server, stop = listen()
    yield server
    stop()


@pytest.fixture
def make() -> Callable[..., Operation]:
    return operation


@pytest.fixture
def declare() -> Callable[..., Parameter]:
    return parameter


@pytest.fixture
def declare_body() -> Callable[..., Body]:
    return body


@pytest.fixture
def declare_answer() -> Callable[..., DeclaredResponse]:
    return answer


@pytest.fixture
def http() -> Callable[..., bytes]:
    return http_answer
