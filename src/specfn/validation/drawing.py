"""Arguments drawn as JSON with a comment on each faulty line.

The value may be anything that a caller passed: cyclic, endless, not JSON at all. So it is drawn from a list of open
containers instead of the machine's stack, until the room is used up; nothing of a foreign object is called.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, NamedTuple

from specfn._json import JSONDecodeError, loads
from specfn._values import has_text_keys, integer, type_name
from specfn.records import ABSENT

_TOKEN: Final = re.compile(
    r'\.(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)|\[(?P<index>\d{1,9})\]|\[(?P<key>"(?:[^"\\]|\\.)*")\]'
)
_UNPRINTABLE: Final = re.compile(r"[^ -~]")


class Detail(NamedTuple):
    """How much of the arguments is drawn.

    Attributes:
        whole: whether containers without faults are written out.
        neighbours: whether members without faults are drawn beside faulty ones.
        text: the most characters of one string.
    """

    whole: bool
    neighbours: bool
    text: int


@dataclass(slots=True)
class Mark:
    """What is said of one place, and of the places inside."""

    comment: str | None = None
    inside: dict[str | int, "Mark"] = field(default_factory=dict)


class NoRoomError(Exception):
    """The drawing is longer than there is room for."""


def tokens_of(path: str) -> tuple[str | int, ...] | None:
    """Read a path such as ``$input.items[3]["a-b"]`` as keys and indexes; ``None`` if it is no such path."""
    if not path.startswith("$input"):
        return None
    tokens: list[str | int] = []
    position = len("$input")
    while position < len(path):
        match = _TOKEN.match(path, position)
        if match is None:
            return None
        position = match.end()
        if match["index"] is not None:
            tokens.append(int(match["index"]))
        elif match["name"] is not None:
            tokens.append(match["name"])
        else:
            try:
                tokens.append(loads(match["key"]))
            except JSONDecodeError:
                return None
    return tuple(tokens)


def place(root: Mark, data: Any, path: str, comment: str) -> bool:
    """Put a comment at a path; false where the arguments have no such place."""
    tokens = tokens_of(path)
    if tokens is None:
        return False
    value = data
    for position, token in enumerate(tokens):
        inner = _member(value, token)
        last = position == len(tokens) - 1
        if inner is ABSENT and not (last and _could_hold(value, token)):
            return False
        value = inner
    mark = root
    for token in tokens:
        mark = mark.inside.setdefault(token, Mark())
    mark.comment = mark.comment or comment
    return True


def draw(data: Any, root: Mark, detail: Detail, room: int) -> list[str]:
    """Draw arguments line by line.

    Raises:
        NoRoomError: the lines need more than ``room`` bytes.
    """
    lines: list[str] = []
    for line in _lines(data, root, detail):
        room -= len(line.encode()) + 1
        if room < 0:
            raise NoRoomError
        lines.append(line)
    return lines


def one_line(text: str) -> str:
    """A text without anything that could break out of its line or hide in it."""
    return text if text.isprintable() else _UNPRINTABLE.sub(_escape, text)


def quoted(text: str, limit: int) -> str:
    """A string as JSON, shortened if it is long."""
    shown = text if len(text) <= limit else f"{text[:limit]}... ({len(text):,} characters)"
    return one_line(json.dumps(shown, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    """A character as JSON escapes it, if it is not one to be seen."""
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
        if has_text_keys(value):
            return value.get(token, ABSENT)
        # a key that is no text may raise when it is compared
        return next(
            (item for key, item in value.items() if type(key) is str and key == token), ABSENT
        )
    if type(value) is list and type(token) is int and token < len(value):
        return value[token]
    return ABSENT


def _could_hold(value: Any, token: str | int) -> bool:
    return type(value) is dict and type(token) is str


class _Line(NamedTuple):
    """A member about to be drawn."""

    label: str
    value: Any
    mark: Mark | None


def _lines(data: Any, root: Mark, detail: Detail) -> Iterator[str]:
    stack: list[tuple[Iterator[tuple[_Line, bool]], str]] = []
    current = _Line("", data, root)
    comma = ""
    while True:
        indent = "  " * len(stack)
        comment = f" // {current.mark.comment}" if current.mark and current.mark.comment else ""
        if _opens(current, detail):
            opening, closing = "{}" if type(current.value) is dict else "[]"
            yield f"{indent}{current.label}{opening}{comment}"
            stack.append((_with_last(_members(current, detail)), closing + comma))
        else:
            end = "" if current.value is _NOTHING else comma
            yield f"{indent}{current.label}{_inline(current.value, detail.text)}{end}{comment}"
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


def _opens(line: _Line, detail: Detail) -> bool:
    """Whether a value is written over several lines."""
    if type(line.value) is not dict and type(line.value) is not list:
        return False
    inside = line.mark is not None and bool(line.mark.inside)
    return inside or (detail.whole and bool(line.value))


def _members(line: _Line, detail: Detail) -> Iterator[_Line]:
    value = line.value
    marks: Mapping[str | int, Mark] = line.mark.inside if line.mark else {}
    if detail.neighbours or not marks:
        members: Iterable[tuple[Any, Any]] = (
            value.items() if type(value) is dict else enumerate(value)
        )
        for key, item in members:
            known = type(key) is str or type(key) is int
            yield _Line(_label(value, key, detail), item, marks.get(key) if known else None)
        rest = [(token, mark) for token, mark in marks.items() if _member(value, token) is ABSENT]
    else:
        rest = list(marks.items())
        hidden = len(value) - sum(_member(value, token) is not ABSENT for token in marks)
        if hidden > 0:
            yield _Line(f"// ... {hidden:,} more", _NOTHING, None)
    for token, mark in rest:
        yield _Line(_label(value, token, detail), _member(value, token), mark)


def _label(value: Any, key: Any, detail: Detail) -> str:
    if type(value) is list:
        return "" if detail.neighbours else f"[{key}]: "
    return f"{quoted(key, detail.text) if type(key) is str else _foreign(key)}: "


class _Nothing:
    """A line without a value."""


_NOTHING: Final = _Nothing()


def _float(value: float) -> str:
    return repr(value) if isfinite(value) else _NOT_FINITE[str(value)]


_NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

#: By the identity of the class: looking up a class itself would call its metaclass.
_WRITERS: Final[Mapping[int, Callable[[Any], str]]] = {
    id(dict): lambda value: "{ ... }" if value else "{}",
    id(list): lambda value: "[ ... ]" if value else "[]",
    id(bool): lambda value: "true" if value else "false",
    id(type(None)): lambda _: "null",
    id(int): integer,
    id(float): _float,
    id(type(ABSENT)): lambda _: "undefined",
    id(_Nothing): lambda _: "",
}


def _inline(value: Any, limit: int) -> str:
    """A value on one line."""
    if type(value) is str:
        return quoted(value, limit)
    return _WRITERS.get(id(type(value)), _foreign)(value)


def _foreign(value: Any) -> str:
    """Write what is not JSON by the name of its class."""
    return f"<{one_line(type_name(value)[:60])}>"


def _with_last(lines: Iterator[_Line]) -> Iterator[tuple[_Line, bool]]:
    """Each line with whether it is the last one, which takes no comma."""
    previous: _Line | None = None
    for line in lines:
        if previous is not None:
            yield previous, False
        previous = line
    if previous is not None:
        yield previous, True
