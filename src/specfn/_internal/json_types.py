"""Types and equality of JSON values."""

from collections.abc import Mapping
from typing import Any, Final

#: The JSON Schema type of each Python type. A float is a ``number``, even if it is whole.
TYPES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def is_equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal: ``1`` equals ``1.0``, and neither equals ``true``."""
    if left is right:
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_equal, left, right))
    return bool(left == right)


def identity(value: Any) -> Any:
    """Return a key that equal JSON values share: ``1`` and ``1.0``, but not ``1`` and ``true``."""
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(identity, value)))
    return ("boolean", value) if isinstance(value, bool) else value
