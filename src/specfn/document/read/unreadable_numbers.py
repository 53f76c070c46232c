"""Numbers of a JSON document that neither Python nor JSON readers represent: thousands of digits, or ``1e999``.

Such a number must not cost the whole document. A text that reports it replaces it, and only the
operations that use it become errors (``document.references.number_users``).
"""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from specfn._internal.json import TooLongError, read_exactly, read_integer
from specfn._internal.pointer import join
from specfn.records import Note

#: The maximum number of notes of one text.
MAX_NOTES: Final = 100

_ADVICE: Final = ", which cannot be represented; use a smaller one, or a string"


class UnreadableNumber(str):
    """The text that stands in the place of a number, and reports it."""

    __slots__ = ()


def read(data: bytes) -> Any:
    """Read a strict JSON text with an ``UnreadableNumber`` in the place of each number that cannot be represented.

    Raises:
        JSONDecodeError: the text is not JSON.
    """
    return read_exactly(data, parse_int=_integer, parse_float=_float)


def _integer(digits: str) -> int | UnreadableNumber:
    try:
        return read_integer(digits)
    except TooLongError:
        count = len(digits.lstrip("-"))
        return UnreadableNumber(f"an integer of {count:,} digits{_ADVICE}")


def _float(text: str) -> float | UnreadableNumber:
    value = float(text)
    if math.isfinite(value):
        return value
    number = text if len(text) <= 40 else f"{text[:20]}…{text[-10:]}"
    return UnreadableNumber(f"the number {number}{_ADVICE}")


def notes(value: Any) -> tuple[Note, ...]:
    """Return a note for each unreadable number of a value, with its location; at most ``MAX_NOTES``."""
    return tuple(islice(_notes(value), MAX_NOTES))


def _notes(value: Any) -> Iterator[Note]:
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        place, node = stack.pop()
        if node.__class__ is UnreadableNumber:
            yield note_on(node, place)
        members = [*node.items()] if node.__class__ is dict else []
        items = [*enumerate(node)] if node.__class__ is list else []
        stack += [((*place, key), child) for key, child in reversed([*members, *items])]


def note_on(number: UnreadableNumber, place: tuple[str | int, ...]) -> Note:
    """Return the note about an unreadable number."""
    return Note(pointer=join(place), text=f"found {number}")
