"""Schema keywords by the type that they apply to, and those that OpenAPI 3.0 lacks (rule F7)."""

_STRING = ("minLength", "maxLength", "pattern", "format")
_NUMBER = ("minimum", "maximum", "multipleOf", "format")
_ARRAY = ("minItems", "maxItems", "uniqueItems")
_OBJECT = ("minProperties", "maxProperties")

#: The keywords of each type, used to split a union of types.
BY_TYPE: dict[str, tuple[str, ...]] = {
    "string": (*_STRING, "contentEncoding", "contentMediaType", "contentSchema"),
    "number": (*_NUMBER, "exclusiveMinimum", "exclusiveMaximum"),
    "integer": (*_NUMBER, "exclusiveMinimum", "exclusiveMaximum"),
    "array": (
        *_ARRAY,
        "items",
        "prefixItems",
        "contains",
        "minContains",
        "maxContains",
        "unevaluatedItems",
    ),
    "object": (
        *_OBJECT,
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
    ),
    "boolean": (),
    "null": (),
}
_KEYS = {kind: frozenset((*keys, "format")) for kind, keys in BY_TYPE.items()}
TYPED = frozenset(key for keys in BY_TYPE.values() for key in keys)

#: Keywords that OpenAPI 3.0 has as they are; with ``constraint=False`` they go into the description.
CONSTRAINTS = frozenset((*_STRING, *_NUMBER, *_ARRAY, *_OBJECT))

#: Keywords that OpenAPI 3.0 does not have: the whole keyword goes into the description (F8).
UNSPEAKABLE = frozenset(
    {
        "allOf",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "maxContains",
        "minContains",
        "not",
        "patternProperties",
        "propertyNames",
        "then",
        "unevaluatedItems",
    }
)

#: All bounds of a value, with those that OpenAPI 3.0 expresses as a flag next to the bound.
BOUNDED = CONSTRAINTS | {"exclusiveMinimum", "exclusiveMaximum"}

#: Constraints next to a union. Without them, a union means only its branches.
BESIDE_UNION = frozenset(
    {
        "allOf",
        "const",
        "enum",
        "else",
        "if",
        "not",
        "then",
        "type",
        *TYPED,
    }
)

#: Keywords whose evaluations ``unevaluatedProperties`` considers. Next to them, no other keyword can replace it.
BEYOND = frozenset({"allOf", "anyOf", "dependentSchemas", "if", "not", "oneOf"})

#: Keywords of objects.
OBJECT = frozenset({"additionalProperties", "properties", "required", "unevaluatedProperties"})

#: Keywords of a scalar that are rendered unchanged.
_PLAIN = frozenset({"format", "maxLength", "maximum", "minLength", "minimum", "multipleOf"})

#: The same keywords by the type that they apply to.
PLAIN = {kind: _PLAIN & {*keys, "format"} for kind, keys in BY_TYPE.items()}

#: The annotations that are shown.
SHOWN_ANNOTATIONS = frozenset({"default", "deprecated", "description", "examples", "title"})

#: A schema with only these keywords and one of ``SCALAR_TYPES`` is rendered directly.
SCALAR = _PLAIN | SHOWN_ANNOTATIONS | {"enum", "readOnly", "type", "writeOnly", "xml"}

#: The type and nullability of a scalar by its ``type``; a list of types is a tuple here.
SCALAR_TYPES: dict[str | tuple[str, ...], tuple[str, bool]] = {
    declared: (kind, nullable)
    for kind in ("boolean", "integer", "number", "string")
    for declared, nullable in ((kind, False), ((kind, "null"), True))
}


def applies(key: str, kind: str | None) -> bool:
    """Return whether a keyword applies to a type; ``None`` means a schema without a type."""
    return kind is None or key not in TYPED or key in _KEYS[kind]
