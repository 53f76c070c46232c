"""The schema keywords with subschemas (JSON Schema 2020-12), and walks over the subschemas."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject

#: Keywords that contain a list of subschemas, a map of them, or one.
LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAPS: Final = frozenset({"dependentSchemas", "patternProperties", "properties"})
SINGLES: Final = frozenset(
    {
        *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
        *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
    }
)
SUBSCHEMAS: Final = LISTS | MAPS | SINGLES

#: Keywords that apply subschemas to a value. ``contentSchema`` is only an annotation.
APPLICATORS: Final = (SUBSCHEMAS - {"contentSchema"}) | {"$ref"}

#: Applicators whose subschemas apply to the same value, except ``$ref``.
IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)

#: Assertions about the value itself (Validation, section 6).
ASSERTIONS: Final = frozenset(
    {
        *("type", "enum", "const"),
        *("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "pattern", "format"),
        *("minItems", "maxItems", "uniqueItems", "minContains", "maxContains"),
        *("minProperties", "maxProperties", "required", "dependentRequired"),
    }
)

#: References with a dynamic scope. They hardly occur in OpenAPI, and are not enforced.
DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})

UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")

#: One subschema of a schema: the keyword, the key or index below it if any, and the subschema.
SubschemaEntry: TypeAlias = tuple[str, str | int | None, Any]


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
        elif key in MAPS:
            yield from value.values()


def subschema_entries(schema: JsonObject) -> list[SubschemaEntry]:
    """Return the subschemas that applicators contain, in document order, where keywords may have values of wrong types."""
    result: list[SubschemaEntry] = []
    if APPLICATORS.isdisjoint(schema):
        return result
    for keyword, value in schema.items():
        if keyword in SINGLES:
            if keyword in APPLICATORS:
                result.append((keyword, None, value))
        elif keyword in MAPS and isinstance(value, dict):
            result.extend([(keyword, key, item) for key, item in value.items()])
        elif keyword in LISTS and isinstance(value, list):
            result.extend([(keyword, index, item) for index, item in enumerate(value)])
    return result


def in_place(schema: JsonObject) -> list[Any]:
    """Return the subschemas that apply to the same value, without the target of ``$ref``."""
    if IN_PLACE.isdisjoint(schema):
        return []
    return [part for keyword, _, part in subschema_entries(schema) if keyword in IN_PLACE]
