"""The sockets of a connection: pooled transports of its own, or an httpx client of the caller.

A transport is closed with its connection. It is not the client of httpx, which would keep cookies between calls, log
complete URLs, and read ``netrc`` and proxy variables.
"""

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, cast

import httpx

from specfn.errors import UsageError
from specfn.http.connection import AsyncHTTPClient, Connection, HTTPClient, reveal
from specfn.http.redacted_request import (
    ANONYMOUS,
    RedactedHeaders,
    hide_queries_in_log,
    redacted_class,
)
from specfn.http.redirects_and_retries import is_repeatable
from specfn.network.response_body import ReceivedResponse
from specfn.network.sockets import AsyncTransport, Transport

_lock = threading.Lock()
#: The transports by the identity of their connection, and whether its ``tls`` applies.
_Key: TypeAlias = tuple[int, bool]
_transports: dict[_Key, httpx.BaseTransport] = {}
_by_loop: dict[asyncio.AbstractEventLoop, "_LoopTransports"] = {}

if hasattr(os, "register_at_fork"):  # two processes must not share a socket
    os.register_at_fork(after_in_child=_transports.clear)


def _settings(connection: Connection, request: httpx.Request) -> tuple[_Key, tuple[Any, ...]]:
    """Return the key of the transport for a request, and the arguments that create it."""
    is_own = connection.tls is None or ANONYMOUS not in request.extensions
    proxy = None if connection.proxy is None else reveal(connection.proxy)
    tls = connection.tls if is_own else None
    return (id(connection), is_own), (connection.max_connections, is_repeatable, proxy, tls)


def transport(connection: Connection, request: httpx.Request) -> httpx.BaseTransport:
    """Return the pooled transport of a connection, by identity; it is closed with the connection."""
    key, arguments = _settings(connection, request)
    with _lock:
        if key not in _transports:
            _transports[key] = transport = Transport(*arguments)
            close = weakref.finalize(connection, _close, key, transport)
            connection.on_close(close, partial(_aclose, close))
        return _transports[key]


def _close(key: _Key, transport: httpx.BaseTransport) -> None:
    _transports.pop(key, None)
    transport.close()


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

    owned: dict[_Key, tuple[httpx.AsyncBaseTransport, "weakref.finalize[Any, Connection]"]]
    retired: list[httpx.AsyncBaseTransport]
    keeper: AsyncGenerator[None, None]


async def atransport(connection: Connection, request: httpx.Request) -> httpx.AsyncBaseTransport:
    """Return the transport of a connection for the running event loop; it is closed with either."""
    transports = await _transports_of(asyncio.get_running_loop())
    while transports.retired:
        await transports.retired.pop().aclose()
    key, arguments = _settings(connection, request)
    if key not in transports.owned:
        transport = AsyncTransport(*arguments)
        retire = weakref.finalize(connection, _retire, transports, key)
        transports.owned[key] = (transport, retire)
        connection.on_close(retire, partial(_aretire, retire))
    return transports.owned[key][0]


async def _transports_of(loop: asyncio.AbstractEventLoop) -> _LoopTransports:
    if loop not in _by_loop:
        for closed in [other for other in _by_loop if other.is_closed()]:
            del _by_loop[closed]
        keeper = _keep(loop)
        _by_loop[loop] = _LoopTransports({}, [], keeper)
        await anext(keeper)
    return _by_loop[loop]


def _retire(transports: _LoopTransports, key: _Key) -> None:
    """Set a transport aside, to be closed in its event loop."""
    if key in transports.owned:
        transports.retired.append(transports.owned.pop(key)[0])


async def _aretire(retire: Callable[[], Any]) -> None:
    """Retire a transport, and close the retired transports of the running loop."""
    retire()
    transports = _by_loop.get(asyncio.get_running_loop())
    while transports and transports.retired:
        await transports.retired.pop().aclose()


