"""The transports that requests go through: one per connection, closed when nobody needs it any more.

They are httpx's transports without its client, which would keep cookies between calls, write whole
URLs into the log, and follow ``netrc`` and proxy variables that nobody gave (bring a client for those).
"""

import asyncio
import os
import ssl
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

import httpcore
import httpx

from specfn.http.connection import Connection
from specfn.http.network import AsyncBackend, AsyncStream, Backend, Stream, left

_lock = threading.Lock()
_transports: dict[int, httpx.BaseTransport] = {}
_homes: dict[asyncio.AbstractEventLoop, "_Home"] = {}

if hasattr(os, "register_at_fork"):  # two processes must not write to one socket
    os.register_at_fork(after_in_child=_transports.clear)


@cache
def _ssl_context() -> ssl.SSLContext:
    """One for the process: reading the certificates takes longer than most calls."""
    return httpx.create_ssl_context()


#: How many sockets a connection may hold, all of them kept while there is work.
_SOCKETS: Final = 100
_LIMITS: Final[Mapping[str, Any]] = {
    "max_connections": _SOCKETS,
    "max_keepalive_connections": _SOCKETS,
    "keepalive_expiry": 5.0,
}


class _Answer(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of an answer; once it is closed, the next call may have the socket, if it is clean."""

    def __init__(self, inner: Any, leave: Callable[[], None] | None = None) -> None:
        self._inner = inner
        self._leave = leave

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", aiter(self._inner))

    def close(self) -> None:
        _end_unclean(self._inner)
        try:
            self._inner.close()
        finally:
            self._left()

    async def aclose(self) -> None:
        _end_unclean(self._inner)
        try:
            await self._inner.aclose()
        finally:
            self._left()

    def _left(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


#: Where the state of the protocol is, seen from the body of an answer.
_TO_STATE: Final = ("_httpcore_stream", "_stream", "_connection", "_h11_state")


def _end_unclean(stream: Any) -> None:
    """End the socket of an answer if the server said more than the answer.

    What was read beyond an answer stays with the socket, and would be taken for the answer to the next
    call, which may be anybody's.
    """
    state: Any = getattr(stream, "_stream", stream)  # a client wraps it once more
    for name in _TO_STATE:
        state = getattr(state, name, None)
    if state is not None and state.trailing_data[0]:
        state.send_failed()  # in the words of h11: not to be used again


def careful(response: httpx.Response, leave: Callable[[], None] | None = None) -> httpx.Response:
    """An answer whose head is there, and whose socket is used again only if that is all."""
    stream = response.extensions.get("network_stream")
    if isinstance(stream, Stream | AsyncStream):
        stream.head.end()
    response.stream = _Answer(response.stream, leave)
    return response


class _Transport(httpx.HTTPTransport):
    """A pool with a queue before it: the pool's own looks at every socket for every call that waits."""

    def __init__(self) -> None:
        super().__init__(verify=_ssl_context())
        self._room = threading.Semaphore(_SOCKETS)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(), network_backend=Backend(), **_LIMITS
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self._room.acquire(timeout=min(left(None), threading.TIMEOUT_MAX)):
            raise httpx.PoolTimeout("")
        try:
            response = super().handle_request(request)
        except BaseException:
            self._room.release()
            raise
        return careful(response, self._room.release)


class _AsyncTransport(httpx.AsyncHTTPTransport):
    """The same for asyncio; how long a call may wait is its own affair."""

    def __init__(self) -> None:
        super().__init__(verify=_ssl_context())
        self._room = asyncio.Semaphore(_SOCKETS)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_ssl_context(), network_backend=AsyncBackend(), **_LIMITS
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._room.acquire()
        try:
            response = await super().handle_async_request(request)
        except BaseException:
            self._room.release()
            raise
        return careful(response, self._room.release)


def transport(connection: Connection) -> httpx.BaseTransport:
    """The pooled transport of a connection, by identity; it is closed with the connection."""
    key = id(connection)
    with _lock:
        if key not in _transports:
            _transports[key] = made = _Transport()
            weakref.finalize(connection, _close, key, made)
        return _transports[key]


def _close(key: int, made: httpx.BaseTransport) -> None:
    _transports.pop(key, None)
    made.close()


@dataclass(slots=True)
class _Home:
    """The transports of one event loop: a socket of asyncio cannot be used in another.

    Attributes:
        owned: by the identity of the connection, with what moves them to ``retired``.
        retired: those whose connection is gone; closing them has to be awaited, by who comes next.
        keeper: closes what is left when the loop ends: loops close their asynchronous generators.
    """

    owned: dict[int, tuple[httpx.AsyncBaseTransport, "weakref.finalize[Any, Connection]"]]
    retired: list[httpx.AsyncBaseTransport]
    keeper: AsyncGenerator[None, None]


async def atransport(connection: Connection) -> httpx.AsyncBaseTransport:
    """The same for asyncio: one per connection and event loop, closed with either."""
    home = await _home(asyncio.get_running_loop())
    while home.retired:
        await home.retired.pop().aclose()
    key = id(connection)
    if key not in home.owned:
        made = _AsyncTransport()
        home.owned[key] = (made, weakref.finalize(connection, _retire, home, key))
    return home.owned[key][0]


async def _home(loop: asyncio.AbstractEventLoop) -> _Home:
    if loop not in _homes:
        for closed in [each for each in _homes if each.is_closed()]:
            del _homes[closed]
        keeper = _keep(loop)
        _homes[loop] = _Home({}, [], keeper)
        await anext(keeper)
    return _homes[loop]


def _retire(home: _Home, key: int) -> None:
    if key in home.owned:
        home.retired.append(home.owned.pop(key)[0])


async def _keep(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        home = _homes.pop(loop)
        for made, finalizer in home.owned.values():
            finalizer.detach()
            await made.aclose()
        for made in home.retired:
            await made.aclose()
