"""The sockets of calls, below httpcore's connections.

Their steps end with the call. They bound heads, know where a response ends, and meet no private address.
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

#: Whether the call goes where only the document asks to go, so that no private address may be met (T5).
guarded: ContextVar[bool] = ContextVar("guarded", default=False)

#: When the call that this thread is making must be over, by the monotonic clock.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))

#: The most bytes of all heads of a response: httpcore takes one of 100 KiB, and reads 64 KiB at once.
_HEAD: Final = 256 * 1024


def left(timeout: float | None) -> float:
    """The timeout of one step, within what is left of the whole call."""
    left = deadline.get() - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(timeout, left)


class UnansweredError(httpcore.RemoteProtocolError):
    """A kept socket was closed or reset with no byte of a response (RFC 9112, section 9.3.1)."""


class Exchange:
    """One request and its response on a socket: what has arrived, and where the response ends.

    A socket takes another request only after a response that ended exactly where it should. This is the default:
    if nobody reports the end, the socket is not used again.

    Attributes:
        is_over: whether the whole response has arrived, and nothing beyond it.
    """

    __slots__ = ("_body", "_has_answer", "_head", "_is_reused", "is_over")

    def __init__(self, *, is_reused: bool = False) -> None:
        self.is_over = False
        self._is_reused = is_reused
        self._has_answer = False
        self._head = bytearray()
        self._body: Framing | None = None

    def next(self) -> "Exchange":
        """Return the exchange that bytes to send belong to: this one, or another on the same socket.

        Raises:
            httpcore.ConnectionNotAvailable: the response before is not over; the pool takes another socket.
        """
        if self.is_over:
            return Exchange(is_reused=True)
        if self._has_answer:
            raise httpcore.ConnectionNotAvailable
        return self

    def arrived(self, content: bytes) -> bytes:
        """Take bytes that arrived; none at all mean that the server closed the socket.

        Heads are bounded here: the client bounds one head, not the number of interim responses (RFC 9110, 15.2).

        Raises:
            UnansweredError: a kept socket was closed before the response began.
            httpcore.RemoteProtocolError: the head has no end.
        """
        if not content and self._is_unanswered:
            raise UnansweredError
        self._has_answer = True
        if self._body is not None:
            self._body.feed(content)
        else:
            self._head += content
            if len(self._head) > _HEAD:
                raise httpcore.RemoteProtocolError("the head of the response has no end")
        return content

    def failed(self, error: Exception) -> None:
        """Report a failed read.

        Raises:
            UnansweredError: a kept socket was reset before the response began.
        """
        if self._is_unanswered and _is_reset(error):
            raise UnansweredError from error

    @property
    def _is_unanswered(self) -> bool:
        return self._is_reused and not self._has_answer

    def head_ended(self, method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Report that the client has read the head of the response."""
        rest = after_head(self._head)
        self._body = Unknown() if rest is None else framing(method, status, headers)
        self._body.feed(rest or b"")
        self._head.clear()

    def end(self) -> None:
        """Report that the response is not read any further."""
        self.is_over = self._body is not None and self._body.is_complete


#: The end of a connection, told by the operating system, or within TLS without a closing message.
_ENDED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


def _is_reset(error: Exception) -> bool:
    """Return whether an error of a socket means that the other side ended the connection.

    A timeout, an error of TLS, and any other error of the operating system mean something else.
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
    """A network stream whose steps end with the call, and that knows where a response ends.

    A timeout per read alone would let a server that sends a byte at a time hold a call for ever.
    """

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self.exchange = Exchange()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            content = self._inner.read(max_bytes, left(timeout))
        except httpcore.ReadError as error:
            self.exchange.failed(error)
            raise
        return self.exchange.arrived(content)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.exchange = self.exchange.next()
        self._inner.write(buffer, left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return Stream(self._inner.start_tls(ssl_context, server_hostname, left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return _is_to_close(self.exchange, info) or self._inner.get_extra_info(info)


class AsyncStream(httpcore.AsyncNetworkStream):
    """The same for asyncio, where a call's end cancels its steps."""

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
    """Return whether a pool that asks about an idle socket has to close it, because the last response is not over."""
    return info == "is_readable" and not exchange.is_over


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


class Backend(httpcore.SyncBackend):
    """Opens sockets for blocking calls."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        more = (port, left(timeout), local_address, socket_options)
        if not guarded.get():
            return Stream(super().connect_tcp(host, *more))
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        stream = super().connect_tcp(_checked(found), *more)
        try:
            return Stream(_met(stream))
        except PrivateAddressError:
            stream.close()
            raise


class AsyncBackend(httpcore.AnyIOBackend):
    """The same for asyncio."""

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
        stream = await super().connect_tcp(_checked(found), *more)
        try:
            return AsyncStream(_met(stream))
        except PrivateAddressError:
            await stream.aclose()
            raise
