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
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate: the standard library writes both
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()


def dumps_indented(value: Any) -> bytes:
    """Write JSON in UTF-8 with two spaces of indentation, for people and diffs."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def dumps_sorted(value: Any) -> bytes:
    """Write compact JSON with sorted keys: equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
