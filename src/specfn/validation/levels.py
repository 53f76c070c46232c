"""One level of a schema: what it says of a value and of what is plainly inside, without deciding between branches.

The engine's own list of errors takes time exponential in nested unions and goes down on the machine's stack. So
errors are found level by level: properties and items are part of the level as far as they are few and not
recursive, and everything else (unions, conditions, recursion) stands as ``not not S``, which the engine only
decides and never explains. What fails there is opened as the next level, by ``explain``.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn._json import JsonObject
from specfn.validation.engine import Workshop
from specfn.validation.keywords import ASSERTIONS, UNEVALUATED
from specfn.validation.parts import Part, not_not, parts_of
from specfn.validation.shapes import Shapes

#: What a finding means: the value itself; a property that is missing, or must not be, or has a wrong name; a
#: value inside, wrong in itself or to be opened; a part of the schema in place, to be opened.
Kind: TypeAlias = Literal["here", "missing", "surplus", "name", "inside", "child", "part"]

#: How many schemas with subschemas make one level, and how deep they may be nested.
_SPOTS: Final = 64
_DEPTH: Final = 8

_KEYED: Final = ("properties", "patternProperties")
_PLAIN: Final = ("items", "additionalProperties")
_AS_IT_IS: Final = ASSERTIONS | {"not", "contains"}

#: What is said of a value inside by these depends on nothing but the place in the schema.
_NAMED: Final = frozenset({"properties", "prefixItems"})
_INSIDE: Final = frozenset((*_KEYED, *_PLAIN, "prefixItems"))


class Finding(NamedTuple):
    """One thing that is wrong at one level.

    Attributes:
        kind: see ``Kind``.
        keyword: the schema keyword that is not satisfied.
        node: the prepared node that holds the keyword, or that is to be opened.
        token: the key or index of the value inside.
        part: the part in place that is to be opened.
        inner: of a child, what is wrong in it, where that is known already.
    """

    kind: Kind
    keyword: str
    node: Any
    token: Any = None
    part: Part | None = None
    inner: "list[Finding] | None" = None


class _Spot:
    """A value that a level looks at: the nodes that must hold for it, and the spots inside."""

    __slots__ = ("inside", "members", "node", "order", "parts")

    def __init__(self, node: Any, shapes: Shapes) -> None:
        self.node = node
        self.members = shapes.whole(node)
        self.parts = [parts_of(member) for member in self.members]
        self.inside: dict[tuple[Any, ...], _Spot] = {}
        names = (name for member in self.members for name in member.get("properties", ()))
        self.order: Mapping[Any, int] = {
            name: index for index, name in enumerate(dict.fromkeys(names))
        }


class _Route(NamedTuple):
    """Where an error of the engine belongs: the spots on the way, and the finding where it is always the same."""

    spots: tuple[_Spot, ...]
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
        self._shapes = shapes
        self._root = _Spot(node, shapes)
        self.members = self._root.members
        self.counts_seen = _counts_seen(self.members)
        self._engine = workshop.compile(self._build())
        self._routes: dict[tuple[Any, ...], _Route] = {}

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

    def _build(self) -> JsonObject:
        """The schema of the level: breadth first, so that what is near the root is part of it."""
        schema: JsonObject = {}
        waiting = [(self._root, schema, 1, frozenset[int]())]
        room = _SPOTS
        for spot, into, depth, around in waiting:  # which grows as it goes
            outer = around | {id(member) for member in spot.members}
            pairs = zip(spot.members, spot.parts, strict=True)
            into["allOf"] = own = [_own(*pair) for pair in pairs]
            for key, holder, at, inner in _subschemas(own):
                target = self._shapes.target(inner)
                if self._shapes.is_simple(target):
                    holder[at] = target
                elif room and depth < _DEPTH and self._is_plain(target, outer):
                    room -= 1
                    spot.inside[key] = inside = _Spot(inner, self._shapes)
                    below: JsonObject = {}
                    holder[at] = below
                    waiting.append((inside, below, depth + 1, outer))
                else:
                    holder[at] = not_not(inner)
        return schema

    def _is_plain(self, node: Any, outer: frozenset[int]) -> bool:
        """Whether a node can be part of the level: it is not one of those around it, and counts nothing seen."""
        whole = self._shapes.whole(node)
        return not _counts_seen(whole) and not any(id(member) in outer for member in whole)

    def _route(self, path: tuple[Any, ...]) -> _Route:
        """Read the place of an error in the level's schema."""
        spots = [self._root]
        rest = path
        while True:
            key = rest[1:4] if rest[2] in _KEYED or rest[2] == "prefixItems" else rest[1:3]
            inside = spots[-1].inside.get(key)
            if inside is None:
                break
            spots.append(inside)
            rest = rest[1 + len(key) :]
        route = _Route(tuple(spots), rest, self._constant(spots[-1], rest))
        self._routes[path] = route
        return route

    def _constant(self, spot: _Spot, rest: tuple[Any, ...]) -> Finding | None:
        """The finding that an error always means, if only its place in the schema decides."""
        _, index, keyword, *below = rest
        member = spot.members[index]
        if keyword in _NAMED:
            return self._inside(member[keyword][below[0]], keyword, below[1:], below[0])
        if keyword == "allOf":
            part = spot.parts[index][below[0]]
            return Finding("part", part.keyword, member, part=part)
        if keyword in _INSIDE or keyword in _ASKS:
            return None
        return Finding("here", keyword, member)

    def _read(self, route: _Route, error: Any, value: Any) -> Iterable[Finding]:
        """The findings of an error that only the value tells."""
        _, index, keyword, *below = route.rest
        member = route.spots[-1].members[index]
        if keyword in {"required", "dependentRequired"}:
            return (Finding("missing", keyword, member, error.kind.property),)
        tokens = error.instance_path
        depth = len(route.spots) - 1
        if len(tokens) == depth:  # said of the object: of the members that it names, else of all
            kind: Kind = "name" if keyword == "propertyNames" else "surplus"
            names = _names(error.kind) or _at(value, tokens[:depth])
            return [Finding(kind, keyword, member[keyword], name) for name in names]
        schema = member[keyword] if keyword in _PLAIN else member[keyword][below.pop(0)]
        return (self._inside(schema, keyword, below, tokens[depth]),)

    def _inside(self, schema: Any, keyword: str, below: list[Any], token: str | int) -> Finding:
        """A value inside: one that must not be there, one that is wrong, or one to open."""
        if not below:
            return Finding("surplus", keyword, schema, token)
        if self._shapes.is_simple(self._shapes.target(schema)):
            return Finding("inside", below[0], schema, token)
        return Finding("child", keyword, schema, token)


