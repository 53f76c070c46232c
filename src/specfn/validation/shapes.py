"""What a prepared schema says of a value at a glance: its parts, its types, its constants (rule V4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from specfn._json import JsonObject
from specfn.validation.keywords import APPLICATORS
from specfn.validation.prepare import REFERENCE, Prepared

#: Unions within unions deeper than this are taken as open.
_DEPTH: Final = 16

_SCALARS: Final = (str, int, float, bool, type(None))

_PYTHON_TYPES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    list: "array",
    dict: "object",
    type(None): "null",
}


def type_of(value: Any) -> str:
    """The JSON Schema type of a sound value, the narrowest there is."""
    if type(value) is float:
        return "integer" if value.is_integer() else "number"
    return _PYTHON_TYPES[type(value)]


def same(left: Any, right: Any) -> bool:
    """Whether two scalars are the same JSON value: ``1`` is ``1.0`` and not ``true``."""
    return (type(left) is bool) is (type(right) is bool) and bool(left == right)


def contains(values: Iterable[Any], value: Any) -> bool:
    """Whether a value is among constants."""
    return any(same(item, value) for item in values)


class Shapes:
    """Facts about the nodes of one prepared schema, each found once."""

    def __init__(self, prepared: Prepared) -> None:
        """Read the facts of a schema."""
        self._definitions = prepared.definitions
        self._wholes: dict[int, tuple[JsonObject, ...]] = {}
        self._conjunctions: dict[tuple[int, ...], JsonObject] = {}
        self._required: dict[int, frozenset[str]] = {}
        self._owners: dict[int, dict[str, dict[str, None]]] = {}
        self._members: dict[int, dict[str, Any]] = {}
        self._types: dict[int, frozenset[str] | None] = {}
        self._constants: dict[int, Mapping[str, Sequence[Any]]] = {}

    def target(self, node: Any) -> Any:
        """The node that a reference and nothing else leads to; the node itself otherwise."""
        while isinstance(node, dict) and node.keys() == {"$ref"}:
            node = self._definitions[node["$ref"][len(REFERENCE) :]]
        return node

    def whole(self, node: Any) -> tuple[JsonObject, ...]:
        """A node and every node that must hold with it for the same value: by ``$ref`` and ``allOf``."""
        if not isinstance(node, dict):
            return ()
        found = self._wholes.get(id(node))
        if found is None:
            found = self._wholes[id(node)] = tuple(self._gather(node))
        return found

    def conjunction(self, members: Sequence[JsonObject]) -> JsonObject:
        """Return the one node whose whole is exactly the given nodes, without those that they refer to."""
        key = tuple(map(id, members))
        node = self._conjunctions.get(key)
        if node is None:
            node = self._conjunctions[key] = {"allOf": list(members)}
            self._wholes[id(node)] = tuple(members)
        return node

    def is_simple(self, node: Any) -> bool:
        """Whether a node looks at nothing but the value itself."""
        return not isinstance(node, dict) or APPLICATORS.isdisjoint(node)

    def required(self, node: Any) -> frozenset[str]:
        """The properties that must be given."""
        if not isinstance(node, dict):
            return frozenset()
        found = self._required.get(id(node))
        if found is None:
            found = frozenset(
                name for part in self.whole(node) for name in part.get("required", ())
            )
            self._required[id(node)] = found
        return found

    def owners(self, node: Any) -> dict[str, dict[str, None]]:
        """The properties of a node that are objects, by the properties that they declare in turn."""
        if not isinstance(node, dict):
            return {}
        found = self._owners.get(id(node))
        if found is None:
            found = self._owners[id(node)] = {}
            for part in self.whole(node):
                for name, schema in part.get("properties", {}).items():
                    for below in self.declared(schema):
                        found.setdefault(below, {})[name] = None
        return found

    def declared(self, node: Any) -> Iterator[str]:
        """The properties that may be given, by their names."""
        for part in self.whole(node):
            properties = part.get("properties", {}).items()
            yield from (name for name, schema in properties if schema is not False)

    def members(self, node: Any) -> Mapping[str, Any]:
        """Return the schemas that a node declares for properties, the first of each name."""
        if not isinstance(node, dict):
            return {}
        found = self._members.get(id(node))
        if found is None:
            found = self._members[id(node)] = {}
            for part in self.whole(node):
                for name, schema in part.get("properties", {}).items():
                    found.setdefault(name, schema)
        return found

    def types(self, node: Any, depth: int = _DEPTH) -> frozenset[str] | None:
        """The types of the values that a node can accept; ``None`` for any."""
        if not isinstance(node, dict):
            return None if node is not False else frozenset()
        if depth <= 0:
            return None
        if id(node) not in self._types:
            found: frozenset[str] | None = None
            for part in self.whole(node):
                for types in self._said(part, depth):
                    found = types if found is None else found & types
            self._types[id(node)] = found
        return self._types[id(node)]

    def values(self, node: Any, depth: int = 2) -> Sequence[Any] | None:
        """The constants that a node accepts, its branches taken together; ``None`` if it accepts others, too."""
        for part in self.whole(node):
            if "const" in part:
                return (part["const"],)
            if isinstance(part.get("enum"), list):
                enum: list[Any] = part["enum"]
                return enum
            for keyword in ("anyOf", "oneOf") if depth else ():
                branches = [self.values(branch, depth - 1) for branch in part.get(keyword, ())]
                if branches and None not in branches:
                    return [value for values in branches for value in values or ()]
        return None

    def constants(self, node: Any) -> Mapping[str, Sequence[Any]]:
        """The properties of a node that take only scalar constants: what may tell branches apart."""
        found = self._constants.get(id(node))
        if found is None:
            found = self._constants[id(node)] = dict(self._tags(node))
        return found

    def branches(self, node: JsonObject, keyword: str) -> list[Any]:
        """The alternatives of a union, those of unions within it included, each once."""
        found: dict[int, Any] = {}
        seen: set[int] = set()
        waiting = list(reversed(node[keyword]))
        while waiting:
            branch = self.target(waiting.pop())
            if not isinstance(branch, dict) or id(branch) in seen:
                continue
            seen.add(id(branch))
            inner = next((key for key in ("anyOf", "oneOf") if branch.keys() == {key}), None)
            if inner is None:
                found[id(branch)] = branch
            else:
                waiting.extend(reversed(branch[inner]))
        return list(found.values())

    def _gather(self, node: JsonObject) -> Iterator[JsonObject]:
        waiting: list[Any] = [node]
        seen: set[int] = set()
        while waiting:
            part = waiting.pop()
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            waiting.extend(reversed(part.get("allOf", ())))
            if "$ref" in part:
                waiting.append(self._definitions[part["$ref"][len(REFERENCE) :]])

    def _said(self, part: JsonObject, depth: int) -> Iterator[frozenset[str]]:
        declared = part.get("type")
        if declared is not None:
            names = [declared] if isinstance(declared, str) else declared
            yield frozenset(names) | ({"integer"} if "number" in names else frozenset())
        if "const" in part:
            yield frozenset((type_of(part["const"]),))
        if "enum" in part:
            yield frozenset(map(type_of, part["enum"]))
        for keyword in ("anyOf", "oneOf"):
            if keyword in part:
                branches = [self.types(branch, depth - 1) for branch in part[keyword]]
                if None not in branches:
                    yield frozenset().union(*(types for types in branches if types is not None))

    def _tags(self, node: Any) -> Iterator[tuple[str, Sequence[Any]]]:
        for part in self.whole(node):
            for name, schema in part.get("properties", {}).items():
                values = self.values(schema)
                if values is not None and all(type(value) in _SCALARS for value in values):
                    yield name, values
