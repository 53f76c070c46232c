"""Candidates for a repair: the lossless conversions of a value (rule V7).

A candidate has the same meaning as the value. So ``"12"`` may become a number, but not ``"012"``, ``"1,000"`` or
``"12.50 EUR"``. The schema decides which candidate is right in a place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import isinf
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import most_digits
from specfn.records import ABSENT
from specfn.validation.explain.explain import Fault
from specfn.validation.explain.schema_facts import SchemaFacts
from specfn.validation.text.strict_json import EXACT, UNREAD, is_nonzero, strict

_INTEGER: Final = re.compile(r"-?[1-9][0-9]*|0")
_DECIMAL: Final = re.compile(r"(-?)(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SPACE: Final = " \t\n\r"
_MAX_CHARACTERS: Final = 400
_BOOLEANS: Final = {"true": True, "false": False}


class Candidate(NamedTuple):
    """One conversion of a value: its short stable name, and the converted value."""

    kind: str
    value: Any


class CoercionPolicy(NamedTuple):
    """Permitted conversions of arguments.

    Attributes:
        arrays: whether a scalar may become an array with one item.
        keeps_null: the root keys below which null has a meaning, so that it is never removed.
        not_digits: the integers that the text has in another notation than plain digits, so that they do not become
            texts: ``12e34`` may be a hash.
    """

    arrays: bool = False
    keeps_null: frozenset[str] = frozenset()
    not_digits: frozenset[int] = frozenset()


#: The default policy.
DEFAULT_POLICY: Final = CoercionPolicy()


def candidates(
    value: Any,
    fault: Fault,
    place: tuple[str | int, ...],
    facts: SchemaFacts,
    policy: CoercionPolicy,
) -> list[Candidate]:
    """Return the lossless conversions of an invalid value, each with a different result.

    Args:
        value: the value.
        fault: its fault.
        place: its place, as keys and indexes.
        facts: the types and texts that each place of the schema accepts.
        policy: the permitted conversions.
    """
    if fault.refused:
        return [Candidate("readonly", ABSENT)]
    if fault.node is False:
        return []
    convert = _CONVERTERS.get(type(value), _of_another)
    conversions = list(convert(value, fault.node, facts))
    if type(value) is int and value in policy.not_digits:
        conversions = [candidate for candidate in conversions if candidate.kind != "string"]
    if value is None and place and type(place[-1]) is str and place[0] not in policy.keeps_null:
        conversions.append(Candidate("omitted", ABSENT))
    if policy.arrays and type(value) in (str, int, float, bool):
        conversions.append(Candidate("array", [value]))
    return conversions


def _of_another(_: Any, __: Any, ___: SchemaFacts) -> Iterator[Candidate]:
    return iter(())


def _of_text(text: str, node: Any, facts: SchemaFacts) -> Iterator[Candidate]:
    stripped = text.strip(_SPACE)
    number = _number(stripped, node, facts)
    if number is not None:
        yield Candidate("number", number)
    if text in _BOOLEANS:
        yield Candidate("boolean", _BOOLEANS[text])
    if text == "null" and not facts.accepts_type(node, "string"):
        yield Candidate("null", None)
    if stripped[:1] in ("{", "["):
        value = strict(text)
        if value is not UNREAD:
            yield Candidate("json", value)
    same_ignoring_case = facts.same_ignoring_case(node, text)
    if len(same_ignoring_case) == 1 and same_ignoring_case[0] != text:
        yield Candidate("case", same_ignoring_case[0])


def _number(text: str, node: Any, facts: SchemaFacts) -> int | float | None:
    """Return the number that a text represents exactly, or ``None``."""
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= most_digits() else None
    match = _DECIMAL.fullmatch(text) if len(text) <= _MAX_CHARACTERS else None
    if match is None:
        return None
    value = float(text)
    if not _is_exactly(value, text) or (value == 0 and match[1]):
        return None
    if not value.is_integer():
        return value
    if abs(value) <= EXACT:
        return int(value)
    return value if facts.accepts_type(node, "number") else None


def _is_exactly(value: float, text: str) -> bool:
    """Return whether a float has the exact value of a number's text."""
    if isinf(value):
        return False
    if value == 0:
        return not is_nonzero(text)
    return Decimal(repr(value)) == Decimal(text)


def _of_integer(value: int, node: Any, facts: SchemaFacts) -> Iterator[Candidate]:
    if facts.is_any_text(node):
        yield Candidate("string", str(value))


_Converter: TypeAlias = Callable[[Any, Any, SchemaFacts], Iterator[Candidate]]

_CONVERTERS: Final[Mapping[type, _Converter]] = {
    str: _of_text,
    int: _of_integer,
}
