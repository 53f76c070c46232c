"""Locations of subschemas in a schema (JSON Schema 2020-12), and a walk over them."""

from collections.abc import Iterator
from typing import Any

from specfn._internal.json import JsonObject

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

#: Locations of subschemas that apply to the same value.
IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
IN_PLACE_SINGLES = ("else", "if", "not", "then")
IN_PLACE = frozenset((*IN_PLACE_LISTS, *IN_PLACE_SINGLES, "dependentSchemas"))

SUBSCHEMAS = frozenset((*LISTS, *MAPS, *SINGLES, "properties"))


def walk(schema: Any) -> Iterator[JsonObject]:
    """Yield every schema object within a schema, itself first, in document order. References are not followed."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        stack.extend(reversed([*subschemas(node)]))


def subschemas(node: JsonObject) -> Iterator[Any]:
    """Yield the direct subschemas of a schema."""
    for key, value in node.items():
        if key in SINGLES:
            yield value
        elif key in LISTS:
            yield from value
        elif key == "properties" or key in MAPS:
            yield from value.values()


def in_place(node: JsonObject) -> list[Any]:
    """Return the direct subschemas of a schema that apply to the same value."""
    if IN_PLACE.isdisjoint(node):
        return []
    found = [item for key in IN_PLACE_LISTS for item in node.get(key, ())]
    found += [node[key] for key in IN_PLACE_SINGLES if key in node]
    found += node.get("dependentSchemas", {}).values()
    return found
