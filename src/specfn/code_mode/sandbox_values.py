"""Values of the sandbox as JSON values."""

import datetime as dt
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final

#: The maximum number of levels of a value.
_DEPTH: Final = 100

_SCALARS: Final = (str, bool, int, float, type(None))
_LISTS: Final = (list, tuple, set, frozenset)
_MOMENTS: Final = (dt.date, dt.time)


def argument(value: Any) -> Any:
    """Return an argument of a call as a JSON value.

    Raises:
        TypeError: it contains a value that JSON does not have.
    """
    return _json(value, _refused, 0)


def shown(value: Any) -> Any:
    """Return the result of a script as a JSON value; any other value becomes its text."""
    return _json(value, _text, 0)


def _json(value: Any, other: Callable[[Any], Any], depth: int) -> Any:
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, _LISTS) and depth < _DEPTH:
        return [_json(each, other, depth + 1) for each in value]
    if isinstance(value, dict) and depth < _DEPTH:
        return {_key(key): _json(each, other, depth + 1) for key, each in value.items()}
    return _single(value, other)


def _single(value: Any, other: Callable[[Any], Any]) -> Any:
    if isinstance(value, _MOMENTS):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"data:application/octet-stream;base64,{b64encode(value).decode('ascii')}"
    return other(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)


def _refused(value: Any) -> Any:
    if isinstance(value, list | dict | tuple | set | frozenset):
        raise TypeError(f"an argument has more than {_DEPTH} levels; expected fewer")
    raise TypeError(
        f"an argument contains a value of type {_type(value)}; expected JSON values: texts, numbers, lists, dicts, "
        "True, False and None"
    )


def _text(value: Any) -> str:
    return str(value)[:1_000]


def _type(value: Any) -> str:
    return str(getattr(value, "name", type(value).__name__))[:80]
