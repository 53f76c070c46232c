"""Streams of events: iterators that close their response at the end (rule X15)."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from types import TracebackType
from typing import Self

from specfn._internal.tracebacks import without_locals, without_locals_async
from specfn.http.response.events import Event
from specfn.http.response.response import Result


class EventStream(Iterator[Event]):
    """The events of a response, while they arrive.

    The response is closed at the end of the iteration, at the end of a ``with`` block, by ``close``, or when the stream
    is deleted. The limits of the connection apply to the whole iteration.

    Attributes:
        status: the HTTP status.
        headers: the headers by lower-case name.
        media_type: the media type in lower case, without parameters.
    """

    def __init__(self, head: Result, events: Generator[Event, None, None] | None) -> None:
        """Store the head of a response and its events; ``None`` if there are no events."""
        self.status = head.status
        self.headers: Mapping[str, str] = head.headers
        self.media_type = head.media_type
        self._events = events

    def __repr__(self) -> str:
        return f"<EventStream {self.status} {self.media_type}>"

    @without_locals
    def __next__(self) -> Event:
        """Return the next event.

        Raises:
            LimitError: a limit of the connection is reached.
            TransportError: the response broke, or took too long.
        """
        if self._events is None:
            raise StopIteration
        return next(self._events)

    def close(self) -> None:
        """Close the response. Closing twice has no effect."""
        if self._events is not None:
            self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncEventStream(AsyncIterator[Event]):
    """The events of a response like ``EventStream``, for ``async for`` and ``async with``."""

    def __init__(self, head: Result, events: AsyncGenerator[Event, None] | None) -> None:
        """Store the head of a response and its events; ``None`` if there are no events."""
        self.status = head.status
        self.headers: Mapping[str, str] = head.headers
        self.media_type = head.media_type
        self._events = events

    def __repr__(self) -> str:
        return f"<AsyncEventStream {self.status} {self.media_type}>"

    @without_locals_async
    async def __anext__(self) -> Event:
        """Return the next event; errors as for ``EventStream``."""
        if self._events is None:
            raise StopAsyncIteration
        return await anext(self._events)

    async def aclose(self) -> None:
        """Close the response. Closing twice has no effect."""
        if self._events is not None:
            await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
