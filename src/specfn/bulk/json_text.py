"""JSON text of any value, because a row may contain values that are not JSON."""

from typing import Any

from specfn._internal.json import dumps
from specfn._internal.values import brief


def json_text(value: Any) -> bytes:
    """Return a value as JSON; a value that is not JSON as a short text of it."""
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):
        return dumps(brief(value))


def row_text(row: dict[str, Any]) -> bytes:
    """Return a row as JSON; each column that is not JSON as a short text of it."""
    try:
        return dumps(row)
    except (TypeError, ValueError, RecursionError):
        members = (dumps(str(key)) + b":" + json_text(value) for key, value in row.items())
        return b"{" + b",".join(members) + b"}"
