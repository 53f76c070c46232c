"""Strict JSON, read at full speed: what it lets through elsewhere is not read here (RFC 8259; rule V6)."""

import json
import re
from typing import Any, Final, NamedTuple

from specfn._internal.json import loads
from specfn.validation.guard import sound
from specfn.validation.text.numbers import EXACT, decimal, is_rounded


class _Unread:
    """Stands for the value of a text that is not strict JSON."""


#: What ``strict`` returns for all that it does not read.
UNREAD: Final = _Unread()

#: A string, and the colon behind it if it is a key.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?', re.DOTALL)

#: What a number holds that is read as zero without being zero, or a text that looks like it.
_TINY: Final = re.compile(r"[eE]-[0-9]{3}|0{300}")

#: Digits that a number may have too many of: fewer than 17 are never rounded to a whole number.
_LONG: Final = re.compile(r"[0-9][0-9.]{15}")


def strict(text: str) -> Any:
    """Read strict JSON in which every key occurs once and every number is finite.

    Returns:
        The value; ``UNREAD`` where there is any doubt, and for what is beyond the limits of ``guard``.
    """
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return UNREAD
    if not sound(value):
        return UNREAD
    census = _census(value)
    if census.keys and _STRING.findall(text).count(":") != census.keys:
        return UNREAD
    if census.has_zero and _TINY.search(text):
        return UNREAD
    needs_text = census.has_large or (census.has_whole and _LONG.search(text))
    return _read_exactly(text) if needs_text else value


def _read_exactly(text: str) -> Any:
    """Read strict JSON again, with the digits of its numbers."""
    try:
        return json.loads(text, parse_float=_exact)
    except ValueError:
        return UNREAD


def _exact(text: str) -> int | float:
    """Return the value of a number with a fraction or an exponent.

    Raises:
        ValueError: a fraction would be lost, and a whole number be left.
    """
    value = decimal(text)
    if type(value) is float and is_rounded(value, text):
        raise ValueError(text)
    return value


class _Census(NamedTuple):
    """Facts about a value that need a second look at its text.

    Attributes:
        keys: how many members all objects have.
        has_zero: whether a float is zero: the text may say a number that is not.
        has_large: whether a float is so large that the text may say another integer.
        has_whole: whether a float is a whole number: the text may say one that is not.
    """

    keys: int
    has_zero: bool
    has_large: bool
    has_whole: bool


def _census(value: Any) -> _Census:
    """Count keys and look for floats, in a sound value."""
    boxes = [value]
    keys = 0
    has_zero = has_large = has_whole = False
    for box in boxes:  # which grows as it goes
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
    return _Census(keys, has_zero, has_large, has_whole)
