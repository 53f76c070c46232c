"""Closing of object schemas: with ``equals``, they refuse properties that they do not declare (rule V2).

A plain object schema is closed with ``additionalProperties: false``. A schema with in-place applicators (``allOf``
etc.) is closed as a whole with ``unevaluatedProperties: false``. Its parts stay open for each other's properties.
"""

from enum import Enum
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.schema.walk import IN_PLACE
from specfn.validation.compile.applicators import subschemas
from specfn.validation.compile.references import ROOT, Survey, target_of

#: Keywords below which a schema is never closed, because closing it would change the verdict of the keyword.
_NEVER_CLOSED: Final = frozenset({"not", "if", "contains", "propertyNames"})

_DECLARES_ADDITIONAL: Final = ("additionalProperties", "unevaluatedProperties")
_ONLY_REFERS: Final = ({"$ref"}, {"anyOf"}, {"oneOf"})


class ClosingMode(Enum):
    """Mode of closing a schema: never, not by itself, or by itself."""

    NEVER = "never"
    OPEN = "open"
    CLOSE = "close"

    def within(self, keyword: str) -> "ClosingMode":
        """Return the mode of a subschema below a keyword."""
        if self is ClosingMode.NEVER or keyword in _NEVER_CLOSED:
            return ClosingMode.NEVER
        return self if keyword in IN_PLACE else ClosingMode.CLOSE


def close(
    schema: JsonObject, closing: ClosingMode, surveyed: Survey
) -> tuple[JsonObject, ClosingMode]:
    """Close one schema if its mode requires it.

    Returns:
        The schema, and the mode of its in-place subschemas.
    """
    if closing is not ClosingMode.CLOSE:
        return schema, closing
    parts = {keyword for keyword in schema if keyword == "$ref" or keyword in IN_PLACE} - {"not"}
    undeclared = not any(keyword in schema for keyword in _DECLARES_ADDITIONAL)
    if not parts:
        if undeclared and "properties" in schema:
            return {**schema, "additionalProperties": False}, closing
        return schema, closing
    own = "properties" in schema or "patternProperties" in schema
    if undeclared and not own and parts in _ONLY_REFERS:
        return schema, closing
    if undeclared and _declares(schema, surveyed):
        return {**schema, "unevaluatedProperties": False}, ClosingMode.OPEN
    return schema, ClosingMode.OPEN


def _declares(schema: JsonObject, surveyed: Survey) -> bool:
    """Return whether a schema or an in-place subschema declares properties."""
    waiting: list[Any] = [schema]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if "properties" in node:
            return True
        reference = node.get("$ref")
        if isinstance(reference, str):
            key = target_of(reference, ROOT)
            if key not in seen:
                seen.add(key)
                waiting.append(surveyed.definitions[key].schema)
        waiting.extend(
            part
            for keyword, _, part in subschemas(node)
            if keyword in IN_PLACE and keyword not in _NEVER_CLOSED
        )
    return False
