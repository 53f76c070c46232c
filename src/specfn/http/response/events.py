"""Events of responses: server-sent events, JSON Lines, and JSON text sequences (rule X15).

A parser reads the bytes of a response in chunks of any size; the events do not depend on the boundaries of the chunks. A reader
applies the limits of the connection.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from specfn._internal import json as _json
from specfn._internal.json import JsonObject
from specfn.answers import FieldNames
from specfn.http.response import tolerant_json
from specfn.migrate.bodies.media_types import (
    EVENT_STREAM,
    DeclaredStream,
    essence,
    has_events,
)
from specfn.network.response_body import BrokenEncodingError, Inflater
from specfn.records import Note

# -- fields: the paths of a model begin in the data of server-sent events (rule X12) -----------------

#: The members of events that are never left out.
_ALWAYS: Final[tuple[FieldNames, ...]] = (
    ("event",),
    ("id",),
    ("data", "error"),
    ("data", "errors"),
)


def place_of_fields(media_type: str | None) -> FieldNames:
    """Return the place of the fields in each item of a response: server-sent events have a member ``data``."""
    return ("data",) if media_type == EVENT_STREAM else ()


def paths_in_items(paths: Iterable[FieldNames], media_type: str | None) -> tuple[FieldNames, ...]:
    """Return paths of fields as paths in the items of a response, with the members that are always kept."""
    place = place_of_fields(media_type)
    return (*((*place, *names) for names in paths), *(_ALWAYS if place else ()))


# -- parsers -----------------------------------------------------------------------------------------

#: The type of a server-sent event without a declared type.
_MESSAGE: Final = "message"

_BOM: Final = b"\xef\xbb\xbf"

#: The ends of lines of server-sent events, and of JSON Lines; the separator of JSON text sequences.
_LINE_ENDS: Final = re.compile(rb"\r\n|\n|\r")
_LINE_FEED: Final = re.compile(rb"\n")
_RECORD: Final = re.compile(rb"\x1e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event of a stream.

    Attributes:
        data: its data. JSON objects and arrays of server-sent events are parsed; any other data is a text. An item of
            JSON Lines or of a JSON text sequence is any JSON value, and a text if it is not JSON.
        event: the type of a server-sent event; ``message`` without one.
        id: the last ID that the server sent before this event or with it; empty if it sent none.
    """

    data: Any
    event: str = _MESSAGE
    id: str = ""


class ServerSentEvents:
    """Server-sent events (WHATWG HTML, section 9.2.6). ``retry`` has no effect, because nothing reconnects."""

    def __init__(self) -> None:
        """Begin a stream."""
        self.separator = _LINE_ENDS
        self._decoder = _Decoder()
        self._is_incomplete = False
        self._events = 0
        self._unknown = 0
        self._data: list[bytes] = []
        self._event = ""
        self._id = ""

    def line(self, line: bytes) -> Event | None:
        """Read a line; an empty one ends an event."""
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = self._decoder.text(value)
        elif name == b"id":
            self._id = self._id if b"\0" in value else self._decoder.text(value)
        elif name not in {b"", b"retry"}:
            self._unknown += 1
        return None

    def _end_event(self) -> Event | None:
        data, event = self._data, self._event
        self._data, self._event = [], ""
        if not data:
            return None
        self._events += 1
        content = self._decoder.container(b"\n".join(data))
        return Event(data=content, event=event or _MESSAGE, id=self._id)

    def end(self, line: bytes) -> Event | None:
        """End the stream. An event without its empty line is incomplete, and is left out."""
        if line:
            self.line(line)
        self._is_incomplete = bool(self._data)
        return None

    def value(self, event: Event) -> JsonObject:
        """Return an event with its data, and with its type and ID if the server sent them."""
        value: JsonObject = {} if event.event == _MESSAGE else {"event": event.event}
        if event.id:
            value["id"] = event.id
        return {**value, "data": event.data}

    def notes(self) -> list[str]:
        """Return sentences on an incomplete last event, and on a response that is something else."""
        notes = self._decoder.notes()
        if self._is_incomplete:
            notes.append("the last event is not complete, and was left out")
        if self._unknown and not self._events and not self._is_incomplete:
            notes.append("the response has no events: its lines are not those of text/event-stream")
        return notes


