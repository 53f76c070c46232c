"""The members of a documented response that describe pages: arrays, and scalars in known containers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.pointer import unescape
from specfn.migrate.paging.paging_words import CONTAINERS, ITEMS, joined, words_of
from specfn.migrate.paging.record import Names

#: The maximum number of schemas that are read as one, of members that are read of one response, and of their depth.
_COMBINED: Final = 60
_MOST: Final = 600
_DEPTH: Final = 3

_COMPONENT: Final = "#/components/schemas/"
_UNIONS: Final = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class ScalarMember:
    """A member of a response.

    Attributes:
        path: its names from the root.
        types: its JSON types; empty if any type is valid.
        schema: its schema, with references followed.
    """

    path: Names
    types: frozenset[str]
    schema: JsonObject

    @property
    def name(self) -> str:
        """Return the last name."""
        return self.path[-1]


@dataclass(slots=True)
class ResponseMembers:
    """The members of a response.

    Attributes:
        scalars: the members that are no containers.
        arrays: the arrays, with the members of their items.
    """

    scalars: list[ScalarMember] = field(default_factory=list)
    arrays: list[tuple[Names, frozenset[str]]] = field(default_factory=list)

    def items(self) -> Names | None:
        """Return the array of items; ``None`` if there is no array, or no single probable one."""
        if len(self.arrays) == 1 or any(not path for path, _ in self.arrays):
            return min((path for path, _ in self.arrays), key=len)
        for name in ITEMS:
            named = [path for path, _ in self.arrays if joined(path[-1]) == name]
            if named:
                return min(named, key=len)
        objects = [path for path, members in self.arrays if members]
        return objects[0] if len(objects) == 1 else None


class DocumentSchemas:
    """Schemas of a normalized document, read without composing them."""

    def __init__(self, components: JsonObject) -> None:
        """Take the schemas of ``components``."""
        self._components = components

    def parts(self, schema: Any) -> Iterator[JsonObject]:
        """Yield a schema and the schemas that it combines, with references followed."""
        waiting, seen = [schema], set[int]()
        while waiting and len(seen) < _COMBINED:
            node = waiting.pop(0)
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(_COMPONENT):
                waiting.append(self._components.get(unescape(reference[len(_COMPONENT) :])))
            for key in _UNIONS:
                parts = node.get(key)
                waiting.extend(parts if isinstance(parts, list) else ())

    def types(self, schema: Any) -> frozenset[str]:
        """Return the types of a schema without null; empty if any type is valid."""
        found: set[str] = set()
        for part in self.parts(schema):
            declared = part.get("type")
            found.update([declared] if isinstance(declared, str) else declared or ())
            if "properties" in part:
                found.add("object")
        return frozenset(found - {"null"})

    def members(self, schema: Any) -> dict[str, Any]:
        """Return the declared properties of a schema."""
        found: dict[str, Any] = {}
        for part in self.parts(schema):
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, dict) else ():
                found.setdefault(name, inner)
        return found

    def first(self, schema: Any, keyword: str) -> Any:
        """Return the first value of a keyword in a schema and in the schemas that it combines."""
        return next((part[keyword] for part in self.parts(schema) if keyword in part), None)


def response_members(schema: Any, schemas: DocumentSchemas) -> ResponseMembers:
    """Return the members of a response that may describe pages."""
    found = ResponseMembers()
    waiting: list[tuple[Names, Any]] = [((), schema)]
    for _ in range(_MOST):
        if not waiting:
            break
        path, node = waiting.pop(0)
        types = schemas.types(node)
        if "array" in types:
            items = schemas.first(node, "items")
            found.arrays.append((path, frozenset(schemas.members(items))))
        elif "object" in types and (not path or (len(path) < _DEPTH and _is_container(path[-1]))):
            waiting.extend(((*path, name), inner) for name, inner in schemas.members(node).items())
        elif path and "object" not in types:
            found.scalars.append(ScalarMember(path, types, node if isinstance(node, dict) else {}))
    return found


def _is_container(name: str) -> bool:
    return joined(name) in CONTAINERS or words_of(name)[:1] == ("next",)
