"""Schema of a success response, with its definitions at the root."""

from typing import Any, Final

from specfn._internal.json import JsonObject

#: The schema of ``status`` in the result of a call (rule X9).
_STATUS: Final = {"type": "integer"}


def success_schema(promise: JsonObject, *, answer: bool) -> JsonObject:
    """Return the schema of a success response.

    Args:
        promise: the schema of the response's data, as functions store it.
        answer: return the schema of ``Result.for_model``: an object with ``status`` and ``data``.
    """
    root, definitions = _parted(promise)
    if answer:
        root = {
            "type": "object",
            "properties": {"status": _STATUS, "data": root},
            "required": ["status", "data"],
        }
    return {**root, "$defs": definitions} if definitions else root


def _parted(promise: JsonObject) -> tuple[Any, JsonObject]:
    """Return the schema of the data, and its definitions."""
    if promise.keys() == {"allOf", "$defs"}:
        match promise["allOf"]:
            case [dict(only)]:
                return only, promise["$defs"]
    return promise, {}
