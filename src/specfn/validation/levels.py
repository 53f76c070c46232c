"""One level of a schema: what it says of a value and of what is plainly inside, without deciding between branches.

The engine's own list of errors takes time exponential in nested unions and goes down on the machine's stack. So
errors are found level by level: properties and items are part of the level as far as they are few and not
recursive, and everything else (unions, conditions, recursion) stands as ``not not S``, which the engine only
decides and never explains. What fails there is opened as the next level, by ``explain``.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from specfn._json import JsonObject
from specfn.validation.engine import Workshop
from specfn.validation.findings import TELLERS, Finding, inner_finding
from specfn.validation.keywords import ASSERTIONS
from specfn.validation.shapes import Shapes
from specfn.validation.spots import LevelSchema, Spot, counts_seen

#: What is said of a value inside by these depends on nothing but the place in the schema.
_NAMED: Final = frozenset({"properties", "prefixItems"})

#: What only the value tells.
_TOLD: Final = frozenset({"items", "additionalProperties", "required"})


class _Route(NamedTuple):
    """Where an error of the engine belongs: the spots on the way, and the finding where it is always the same."""

    spots: tuple[Spot, ...]
    rest: tuple[Any, ...]
    finding: Finding | None


class Level:
    """The findings of one node, compiled once.

    Attributes:
        members: the nodes that must hold at once.
        counts_seen: whether a member refuses what the others do not look at, which ``findings`` leaves out.
    """

    def __init__(self, node: JsonObject, shapes: Shapes, workshop: Workshop) -> None:
        """Compile one level of a schema."""
        level = LevelSchema(node, shapes)
        self._shapes = shapes
        self._workshop = workshop
        self._root = level.root
        self._engine = workshop.compile(level.schema)
        self._routes: dict[tuple[Any, ...], _Route] = {}
        self.members = level.root.members
        self.counts_seen = counts_seen(self.members)

    def findings(self, value: Any) -> list[Finding]:
        """What is wrong with a value at this level: itself first, then what is inside in the document's order."""
        boxes = _Boxes(self._root, value)
        for error in self._engine.iter_errors(value):
            path = tuple(error.schema_path)
            route = self._routes.get(path) or self._route(path)
            box = boxes.of(route.spots, error) if len(route.spots) > 1 else boxes.found
            if route.finding is not None:
                box.append(route.finding)
            else:
                box.extend(self._read(route, error, value))
        boxes.sort()
        return boxes.found

    def _route(self, path: tuple[Any, ...]) -> _Route:
        """Read the place of an error in the level's schema."""
        spots = [self._root]
        rest = path
        while True:
            key = rest[1:3] if rest[2] == "items" else rest[1:4]
            inside = spots[-1].inside.get(key)
            if inside is None:
                break
            spots.append(inside)
            rest = rest[1 + len(key) :]
        route = _Route(tuple(spots), rest, self._constant(spots[-1], rest))
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

    def _read(self, route: _Route, error: Any, value: Any) -> Iterable[Finding]:
        """The findings of an error that only the value tells."""
        _, index, keyword, *below = route.rest
        spot = route.spots[-1]
        member = spot.members[index]
        if keyword == "required":
            return (Finding("missing", keyword, member, error.kind.property),)
        if keyword == "items":
            token = error.instance_path[len(route.spots) - 1]
            return (inner_finding(member[keyword], keyword, token, self._shapes),)
        inside = _at(value, error.instance_path)
        if keyword == "allOf":
            part = spot.parts[index][below[0]]
            return TELLERS[part.keyword](part, inside, self._shapes, self._workshop)
        # where no property is declared the engine names none of those there are: then it is all of them
        names = getattr(error.kind, "unexpected", None) or inside
        return [Finding("surplus", keyword, member[keyword], name) for name in names]


class _Boxes:
    """The findings of one value, those inside a spot collected in the finding of that spot."""

    __slots__ = ("_boxes", "_root", "_value", "found")

    def __init__(self, root: Spot, value: Any) -> None:
        self.found: list[Finding] = []
        self._root = root
        self._value = value
        self._boxes: dict[tuple[Any, ...], tuple[Spot, list[Finding]]] = {}

    def of(self, spots: tuple[Spot, ...], error: Any) -> list[Finding]:
        """The list of the last of some spots, made part of those around it."""
        found = self.found
        tokens: list[Any] = error.instance_path
        for depth, spot in enumerate(spots[1:], 1):
            key = (id(spot), *tokens[:depth])
            box = self._boxes.get(key)
            if box is None:
                box = self._boxes[key] = (spot, [])
                found.append(Finding("child", "", spot.node, tokens[depth - 1], None, box[1]))
            found = box[1]
        return found

    def sort(self) -> None:
        """Put each list in order: declared properties as the document has them, others as the value has."""
        if len(self.found) > 1:
            _sort(self.found, self._root, self._value, ())
        for key, (spot, found) in self._boxes.items():
            if len(found) > 1:
                _sort(found, spot, self._value, key[1:])


def _sort(found: list[Finding], spot: Spot, value: Any, tokens: tuple[Any, ...]) -> None:
    order = spot.order
    if any(type(finding.token) is str and finding.token not in order for finding in found):
        order = {
            **{key: index for index, key in enumerate(_at(value, tokens), len(order))},
            **order,
        }

    def position(finding: Finding) -> tuple[int, int]:
        token = finding.token
        if token is None:
            return (2 if finding.kind == "part" else 0), 0
        return 1, token if type(token) is int else order.get(token, len(order))

    found.sort(key=position)


def _at(value: Any, tokens: Iterable[Any]) -> Any:
    """The value at a place."""
    for token in tokens:
        value = value[token]
    return value
