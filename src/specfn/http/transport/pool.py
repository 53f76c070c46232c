"""Pooled transports: one per connection, closed with the connection.

They do not use the client of httpx, which would keep cookies between calls, log complete URLs, and read ``netrc`` and
proxy variables. Pass a client to the connection for those. Only documented parts of httpcore and httpx are used: pools,
a network backend, streams and errors.
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
    remaining,
)
from specfn.http.transport.retry import is_repeatable

_lock = threading.Lock()
_transports: dict[int, httpx.BaseTransport] = {}
_by_loop: dict[asyncio.AbstractEventLoop, "_LoopTransports"] = {}

if hasattr(os, "register_at_fork"):  # two processes must not share a socket
    os.register_at_fork(after_in_child=_transports.clear)


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the TLS context of the process; reading the certificates takes longer than most calls."""
    context = httpx.create_ssl_context()
    # The policy of a system may permit less than Python's own default.
    context.minimum_version = max(context.minimum_version, ssl.TLSVersion.TLSv1_2)
    return context


#: The lifetime of an idle socket in seconds. Many servers close theirs after 5, when a request may be on its way.
KEPT_SECONDS: Final = 4.0

#: The errors of httpx by those of httpcore, and by errors of a socket that httpcore does not translate.
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
    """Raise errors of httpx instead of those of httpcore."""
    try:
        yield
    except Exception as error:
        found = next((_ERRORS[kind] for kind in type(error).__mro__ if kind in _ERRORS), None)
        if found is None:
            raise
        raise found(str(error)) from error


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response. Closing it releases the socket for the next call."""

    def __init__(self, inner: Any, exchange: Exchange | None, release: Callable[[], None]) -> None:
        self._inner = inner
        self._exchange = exchange
        self._release_slot: Callable[[], None] | None = release

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
            self._release()

    async def aclose(self) -> None:
        self._end()
        try:
            await self._inner.aclose()
        finally:
            self._release()

    def _end(self) -> None:
        if self._exchange is not None:
            self._exchange.end()

    def _release(self) -> None:
        release, self._release_slot = self._release_slot, None
        if release is not None:
            release()


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
    request: httpx.Request, response: httpcore.Response, release: Callable[[], None]
) -> httpx.Response:
    """Return a response whose headers have arrived."""
    stream = response.extensions.get("network_stream")
    exchange = stream.exchange if isinstance(stream, Stream | AsyncStream) else None
    if exchange is not None:
        exchange.head_ended(request.method, response.status, response.headers)
    return httpx.Response(
        response.status,
        headers=response.headers,
        stream=_Body(response.stream, exchange, release),
        extensions=response.extensions,
    )


def _sockets(connection: Connection, backend: Any) -> Mapping[str, Any]:
    """Return the settings of both pools of a transport."""
    return {
        "ssl_context": _ssl_context(),
        "max_connections": connection.max_connections,
        "keepalive_expiry": KEPT_SECONDS,
        "network_backend": backend,
    }


class _Transport(httpx.BaseTransport):
    """A transport with two pools: one reuses sockets, the other opens a new socket for a request that is sent again.

    A semaphore limits the calls, because the queue of a pool checks every socket for every waiting call.
    """

    def __init__(self, connection: Connection) -> None:
        given = _sockets(connection, Backend())
        self._slots = threading.Semaphore(connection.max_connections)
        self._kept = httpcore.ConnectionPool(**given)
        self._fresh = httpcore.ConnectionPool(**given, max_keepalive_connections=0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self._slots.acquire(timeout=min(remaining(None), threading.TIMEOUT_MAX)):
            raise httpx.PoolTimeout("")
        try:
            with _client_errors():
                response = self._exchange(request)
        except BaseException:
            self._slots.release()
            raise
        return _incoming(request, response, self._slots.release)

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
    """A transport for asyncio. The time limit of a call also ends its wait for a socket."""

    def __init__(self, connection: Connection) -> None:
        given = _sockets(connection, AsyncBackend())
        self._slots = asyncio.Semaphore(connection.max_connections)
        self._kept = httpcore.AsyncConnectionPool(**given)
        self._fresh = httpcore.AsyncConnectionPool(**given, max_keepalive_connections=0)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._slots.acquire()
        try:
            with _client_errors():
                response = await self._exchange(request)
        except BaseException:
            self._slots.release()
            raise
        return _incoming(request, response, self._slots.release)

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
    """Return the pooled transport of a connection, by identity; it is closed with the connection."""
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
class _LoopTransports:
    """The transports of one event loop. A socket of asyncio cannot be used in another loop.

    Attributes:
        owned: the transports by the identity of their connection, each with the finalizer that retires it.
        retired: the transports of closed connections. The next call of the loop closes them, because that is async.
        keeper: an asynchronous generator that closes the transports when the loop ends.
    """

    owned: dict[int, tuple[httpx.AsyncBaseTransport, "weakref.finalize[Any, Connection]"]]
    retired: list[httpx.AsyncBaseTransport]
    keeper: AsyncGenerator[None, None]


async def atransport(connection: Connection) -> httpx.AsyncBaseTransport:
    """Return the transport of a connection for the running event loop; it is closed with either."""
    transports = await _transports_of(asyncio.get_running_loop())
    while transports.retired:
        await transports.retired.pop().aclose()
    key = id(connection)
    if key not in transports.owned:
        made = _AsyncTransport(connection)
        retire = weakref.finalize(connection, _retire, transports, key)
        transports.owned[key] = (made, retire)
        connection.on_close(retire, partial(_aretire, retire))
    return transports.owned[key][0]


async def _transports_of(loop: asyncio.AbstractEventLoop) -> _LoopTransports:
    if loop not in _by_loop:
        for closed in [each for each in _by_loop if each.is_closed()]:
            del _by_loop[closed]
        keeper = _keep(loop)
        _by_loop[loop] = _LoopTransports({}, [], keeper)
        await anext(keeper)
    return _by_loop[loop]


def _retire(transports: _LoopTransports, key: int) -> None:
    if key in transports.owned:
        transports.retired.append(transports.owned.pop(key)[0])


async def _aretire(retire: Callable[[], Any]) -> None:
    """Retire a transport, and close the retired transports of the running loop."""
    retire()
    transports = _by_loop.get(asyncio.get_running_loop())
    while transports and transports.retired:
        await transports.retired.pop().aclose()


async def _keep(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        transports = _by_loop.pop(loop)
        for made, finalizer in transports.owned.values():
            finalizer.detach()
            await made.aclose()
        for made in transports.retired:
            await made.aclose()
