"""One request that is sent, and its response, within the limits of the connection.

A response with events is read event by event (rule X15). All other responses are read as a whole.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, cast

import httpx

from specfn._internal.logs import one_line_log
from specfn._internal.url import url_without_secrets
from specfn.errors import LimitError, TransportError, UsageError
from specfn.http.connection import Connection, Timeout
from specfn.http.masking import Masking
from specfn.http.redacted_request import RedactedURL, without_body
from specfn.http.response.events import Event, EventReader, parser_of, stream_type
from specfn.http.response.response import Result, decode
from specfn.http.transport import pool
from specfn.migrate.bodies.media_types import DeclaredStream
from specfn.network import sockets
from specfn.network.response_body import BrokenEncodingError, Inflater, UnknownEncodingError
from specfn.network.sockets import NotRepeatedError
from specfn.records import Note

#: The log of requests.
log: Final = one_line_log("specfn.http")

#: The errors of httpx and of the decompression.
_FAILURES: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, BrokenEncodingError)


@dataclass(frozen=True, slots=True)
class OpenStream:
    """A response whose events are being received.

    Attributes:
        head: the response without data.
        events: the events. The generator is started, so that closing or deleting it closes the response.
    """

    head: Result
    events: Generator[Event, None, None]


@dataclass(frozen=True, slots=True)
class OpenAsyncStream:
    """A response like ``OpenStream``, for asynchronous calls."""

    head: Result
    events: AsyncGenerator[Event, None]


@dataclass(slots=True)
class _Whole:
    """A response that is read as a whole."""

    response: httpx.Response
    inflater: Inflater

    def feed(self, chunk: bytes) -> bool:
        return self.inflater.feed(chunk)


@dataclass(slots=True)
class _Events:
    """A response that is read event by event."""

    response: httpx.Response
    reader: EventReader
    media_type: str
    values: list[Any] = field(default_factory=list)

    def feed(self, chunk: bytes) -> bool:
        self.take(self.reader.feed(chunk))
        return self.reader.stopped is None

    def take(self, events: Iterable[Event]) -> None:
        self.values.extend(self.reader.value(event) for event in events)


_Body: TypeAlias = _Whole | _Events


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that is sent, and its response.

    Attributes:
        request: the request.
        connection: the connection of the call.
        until: the end of the time of the call, on the clock of ``time.monotonic``.
        is_guarded: private addresses are refused.
        is_first: this is the first request of the call.
        authenticates: the authentication of the connection or of its client applies.
        masking: the secrets of the call, for the log; receives each request that an authentication sends.
        stream: the stream of events that the operation declares.
    """

    request: httpx.Request
    connection: Connection
    until: float
    is_guarded: bool
    is_first: bool
    authenticates: bool = False
    masking: Masking = field(default_factory=lambda: Masking(None))
    stream: DeclaredStream | None = None

    # -- blocking -------------------------------------------------------------------------------------

    def send(self) -> Result:
        """Send the request, and receive the response.

        Raises:
            TransportError: no complete response was received.
        """
        result = self._send(streams=False)
        assert isinstance(result, Result)
        return result

    def open(self) -> Result | OpenStream:
        """Send the request; return an event stream before its events are read, and any other response like ``send``."""
        return self._send(streams=True)

    def _send(self, *, streams: bool) -> Result | OpenStream:
        self._prepare(self.request)
        body: _Body | None = None
        try:
            with sockets.limit_sockets(self.until, is_guarded=self.is_guarded):
                body = self._body(self._send_request())
                if streams and isinstance(body, _Events):
                    return self._stream(body)
                self._receive(body)
            return self._result(body)
        except _FAILURES as error:
            problem = self._problem(error, body)
        if isinstance(problem, Result):
            return problem
        raise problem  # outside of the handler, so that the error of httpx is not its context

    def _receive(self, body: _Body) -> None:
        """Read the response until its end, a limit or the end of the time, and close it."""
        try:
            for chunk in _chunks(body.response):
                if not body.feed(chunk) or self._is_over():
                    break
        finally:
            body.response.close()

    def _stream(self, body: _Events) -> OpenStream:
        events = self._events(body)
        next(events)
        return OpenStream(self._head(body), events)

    def _events(self, body: _Events) -> Generator[Event, None, None]:
        """Yield a value that starts the generator, and then the events."""
        problem: Exception | None = None
        reader = body.reader
        try:
            try:
                yield _STARTED
                chunks = iter(_chunks(body.response))
                while (chunk := self._next(chunks)) is not None and reader.stopped is None:
                    yield from reader.feed(chunk)
                if reader.stopped is None:
                    yield from reader.end()
            finally:
                body.response.close()
        except _FAILURES as error:
            problem = self._failure(error)
        self._raise(problem, reader)

    def _next(self, chunks: Iterator[bytes]) -> bytes | None:
        with sockets.limit_sockets(self.until, is_guarded=self.is_guarded):
            chunk = next(chunks, None)
        if self._is_over():
            raise httpx.ReadTimeout("")
        return chunk

    def _send_request(self) -> httpx.Response:
        """Send the request, and the requests of its authentication: those that the flow of ``auth`` yields."""
        auth = self.connection.auth
        if auth is None or not self.authenticates:
            return self._send_one(self.request)
        flow = auth.sync_auth_flow(self.request)
        try:
            request = next(flow)
            while True:
                response = self._send_one(self._in_flow(request))
                if self._is_read_for(auth, request, response):
                    body = _Whole(response, self._inflater(response))
                    self._receive(body)
                    response = _read(body)
                response.request = request
                try:
                    request = flow.send(response)
                except StopIteration:
                    return response
                response.close()
        finally:
            flow.close()

    def _send_one(self, request: httpx.Request) -> httpx.Response:
        with self._logged(request) as responses:
            responses.append(self._response_to(request))
        return responses[0]

    def _response_to(self, request: httpx.Request) -> httpx.Response:
        client = self.connection.client
        if client is not None:
            return pool.send_with_client(client, request, authenticates=self._uses_client)
        if self.connection.async_client is not None:
            raise UsageError("the connection has an async_client only: use aexecute or apropagate")
        return pool.transport(self.connection, request).handle_request(request)

    # -- asynchronous ---------------------------------------------------------------------------------

    async def asend(self) -> Result:
        """Send the request like ``send``, asynchronously."""
        result = await self._asend(streams=False)
        assert isinstance(result, Result)
        return result

    async def aopen(self) -> Result | OpenAsyncStream:
        """Send the request like ``open``, asynchronously."""
        return await self._asend(streams=True)

    async def _asend(self, *, streams: bool) -> Result | OpenAsyncStream:
        self._prepare(self.request)
        body: _Body | None = None
        guard = sockets.guarded.set(self.is_guarded)
        try:
            async with asyncio.timeout(self._remaining_seconds()):
                body = self._body(await self._asend_request())
                if streams and isinstance(body, _Events):
                    return await self._astream(body)
                await self._areceive(body)
            return self._result(body)
        except (*_FAILURES, TimeoutError) as error:
            problem = self._problem(error, body)
        finally:
            sockets.guarded.reset(guard)
        if isinstance(problem, Result):
            return problem
        raise problem

    async def _areceive(self, body: _Body) -> None:
        try:
            async with aclosing(_achunks(body.response)) as chunks:
                async for chunk in chunks:
                    if not body.feed(chunk) or self._is_over():
                        break
        finally:
            await body.response.aclose()

    async def _astream(self, body: _Events) -> OpenAsyncStream:
        events = self._aevents(body)
        await anext(events)
        return OpenAsyncStream(self._head(body), events)

    async def _aevents(self, body: _Events) -> AsyncGenerator[Event, None]:
        """Yield a value that starts the generator, and then the events."""
        problem: Exception | None = None
        reader = body.reader
        try:
            try:
                yield _STARTED
                async with aclosing(_achunks(body.response)) as chunks:
                    while (chunk := await self._anext(chunks)) is not None:
                        for event in reader.feed(chunk):
                            yield event
                        if reader.stopped is not None:
                            break
                if reader.stopped is None:
                    for event in reader.end():
                        yield event
            finally:
                await body.response.aclose()
        except (*_FAILURES, TimeoutError) as error:
            problem = self._failure(error)
        self._raise(problem, reader)

    async def _anext(self, chunks: AsyncGenerator[bytes, None]) -> bytes | None:
        async with asyncio.timeout(self._remaining_seconds()):
            return await anext(chunks, None)

    async def _asend_request(self) -> httpx.Response:
        auth = self.connection.auth
        if auth is None or not self.authenticates:
            return await self._asend_one(self.request)
        flow = auth.async_auth_flow(self.request)
        async with aclosing(flow):
            request = await anext(flow)
            while True:
                response = await self._asend_one(self._in_flow(request))
                if self._is_read_for(auth, request, response):
                    body = _Whole(response, self._inflater(response))
                    await self._areceive(body)
                    response = _read(body)
                response.request = request
                try:
                    request = await flow.asend(response)
                except StopAsyncIteration:
                    return response
                await response.aclose()

    async def _asend_one(self, request: httpx.Request) -> httpx.Response:
        with self._logged(request) as responses:
            responses.append(await self._aresponse_to(request))
        return responses[0]

    async def _aresponse_to(self, request: httpx.Request) -> httpx.Response:
        client = self.connection.async_client
        if client is not None:
            return await pool.asend_with_client(client, request, authenticates=self._uses_client)
        if self.connection.client is not None:
            raise UsageError("the connection has a client only: use execute or propagate")
        transport = await pool.atransport(self.connection, request)
        return await transport.handle_async_request(request)

    # -- both -----------------------------------------------------------------------------------------

    @contextmanager
    def _logged(self, request: httpx.Request) -> Iterator[list[httpx.Response]]:
        """Log a request with the status of its response, which the caller adds; the time ends with the headers."""
        responses: list[httpx.Response] = []
        begin = time.monotonic()
        try:
            yield responses
        finally:
            if log.isEnabledFor(logging.DEBUG):
                fields = {
                    "method": request.method,
                    "url": self.masking.url(str(request.url)),
                    "status": responses[0].status_code if responses else None,
                    "ms": round((time.monotonic() - begin) * 1000),
                }
                shown = {**fields, "status": fields["status"] or "-"}
                text = " ".join(f"{name}={value}" for name, value in shown.items())
                log.debug("%s", text, extra={"call": fields})

    @property
    def _uses_client(self) -> bool:
        """Return whether the authentication of the client applies. A flow of ``auth`` may send requests to other hosts."""
        return self.authenticates and self.connection.auth is None

    def _in_flow(self, request: httpx.Request) -> httpx.Request:
        """Return a request of an authentication with the limits of the connection."""
        self.masking.add_request(request)
        return self._prepare(request)

    def _is_read_for(
        self, auth: httpx.Auth, request: httpx.Request, response: httpx.Response
    ) -> bool:
        """Return whether an authentication may read the body of a response. Others may be streams."""
        is_result = request is self.request and response.status_code != 401
        return auth.requires_response_body or not is_result

    def _prepare(self, request: httpx.Request) -> httpx.Request:
        timeout = self.connection.limits
        if not isinstance(request.url, RedactedURL):  # a hook may have replaced the request
            request.url = RedactedURL(request.url)
        request.extensions = {
            **request.extensions,
            "timeout": {
                "connect": timeout.connect,
                "pool": timeout.total,
                "read": timeout.read,
                "write": timeout.read,
            },
        }
        return request

    def _inflater(self, response: httpx.Response) -> Inflater:
        is_raw = not response.is_stream_consumed
        encoding = response.headers.get("content-encoding", "") if is_raw else ""
        return Inflater(encoding, self.connection.max_bytes)

    def _body(self, response: httpx.Response) -> _Body:
        inflater = self._inflater(response)
        media_type = stream_type(
            self.request.method, response.status_code, response.headers, self.stream
        )
        if media_type is None:
            return _Whole(response, inflater)
        parser, limits = parser_of(media_type), self.connection
        reader = EventReader(
            parser, inflater, max_bytes=limits.max_bytes, max_events=limits.max_events
        )
        return _Events(response, reader, media_type)

    def _result(self, body: _Body) -> Result:
        """Return a received response.

        Raises:
            httpx.ReadTimeout: the time of the call is over.
            BrokenEncodingError: the compressed data ended early.
        """
        if self._is_over():
            raise httpx.ReadTimeout("")
        if isinstance(body, _Whole):
            inflater = body.inflater
            content = inflater.content()
            return self._decode(body.response, content, truncated=inflater.truncated)
        if body.reader.stopped is None:
            body.take(body.reader.end())
        return self._result_of_events(body)

    def _result_of_events(self, body: _Events) -> Result:
        is_stopped = body.reader.stopped is not None
        head = self._head(body, truncated=is_stopped)
        return replace(head, data=body.values, notes=body.reader.notes())

    def _head(self, body: _Events, *, truncated: bool = True) -> Result:
        head = self._decode(body.response, b"", truncated=truncated)
        return replace(head, media_type=head.media_type or body.media_type)

    def _beginning(self, body: _Whole, reason: str) -> Result:
        """Return the part of a response that arrived before a time limit."""
        content = body.inflater.take()
        result = self._decode(body.response, content, truncated=True)
        note = f"the response was stopped after {len(content):,} bytes: {reason}"
        return replace(result, notes=(*result.notes, Note(pointer="", text=note)))

    def _decode(self, response: httpx.Response, content: bytes, *, truncated: bool) -> Result:
        headers = dict(response.headers.items())
        return decode(
            response.status_code,
            headers,
            content,
            truncated=truncated,
            request=self._request_for_links("link" in headers or response.status_code == 202),
        )

    def _request_for_links(self, is_linked: bool) -> httpx.Request | None:  # noqa: FBT001  # private
        """Return the request to which links of the response are relative."""
        if self.request.method == "GET" and not self.request.headers.get("content-length"):
            return self.request
        return without_body(self.request) if is_linked else None

    def _remaining_seconds(self) -> float:
        return self.until - time.monotonic()

    def _is_over(self) -> bool:
        return self._remaining_seconds() < 0

    def _problem(self, error: Exception, body: _Body | None) -> Result | TransportError:
        """Return the part of the response that arrived before a time limit, or before a stream failed; else the error to raise."""
        is_over = self._is_timeout(error)
        reason = reason_of(error, self.connection.limits, is_over=is_over)
        if isinstance(body, _Events):
            body.reader.stopped = reason
            return self._result_of_events(body)
        if body is not None and (is_over or isinstance(error, httpx.ReadTimeout)):
            return self._beginning(body, reason)
        return self._failure(error, has_begun=body is not None)

    def _failure(self, error: Exception, *, has_begun: bool = True) -> TransportError:
        where = f"{self.request.method} {url_without_secrets(str(self.request.url))}"
        limits, is_over = self.connection.limits, self._is_timeout(error)
        return TransportError(
            f"{where}: {reason_of(error, limits, is_over=is_over)}",
            sent=not (self.is_first and isinstance(error, _BEFORE_SENDING)),
            has_begun=has_begun,
            encoding=str(error) if isinstance(error, UnknownEncodingError) else None,
        )

    def _is_timeout(self, error: Exception) -> bool:
        return self._is_over() or isinstance(error, TimeoutError)

    def _raise(self, problem: Exception | None, reader: EventReader) -> None:
        """Raise the error of a stream that was not read to its end.

        Raises:
            TransportError: the stream broke, or took too long.
            LimitError: a limit of the connection was reached.
        """
        if problem is not None:
            raise problem
        if reader.stopped is not None:
            where = f"{self.request.method} {url_without_secrets(str(self.request.url))}"
            raise LimitError(f"{where}: {reader.reason()}")


