"""Serialization of JSON values: exact numbers, integers without a fraction, strict JSON."""

import math
from typing import Any, Final

from specfn._internal import json as _json
from specfn.http.files import as_text, file_of
from specfn.http.unserializable import Unserializable

#: The maximum nesting depth. Validated arguments are shallower (rule V1).
_DEPTH = 200

#: The maximum number of members of one level that are checked; a wider value is copied.
_WIDTH = 100_000

#: Types of scalars that need no conversion.
_AS_IT_IS: Final = frozenset({str, int, bool, type(None)})

#: The limit up to which a float represents every integer exactly.
_EXACT = 2**53


def number(value: float) -> int | float:
    """Return a whole float as an integer: ``12.0`` becomes 12 (rule X1).

    JSON has one type of number, but many servers refuse ``12.0`` where they expect an integer.

    Raises:
        Unserializable: the number is NaN or infinite.
    """
    if not math.isfinite(value):
        raise Unserializable("number", "JSON has no such number", value=value)
    return int(value) if value.is_integer() and abs(value) <= _EXACT else value


def normalize(value: Any) -> Any:
    """Return a JSON value with whole floats as integers and files as base64.

    Raises:
        Unserializable: the value contains something that is not JSON, or is nested too deeply.
    """
    return value if type(value) in _AS_IT_IS or _is_normal(value) else _normalized(value, 0)


def _is_normal(value: Any) -> bool:
    """Return whether a value needs no conversion, which is so for most values.

    The walk ends at the depth limit, so a value that contains itself needs no special treatment.
    """
    level = [value]
    for _ in range(_DEPTH):
        if len(level) > _WIDTH:
            return False
        inner: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict and all(type(key) is str for key in item):
                inner += item.values()
            elif kind is list:
                inner += item
            elif kind not in _AS_IT_IS and not (kind is float and _has_fraction(item)):
                return False
        if not inner:
            return True
        level = inner
    return False


def _has_fraction(value: float) -> bool:
    return math.isfinite(value) and not value.is_integer()


def _normalized(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return number(value)
    if depth >= _DEPTH:
        raise Unserializable("a value that is nested less deeply")
    if isinstance(value, dict):
        return {_key(key): _at(key, item, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [_at(index, item, depth) for index, item in enumerate(value)]
    file = file_of(value)
    if file is not None:
        return as_text(file)
    raise Unserializable("a JSON value", value=value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise Unserializable("an object whose keys are strings", value=key)
    return key


def _at(token: str | int, value: Any, depth: int) -> Any:
    try:
        return _normalized(value, depth + 1)
    except Unserializable as fault:
        raise fault.below(token) from None


def dumps(value: Any) -> bytes:
    """Serialize a value as compact JSON in UTF-8.

    Raises:
        Unserializable: the value contains something that is not JSON.
    """
    normalized = normalize(value)
    try:
        return _json.dumps(normalized)
    except ValueError:  # an integer with more digits than Python prints
        raise Unserializable("a number of fewer digits") from None


def text(value: Any) -> str:
    """Return a value as text: a string as it is, any other value as compact JSON.

    OpenAPI leaves nested values in parameters undefined. Its authors suggest JSON, and most tools use it.

    Raises:
        Unserializable: the value is not JSON, or its text is not valid Unicode.
    """
    written = value if isinstance(value, str) else dumps(value).decode()
    try:
        written.encode()
    except UnicodeEncodeError:
        raise Unserializable(
            "string", "half of a surrogate pair is not text", value=value
        ) from None
    return written
