"""What else a value may have been meant to be: its lossless readings (rule V7).

A reading says the same as the value does. So ``"12"`` is read as a number and ``"012"``, ``"1,000"`` or
``"12.50 EUR"`` as nothing; which of the readings is right in a place is for its schema to say.
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
    """One way to read a value: a short stable word for it, and what the value becomes."""

    kind: str
    value: Any


class Policy(NamedTuple):
    """What may be read into arguments.

    Attributes:
        arrays: whether a scalar may be an array of one.
        keeps_null: the keys at the root below which null means something, so that it is never left out.
    """

    arrays: bool = False
    keeps_null: frozenset[str] = frozenset()


#: What is read where the caller has not said otherwise.
PLAIN: Final = Policy()


def readings(
    value: Any, fault: Fault, place: tuple[str | int, ...], facts: Facts, policy: Policy
) -> list[Reading]:
    """The lossless readings of a value that is wrong in its place, each a different value.

    Args:
        value: the value.
        fault: what is wrong.
        place: where it stands, as keys and indexes.
        facts: what the places of the schema take.
        policy: what may be read into it.
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
    """The number that a text is, digit by digit; ``None`` if there is none."""
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
    """Whether a float is written as a number that says the same, digit by digit."""
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
