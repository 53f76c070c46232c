"""Schema of one level: the values that the level validates, and the keywords that the engine explains."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import UNEVALUATED
from specfn.validation.compile.parts import (
    SchemaPart,
    declared_names,
    is_ambiguous_name,
    is_small,
    own_assertions,
    parts_of,
)
from specfn.validation.explain.schema_shapes import SchemaShapes

#: The maximum number of schemas with subschemas in one level, and of their levels.
_LEVEL_NODES: Final = 64
_DEPTH: Final = 8

#: The maximum number of checks of one value in one level. The engine copies the value for each failure.
_CHECKS: Final = 24

#: The maximum number of groups of nodes that exceed one level.
_GROUPS: Final = 16

#: Keywords that only refer to other nodes. These nodes are listed beside the node itself.
_REFERRING: Final = frozenset({"$ref", "allOf"})


class LevelNode:
    """A value that a level validates, with the nodes that apply to it.

    Attributes:
        node: the prepared node of the value.
        members: the nodes that must all accept the value.
        parts: for each member, its parts that are decided as a whole.
        inside: the inner values, by the index of the member and the path in it.
        order: the declared properties in the document's order.
        number: a number that is unique in the level.
        repeated: whether the node applies to every item of an array.
    """

    __slots__ = ("inside", "members", "node", "number", "order", "parts", "repeated")

    def __init__(
        self, node: Any, shapes: SchemaShapes, number: int = 0, *, repeated: bool = False
    ) -> None:
        """Collect the nodes that apply to one value."""
        self.node = node
        self.number = number
        self.repeated = repeated
        first, *rest = _batches(shapes.conjuncts(node))
        self.members = tuple(first)
        self.parts = [parts_of(member) for member in self.members]
        for group in _join_batches(rest):
            self.parts[-1].append(
                SchemaPart("allOf", shapes.conjunction(group), _without_references(group))
            )
        self.inside: dict[tuple[Any, ...], LevelNode] = {}
        names = (name for member in self.members for name in member.get("properties", ()))
        self.order: Mapping[Any, int] = {
            name: index for index, name in enumerate(dict.fromkeys(names))
        }


class _Subschema(NamedTuple):
    """A subschema for inner values: its path, and the container and the key that hold it."""

    place: tuple[Any, ...]
    holder: Any
    key: Any
    schema: Any


class LevelSchema:
    """A builder of the schema of one level.

    Attributes:
        root: the level's node for the value itself.
        schema: the schema for the engine.
    """

    def __init__(self, node: JsonObject, shapes: SchemaShapes) -> None:
        """Build breadth first, so that nodes near the root are part of the level."""
        self._shapes = shapes
        self._decided_schemas: JsonObject = {}
        self.root = LevelNode(node, shapes)
        self.schema: JsonObject = {"$defs": self._decided_schemas}
        waiting = [(self.root, self.schema, 1, frozenset[int]())]
        room = _LEVEL_NODES
        for level_node, into, depth, around in waiting:  # the loop appends to the list
            outer = around | {id(member) for member in level_node.members}
            pairs = zip(level_node.members, level_node.parts, strict=True)
            into["allOf"] = own = [self._own(*pair) for pair in pairs]
            for place, holder, key, inner in _subschemas(own):
                target = shapes.target(inner)
                if shapes.is_simple(target) and is_small(target):
                    holder[key] = target
                elif room and depth < _DEPTH and self._belongs(target, outer):
                    room -= 1
                    below: JsonObject = {}
                    level_node.inside[place] = LevelNode(
                        inner, shapes, _LEVEL_NODES - room, repeated=place[1] == "items"
                    )
                    holder[key] = below
                    waiting.append((level_node.inside[place], below, depth + 1, outer))
                else:
                    holder[key] = self._decided(inner)

    def _belongs(self, node: Any, outer: frozenset[int]) -> bool:
        """Return whether a node can be part of the level: it is not recursive and has no ``unevaluated*``."""
        conjuncts = self._shapes.conjuncts(node)
        return (
            not self._shapes.is_simple(node)
            and not has_unevaluated(conjuncts)
            and not any(id(member) in outer for member in conjuncts)
        )

    def _own(self, member: JsonObject, parts: list[SchemaPart]) -> JsonObject:
        """Return the keywords of one node. Its subschemas for inner values are replaced later."""
        own = own_assertions(member)
        if "properties" in member:
            own["properties"] = {
                key: inner
                for key, inner in member["properties"].items()
                if not is_ambiguous_name(key)
            }
        own.update({key: member[key] for key in ("items", "contains") if key in member})
        if "prefixItems" in member:
            own["prefixItems"] = list(member["prefixItems"])
        if member.get("additionalProperties") is False:
            names = declared_names(member)
            declared = {**names.pop("properties", {}), **own.pop("properties", {})}
            own.update({"properties": declared, **names, "additionalProperties": False})
        if parts:
            own["allOf"] = [self._decided(part.schema) for part in parts]
        return own

    def _decided(self, schema: Any) -> JsonObject:
        """Return a schema with the same verdict that the engine decides without explaining or copying it."""
        name = str(len(self._decided_schemas))
        self._decided_schemas[name] = schema
        return {"not": {"not": {"$ref": f"#/$defs/{name}"}}}


def has_unevaluated(members: Iterable[JsonObject]) -> bool:
    """Return whether a node has ``unevaluated*``."""
    return any(keyword in member for member in members for keyword in UNEVALUATED)


def _batches(conjuncts: Iterable[JsonObject]) -> list[list[JsonObject]]:
    """Divide the nodes that apply to one value into lists that are validated together; at least one list.

    Each list but the last has a node with own checks at its end, so each contains a part of the work. Nodes with
    ``unevaluated*`` are in the first list, together with the nodes that they refer to.
    """
    batches: list[list[JsonObject]] = [[]]
    weight = 0
    for member in conjuncts:
        added = 0 if has_unevaluated((member,)) else _weight(member)
        if weight and added and weight + added > _CHECKS:
            batches.append([])
            weight = 0
        weight += added
        batches[0 if has_unevaluated((member,)) else -1].append(member)
    return batches


def _weight(member: JsonObject) -> int:
    """Return the number of checks that a node makes of one value; zero for a node that only refers to others."""
    if member.keys() <= _REFERRING:
        return 0
    own = own_assertions(member)
    return len(own) + len(own.get("required", ())) + 1


def _join_batches(batches: list[list[JsonObject]]) -> Iterator[list[JsonObject]]:
    """Join consecutive lists so that few remain. Each is divided again when it is opened."""
    size = -(-len(batches) // _GROUPS)
    for start in range(0, len(batches), size or 1):
        yield [member for pack in batches[start : start + size] for member in pack]


def _without_references(members: Iterable[JsonObject]) -> JsonObject:
    """Return the schema of nodes without their references, which are decided separately."""
    return {
        "allOf": [
            {key: value for key, value in member.items() if key not in _REFERRING}
            for member in members
        ]
    }


def _subschemas(own: list[JsonObject]) -> Iterator[_Subschema]:
    for index, schema in enumerate(own):
        members = schema.get("properties", {})
        for key, inner in members.items():
            yield _Subschema((index, "properties", key), members, key, inner)
        first = schema.get("prefixItems", [])
        for at, inner in enumerate(first):
            yield _Subschema((index, "prefixItems", at), first, at, inner)
        if "items" in schema:
            yield _Subschema((index, "items"), schema, "items", schema["items"])
