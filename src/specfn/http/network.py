"""The sockets of calls: whose steps end with the call, that take no head without end, and meet no private address.

They stand below httpcore's connections, which read and write through them.
"""

import asyncio
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Final

import httpcore

from specfn.http.address import is_public

#: Whether the call goes where only the document asks to go, so that no private address may be met (T5).
guarded: ContextVar[bool] = ContextVar("guarded", default=False)

#: When the call that this thread is making must be over, by the monotonic clock.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))

#: The most bytes before an answer begins: httpcore takes a head of 100 KiB, and reads 64 KiB at once.
_HEAD: Final = 256 * 1024


def left(timeout: float | None) -> float:
    """The timeout of one step, within what is left of the whole call."""
    left = deadline.get() - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(timeout, left)


class Head:
    """Counts what arrives before an answer begins: one head, and interim answers without end (RFC 9110, 15.2).

    The client bounds one head, not how many there are, and each costs it more than it costs the server.
    """

    __slots__ = ("_room",)

    def __init__(self) -> None:
        self._room = _HEAD

    def begin(self) -> None:
        """A request is sent."""
        self._room = _HEAD

    def end(self) -> None:
        """The answer begins; what its content may be is for the reader to say."""
        self._room = -1

    def arrived(self, content: bytes) -> bytes:
        """Some bytes of the answer, or of what comes before it."""
        if self._room >= 0:
            self._room -= len(content)
            if self._room < 0:
                raise httpcore.RemoteProtocolError("the head of the answer has no end")
        return content


class Stream(httpcore.NetworkStream):
    """A network stream whose steps end with the call, and that takes no head without end.

    A timeout per read alone would let a server that sends a byte at a time hold a call for ever.
    """

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self.head = Head()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.head.arrived(self._inner.read(max_bytes, left(timeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.head.begin()
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
        return self._inner.get_extra_info(info)


class AsyncStream(httpcore.AsyncNetworkStream):
    """The same for asyncio, where a call's end cancels its steps."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self.head = Head()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        return self.head.arrived(await self._inner.read(max_bytes, timeout))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # likewise
        self.head.begin()
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
