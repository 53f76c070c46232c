"""Extraction of the only JSON value of a text: alone, in a code fence, in quotes, or in prose (rule V6).

Only one position is tried. If another bracket is before or after the value, the text may have another meaning and is
refused.
"""

import re
from typing import Any, Final, NamedTuple

from specfn.records import Repair
from specfn.validation.text.lexer import QUOTES, gap, string
from specfn.validation.text.reader import ParsedValue, Reader
from specfn.validation.text.strict_json import UNREAD, strict
from specfn.validation.text.syntax_faults import UnreadableError

_EDGES: Final = " \t\n\r\v\f\xa0\u200b\ufeff"
_FENCE: Final = re.compile(r"(?:```|~~~)[ \t]*+[A-Za-z0-9_+.-]*+[ \t]*+(?:\r?\n|(?=[\[{\"']))")
_FENCE_END: Final = re.compile(r"(?:```|~~~)\Z")
_ONLY_FENCE: Final = re.compile(r"(?:```|~~~)[A-Za-z0-9_+.-]*\Z")
_VALUES: Final = frozenset({"{", "[", *QUOTES})
_BRACKET: Final = re.compile(r"[{\[]")
_ANY_BRACKET: Final = re.compile(r"[{\[}\]]")

#: A word in brackets that is not a value in any notation: a placeholder of a path, or a mark such as ``[INFO]``.
_MARK: Final = re.compile(
    r"\{[A-Za-z_]\w*\}|\[/?(?!(?:true|false|null|True|False|None)\])[A-Za-z][A-Za-z0-9_ /-]*\]"
)

#: Text before and after a value that shows that the value is a piece of a larger one.
_PIECE_BEFORE: Final = re.compile(r"(?:[\"'”’]\s*:|(?:[\"'”’\d]|\b(?:true|false|null))\s*,)\Z")
_PIECE_AFTER: Final = (",", ":")
_STRAY: Final = re.compile(r"[\s}]*\Z")

#: A bracket with an escaped first quotation mark: the content of a JSON string without its quotes.
_ESCAPED: Final = re.compile(r"[{\[](?:\\[nrt]|\s)*\\\"")


class _Window(NamedTuple):
    """A part of a text."""

    text: str
    start: int
    end: int

    @property
    def inside(self) -> str:
        return self.text[self.start : self.end]

    def stripped(self) -> "_Window":
        inside = self.inside
        start = self.end - len(inside.lstrip(_EDGES))
        return _Window(self.text, min(start, self.end), start + len(inside.strip(_EDGES)))


