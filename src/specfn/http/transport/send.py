"""Sending of requests and receiving of responses.

A call is written once, as a coroutine (``call_through``). For a blocking call, its input and output never suspend, so the
coroutine runs without an event loop.
"""

import asyncio
import inspect
import math
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import httpx

from specfn._internal.coroutines import run_without_waiting
from specfn._internal.keyword_arguments import known_keywords, known_keywords_async
from specfn._internal.url import shown
from specfn.errors import HTTPStatusError, TransportError, UsageError, wrong_result
from specfn.http.connection import Connection
from specfn.http.redact import RedactedURL, without_body
from specfn.http.request import base_url
from specfn.http.request.request import additions, finish, prepare, sync_result
from specfn.http.response import validate_response
from specfn.http.response.response import Result, decode
from specfn.http.transport import clients, network, pool
from specfn.http.transport.failure import failure
from specfn.http.transport.inflate import BrokenEncodingError, Inflater
from specfn.http.transport.retry import redirect, retry_delay
from specfn.migrate.route import CallableFunction as Function


@known_keywords
def execute(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation, and return its successful response.

    Args:
        function: the function.
        arguments: its arguments, in the calling style of the function. They are validated. ``None`` means no arguments.
        connection: the base URL, the credentials and the limits.

    Raises:
        ArgumentError: the arguments are invalid; nothing was sent.
        UsageError: the connection does not fit the operation; nothing was sent.
        HTTPStatusError: the status of the response is not 2xx; the error has the ``Result``.
        TransportError: no complete response was received.
    """
    return successful(propagate(function, arguments, connection), function)


@known_keywords
def propagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation, and return its response with any status. Otherwise like ``execute``."""
    return run_without_waiting(call_through(function, arguments, connection, BlockingTransfer()))


def propagate_within(
    function: Function, arguments: Any, connection: Connection, seconds: float
) -> Result:
    """Call an operation like ``propagate``, with a further limit on the total seconds."""
    return run_without_waiting(
        call_through(function, arguments, connection, BlockingTransfer(), seconds)
    )


@known_keywords_async
async def aexecute(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation asynchronously, and return its successful response."""
    return successful(await apropagate(function, arguments, connection), function)


@known_keywords_async
async def apropagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call an operation asynchronously, and return its response with any status."""
    return await call_through(function, arguments, connection, AwaitingTransfer())


@known_keywords
def forward(request: httpx.Request, connection: Connection) -> Result:
    """Send a complete request, such as ``result.next_request``, and return the response.

    Limits, hooks, retries and redirects apply as for any other call.

    Raises:
        UsageError: the URL has no origin of the connection; nothing was sent.
        TransportError: no complete response was received.
    """
    return run_without_waiting(forward_through(request, connection, BlockingTransfer()))


@known_keywords_async
async def aforward(request: httpx.Request, connection: Connection) -> Result:
    """Send a complete request asynchronously, and return the response."""
    return await forward_through(request, connection, AwaitingTransfer())


def successful(result: Result, function: Function) -> Result:
    """Return a response with a status of success.

    Raises:
        HTTPStatusError: the status is not 2xx.
    """
    if not result.ok:
        route = function.route
        raise HTTPStatusError(result, f"{route.method.upper()} {route.path} ({function.name})")
    return result


#: The errors of httpx and of the decompression.
_FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, BrokenEncodingError)


async def call_through(
    function: Function,
    arguments: Any,
    connection: Connection | None,
    io: "BlockingTransfer | AwaitingTransfer",
    within: float = math.inf,
) -> Result:
    """Perform one call: credentials, the request, redirects, retries and hooks."""
    draft = prepare(function, arguments, connection)
    assert connection is not None
    connection.require_open()
    credentials = {}
    for name in draft.schemes:
        source = connection.credentials[name]
        credentials[name] = (
            await io.result_of(source, f"the credential {name!r}") if callable(source) else source
        )
    is_guarded = not draft.base.trusted and not connection.allow_private
    request = finish(draft, additions(draft, credentials, connection))
    result = await _exchange(request, connection, io, is_guarded=is_guarded, within=within)
    if connection.validate_response != "off":
        validate_response.check(function, result, connection.validate_response)
    return await _after(result, connection, io)


async def forward_through(
    request: httpx.Request, connection: Connection, io: "BlockingTransfer | AwaitingTransfer"
) -> Result:
    """Send one request of the caller to an origin of the connection."""
    connection.require_open()
    is_known = base_url.origin_of(request.url) in base_url.allowed_origins(connection)
    if not is_known and not connection.trust_servers:
        raise UsageError(
            f"{shown(str(request.url))} has none of the connection's origins: "
            "add its origin to connection.origins to allow it"
        )
    is_guarded = not is_known and not connection.allow_private
    result = await _exchange(request, connection, io, is_guarded=is_guarded)
    return await _after(result, connection, io)


async def _after(
    result: Result, connection: Connection, io: "BlockingTransfer | AwaitingTransfer"
) -> Result:
    if connection.after is None:
        return result
    changed = await io.result_of(partial(connection.after, result), "connection.after")
    if changed is not None and not isinstance(changed, Result):
        expected = "a Result, or None to keep the one it was given"
        raise wrong_result("connection.after", changed, expected, sent=True)
    return result if changed is None else changed


async def _exchange(
    request: httpx.Request,
    connection: Connection,
    io: "BlockingTransfer | AwaitingTransfer",
    *,
    is_guarded: bool,
    within: float = math.inf,
) -> Result:
    """Send a request, and follow redirects and retry as the connection allows."""
    until = time.monotonic() + min(connection.limits.total, within)
    hops, retries, is_first = 0, connection.retries, True
    while True:
        outgoing = request
        if connection.before is not None:
            hook = partial(connection.before, request)
            changed = await io.result_of(hook, "connection.before")
            outgoing = request if changed is None else _as_request(changed)
        result = await io.send(_Attempt(outgoing, connection, until, is_guarded, is_first))
        is_first = False
        seconds = retry_delay(request, result, until - time.monotonic()) if retries else None
        onward = redirect(request, result) if connection.redirects == "same-origin" else None
        if seconds is not None:
            retries -= 1
            await io.pause(seconds)
        elif onward is not None and hops < 5:
            hops += 1
            request = onward
        else:
            return result


def _as_request(changed: Any) -> httpx.Request:
    if not isinstance(changed, httpx.Request):
        expected = "an httpx.Request, or None to keep the one it was given"
        raise wrong_result("connection.before", changed, expected)
    return changed


class BlockingTransfer:
    """Input and output of a blocking call. No coroutine here suspends."""

    async def result_of(self, source: Callable[[], Any], name: str) -> Any:
        """Call a function of the caller, which must not be async."""
        return sync_result(source(), name)

    async def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)  # noqa: ASYNC251  # there is no event loop

    async def send(self, attempt: "_Attempt") -> Result:
        """Send one request."""
        return attempt.send()


