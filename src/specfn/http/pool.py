"""The transports that requests go through: one per connection, closed when nobody needs it any more.

They are httpx's transports without its client, which would keep cookies between calls, write whole
URLs into the log, and follow ``netrc`` and proxy variables that nobody gave (bring a client for those).
"""

import asyncio
import ipaddress
import os
import socket
import ssl
import threading
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

import httpcore
import httpx

from specfn.http.address import is_public
from specfn.http.connection import Connection

#: Whether the call goes where only the document asks to go, so that no private address may be met (T5).
guarded: ContextVar[bool] = ContextVar("guarded", default=False)

#: When the call that this thread is making must be over, by the monotonic clock.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))

_lock = threading.Lock()
_transports: dict[int, httpx.BaseTransport] = {}
_homes: dict[asyncio.AbstractEventLoop, "_Home"] = {}

if hasattr(os, "register_at_fork"):  # two processes must not write to one socket
    os.register_at_fork(after_in_child=_transports.clear)


@cache
def _ssl_context() -> ssl.SSLContext:
    """One for the process: reading the certificates takes longer than most calls."""
    return httpx.create_ssl_context()


def _left(timeout: float | None) -> float:
    """The timeout of one step, within what is left of the whole call."""
    left = deadline.get() - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    """A network stream whose steps end with the call.

    A timeout per read alone would let a server that sends a byte at a time hold a call for ever.
    """

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class PrivateAddressError(httpcore.ConnectError):
    """A name that only the document vouches for leads into a network."""

    def __init__(self) -> None:
        super().__init__("the name leads to a private address; give base_url, or allow_private")


def _checked(found: Iterable[Any]) -> str:
    """The address to connect to, of those that a name has: one private one among them refuses all.

    What was looked up is what is connected to: a name server that answers otherwise the next time
    (DNS rebinding) is not asked a second time.
    """
    hosts = [str(entry[4][0]) for entry in found]
    if not hosts or not all(_is_public(host) for host in hosts):
        raise PrivateAddressError
    return hosts[0]


def _is_public(host: str) -> bool:
    return is_public(ipaddress.ip_address(host.partition("%")[0]))


def _met(stream: Any) -> Any:
    """The stream, if the address at its other end may be talked to."""
    if not _is_public(stream.get_extra_info("server_addr")[0]):
        raise PrivateAddressError
    return stream


class _Backend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        more = (port, _left(timeout), local_address, socket_options)
        if not guarded.get():
            return _Stream(super().connect_tcp(host, *more))
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        stream = super().connect_tcp(_checked(found), *more)
        try:
            return _Stream(_met(stream))
        except PrivateAddressError:
            stream.close()
            raise


class _AsyncBackend(httpcore.AnyIOBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        more = (port, timeout, local_address, socket_options)
        if not guarded.get():
            return await super().connect_tcp(host, *more)
        try:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        stream = await super().connect_tcp(_checked(found), *more)
        try:
            return cast("httpcore.AsyncNetworkStream", _met(stream))
        except PrivateAddressError:
            await stream.aclose()
            raise


#: How many sockets a connection may hold, all of them kept while there is work.
_SOCKETS: Final = 100
_LIMITS: Final[Mapping[str, Any]] = {
    "max_connections": _SOCKETS,
    "max_keepalive_connections": _SOCKETS,
    "keepalive_expiry": 5.0,
}


class _Answer(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of an answer; once it is closed, the next call may have the socket."""

    def __init__(self, inner: Any, leave: Callable[[], None]) -> None:
        self._inner = inner
        self._leave: Callable[[], None] | None = leave

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", aiter(self._inner))

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._left()

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            self._left()

    def _left(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


class _Transport(httpx.HTTPTransport):
    """A pool with a queue before it: the pool's own looks at every socket for every call that waits."""

    def __init__(self) -> None:
        super().__init__(verify=_ssl_context())
        self._room = threading.Semaphore(_SOCKETS)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(), network_backend=_Backend(), **_LIMITS
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self._room.acquire(timeout=min(_left(None), threading.TIMEOUT_MAX)):
            raise httpx.PoolTimeout("")
        try:
            response = super().handle_request(request)
        except BaseException:
            self._room.release()
            raise
        response.stream = _Answer(response.stream, self._room.release)
        return response


class _AsyncTransport(httpx.AsyncHTTPTransport):
    """The same for asyncio; how long a call may wait is its own affair."""

    def __init__(self) -> None:
        super().__init__(verify=_ssl_context())
        self._room = asyncio.Semaphore(_SOCKETS)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_ssl_context(), network_backend=_AsyncBackend(), **_LIMITS
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._room.acquire()
        try:
            response = await super().handle_async_request(request)
        except BaseException:
            self._room.release()
            raise
        response.stream = _Answer(response.stream, self._room.release)
        return response


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
