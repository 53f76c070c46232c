"""The sockets of calls, as a network backend of httpcore.

Reads and writes respect the time limit of the call. The size of response headers is limited, the end of a response is
known, and private addresses are refused.
"""

import asyncio
import ipaddress
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

import anyio
import httpcore

from specfn.http.address import is_public
from specfn.http.transport.framing import Framing, Unknown, after_head, framing
from specfn.http.transport.resolve import aresolve, resolve

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


#: Seconds until the next address of a host is tried as well (RFC 8305, section 8).
_HEAD_START: Final = 0.25


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
        addresses = await aresolve(host, port, timeout)
        if guarded.get():
            _require_public(addresses)
        connect = super().connect_tcp
        more = (port, timeout, local_address, socket_options)
        attempts = [partial(connect, address, *more) for address in _alternate(addresses)]
        return AsyncStream(await _first_stream(attempts))


def _alternate(addresses: list[str]) -> list[str]:
    """Return addresses with the first one of the other IP version in the second place (RFC 8305, section 4)."""
    is_first_v6 = ":" in addresses[0]
    other = [address for address in addresses[1:] if (":" in address) != is_first_v6][:1]
    return [addresses[0], *other, *(a for a in addresses[1:] if a not in other)]


async def _first_stream(
    attempts: Iterable[Callable[[], Coroutine[Any, Any, httpcore.AsyncNetworkStream]]],
) -> httpcore.AsyncNetworkStream:
    """Return the first stream; an attempt begins when one before it failed, or after its head start."""
    waiting = deque(attempts)
    tasks: list[asyncio.Task[httpcore.AsyncNetworkStream]] = []
    winner: asyncio.Task[httpcore.AsyncNetworkStream] | None = None
    try:
        while winner is None:
            pending = [task for task in tasks if not task.done()]
            if waiting:
                pending.append(asyncio.create_task(waiting.popleft()()))
                tasks.append(pending[-1])
            elif not pending:
                return await tasks[0]  # raises the first problem
            head_start = _HEAD_START if waiting else None
            await asyncio.wait(pending, timeout=head_start, return_when=asyncio.FIRST_COMPLETED)
            winner = next((task for task in tasks if _has_stream(task)), None)
        return winner.result()
    finally:
        losers = [task for task in tasks if task is not winner]
        for task in losers:
            task.cancel()
        for outcome in await asyncio.gather(*losers, return_exceptions=True):
            if isinstance(outcome, httpcore.AsyncNetworkStream):
                await outcome.aclose()


def _has_stream(task: asyncio.Task[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
