"""Definitions of a fitted schema, written in the place of their reference where that is shorter."""

from collections import Counter
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.schema.compose.names import reference_to
from specfn.schema.profiles.postprocess import Path, change_subschemas
from specfn.schema.render.fragment import order_members
from specfn.schema.walk import walk

#: The deepest nesting at which definitions are inlined.
_MAX_DEPTH: Final = 30

_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})


def inline_scalars(schema: JsonObject) -> tuple[JsonObject, frozenset[str]]:
    """Return a schema in which scalars stand in the places of their references, and these references."""
    scalars = {
        reference_to(name): node
        for name, node in schema.get("$defs", {}).items()
        if _is_scalar(node)
    }
    if not scalars:
        return schema, frozenset()

    def inline(node: Any, _: Path = ()) -> Any:
        if not isinstance(node, dict):
            return node
        target = scalars.get(_reference(node))
        if target is not None:
            return order_members({**target, **_annotations(node)})
        return change_subschemas(node, inline)

    return _with_definitions(
        inline(schema), [name for name in schema["$defs"] if reference_to(name) not in scalars]
    ), frozenset(scalars)


def _is_scalar(node: JsonObject) -> bool:
    kinds = node.get("type", ())
    return not _SCALARS.isdisjoint([kinds] if isinstance(kinds, str) else kinds)


def _with_definitions(schema: JsonObject, names: list[str]) -> JsonObject:
    """Return a schema with only some of its definitions."""
    definitions = {name: schema["$defs"][name] for name in names}
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return {**rest, "$defs": definitions} if definitions else rest


def _reference(node: JsonObject) -> str:
    """Return the reference that a schema contains directly or as its only branch, or an empty text."""
    branches = node.get("anyOf", ())
    inner = branches[0] if len(branches) == 1 and isinstance(branches[0], dict) else node
    reference: str = inner.get("$ref", "")
    return reference


def _annotations(node: JsonObject) -> JsonObject:
    """Return the annotations next to the reference of a schema."""
    return {key: value for key, value in node.items() if key not in {"$ref", "anyOf"}}


def inline_used_once(schema: JsonObject) -> tuple[JsonObject, dict[str, Path]]:
    """Return a schema in which definitions with a single reference are inlined, and their former places.

    That is shorter and easier to read. A recursive definition has two references or is unused, so it stays.
    """
    definitions = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    counts = Counter(
        node["$ref"]
        for part in (root, *definitions.values())
        for node in walk(part)
        if "$ref" in node
    )
    alone = {
        reference: name
        for name in definitions
        if counts[reference := reference_to(name)] == 1 and isinstance(definitions[name], dict)
    }
    if not alone:
        return schema, {}
    waiting = [name for name in definitions if reference_to(name) not in alone]
    places: dict[str, Path] = {}

    def inline(node: Any, path: Path, depth: int = 0) -> Any:
        if not isinstance(node, dict):
            return node
        name = alone.get(_reference(node))
        if name is None:
            return change_subschemas(
                node, lambda inner, steps: inline(inner, (*path, *steps), depth + 1)
            )
        if depth > _MAX_DEPTH:
            waiting.append(name)
            return node
        places[name] = path
        target = inline(definitions[name], ("$defs", name), depth + 1)
        return _join(target, _annotations(node))

    out: JsonObject = inline(root, ())
    kept: JsonObject = {}
    while waiting:
        name = waiting.pop()
        kept[name] = inline(definitions[name], ("$defs", name))
    if kept:
        out = {**out, "$defs": {name: kept[name] for name in definitions if name in kept}}
    return out, places


def _join(target: JsonObject, annotations: JsonObject) -> JsonObject:
    """Return a definition with the annotations of its place. Different descriptions are joined."""
    out = {**target, **annotations}
    own, place = target.get("description"), annotations.get("description")
    if own and place and own != place:
        out["description"] = f"{place}\n\n{own}"
    return order_members(out)
