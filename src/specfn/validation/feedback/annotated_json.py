"""Arguments as JSON with a comment on each invalid line; all other members are folded.

The value may be any object that a caller passed: cyclic, endless, not JSON. So only containers with comments inside
them are opened, until the limit is reached. No method of a foreign object is called.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, Final, TypeAlias

from specfn._internal.pointer import Tokens
from specfn._internal.values import integer, member, type_name
from specfn.records import ABSENT

_UNPRINTABLE: Final = re.compile(r"[^ -~]")

#: The maximum number of characters and of levels of a container that is written on one line.
_MAX_LINE_CHARACTERS: Final = 60
_MAX_LINE_DEPTH: Final = 3


@dataclass(slots=True)
class PlaceComments:
    """The comments on one place and on the places inside it.

    Attributes:
        comment: the comment on the place.
        notes: comments that concern several places inside it.
        inside: the comments of the places inside it.
        hidden: whether the place needs no line, because a note covers it.
    """

    comment: str | None = None
    notes: list[str] = field(default_factory=list)
    inside: dict[str | int, "PlaceComments"] = field(default_factory=dict)
    hidden: bool = False

    def at(self, tokens: Tokens) -> "PlaceComments":
        """Return the comments of a place inside, created on first use."""
        mark = self
        for token in tokens:
            inner = mark.inside.get(token)
            if inner is None:
                inner = mark.inside[token] = PlaceComments()
            mark = inner
        return mark


class NoRoomError(Exception):
    """The lines exceed the limit."""


def has_place(data: Any, tokens: Tokens) -> bool:
    """Return whether arguments have a place, or could have it because its object exists."""
    value = data
    for position, token in enumerate(tokens):
        inner = _member(value, token)
        if inner is ABSENT:
            return position == len(tokens) - 1 and _could_hold(value, token)
        value = inner
    return True


def write_lines(data: Any, root: PlaceComments, room: int, text: int) -> list[str]:
    """Write arguments as lines.

    Args:
        data: the arguments.
        root: the comments.
        room: the maximum number of bytes of all lines.
        text: the maximum number of characters of one string.

    Raises:
        NoRoomError: the lines exceed the limit.
    """
    drawing = _Drawing(room, text)
    drawing.draw(("", data, root), "", "")
    return drawing.lines


def one_line(text: str) -> str:
    """Return a text with escapes for line breaks and for characters that are not printable."""
    return text if text.isprintable() else _UNPRINTABLE.sub(_escape, text)


def quote(text: str, limit: int) -> str:
    """Write a string as JSON, shortened if it is long."""
    shown = text if len(text) <= limit else f"{text[:limit]}... ({len(text):,} characters)"
    return one_line(encode_basestring(shown))


def _escape(match: re.Match[str]) -> str:
    """Return a character with JSON's escape, if it is not printable."""
    char = match.group()
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _member(value: Any, token: str | int) -> Any:
    if type(value) is dict and type(token) is str:
        return member(value, token, ABSENT)
    if type(value) is list and type(token) is int and token < len(value):
        return value[token]
    return ABSENT


def _could_hold(value: Any, token: str | int) -> bool:
    if type(value) is list:
        return type(token) is int
    return type(value) is dict and type(token) is str


class _Nothing:
    """Placeholder for a line without a value."""


_NOTHING: Final = _Nothing()

#: A line: its label, the member that is to be written, and the comments on it.
_Line: TypeAlias = tuple[str, Any, PlaceComments | None]


class _Drawing:
    """The lines written so far.

    Each level is indented further than the one around it. So the limit of bytes also limits the recursion: 8,000
    bytes hold fewer than 90 levels.
    """

    def __init__(self, room: int, text: int) -> None:
        self.lines: list[str] = []
        self._room = room
        self._text = text
        self._written: set[str] = set()

    def draw(self, line: _Line, indent: str, comma: str) -> None:
        """Write a member on one line, or over several lines if there are comments inside it."""
        label, value, mark = line
        comment = self._once(mark)
        if mark is None or not _opens(value, mark):
            end = "" if value is _NOTHING else comma
            self._add(f"{indent}{label}{_inline(value, self._text)}{end}{comment}")
            return
        opening, closing = "{}" if type(value) is dict else "[]"
        self._add(f"{indent}{label}{opening}{comment}")
        inner_lines = [*_members(value, mark, self._text)]
        for number, inner_line in enumerate(inner_lines, 1):
            self.draw(inner_line, indent + "  ", "," if number < len(inner_lines) else "")
        self._add(f"{indent}{closing}{comma}")

    def _add(self, line: str) -> None:
        self._room -= len(line.encode()) + 1
        if self._room < 0:
            raise NoRoomError
        self.lines.append(line)

    def _once(self, mark: PlaceComments | None) -> str:
        """Return the comment on a line; a long comment is not repeated."""
        if mark is None or mark.comment is None:
            return ""
        if mark.comment in self._written:
            return " // ❌ the same as above"
        if len(mark.comment) > _MAX_LINE_CHARACTERS:
            self._written.add(mark.comment)
        return f" // {mark.comment}"