def extract(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read the only value of a text.

    Returns:
        The value, and whether it is incomplete.

    Raises:
        UnreadableError: the text has no value or several values, or the value cannot be read.
    """
    window = _unfenced(_Window(text, 0, len(text)).stripped(), repairs)
    window = _uncommented(window, repairs)
    if window.start == window.end:
        raise UnreadableError(
            text, window.start, "There is no text. Write {} if there are no arguments."
        )
    quoted = _quoted(window, repairs)
    if quoted is not UNREAD:
        return quoted, False
    at = _candidate(window)
    if at is None:
        return _scalar(window, repairs), False
    return _within(window, at, repairs)


def read_only_value(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read a text that contains one value and nothing else, such as the content of a string.

    Raises:
        UnreadableError: it does not.
    """
    value = strict(text)
    if value is not UNREAD:
        return value, False
    window = _Window(text, 0, len(text)).stripped()
    reading = Reader(window.text[: window.end], repairs).read(window.start)
    end = gap(text, reading.end).end
    if end < window.end:
        raise UnreadableError(text, end, _MORE)
    return reading.value, reading.incomplete


_MORE: Final = "There is more after the value. Send one value and nothing else."
_TOO_EARLY: Final = "This bracket closes nothing. An earlier one may come too early, so that what follows it is in the wrong object."
_SEVERAL: Final = "There is more than one value, or a piece of one. Send one value, nothing else."


def _unfenced(window: _Window, repairs: list[Repair]) -> _Window:
    """Return the content of a code fence around the whole text."""
    opening = _FENCE.match(window.text, window.start, window.end)
    if opening is None:
        return window
    closing = _FENCE_END.search(window.text, max(opening.end(), window.end - 3), window.end)
    end = window.end if closing is None else closing.start()
    _note(repairs, "fence", opening.group().strip())
    return _Window(window.text, opening.end(), end).stripped()


def _uncommented(window: _Window, repairs: list[Repair]) -> _Window:
    """Return the text behind an initial comment."""
    text, start, end = window
    if not text.startswith(("//", "/*"), start):
        return window
    after = gap(text[:end], start).end
    if after == end or text[after] not in _VALUES:
        return window
    _note(repairs, "comment", text[start:after].strip(_EDGES))
    return _Window(text, after, end)


def _quoted(window: _Window, repairs: list[Repair]) -> Any:
    """Return the string that forms the whole text; ``UNREAD`` if the text is not a string."""
    text, start, end = window
    if text[start] not in QUOTES:
        return UNREAD
    try:
        token = string(text[:end], start)
    except UnreadableError:
        return UNREAD
    if token.end != end:
        return UNREAD
    repairs.extend(
        Repair(path="$input", kind=kind, before=window.inside, after=token.value)
        for kind in token.kinds
    )
    return token.value


def _candidate(window: _Window) -> int | None:
    """Return the position of the first value in brackets, else of the first mark; ``None`` if there are no brackets."""
    text, at, end = window
    mark: int | None = None
    while True:
        bracket = _BRACKET.search(text, at, end)
        if bracket is None:
            return mark
        found = _MARK.match(text, bracket.start(), end)
        if found is None:
            return bracket.start()
        mark = bracket.start() if mark is None else mark
        at = found.end()


def _scalar(window: _Window, repairs: list[Repair]) -> Any:
    text, start, end = window
    reading = Reader(text[:end], repairs).read(start)
    rest = gap(text[:end], reading.end).end
    if rest < end:
        raise UnreadableError(text, rest, _MORE)
    return reading.value


def _within(window: _Window, at: int, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read the value at a bracket, and check the text around it."""
    text, start, end = window
    if at == start and _ESCAPED.match(text, start, end):
        inside = _quoted(_Window(f'"{window.inside}"', 0, end - start + 2), repairs)
        if inside is not UNREAD:
            return inside, False
    reading = Reader(text[:end], repairs).read(at)
    _judge_before(_Window(text, start, at).stripped(), repairs)
    after = _Window(text, reading.end, end).stripped()
    if at == start and type(reading.value) is dict and _STRAY.match(after.inside):
        _judge_stray(after, reading, repairs)
    else:
        _judge_after(after, repairs)
    return reading.value, reading.incomplete


def _judge_stray(after: _Window, reading: ParsedValue, repairs: list[Repair]) -> None:
    """Remove surplus closing braces behind an object, unless an earlier brace may be the surplus one."""
    if not after.inside:
        return
    if reading.resumed:
        raise UnreadableError(after.text, after.start, _TOO_EARLY)
    _note(repairs, "bracket", after.inside)


def _judge_before(around: _Window, repairs: list[Repair]) -> None:
    before = around.inside
    if before:
        is_piece = _PIECE_BEFORE.search(before[-40:]) or _bracket(before) is not None
        if is_piece or strict(before) is not UNREAD:
            raise UnreadableError(around.text, around.start, _SEVERAL)
        _note(repairs, "fence" if _ONLY_FENCE.match(before) else "prose", before)


def _judge_after(around: _Window, repairs: list[Repair]) -> None:
    after = around.inside
    if not after:
        return
    if gap(after, 0).end == len(after):
        _note(repairs, "comment", after)
        return
    bracket = _bracket(after)
    if bracket is not None or after.startswith(_PIECE_AFTER) or strict(after) is not UNREAD:
        at = around.start + (bracket.start() if bracket else 0)
        raise UnreadableError(around.text, at, _SEVERAL)
    _note(repairs, "fence" if _ONLY_FENCE.match(after) else "prose", after)


def _bracket(around: str) -> re.Match[str] | None:
    """Find the first bracket of a text outside of marks."""
    return _ANY_BRACKET.search(_MARK.sub(lambda mark: " " * len(mark.group()), around))


def _note(repairs: list[Repair], kind: str, before: str) -> None:
    repairs.append(Repair(path="$input", kind=kind, before=before, after=""))
