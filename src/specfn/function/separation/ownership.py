"""Ownership of the places of a request: human, model, or both (rules S1, S3).

``Ownership`` applies a predicate to every schema of a request. For each place it decides whether any part below it
belongs to the human, and whether any belongs to the model. Definitions are evaluated once for each location. Recursion
ends, because references are followed by name only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.pointer import escape
from specfn.document.references.resolve import reaching
from specfn.errors import UsageError
from specfn.function.separation.places import LEAF, NEUTRAL, UNIONS, ArgumentPlace, Claim, Key
from specfn.human import Location, Node, Predicate
from specfn.schema.compose.definitions_lookup import DefinitionLookup
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


class _PredicateWalk:
    """A walk over one tree that applies the predicate. Referenced definitions are walked separately."""

    def __init__(
        self,
        ownership: "Ownership",
        location: Location,
        order: list[ArgumentPlace],
        claims: set[Claim],
    ) -> None:
        """Create the walk of a tree, which adds places to ``order`` from the leaves up, and those of the human to ``claims``."""
        self._ownership = ownership
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
        if self._ownership.ask(schema, self._location, pointer, name):
            self._claims.add((self._location, pointer))
            return self._add(ArgumentPlace(node, claimed=True))
        if _is_neutral(schema):
            return NEUTRAL
        if "$ref" in schema:
            return self._reference(schema)
        return LEAF if SUBSCHEMAS.isdisjoint(schema) else self._parts(schema, pointer, name)

    def _reference(self, node: JsonObject) -> ArgumentPlace:
        key = self._ownership.queue_definition(node["$ref"], self._location)
        if key is None:
            return LEAF
        place = self._add(ArgumentPlace(node))
        place.key = key
        return place

    def _add(self, place: ArgumentPlace) -> ArgumentPlace:
        self._order.append(place)
        return place

    def _parts(self, node: JsonObject, pointer: str, name: str | None) -> ArgumentPlace:
        """Return the place of a schema, after the predicate was applied to everything below it."""
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
        if all(part is LEAF or part is NEUTRAL for part in below):
            return LEAF  # it has no part that needs another look
        return self._add(place)

    def _members(self, place: ArgumentPlace, node: JsonObject, pointer: str) -> None:
        """Add the places of the properties and items of a schema."""
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
            places = self._list(value, pointer, name)
        elif keyword == "dependentSchemas":
            pointers = {key: f"{pointer}/{escape(key)}" for key in value}
            places = [self.place(node, pointers[key], name) for key, node in value.items()]
        else:
            places = [self.place(value, pointer, name)]
        return places if keyword in IN_PLACE else [part for part in places if part is not LEAF]


def _is_neutral(node: Any) -> bool:
    """Return whether a schema accepts nothing or only null, so that neither side needs a place for it."""
    if not isinstance(node, dict):
        return node is False
    if not SUBSCHEMAS.isdisjoint(node):
        return False
    kind = node.get("type")
    return kind in ("null", ["null"]) or node.get("enum") == [None] or node.get("const", 0) is None


class Ownership:
    """The owners of the places in the requests of one document."""

    def __init__(
        self,
        definitions: DefinitionLookup,
        predicate: Predicate,
        matches: Callable[[str, str], bool],
    ) -> None:
        """Create an empty record.

        ``predicate`` returns whether the human fills a place; ``matches``, whether a regular expression of the document
        matches the name of a property.
        """
        self._definitions = definitions
        self._predicate = predicate
        self._matches = matches
        self._known: dict[Key, ArgumentPlace] = {}
        self._waiting: list[Key] = []
        #: The places of definitions that belong to the human, as location and pointer.
        self.claims: set[Claim] = set()

    def __getitem__(self, key: Key) -> ArgumentPlace:
        """Return the root of a definition."""
        return self._known[key]

    def request(self, root: JsonObject) -> tuple[ArgumentPlace, frozenset[Claim]]:
        """Return the root of all arguments of a request, and its own places that belong to the human.

        The root itself has no owner.

        Raises:
            UsageError: the predicate fails.
        """
        place = ArgumentPlace(root)
        order: list[ArgumentPlace] = []
        claims: set[Claim] = set()
        for name, node in root["properties"].items():
            location = _LOCATIONS.get(name, "path")
            walk = _PredicateWalk(self, location, order, claims)
            place.properties[name] = walk.place(node, f"/properties/{escape(name)}", name)
        order.append(place)
        self._decide_owners({None: order, **self._definitions_below()})
        return place, frozenset(claims)

    def resolve(self, place: ArgumentPlace) -> ArgumentPlace:
        """Return the place at the end of a chain of references; the last place of a cycle."""
        seen = set()
        while place.key is not None and not place.claimed and place.key not in seen:
            seen.add(place.key)
            place = self._known[place.key]
        return place

    def member(self, place: ArgumentPlace, name: str) -> ArgumentPlace:
        """Return the place of a member of an object, as its own schema declares it."""
        if name in place.properties:
            return place.properties[name]
        for pattern, member in place.patterns.items():
            if self._matches(pattern, name):
                return member
        return LEAF if place.additional is None else place.additional

    # -- asking -----------------------------------------------------------------------------------

    def ask(self, node: JsonObject, location: Location, pointer: str, name: str | None) -> bool:
        """Return whether the human fills a place."""
        view = Node(self._merge_references(node), location=location, pointer=pointer, name=name)
        try:
            claimed = bool(self._predicate(view))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"Options.separate failed on the {location} schema at {pointer}: {reason}"
            ) from error
        return claimed

    def _merge_references(self, node: JsonObject) -> JsonObject:
        """Return a schema merged with the schemas that it refers to."""
        seen = set()
        resolved = dict(node)
        while "$ref" in resolved:
            name = self._definitions.name_of(resolved.pop("$ref"))
            target = None if name is None or name in seen else self._definitions[name]
            if isinstance(target, dict):
                seen.add(name)
                resolved = {**target, **resolved}
        return resolved

    def queue_definition(self, reference: str, location: Location) -> Key | None:
        """Return the definition that a reference names, and queue it; ``None`` if it has no target."""
        name = self._definitions.name_of(reference)
        if name is None:
            return None
        key = (name, location)
        if key not in self._known:
            self._known[key] = NEUTRAL  # until its turn comes
            self._waiting.append(key)
        return key

    def _definitions_below(self) -> dict[Key | None, list[ArgumentPlace]]:
        """Return the trees of all queued definitions, and of those that they refer to."""
        trees: dict[Key | None, list[ArgumentPlace]] = {}
        while self._waiting:
            key = self._waiting.pop()
            name, location = key
            order: list[ArgumentPlace] = []
            pointer = f"/$defs/{escape(name)}"
            walk = _PredicateWalk(self, location, order, self.claims)
            self._known[key] = walk.root(self._definitions[name], pointer)
            trees[key] = order
        return trees

    # -- deciding ---------------------------------------------------------------------------------

    def _decide_owners(self, trees: Mapping[Key | None, list[ArgumentPlace]]) -> None:
        """Decide the owners in trees that refer to each other, or to trees that are already decided.

        Each tree lists its places from the leaves up.
        """
        claimed = {key: any(place.claimed for place in order) for key, order in trees.items()}
        links = {key: {place.key for place in order if place.key} for key, order in trees.items()}
        reached = self._trees_reaching(trees, claimed, links, attrgetter("human"))
        for order in trees.values():
            for place in order:
                target = place.key is not None and place.key in reached
                place.human = place.claimed or target or any(part.human for part in place.below())
        for order in trees.values():
            for place in order:
                place.whole = place.human and not place.claimed and self._is_knotted(place)
        opened = {key: _outermost(order) for key, order in trees.items()}
        leaves = {key: any(map(_has_leaf, places)) for key, places in opened.items()}
        links = {
            key: {place.key for place in places if place.key} for key, places in opened.items()
        }
        reached = self._trees_reaching(trees, leaves, links, attrgetter("model"))
        for order in trees.values():
            for place in order:
                target = place.key is not None and place.key in reached
                open_ = not place.claimed and not place.whole
                place.model = open_ and (
                    place.leaf or target or any(part.model for part in place.below())
                )

    def _trees_reaching(
        self,
        trees: Mapping[Key | None, list[ArgumentPlace]],
        own: "Mapping[Key | None, bool]",
        links: "Mapping[Key | None, set[Key]]",
        decided: Callable[[ArgumentPlace], bool],
    ) -> "set[Key | None]":
        """Return the trees that have a property themselves or refer to one that has it, including decided ones."""
        users: dict[Key | None, list[Key | None]] = {}
        for key, targets in links.items():
            for target in targets:
                users.setdefault(target, []).append(key)
        known = [key for key in users if key and (key not in trees or not trees[key])]
        seeds = [key for key in known if decided(self._known[key])]
        return reaching([*seeds, *(key for key in trees if own[key])], users)

    # -- places that cannot be split ------------------------------------------------------------------

    def _is_knotted(self, place: ArgumentPlace) -> bool:
        """Return whether keywords connect the human part with the rest, so that the place cannot be split."""
        if any(other.human for other in place.others):
            return True
        if place.patterns and self._overlap(place):
            return True
        return place.is_grouped and self._is_entangled(place)

    def _overlap(self, place: ArgumentPlace) -> bool:
        """Return whether a declared property also matches a pattern, and one of the two belongs to the human."""
        return any(
            (inner.human or member.human) and self._matches(pattern, name)
            for pattern, inner in place.patterns.items()
            for name, member in place.properties.items()
        )

    def _is_entangled(self, place: ArgumentPlace) -> bool:
        """Return whether a union and its neighboring keywords describe the same human members."""
        members = [place.additional, place.items, *place.prefix, *place.patterns.values()]
        if any(member is not None and member.human for member in members):
            return True
        own = {name for name, member in place.properties.items() if member.human}
        for branches in place.unions.values():
            theirs: set[str] = set()
            for branch in self.branches(branches):
                if branch is None or _is_closed_off(branch):
                    return True
                theirs |= {name for name, member in branch.properties.items() if member.human}
            if own & theirs:
                return True
            own |= theirs
        return False

    def branches(self, places: Iterable[ArgumentPlace]) -> Iterator[ArgumentPlace | None]:
        """Yield branches and all schemas that they apply in place, references followed; ``None`` for a cycle."""
        waiting = [(place, frozenset[Key]()) for place in places]
        seen: set[Key] = set()
        while waiting:
            place, way = waiting.pop()
            if place.key is not None and not place.claimed:
                if place.key in way:
                    yield None
                elif place.key not in seen:
                    seen.add(place.key)
                    waiting.append((self._known[place.key], way | {place.key}))
                continue
            yield place
            waiting += [(branch, way) for union in place.unions.values() for branch in union]


def _is_closed_off(place: ArgumentPlace) -> bool:
    """Return whether a branch has a human part that is not a named property, for example in items of an array."""
    members = [
        place.additional,
        place.items,
        *place.prefix,
        *place.patterns.values(),
        *place.others,
    ]
    return place.claimed or any(member is not None and member.human for member in members)


def _has_leaf(place: ArgumentPlace) -> bool:
    return place.leaf or any(part is LEAF for part in place.below())


def _outermost(order: list[ArgumentPlace]) -> list[ArgumentPlace]:
    """Return the places of a tree that are not below one that belongs to the human as a whole."""
    shut: set[int] = set()
    outermost = []
    for place in reversed(order):
        if id(place) in shut or place.claimed or place.whole:
            shut.update(map(id, place.below()))
        else:
            outermost.append(place)
    return outermost


_LOCATIONS: Final[Mapping[str, Location]] = {
    "query": "query",
    "headers": "header",
    "cookies": "cookie",
    "body": "body",
}
