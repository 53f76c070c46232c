"""Application of a predicate to a schema and all its subschemas, to find the human's places (rule S1)."""

from collections.abc import Iterable
from typing import Any, Final, Protocol

from specfn._internal.json import JsonObject
from specfn._internal.pointer import escape
from specfn.function.separation.places import LEAF, NEUTRAL, UNIONS, ArgumentPlace, Claim, Key
from specfn.human import Location
from specfn.schema.compose.root_facts import types_of
from specfn.schema.walk import SUBSCHEMAS

#: Keywords that apply to the same value. Nothing below them can be split.
IN_PLACE: Final = ("allOf", "then", "else", "dependentSchemas")
#: Keywords that only test a value, or apply to all of its members.
ASKED: Final = (
    *("not", "if", "contains", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)


_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})


class PredicateCaller(Protocol):
    """A caller of the predicate that also resolves references."""

    def ask(self, node: JsonObject, location: Location, pointer: str, name: str | None) -> bool:
        """Return whether the human fills a place."""

    def key(self, reference: str, location: Location) -> Key | None:
        """Return the definition that a reference names, and queue it; ``None`` if it leads nowhere."""


class PredicateWalk:
    """A walk over one tree that applies the predicate. Referenced definitions are walked separately."""

    def __init__(
        self,
        asker: PredicateCaller,
        location: Location,
        order: list[ArgumentPlace],
        claims: set[Claim],
    ) -> None:
        """Create the walk of a tree.

        Args:
            asker: applies the predicate and resolves references.
            location: the location of the values in the request.
            order: the list to which the places of the tree are added, from the leaves up.
            claims: the set to which the places of the human are added.
        """
        self._asker = asker
        self._location = location
        self._order = order
        self._claims = claims

    def root(self, node: Any, pointer: str) -> ArgumentPlace:
        """Return the place of the root of a definition. The predicate was applied to each reference to it."""
        if _is_neutral(node):
            return NEUTRAL
        if not isinstance(node, dict) or ("$ref" not in node and SUBSCHEMAS.isdisjoint(node)):
            return LEAF
        return self._reference(node) if "$ref" in node else self._parts(node, pointer, None)

    def place(self, node: Any, pointer: str, name: str | None) -> ArgumentPlace:
        """Apply the predicate to a schema and everything below it, and return its place."""
        if node is False:
            return NEUTRAL
        schema = node if isinstance(node, dict) else {}
        if self._asker.ask(schema, self._location, pointer, name):
            self._claims.add((self._location, pointer))
            return self._made(ArgumentPlace(node, claimed=True))
        if _is_neutral(schema):
            return NEUTRAL
        if "$ref" in schema:
            return self._reference(schema)
        return LEAF if SUBSCHEMAS.isdisjoint(schema) else self._parts(schema, pointer, name)

    def _reference(self, node: JsonObject) -> ArgumentPlace:
        key = self._asker.key(node["$ref"], self._location)
        if key is None:
            return LEAF
        place = self._made(ArgumentPlace(node))
        place.key = key
        return place

    def _made(self, place: ArgumentPlace) -> ArgumentPlace:
        self._order.append(place)
        return place

    def _parts(self, node: JsonObject, pointer: str, name: str | None) -> ArgumentPlace:
        kinds, _ = types_of(node)
        place = ArgumentPlace(node, leaf=any(kind in _SCALARS for kind in kinds))
        self._members(place, node, pointer)
        for keyword in UNIONS:
            if keyword in node:
                place.unions[keyword] = self._list(node[keyword], f"{pointer}/{keyword}", name)
        for keyword in (*IN_PLACE, *ASKED):
            if keyword in node:
                place.others += self._other(node[keyword], keyword, f"{pointer}/{keyword}", name)
        below = list(place.below())
        if all(each is LEAF or each is NEUTRAL for each in below):
            return LEAF  # it has no part that needs another look
        return self._made(place)

    def _members(self, place: ArgumentPlace, node: JsonObject, pointer: str) -> None:
        for name, item in node.get("properties", {}).items():
            at = f"{pointer}/properties/{escape(name)}"
            place.properties[name] = self.place(item, at, name)
        for pattern, item in node.get("patternProperties", {}).items():
            at = f"{pointer}/patternProperties/{escape(pattern)}"
            place.patterns[pattern] = self.place(item, at, None)
        rest = node.get("additionalProperties")
        if isinstance(rest, dict) and rest:
            place.additional = self.place(rest, f"{pointer}/additionalProperties", None)
        place.prefix = self._list(node.get("prefixItems", ()), f"{pointer}/prefixItems", None)
        if "items" in node:
            place.items = self.place(node["items"], f"{pointer}/items", None)

    def _list(self, nodes: Iterable[Any], pointer: str, name: str | None) -> list[ArgumentPlace]:
        return [self.place(node, f"{pointer}/{index}", name) for index, node in enumerate(nodes)]

    def _other(
        self, value: Any, keyword: str, pointer: str, name: str | None
    ) -> list[ArgumentPlace]:
        """Return the places below a keyword that cannot be split. Only conditions contain parts of the model."""
        if isinstance(value, list):
            found = self._list(value, pointer, name)
        elif keyword == "dependentSchemas":
            pointers = {key: f"{pointer}/{escape(key)}" for key in value}
            found = [self.place(node, pointers[key], name) for key, node in value.items()]
        else:
            found = [self.place(value, pointer, name)]
        return found if keyword in IN_PLACE else [each for each in found if each is not LEAF]


def _is_neutral(node: Any) -> bool:
    """Return whether a schema admits nothing or only null, so that neither side needs a place for it."""
    if not isinstance(node, dict):
        return node is False
    if not SUBSCHEMAS.isdisjoint(node):
        return False
    kind = node.get("type")
    return kind in ("null", ["null"]) or node.get("enum") == [None] or node.get("const", 0) is None
