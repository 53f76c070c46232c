"""Asserted formats, each for its own type of value, and those that a schema contradicts itself (rule V5).

A string format that its own schema contradicts is only a hint.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import Tokens, join
from specfn.schema.patterns.ecma import is_strict
from specfn.schema.walk import subschema_entries


def _range_of_signed(bits: int) -> tuple[int, int]:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _range_of_unsigned(bits: int) -> tuple[int, int]:
    return 0, (1 << bits) - 1


#: Numeric formats as bounds (OpenAPI Format Registry). ``float`` and ``double`` allow every JSON number.
BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    **{f"int{bits}": _range_of_signed(bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": _range_of_unsigned(bits) for bits in (8, 16, 32, 64)},
    "double-int": (-(1 << 53) + 1, (1 << 53) - 1),
}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern on first use. Most processes need few of them."""
    return re.compile(text)


_BASE64: Final = r"(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})\Z"


def is_base64(text: str) -> bool:
    """Return whether a text is base64 in either alphabet, padded or not (RFC 4648, sections 4 and 5)."""
    match = _pattern(_BASE64).match(text)
    if match is None:
        return False
    return len(text) % 4 == 0 if match.group(1) else len(text) % 4 != 1


_TIME: Final = r"(?a)(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?P<offset>[zZ]|([+-])(\d{2}):?(\d{2}))?"

#: A number of a duration. Only the last one may have a fraction.
_N: Final = r"[+-]?\d+(?:[.,]\d+(?=[A-Z]\Z))?"
_CLOCK: Final = rf"(?:T(?=.)(?:{_N}H)?(?:{_N}M)?(?:{_N}S)?)?"
_DURATION: Final = rf"(?a)[+-]?P(?=.)(?:{_N}W|(?:{_N}Y)?(?:{_N}M)?(?:{_N}D)?{_CLOCK})"

#: Existing dates, with 29 February of leap years.
_DATE: Final = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
#: Times that are valid without a calculation, because they have no second 60.
_PLAIN_TIME: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
_PLAIN_OFFSET: Final = r"(?:[zZ]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])"
_PLAIN_DATE_TIME: Final = f"{_DATE}[tT]{_PLAIN_TIME}{_PLAIN_OFFSET}"


