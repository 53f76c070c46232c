"""Properties of one direction: ``readOnly`` for responses, ``writeOnly`` for requests (rule F11)."""

import re
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import component_of

Direction = Literal["request", "response"]

#: The keyword that excludes a property from a direction (OpenAPI, Schema Object, fixed fields).
_FOREIGN: dict[Direction, str] = {"request": "readOnly", "response": "writeOnly"}

#: The names of properties that identify an object, so that a request can refer to it.
_IDENTIFIER: Final = re.compile(r"id|type|key|ref|name|href|self|.*(?:Id|_id)", re.DOTALL)

#: The keywords that may give an object other properties than its own.
_UNIONS: Final = ("anyOf", "oneOf")
_OTHERS: Final = frozenset(
    ("$ref", "allOf", "dependentSchemas", "else", "patternProperties", "then")
)
_OBJECT_PARTS: Final = frozenset(("$ref", "allOf", "anyOf", "oneOf", "properties"))

_REFERRING = frozenset(("$ref", "allOf"))

#: Returns the reference to a component, or to a variant of it that does not require some properties.
Relieve = Callable[[str, Collection[str]], str]


class Foreign:
    """The properties that one direction must not contain."""

    def __init__(self, schemas: JsonObject, direction: Direction | None) -> None:
        self._schemas = schemas
        self.is_request = direction == "request"
        self._flag = "" if direction is None else _FOREIGN[direction]
        self._known: dict[str, bool] = {}

    def properties(self, node: JsonObject) -> Collection[str]:
        """Return the properties of a schema that only the other direction may contain."""
        if not self._flag:
            return []
        return {
            name
            for name, item in node.get("properties", {}).items()
            if item.__class__ is dict and self._is_foreign(item)
        }

    def identifiers(self, node: JsonObject, hidden: Collection[str]) -> Collection[str]:
        """Return the hidden properties by which a request refers to a nested object, such as ``id`` and ``type``.

        There are none if the object has other properties.
        """
        if not self.is_request or has_visible_properties(node, hidden) or _has_others(node):
            return ()
        return {name for name in hidden if _IDENTIFIER.fullmatch(name)}

    def _is_foreign(self, node: JsonObject) -> bool:
        """Return whether a property or a component that it refers to belongs to the other direction."""
        if _REFERRING.isdisjoint(node):
            return node.get(self._flag) is True
        is_marked, names = self._mark_and_components(node)
        return is_marked or any(map(self._is_foreign_component, names))

    def _is_foreign_component(self, start: str) -> bool:
        if start not in self._known:
            seen = {start: None}
            waiting = [start]
            is_marked = False
            while waiting and not is_marked:
                is_marked, names = self._mark_and_components(self._schemas[waiting.pop()])
                is_marked = is_marked or any(self._known.get(inner, False) for inner in names)
                new = [inner for inner in names if inner not in seen and inner not in self._known]
                seen.update(dict.fromkeys(new))
                waiting.extend(new)
            self._known[start] = is_marked
            if not is_marked:
                self._known.update(dict.fromkeys(seen, False))
        return self._known[start]

    def _mark_and_components(self, node: Any) -> tuple[bool, list[str]]:
        """Return whether a schema or its parts belong to the other direction, and the components that it refers to."""
        is_marked = False
        names: list[str] = []
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                is_marked = is_marked or part.get(self._flag) is True
                name = component_of(part.get("$ref"))
                if name is not None and name in self._schemas:
                    names.append(name)
                waiting.extend(part.get("allOf", ()))
        return is_marked, names


def has_visible_properties(node: JsonObject, hidden: Collection[str]) -> bool:
    """Return whether a schema declares a property that is not hidden."""
    properties = node.get("properties", {})
    return any(name not in hidden and item is not False for name, item in properties.items())


def _has_others(node: JsonObject) -> bool:
    """Return whether an object has properties that are declared elsewhere than in its own ``properties``."""
    if not _OTHERS.isdisjoint(node) or node.get("additionalProperties", True) not in (
        True,
        False,
        {},
    ):
        return True
    branches = [branch for key in _UNIONS for branch in node.get(key, ())]
    return any(
        isinstance(branch, dict) and not _OBJECT_PARTS.isdisjoint(branch) for branch in branches
    )


def without_required(node: JsonObject, hidden: Collection[str], relieve: Relieve) -> JsonObject:
    """Return the changed keywords of a node that no longer require the hidden properties."""
    changed: JsonObject = {}
    if any(name in hidden for name in node.get("required", ())):
        changed["required"] = [name for name in node["required"] if name not in hidden]
    dependents = node.get("dependentRequired")
    if dependents:
        changed["dependentRequired"] = {
            key: [name for name in names if name not in hidden] for key, names in dependents.items()
        }
    for key in ("allOf", "anyOf", "oneOf"):
        if key in node:
            changed[key] = [relax(branch, hidden, relieve) for branch in node[key]]
    for key in ("then", "else"):
        if key in node:
            changed[key] = relax(node[key], hidden, relieve)
    if "dependentSchemas" in node:
        changed["dependentSchemas"] = {
            key: relax(branch, hidden, relieve) for key, branch in node["dependentSchemas"].items()
        }
    return {key: value for key, value in changed.items() if value != node[key]}


def relax(branch: Any, hidden: Collection[str], relieve: Relieve) -> Any:
    """Return a schema, applied in place, that does not require the hidden properties."""
    if not isinstance(branch, dict):
        return branch
    changed = without_required(branch, hidden, relieve)
    if "$ref" in branch:
        changed["$ref"] = relieve(branch["$ref"], hidden)
    return {**branch, **changed} if changed else branch


def asked_in_place(node: Any) -> tuple[list[str], list[str]]:
    """Return the properties that a schema may require of its own value, and the references that it applies to it."""
    names: list[str] = []
    references: list[str] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        names += part.get("required", ())
        names += [name for more in part.get("dependentRequired", {}).values() for name in more]
        if "$ref" in part:
            references.append(part["$ref"])
        waiting += [item for key in ("allOf", "anyOf", "oneOf") for item in part.get(key, ())]
        waiting += [part[key] for key in ("then", "else") if key in part]
        waiting += part.get("dependentSchemas", {}).values()
    return names, references
