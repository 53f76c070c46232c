"""A tolerant reader of JSON with NaN, infinities, too large numbers or lone surrogates (rule X9)."""

from typing import Any, Final

from specfn._internal import json as _json
from specfn._internal.characters import escape_invisible
from specfn._internal.pointer import join
from specfn.http.response import non_finite
from specfn.records import Note
from specfn.validation.guard import most_digits

#: The maximum number of paths in a note, and of characters of each path.
_NAMED: Final = 3
_LENGTH: Final = 120


def loads(text: str) -> tuple[Any, tuple[Note, ...]]:
    """Read JSON text that strict JSON does not allow.

    NaN and infinities become floats. A number is infinite if it is too large for a float, or has too many digits for
    Python. Half of a surrogate pair becomes U+FFFD.

    Returns:
        The value, and notes that name these corrections.

    Raises:
        JSONDecodeError: the text is not JSON even so, or is nested too deeply.
    """
    text, halves = _json.paired(text)
    value = _json.read(text, parse_constant=float, parse_int=_integer, parse_float=float)
    notes = [_note_on_halves(halves)] if halves else []
    found = non_finite.find(value, _NAMED)
    if found.count:
        notes.append(_note_on_numbers(found))
    return value, tuple(notes)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits.lstrip("-")) <= most_digits() else float(digits)


def _note_on_halves(count: int) -> Note:
    were = "half of a surrogate pair was" if count == 1 else "halves of surrogate pairs were"
    return Note(pointer="", text=f"{count} {were} read as U+FFFD")


def _note_on_numbers(found: non_finite.NonFinite) -> Note:
    pointers = [join(place) for place in found.places]
    named = ", ".join(f"#{_short(pointer)}" for pointer in pointers)
    more = f" and {found.count - _NAMED} more" if found.count > _NAMED else ""
    are = "number is" if found.count == 1 else "numbers are"
    text = f"{found.count} {are} NaN or infinite, written as null in JSON: {named}{more}"
    return Note(pointer=pointers[0], text=text)


def _short(pointer: str) -> str:
    return escape_invisible(pointer if len(pointer) <= _LENGTH else f"{pointer[: _LENGTH - 1]}…")
