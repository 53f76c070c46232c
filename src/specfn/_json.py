"""JSON text to values and back, in one place: orjson where it is exact, the standard library beyond."""

import json
from typing import Any, TypeAlias

import orjson

#: A JSON object as Python holds it. JSON stays plain: it is never wrapped.
JsonObject: TypeAlias = dict[str, Any]

#: What ``loads`` raises for text that is not JSON (orjson's own error is a subclass).
JSONDecodeError = json.JSONDecodeError


def loads(text: str | bytes) -> Any:
    """Read strict JSON (RFC 8259): no NaN, no comments, no trailing text.

    Raises:
        JSONDecodeError: the text is not JSON, or is nested deeper than 1,024 levels.
    """
    return orjson.loads(text)


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