class JsonItems:
    """JSON Lines, or a JSON text sequence (RFC 7464). Its methods are those of ``ServerSentEvents``.

    Attributes:
        malformed: the number of items that are not JSON.
    """

    def __init__(self, separator: re.Pattern[bytes]) -> None:
        """Begin a stream."""
        self.separator = separator
        self._decoder = _Decoder()
        self.malformed = 0

    def line(self, line: bytes) -> Event | None:
        """Read an item. Empty lines are ignored."""
        line = line.strip(b" \t\r\n")
        if not line:
            return None
        try:
            return Event(data=self._decoder.json_value(line))
        except ValueError:
            self.malformed += 1
            return Event(data=self._decoder.text(line))

    def end(self, line: bytes) -> Event | None:
        """Read the last item, which needs no separator."""
        return self.line(line)

    def value(self, event: Event) -> Any:
        """Return the item."""
        return event.data

    def notes(self) -> list[str]:
        """Return a sentence on items that are not JSON."""
        count, notes = self.malformed, self._decoder.notes()
        if count:
            items, they = ("items are", "they are") if count > 1 else ("item is", "it is")
            notes.append(f"{count:,} {items} not JSON; {they} shown as text")
        return notes


#: A parser of the lines of a response.
EventParser: TypeAlias = ServerSentEvents | JsonItems


def parser_of(media_type: str) -> EventParser:
    """Return a parser for a stream of events of a media type, which has lower case and no parameters."""
    if media_type == EVENT_STREAM:
        return ServerSentEvents()
    return JsonItems(_RECORD if media_type.endswith("json-seq") else _LINE_FEED)


