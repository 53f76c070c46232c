"""Candidates for a repair: the lossless conversions of a value (rule V7).

A candidate has the same meaning as the value. So ``"12"`` may become a number, but not ``"012"``, ``"1,000"`` or
``"12.50 EUR"``. The schema decides which candidate is right in a place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import isinf
from typing import Any, Final, NamedTuple, TypeAlias

from specfn.records import ABSENT
from specfn.validation.explain.explain import Fault
from specfn.validation.explain.schema_facts import Facts
from specfn.validation.guard import most_digits
from specfn.validation.text.numbers import EXACT, is_nonzero
from specfn.validation.text.strict_json import UNREAD, strict

_INTEGER: Final = re.compile(r"-?[1-9][0-9]*|0")
_DECIMAL: Final = re.compile(r"(-?)(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SPACE: Final = " \t\n\r"
_LONGEST: Final = 400
_BOOLEANS: Final = {"true": True, "false": False}


class Reading(NamedTuple):
    """One conversion of a value: its short stable name, and the converted value."""

    kind: str
    value: Any


class Policy(NamedTuple):
    """Permitted conversions of arguments.

    Attributes:
        arrays: whether a scalar may become an array with one item.
        keeps_null: the root keys below which null has a meaning, so that it is never removed.
    """

    arrays: bool = False
    keeps_null: frozenset[str] = frozenset()


#: The default policy.
PLAIN: Final = Policy()


def readings(
    value: Any, fault: Fault, place: tuple[str | int, ...], facts: Facts, policy: Policy
) -> list[Reading]:
    """Return the lossless conversions of an invalid value, each with a different result.

    Args:
        value: the value.
        fault: its fault.
        place: its place, as keys and indexes.
        facts: the types and texts that each place of the schema accepts.
        policy: the permitted conversions.
    """
    if fault.refused:
        return [Reading("readonly", ABSENT)]
    if fault.node is False:
        return []
    read = _READERS.get(type(value), _of_another)
    found = list(read(value, fault.node, facts))
    if value is None and place and type(place[-1]) is str and place[0] not in policy.keeps_null:
        found.append(Reading("omitted", ABSENT))
    if policy.arrays and type(value) in (str, int, float, bool):
        found.append(Reading("array", [value]))
    return found


def _of_another(_: Any, __: Any, ___: Facts) -> Iterator[Reading]:
    return iter(())


def _of_text(text: str, node: Any, facts: Facts) -> Iterator[Reading]:
    stripped = text.strip(_SPACE)
    number = _number(stripped, node, facts)
    if number is not None:
        yield Reading("number", number)
    if text in _BOOLEANS:
        yield Reading("boolean", _BOOLEANS[text])
    if text == "null" and not facts.takes(node, "string"):
        yield Reading("null", None)
    if stripped[:1] in ("{", "["):
        value = strict(text)
        if value is not UNREAD:
            yield Reading("json", value)
    alike = facts.alike(node, text)
    if len(alike) == 1 and alike[0] != text:
        yield Reading("case", alike[0])


def _number(text: str, node: Any, facts: Facts) -> int | float | None:
    """Return the number that a text represents exactly; ``None`` if there is none."""
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= most_digits() else None
    match = _DECIMAL.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    value = float(text)
    if not _is_exactly(value, text) or (value == 0 and match[1]):
        return None
    if not value.is_integer():
        return value
    if abs(value) <= EXACT:
        return int(value)
    return value if facts.takes(node, "number") else None


def _is_exactly(value: float, text: str) -> bool:
    """Return whether a float has the exact value of a number's text."""
    if isinf(value):
        return False
    if value == 0:
        return not is_nonzero(text)
    return Decimal(repr(value)) == Decimal(text)


def _of_integer(value: int, node: Any, facts: Facts) -> Iterator[Reading]:
    if facts.is_any_text(node):
        yield Reading("string", str(value))


_Reader: TypeAlias = Callable[[Any, Any, Facts], Iterator[Reading]]

_READERS: Final[Mapping[type, _Reader]] = {
    str: _of_text,
    int: _of_integer,
}
