"""Lenient parser of one JSON value in a model's text, without recursion (rule V6).

Each character is read a fixed number of times, so the time is linear in the length of the text.
"""

import re
from typing import Any, Final, NamedTuple

from specfn._internal.pointer import input_path
from specfn.records import Repair
from specfn.validation.plain_json import MAX_DEPTH, MAX_VALUES
from specfn.validation.text.lexer import (
    HALF_A_STRING,
    LITERALS,
    QUOTES,
    UnreadableError,
    holds_half_a_string,
    read_scalar,
    read_string,
    skip_gap,
)
from specfn.validation.text.strict_json import UNREAD, read_strict

_KEY: Final = re.compile(r"(?!\d)[\w$][\w$-]*|0|[1-9][0-9]{0,18}")
_FENCE: Final = "```"
_OPENERS: Final = frozenset("{[")
_CLOSERS: Final = frozenset("]}")

#: Characters that begin or separate most tokens. White space and comments begin with others.
_TOKENS: Final = frozenset("\"'{}[]:,-0123456789tfnTFN")

#: Characters around a value that have no meaning.
EDGES: Final = " \t\n\r\v\f\xa0\u200b\ufeff"

#: The reason why a text with more than one value is refused.
MORE: Final = "There is more after the value. Send one value and nothing else."

#: A string that needs no repair.
_PLAIN: Final = re.compile(r'"([^"\\\x00-\x1f]*)"')


_CONTAINERS: Final = (dict, list)


class _Opened:
    """Placeholder for the value of a container that was just opened."""


_OPENED: Final = _Opened()


class _Open:
    """An open container."""

    __slots__ = ("box", "closing", "key", "offset", "repeated_at")

    def __init__(self, box: Any, closing: str, offset: int) -> None:
        self.box = box
        self.closing = closing
        self.offset = offset
        self.key = ""
        self.repeated_at: int | None = None

    @property
    def token(self) -> str | int:
        """Return the key or index of the current member."""
        return self.key if type(self.box) is dict else len(self.box)


class ParsedValue(NamedTuple):
    """A parsed value.

    Attributes:
        value: the value.
        end: the position behind it.
        incomplete: whether the text ended inside the value, which was then closed.
        resumed: whether a member follows a bracket that may have closed its container too early.
    """

    value: Any
    end: int
    incomplete: bool
    resumed: bool = False


