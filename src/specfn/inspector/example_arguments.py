"""An example of arguments for a function: required properties, first alternatives."""

from typing import Any, Final

from specfn._internal.json import JsonObject

#: Texts of formats.
_TEXTS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}

#: The deepest nesting of an example.
_DEPTH: Final = 12

#: Keywords whose value is an example.
_VALUES: Final = ("const", "example", "default")


def example_arguments(schema: Any) -> Any:
    """Return a short value that the schema of arguments probably accepts. Patterns are not considered."""
    return _example(schema, schema, 0)


def _example(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEPTH:
        return None
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _example(root.get("$defs", {}).get(name), root, depth + 1)
    for key in _VALUES:
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if branch != {"type": "null"}:
            return _example(branch, root, depth + 1)
    return _of_type(schema, root, depth)


def _of_type(schema: JsonObject, root: Any, depth: int) -> Any:
    declared = schema.get("type", "object" if "properties" in schema else "string")
    types = declared if isinstance(declared, list) else [declared]
    found = next((each for each in types if each != "null"), "null")
    if found == "object":
        properties = schema.get("properties", {})
        required = [name for name in schema.get("required", ()) if name in properties]
        return {name: _example(properties[name], root, depth + 1) for name in required}
    if found == "array":
        return [_example(schema.get("items"), root, depth + 1)] if schema.get("minItems") else []
    if found == "string":
        text = _TEXTS.get(str(schema.get("format")), "text")
        return text.ljust(min(schema.get("minLength", 0), 1_000), "x")[: schema.get("maxLength")]
    if found in {"integer", "number"}:
        return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return True if found == "boolean" else None
