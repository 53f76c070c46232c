"""JSON text to values and back, in one place: orjson where it is exact, the standard library beyond."""

import json
import math
from typing import Any, TypeAlias

import orjson

#: A JSON object as Python holds it. JSON stays plain: it is never wrapped.
JsonObject: TypeAlias = dict[str, Any]

#: What ``loads`` raises for text that is not JSON (orjson's own error is a subclass).
JSONDecodeError = json.JSONDecodeError


#: Every digit as ``0``, to find long numbers at the speed of a copy.
_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))

#: A number that 64 bits may not hold has at least so many digits.
_LONG = b"0" * 19

#: Up to this size a text is searched for such numbers; beyond, the search would cost what reading does.
_SEARCHED = 4 * 1024 * 1024


def loads(text: str | bytes) -> Any:
    """Read strict JSON (RFC 8259): no NaN, no comments, no trailing text.

    Integers are exact whatever their length, but in texts over 4 MiB, where those beyond 64 bits become floats.

    Raises:
        JSONDecodeError: the text is not JSON, or is nested deeper than 1,024 levels.
    """
    if len(text) <= _SEARCHED:
        data = text.encode(errors="replace") if isinstance(text, str) else text
        if _LONG in data.translate(_DIGITS):
            return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    return orjson.loads(text)


def _refuse(constant: str) -> Any:
    raise JSONDecodeError(f"{constant} is not JSON", constant, 0)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise JSONDecodeError("a number is infinity when read", text, 0)
    return value


def dumps(value: Any) -> bytes:
    """Write compact JSON in UTF-8, members in the order of the value."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return _beyond(value, separators=(",", ":"))


def dumps_indented(value: Any) -> bytes:
    """Write JSON in UTF-8 with two spaces of indentation, for people and diffs."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        return _beyond(value, indent=2)


def dumps_sorted(value: Any) -> bytes:
    """Write compact JSON with sorted keys: equal values give equal bytes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return _beyond(value, separators=(",", ":"), sort_keys=True)


def _beyond(value: Any, **how: Any) -> bytes:
    """Write what orjson refuses: integers beyond 64 bits, lone surrogates, more than 254 levels."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, **how).encode()
