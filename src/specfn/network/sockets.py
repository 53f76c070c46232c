"""Transports for requests, with pools of sockets; the only module that knows httpcore.

Reads and writes respect the time limit of the call. The size of response headers is limited, the end of a response is
known, and private addresses are refused. Only documented parts of httpcore are used: pools, a network backend, streams
and errors.
"""

import asyncio
import ipaddress
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from typing import Any, Final, cast

import anyio
import httpcore
import httpx

from specfn.network.public_addresses import is_public
from specfn.network.resolve import alternate_versions, aresolve, first_stream, resolve
from specfn.network.response_body import ReceivedResponse

#: Whether only the document declares the server, so that private addresses are refused (T5).
guarded: ContextVar[bool] = ContextVar("guarded", default=False)

#: The end of the current blocking call, by the monotonic clock.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))


@contextmanager
def limit_sockets(until: float, *, is_guarded: bool) -> Iterator[None]:
    """Apply the limits of a call to the sockets that it opens and reads, until a time on the monotonic clock."""
    limit, guard = deadline.set(until), guarded.set(is_guarded)
    try:
        yield
    finally:
        deadline.reset(limit)
        guarded.reset(guard)


def remaining(timeout: float | None) -> float:
    """Return the timeout of one step, limited by the remaining time of the call."""
    seconds = deadline.get() - time.monotonic()
    if seconds <= 0:
        raise httpcore.ReadTimeout
    return seconds if timeout is None else min(timeout, seconds)


class UnansweredError(httpcore.RemoteProtocolError):
    """A reused socket that was closed or reset before the response (RFC 9112, section 9.3.1)."""


class Exchange(ReceivedResponse):
    """One request and its response on a socket of this module.

    A socket is reused only if the previous response ended exactly at the end of its framing. If ``end`` is never
    called, the socket is not used again.
    """

    __slots__ = ("_has_answer", "_is_reused")

    def __init__(self, *, is_reused: bool = False) -> None:
        super().__init__()
        self._is_reused = is_reused
        self._has_answer = False

    def next(self) -> "Exchange":
        """Return the exchange of bytes to send: this one, or the next one on the same socket.

        Raises:
            httpcore.ConnectionNotAvailable: the last response is not over; the pool then uses another socket.
        """
        if self.is_over:
            return Exchange(is_reused=True)
        if self._has_answer:
            raise httpcore.ConnectionNotAvailable
        return self

    def receive(self, content: bytes) -> bytes:
        """Record received bytes. Empty bytes mean that the server closed the socket.

        The total size of headers is limited here, because httpcore does not limit the number of interim responses
        (RFC 9110, section 15.2).

        Raises:
            UnansweredError: a reused socket was closed before the response.
            httpcore.RemoteProtocolError: the headers are too long.
        """
        if not content and self._is_unanswered:
            raise UnansweredError
        self._has_answer = True
        if not self.feed(content):
            raise httpcore.RemoteProtocolError("the headers of the response are too long")
        return content

    def fail(self, error: Exception) -> None:
        """Report a failed read.

        Raises:
            UnansweredError: a reused socket was reset before the response.
        """
        if self._is_unanswered and _is_reset(error):
            raise UnansweredError from error

    @property
    def _is_unanswered(self) -> bool:
        return self._is_reused and not self._has_answer


#: Errors that mean the end of a connection, from the operating system or from TLS without a closing message.
_ENDED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


def _is_reset(error: Exception) -> bool:
    """Return whether an error of a socket means that the other side ended the connection.

    Timeouts, errors of TLS and other errors of the operating system have another meaning.
    """
    causes = list(_causes(error))
    reasons = [cause for cause in causes if isinstance(cause, OSError)]
    is_broken = any(isinstance(cause, anyio.BrokenResourceError) for cause in causes)
    return all(isinstance(reason, _ENDED) for reason in reasons) and bool(reasons or is_broken)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


class Stream(httpcore.NetworkStream):
    """A network stream with the time limit of the call and the end of the response.

    With a timeout per read alone, a server that sends single bytes could delay a call without limit.
    """

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self.exchange = Exchange()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            content = self._inner.read(max_bytes, remaining(timeout))
        except httpcore.ReadError as error:
            self.exchange.fail(error)
            raise
        return self.exchange.receive(content)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write bytes. The inner stream would apply the timeout to each part that the server accepts."""
        self.exchange = self.exchange.next()
        plain = self._inner.get_extra_info("socket")
        rest = memoryview(buffer)
        try:
            while rest:
                plain.settimeout(remaining(timeout))
                rest = rest[plain.send(rest) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return Stream(self._inner.start_tls(ssl_context, server_hostname, remaining(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return _is_to_close(self.exchange, info) or self._inner.get_extra_info(info)


class AsyncStream(httpcore.AsyncNetworkStream):
    """A network stream for asyncio, where the time limit of a call cancels its steps."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self.exchange = Exchange()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        try:
            content = await self._inner.read(max_bytes, timeout)
        except httpcore.ReadError as error:
            self.exchange.fail(error)
            raise
        return self.exchange.receive(content)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # httpcore's signature
        self.exchange = self.exchange.next()
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        return AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return _is_to_close(self.exchange, info) or self._inner.get_extra_info(info)


def _is_to_close(exchange: Exchange, info: str) -> bool:
    """Return whether the pool must close an idle socket, because its last response is not over."""
    return info == "is_readable" and not exchange.is_over


class PrivateAddressError(httpcore.ConnectError):
    """A private address of a server that only the document declares."""

    def __init__(self) -> None:
        super().__init__("the host has a private address: pass base_url, or allow_private=True")


