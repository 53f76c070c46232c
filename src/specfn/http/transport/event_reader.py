"""The events of one response, read from its bytes within the limits of the connection (rule X15)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn.http.connection import Connection
from specfn.http.response.event_parser import Event, EventParser, LineSplitter, parser_of
from specfn.migrate.bodies.media_types import essence
from specfn.network.response_body import Inflater
from specfn.records import Note

#: The maximum number of bytes that are split into lines at once, and of lines that are read for each event.
_AT_ONCE: Final = 64 * 1024
_LINES: Final = 100

#: Responses without content (RFC 9110, sections 15.3.5 and 15.3.6).
_WITHOUT_CONTENT: Final = frozenset({204, 205})


class EventReader:
    """A reader of events.

    Attributes:
        count: the number of events so far.
        stopped: the reason why the rest is not read; ``None`` before a limit is reached.
    """

    def __init__(self, parser: EventParser, inflater: Inflater, connection: Connection) -> None:
        """Take the parser, the decompression and the limits of a response."""
        self.count = 0
        self.stopped: str | None = None
        self._parser = parser
        self._lines = LineSplitter(parser.separator)
        self._inflater = inflater
        self._connection = connection
        self._lines_left = _LINES * connection.max_events

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that end in received bytes, up to the limits.

        Raises:
            BrokenEncodingError: the bytes do not match the encoding of the response.
        """
        self._inflater.feed(chunk)
        content = self._inflater.take()
        for start in range(0, len(content), _AT_ONCE):
            for line in self._lines.feed(content[start : start + _AT_ONCE]):
                yield from self._counted(self._parser.line(line))
                if self.stopped is not None:
                    return
        if self._inflater.truncated:
            self.stopped = f"the limit of {self._connection.max_bytes:,} bytes is reached"

    def _counted(self, event: Event | None) -> Iterator[Event]:
        self._lines_left -= 1
        if event is not None:
            self.count += 1
            if self.count == self._connection.max_events:
                self.stopped = "this is the limit of events"
            yield event
        elif not self._lines_left:
            self.stopped = "it has too many lines without an event"

    def end(self) -> Iterator[Event]:
        """Yield the event that the end of the response ends.

        Raises:
            BrokenEncodingError: the compressed data ended early.
        """
        self._inflater.content()
        event = self._parser.end(self._lines.rest())
        if event is not None:
            self.count += 1
            yield event

    def value(self, event: Event) -> Any:
        """Return an event as a JSON value."""
        return self._parser.value(event)

    def notes(self) -> tuple[Note, ...]:
        """Return a note on the end of a stream that was not read completely, and those on its events."""
        found = [] if self.stopped is None else [self.reason()]
        return tuple(Note(pointer="", text=text) for text in (*found, *self._parser.notes()))

    def reason(self) -> str:
        """Return why the stream was stopped."""
        events = "1 event" if self.count == 1 else f"{self.count:,} events"
        return f"the stream was stopped after {events}: {self.stopped}"


def event_parser(method: str, status: int, headers: Mapping[str, str]) -> EventParser | None:
    """Return the parser of a successful response with events; ``None`` for any other response."""
    if method == "HEAD" or not 200 <= status < 300 or status in _WITHOUT_CONTENT:
        return None
    return parser_of(essence(headers.get("content-type", "")))
