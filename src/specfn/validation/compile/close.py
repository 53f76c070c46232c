"""``equals``: object schemas that declare properties refuse all others (rule V2).

An object schema by itself is closed with ``additionalProperties: false``. One that is put together in place
(``allOf`` and its like) is closed as a whole with ``unevaluatedProperties: false``: its parts must stay open
for each other's properties.
"""

from enum import Enum
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import IN_PLACE, subschemas
from specfn.validation.compile.references import ROOT, Survey, target_of

#: Where a schema is asked a question, closing it would change the answer.
_ASKED: Final = frozenset({"not", "if", "contains", "propertyNames"})

_SAYS_SO: Final = ("additionalProperties", "unevaluatedProperties")
_PASSES_ON: Final = ({"$ref"}, {"anyOf"}, {"oneOf"})


class Closing(Enum):
    """Whether a schema in this place is closed."""

    NEVER = "never"
    OPEN = "open"
    CLOSE = "close"

    def within(self, keyword: str) -> "Closing":
        """The same for a subschema under a schema keyword."""
        if self is Closing.NEVER or keyword in _ASKED:
            return Closing.NEVER
        return self if keyword in IN_PLACE else Closing.CLOSE


def closed(schema: JsonObject, closing: Closing, surveyed: Survey) -> tuple[JsonObject, Closing]:
    """Close one schema where that is asked for.

    Returns:
        The schema, and whether its parts in place are closed by themselves.
    """
    if closing is not Closing.CLOSE:
        return schema, closing
    parts = {keyword for keyword in schema if keyword == "$ref" or keyword in IN_PLACE} - {"not"}
    silent = not any(keyword in schema for keyword in _SAYS_SO)
    if not parts:
        if silent and "properties" in schema:
            return {**schema, "additionalProperties": False}, closing
        return schema, closing
    own = "properties" in schema or "patternProperties" in schema
    if silent and not own and parts in _PASSES_ON:
        return schema, closing
    if silent and _declares(schema, surveyed):
        return {**schema, "unevaluatedProperties": False}, Closing.OPEN
    return schema, Closing.OPEN


def _declares(schema: JsonObject, surveyed: Survey) -> bool:
    """Whether a schema or any part of it in place has properties."""
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
            if keyword in IN_PLACE and keyword not in _ASKED
        )
    return False
