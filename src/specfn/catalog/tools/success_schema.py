"""The schema of a success, as JSON Schema whose definitions are at its root."""

from typing import Any, Final

from specfn._internal.json import JsonObject

#: The answer of a conversation to a call (rule X9) without the response.
_STATUS: Final = {"type": "integer"}


def promised(promise: JsonObject, *, answer: bool) -> JsonObject:
    """Return the schema of a success.

    Args:
        promise: the schema of the response's data, as functions have it.
        answer: the schema is that of ``Result.for_model``: an object with ``status`` and ``data``.
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
    """Return the schema of the data, and the definitions that it refers to."""
    if promise.keys() == {"allOf", "$defs"}:
        match promise["allOf"]:
            case [dict(only)]:
                return only, promise["$defs"]
    return promise, {}
