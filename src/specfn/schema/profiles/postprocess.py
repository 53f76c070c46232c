"""Walks over a schema that was rendered for a provider, and post-processing of the whole schema."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject
from specfn.schema.compose.names import reference_to
from specfn.schema.render.annotations import admits, words
from specfn.schema.render.fragment import ordered

#: Members with subschemas in a schema that was rendered for a provider.
_MAPS: Final = frozenset({"properties", "$defs"})
_SINGLES: Final = frozenset({"items", "additionalProperties"})

_CUT: Final = "(nested deeper than shown)"

Path: TypeAlias = tuple[str | int, ...]


def mapped(schema: JsonObject, change: Callable[[Any, Path], Any]) -> JsonObject:
    """Return a schema with its direct subschemas changed; the same object if no subschema changed."""
    changed: JsonObject = {}
    for key, value in schema.items():
        new: Any = value
        if key in _MAPS:
            new = {name: change(item, (key, name)) for name, item in value.items()}
            new = value if all(new[name] is item for name, item in value.items()) else new
        elif key == "anyOf":
            new = [change(item, (key, index)) for index, item in enumerate(value)]
            new = value if all(map(_is, new, value)) else new
        elif key in _SINGLES:
            new = change(value, (key,))
        if new is not value:
            changed[key] = new
    return {**schema, **changed} if changed else schema


def _is(left: Any, right: Any) -> bool:
    return left is right


# -- titles that repeat a name, unions without siblings --------------------------------------------


def tidied(schema: Any, *, alone: bool, name: str | None = None) -> Any:
    """Return the schema without titles and descriptions that only repeat the property's name.

    Args:
        schema: the rendered schema.
        alone: whether ``anyOf`` must be the only keyword. The description of a union then moves to its first branch.
            Its default and example move to a branch that admits them. Null is removed from an enum, because the schema
            admits it by other means.
        name: the name of the property with this schema.
    """
    if not isinstance(schema, dict):
        return schema
    if "title" in schema or "description" in schema:
        schema = _worded(schema, name)
    if alone and "anyOf" in schema and len(schema) > 1:
        text = "\n".join(schema[key] for key in ("title", "description") if key in schema)
        schema = {"anyOf": _with_description(_given(schema["anyOf"], schema), text)}
    if alone and None in schema.get("enum", ()):
        schema = _without_null(schema)
    return mapped(schema, lambda inner, steps: tidied(inner, alone=alone, name=_named(steps, name)))


def _named(steps: Path, name: str | None) -> str | None:
    """Return the name of the property of a subschema; a branch has the name of its union."""
    if steps[0] == "properties":
        return str(steps[1])
    return name if steps[0] == "anyOf" else None


def _worded(schema: JsonObject, name: str | None) -> JsonObject:
    annotations = words(schema, name)
    if all(annotations.get(key) == schema.get(key) for key in _WORDS):
        return schema
    return {
        key: annotations.get(key, item)
        for key, item in schema.items()
        if key not in _WORDS or key in annotations
    }


_WORDS: Final = ("title", "description")


def _without_null(schema: JsonObject) -> JsonObject:
    values = [value for value in schema["enum"] if value is not None]
    rest = {key: value for key, value in schema.items() if key != "enum"}
    return {**rest, "enum": values} if values else rest


def _given(branches: list[Any], union: JsonObject) -> list[Any]:
    """Branches with the default and the example of their union, each at the branch that fits it best."""
    out = [*branches]
    for key in ("default", "example"):
        value = union.get(key)
        takers = [
            index
            for index, branch in enumerate(out)
            if value is not None and isinstance(branch, dict) and admits(branch, value)
        ]
        if takers:
            index = min(takers, key=lambda index: "enum" not in out[index])
            out[index] = ordered({**out[index], key: value})
    return out


def _with_description(branches: list[Any], description: str) -> list[Any]:
    if not description or not branches or not isinstance(branches[0], dict):
        return branches
    first = branches[0]
    old = first.get("description")
    text = f"{description}\n{old}" if old and old != description else description
    return [ordered({**first, "description": text}), *branches[1:]]


# -- a limit of nesting ---------------------------------------------------------------------------


def trimmed(schema: Any, nesting: int, cut: list[Path], path: Path = (), depth: int = 0) -> Any:
    """Return the schema with stubs for objects and arrays that are nested too deep.

    Args:
        schema: as a provider is shown it, without references.
        nesting: how deep objects and arrays may be nested.
        cut: where the places that were cut are added.
        path: of the schema.
        depth: of the schema.
    """
    if not isinstance(schema, dict):
        return schema
    depth += _nests(schema)
    if depth >= nesting and any(key in schema for key in _BELOW):
        stub = _stub(schema)
        if stub != schema:
            cut.append(path)
        return stub
    return mapped(schema, lambda inner, steps: trimmed(inner, nesting, cut, (*path, *steps), depth))


#: Members that a stub does not have.
_BELOW: Final = ("properties", "items", "anyOf", "additionalProperties")


def _nests(node: JsonObject) -> bool:
    return node.get("type") in ("object", "array") or "properties" in node


def _stub(node: JsonObject) -> JsonObject:
    """Return the stub for a subtree: its type, nullability and description."""
    text: str = node.get("description", _CUT)
    out: JsonObject = {key: node[key] for key in ("type", "nullable") if key in node}
    out["description"] = text if text.endswith(_CUT) else f"{text}\n{_CUT}"
    if node.get("type") == "array":
        out["items"] = {}
    return out


# -- other names for properties -------------------------------------------------------------------


def renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema with declared properties under other names; the same object if no name changes."""
    if not isinstance(schema, dict):
        return schema
    out = mapped(schema, lambda inner, _: renamed(inner, names))
    properties = out.get("properties", {})
    if names.keys().isdisjoint(properties):
        return out
    out = {**out, "properties": {names.get(key, key): item for key, item in properties.items()}}
    if "required" in out:
        out["required"] = [names.get(name, name) for name in out["required"]]
    return out


# -- definitions as short as a reference ------------------------------------------------


def scalars(schema: JsonObject) -> dict[str, JsonObject]:
    """Return the definitions that turned out to be scalars, by their references."""
    return {
        reference_to(name): node
        for name, node in schema.get("$defs", {}).items()
        if _is_scalar(node)
    }


def _is_scalar(node: JsonObject) -> bool:
    kinds = node.get("type", ())
    return not set([kinds] if isinstance(kinds, str) else kinds).isdisjoint(_SCALARS)


_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})


def inlined(schema: Any, found: Mapping[str, JsonObject]) -> Any:
    """Return a schema with some definitions in the places of their references."""
    if not isinstance(schema, dict):
        return schema
    branches = schema.get("anyOf", ())
    inner = branches[0] if len(branches) == 1 and isinstance(branches[0], dict) else schema
    target = found.get(inner.get("$ref", ""))
    if target is not None:
        annotations = {key: value for key, value in schema.items() if key not in {"$ref", "anyOf"}}
        return ordered({**target, **annotations})
    return mapped(schema, lambda inner, _: inlined(inner, found))


def without(schema: JsonObject, found: Mapping[str, JsonObject]) -> JsonObject:
    """Return a schema without definitions that nothing refers to any more."""
    kept = {name: node for name, node in schema["$defs"].items() if reference_to(name) not in found}
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return {**rest, "$defs": kept} if kept else rest