class AwaitingTransfer:
    """Input and output of an asynchronous call."""

    async def result_of(self, source: Callable[[], Any], _: str) -> Any:
        """Call a function of the caller, which may be async."""
        value = source()
        return await value if inspect.isawaitable(value) else value

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def send(self, attempt: "_Attempt") -> Result:
        """Send one request."""
        return await attempt.asend()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One request that is sent, and its response, within the limits of the connection."""

    request: httpx.Request
    connection: Connection
    until: float
    is_guarded: bool
    is_first: bool

    def send(self) -> Result:
        self._prepare()
        limit = network.deadline.set(self.until)
        guard = network.guarded.set(self.is_guarded)
        try:
            response = self._opened()
            try:
                inflater = self._inflater(response)
                for chunk in _chunks(response):
                    if not inflater.feed(chunk) or self._is_over():
                        break
            finally:
                response.close()
            return self._result(response, inflater)
        except _FAILURES as error:
            problem = self._failure(error)
        finally:
            network.deadline.reset(limit)
            network.guarded.reset(guard)
        raise problem  # outside of the handler, so that the error of httpx is not its context

    async def asend(self) -> Result:
        self._prepare()
        guard = network.guarded.set(self.is_guarded)
        try:
            async with asyncio.timeout(self.until - time.monotonic()):
                response = await self._aopened()
                try:
                    inflater = self._inflater(response)
                    async with aclosing(_achunks(response)) as chunks:
                        async for chunk in chunks:
                            if not inflater.feed(chunk):
                                break
                finally:
                    await response.aclose()
            return self._result(response, inflater)
        except (*_FAILURES, TimeoutError) as error:
            problem = self._failure(error)
        finally:
            network.guarded.reset(guard)
        raise problem

    def _prepare(self) -> None:
        timeout = self.connection.limits
        self.request.url = RedactedURL(self.request.url)  # a hook may have replaced the request
        self.request.extensions = {
            **self.request.extensions,
            "timeout": {
                "connect": timeout.connect,
                "pool": timeout.total,
                "read": timeout.read,
                "write": timeout.read,
            },
        }

    def _opened(self) -> httpx.Response:
        client = self.connection.client
        if client is not None:
            return clients.send(client, self.request)
        if self.connection.async_client is not None:
            raise UsageError("the connection has an async_client only: use aexecute or apropagate")
        return pool.transport(self.connection).handle_request(self.request)

    async def _aopened(self) -> httpx.Response:
        client = self.connection.async_client
        if client is not None:
            return await clients.asend(client, self.request)
        if self.connection.client is not None:
            raise UsageError("the connection has a client only: use execute or propagate")
        transport = await pool.atransport(self.connection)
        return await transport.handle_async_request(self.request)

    def _inflater(self, response: httpx.Response) -> Inflater:
        is_raw = not response.is_stream_consumed
        encoding = response.headers.get("content-encoding", "") if is_raw else ""
        return Inflater(encoding, self.connection.max_bytes)

    def _result(self, response: httpx.Response, inflater: Inflater) -> Result:
        if self._is_over():
            raise httpx.ReadTimeout("")
        headers = dict(response.headers.items())
        return decode(
            response.status_code,
            headers,
            inflater.content(),
            truncated=inflater.truncated,
            request=self._followed("link" in headers or response.status_code == 202),
        )

    def _followed(self, is_linked: bool) -> httpx.Request | None:  # noqa: FBT001  # private
        """Return the request to which links of the response are relative."""
        if self.request.method == "GET" and not self.request.headers.get("content-length"):
            return self.request
        return without_body(self.request) if is_linked else None

    def _is_over(self) -> bool:
        return time.monotonic() > self.until

    def _failure(self, error: Exception) -> TransportError:
        timeout = self.connection.limits
        is_over = self._is_over() or isinstance(error, TimeoutError)
        return failure(error, self.request, timeout, is_over=is_over, is_first=self.is_first)


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    """Return the chunks of a response. A client of the caller may have read them already."""
    return (response.content,) if response.is_stream_consumed else response.iter_raw()


def _achunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    chunks = _once(response.content) if response.is_stream_consumed else response.aiter_raw()
    return cast("AsyncGenerator[bytes, None]", chunks)


async def _once(content: bytes) -> AsyncGenerator[bytes, None]:
    yield content
