"""Who fills which place of a request: a person, the model, or each a part of it (rules S1, S3).

``Survey`` asks a predicate about every schema of a request and works out, for each place, whether anything
below it is a person's and whether anything is the model's. Definitions are asked once for each location, and
recursion through them ends, for only names are followed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from specfn._json import JsonObject
from specfn._pointer import escape
from specfn.errors import UsageError
from specfn.human import Location, Node, Predicate
from specfn.schema.bundle import Named
from specfn.schema.nodes import types_of
from specfn.schema.walk import SUBSCHEMAS

#: A definition, and where its value goes.
Key: TypeAlias = tuple[str, Location]

#: A place that is a person's: where its value goes, and the pointer of its schema.
Claim: TypeAlias = tuple[Location, str]

#: The keywords of a union, in the order in which they are taken.
UNIONS: Final = ("anyOf", "oneOf")

#: Conditions and leftovers that speak of the same value; nothing below them can be taken apart.
IN_PLACE: Final = ("allOf", "then", "else", "dependentSchemas")
#: What is only asked of a value, or holds for all of its members.
ASKED: Final = (
    *("not", "if", "contains", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)


class Spot:
    """One schema in one place.

    Attributes:
        node: the schema.
        claimed: whether the predicate gives it to a person.
        key: the definition that it refers to, if it does.
        leaf: whether it takes a value that has no parts.
        properties, patterns, additional: the places of an object.
        prefix, items: the places of an array.
        unions: the branches of ``anyOf`` and ``oneOf``.
        others: what stands below any other schema keyword.
        whole: whether it cannot be taken apart, though a part of it is a person's.
        human: whether it is a person's, or any part of it.
        model: whether it is the model's, or any part of it.
    """

    __slots__ = (
        *("additional", "claimed", "human", "items", "key", "leaf", "model", "node", "others"),
        *("patterns", "prefix", "properties", "unions", "whole"),
    )

    def __init__(self, node: Any, *, leaf: bool = False, claimed: bool = False) -> None:
        self.node = node
        self.claimed = claimed
        self.leaf = leaf
        self.key: Key | None = None
        self.properties: dict[str, Spot] = {}
        self.patterns: dict[str, Spot] = {}
        self.additional: Spot | None = None
        self.prefix: list[Spot] = []
        self.items: Spot | None = None
        self.unions: dict[str, list[Spot]] = {}
        self.others: list[Spot] = []
        self.whole = False
        self.human = claimed
        self.model = leaf

    @property
    def is_mixed(self) -> bool:
        """Whether both fill a part of it."""
        return self.human and self.model

    @property
    def is_grouped(self) -> bool:
        """Whether it has a union beside members of its own, or two: the branches are no places then."""
        return len(self.unions) > 1 or bool(self.unions and kinds_of_parts(self.node))

    def below(self) -> Iterator["Spot"]:
        """Everything one step below."""
        yield from self.properties.values()
        yield from self.patterns.values()
        yield from (spot for spot in (self.additional, self.items) if spot is not None)
        yield from self.prefix
        for branches in self.unions.values():
            yield from branches
        yield from self.others


#: What the model fills, without parts; and what nobody fills, for it takes nothing or only null.
LEAF: Final = Spot({}, leaf=True)
NEUTRAL: Final = Spot(False)

_OBJECT: Final = frozenset(
    {
        *("properties", "patternProperties", "required", "dependentRequired"),
        *("minProperties", "maxProperties", "allOf", "dependentSchemas", "if"),
    }
)
_ARRAY: Final = frozenset({"items", "prefixItems"})


def kinds_of_parts(node: Any) -> list[str]:
    """The types of whose members a schema speaks by itself, not only in a union."""
    if not isinstance(node, dict):
        return []
    has_rest = bool(node.get("additionalProperties", True) not in (True, {}))
    found = {
        "object": has_rest or not _OBJECT.isdisjoint(node),
        "array": not _ARRAY.isdisjoint(node),
    }
    return [kind for kind, is_there in found.items() if is_there]


class Survey:
    """What a predicate says of the requests of one document."""

    def __init__(
        self, definitions: Named, predicate: Predicate, matches: Callable[[str, str], bool]
    ) -> None:
        """Begin with nothing asked.

        Args:
            definitions: what references mean.
            predicate: whether a person fills a place.
            matches: whether a regular expression of a document finds a property's name.
        """
        self._definitions = definitions
        self._predicate = predicate
        self._matches = matches
        self._known: dict[Key, Spot] = {}
        self._waiting: list[Key] = []
        #: The places of definitions that were given to a person, as location and pointer.
        self.claims: set[Claim] = set()

    def __getitem__(self, key: Key) -> Spot:
        """The root of a definition."""
        return self._known[key]

    def request(self, root: JsonObject) -> tuple[Spot, frozenset[Claim]]:
        """The root of all arguments of a request, and which of its own places are a person's.

        The root is nobody's by itself.

        Raises:
            UsageError: the predicate fails.
        """
        spot = Spot(root)
        order: list[Spot] = []
        claims: set[Claim] = set()
        for name, node in root["properties"].items():
            location = _LOCATIONS.get(name, "path")
            walk = _Walk(self, location, order, claims)
            spot.properties[name] = walk.spot(node, f"/properties/{escape(name)}", name)
        order.append(spot)
        self._settle({None: order, **self._definitions_below()})
        return spot, frozenset(claims)

    def resolve(self, spot: Spot) -> Spot:
        """What a chain of references ends at; the last of those that lead back to themselves."""
        seen = set()
        while spot.key is not None and not spot.claimed and spot.key not in seen:
            seen.add(spot.key)
            spot = self._known[spot.key]
        return spot

    def member(self, spot: Spot, name: str) -> Spot:
        """The place of a member of an object, as far as the schema says by itself."""
        found = spot.properties.get(name)
        if found is not None:
            return found
        for pattern, each in spot.patterns.items():
            if self._matches(pattern, name):
                return each
        return LEAF if spot.additional is None else spot.additional

    # -- asking -----------------------------------------------------------------------------------

    def ask(self, node: JsonObject, location: Location, pointer: str, name: str | None) -> bool:
        """Whether a person fills a place."""
        shown = Node(self._followed(node), location=location, pointer=pointer, name=name)
        try:
            claimed = bool(self._predicate(shown))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"Options.separate failed on the {location} schema at {pointer}: {reason}"
            ) from error
        return claimed

    def _followed(self, node: JsonObject) -> JsonObject:
        """A schema with what it refers to beside what it says itself."""
        seen = set()
        said = dict(node)
        while "$ref" in said:
            name = self._definitions.name_of(said.pop("$ref"))
            target = None if name is None or name in seen else self._definitions[name]
            if isinstance(target, dict):
                seen.add(name)
                said = {**target, **said}
        return said

    def key(self, reference: str, location: Location) -> Key | None:
        """The definition that a reference means, asked in time; ``None`` for one that leads nowhere."""
        name = self._definitions.name_of(reference)
        if name is None:
            return None
        key = (name, location)
        if key not in self._known:
            self._known[key] = NEUTRAL  # until its turn comes
            self._waiting.append(key)
        return key

    def _definitions_below(self) -> dict[Key | None, list[Spot]]:
        """The trees of all definitions that were met, and of those that they lead to."""
        trees: dict[Key | None, list[Spot]] = {}
        while self._waiting:
            key = self._waiting.pop()
            name, location = key
            order: list[Spot] = []
            pointer = f"/$defs/{escape(name)}"
            walk = _Walk(self, location, order, self.claims)
            self._known[key] = walk.root(self._definitions[name], pointer)
            trees[key] = order
        return trees

    # -- deciding ---------------------------------------------------------------------------------

    def _settle(self, trees: Mapping[Key | None, list[Spot]]) -> None:
        """Decide who fills what in trees that lead to each other, or to what is decided.

        Each tree lists its spots from the leaves up.
        """
        claimed = {key: any(spot.claimed for spot in order) for key, order in trees.items()}
        links = {key: {spot.key for spot in order if spot.key} for key, order in trees.items()}
        found = self._reaching(trees, claimed, links, lambda spot: spot.human)
        for order in trees.values():
            for spot in order:
                target = spot.key is not None and self._is(spot.key, found, human=True)
                spot.human = spot.claimed or target or any(each.human for each in spot.below())
        for order in trees.values():
            for spot in order:
                spot.whole = spot.human and not spot.claimed and self._is_knotted(spot)
        opened = {key: _opened(order) for key, order in trees.items()}
        leaves = {key: any(map(_has_leaf, spots)) for key, spots in opened.items()}
        links = {key: {spot.key for spot in spots if spot.key} for key, spots in opened.items()}
        found = self._reaching(trees, leaves, links, lambda spot: spot.model)
        for order in trees.values():
            for spot in order:
                target = spot.key is not None and self._is(spot.key, found, human=False)
                open_ = not spot.claimed and not spot.whole
                spot.model = open_ and (spot.leaf or target or any(e.model for e in spot.below()))

    def _is(self, key: Key, found: "set[Key | None]", *, human: bool) -> bool:
        spot = self._known[key]
        return key in found or (spot.human if human else spot.model)

    def _reaching(
        self,
        trees: Mapping[Key | None, list[Spot]],
        own: "Mapping[Key | None, bool]",
        links: "Mapping[Key | None, set[Key]]",
        decided: Callable[[Spot], bool],
    ) -> "set[Key | None]":
        """The trees that have something themselves, or lead to one that has."""
        users: dict[Key, list[Key | None]] = {}
        for key, targets in links.items():
            for target in targets:
                users.setdefault(target, []).append(key)
        waiting = [
            key
            for key in trees
            if own[key]
            or (key is not None and not trees[key] and decided(self._known[key]))
            or any(decided(self._known[each]) for each in links[key] if each not in trees)
        ]
        found = set(waiting)
        while waiting:
            key = waiting.pop()
            new = [each for each in users.get(key, ()) if each not in found] if key else []
            found.update(new)
            waiting.extend(new)
        return found

    # -- what cannot be taken apart ------------------------------------------------------------------

    def _is_knotted(self, spot: Spot) -> bool:
        """Whether schema keywords tie a person's part to the rest, so that nobody else can fill that."""
        if any(each.human for each in spot.others):
            return True
        if spot.patterns and self._overlap(spot):
            return True
        return spot.is_grouped and self._is_entangled(spot)

    def _overlap(self, spot: Spot) -> bool:
        """Whether a property is declared and matched by a pattern, too, and one of the two is a person's."""
        return any(
            (inner.human or member.human) and self._matches(pattern, name)
            for pattern, inner in spot.patterns.items()
            for name, member in spot.properties.items()
        )

    def _is_entangled(self, spot: Spot) -> bool:
        """Whether a union and what stands beside it speak of the same members of a person."""
        members = [spot.additional, spot.items, *spot.prefix, *spot.patterns.values()]
        if any(each is not None and each.human for each in members):
            return True
        own = {name for name, each in spot.properties.items() if each.human}
        for branches in spot.unions.values():
            theirs: set[str] = set()
            for branch in self.branches(branches):
                if branch is None or _is_closed_off(branch):
                    return True
                theirs |= {name for name, each in branch.properties.items() if each.human}
            if own & theirs:
                return True
            own |= theirs
        return False

    def branches(self, spots: Iterable[Spot]) -> Iterator[Spot | None]:
        """Branches and what they apply in place, references followed; ``None`` for what leads into itself."""
        waiting = [(spot, frozenset[Key]()) for spot in spots]
        seen: set[Key] = set()
        while waiting:
            spot, way = waiting.pop()
            if spot.key is not None and not spot.claimed:
                if spot.key in way:
                    yield None
                elif spot.key not in seen:
                    seen.add(spot.key)
                    waiting.append((self._known[spot.key], way | {spot.key}))
                continue
            yield spot
            waiting += [(each, way) for branches in spot.unions.values() for each in branches]