def _require_public(hosts: Iterable[str]) -> None:
    """Check the addresses of a host. If one of them is private, all are refused.

    The socket is connected to these addresses. A second lookup could return other ones (DNS rebinding).

    Raises:
        PrivateAddressError: an address is private.
    """
    if not all(_is_public(host) for host in hosts):
        raise PrivateAddressError


def _is_public(host: str) -> bool:
    return is_public(ipaddress.ip_address(host.partition("%")[0]))


@contextmanager
def _resolver_errors() -> Iterator[None]:
    """Raise errors of httpcore instead of those of the resolver."""
    try:
        yield
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(str(error)) from error
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error


class Backend(httpcore.SyncBackend):
    """A network backend for blocking calls."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        with _resolver_errors():
            addresses = resolve(host, port, min(remaining(timeout), threading.TIMEOUT_MAX))
        if guarded.get():
            _require_public(addresses)
        problems: list[Exception] = []
        for address in addresses:
            more = (port, remaining(timeout), local_address, socket_options)
            try:
                return Stream(super().connect_tcp(address, *more))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problems.append(error)
        raise problems[0]


class AsyncBackend(httpcore.AnyIOBackend):
    """A network backend for asyncio."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        with _resolver_errors():
            addresses = await aresolve(host, port, timeout)
        if guarded.get():
            _require_public(addresses)
        connect = super().connect_tcp
        more = (port, timeout, local_address, socket_options)
        attempts = [partial(connect, address, *more) for address in alternate_versions(addresses)]
        return AsyncStream(await first_stream(attempts))


# -- transports --------------------------------------------------------------------------------------


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the TLS context of the process; reading the certificates takes longer than most calls."""
    context = httpx.create_ssl_context()
    # The policy of a system may permit less than Python's own default.
    context.minimum_version = max(context.minimum_version, ssl.TLSVersion.TLSv1_2)
    return context


class NotRepeatedError(httpx.RemoteProtocolError):
    """A reused connection that ended before the response; its request must not be sent again."""


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


_NO_TLS: Final = "the server does not use TLS on this port: use http:// instead of https://"


def _is_plain_server(error: BaseException) -> bool:
    """Return whether a TLS handshake failed because the server answered in plain text; OpenSSL has three names for it."""
    names = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")
    return any(f"[SSL: {name}]" in str(error) for name in names)


@contextmanager
def _client_errors() -> Iterator[None]:
    """Raise errors of httpx instead of those of httpcore."""
    try:
        yield
    except Exception as error:
        kind = next((_ERRORS[cause] for cause in type(error).__mro__ if cause in _ERRORS), None)
        if kind is None:
            raise
        raise kind(_NO_TLS if _is_plain_server(error) else str(error)) from error


class _ResponseStream(httpx.SyncByteStream, httpx.AsyncByteStream):
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
        self._end_exchange()
        try:
            self._inner.close()
        finally:
            self._release()

    async def aclose(self) -> None:
        self._end_exchange()
        try:
            await self._inner.aclose()
        finally:
            self._release()

    def _end_exchange(self) -> None:
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
        stream=_ResponseStream(response.stream, exchange, release),
        extensions=response.extensions,
    )


def _pool_settings(
    max_connections: int, backend: Any, proxy: str | None, tls: ssl.SSLContext | None
) -> dict[str, Any]:
    """Return the settings of both pools of a transport."""
    return {
        "ssl_context": _ssl_context() if tls is None else tls,
        "max_connections": max_connections,
        "keepalive_expiry": KEPT_SECONDS,
        "network_backend": backend,
        "proxy": None if proxy is None else _proxy(proxy),
    }


def _proxy(url: str) -> httpcore.Proxy:
    """Return a proxy by its URL, which may have a user and a password."""
    parsed = httpx.URL(url if "://" in url else f"http://{url}")
    user = (parsed.username, parsed.password) if parsed.userinfo else None
    return httpcore.Proxy(str(parsed.copy_with(userinfo=b"")), auth=user)


class Transport(httpx.BaseTransport):
    """A transport with two pools: one reuses sockets, the other opens a new socket for a request that is sent again.

    A semaphore limits the calls, because the queue of a pool checks every socket for every waiting call.
    """

    def __init__(
        self,
        max_connections: int,
        is_repeatable: Callable[[httpx.Request], bool],
        proxy: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Initialize the pools, which open no socket before the first request.

        Args:
            max_connections: the maximum number of open sockets; further calls wait.
            is_repeatable: decides whether a request is sent again if a reused socket was closed before the response.
            proxy: the URL of a proxy.
            tls: the certificates of authorities and of the client; the usual authorities by default.
        """
        given = _pool_settings(max_connections, Backend(), proxy, tls)
        self._is_repeatable = is_repeatable
        self._slots = threading.Semaphore(max_connections)
        self._kept = httpcore.ConnectionPool(**given)
        self._fresh = httpcore.ConnectionPool(**given, max_keepalive_connections=0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with _client_errors():
            seconds = min(remaining(None), threading.TIMEOUT_MAX)
        if not self._slots.acquire(timeout=seconds):
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
            if not self._is_repeatable(request):
                raise
        return self._fresh.handle_request(_outgoing(request))

    def close(self) -> None:
        self._kept.close()
        self._fresh.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """A transport for asyncio. The time limit of a call also ends its wait for a socket."""

    def __init__(
        self,
        max_connections: int,
        is_repeatable: Callable[[httpx.Request], bool],
        proxy: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        given = _pool_settings(max_connections, AsyncBackend(), proxy, tls)
        self._is_repeatable = is_repeatable
        self._slots = asyncio.Semaphore(max_connections)
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
            if not self._is_repeatable(request):
                raise
        return await self._fresh.handle_async_request(_outgoing(request))

    async def aclose(self) -> None:
        await self._kept.aclose()
        await self._fresh.aclose()
