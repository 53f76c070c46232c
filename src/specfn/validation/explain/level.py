"""One level of a schema: what it says of a value and of what is plainly inside, without deciding between branches.

The engine's own list of errors takes time exponential in nested unions and goes down on the machine's stack. So
errors are found level by level: properties and items are part of the level as far as they are few and not
recursive, and everything else (unions, conditions, recursion) stands as ``not not S``, which the engine only
decides and never explains. What fails there is opened as the next level, by ``explain``.
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import ASSERTIONS
from specfn.validation.compile.engine import Workshop
from specfn.validation.explain.findings import TELLERS, Finding, inner_finding, unknown
from specfn.validation.explain.level_schema import LevelSchema, Spot, counts_seen
from specfn.validation.explain.schema_shapes import Shapes

#: What is said of a value inside by these depends on nothing but the place in the schema.
_NAMED: Final = frozenset({"properties", "prefixItems"})

#: What only the value tells.
_TOLD: Final = frozenset({"items", "additionalProperties", "required"})


#: Where something stands among what is wrong: three numbers for each step inside, then two for itself.
Order: TypeAlias = tuple[int, ...]

#: Before all that is inside; and behind it.
_ITSELF: Final[Order] = (0, 0)
_BEHIND: Final[Order] = (2, 0)


class Words(NamedTuple):
    """What is said of a value inside a level.

    Attributes:
        step: its path below the level's value.
        tokens: the same as tokens.
        expected: what belongs there.
        node: the prepared node that speaks of the value.
        holder: the prepared node that failed there.
    """

    step: str
    tokens: tuple[Any, ...]
    expected: str
    node: Any
    holder: Any


class Found:
    """One finding of a level, and where.

    Attributes:
        order: what findings are sorted by.
        tokens: the way from the level's value to the value that the finding is about.
        spots: the spots on that way, the level's own first.
        finding: what is wrong there.
        words: what is said of it, kept where that is always the same.
    """

    __slots__ = ("finding", "order", "spots", "tokens", "words")

    def __init__(
        self,
        order: Order,
        tokens: tuple[Any, ...],
        spots: tuple[Spot, ...],
        finding: Finding,
    ) -> None:
        self.order = order
        self.tokens = tokens
        self.spots = spots
        self.finding = finding
        self.words: Words | None = None


class _Route(NamedTuple):
    """Where an error of the engine belongs.

    Attributes:
        spots: the spots on the way.
        rest: the place below the last of them.
        finding: what the error means, where that is always the same.
        found: that with its place, where that is always the same, too.
    """

    spots: tuple[Spot, ...]
    rest: tuple[Any, ...]
    finding: Finding | None
    found: Found | None


class Level:
    """The findings of one node, compiled once.

    Attributes:
        members: the nodes that must hold at once.
        root: the spot of the value itself.
        counts_seen: whether a member refuses what the others do not look at, which ``findings`` leaves out.
    """

    def __init__(self, node: JsonObject, shapes: Shapes, workshop: Workshop) -> None:
        """Compile one level of a schema."""
        level = LevelSchema(node, shapes)
        self._shapes = shapes
        self._workshop = workshop
        self.root = level.root
        self._engine = workshop.compile(level.schema)
        self._routes: dict[tuple[Any, ...], _Route] = {}
        self.members = level.root.members
        self.counts_seen = counts_seen(self.members)

    def findings(self, value: Any) -> list[Found]:
        """What is wrong with a value at this level: itself first, then what is inside in the document's order."""
        found: list[Found] = []
        places = _Places(value)
        for error in self._engine.iter_errors(value):
            path = tuple(error.schema_path)
            route = self._routes.get(path) or self._route(path)
            if route.found is not None:
                found.append(route.found)
            else:
                found.extend(self._read(route, error, places))
        if len(found) > 1:
            found.sort(key=_order)
        return found

    def _route(self, path: tuple[Any, ...]) -> _Route:
        """Read the place of an error in the level's schema."""
        spots = [self.root]
        tokens: list[Any] = []
        rest = path
        while True:
            key = rest[1:3] if rest[2] == "items" else rest[1:4]
            inside = spots[-1].inside.get(key)
            if inside is None:
                break
            spots.append(inside)
            tokens.append(key[-1])
            rest = rest[1 + len(key) :]
        finding = self._constant(spots[-1], rest)
        found = None
        if finding is not None and not any(spot.repeated for spot in spots):
            found = _Places(None).found(tokens, tuple(spots), finding)
        route = _Route(tuple(spots), rest, finding, found)
        self._routes[path] = route
        return route

    def _constant(self, spot: Spot, rest: tuple[Any, ...]) -> Finding | None:
        """The finding that an error always means, if only its place in the schema decides."""
        _, index, keyword, *below = rest
        member = spot.members[index]
        if keyword in _NAMED:
            token = below[0]
            return inner_finding(member[keyword][token], keyword, token, self._shapes)
        if keyword in _TOLD:
            return None
        if keyword != "allOf":
            return Finding("here", keyword, member)
        part = spot.parts[index][below[0]]
        if part.keyword in TELLERS:
            return None
        if part.keyword in ASSERTIONS or part.keyword == "not":
            return Finding("here", part.keyword, member)
        return Finding("part", part.keyword, member, part=part)

    def _read(self, route: _Route, error: Any, places: "_Places") -> Iterator[Found]:
        """The findings of an error that only the value tells."""
        tokens = error.instance_path[: len(route.spots) - 1]
        findings = (route.finding,) if route.finding else self._told(route, error, places.value)
        for finding in findings:
            yield places.found(tokens, route.spots, finding)

    def _told(self, route: _Route, error: Any, value: Any) -> Iterable[Finding]:
        _, index, keyword, *below = route.rest
        spot = route.spots[-1]
        member = spot.members[index]
        if keyword == "required":
            return (Finding("missing", keyword, member, error.kind.property),)
        if keyword == "items":
            token = error.instance_path[len(route.spots) - 1]
            return (inner_finding(member[keyword], keyword, token, self._shapes),)
        inside = at(value, error.instance_path)
        if keyword == "allOf":
            part = spot.parts[index][below[0]]
            return TELLERS[part.keyword](part, inside, self._shapes, self._workshop)
        # where no property is declared the engine names none of those there are: then it is all of them
        names = frozenset(getattr(error.kind, "unexpected", None) or inside)
        ordered = [name for name in inside if name in names]
        return [unknown(keyword, member[keyword], ordered)] if ordered else []


