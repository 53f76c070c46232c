"""Sending: the only place where a request leaves, and an answer arrives.

What happens is written once, as a generator of steps (``_call``); each step knows how to be done
with and without ``await``, and the two drivers only pass the answers on.
"""

import asyncio
import inspect
import math
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, cast

import httpx

from specfn._internal.keyword_arguments import known_keywords, known_keywords_async
from specfn._internal.url import shown
from specfn.errors import HTTPStatusError, TransportError, UsageError, wrong_result
from specfn.http.connection import Connection
from specfn.http.redact import CoveredURL, bodiless
from specfn.http.request import base_url
from specfn.http.request.request import additions, finish, immediate, prepare
from specfn.http.response import validate_response
from specfn.http.response.response import Result, decode
from specfn.http.transport import clients, network, pool
from specfn.http.transport.failure import failure
from specfn.http.transport.inflate import BrokenEncodingError, Inflater
from specfn.http.transport.retry import pause, redirected
from specfn.http.transport.steps import Step, adrive, drive
from specfn.migrate.route import CallableFunction as Function


@known_keywords
def execute(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call the operation; the answer must be a success.

    Args:
        function: what is called.
        arguments: its arguments, in the function's own calling style; they are validated again. ``None`` for none.
        connection: where, as whom, and within which limits.

    Raises:
        ArgumentError: the arguments are not valid; nothing was sent.
        UsageError: the connection does not fit the operation; nothing was sent.
        HTTPStatusError: the server answered outside 2xx; the error has the ``Result``.
        TransportError: the server could not be reached, or broke off.
    """
    return _successful(propagate(function, arguments, connection), function)


@known_keywords
def propagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """Call the operation and return whatever the server answers. Raises as ``execute`` otherwise."""
    return drive(_call(function, arguments, connection))


def propagate_within(
    function: Function, arguments: Any, connection: Connection, seconds: float
) -> Result:
    """``propagate`` with a total timeout of at most so many seconds."""
    return drive(_call(function, arguments, connection, seconds))


@known_keywords_async
async def aexecute(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """``execute`` for asyncio."""
    return _successful(await apropagate(function, arguments, connection), function)


@known_keywords_async
async def apropagate(
    function: Function, arguments: Any = None, connection: Connection | None = None
) -> Result:
    """``propagate`` for asyncio."""
    return await adrive(_call(function, arguments, connection))


@known_keywords
def forward(request: httpx.Request, connection: Connection) -> Result:
    """Send a request that is ready, such as ``result.next_request``, and return the answer.

    Limits, hooks, retries and redirects are those of any other call.

    Raises:
        UsageError: the request goes to no origin of the connection; nothing was sent.
        TransportError: the server could not be reached, or broke off.
    """
    return drive(_forward(request, connection))


@known_keywords_async
async def aforward(request: httpx.Request, connection: Connection) -> Result:
    """``forward`` for asyncio."""
    return await adrive(_forward(request, connection))


def _successful(result: Result, function: Function) -> Result:
    if not result.ok:
        route = function.route
        raise HTTPStatusError(result, f"{route.method.upper()} {route.path} ({function.name})")
    return result


#: What the client raises, and what our own decoder does.
_FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, BrokenEncodingError)

Steps: TypeAlias = Generator[Step, Any, Result]


def _call(
    function: Function,
    arguments: Any,
    connection: Connection | None,
    within: float = math.inf,
) -> Steps:
    """One call: credentials, the request, redirects, retries and hooks."""
    draft = prepare(function, arguments, connection)
    assert connection is not None
    connection.require_open()
    credentials = {}
    for name in draft.schemes:
        source = connection.credentials[name]
        credentials[name] = (
            (yield _Ask(source, f"the credential {name!r}")) if callable(source) else source
        )
    is_guarded = not draft.base.trusted and not connection.allow_private
    request = finish(draft, additions(draft, credentials, connection))
    result = yield from _exchange(request, connection, is_guarded=is_guarded, within=within)
    if connection.validate_response != "off":
        validate_response.check(function, result, connection.validate_response)
    return (yield from _after(result, connection))


def _forward(request: httpx.Request, connection: Connection) -> Steps:
    """One request of the caller's, to where the connection goes anyway."""
    connection.require_open()
    is_known = base_url.origin_of(request.url) in base_url.allowed_origins(connection)
    if not is_known and not connection.trust_servers:
        raise UsageError(
            f"{shown(str(request.url))} is none of the connection's origins: "
            "add its origin to connection.origins to allow it"
        )
    is_guarded = not is_known and not connection.allow_private
    result = yield from _exchange(request, connection, is_guarded=is_guarded)
    return (yield from _after(result, connection))


def _after(result: Result, connection: Connection) -> Steps:
    if connection.after is None:
        return result
    changed = yield _Ask(partial(connection.after, result), "connection.after")
    if changed is not None and not isinstance(changed, Result):
        expected = "a Result, or None to keep the one it was given"
        raise wrong_result("connection.after", changed, expected, sent=True)
    return result if changed is None else changed


def _exchange(
    request: httpx.Request, connection: Connection, *, is_guarded: bool, within: float = math.inf
) -> Steps:
    """Send, and send again where the server and the connection say so."""
    until = time.monotonic() + min(connection.limits.total, within)
    hops, retries, is_first = 0, connection.retries, True
    while True:
        outgoing = request
        if connection.before is not None:
            changed = yield _Ask(partial(connection.before, request), "connection.before")
            outgoing = request if changed is None else _as_request(changed)
        result: Result = yield _Send(outgoing, connection, until, is_guarded, is_first)
        is_first = False
        seconds = pause(request, result, until - time.monotonic()) if retries else None
        onward = redirected(request, result) if connection.redirects == "same-origin" else None
        if seconds is not None:
            retries -= 1
            yield _Pause(seconds)
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


@dataclass(frozen=True, slots=True)
class _Ask:
    """Call something of the caller's that may be sync or async."""

    source: Callable[[], Any]
    name: str

    def perform(self) -> Any:
        return immediate(self.source(), self.name)

    async def aperform(self) -> Any:
        value = self.source()
        return await value if inspect.isawaitable(value) else value


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float

    def perform(self) -> None:
        time.sleep(self.seconds)

    async def aperform(self) -> None:
        await asyncio.sleep(self.seconds)


@dataclass(frozen=True, slots=True)
class _Send:
    """Send one request and read its answer within the limits."""

    request: httpx.Request
    connection: Connection
    until: float
    is_guarded: bool
    is_first: bool

    def perform(self) -> Result:
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
        raise problem  # here, so that the client's error and its texts are not the context

    async def aperform(self) -> Result:
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
        self.request.url = CoveredURL(self.request.url)  # a hook may have made another request
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
            request=bodiless(self.request) if "link" in headers else None,
        )

    def _is_over(self) -> bool:
        return time.monotonic() > self.until

    def _failure(self, error: Exception) -> TransportError:
        timeout = self.connection.limits
        is_over = self._is_over() or isinstance(error, TimeoutError)
        return failure(error, self.request, timeout, is_over=is_over, is_first=self.is_first)


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    """The answer as it arrives, or what a client of the caller's has read already."""
    return (response.content,) if response.is_stream_consumed else response.iter_raw()


def _achunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    chunks = _once(response.content) if response.is_stream_consumed else response.aiter_raw()
    return cast("AsyncGenerator[bytes, None]", chunks)


async def _once(content: bytes) -> AsyncGenerator[bytes, None]:
    yield content
