"""Tables of the JSON Schema 2020-12 keywords that contain or apply subschemas."""

from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn.schema.walk import IN_PLACE, LISTS, MAPS, SINGLES

#: Keywords that contain one subschema, a list or a map of them. ``contentSchema`` is only an annotation.
ONE: Final = frozenset(SINGLES) - {"contentSchema"}
LIST: Final = frozenset(LISTS)
MAP: Final = frozenset(MAPS) | {"properties"}
_HOLDERS: Final = ONE | LIST | MAP
APPLICATORS: Final = _HOLDERS | {"$ref"}

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
Step: TypeAlias = tuple[str, str | int | None, Any]


def subschemas(schema: JsonObject) -> list[Step]:
    """Return the subschemas of a schema in its own order. A keyword with a value of the wrong type has no subschemas."""
    found: list[Step] = []
    if _HOLDERS.isdisjoint(schema):
        return found
    for keyword, value in schema.items():
        if keyword in ONE:
            found.append((keyword, None, value))
        elif keyword in MAP and isinstance(value, dict):
            found.extend([(keyword, key, item) for key, item in value.items()])
        elif keyword in LIST and isinstance(value, list):
            found.extend([(keyword, index, item) for index, item in enumerate(value)])
    return found


def parts_in_place(schema: JsonObject) -> list[Any]:
    """Return the subschemas that apply to the same value, without the target of ``$ref``."""
    if IN_PLACE.isdisjoint(schema):
        return []
    return [part for keyword, _, part in subschemas(schema) if keyword in IN_PLACE]
