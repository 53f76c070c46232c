"""Fast reading of strict JSON, with checks that JSON libraries omit, and exact numbers (RFC 8259; rule V6)."""

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from math import isinf
from typing import Any, Final

from specfn._internal.json import loads, loads_rounded
from specfn.validation.plain_json import MAX_DEPTH, MAX_VALUES

#: Below this, a float holds every integer exactly (IEEE 754, binary64).
EXACT: Final = 2**53

_NONZERO: Final = re.compile(r"[^eE]*[1-9]")


def decimal(text: str) -> int | float:
    """Return the value of a number with a fraction or an exponent.

    An integer that no float represents stays an integer: ``9007199254740993.0`` and ``1e23``. Any other number becomes
    the nearest float; ``inf`` beyond all floats.
    """
    value = float(text)
    if abs(value) < EXACT or isinf(value):
        return value
    exact = Decimal(text)
    whole = int(exact)
    return whole if whole == exact and whole != value else value


def is_rounded(value: float, text: str) -> bool:
    """Return whether a number with a fraction became a whole float, because it has too many digits.

    Such a float would satisfy ``type: integer``, but the number does not. Beyond 2^53, each float is whole.
    """
    if value == 0:  # a Decimal has a maximum exponent, also of zero
        return is_nonzero(text)
    return abs(value) < EXACT and value.is_integer() and Decimal(text) != value


#: A number in JSON, or in strict JSON also a string, so that its digits are not taken for a number.
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBER_OR_STRING: Final = re.compile(rf'"[^"\\]*(?:\\.[^"\\]*)*"|{_NUMBER.pattern}', re.DOTALL)


def integers_in_other_notation(text: str, *, is_strict: bool) -> Iterator[int]:
    """Yield the integers that a text writes with a fraction, an exponent, or as ``-0`` (rule V7).

    Args:
        text: the text.
        is_strict: whether it is strict JSON. In any other text, numbers in strings count too, because it is not
            certain where its strings are.
    """
    pattern = _NUMBER_OR_STRING if is_strict else _NUMBER
    for match in pattern.finditer(text):
        written = match.group()
        if written[0] == '"':
            continue
        if written == "-0":
            yield 0
        elif not written.removeprefix("-").isdecimal():
            value = decimal(written)
            if type(value) is int:
                yield value


def is_nonzero(text: str) -> bool:
    """Return whether a number is not zero, even if its float is."""
    return _NONZERO.match(text) is not None


class _Unread:
    """Result for a text that is not strict JSON."""


#: The result of ``strict`` for any other text.
UNREAD: Final = _Unread()

#: A string, and the colon behind it if it is a key.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?', re.DOTALL)

#: White space before a colon. Without it, each key has ``":`` behind it.
_SPACE_BEFORE_COLON: Final = re.compile(r"[ \t\n\r]:")

#: Text that occurs in every number that is not zero but becomes the float zero.
_TINY: Final = re.compile(r"[eE]-[0-9]{3}|0{300}")

#: A number whose digits a float may not represent. No number with fewer digits is rounded to a whole number.
_LONG: Final = re.compile(r"[0-9][0-9.]{15}")


def read_strict(text: str) -> Any:
    """Read strict JSON with unique keys and finite numbers.

    Returns:
        The value, which is plain JSON within the limits of ``plain_json``; ``UNREAD`` for any other text.
    """
    try:
        value = loads_rounded(text)  # a long integer becomes a float, which is read exactly below
    except ValueError:
        try:
            value = loads(text)
        except (ValueError, RecursionError):
            return UNREAD
    facts = _keys_and_floats(value)
    if facts is None:
        return UNREAD
    keys, floats = facts
    if keys and _has_duplicate_keys(text, keys):
        return UNREAD
    for number in floats:
        if number == 0:
            if _TINY.search(text):
                return UNREAD
        elif number.is_integer() and (abs(number) >= EXACT or _LONG.search(text)):
            return _read_exactly(text)
    return value


def _has_duplicate_keys(text: str, keys: int) -> bool:
    """Return whether a text has more keys than the objects that were read from it.

    Each key has a colon, so nothing else must be looked at if strings have none. ``":`` may also be the beginning of a
    string, so their number proves only that no key occurs twice.
    """
    if text.count(":") == keys:
        return False
    if text.count('":') == keys and not _SPACE_BEFORE_COLON.search(text):
        return False
    return _STRING.findall(text).count(":") != keys


def _read_exactly(text: str) -> Any:
    """Read strict JSON again, with exact numbers."""
    try:
        return json.loads(text, parse_float=_exact)
    except ValueError:
        return UNREAD


def _exact(text: str) -> int | float:
    """Return the value of a number with a fraction or an exponent.

    Raises:
        ValueError: the number has a fraction, but its float is whole.
    """
    value = decimal(text)
    if type(value) is float and is_rounded(value, text):
        raise ValueError(text)
    return value


#: The minimum number of items of a list whose types are looked at together, and the types without facts.
_MIN_TOGETHER: Final = 16
_OTHER_SCALARS: Final = frozenset({str, int, bool, type(None)})


def _keys_and_floats(value: Any) -> tuple[int, list[float]] | None:
    """Return the number of keys, and the floats, of a value that was read from JSON; ``None`` beyond the limits.

    They decide whether the text must be looked at again. Unlike ``is_plain_json``, this relies on the reader: there are no other types and no lone surrogates.
    """
    boxes: list[Any] = [[value]]
    floats: list[float] = []
    keys = 0
    room = MAX_VALUES + 1
    level = end = 0  # ``end`` is the index after the last container of the level
    for index, box in enumerate(boxes):  # the loop appends to the list, level by level
        if index >= end:
            level += 1
            end = len(boxes)
            if level > MAX_DEPTH + 1:
                return None
        room -= len(box)
        items: Iterable[Any] = box
        if type(box) is dict:
            keys += len(box)
            items = box.values()
        elif len(box) >= _MIN_TOGETHER and _OTHER_SCALARS.issuperset(map(type, box)):
            continue
        for item in items:
            kind = type(item)
            if kind is str:
                continue
            if kind is dict or kind is list:
                boxes.append(item)
            elif kind is float:
                floats.append(item)
    return None if room < 0 else (keys, floats)