class LineSplitter:
    """The lines of a response that arrives in chunks. Each byte is read once."""

    def __init__(self, separator: re.Pattern[bytes]) -> None:
        """Begin a response."""
        self._separator = separator
        self._begun: list[bytes] = []
        self._is_after_return = False
        self._is_first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines that end in a chunk."""
        if self._is_after_return and chunk.startswith(b"\n"):  # a CRLF in two chunks
            chunk = chunk[1:]
            self._is_after_return = False
        if not chunk:
            return
        self._is_after_return = self._separator is _LINE_ENDS and chunk.endswith(b"\r")
        *complete, rest = self._separator.split(chunk)
        for part in complete:
            yield self._complete(part)
        if rest:
            self._begun.append(rest)

    def rest(self) -> bytes:
        """Return the last line, which has no separator."""
        return self._complete(b"")

    def _complete(self, part: bytes) -> bytes:
        line = b"".join((*self._begun, part)) if self._begun else part
        self._begun.clear()
        if self._is_first:
            self._is_first = False
            return line.removeprefix(_BOM)
        return line


class _Decoder:
    """A reader of UTF-8 and JSON, which counts corrections. UTF-8 is the only encoding of all these streams."""

    def __init__(self) -> None:
        self._invalid = 0
        self._corrected = 0

    def text(self, content: bytes) -> str:
        """Decode a text."""
        try:
            return content.decode()
        except UnicodeDecodeError:
            self._invalid += 1
            return content.decode("utf-8", "replace")

    def container(self, content: bytes) -> Any:
        """Return a JSON object or array, or the text."""
        if content[:1] in (b"{", b"["):
            try:
                return self.json_value(content)
            except ValueError:
                pass
        return self.text(content)

    def json_value(self, content: bytes) -> Any:
        """Read a JSON value like a response: NaN and infinities are floats, and half of a surrogate pair is U+FFFD.

        Raises:
            ValueError: it is not JSON, or has too many levels.
        """
        try:
            value = _json.loads(content)
        except ValueError:
            value, notes = tolerant_json.loads(content.decode("utf-8", "replace"))
            self._corrected += bool(notes)
            self._invalid += not _is_utf_8(content)
            return value
        if _json.is_deep(value, content):
            raise ValueError
        return value

    def notes(self) -> list[str]:
        """Return sentences on the corrections."""
        notes = []
        if self._invalid:
            notes.append(f"bytes that are not utf-8 were read as U+FFFD ({_events(self._invalid)})")
        if self._corrected:
            notes.append(
                f"numbers that are NaN or infinite are null in JSON, and half of a surrogate pair is U+FFFD "
                f"({_events(self._corrected)})"
            )
        return notes


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count:,} events"


# -- events within the limits of the connection ------------------------------------------------------

#: The maximum number of bytes that are split into lines at once, and of lines that are read for each event.
_MAX_BYTES_AT_ONCE: Final = 64 * 1024
_MAX_LINES_PER_EVENT: Final = 100

#: Responses without content (RFC 9110, sections 15.3.5 and 15.3.6).
_WITHOUT_CONTENT: Final = frozenset({204, 205})


class EventReader:
    """A reader of events.

    Attributes:
        count: the number of events so far.
        stopped: the reason why the rest is not read; ``None`` before a limit is reached.
    """

    def __init__(
        self, parser: EventParser, inflater: Inflater, *, max_bytes: int, max_events: int
    ) -> None:
        """Begin a response, with the limits of its connection."""
        self.count = 0
        self.stopped: str | None = None
        self._parser = parser
        self._lines = LineSplitter(parser.separator)
        self._inflater = inflater
        self._max_bytes, self._max_events = max_bytes, max_events
        self._lines_left = _MAX_LINES_PER_EVENT * max_events

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that end in received bytes, up to the limits.

        Raises:
            BrokenEncodingError: the bytes do not match the encoding of the response.
        """
        broken = None
        try:
            self._inflater.feed(chunk)
        except BrokenEncodingError as error:
            broken = error
        content = self._inflater.take()
        for start in range(0, len(content), _MAX_BYTES_AT_ONCE):
            for line in self._lines.feed(content[start : start + _MAX_BYTES_AT_ONCE]):
                yield from self._count_event(self._parser.line(line))
                if self.stopped is not None:
                    return
        if broken is not None:
            raise broken
        if self._inflater.truncated:
            self.stopped = f"the limit of {self._max_bytes:,} bytes is reached"

    def _count_event(self, event: Event | None) -> Iterator[Event]:
        self._lines_left -= 1
        if event is not None:
            self.count += 1
            if self.count == self._max_events:
                self.stopped = "max_events is reached"
            yield event
        elif not self._lines_left:
            self.stopped = "it has too many lines without an event"

    def end(self) -> Iterator[Event]:
        """Yield the last event, which the end of the response completes.

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
        own = [] if self.stopped is None else [self.reason()]
        return tuple(Note(pointer="", text=text) for text in (*own, *self._parser.notes()))

    def reason(self) -> str:
        """Return why the stream was stopped."""
        events = "1 event" if self.count == 1 else f"{self.count:,} events"
        return f"the stream was stopped after {events}: {self.stopped}"


def stream_type(
    method: str, status: int, headers: Mapping[str, str], declared: DeclaredStream | None
) -> str | None:
    """Return the media type as which a successful response is read event by event; ``None`` for any other response."""
    if method == "HEAD" or not 200 <= status < 300 or status in _WITHOUT_CONTENT:
        return None
    media_type = essence(headers.get("content-type", ""))
    if declared is not None and media_type in declared.instead_of:
        return declared.media_type
    return media_type if has_events(media_type) else None


def json_lines(content: bytes, *, truncated: bool) -> tuple[list[Any], list[str]] | None:
    """Return the items of JSON Lines of any media type, with notes; ``None`` for any other content.

    Each line is an object or an array, and there are several: one line may be truncated JSON. If the content is
    ``truncated``, its last line is left out.
    """
    lines = content.split(b"\n") if content.lstrip(_BOM)[:1] in {b"{", b"["} else []
    lines = [line for line in (lines[:-1] if truncated else lines) if line.strip()]
    parser = JsonItems(_LINE_FEED)
    items: list[Any] = []
    for line in lines:
        event = parser.line(line)
        if parser.malformed or event is None or not isinstance(event.data, dict | list):
            return None
        items.append(event.data)
    return (items, parser.notes()) if len(items) > (0 if truncated else 1) else None