class Reader:
    """A parser for the values of one text, which collects its repairs."""

    def __init__(self, text: str, repairs: list[Repair]) -> None:
        """Accept a text, and the list that repairs are added to."""
        self._text = text
        self._repairs = repairs
        self._stack: list[_Open] = []
        self._at = 0
        self._nodes = 0
        self._closed = True
        self._incomplete = False
        self._may_be_closed_early = False
        self._resumed = False

    def read(self, at: int) -> ParsedValue:
        """Read the value at a position.

        Raises:
            UnreadableError: it cannot be read, is ambiguous, or exceeds the limits.
        """
        self._at = at
        value = self._read_value()
        while self._stack:
            value = self._read_first() if value is _OPENED else self._read_next(value)
        return ParsedValue(value, self._at, self._incomplete, self._resumed)

    def _read_value(self) -> Any:
        """Read a scalar, or open a container."""
        text, at = self._text, self._at
        plain = _PLAIN.match(text, at)
        if plain is not None:
            self._at, self._closed = plain.end(), True
            return plain[1]
        if text[at : at + 1] in _OPENERS:
            return self._open(text[at])
        token = read_scalar(text, at)
        self._at, self._closed = token.end, token.closed
        for kind in token.kinds:
            self._repair(self._path(), kind, text[at : token.end], token.value)
        return token.value

    def _open(self, char: str) -> _Opened:
        if len(self._stack) == MAX_DEPTH:
            raise self._error(self._at, f"Nested deeper than {MAX_DEPTH} levels.")
        box: Any = {} if char == "{" else []
        self._stack.append(_Open(box, "}" if char == "{" else "]", self._at))
        self._at += 1
        return _OPENED

    def _read_first(self) -> Any:
        """Read the first member behind an opening bracket, or the end of the container."""
        top = self._stack[-1]
        self._skip()
        char = self._text[self._at : self._at + 1]
        if char == top.closing:
            return self._close_container()
        if self._is_over(char):
            raise self._error(top.offset, "The text ends right after this bracket.")
        return self._read_member(top)

    def _read_next(self, value: Any) -> Any:
        """Read the next member behind a member, or the end of the container."""
        top = self._stack[-1]
        self._attach(top, value)
        closed = self._skip() and self._closed
        char = self._text[self._at : self._at + 1]
        if char == top.closing:
            return self._close_container()
        if char == ",":
            self._at += 1
            closed = self._skip()
            char = self._text[self._at : self._at + 1]
            if char == top.closing:
                self._repair(self._path(-1), "comma", ",", "")
                return self._close_container()
            if not self._is_over(char):
                return self._read_member(top)
        if self._is_over(char):
            return self._close(closed=closed)
        raise self._bracket_error(top, char)

    def _read_member(self, top: _Open) -> Any:
        """Read one member; in an object, its key first."""
        self._resumed = self._resumed or self._may_be_closed_early
        if type(top.box) is dict:
            self._read_key(top)
        if self._is_over(self._text[self._at : self._at + 1]):
            raise self._error(self._at, "The text ends where a value is expected.")
        return self._read_value()

    def _read_key(self, top: _Open) -> None:
        at = self._at
        kinds = self._read_key_token(top)
        top.repeated_at = at if top.key in top.box else None
        for kind in kinds:
            self._repair(self._path(), kind, self._text[at : self._at], top.key)
        self._skip()
        char = self._text[self._at : self._at + 1]
        if char != ":":
            if self._is_over(char):
                raise self._error(at, "The text ends after this key.")
            raise self._error(self._at, "A colon is missing after the key.")
        self._at += 1
        self._skip()

    def _read_key_token(self, top: _Open) -> tuple[str, ...]:
        """Read the key of a member; return the repairs that were needed."""
        text, at = self._text, self._at
        plain = _PLAIN.match(text, at)
        if plain is not None:
            top.key, self._at = plain[1], plain.end()
            return ()
        if text[at] in QUOTES:
            token = read_string(text, at)
            top.key, self._at = token.value, token.end
            return token.kinds
        match = _KEY.match(text, at)
        if match is None or match.group() in LITERALS:
            raise self._error(at, "A key in double quotes is expected here.")
        top.key, self._at = match.group(), match.end()
        return ("key",)

    def _attach(self, top: _Open, value: Any) -> None:
        """Add a value to the innermost open container."""
        self._nodes += 1
        if self._nodes > MAX_VALUES:
            raise self._error(self._at, f"More than {MAX_VALUES:,} values.")
        if type(top.box) is dict:
            if top.repeated_at is not None:
                self._check_repeated(top, value, top.repeated_at)
            top.box[top.key] = value
        else:
            top.box.append(value)

    def _check_repeated(self, top: _Open, value: Any, at: int) -> None:
        """Check that a key that occurs again has the same scalar again, and record that it is read once."""
        before = top.box[top.key]
        if type(value) is not type(before) or type(value) in _CONTAINERS or value != before:
            raise self._error(at, f"The key {top.key[:60]!r} occurs twice in one object.")
        self._repair(self._path(), "repeated", self._text[at : self._at].strip(EDGES), value)

    def _close_container(self) -> Any:
        """Close the innermost container.

        If this bracket is surplus, a later member may belong to the closed container. For an array this is possible
        only in an array: a later member of an object has a key, so it is not an item.
        """
        self._at += 1
        self._closed = True
        box = self._stack.pop().box
        if type(box) is dict or (self._stack and type(self._stack[-1].box) is list):
            self._may_be_closed_early = True
        return box

    def _close(self, *, closed: bool) -> Any:
        """Close all open containers at the end of the text, if the last token is certainly complete."""
        if not closed:
            raise self._error(self._at, "The text ends here, perhaps in the middle of a value.")
        closers = "".join(top.closing for top in reversed(self._stack))
        value = self._stack.pop().box
        while self._stack:
            self._attach(self._stack[-1], value)
            value = self._stack.pop().box
        self._repair("$input", "closed", "", closers)
        self._incomplete = True
        return value

    def _skip(self) -> bool:
        """Skip to the next token; return whether the skipped text is certainly complete."""
        text, at = self._text, self._at
        if text[at : at + 1] == " ":
            self._at = at = at + 1
        if text[at : at + 1] in _TOKENS:
            return True
        between = skip_gap(text, at)
        self._at = between.end
        if "comment" in between.kinds and holds_half_a_string(text, at, between.end):
            raise self._error(at, HALF_A_STRING)
        for kind in between.kinds:
            self._repair(self._path(-1), kind, self._text[at : self._at].strip(" \t\n\r"), "")
        return between.closed

    def _is_over(self, char: str) -> bool:
        """Return whether the text ends at the current position, whose character is ``char``."""
        return not char or (char == "`" and self._text.startswith(_FENCE, self._at))

    def _bracket_error(self, top: _Open, char: str) -> UnreadableError:
        if char in _CLOSERS:
            opening = "{" if type(top.box) is dict else "["
            line = self._text.count("\n", 0, top.offset) + 1
            return self._error(
                self._at, f"{char} does not close the {opening} of line {line}, which is open here."
            )
        return self._error(self._at, f"A comma or {top.closing} is expected here.")

    def _error(self, at: int, reason: str) -> UnreadableError:
        return UnreadableError(self._text, at, reason)

    def _repair(self, path: str, kind: str, before: str, after: Any) -> None:
        self._repairs.append(Repair(path=path, kind=kind, before=before, after=after))

    def _path(self, end: int | None = None) -> str:
        """Return the path of the current member; with ``-1``, of its container."""
        return input_path(top.token for top in self._stack[:end])


def read_only_value(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read a text that contains one value and nothing else, such as the content of a string.

    Returns:
        The value, and whether it is incomplete.

    Raises:
        UnreadableError: it does not.
    """
    value = read_strict(text)
    if value is not UNREAD:
        return value, False
    start = len(text) - len(text.lstrip(EDGES))
    stop = start + len(text.strip(EDGES))
    reading = Reader(text[:stop], repairs).read(start)
    check_end(text, reading.end, stop)
    return reading.value, reading.incomplete


def check_end(text: str, at: int, stop: int) -> None:
    """Check that nothing but comments follows a value.

    Raises:
        UnreadableError: there is more, or a comment that may be the rest of a string.
    """
    after = skip_gap(text[:stop], at)
    if after.end < stop:
        raise UnreadableError(text, after.end, MORE)
    if "comment" in after.kinds and holds_half_a_string(text[:stop], at, after.end):
        raise UnreadableError(text, at, HALF_A_STRING)
