"""The check of each HTTP request before it is read: host, origin and token (threat T30)."""

import hmac
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from typing import Any, Final, TypeAlias

#: A message or a scope of ASGI, and the functions that receive and send messages.
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

#: The names of this machine.
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")

#: A host, and a port.
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\\\s]+)(?::[0-9]{1,5})?")

_MISDIRECTED: Final = 421
_FORBIDDEN: Final = 403
_UNAUTHORIZED: Final = 401


class Guard:
    """An ASGI application that refuses requests of other hosts, origins and clients."""

    def __init__(
        self,
        app: AsgiApp,
        *,
        hosts: Collection[str] | None,
        origins: Collection[str] = (),
        token: str | None = None,
        secret_path: str | None = None,
    ) -> None:
        """Guard an application.

        Args:
            app: the application.
            hosts: the accepted names of the host; ``None`` for any name.
            origins: the origins of web pages that may call it; its own origin may.
            token: the bearer token of clients; ``None`` if clients need no token.
            secret_path: the secret first segment of each path, for pages in a browser; ``None`` if paths have no secret
                segment.
        """
        self._app = app
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._token = None if token is None else token.encode()
        self._secret_path = None if secret_path is None else secret_path.encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before anything of it is read."""
        status = None if scope["type"] == "lifespan" else self._refusal(scope)
        if status is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _refuse(status, send)

    def _refusal(self, scope: Message) -> int | None:
        """Return the status of a refusal; ``None`` for a request that is accepted."""
        host = _only(_values(scope, b"host"))
        name = "" if host is None else _without_port(host)
        if not name or (self._hosts is not None and name not in self._hosts):
            return _MISDIRECTED
        for origin in _values(scope, b"origin"):
            own = (f"http://{host}", f"https://{host}")
            if origin not in own and origin not in self._origins:
                return _FORBIDDEN
        if not self._knows_path(scope):
            return _FORBIDDEN
        return None if self._is_client(scope) else _UNAUTHORIZED

    def _knows_path(self, scope: Message) -> bool:
        if self._secret_path is None:
            return True
        first = scope["path"].split("/", 2)[1:2]
        return bool(first) and hmac.compare_digest(first[0].encode(), self._secret_path)

    def _is_client(self, scope: Message) -> bool:
        if self._token is None:
            return True
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, given = (values[0] if len(values) == 1 else b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


def _values(scope: Message, name: bytes) -> Iterator[str]:
    return (value.decode("latin-1").lower() for key, value in scope["headers"] if key == name)


def _only(values: Iterator[str]) -> str | None:
    listed = list(values)
    return listed[0] if len(listed) == 1 else None


def _without_port(host: str) -> str:
    """Return a host without its port, empty if it is malformed; an IPv6 address keeps its brackets."""
    match = _HOST.fullmatch(host)
    return "" if match is None else match[1]


async def _refuse(status: int, send: Send) -> None:
    """Send a refusal, and close the connection, because the body was not read."""
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    if status == _UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
