"""Lenient parsing of a model's text, with the repairs that were needed: ``parse`` (rule V6).

Strict JSON is read as it is. From any other text, the only value is extracted: alone, in a code fence, in quotes, or in
prose. Only one position is tried. If another bracket is before or after the value, the text may have another meaning
and is refused. A repair changes the notation of a value, never the value.
"""

import re
from typing import Any, Final, NamedTuple

from specfn.records import ArgumentProblem, Repair, TextFault
from specfn.validation.outcome import Failure, Success, success
from specfn.validation.text.lexer import (
    IN_QUOTES,
    QUOTES,
    UnreadableError,
    read_string,
    skip_gap,
)
from specfn.validation.text.reader import EDGES, ParsedValue, Reader, check_end, read_only_value
from specfn.validation.text.strict_json import UNREAD, read_strict

#: The longest text that is read, in characters.
MAX_CHARACTERS: Final = 4 * 1024 * 1024

#: The reason of a text without anything in brackets.
NO_OBJECT: Final = "No JSON object was found. Write the arguments in { }."

#: How often a value may be encoded as a string again.
_MAX_ENCODINGS: Final = 3

_HOLDS_CONTAINER: Final = re.compile(r"[\s\\\"]*[{\[]")
_SURELY_OBJECT: Final = re.compile(r"\s*\{\s*[\"'}]")


def parse(source: Any) -> Success | Failure:
    """Parse a text that a model wrote. Never raises, whatever the argument is.

    Args:
        source: the text; bytes are UTF-8.

    Returns:
        ``Success(data, repairs, incomplete)``, or a ``Failure`` whose ``fault`` has the position and the reason.
    """
    if type(source) is str and len(source) <= MAX_CHARACTERS:
        value = read_strict(source)
        if value is not UNREAD and type(value) is not str:
            return success(value)
    repairs: list[Repair] = []
    try:
        value, incomplete = _read(_text(source), repairs)
    except UnreadableError as error:
        return _unreadable(source, error)
    return Success(data=value, repairs=tuple(repairs), incomplete=incomplete)


def _text(source: Any) -> str:
    """Return the source as text, if it is valid Unicode within the limit."""
    if type(source) is bytes or type(source) is bytearray:
        try:
            source = source[: MAX_CHARACTERS * 4 + 4].decode()
        except UnicodeDecodeError as error:
            readable = source[: error.start].decode()
            raise UnreadableError(readable, len(readable), "These bytes are not UTF-8.") from None
    if type(source) is not str:
        raise UnreadableError("", 0, "The arguments are not a string.")
    if len(source) > MAX_CHARACTERS:
        raise UnreadableError(
            source, MAX_CHARACTERS, f"The text is longer than {MAX_CHARACTERS:,} characters."
        )
    try:
        source.encode()
    except UnicodeEncodeError as error:
        reason = "This is a lone surrogate, which is not a character."
        raise UnreadableError(source, error.start, reason) from None
    return source


