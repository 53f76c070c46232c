"""Who fills which place of a request: a person, the model, or each a part of it (rules S1, S3).

``Survey`` asks a predicate about every schema of a request and works out, for each place, whether anything
below it is a person's and whether anything is the model's. Definitions are asked once for each location, and
recursion through them ends, for only names are followed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from specfn._json import JsonObject
from specfn._pointer import escape
from specfn.errors import UsageError
from specfn.function.asking import Walk
from specfn.function.spots import LEAF, NEUTRAL, Claim, Key, Spot
from specfn.human import Location, Node, Predicate
from specfn.schema.bundle import DefinitionLookup


class Survey:
    """What a predicate says of the requests of one document."""

    def __init__(
        self,
        definitions: DefinitionLookup,
        predicate: Predicate,
        matches: Callable[[str, str], bool],
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
            walk = Walk(self, location, order, claims)
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
            walk = Walk(self, location, order, self.claims)
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
        found = self._reaching(trees, claimed, links, _is_human)
        for order in trees.values():
            for spot in order:
                target = spot.key is not None and spot.key in found
                spot.human = spot.claimed or target or any(each.human for each in spot.below())
        for order in trees.values():
            for spot in order:
                spot.whole = spot.human and not spot.claimed and self._is_knotted(spot)
        opened = {key: _opened(order) for key, order in trees.items()}
        leaves = {key: any(map(_has_leaf, spots)) for key, spots in opened.items()}
        links = {key: {spot.key for spot in spots if spot.key} for key, spots in opened.items()}
        found = self._reaching(trees, leaves, links, _is_model)
        for order in trees.values():
            for spot in order:
                target = spot.key is not None and spot.key in found
                open_ = not spot.claimed and not spot.whole
                spot.model = open_ and (spot.leaf or target or any(e.model for e in spot.below()))

    def _reaching(
        self,
        trees: Mapping[Key | None, list[Spot]],
        own: "Mapping[Key | None, bool]",
        links: "Mapping[Key | None, set[Key]]",
        decided: Callable[[Spot], bool],
    ) -> "set[Key | None]":
        """The trees that have something themselves, or lead to one that has; decided ones included."""
        users: dict[Key, list[Key | None]] = {}
        for key, targets in links.items():
            for target in targets:
                users.setdefault(target, []).append(key)
        met = {each for targets in links.values() for each in targets}
        known = {key for key in met if key not in trees or not trees[key]}
        waiting: list[Key | None] = [
            *(key for key in trees if own[key]),
            *(key for key in known if decided(self._known[key])),
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


def _is_human(spot: Spot) -> bool:
    return spot.human


def _is_model(spot: Spot) -> bool:
    return spot.model


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
