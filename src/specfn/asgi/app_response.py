"""The response of an application to one request. A stream of events is read while the application sends it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final, cast

import httpcore
import httpx

from specfn.http_server.guard import AsgiApp, Message, Receive, Send
from specfn.migrate.bodies.media_types import has_events
from specfn.network.sockets import remaining

if TYPE_CHECKING:
    from specfn.asgi.app_loop import AppLoop


#: The longest wait for an application that ends a request, in seconds.
_GRACE: Final = 5.0

#: The longest wait for a part of a body, in seconds, if the call has no limit.
LONGEST: Final = 1e6


class AppResponse:
    """The response of an application. All methods run in the event loop of the application."""

    def __init__(self, app: AsgiApp, request: httpx.Request) -> None:
        """Prepare a request that is not sent."""
        self._app = app
        self._request = request
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue(
            1
        )  # the application waits for its reader
        self._head: Message | None = None
        self._is_complete = False
        self._begun = asyncio.Event()
        self._task: asyncio.Task[httpx.Response] | None = None

    async def respond(self, loop: "AppLoop") -> httpx.Response:
        """Send the request; return the complete response, or a stream of events before it is complete.

        Raises:
            httpx.RemoteProtocolError: the application ended without a response.
        """
        sends = httpx.ASGITransport(self._call, raise_app_exceptions=False)
        task = self._task = asyncio.ensure_future(sends.handle_async_request(self._request))
        begun = asyncio.ensure_future(self._begun.wait())
        try:
            await asyncio.wait({task, begun}, return_when=asyncio.FIRST_COMPLETED)
            if self._head is not None:
                stream = _EventBody(self, loop, self._request)
                head = self._head
                return httpx.Response(head["status"], headers=head["headers"], stream=stream)
            return await _complete(await task)
        except AssertionError as error:  # httpx's sign of an incomplete response
            raise httpx.RemoteProtocolError(str(error)) from error
        finally:
            begun.cancel()
            if self._head is None:
                task.cancel()

    async def next(self) -> bytes | None:
        """Return the next part of the body; ``None`` after the last one.

        Raises:
            httpx.RemoteProtocolError: the application ended before the end of the body.
        """
        assert self._task is not None
        part = asyncio.ensure_future(self._chunks.get())
        try:
            await asyncio.wait({part, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if part.done():
                return part.result()
        finally:
            part.cancel()
        if not self._chunks.empty():
            return self._chunks.get_nowait()
        if not self._is_complete:
            raise httpx.RemoteProtocolError("the application ended before the end of its response")
        return None

    @property
    def is_over(self) -> bool:
        """Return whether the request ended in the application."""
        return self._task is None or self._task.done()

    async def end(self) -> None:
        """End the request in the application, if it is still running."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait({self._task}, timeout=_GRACE)

    async def _call(self, scope: Message, receive: Receive, send: Send) -> None:
        async def send_part(message: Message) -> None:
            if message["type"] == "http.response.start" and _has_events(message):
                self._head = message
                self._begun.set()
            elif message["type"] == "http.response.body" and self._head is not None:
                if message.get("body"):
                    await self._chunks.put(message["body"])
                self._is_complete = not message.get("more_body", False)
                message = {"type": message["type"], "more_body": not self._is_complete}
            await send(message)

        await self._app(scope, receive, send_part)


def _has_events(start: Message) -> bool:
    """Return whether a response is a stream of events, by its first message."""
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    media_type = headers.get(b"content-type", b"").decode("latin-1")
    return 200 <= start["status"] < 300 and has_events(media_type)


async def _complete(response: httpx.Response) -> httpx.Response:
    stream = cast("AsyncIterator[bytes]", response.stream)
    content = b"".join([chunk async for chunk in stream])
    stream_of_all = httpx.ByteStream(content)
    return httpx.Response(response.status_code, headers=response.headers, stream=stream_of_all)


class _EventBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a stream of events. Closing it ends the request in the application."""

    def __init__(self, response: AppResponse, loop: "AppLoop", request: httpx.Request) -> None:
        self._response = response
        self._loop = loop
        self._silence = request.extensions.get("timeout", {}).get("read")

    def __iter__(self) -> Iterator[bytes]:
        while (chunk := self._next()) is not None:
            yield chunk

    def _next(self) -> bytes | None:
        try:
            seconds = min(remaining(self._silence), LONGEST)
            return self._loop.run(self._response.next(), seconds)
        except (TimeoutError, httpcore.ReadTimeout):
            raise httpx.ReadTimeout("") from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await self._anext()) is not None:
            yield chunk

    async def _anext(self) -> bytes | None:
        try:
            async with asyncio.timeout(self._silence):
                return await self._loop.arun(self._response.next())
        except TimeoutError:
            raise httpx.ReadTimeout("") from None

    def close(self) -> None:
        if not self._response.is_over:
            self._loop.run(self._response.end())

    async def aclose(self) -> None:
        if not self._response.is_over:
            await self._loop.arun(self._response.end())
