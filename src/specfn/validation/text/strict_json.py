"""Fast reading of strict JSON, with checks that JSON libraries omit, and exact numbers (RFC 8259; rule V6)."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from math import isinf
from typing import Any, Final, NamedTuple

from specfn._internal.json import loads
from specfn.validation.plain_json import is_plain_json

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

#: Text that occurs in every number that is not zero but becomes the float zero.
_TINY: Final = re.compile(r"[eE]-[0-9]{3}|0{300}")

#: A number whose digits a float may not represent. No number with fewer digits is rounded to a whole number.
_LONG: Final = re.compile(r"[0-9][0-9.]{15}")


def strict(text: str) -> Any:
    """Read strict JSON with unique keys and finite numbers.

    Returns:
        The value; ``UNREAD`` if the text is not strict JSON, or exceeds the limits of ``plain_json``.
    """
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return UNREAD
    if not is_plain_json(value):
        return UNREAD
    facts = _value_facts(value)
    if facts.keys and _STRING.findall(text).count(":") != facts.keys:
        return UNREAD
    if facts.has_zero and _TINY.search(text):
        return UNREAD
    needs_text = facts.has_large or (facts.has_whole and _LONG.search(text))
    return _read_exactly(text) if needs_text else value


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


class _ValueFacts(NamedTuple):
    """Facts that decide whether the text of a value must be checked again.

    Attributes:
        keys: the number of members of all objects.
        has_zero: whether a float is zero; the number in the text may not be.
        has_large: whether a float is so large that the text may contain another integer.
        has_whole: whether a float is whole; the number in the text may not be.
    """

    keys: int
    has_zero: bool
    has_large: bool
    has_whole: bool


def _value_facts(value: Any) -> _ValueFacts:
    """Count the keys and find the floats of a plain JSON value."""
    boxes = [value]
    keys = 0
    has_zero = has_large = has_whole = False
    for box in boxes:  # the loop appends to the list
        kind = type(box)
        if kind is dict:
            keys += len(box)
            boxes.extend(box.values())
        elif kind is list:
            boxes.extend(box)
        elif kind is float:
            has_zero = has_zero or box == 0
            has_large = has_large or abs(box) >= EXACT
            has_whole = has_whole or box.is_integer()
    return _ValueFacts(keys, has_zero, has_large, has_whole)
