"""Candidates for a repair: the lossless conversions of a value (rule V7).

A candidate has the same meaning as the value. So ``"12"`` may become a number, but not ``"012"``, ``"1,000"`` or
``"12.50 EUR"``. The schema decides which candidate is right in a place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import isinf
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import max_integer_digits
from specfn.records import ABSENT
from specfn.validation.explain.explain import Fault
from specfn.validation.explain.schema_facts import INTEGER_FORMATS, SchemaFacts
from specfn.validation.text.strict_json import EXACT, UNREAD, is_nonzero, read_strict

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
        arrays: whether a text with a comma or another sign of a list may become an array with one item, too.
        keeps_null: whether null has a meaning below a root key, so that it is never removed.
        not_digits: returns the integers that the text has in another notation than plain digits, so that they do not
            become texts: ``12e34`` may be a hash.
    """

    arrays: bool = False
    keeps_null: Callable[[Any], bool] = frozenset().__contains__
    not_digits: Callable[[], frozenset[int]] = frozenset


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
    convert = _CONVERTERS.get(type(value), _no_candidates)
    conversions = list(convert(value, fault.node, facts))
    if type(value) is int and place[:1] == ("body",):
        fitting = INTEGER_FORMATS.get(facts.integer_format(fault.node) or "", ())
        conversions += [Candidate("string", str(value))] if value in fitting else []
    if type(value) is int and conversions and value in policy.not_digits():
        conversions = [candidate for candidate in conversions if candidate.kind != "string"]
    is_member = bool(place) and type(place[-1]) is str
    if value is None and is_member and not policy.keeps_null(place[0]):
        conversions.append(Candidate("omitted", ABSENT))
    if facts.is_array(fault.node) and _is_one_item(value, is_asked=policy.arrays):
        conversions.append(Candidate("array", [value]))
    return conversions


def _no_candidates(_: Any, __: Any, ___: SchemaFacts) -> Iterator[Candidate]:
    return iter(())


def _candidates_of_text(text: str, node: Any, facts: SchemaFacts) -> Iterator[Candidate]:
    """Yield what a string may mean: a number, a boolean, null, JSON, or a constant in another case."""
    stripped = text.strip(_SPACE)
    number = _number_of_text(stripped, node, facts)
    if number is not None:
        yield Candidate("number", number)
    boolean = text if text in _BOOLEANS or not facts.is_flag(node) else stripped.lower()
    if boolean in _BOOLEANS:
        yield Candidate("boolean", _BOOLEANS[boolean])
    if text == "null" and not facts.accepts_type(node, "string"):
        yield Candidate("null", None)
    decoded = decode(text, as_often=not facts.accepts_type(node, "string"))
    if decoded is not None:
        yield Candidate("json", decoded.value)
    alike = facts.same_ignoring_case(node, text)
    same = [constant for constant in alike if constant.strip(_SPACE) == stripped != text]
    constants = same if len(same) == 1 else alike
    if len(constants) == 1 and constants[0] != text:
        yield Candidate("space" if same else "case", constants[0])


class DecodedText(NamedTuple):
    """The object or array that a string contains, and the JSON that it was read from."""

    value: Any
    text: str


#: A code fence around a whole text.
_FENCED: Final = re.compile(r"```[A-Za-z0-9_+.-]*[ \t]*\r?\n(.*)```", re.DOTALL)

#: How often a value may be encoded as a string.
_MAX_ENCODINGS: Final = 3


def decode(text: str, *, as_often: bool) -> DecodedText | None:
    """Return the object or array that a string contains as strict JSON.

    Args:
        text: the string.
        as_often: whether it may be in a code fence, or encoded several times. This is certain only where no string is
            accepted.
    """
    for _ in range(_MAX_ENCODINGS if as_often else 1):
        stripped = text.strip(_SPACE)
        fenced = _FENCED.fullmatch(stripped) if as_often and "```" in stripped else None
        text = text if fenced is None else fenced[1].strip(_SPACE)
        value = read_strict(text) if text.lstrip(_SPACE)[:1] in ("{", "[", '"') else UNREAD
        if type(value) is dict or type(value) is list:
            return DecodedText(value, text)
        if type(value) is not str:
            return None
        text = value
    return None


#: Texts that may be several values, or no value, and so are not the only item of an array.
_NOT_ONE: Final = re.compile(r"[,;|\t\r\n\[\](){}]")
_NOTHING: Final = frozenset(["", "null", "none", "nil", "nan", "undefined", "empty"])


def _is_one_item(value: Any, *, is_asked: bool) -> bool:
    """Return whether a value may be the only item of an array. A text may not if it could be an empty value or a list.

    Args:
        value: the value.
        is_asked: whether the caller asked for arrays of any scalar.
    """
    if type(value) is str:
        is_one = not _NOT_ONE.search(value) and value.strip().lower() not in _NOTHING
        return is_asked or is_one
    return type(value) in (int, float, bool, dict)


def _number_of_text(text: str, node: Any, facts: SchemaFacts) -> int | float | None:
    """Return the number that a text represents exactly, or ``None``."""
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= max_integer_digits() else None
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


def _candidates_of_integer(value: int, node: Any, facts: SchemaFacts) -> Iterator[Candidate]:
    if facts.is_any_text(node):
        yield Candidate("string", str(value))


def _candidates_of_boolean(value: bool, node: Any, facts: SchemaFacts) -> Iterator[Candidate]:  # noqa: FBT001  # a value
    alike = facts.same_ignoring_case(node, str(value).lower())
    if len(alike) == 1:
        yield Candidate("string", alike[0])


_Converter: TypeAlias = Callable[[Any, Any, SchemaFacts], Iterator[Candidate]]

_CONVERTERS: Final[Mapping[type, _Converter]] = {
    str: _candidates_of_text,
    int: _candidates_of_integer,
    bool: _candidates_of_boolean,
}
