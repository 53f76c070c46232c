"""Tables of the JSON Schema 2020-12 keywords that contain or apply subschemas."""

from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject

#: Applied to the same value (Core, sections 8.2.3 and 10.2).
IN_PLACE_ONE: Final = frozenset({"not", "if", "then", "else"})
IN_PLACE_LIST: Final = frozenset({"allOf", "anyOf", "oneOf"})
IN_PLACE_MAP: Final = frozenset({"dependentSchemas"})

#: Applied to properties and items (Core, sections 10.3 and 11).
INSIDE_ONE: Final = frozenset(
    {
        *("items", "contains", "additionalProperties", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties"),
    }
)
INSIDE_LIST: Final = frozenset({"prefixItems"})
INSIDE_MAP: Final = frozenset({"properties", "patternProperties"})

ONE: Final = IN_PLACE_ONE | INSIDE_ONE
LIST: Final = IN_PLACE_LIST | INSIDE_LIST
MAP: Final = IN_PLACE_MAP | INSIDE_MAP
HOLDERS: Final = ONE | LIST | MAP
APPLICATORS: Final = HOLDERS | {"$ref"}
IN_PLACE: Final = IN_PLACE_ONE | IN_PLACE_LIST | IN_PLACE_MAP

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
    if HOLDERS.isdisjoint(schema):
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