def is_date(text: str) -> bool:
    """Return whether a text is an existing date: ``2024-02-29``."""
    return _pattern(_DATE).fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Return whether a text is a time, with or without an offset: ``12:00:00Z``, ``12:00:00``."""
    return _is_time(text, needs_offset=False)


def _is_time(text: str, *, needs_offset: bool) -> bool:
    """Return whether a text is a time. Second 60 is valid only before midnight in UTC."""
    match = _pattern(_TIME).fullmatch(text)
    if match is None or (needs_offset and match["offset"] is None):
        return False
    hour, minute, second = (int(match[index]) for index in (1, 2, 3))
    sign, hours, minutes = match[5], int(match[6] or 0), int(match[7] or 0)
    if hour > 23 or minute > 59 or second > 60 or hours > 23 or minutes > 59:
        return False
    if second < 60:
        return True
    shift = (hours * 60 + minutes) * (-1 if sign == "-" else 1)
    return (hour * 60 + minute - shift) % 1440 == 1439


def is_date_time(text: str) -> bool:
    """Return whether a text is a date and a time with an offset: ``2024-02-29T12:00:00Z``, ``...+0000``."""
    if _pattern(_PLAIN_DATE_TIME).fullmatch(text) is not None:
        return True
    if text[10:11] not in ("t", "T") or not is_date(text[:10]):
        return False
    return _is_time(text[11:], needs_offset=True)


def is_duration(text: str) -> bool:
    """Return whether a text is a duration of years to seconds, or of weeks: ``P1DT2H``, ``-PT0.5S``."""
    return _pattern(_DURATION).fullmatch(text) is not None


#: String formats with a check of our own. jsonschema-rs accepts dates and times with stray signs, needs quadratic time
#: for regular expressions with many named groups, and decodes base64 by other rules.
OWN: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": is_date,
    "date-time": is_date_time,
    "time": is_time,
    "duration": is_duration,
    "regex": is_strict,
    "byte": is_base64,
    "base64": is_base64,
    "base64url": is_base64,
}


class EnginePattern(NamedTuple):
    """A pattern for a format with an own check. The engine matches it four times as fast as it calls the check.

    Attributes:
        pattern: matches only texts that satisfy the format.
        is_whole: whether it matches all of them. Otherwise the own check decides about the others.
    """

    pattern: str
    is_whole: bool


ENGINE_PATTERNS: Final[Mapping[str, EnginePattern]] = {
    "date": EnginePattern(f"^{_DATE}$", is_whole=True),
    "date-time": EnginePattern(f"^{_PLAIN_DATE_TIME}$", is_whole=False),
    "time": EnginePattern(f"^{_PLAIN_TIME}{_PLAIN_OFFSET}?$", is_whole=False),
}


def prefer_pattern(node: JsonObject) -> JsonObject:
    """Return a node with the same verdict whose format is judged by a pattern; the same object if it has no such format.

    Values that the pattern does not match are left to the format.
    """
    known = ENGINE_PATTERNS.get(node.get("format", ""))
    if known is None or not _PATTERN_KEYWORDS.isdisjoint(node):
        return node
    rest = {keyword: value for keyword, value in node.items() if keyword != "format"}
    if known.is_whole:
        return {**rest, "pattern": known.pattern}
    return {**rest, "if": {"pattern": known.pattern}, "else": {"format": node["format"]}}


_PATTERN_KEYWORDS: Final = frozenset({"pattern", "if", "then", "else"})

#: All asserted string formats; jsonschema-rs checks those without an own check. Other formats are only shown.
ASSERTED: Final = frozenset(
    (
        *OWN,
        *("email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uri-template"),
        *("uuid", "json-pointer", "relative-json-pointer"),
    )
)


def has_format(name: str, text: str) -> bool:
    """Return whether a text satisfies an asserted format."""
    check = OWN.get(name)
    return check(text) if check is not None else bool(_validator_of(name).is_valid(text))


@cache
def _validator_of(name: str) -> Any:
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - 24 ms, first use

    return Draft202012Validator({"format": name}, offline=True, validate_formats=True)


def numeric_bounds(schema: JsonObject, name: str) -> JsonObject:
    """Return ``minimum`` and ``maximum`` of a schema, tightened by its numeric format."""
    if name not in BOUNDS:
        return {}
    least, most = BOUNDS[name]
    return {
        "minimum": _tighter(schema.get("minimum"), least, max),
        "maximum": _tighter(schema.get("maximum"), most, min),
    }


def _tighter(declared: Any, of_format: int, choose: Callable[[Any, Any], Any]) -> Any:
    if declared is None:
        return of_format
    return choose(declared, of_format) if type(declared) in (int, float) else declared


#: The keywords whose values must satisfy the format, and whether they contain a list of values.
_VALUES: Final = {
    "const": False,
    "enum": True,
    "default": False,
    "example": False,
    "examples": True,
}

#: The maximum number of characters of a value in a reason.
_MAX_CHARACTERS: Final = 60


class FormatHint(NamedTuple):
    """A string format that is not asserted.

    Attributes:
        pointer: the pointer of its schema.
        format: the format.
        reason: the reason.
    """

    pointer: str
    format: str
    reason: str


def reason_for_hint(schema: JsonObject) -> str | None:
    """Return the reason why the string format of a schema is only a hint; ``None`` if the format is asserted or missing."""
    name = schema.get("format")
    if not isinstance(name, str) or name not in ASSERTED:
        return None
    if isinstance(schema.get("pattern"), str):
        return "its pattern decides"
    for keyword, is_list in _VALUES.items():
        for value in _own(schema, keyword, is_list=is_list):
            if type(value) is str and not has_format(name, value):
                return f"its own {keyword} {_short(value)} does not satisfy it"
    return None


#: The places and reasons of the hints in one definition, without those that it refers to.
OwnHints: TypeAlias = tuple[tuple[Tokens, str, str], ...]


def format_hints(schema: Any, own: Callable[[Any], OwnHints] | None = None) -> Iterator[FormatHint]:
    """Return all string formats of a validator schema that are only hints, including those of definitions.

    Args:
        schema: the schema.
        own: ``definition_hints``, or the same with a cache.
    """
    find = own or definition_hints
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    places: list[tuple[Tokens, Any]] = [((), schema)]
    places += [(("$defs", name), definitions[name]) for name in reversed(definitions)]
    for place, definition in places:
        for tokens, name, reason in find(definition):
            yield FormatHint(join((*place, *tokens)), name, reason)


def definition_hints(definition: Any) -> OwnHints:
    """Return the hints in one definition, in the order of the document."""
    hints: list[tuple[Tokens, str, str]] = []
    waiting: list[tuple[Tokens, Any]] = [((), definition)]
    while waiting:
        place, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        reason = reason_for_hint(node)
        if reason is not None:
            hints.append((place, node["format"], reason))
        waiting += [
            ((*place, keyword, *(() if key is None else (key,))), inner)
            for keyword, key, inner in reversed(subschema_entries(node))
        ]
    return tuple(hints)


def _own(schema: JsonObject, keyword: str, *, is_list: bool) -> list[Any]:
    if keyword not in schema:
        return []
    value = schema[keyword]
    if not is_list:
        return [value]
    return value if isinstance(value, list) else []


def _short(value: str) -> str:
    text = dumps(value).decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
