"""The schema of one level: the spots that are looked at, and what the engine is to say of each."""

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

#: How many schemas with subschemas make one level, and how deep they may be nested.
_SPOTS: Final = 64
_DEPTH: Final = 8

#: How many checks of one value are made at once: the engine copies the value for each that fails.
_CHECKS: Final = 24

#: The most groups of nodes beyond one level's measure.
_GROUPS: Final = 16

#: Schema keywords that say nothing by themselves: the nodes they lead to are listed beside their own.
_REFERRING: Final = frozenset({"$ref", "allOf"})


class Spot:
    """A value that a level looks at.

    Attributes:
        node: the prepared node that leads here.
        members: the nodes that must hold for the value.
        parts: of each member, what is decided as a whole.
        inside: the spots inside, by the index of the member and the place in it.
        order: the declared properties in the document's order.
        number: tells the spots of a level apart.
        repeated: whether it is of every item of an array.
    """

    __slots__ = ("inside", "members", "node", "number", "order", "parts", "repeated")

    def __init__(
        self, node: Any, shapes: Shapes, number: int = 0, *, repeated: bool = False
    ) -> None:
        """Take apart what must hold for one value."""
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
    """A subschema for values inside: its place in the spot, and the container and key it stands at."""

    place: tuple[Any, ...]
    holder: Any
    key: Any
    schema: Any


class LevelSchema:
    """Builds the schema of one level.

    Attributes:
        root: the spot of the value itself.
        schema: what the engine is to compile.
    """

    def __init__(self, node: JsonObject, shapes: Shapes) -> None:
        """Build breadth first, so that what is near the root is part of the level."""
        self._shapes = shapes
        self._shelf: JsonObject = {}
        self.root = Spot(node, shapes)
        self.schema: JsonObject = {"$defs": self._shelf}
        waiting = [(self.root, self.schema, 1, frozenset[int]())]
        room = _SPOTS
        for spot, into, depth, around in waiting:  # which grows as it goes
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
        """Whether a node can be part of the level: it is not one of those around it, and counts nothing seen."""
        whole = self._shapes.whole(node)
        return (
            not self._shapes.is_simple(node)
            and not counts_seen(whole)
            and not any(id(member) in outer for member in whole)
        )

    def _own(self, member: JsonObject, parts: list[Part]) -> JsonObject:
        """What one node says by itself; the subschemas for values inside are still to be replaced."""
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
        """A schema with the same verdict that the engine only decides, never explains and never copies."""
        name = str(len(self._shelf))
        self._shelf[name] = schema
        return {"not": {"not": {"$ref": f"#/$defs/{name}"}}}


def counts_seen(members: Iterable[JsonObject]) -> bool:
    """Whether a node refuses what the others do not look at."""
    return any(keyword in member for member in members for keyword in UNEVALUATED)


def _packs(whole: Iterable[JsonObject]) -> list[list[JsonObject]]:
    """Divide nodes that must hold together into lists that are looked at together; at least one list.

    A list ends only behind a node that weighs something, so each holds a part of the work. Nodes that count what
    the others look at are in the first list: their own references and branches belong to what they count.
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
    """Return how many checks of one value a node makes; a node that only refers to others makes none."""
    if member.keys() <= _REFERRING:
        return 0
    own = own_assertions(member)
    return len(own) + len(own.get("required", ())) + 1


def _groups(packs: list[list[JsonObject]]) -> Iterator[list[JsonObject]]:
    """Join neighbouring lists so that few are left: each is divided again where it is opened."""
    size = -(-len(packs) // _GROUPS)
    for start in range(0, len(packs), size or 1):
        yield [member for pack in packs[start : start + size] for member in pack]


def _bare(members: Iterable[JsonObject]) -> JsonObject:
    """Return the schema of nodes without the nodes that they refer to, which are decided by themselves."""
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