def _read(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Return the value of a text, decoded if it is a string that contains JSON, and whether it is incomplete."""
    incomplete = False
    value = read_strict(text)
    if value is UNREAD:
        value, incomplete = extract(text, repairs)
    if type(value) is str and _HOLDS_CONTAINER.match(value):
        try:
            return _unwrap(value, repairs)
        except UnreadableError:
            if _SURELY_OBJECT.match(value):
                raise
    return value, incomplete


def _unwrap(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Return the object or array that a string contains, possibly encoded several times."""
    steps: list[Repair] = []
    value: Any = text
    incomplete = False
    for _ in range(_MAX_ENCODINGS):
        written = value
        value, incomplete = read_only_value(written, steps)
        steps.append(Repair(path="$input", kind="unwrapped", before=written, after=value))
        if type(value) is not str:
            break
    if type(value) is dict or type(value) is list:
        repairs.extend(steps)
        return value, incomplete
    return text, False


def _unreadable(source: Any, error: UnreadableError) -> Failure:
    fault = TextFault(text=error.text, offset=error.offset, reason=error.reason)
    place = f"line {fault.line}, column {fault.column}"
    problem = ArgumentProblem(
        path="$input", expected="JSON", value=source, description=f"{error.reason} ({place})"
    )
    return Failure(data=source, errors=(problem,), fault=fault)


_FENCE: Final = re.compile(r"(?:```|~~~)[ \t]*+[A-Za-z0-9_+.-]*+[ \t]*+(?:\r?\n|(?=[\[{\"']))")
_FENCE_END: Final = re.compile(r"(?:```|~~~)\Z")
_ONLY_FENCE: Final = re.compile(r"(?:```|~~~)[A-Za-z0-9_+.-]*\Z")
_THOUGHTS: Final = "<think>"
_THOUGHTS_END: Final = "</think>"
_VALUES: Final = frozenset({"{", "[", *QUOTES})
_BRACKET: Final = re.compile(r"[{\[]")
_ANY_BRACKET: Final = re.compile(r"[{\[}\]]")

#: A word in brackets that is not a value in any notation: a placeholder of a path, or a mark such as ``[INFO]``.
_MARK: Final = re.compile(
    r"\{[A-Za-z_]\w*\}|\[/?(?!(?:true|false|null|True|False|None)\])[A-Za-z][A-Za-z0-9_ /-]*\]"
)

#: Text before and after a value that shows that the value is a piece of a larger one.
_PIECE_BEFORE: Final = re.compile(r"(?:[\"'”’]\s*:|(?:[\"'”’\d]|\b(?:true|false|null))\s*,)\Z")

#: The name of a keyword argument after another argument.
_KEYWORD_BEFORE: Final = re.compile(r",\s*\w+\s*=\Z")
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

    def strip(self) -> "_Window":
        inside = self.inside
        start = self.end - len(inside.lstrip(EDGES))
        return _Window(self.text, min(start, self.end), start + len(inside.strip(EDGES)))


def extract(text: str, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read the only value of a text.

    Returns:
        The value, and whether it is incomplete.

    Raises:
        UnreadableError: the text has no value or several values, or the value cannot be read.
    """
    window = _skip_thoughts(_Window(text, 0, len(text)).strip(), repairs)
    window = _strip_fence(window, repairs)
    window = _skip_comment(window, repairs)
    if window.start == window.end:
        raise UnreadableError(
            text, window.start, "There is no text. Write {} if there are no arguments."
        )
    quoted = _read_string(window, repairs)
    if quoted is not UNREAD:
        return quoted, False
    at = _find_value(window)
    if at is None:
        try:
            return _read_scalar(window, repairs), False
        except UnreadableError as error:
            if not error.reason.endswith(IN_QUOTES):
                raise
            raise UnreadableError(text, window.start, NO_OBJECT) from None
    return _read_container(window, at, repairs)


_TOO_EARLY: Final = "This bracket closes nothing. An earlier one may come too early, so that what follows it is in the wrong object."
_FUNCTION_CALL: Final = (
    "This is a function call of a programming language. Write its arguments as one JSON object."
)
_SEVERAL: Final = "The text has more than one JSON value, or an incomplete one. Send exactly one JSON value and nothing else."


def _strip_fence(window: _Window, repairs: list[Repair]) -> _Window:
    """Return the content of a code fence around the whole text."""
    opening = _FENCE.match(window.text, window.start, window.end)
    if opening is None:
        return window
    closing = _FENCE_END.search(window.text, max(opening.end(), window.end - 3), window.end)
    end = window.end if closing is None else closing.start()
    _note(repairs, "fence", opening.group().strip())
    return _Window(window.text, opening.end(), end).strip()


def _skip_thoughts(window: _Window, repairs: list[Repair]) -> _Window:
    """Return the text behind thoughts in ``<think>`` that a model wrote in front."""
    text, start, end = window
    after = text.find(_THOUGHTS_END, start, end) + len(_THOUGHTS_END)
    if not text.startswith(_THOUGHTS, start) or text.count(_THOUGHTS_END, start, end) != 1:
        return window
    _note(repairs, "prose", text[start:after])
    return _Window(text, after, end).strip()


def _skip_comment(window: _Window, repairs: list[Repair]) -> _Window:
    """Return the text behind an initial comment."""
    text, start, end = window
    if not text.startswith(("//", "/*"), start):
        return window
    after = skip_gap(text[:end], start).end
    if after == end or text[after] not in _VALUES:
        return window
    _note(repairs, "comment", text[start:after].strip(EDGES))
    return _Window(text, after, end)


def _read_string(window: _Window, repairs: list[Repair]) -> Any:
    """Return the string that forms the whole text; ``UNREAD`` if the text is not a string."""
    text, start, end = window
    if text[start] not in QUOTES:
        return UNREAD
    try:
        token = read_string(text[:end], start)
    except UnreadableError:
        return UNREAD
    if token.end != end:
        return UNREAD
    repairs.extend(
        Repair(path="$input", kind=kind, before=window.inside, after=token.value)
        for kind in token.kinds
    )
    return token.value


def _find_value(window: _Window) -> int | None:
    """Return the position of the first value in brackets, else of the first mark; ``None`` if there are no brackets."""
    text, at, end = window
    mark: int | None = None
    while True:
        bracket = _BRACKET.search(text, at, end)
        if bracket is None:
            return mark
        match = _MARK.match(text, bracket.start(), end)
        if match is None:
            return bracket.start()
        mark = bracket.start() if mark is None else mark
        at = match.end()


def _read_scalar(window: _Window, repairs: list[Repair]) -> Any:
    text, start, end = window
    reading = Reader(text[:end], repairs).read(start)
    check_end(text, reading.end, end)
    return reading.value


def _read_container(window: _Window, at: int, repairs: list[Repair]) -> tuple[Any, bool]:
    """Read the value at a bracket, and check the text around it."""
    text, start, end = window
    if at == start and _ESCAPED.match(text, start, end):
        inside = _read_string(_Window(f'"{window.inside}"', 0, end - start + 2), repairs)
        if inside is not UNREAD:
            return inside, False
    reading = Reader(text[:end], repairs).read(at)
    _check_before(_Window(text, start, at).strip(), repairs)
    after = _Window(text, reading.end, end).strip()
    if at == start and type(reading.value) is dict and _STRAY.match(after.inside):
        _check_stray(after, reading, repairs)
    else:
        _check_after(after, repairs)
    return reading.value, reading.incomplete


def _check_stray(after: _Window, reading: ParsedValue, repairs: list[Repair]) -> None:
    """Remove surplus closing braces behind an object, unless an earlier brace may be the surplus one."""
    if not after.inside:
        return
    if reading.resumed:
        raise UnreadableError(after.text, after.start, _TOO_EARLY)
    _note(repairs, "bracket", after.inside)


def _check_before(around: _Window, repairs: list[Repair]) -> None:
    before = around.inside
    if before:
        if _KEYWORD_BEFORE.search(before[-80:]):
            raise UnreadableError(around.text, around.start, _FUNCTION_CALL)
        is_piece = _PIECE_BEFORE.search(before[-40:]) or _bracket(before) is not None
        if is_piece or read_strict(before) is not UNREAD:
            raise UnreadableError(around.text, around.start, _SEVERAL)
        _note(repairs, "fence" if _ONLY_FENCE.match(before) else "prose", before)


def _check_after(around: _Window, repairs: list[Repair]) -> None:
    after = around.inside
    if not after:
        return
    if skip_gap(after, 0).end == len(after):
        _note(repairs, "comment", after)
        return
    bracket = _bracket(after)
    if bracket is not None or after.startswith(_PIECE_AFTER) or read_strict(after) is not UNREAD:
        at = around.start + (bracket.start() if bracket else 0)
        raise UnreadableError(around.text, at, _SEVERAL)
    _note(repairs, "fence" if _ONLY_FENCE.match(after) else "prose", after)


def _bracket(around: str) -> re.Match[str] | None:
    """Find the first bracket of a text outside of marks."""
    return _ANY_BRACKET.search(_MARK.sub(lambda mark: " " * len(mark.group()), around))


def _note(repairs: list[Repair], kind: str, before: str) -> None:
    repairs.append(Repair(path="$input", kind=kind, before=before, after=""))