#: Headers about the bytes of a body that is already read.
_OF_BYTES: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def _read(body: _Whole) -> httpx.Response:
    """Return a response whose body was read within the limits of the connection.

    Raises:
        LimitError: the body is longer than a limit.
    """
    content = body.inflater.content()
    if body.inflater.truncated:
        raise LimitError("a response to a request of connection.auth is longer than max_bytes")
    headers = [pair for pair in body.response.headers.multi_items() if pair[0] not in _OF_BYTES]
    return httpx.Response(
        body.response.status_code,
        headers=headers,
        content=content,
        extensions=body.response.extensions,
    )


#: The first value of the generators, which starts them.
_STARTED: Final = Event(data=None)


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    """Return the chunks of a response. A client of the caller may have read them already."""
    return (response.content,) if response.is_stream_consumed else response.iter_raw()


def _achunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    chunks = _once(response.content) if response.is_stream_consumed else response.aiter_raw()
    return cast("AsyncGenerator[bytes, None]", chunks)


async def _once(content: bytes) -> AsyncGenerator[bytes, None]:
    yield content


# -- failures ----------------------------------------------------------------------------------------

_REASONS: Final[Mapping[type[Exception], str]] = {
    httpx.ConnectTimeout: "no connection within {connect:g} s",
    httpx.PoolTimeout: "no free connection within {total:g} s",
    httpx.ReadTimeout: "the server sent nothing for {read:g} s",
    httpx.WriteTimeout: "the server accepted no data for {read:g} s",
    httpx.ConnectError: "could not connect",
    httpx.ReadError: "the connection broke before the response was complete",
    httpx.WriteError: "the connection broke while the request was sent",
    httpx.RemoteProtocolError: "the server closed the connection, or its response is not HTTP",
    httpx.LocalProtocolError: "the HTTP client refuses to send the request",
    httpx.ProxyError: "the proxy did not connect",
    NotRepeatedError: "the server closed the reused connection before it responded; it may have received the request, "
    "which cannot be sent again safely",
    BrokenEncodingError: "the content of the response does not match its Content-Encoding",
    UnknownEncodingError: "the response has a content encoding that was not requested; gzip and deflate are read",
}

#: Errors that occur before the first byte of a request is sent.
_BEFORE_SENDING: Final = (
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ConnectError,
    httpx.ProxyError,
)

#: Errors whose text is appended: that of the operating system, or the name of a content encoding.
_DETAILED: Final = (httpx.ConnectError, UnknownEncodingError)


def reason_of(error: Exception, timeout: Timeout, *, is_over: bool) -> str:
    """Return the reason of a failure, without the URL; arguments as for ``failure``."""
    if is_over:
        return f"not finished within {timeout.total:g} s"
    reason = _REASONS.get(type(error), f"the exchange failed ({type(error).__name__})")
    reason = reason.format(connect=timeout.connect, read=timeout.read, total=timeout.total)
    if isinstance(error, _DETAILED) and str(error):
        reason += f" ({error})"
    return reason
