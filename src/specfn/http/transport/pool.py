"""The transports that requests go through: one per connection, closed when nobody needs it any more.

They are used without httpx's client, which would keep cookies between calls, write whole URLs into the log, and
follow ``netrc`` and proxy variables that nobody gave (bring a client for those). Of httpcore and httpx they use
what those document: pools, a network backend, streams and the classes of errors.
"""

import asyncio
import os
import ssl
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, cast

import httpcore
import httpx

from specfn.http.connection import Connection
from specfn.http.transport.failure import NotRepeatedError
from specfn.http.transport.network import (
    AsyncBackend,
    AsyncStream,
    Backend,
    Exchange,
    Stream,
    UnansweredError,
    left,
)
from specfn.http.transport.retry import is_repeatable

_lock = threading.Lock()
_transports: dict[int, httpx.BaseTransport] = {}
_homes: dict[asyncio.AbstractEventLoop, "_Home"] = {}

if hasattr(os, "register_at_fork"):  # two processes must not write to one socket
    os.register_at_fork(after_in_child=_transports.clear)


@cache
def _ssl_context() -> ssl.SSLContext:
    """One for the process: reading the certificates takes longer than most calls."""
    return httpx.create_ssl_context()


#: How long an idle socket is kept, in seconds. Many servers close theirs after 5, and a request may cross that.
KEPT_SECONDS: Final = 4.0

#: The client's errors, by those of httpcore; and errors of a socket that httpcore lets through.
_ERRORS: Final[Mapping[type[BaseException], type[httpx.TransportError]]] = {
    httpcore.TimeoutException: httpx.TimeoutException,
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.ReadTimeout: httpx.ReadTimeout,
    httpcore.WriteTimeout: httpx.WriteTimeout,
    httpcore.PoolTimeout: httpx.PoolTimeout,
    httpcore.NetworkError: httpx.NetworkError,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ReadError: httpx.ReadError,
    httpcore.WriteError: httpx.WriteError,
    httpcore.ProxyError: httpx.ProxyError,
    httpcore.UnsupportedProtocol: httpx.UnsupportedProtocol,
    httpcore.ProtocolError: httpx.ProtocolError,
    httpcore.LocalProtocolError: httpx.LocalProtocolError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
    UnansweredError: NotRepeatedError,
    OSError: httpx.ReadError,
}


@contextmanager
def _client_errors() -> Iterator[None]:
    """Raise the client's errors instead of httpcore's."""
    try:
        yield
    except Exception as error:
        found = next((_ERRORS[kind] for kind in type(error).__mro__ if kind in _ERRORS), None)
        if found is None:
            raise
        raise found(str(error)) from error


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response; once it is closed, the next call may have the socket, if nothing follows the body."""

    def __init__(self, inner: Any, exchange: Exchange | None, leave: Callable[[], None]) -> None:
        self._inner = inner
        self._exchange = exchange
        self._leave: Callable[[], None] | None = leave

    def __iter__(self) -> Iterator[bytes]:
        with _client_errors():
            yield from self._inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _client_errors():
            async for chunk in self._inner:
                yield chunk

    def close(self) -> None:
        self._end()
        try:
            self._inner.close()
        finally:
            self._left()

    async def aclose(self) -> None:
        self._end()
        try:
            await self._inner.aclose()
        finally:
            self._left()

    def _end(self) -> None:
        if self._exchange is not None:
            self._exchange.end()

    def _left(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


def _outgoing(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        request.method,
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=cast("Any", request.stream),
        extensions=request.extensions,
    )


def _incoming(
    request: httpx.Request, response: httpcore.Response, leave: Callable[[], None]
) -> httpx.Response:
    """Return a response whose head has arrived."""
    stream = response.extensions.get("network_stream")
    exchange = stream.exchange if isinstance(stream, Stream | AsyncStream) else None
    if exchange is not None:
        exchange.head_ended(request.method, response.status, response.headers)
    return httpx.Response(
        response.status,
        headers=response.headers,
        stream=_Body(response.stream, exchange, leave),
        extensions=response.extensions,
    )


def _sockets(connection: Connection, backend: Any) -> Mapping[str, Any]:
    """Return what both pools of a transport are made with."""
    return {
        "ssl_context": _ssl_context(),
        "max_connections": connection.max_connections,
        "keepalive_expiry": KEPT_SECONDS,
        "network_backend": backend,
    }


class _Transport(httpx.BaseTransport):
    """A pool that keeps sockets, and one that opens a socket for each request that is sent again.

    A queue stands before them: the pool's own looks at every socket for every call that waits.
    """

    def __init__(self, connection: Connection) -> None:
        given = _sockets(connection, Backend())
        self._room = threading.Semaphore(connection.max_connections)
        self._kept = httpcore.ConnectionPool(**given)
        self._fresh = httpcore.ConnectionPool(**given, max_keepalive_connections=0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self._room.acquire(timeout=min(left(None), threading.TIMEOUT_MAX)):
            raise httpx.PoolTimeout("")
        try:
            with _client_errors():
                response = self._exchange(request)
        except BaseException:
            self._room.release()
            raise
        return _incoming(request, response, self._room.release)

    def _exchange(self, request: httpx.Request) -> httpcore.Response:
        try:
            return self._kept.handle_request(_outgoing(request))
        except UnansweredError:
            if not is_repeatable(request):
                raise
        return self._fresh.handle_request(_outgoing(request))

    def close(self) -> None:
        self._kept.close()
        self._fresh.close()


class _AsyncTransport(httpx.AsyncBaseTransport):
    """The same for asyncio; how long a call may wait is its own affair."""

    def __init__(self, connection: Connection) -> None:
        given = _sockets(connection, AsyncBackend())
        self._room = asyncio.Semaphore(connection.max_connections)
        self._kept = httpcore.AsyncConnectionPool(**given)
        self._fresh = httpcore.AsyncConnectionPool(**given, max_keepalive_connections=0)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._room.acquire()
        try:
            with _client_errors():
                response = await self._exchange(request)
        except BaseException:
            self._room.release()
            raise
        return _incoming(request, response, self._room.release)

    async def _exchange(self, request: httpx.Request) -> httpcore.Response:
        try:
            return await self._kept.handle_async_request(_outgoing(request))
        except UnansweredError:
            if not is_repeatable(request):
                raise
        return await self._fresh.handle_async_request(_outgoing(request))

    async def aclose(self) -> None:
        await self._kept.aclose()
        await self._fresh.aclose()


def transport(connection: Connection) -> httpx.BaseTransport:
    """The pooled transport of a connection, by identity; it is closed with the connection."""
    key = id(connection)
    with _lock:
        if key not in _transports:
            _transports[key] = made = _Transport(connection)
            close = weakref.finalize(connection, _close, key, made)
            connection.on_close(close, partial(_aclose, close))
        return _transports[key]


def _close(key: int, made: httpx.BaseTransport) -> None:
    _transports.pop(key, None)
    made.close()


async def _aclose(close: Callable[[], Any]) -> None:
    close()


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
        made = _AsyncTransport(connection)
        retire = weakref.finalize(connection, _retire, home, key)
        home.owned[key] = (made, retire)
        connection.on_close(retire, partial(_aretire, retire))
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


async def _aretire(retire: Callable[[], Any]) -> None:
    """Retire a transport, and close those of the running loop."""
    retire()
    home = _homes.get(asyncio.get_running_loop())
    while home and home.retired:
        await home.retired.pop().aclose()


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