def breadth(found: Iterable[Found]) -> int:
    """How many values are wrong at a level: the value itself for each reason, values inside once each."""
    inside = set()
    count = 0
    for one in found:
        if one.tokens:
            inside.add(one.order[:3])
        else:
            count += max(1, len(one.finding.names))
    return count + len(inside)


def at(value: Any, tokens: Iterable[Any]) -> Any:
    """The value at a place."""
    for token in tokens:
        value = value[token]
    return value


class _Places:
    """Orders findings: declared properties as the document has them, others as the value has."""

    __slots__ = ("_positions", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._positions: dict[tuple[Any, ...], dict[str, int]] = {}

    def found(self, tokens: Iterable[Any], spots: tuple[Spot, ...], finding: Finding) -> Found:
        """A finding with its place."""
        way = tuple(tokens)
        order: list[int] = []
        for depth, (token, spot) in enumerate(zip(way, spots[1:], strict=True)):
            order += (1, self._position(token, spots[depth], way[:depth]), spot.number)
        if finding.token is not None:
            order += (1, self._position(finding.token, spots[-1], way))
        else:
            order += _BEHIND if finding.kind == "part" else _ITSELF
        return Found(tuple(order), way, spots, finding)

    def _position(self, token: Any, spot: Spot, way: tuple[Any, ...]) -> int:
        """The index of an item; of a property among the declared ones, or behind them."""
        if type(token) is int:
            return token
        known = spot.order.get(token)
        if known is not None:
            return known
        positions = self._positions.get(way)
        if positions is None:
            inside = at(self.value, way)
            positions = self._positions[way] = {key: index for index, key in enumerate(inside)}
        return len(spot.order) + positions.get(token, len(positions))


_order: Final = attrgetter("order")
