"""Inlining of definitions that a schema uses once, because that is shorter and easier to read."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.schema.compose.names import reference_to
from specfn.schema.profiles.postprocess import Path, mapped
from specfn.schema.render.fragment import ordered

#: The deepest nesting at which definitions are inlined.
_DEEPEST: Final = 30


def placed(schema: JsonObject) -> tuple[JsonObject, dict[str, Path]]:
    """Return a schema in which definitions with a single reference are inlined.

    A recursive definition has two references or is unused, so it stays.

    Args:
        schema: as a provider is shown it, with its ``$defs``.

    Returns:
        The schema, and where each of those definitions went: its path in the schema as it was.
    """
    definitions = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    counts = Counter(_references([root, *definitions.values()]))
    alone = {
        reference: name
        for name in definitions
        if counts[reference := reference_to(name)] == 1 and isinstance(definitions[name], dict)
    }
    if not alone:
        return schema, {}
    return _Placer(definitions, alone).whole(root)


class _Placer:
    def __init__(self, definitions: JsonObject, alone: dict[str, str]) -> None:
        self._definitions = definitions
        self._alone = alone
        self._waiting: list[str] = []
        self._places: dict[str, Path] = {}

    def whole(self, root: JsonObject) -> tuple[JsonObject, dict[str, Path]]:
        out: JsonObject = self._put(root, (), 0)
        self._waiting += [
            name for name in self._definitions if reference_to(name) not in self._alone
        ]
        kept: JsonObject = {}
        while self._waiting:
            name = self._waiting.pop()
            kept[name] = self._put(self._definitions[name], ("$defs", name), 0)
        if kept:
            out = {**out, "$defs": {name: kept[name] for name in self._definitions if name in kept}}
        return out, self._places

    def _put(self, node: Any, path: Path, depth: int) -> Any:
        """Return a schema with definitions in the places of their references."""
        if not isinstance(node, dict):
            return node
        name = self._alone.get(_reference(node))
        if name is None:
            return mapped(node, lambda inner, steps: self._put(inner, (*path, *steps), depth + 1))
        if depth > _DEEPEST:
            self._waiting.append(name)
            return node
        self._places[name] = path
        annotations = {key: value for key, value in node.items() if key not in {"$ref", "anyOf"}}
        return _joined(self._put(self._definitions[name], ("$defs", name), depth + 1), annotations)


def _reference(node: JsonObject) -> str:
    """Return the reference that a schema contains directly or as its only branch, or an empty text."""
    branches = node.get("anyOf", ())
    inner = branches[0] if len(branches) == 1 and isinstance(branches[0], dict) else node
    reference: str = inner.get("$ref", "")
    return reference


def _joined(target: JsonObject, annotations: JsonObject) -> JsonObject:
    """Return a definition with the annotations of its place. Different descriptions are joined."""
    out = {**target, **annotations}
    own, place = target.get("description"), annotations.get("description")
    if own and place and own != place:
        out["description"] = f"{place}\n\n{own}"
    return ordered(out)


def _references(schemas: list[Any]) -> Iterator[str]:
    """Yield every reference in some schemas, once per occurrence."""
    waiting = [*schemas]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        waiting += node.get("properties", {}).values()
        waiting += node.get("anyOf", ())
        waiting += [node[key] for key in ("items", "additionalProperties") if key in node]
