"""Where schemas are within a schema (JSON Schema 2020-12), and a walk over them."""

from collections.abc import Iterator
from typing import Any

from specfn._json import JsonObject

LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAPS = ("patternProperties", "dependentSchemas")
SINGLES = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
SUBSCHEMAS = frozenset((*LISTS, *MAPS, *SINGLES, "properties"))


def walk(schema: Any) -> Iterator[JsonObject]:
    """Every schema object within a schema, itself first, in document order; references are not followed."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        below: list[Any] = []
        for key, value in node.items():
            if key in SINGLES:
                below.append(value)
            elif key in LISTS:
                below.extend(value)
            elif key == "properties" or key in MAPS:
                below.extend(value.values())
        stack.extend(reversed(below))