def _is_closed_off(spot: Spot) -> bool:
    """Whether a branch has a person's part that is not a property with a name."""
    members = [spot.additional, spot.items, *spot.prefix, *spot.patterns.values(), *spot.others]
    return spot.claimed or any(each is not None and each.human for each in members)


def _has_leaf(spot: Spot) -> bool:
    return spot.leaf or any(each is LEAF for each in spot.below())


def _opened(order: list[Spot]) -> list[Spot]:
    """The spots of a tree that are not below one that is a person's as a whole."""
    shut: set[int] = set()
    found = []
    for spot in reversed(order):
        if id(spot) in shut or spot.claimed or spot.whole:
            shut.update(map(id, spot.below()))
        else:
            found.append(spot)
    return found


_LOCATIONS: Final[Mapping[str, Location]] = {
    "query": "query",
    "headers": "header",
    "cookies": "cookie",
    "body": "body",
}

#: The keys at the root under which parameters stand together.
GROUPS: Final = ("query", "headers", "cookies")

_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})


class _Walk:
    """Asks about one tree; what it refers to is left to its own turn."""

    def __init__(
        self, survey: Survey, location: Location, order: list[Spot], claims: set[Claim]
    ) -> None:
        self._survey = survey
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
        if self._survey.ask(schema, self._location, pointer, name):
            self._claims.add((self._location, pointer))
            return self._made(Spot(node, claimed=True))
        if _is_neutral(schema):
            return NEUTRAL
        if "$ref" in schema:
            return self._reference(schema)
        return LEAF if SUBSCHEMAS.isdisjoint(schema) else self._parts(schema, pointer, name)

    def _reference(self, node: JsonObject) -> Spot:
        key = self._survey.key(node["$ref"], self._location)
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
