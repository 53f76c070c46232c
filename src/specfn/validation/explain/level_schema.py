"""Schema of one level: the values that the level validates, and the keywords that the engine explains."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import UNEVALUATED
from specfn.validation.compile.parts import (
    Part,
    is_light,
    is_odd,
    names_only,
    own_assertions,
    parts_of,
)
from specfn.validation.explain.schema_shapes import Shapes

#: The most schemas with subschemas in one level, and their most levels.
_SPOTS: Final = 64
_DEPTH: Final = 8

#: The most checks of one value in one level. The engine copies the value for each failure.
_CHECKS: Final = 24

#: The most groups of nodes that exceed one level.
_GROUPS: Final = 16

#: Keywords that only refer to other nodes. These nodes are listed beside the node itself.
_REFERRING: Final = frozenset({"$ref", "allOf"})


class Spot:
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
        self, node: Any, shapes: Shapes, number: int = 0, *, repeated: bool = False
    ) -> None:
        """Collect the nodes that apply to one value."""
        self.node = node
        self.number = number
        self.repeated = repeated
        first, *rest = _packs(shapes.whole(node))
        self.members = tuple(first)
        self.parts = [parts_of(member) for member in self.members]
        for group in _groups(rest):
            self.parts[-1].append(Part("allOf", shapes.conjunction(group), _bare(group)))
        self.inside: dict[tuple[Any, ...], Spot] = {}
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

    def __init__(self, node: JsonObject, shapes: Shapes) -> None:
        """Build breadth first, so that nodes near the root are part of the level."""
        self._shapes = shapes
        self._shelf: JsonObject = {}
        self.root = Spot(node, shapes)
        self.schema: JsonObject = {"$defs": self._shelf}
        waiting = [(self.root, self.schema, 1, frozenset[int]())]
        room = _SPOTS
        for spot, into, depth, around in waiting:  # the loop appends to the list
            outer = around | {id(member) for member in spot.members}
            pairs = zip(spot.members, spot.parts, strict=True)
            into["allOf"] = own = [self._own(*pair) for pair in pairs]
            for place, holder, key, inner in _subschemas(own):
                target = shapes.target(inner)
                if shapes.is_simple(target) and is_light(target):
                    holder[key] = target
                elif room and depth < _DEPTH and self._belongs(target, outer):
                    room -= 1
                    below: JsonObject = {}
                    spot.inside[place] = Spot(
                        inner, shapes, _SPOTS - room, repeated=place[1] == "items"
                    )
                    holder[key] = below
                    waiting.append((spot.inside[place], below, depth + 1, outer))
                else:
                    holder[key] = self._decided(inner)

    def _belongs(self, node: Any, outer: frozenset[int]) -> bool:
        """Return whether a node can be part of the level: it is not recursive and has no ``unevaluated*``."""
        whole = self._shapes.whole(node)
        return (
            not self._shapes.is_simple(node)
            and not counts_seen(whole)
            and not any(id(member) in outer for member in whole)
        )

    def _own(self, member: JsonObject, parts: list[Part]) -> JsonObject:
        """Return the keywords of one node. Its subschemas for inner values are replaced later."""
        own = own_assertions(member)
        if "properties" in member:
            own["properties"] = {
                key: inner for key, inner in member["properties"].items() if not is_odd(key)
            }
        own.update({key: member[key] for key in ("items", "contains") if key in member})
        if "prefixItems" in member:
            own["prefixItems"] = list(member["prefixItems"])
        if member.get("additionalProperties") is False:
            names = names_only(member)
            declared = {**names.pop("properties", {}), **own.pop("properties", {})}
            own.update({"properties": declared, **names, "additionalProperties": False})
        if parts:
            own["allOf"] = [self._decided(part.schema) for part in parts]
        return own

    def _decided(self, schema: Any) -> JsonObject:
        """Return a schema with the same verdict that the engine decides without explaining or copying it."""
        name = str(len(self._shelf))
        self._shelf[name] = schema
        return {"not": {"not": {"$ref": f"#/$defs/{name}"}}}


def counts_seen(members: Iterable[JsonObject]) -> bool:
    """Return whether a node has ``unevaluated*``."""
    return any(keyword in member for member in members for keyword in UNEVALUATED)


def _packs(whole: Iterable[JsonObject]) -> list[list[JsonObject]]:
    """Divide the nodes that apply to one value into lists that are validated together; at least one list.

    Each list but the last has a node with own checks at its end, so each contains a part of the work. Nodes with
    ``unevaluated*`` are in the first list, together with the nodes that they refer to.
    """
    packs: list[list[JsonObject]] = [[]]
    weight = 0
    for member in whole:
        added = 0 if counts_seen((member,)) else _weight(member)
        if weight and added and weight + added > _CHECKS:
            packs.append([])
            weight = 0
        weight += added
        packs[0 if counts_seen((member,)) else -1].append(member)
    return packs


def _weight(member: JsonObject) -> int:
    """Return the number of checks that a node makes of one value; zero for a node that only refers to others."""
    if member.keys() <= _REFERRING:
        return 0
    own = own_assertions(member)
    return len(own) + len(own.get("required", ())) + 1


def _groups(packs: list[list[JsonObject]]) -> Iterator[list[JsonObject]]:
    """Join consecutive lists so that few remain. Each is divided again when it is opened."""
    size = -(-len(packs) // _GROUPS)
    for start in range(0, len(packs), size or 1):
        yield [member for pack in packs[start : start + size] for member in pack]


def _bare(members: Iterable[JsonObject]) -> JsonObject:
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
