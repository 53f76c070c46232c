"""JSON values as requests write them: exact numbers, no needless fractions, nothing that is not JSON."""

import math
from typing import Any

from specfn import _json
from specfn.http.files import as_text, file_of
from specfn.http.unfit import Unfit

#: The deepest nesting that is written. Validated arguments are shallower (rule V1).
_DEPTH = 200

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


def settle(value: Any, depth: int = 0) -> Any:
    """A copy of a JSON value with its numbers as ``number`` has them, and files as base64.

    Raises:
        Unfit: something in it is not JSON, or it is nested too deeply.
    """
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
        return settle(value, depth + 1)
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
