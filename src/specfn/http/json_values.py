"""JSON values as requests write them: exact numbers, no needless fractions, nothing that is not JSON."""

import math
from typing import Any, Final

from specfn._internal import json as _json
from specfn.http.files import as_text, file_of
from specfn.http.unserializable import Unfit

#: The deepest nesting that is written. Validated arguments are shallower (rule V1).
_DEPTH = 200

#: The most members of one level that are looked at before there is a copy.
_WIDTH = 100_000

#: Scalars that every writer of JSON writes alike.
_AS_IT_IS: Final = frozenset({str, int, bool, type(None)})

#: Up to here a float holds every integer exactly, so that its fraction may go.
_EXACT = 2**53


def number(value: float) -> int | float:
    """A number in the form that every reader takes: ``12.0`` is the integer 12 (rule X1).

    JSON has one kind of number; a server that wants an integer often refuses ``12.0``.

    Raises:
        Unfit: the number is infinite or not a number, which JSON cannot say.
    """
    if not math.isfinite(value):
        raise Unfit("number", "JSON has no such number", value=value)
    return int(value) if value.is_integer() and abs(value) <= _EXACT else value


def settle(value: Any) -> Any:
    """A JSON value with its numbers as ``number`` has them, and files as base64.

    Raises:
        Unfit: something in it is not JSON, or it is nested too deeply.
    """
    return value if type(value) in _AS_IT_IS or _is_settled(value) else _settled(value, 0)


def _is_settled(value: Any) -> bool:
    """Whether all of a value can be written as it is; most values can, and need no copy.

    What holds itself would have no end here: it is left to the walk that ends where it is too deep.
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


def _settled(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return number(value)
    if depth >= _DEPTH:
        raise Unfit("a value that is nested less deeply")
    if isinstance(value, dict):
        return {_key(key): _at(key, item, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [_at(index, item, depth) for index, item in enumerate(value)]
    file = file_of(value)
    if file is not None:
        return as_text(file)
    raise Unfit("a JSON value", value=value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise Unfit("an object whose keys are strings", value=key)
    return key


def _at(token: str | int, value: Any, depth: int) -> Any:
    try:
        return _settled(value, depth + 1)
    except Unfit as unfit:
        raise unfit.below(token) from None


def dumps(value: Any) -> bytes:
    """Compact JSON in UTF-8.

    Raises:
        Unfit: something in the value is not JSON.
    """
    settled = settle(value)
    try:
        return _json.dumps(settled)
    except ValueError:  # an integer of more digits than Python is willing to print
        raise Unfit("a number of fewer digits") from None


def text(value: Any) -> str:
    """One value as text: strings as they are, scalars and whatever is nested as compact JSON.

    OpenAPI leaves nested values in parameters undefined; JSON is what its authors suggest and what
    most tools do.

    Raises:
        Unfit: the value is not JSON, or its text is not Unicode.
    """
    written = value if isinstance(value, str) else dumps(value).decode()
    try:
        written.encode()
    except UnicodeEncodeError:
        raise Unfit("string", "half of a surrogate pair is not text", value=value) from None
    return written
