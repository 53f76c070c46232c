"""One schema and all that it holds, asked about: which places are a person's (rule S1)."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

from specfn._json import JsonObject
from specfn._pointer import escape
from specfn.function.spots import LEAF, NEUTRAL, UNIONS, Claim, Key, Spot
from specfn.human import Location
from specfn.schema.nodes import types_of
from specfn.schema.walk import SUBSCHEMAS

#: Conditions and leftovers that speak of the same value; nothing below them can be taken apart.
IN_PLACE: Final = ("allOf", "then", "else", "dependentSchemas")
#: What is only asked of a value, or holds for all of its members.
ASKED: Final = (
    *("not", "if", "contains", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)


_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})


class Asker(Protocol):
    """Knows the predicate, and what references mean."""

    def ask(self, node: JsonObject, location: Location, pointer: str, name: str | None) -> bool:
        """Whether a person fills a place."""

    def key(self, reference: str, location: Location) -> Key | None:
        """The definition that a reference means, asked in time; ``None`` for one that leads nowhere."""


class Walk:
    """Asks about one tree; what it refers to is left to its own turn."""

    def __init__(
        self, asker: Asker, location: Location, order: list[Spot], claims: set[Claim]
    ) -> None:
        """Begin a tree.

        Args:
            asker: knows the predicate, and what references mean.
            location: where the values of the tree go.
            order: where the spots of the tree are put, from the leaves up.
            claims: where the places are put that are a person's.
        """
        self._asker = asker
        self._location = location
        self._order = order
        self._claims = claims

    def root(self, node: Any, pointer: str) -> Spot:
        """The root of a definition: whoever refers to it has asked about it."""
        if _is_neutral(node):
            return NEUTRAL
        if not isinstance(node, dict) or ("$ref" not in node and SUBSCHEMAS.isdisjoint(node)):
            return LEAF
        return self._reference(node) if "$ref" in node else self._parts(node, pointer, None)

    def spot(self, node: Any, pointer: str, name: str | None) -> Spot:
        """One schema, asked about, and everything below it."""
        if node is False:
            return NEUTRAL
        schema = node if isinstance(node, dict) else {}
        if self._asker.ask(schema, self._location, pointer, name):
            self._claims.add((self._location, pointer))
            return self._made(Spot(node, claimed=True))
        if _is_neutral(schema):
            return NEUTRAL
        if "$ref" in schema:
            return self._reference(schema)
        return LEAF if SUBSCHEMAS.isdisjoint(schema) else self._parts(schema, pointer, name)

    def _reference(self, node: JsonObject) -> Spot:
        key = self._asker.key(node["$ref"], self._location)
        if key is None:
            return LEAF
        spot = self._made(Spot(node))
        spot.key = key
        return spot

    def _made(self, spot: Spot) -> Spot:
        self._order.append(spot)
        return spot

    def _parts(self, node: JsonObject, pointer: str, name: str | None) -> Spot:
        kinds, _ = types_of(node)
        spot = Spot(node, leaf=any(kind in _SCALARS for kind in kinds))
        self._members(spot, node, pointer)
        for keyword in UNIONS:
            if keyword in node:
                spot.unions[keyword] = self._list(node[keyword], f"{pointer}/{keyword}", name)
        for keyword in (*IN_PLACE, *ASKED):
            if keyword in node:
                spot.others += self._other(node[keyword], keyword, f"{pointer}/{keyword}", name)
        below = list(spot.below())
        if all(each is LEAF or each is NEUTRAL for each in below):
            return LEAF  # it has no part that needs another look
        return self._made(spot)

    def _members(self, spot: Spot, node: JsonObject, pointer: str) -> None:
        for name, item in node.get("properties", {}).items():
            place = f"{pointer}/properties/{escape(name)}"
            spot.properties[name] = self.spot(item, place, name)
        for pattern, item in node.get("patternProperties", {}).items():
            place = f"{pointer}/patternProperties/{escape(pattern)}"
            spot.patterns[pattern] = self.spot(item, place, None)
        rest = node.get("additionalProperties")
        if isinstance(rest, dict) and rest:
            spot.additional = self.spot(rest, f"{pointer}/additionalProperties", None)
        spot.prefix = self._list(node.get("prefixItems", ()), f"{pointer}/prefixItems", None)
        if "items" in node:
            spot.items = self.spot(node["items"], f"{pointer}/items", None)

    def _list(self, nodes: Iterable[Any], pointer: str, name: str | None) -> list[Spot]:
        return [self.spot(node, f"{pointer}/{index}", name) for index, node in enumerate(nodes)]

    def _other(self, value: Any, keyword: str, pointer: str, name: str | None) -> list[Spot]:
        """What stands below a keyword that is not taken apart; only conditions hold parts of the model."""
        if isinstance(value, list):
            found = self._list(value, pointer, name)
        elif keyword == "dependentSchemas":
            places = {key: f"{pointer}/{escape(key)}" for key in value}
            found = [self.spot(node, places[key], name) for key, node in value.items()]
        else:
            found = [self.spot(value, pointer, name)]
        return found if keyword in IN_PLACE else [each for each in found if each is not LEAF]


def _is_neutral(node: Any) -> bool:
    """Whether a schema takes nothing, or nothing but null: neither side needs a place for that."""
    if not isinstance(node, dict):
        return node is False
    if not SUBSCHEMAS.isdisjoint(node):
        return False
    kind = node.get("type")
    return kind in ("null", ["null"]) or node.get("enum") == [None] or node.get("const", 0) is None
