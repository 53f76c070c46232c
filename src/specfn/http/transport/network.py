"""The sockets of calls, as a network backend of httpcore.

Reads and writes respect the time limit of the call. The size of response headers is limited, the end of a response is
known, and private addresses are refused.
"""

import asyncio
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Final

import anyio
import httpcore

from specfn.http.address import is_public
from specfn.http.transport.framing import Framing, Unknown, after_head, framing

#: Whether only the document declares the server, so that private addresses are refused (T5).
guarded: ContextVar[bool] = ContextVar("guarded", default=False)

#: The end of the current blocking call, by the monotonic clock.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))

#: The maximum size of all headers of a response: httpcore accepts 100 KiB, and reads 64 KiB at once.
_HEAD: Final = 256 * 1024


def remaining(timeout: float | None) -> float:
    """Return the timeout of one step, limited by the remaining time of the call."""
    seconds = deadline.get() - time.monotonic()
    if seconds <= 0:
        raise httpcore.ReadTimeout
    return seconds if timeout is None else min(timeout, seconds)


class UnansweredError(httpcore.RemoteProtocolError):
    """A reused socket that was closed or reset before the response (RFC 9112, section 9.3.1)."""


class Exchange:
    """One request and its response on a socket.

    A socket is reused only if the previous response ended exactly at the end of its framing. If ``end`` is never
    called, the socket is not used again.

    Attributes:
        is_over: whether the whole response was received, and no further bytes.
    """

    __slots__ = ("_body", "_has_answer", "_head", "_is_reused", "is_over")

    def __init__(self, *, is_reused: bool = False) -> None:
        self.is_over = False
        self._is_reused = is_reused
        self._has_answer = False
        self._head = bytearray()
        self._body: Framing | None = None

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

    def arrived(self, content: bytes) -> bytes:
        """Take received bytes. Empty bytes mean that the server closed the socket.

        The total size of headers is limited here, because httpcore does not limit the number of interim responses
        (RFC 9110, section 15.2).

        Raises:
            UnansweredError: a reused socket was closed before the response.
            httpcore.RemoteProtocolError: the headers are too long.
        """
        if not content and self._is_unanswered:
            raise UnansweredError
        self._has_answer = True
        if self._body is not None:
            self._body.feed(content)
        else:
            self._head += content
            if len(self._head) > _HEAD:
                raise httpcore.RemoteProtocolError("the headers of the response are too long")
        return content

    def failed(self, error: Exception) -> None:
        """Report a failed read.

        Raises:
            UnansweredError: a reused socket was reset before the response.
        """
        if self._is_unanswered and _is_reset(error):
            raise UnansweredError from error

    @property
    def _is_unanswered(self) -> bool:
        return self._is_reused and not self._has_answer

    def head_ended(self, method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Report that httpcore has read the headers of the response."""
        rest = after_head(self._head)
        self._body = Unknown() if rest is None else framing(method, status, headers)
        self._body.feed(rest or b"")
        self._head.clear()

    def end(self) -> None:
        """Report that the response will not be read further."""
        self.is_over = self._body is not None and self._body.is_complete


#: Errors that mean the end of a connection, from the operating system or from TLS without a closing message.
_ENDED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


def _is_reset(error: Exception) -> bool:
    """Return whether an error of a socket means that the other side ended the connection.

    Timeouts, errors of TLS and other errors of the operating system have another meaning.
    """
    causes = list(_causes(error))
    reasons = [each for each in causes if isinstance(each, OSError)]
    is_broken = any(isinstance(each, anyio.BrokenResourceError) for each in causes)
    return all(isinstance(each, _ENDED) for each in reasons) and bool(reasons or is_broken)


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
            self.exchange.failed(error)
            raise
        return self.exchange.arrived(content)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.exchange = self.exchange.next()
        self._inner.write(buffer, remaining(timeout))

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
            self.exchange.failed(error)
            raise
        return self.exchange.arrived(content)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # likewise
        self.exchange = self.exchange.next()
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # likewise
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


def _public_host(found: Iterable[Any]) -> str:
    """Return the address to connect to. If any address of a host is private, all of its addresses are refused.

    The socket is connected to this address. A second lookup could return another one (DNS rebinding).
    """
    hosts = [str(entry[4][0]) for entry in found]
    if not hosts or not all(_is_public(host) for host in hosts):
        raise PrivateAddressError
    return hosts[0]


def _is_public(host: str) -> bool:
    return is_public(ipaddress.ip_address(host.partition("%")[0]))


def _checked_peer(stream: Any) -> Any:
    """Return the stream if its peer has a public address."""
    if not _is_public(stream.get_extra_info("server_addr")[0]):
        raise PrivateAddressError
    return stream


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
        more = (port, remaining(timeout), local_address, socket_options)
        if not guarded.get():
            return Stream(super().connect_tcp(host, *more))
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        stream = super().connect_tcp(_public_host(found), *more)
        try:
            return Stream(_checked_peer(stream))
        except PrivateAddressError:
            stream.close()
            raise


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
        more = (port, timeout, local_address, socket_options)
        if not guarded.get():
            return AsyncStream(await super().connect_tcp(host, *more))
        try:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        stream = await super().connect_tcp(_public_host(found), *more)
        try:
            return AsyncStream(_checked_peer(stream))
        except PrivateAddressError:
            await stream.aclose()
            raise