def _opens(value: Any, mark: PlaceComments) -> bool:
    """Return whether a value is written over several lines, because there are comments inside it."""
    return (type(value) is dict or type(value) is list) and bool(mark.inside or mark.notes)


def _members(value: Any, around: PlaceComments, limit: int) -> Iterator[_Line]:
    """Yield the members with comments; runs of other members are folded. Hidden members do not end a run."""
    is_list = type(value) is list
    keys = range(len(value)) if is_list else [*value]
    items = value if is_list else [*value.values()]
    marks = dict(around.inside)

    def line(position: int, mark: PlaceComments | None = None) -> _Line:
        return _label(value, keys[position], limit), items[position], mark

    run: list[range] = []
    start = 0
    for position in _positions_with_comments(keys, marks):
        if position > start:
            run.append(range(start, position))
        start = position + 1
        mark = marks.pop(keys[position])
        if not mark.hidden:
            if run:
                yield from _fold(run, line)
                run = []
            yield line(position, mark)
    if len(keys) > start:
        run.append(range(start, len(keys)))
    yield from _fold(run, line)
    yield from ((f"// {note}", _NOTHING, None) for note in around.notes)
    for token, mark in marks.items():
        if not mark.hidden:
            yield _label(value, token, limit), ABSENT, mark


def _positions_with_comments(keys: Sequence[Any], marks: Mapping[str | int, Any]) -> list[int]:
    """Return the positions of the members with comments. Not all indexes are compared, because a list may be long."""
    if type(keys) is range:
        return sorted(token for token in marks if type(token) is int and token < len(keys))
    return [
        position
        for position, key in enumerate(keys)
        if (type(key) is str or type(key) is int) and key in marks
    ]


def _fold(run: list[range], line: Callable[[int], _Line]) -> Iterator[_Line]:
    """Yield a line for consecutive members without comments: one is written, several are folded."""
    count = sum(map(len, run))
    if count == 1:
        yield line(*chain.from_iterable(run))
    elif count:
        yield f"// ... {count:,} more", _NOTHING, None


def _label(value: Any, key: Any, limit: int) -> str:
    if type(value) is list:
        return ""
    return f"{quote(key, limit) if type(key) is str else _foreign(key)}: "


def _float(value: float) -> str:
    return repr(value) if isfinite(value) else _NOT_FINITE[str(value)]


_NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

#: Writers by the identity of the class. Looking up a class itself would call its metaclass.
_WRITERS: Final[Mapping[int, Callable[[Any], str]]] = {
    id(bool): lambda value: "true" if value else "false",
    id(type(None)): lambda _: "null",
    id(int): integer,
    id(float): _float,
    id(type(ABSENT)): lambda _: "(missing)",
    id(_Nothing): lambda _: "",
}


def _inline(value: Any, limit: int) -> str:
    """Write a value on one line; a container that is not short only as brackets."""
    if type(value) is str:
        return quote(value, limit)
    if type(value) is dict:
        return _flat(value, _MAX_LINE_DEPTH) or "{ ... }"
    if type(value) is list:
        return _flat(value, _MAX_LINE_DEPTH) or "[ ... ]"
    return _WRITERS.get(id(type(value)), _foreign)(value)


def _flat(value: Any, levels: int) -> str | None:
    """Write a short container as JSON; ``None`` if it is not short."""
    if levels == 0 or len(value) > _MAX_LINE_CHARACTERS // 3:
        return None
    parts: list[str] = []
    items: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
    for key, item in items:
        box = type(item) is dict or type(item) is list
        text = _flat(item, levels - 1) if box else _inline(item, _MAX_LINE_CHARACTERS)
        if not text:
            return None
        parts.append(_label(value, key, _MAX_LINE_CHARACTERS) + text)
        if sum(map(len, parts)) > _MAX_LINE_CHARACTERS:
            return None
    opening, closing = "{}" if type(value) is dict else "[]"
    return f"{opening}{', '.join(parts)}{closing}"


def _foreign(value: Any) -> str:
    """Write an object that is not JSON as the name of its class."""
    return f"<{one_line(type_name(value)[:60])}>"
