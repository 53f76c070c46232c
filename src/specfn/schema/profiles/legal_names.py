"""Replacement of the names of properties that a provider refuses (rule R14), and of definitions that few readers escape."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject
from specfn.schema.compose.names import reference_to
from specfn.schema.profiles.postprocess import change_subschemas
from specfn.schema.profiles.profile import MAX_NAME, Profile, longest_name
from specfn.schema.walk import walk

#: The maximum number of tries for a free name. A function whose names do not fit is left out.
_MAX_TRIES: Final = 1_000


#: A name that needs no escape in any reader's idea of a reference.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+\Z")


class PropertyNames:
    """The property names that a profile refuses. Each definition is searched once."""

    def __init__(self, profile: Profile) -> None:
        self._root = _matcher(profile.root_key)
        self._nested = _matcher(profile.nested_key)
        self._longest = min(
            longest_name(pattern)
            for pattern in (profile.root_key, profile.nested_key, "")
            if pattern is not None
        )
        self._refused: dict[int, tuple[Any, tuple[str, ...]]] = {}

    def aliases(self, schema: JsonObject, definitions: JsonObject) -> dict[str, str]:
        """Return a replacement for each refused name, in the order of the document."""
        refused = list(self._of_root(schema))
        for node in definitions.values():
            refused += self._of(node)
        if not refused:
            return {}
        schemas = [schema, *definitions.values()]
        taken = {name for part in schemas for node in walk(part) for name in _names_of(node)}
        aliases: dict[str, str] = {}
        for name in dict.fromkeys(refused):
            aliases[name] = alias(name, taken, self._longest)
            taken.add(aliases[name])
        return aliases

    def _of_root(self, schema: JsonObject) -> Iterator[str]:
        if self._root is not None:
            yield from (name for name in _names_of(schema) if not self._root.fullmatch(name))
        if self._nested is not None:
            for node in walk(schema):
                if node is not schema:
                    yield from _unfit(self._nested, _names_of(node))

    def _of(self, node: Any) -> tuple[str, ...]:
        """Return the refused names of a nested schema, which are cached."""
        if self._nested is None:
            return ()
        known = self._refused.get(id(node))
        if known is None:
            names = (
                name for inner in walk(node) for name in _unfit(self._nested, _names_of(inner))
            )
            known = self._refused[id(node)] = (node, tuple(names))
        return known[1]


def _matcher(pattern: str | None) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(pattern)


def _names_of(node: JsonObject) -> Iterable[str]:
    properties = node.get("properties")
    return properties if isinstance(properties, dict) else ()


def _unfit(pattern: re.Pattern[str], names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if not pattern.fullmatch(name))


def alias(name: str, taken: Iterable[str], most: int = MAX_NAME) -> str:
    """Return a replacement for a name: letters, digits and underscores, different from all taken names.

    It has at most ``most`` characters.
    """
    legal = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    if legal[0].isdigit():
        legal = f"_{legal}"
    if len(legal) > most:
        legal = _abbreviate(legal, short_digest(name), most)
    for _ in range(_MAX_TRIES):
        if legal not in taken:
            break
        legal = f"_{legal}" if len(legal) < most else _abbreviate(legal, short_digest(legal), most)
    return legal


def _abbreviate(name: str, ending: str, most: int) -> str:
    """Return a name of at most this number of characters with another ending."""
    return f"{name[: max(0, most - 1 - len(ending))]}_{ending}"[:most]


def rename_properties(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema with declared properties under other names; the same object if no name changes."""
    if not isinstance(schema, dict):
        return schema
    out = change_subschemas(schema, lambda inner, _: rename_properties(inner, names))
    properties = out.get("properties", {})
    if names.keys().isdisjoint(properties):
        return out
    out = {**out, "properties": {names.get(key, key): item for key, item in properties.items()}}
    if "required" in out:
        out["required"] = [names.get(name, name) for name in out["required"]]
    return out


def label_plainly(schema: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Return a schema whose definitions have plain names, and these names by those that were not plain."""
    taken = set(schema.get("$defs", ()))
    labels: dict[str, str] = {}
    for name in schema.get("$defs", ()):
        if not _PLAIN.match(name):
            labels[name] = alias(name.strip("<>'"), taken)
            taken.add(labels[name])
    if not labels:
        return schema, labels
    references = {reference_to(name): reference_to(label) for name, label in labels.items()}
    out = {**_refer(schema, references)}
    out["$defs"] = {labels.get(name, name): node for name, node in out["$defs"].items()}
    return out, labels


def _refer(node: Any, references: Mapping[str, str]) -> Any:
    """Return a schema whose references have other names."""
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**node, "$ref": references.get(node["$ref"], node["$ref"])}
    return change_subschemas(node, lambda inner, _: _refer(inner, references))
