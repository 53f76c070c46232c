"""Arguments as JSON with a comment on each invalid line; all other members are folded.

The value may be any object that a caller passed: cyclic, endless, not JSON. So it is written without recursion, until
the limit is reached. No method of a foreign object is called.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, NamedTuple

from specfn._internal.pointer import Tokens
from specfn._internal.values import integer, member, type_name
from specfn.records import ABSENT

_UNPRINTABLE: Final = re.compile(r"[^ -~]")

#: The most characters and the most levels of a container that is written on one line.
_SHORT: Final = 60
_FLAT: Final = 3


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
            mark = mark.inside.setdefault(token, PlaceComments())
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
        room: the most bytes of all lines.
        text: the most characters of one string.

    Raises:
        NoRoomError: the lines exceed the limit.
    """
    lines: list[str] = []
    for line in _lines(data, root, text):
        room -= len(line.encode()) + 1
        if room < 0:
            raise NoRoomError
        lines.append(line)
    return lines


def one_line(text: str) -> str:
    """Return a text with escapes for line breaks and for characters that are not printable."""
    return text if text.isprintable() else _UNPRINTABLE.sub(_escape, text)


def quoted(text: str, limit: int) -> str:
    """Write a string as JSON, shortened if it is long."""
    shown = text if len(text) <= limit else f"{text[:limit]}... ({len(text):,} characters)"
    return one_line(json.dumps(shown, ensure_ascii=False))


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


class _Line(NamedTuple):
    """A member that is to be written."""

    label: str
    value: Any
    mark: PlaceComments | None


def _lines(data: Any, root: PlaceComments, limit: int) -> Iterator[str]:
    stack: list[tuple[Iterator[tuple[_Line, bool]], str]] = []
    current = _Line("", data, root)
    comma = ""
    written: set[str] = set()
    while True:
        indent = "  " * len(stack)
        comment = _once(current.mark, written)
        if _opens(current):
            opening, closing = "{}" if type(current.value) is dict else "[]"
            yield f"{indent}{current.label}{opening}{comment}"
            stack.append((_with_last(_members(current, limit)), closing + comma))
        else:
            end = "" if current.value is _NOTHING else comma
            yield f"{indent}{current.label}{_inline(current.value, limit)}{end}{comment}"
        while stack:
            entry = next(stack[-1][0], None)
            if entry is not None:
                current, last = entry
                comma = "" if last else ","
                break
            _, closing = stack.pop()
            yield "  " * len(stack) + closing
        else:
            return


def _once(mark: PlaceComments | None, written: set[str]) -> str:
    """Return the comment on a line; a long comment is not repeated."""
    if mark is None or mark.comment is None:
        return ""
    if mark.comment in written:
        return " // ❌ the same as above"
    if len(mark.comment) > _SHORT:
        written.add(mark.comment)
    return f" // {mark.comment}"


def _opens(line: _Line) -> bool:
    """Return whether a value is written over several lines, because there are comments inside it."""
    if type(line.value) is not dict and type(line.value) is not list:
        return False
    return line.mark is not None and bool(line.mark.inside or line.mark.notes)


def _members(line: _Line, limit: int) -> Iterator[_Line]:
    """Return the members with comments; runs of other members are folded."""
    value = line.value
    assert line.mark is not None
    marks = dict(line.mark.inside)
    folded: list[_Line] = []
    count = 0
    members: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
    for key, item in members:
        mark = marks.pop(key, None) if type(key) is str or type(key) is int else None
        if mark is None:
            count += 1
            folded = [_Line(_label(value, key, limit), item, None)] if count == 1 else folded
        elif not mark.hidden:
            yield from _run(folded, count)
            count = 0
            yield _Line(_label(value, key, limit), item, mark)
    yield from _run(folded, count)
    for note in line.mark.notes:
        yield _Line(f"// {note}", _NOTHING, None)
    for token, mark in marks.items():
        if not mark.hidden:
            yield _Line(_label(value, token, limit), ABSENT, mark)


def _run(first: list[_Line], count: int) -> list[_Line]:
    """Return the lines of consecutive members without comments: one is written, several are folded."""
    return first if count == 1 else [_Line(f"// ... {count:,} more", _NOTHING, None)][: count > 1]


def _label(value: Any, key: Any, limit: int) -> str:
    if type(value) is list:
        return ""
    return f"{quoted(key, limit) if type(key) is str else _foreign(key)}: "


class _Nothing:
    """Placeholder for a line without a value."""


_NOTHING: Final = _Nothing()


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
        return quoted(value, limit)
    if type(value) is dict:
        return _flat(value, _FLAT) or "{ ... }"
    if type(value) is list:
        return _flat(value, _FLAT) or "[ ... ]"
    return _WRITERS.get(id(type(value)), _foreign)(value)


def _flat(value: Any, levels: int) -> str | None:
    """Write a short container as JSON; ``None`` if it is not short."""
    if levels == 0 or len(value) > _SHORT // 3:
        return None
    parts: list[str] = []
    items: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
    for key, item in items:
        box = type(item) is dict or type(item) is list
        text = _flat(item, levels - 1) if box else _inline(item, _SHORT)
        if not text:
            return None
        parts.append(_label(value, key, _SHORT) + text)
        if sum(map(len, parts)) > _SHORT:
            return None
    opening, closing = "{}" if type(value) is dict else "[]"
    return f"{opening}{', '.join(parts)}{closing}"


def _foreign(value: Any) -> str:
    """Write an object that is not JSON as the name of its class."""
    return f"<{one_line(type_name(value)[:60])}>"


def _with_last(lines: Iterator[_Line]) -> Iterator[tuple[_Line, bool]]:
    """Yield each line with whether it is the last one, which has no comma."""
    previous: _Line | None = None
    for line in lines:
        if previous is not None:
            yield previous, False
        previous = line
    if previous is not None:
        yield previous, True