_ASKS: Final = frozenset({"required", "dependentRequired", "propertyNames"})


def _own(member: JsonObject, parts: list[Part]) -> JsonObject:
    """What one node says by itself; the subschemas for values inside are still to be put in."""
    own = {key: value for key, value in member.items() if key in _AS_IT_IS}
    own.update({key: dict(member[key]) for key in _KEYED if key in member})
    own.update({key: member[key] for key in _PLAIN if key in member})
    if "prefixItems" in member:
        own["prefixItems"] = list(member["prefixItems"])
    if "propertyNames" in member:
        own["propertyNames"] = not_not(member["propertyNames"])
    if parts:
        own["allOf"] = [not_not(part.schema) for part in parts]
    return own


def _subschemas(
    own: list[JsonObject],
) -> Iterable[tuple[tuple[Any, ...], Any, Any, Any]]:
    """Each subschema for values inside: its place in the spot, the container it stands in, its key, itself."""
    for index, schema in enumerate(own):
        for keyword in _KEYED:
            for key, inner in schema.get(keyword, {}).items():
                yield (index, keyword, key), schema[keyword], key, inner
        for at, inner in enumerate(schema.get("prefixItems", ())):
            yield (index, "prefixItems", at), schema["prefixItems"], at, inner
        for keyword in _PLAIN:
            if keyword in schema:
                yield (index, keyword), schema, keyword, schema[keyword]


def _names(kind: Any) -> list[str]:
    """The properties that an error of the engine names; none where it speaks of all."""
    if hasattr(kind, "unexpected"):
        names: list[str] = kind.unexpected
        return names
    return [kind.error.instance] if hasattr(kind, "error") else []


def _counts_seen(members: Iterable[JsonObject]) -> bool:
    return any(keyword in member for member in members for keyword in UNEVALUATED)


class _Boxes:
    """The findings of one value, those inside a spot collected in the finding of that spot."""

    __slots__ = ("_boxes", "_root", "_value", "found")

    def __init__(self, root: _Spot, value: Any) -> None:
        self.found: list[Finding] = []
        self._root = root
        self._value = value
        self._boxes: dict[tuple[Any, ...], tuple[_Spot, list[Finding]]] = {}

    def of(self, spots: tuple[_Spot, ...], error: Any) -> list[Finding]:
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


def _sort(found: list[Finding], spot: _Spot, value: Any, tokens: tuple[Any, ...]) -> None:
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
        return 1, token if type(token) is int else order.get(token, 0)

    found.sort(key=position)


def _at(value: Any, tokens: Iterable[Any]) -> Any:
    """The value at a place."""
    for token in tokens:
        value = value[token]
    return value