async def _keep(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
    """Close the transports of an event loop when the loop closes this generator."""
    try:
        yield
    finally:
        transports = _by_loop.pop(loop)
        for transport, finalizer in transports.owned.values():
            alive = finalizer.detach()
            if alive is not None:
                alive[0].forget_closer(finalizer)
            await transport.aclose()
        for transport in transports.retired:
            await transport.aclose()


# -- clients of the caller ----------------------------------------------------------------------------

#: The events after which a client has a new socket: its ``trace`` extension names them.
_OPENED: Final = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")

#: The response that each socket of a client receives.
_received: "weakref.WeakKeyDictionary[Any, ReceivedResponse]" = weakref.WeakKeyDictionary()


def send_with_client(
    client: HTTPClient, request: httpx.Request, *, authenticates: bool
) -> httpx.Response:
    """Send a request with a client of the caller; return the response when its headers have arrived.

    With ``authenticates``, the authentication of the client and its header ``Authorization`` apply.

    The client reads its sockets itself, so each new socket is made to count what it receives. A socket with bytes
    beyond the response is closed after it, and so is a socket that the client opened for other requests.
    """
    own = request.extensions.get("trace")

    def trace(event: str, info: dict[str, Any]) -> None:
        if event.endswith(_OPENED):
            _count_bytes(info["return_value"])
        if own is not None:
            own(event, info)

    request.extensions = {**request.extensions, "trace": trace}
    request.read()
    sent = _request_for(client, request, authenticates=authenticates)
    without = {} if authenticates else {"auth": None}
    with errors_of_httpx(client):
        response = client.send(sent, stream=True, follow_redirects=False, **without)
    return _guard(request, _response_of(client, response, sent, request))


async def asend_with_client(
    client: AsyncHTTPClient, request: httpx.Request, *, authenticates: bool
) -> httpx.Response:
    """Send a request like ``send_with_client``, asynchronously."""
    own = request.extensions.get("trace")

    async def trace(event: str, info: dict[str, Any]) -> None:
        if event.endswith(_OPENED):
            _count_bytes_async(info["return_value"])
        if own is not None:
            await own(event, info)

    request.extensions = {**request.extensions, "trace": trace}
    await request.aread()
    sent = _request_for(client, request, authenticates=authenticates)
    without = {} if authenticates else {"auth": None}
    with errors_of_httpx(client):
        response = await client.send(sent, stream=True, follow_redirects=False, **without)
    return _guard(request, _response_of(client, response, sent, request))


# Clients of other libraries with the interface of httpx, such as httpx2: nothing of them is imported. Their requests and
# responses are made of, and become, those of httpx.


def _is_foreign(client: Any) -> bool:
    return not isinstance(client, httpx.Client | httpx.AsyncClient)


def _request_for(client: Any, request: httpx.Request, *, authenticates: bool) -> Any:
    """Return a request for a client, in the class of its library.

    Raises:
        UsageError: its library would change the URL.
    """
    if authenticates and "authorization" in client.headers:
        request.headers.setdefault("Authorization", client.headers["authorization"])
    if not _is_foreign(client):
        hide_queries_in_log()
        return request
    kind = client.build_request("GET", "https://localhost").__class__
    hide_queries_in_log(kind.__module__.partition(".")[0])
    own = kind(
        request.method,
        str(request.url),
        headers=request.headers.raw,
        content=request.content,
        extensions=request.extensions,
    )
    own.method = request.method
    own.url = redacted_class(own.url.__class__)(own.url)
    if str(own.url) != str(request.url) or own.url.raw_path != request.url.raw_path:
        raise UsageError("the client of the connection would change the URL of the request")
    return own


def _response_of(client: Any, response: Any, sent: Any, request: httpx.Request) -> httpx.Response:
    """Return a response of a client as one of httpx. The request gets the headers that the client added."""
    if not _is_foreign(client):
        return cast("httpx.Response", response)
    request.headers = RedactedHeaders(sent.headers.raw)
    headers = response.headers.raw
    if response.is_stream_consumed:  # by a hook of the client
        headers = [pair for pair in headers if pair[0].lower() != b"content-encoding"]
        return httpx.Response(response.status_code, headers=headers, content=response.content)
    body = _ForeignBody(client, response)
    extensions = response.extensions
    return httpx.Response(response.status_code, headers=headers, stream=body, extensions=extensions)


@contextmanager
def errors_of_httpx(client: Any) -> Iterator[None]:
    """Raise the errors of httpx instead of those of a client's library, which have the same names."""
    try:
        yield
    except Exception as error:
        library = type(client).__module__.partition(".")[0]
        names = [
            kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith(library)
        ]
        kind = next((getattr(httpx, name) for name in names if hasattr(httpx, name)), None)
        if kind is None or not _is_foreign(client):
            raise
        raise kind(str(error)) from error


class _ForeignBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response of another library."""

    def __init__(self, client: Any, response: Any) -> None:
        self._client = client
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with errors_of_httpx(self._client):
            yield from self._response.iter_raw()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with errors_of_httpx(self._client):
            async for chunk in self._response.aiter_raw():
                yield chunk

    def close(self) -> None:
        self._response.close()

    async def aclose(self) -> None:
        await self._response.aclose()


def _count_bytes(socket: Any) -> None:
    """Count the bytes that a socket of a client receives."""
    read, received = socket.read, ReceivedResponse()

    def read_and_count(*args: Any, **kwargs: Any) -> bytes:
        content: bytes = read(*args, **kwargs)
        _received[socket].feed(content)
        return content

    _received[socket] = received
    socket.read = read_and_count


def _count_bytes_async(socket: Any) -> None:
    read, received = socket.read, ReceivedResponse()

    async def read_and_count(*args: Any, **kwargs: Any) -> bytes:
        content: bytes = await read(*args, **kwargs)
        _received[socket].feed(content)
        return content

    _received[socket] = received
    socket.read = read_and_count


def _guard(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Return an HTTP/1 response with a body that guards its socket; any other response as it is."""
    socket = response.extensions.get("network_stream")
    if socket is not None and response.http_version.startswith("HTTP/1"):
        if socket in _received:
            _received[socket].head_ended(request.method, response.status_code, response.headers.raw)
        response.stream = _GuardedBody(response.stream, socket)
    return response


class _GuardedBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response. Closing it also closes the socket, unless the socket is known to be free of further bytes."""

    def __init__(self, inner: Any, socket: Any) -> None:
        self._inner = inner
        self._socket = socket

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", aiter(self._inner))

    def close(self) -> None:
        if not self._is_over():
            self._socket.close()
        self._inner.close()

    async def aclose(self) -> None:
        if not self._is_over():
            await self._socket.aclose()
        await self._inner.aclose()

    def _is_over(self) -> bool:
        """Return whether the socket received exactly the response; the next one is counted from the start."""
        received = _received.get(self._socket)
        if received is None:
            return False
        received.end()
        _received[self._socket] = ReceivedResponse()
        return received.is_over
