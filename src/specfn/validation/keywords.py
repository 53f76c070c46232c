"""The schema keywords of JSON Schema 2020-12 by what they hold, as tables."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from specfn._json import JsonObject

#: Applied to the same value (Core, sections 8.2.3 and 10.2).
IN_PLACE_ONE: Final = frozenset({"not", "if", "then", "else"})
IN_PLACE_LIST: Final = frozenset({"allOf", "anyOf", "oneOf"})
IN_PLACE_MAP: Final = frozenset({"dependentSchemas"})

#: Applied to the values inside (Core, sections 10.3 and 11).
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
APPLICATORS: Final = ONE | LIST | MAP | {"$ref"}

#: What is checked of a value itself (Validation, section 6).
ASSERTIONS: Final = frozenset(
    {
        *("type", "enum", "const"),
        *("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "pattern", "format"),
        *("minItems", "maxItems", "uniqueItems", "minContains", "maxContains"),
        *("minProperties", "maxProperties", "required", "dependentRequired"),
    }
)

#: References that depend on who refers: nobody writes them in OpenAPI, and they are not enforced.
DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})

UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")


class Step(NamedTuple):
    """One subschema of a schema: the keyword, the key or index under it if any, and the subschema."""

    keyword: str
    key: str | int | None
    schema: Any


def subschemas(schema: JsonObject) -> Iterator[Step]:
    """The subschemas of a schema, in its own order; what has the wrong shape holds none."""
    for keyword, value in schema.items():
        if keyword in ONE:
            yield Step(keyword, None, value)
        elif keyword in LIST and isinstance(value, list):
            for index, item in enumerate(value):
                yield Step(keyword, index, item)
        elif keyword in MAP and isinstance(value, dict):
            for key, item in value.items():
                yield Step(keyword, key, item)


def is_in_place(keyword: str) -> bool:
    """Whether the subschemas under a keyword look at the same value as the schema itself."""
    return keyword in IN_PLACE_ONE or keyword in IN_PLACE_LIST or keyword in IN_PLACE_MAP
