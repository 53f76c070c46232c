"""JSON with NaN, infinities, too large numbers or lone surrogates, which strict JSON does not allow (rule X9)."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from specfn._internal import json as _json
from specfn._internal.characters import escape_invisible
from specfn._internal.pointer import join
from specfn.records import Note


@dataclass(frozen=True, slots=True)
class NonFinite:
    """The NaNs and infinities of a value.

    Attributes:
        count: the number of NaNs and infinities.
        places: the paths of the first ones, in the order of the value, each as keys and indices.
    """

    count: int
    places: tuple[tuple[str | int, ...], ...]


def find_non_finite(value: Any, most: int) -> NonFinite:
    """Count the NaNs and infinities of a JSON value, and return the paths of the first ``most`` of them."""
    if _is_non_finite(value):
        return NonFinite(1, ((),))
    count = 0
    places: list[tuple[str | int, ...]] = []
    tokens: list[str | int] = [""]
    levels = [_members(value)]
    while levels:
        for token, item in levels[-1]:
            tokens[-1] = token
            if item.__class__ is dict or item.__class__ is list:
                tokens.append("")
                levels.append(_members(item))
                break
            if _is_non_finite(item):
                count += 1
                if count <= most:
                    places.append(tuple(tokens))
        else:
            levels.pop()
            tokens.pop()
    return NonFinite(count, tuple(places))


def replace_non_finite(value: Any) -> Any:
    """Return a JSON value with null in place of NaN and infinities; the same object if it contains only finite numbers."""
    return _copy_without_non_finite(value) if find_non_finite(value, 0).count else value


def _copy_without_non_finite(value: Any) -> Any:
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        container = waiting.pop()
        for token, item in [*_members(container)]:
            if item.__class__ is dict or item.__class__ is list:
                container[token] = item.copy()
                waiting.append(container[token])
            elif _is_non_finite(item):
                container[token] = None
    return root[0]


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    members: Iterable[tuple[Any, Any]] = ()
    if value.__class__ is dict:
        members = value.items()
    elif value.__class__ is list:
        members = enumerate(value)
    return iter(members)


def _is_non_finite(value: Any) -> bool:
    return value.__class__ is float and not math.isfinite(value)


#: The maximum number of paths in a note, and of characters of each path.
_MAX_NAMED: Final = 3
_MAX_PATH_CHARACTERS: Final = 120


def loads(text: str) -> tuple[Any, tuple[Note, ...]]:
    """Read JSON text that strict JSON does not allow.

    NaN and infinities become floats. A number is infinite if it is too large for a float, or has too many digits for
    Python. Half of a surrogate pair becomes U+FFFD.

    Returns:
        The value, and notes that name these corrections.

    Raises:
        JSONDecodeError: the text is not JSON even so, or is nested too deeply.
    """
    text, halves = _json.replace_lone_surrogates(text)
    value = _json.read(text, parse_constant=float, parse_int=_integer, parse_float=float)
    notes = [_note_on_halves(halves)] if halves else []
    non_finite = find_non_finite(value, _MAX_NAMED)
    if non_finite.count:
        notes.append(_note_on_numbers(non_finite))
    return value, tuple(notes)


def _integer(digits: str) -> int | float:
    try:
        return _json.read_integer(digits)
    except _json.TooLongError:
        return float(digits)


def _note_on_halves(count: int) -> Note:
    were = "half of a surrogate pair was" if count == 1 else "halves of surrogate pairs were"
    return Note(pointer="", text=f"{count} {were} read as U+FFFD")


def _note_on_numbers(non_finite: NonFinite) -> Note:
    pointers = [join(place) for place in non_finite.places]
    named = ", ".join(f"#{_short(pointer)}" for pointer in pointers)
    more = f" and {non_finite.count - _MAX_NAMED} more" if non_finite.count > _MAX_NAMED else ""
    are = "number is" if non_finite.count == 1 else "numbers are"
    text = f"{non_finite.count} {are} NaN or infinite, written as null in JSON: {named}{more}"
    return Note(pointer=pointers[0], text=text)


def _short(pointer: str) -> str:
    return escape_invisible(
        pointer
        if len(pointer) <= _MAX_PATH_CHARACTERS
        else f"{pointer[: _MAX_PATH_CHARACTERS - 1]}…"
    )
