"""A linter of tools against profiles, independent of the code that fits schemas."""

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_TYPES = {"array", "boolean", "integer", "null", "number", "object", "string"}
_JSON = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def nodes(schema: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Yield every schema within a schema of a tool, itself first."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key in ("properties", "$defs"):
        for name, inner in schema.get(key, {}).items():
            yield from nodes(inner, (*path, key, name))
    for index, inner in enumerate(schema.get("anyOf", ())):
        yield from nodes(inner, (*path, "anyOf", index))
    for key in ("items", "additionalProperties"):
        yield from nodes(schema.get(key), (*path, key))


def faults(schema: Json, profile: Any, *, strict: bool) -> list[str]:
    """Return the faults of a tool's schema under a profile."""
    found = list(_root(schema, profile))
    for path, node in nodes(schema):
        where = "/".join(map(str, path)) or "the root"
        found += [f"{what} at {where}" for what in _node(node, path, profile)]
        if strict:
            found += [f"{what} at {where}" for what in _enforced(node, profile)]
    if strict:
        found += _counted(schema, profile)
    return found + list(_references(schema, profile))


def _root(schema: Json, profile: Any) -> Iterator[str]:
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield "the root is no object with properties"
    for key in ("anyOf", "oneOf", "allOf", "enum", "not", "$ref"):
        if key in schema:
            yield f"{key} at the root"
    for name in schema.get("properties", ()):
        if profile.root_key and not re.fullmatch(profile.root_key, name):
            yield f"the key {name!r} at the root"


def _node(node: Json, path: tuple[Any, ...], profile: Any) -> Iterator[str]:
    unknown = set(node) - profile.keywords - ({"$ref", "$defs"} if profile.refs else set())
    if unknown:
        yield f"keywords {sorted(unknown)}"
    yield from _typed(node, profile)
    yield from _constants(node, profile)
    if path and profile.nested_key:
        for name in node.get("properties", ()):
            if not re.fullmatch(profile.nested_key, name):
                yield f"the key {name!r}"
    if profile.nesting is not None and _depth(node) > profile.nesting - _above(path):
        yield "too deep"


def _constants(node: Json, profile: Any) -> Iterator[str]:
    if "required" in node and not set(node["required"]) <= set(node.get("properties", ())):
        yield "required of what is not declared"
    for value in node.get("enum", ()):
        if _JSON.get(type(value)) not in profile.enums or (value == "" and not profile.empty_text):
            yield f"the enum value {value!r}"
    if "enum" in node and not node["enum"]:
        yield "an empty enum"
    if "format" in node and profile.formats is not None:
        allowed = [profile.formats.get(kind, ()) for kind in _kinds(node)]
        if not any(node["format"] in each for each in allowed):
            yield f"the format {node['format']}"
    if "pattern" in node and profile.patterns and re.search(profile.patterns, node["pattern"]):
        yield f"the pattern {node['pattern']}"


def _typed(node: Json, profile: Any) -> Iterator[str]:
    kinds = _kinds(node)
    if not set(kinds) <= _TYPES:
        yield f"types {kinds}"
    if isinstance(node.get("type"), list) and (
        profile.null != "type" or len(kinds) != 2 or kinds[1] != "null"
    ):
        yield "a list of types"
    if "array" in kinds and not isinstance(node.get("items"), dict):
        yield "an array without items"
    if profile.union_alone and "anyOf" in node and len(node) > 1:
        yield "anyOf beside something"
    if profile.ref_alone and "$ref" in node and len(node) > 1:
        yield "$ref beside something"
    if "anyOf" in node and not node["anyOf"]:
        yield "an empty union"


def _kinds(node: Json) -> list[str]:
    kinds = node.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _above(path: tuple[Any, ...]) -> int:
    """Return the number of objects and arrays above a place, in a schema without references."""
    rest, depth = list(path), 0
    while rest:
        key = rest.pop(0)
        depth += key in ("properties", "items")
        if key in ("properties", "$defs", "anyOf"):
            rest.pop(0)  # a name, which may be any word, or a position
    return depth


def _depth(node: Json) -> int:
    return int("object" in _kinds(node) or "array" in _kinds(node))


def _enforced(node: Json, profile: Any) -> Iterator[str]:
    assert profile.strict is not None
    if "object" in _kinds(node):
        if node.get("additionalProperties") is not False:
            yield "an open object"
        required, properties = set(node.get("required", ())), set(node.get("properties", ()))
        if profile.strict.required and required != properties:
            yield "something optional"
    if not node.keys() & {"type", "anyOf", "$ref", "enum"}:
        yield "no type"


def _counted(schema: Json, profile: Any) -> Iterator[str]:
    limits = profile.strict
    assert limits is not None
    every = [node for _, node in nodes(schema)]
    if sum(len(node.get("properties", ())) for node in every) > limits.properties:
        yield "too many properties"
    if sum(len(node.get("enum", ())) for node in every) > limits.enum_values:
        yield "too many enum values"


def _references(schema: Json, profile: Any) -> Iterator[str]:
    defined = {f"#/$defs/{name}" for name in schema.get("$defs", ())}
    used = {node["$ref"] for _, node in nodes(schema) if "$ref" in node}
    if used - defined:
        yield f"dangling {sorted(used - defined)}"
    if (used or defined) and not profile.refs:
        yield "references"
    if "$defs" in schema and not schema["$defs"]:
        yield "empty $defs"
