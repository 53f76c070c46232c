"""Validation of one level: the keywords of a schema for a value and its simple inner values, without open branches.

The engine's list of errors needs exponential time for nested unions, and recursion. So errors are collected level by
level. Properties and items belong to a level if they are few and not recursive. All other subschemas (unions,
conditions, recursion) are written as ``not not S``, so the engine decides them without an explanation. If one fails,
``explain`` opens it as the next level.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.pointer import step
from specfn.schema.walk import ASSERTIONS
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.explain.findings import (
    PART_FINDINGS,
    LevelFinding,
    findings_of_unevaluated,
    inner_finding,
    unknown,
)
from specfn.validation.explain.level_schema import LevelNode, LevelSchema, has_unevaluated
from specfn.validation.explain.schema_facts import SchemaFacts

#: Keywords whose finding depends only on the place in the schema.
_BY_PLACE: Final = frozenset({"properties", "prefixItems"})

#: Keywords whose finding also depends on the value.
_BY_VALUE: Final = frozenset({"items", "additionalProperties", "required"})

#: Of these, the keywords whose findings have the same node, or one for each name.
_ONE_NODE: Final = frozenset({"items", "required"})

#: The sort key of a finding: three numbers for each step to an inner value, then two for the finding.
Order: TypeAlias = tuple[int, ...]

#: The last two numbers of a finding before and behind all inner values.
_ITSELF: Final[Order] = (0, 0)
_BEHIND: Final[Order] = (2, 0)


#: The maximum number of findings of one route that are kept for later values, each for one place in arrays.
_MAX_PLACES: Final = 32


@dataclass(slots=True)
class ExpectedText:
    """The type text of a wrong value.

    Attributes:
        expected: the type text.
        node: the prepared node that applies to the value.
        holder: the prepared node that failed.
        advice: a tuple of the description, if that is the same for all values; empty if it depends on the value, and
            ``None`` before the first description.
    """

    expected: str
    node: Any
    holder: Any
    advice: tuple[str | None, ...] | None = None


class LocatedFinding:
    """One finding of a level with its place.

    Attributes:
        order: the sort key.
        tokens: the path from the level's value to the value of the finding.
        level_nodes: the level's nodes on that path, its root first.
        finding: the finding.
        texts: the type texts that all findings of one route share, by the name of a missing property, else ``None``.
        path: see ``path_of``.
    """

    __slots__ = ("finding", "level_nodes", "order", "path", "texts", "tokens")

    def __init__(
        self,
        order: Order,
        tokens: tuple[Any, ...],
        level_nodes: tuple[LevelNode, ...],
        finding: LevelFinding,
        texts: dict[Any, ExpectedText] | None = None,
    ) -> None:
        self.order = order
        self.tokens = tokens
        self.level_nodes = level_nodes
        self.finding = finding
        self.texts = {} if texts is None else texts
        self.path: tuple[str, tuple[Any, ...]] | None = None

    @property
    def text_key(self) -> Any:
        """Return the key of its type text."""
        return self.finding.token if self.finding.kind == "missing" else None


def path_of(found: LocatedFinding) -> tuple[str, tuple[Any, ...]]:
    """Return the path of the wrong value below the level's value, as text and as tokens."""
    path = found.path
    if path is None:
        tokens = found.tokens
        if found.finding.kind != "here":
            tokens = (*tokens, found.finding.token)
        path = found.path = "".join(map(step, tokens)), tokens
    return path


class _Route(NamedTuple):
    """The part of a level that an error of the engine belongs to.

    Attributes:
        level_nodes: the level's nodes on the path.
        rest: the schema path below the last of them.
        finding: the finding, if it is always the same.
        found: the finding with its place, if both are always the same.
        missing: the findings of missing properties whose order is always the same, by name.
        texts: the type texts of its findings; see ``LocatedFinding``.
        places: the first findings whose order is always the same, by the place of the error and a missing property.
    """

    level_nodes: tuple[LevelNode, ...]
    rest: tuple[Any, ...]
    finding: LevelFinding | None
    found: LocatedFinding | None
    missing: dict[str, LocatedFinding] | None
    texts: dict[Any, ExpectedText]
    places: dict[tuple[Any, ...], LocatedFinding]


class Level:
    """A compiled level of one node.

    Attributes:
        members: the nodes that must all accept the value.
        root: the level's node for the value itself.
        nodes: the number of nodes that were compiled, with the definitions that they reach.
        has_unevaluated: whether a member has ``unevaluated*``, whose failures ``findings`` omits.
    """

    def __init__(self, node: JsonObject, facts: SchemaFacts, compiler: SubschemaCompiler) -> None:
        """Compile one level of a schema."""
        level = LevelSchema(node, facts)
        self._facts = facts
        self._compiler = compiler
        self.root = level.root
        self._engine, self.nodes = compiler.compile(level.schema)
        self._routes: dict[tuple[Any, ...], _Route] = {}
        self.members = level.root.members
        self.has_unevaluated = has_unevaluated(self.members)

    def findings(self, value: Any) -> list[LocatedFinding]:
        """Return the findings of a value at this level: those of the value itself, then inner ones in the document's order."""
        findings: list[LocatedFinding] = []
        places = _Places(value)
        for error in self._engine.iter_errors(value):
            path = tuple(error.schema_path)
            route = self._routes.get(path) or self._route(path)
            if route.found is not None:
                findings.append(route.found)
            elif route.missing is not None and error.kind.property in route.missing:
                findings.append(route.missing[error.kind.property])
            else:
                findings.extend(self._findings_at_places(route, error, places))
        if len(findings) > 1:
            findings.sort(key=_order)
        return findings

    def _route(self, path: tuple[Any, ...]) -> _Route:
        """Return the part of the level for an error's schema path."""
        level_nodes = [self.root]
        tokens: list[Any] = []
        rest = path
        while True:
            key = rest[1:3] if rest[2] == "items" else rest[1:4]
            inside = level_nodes[-1].inside.get(key)
            if inside is None:
                break
            level_nodes.append(inside)
            tokens.append(key[-1])
            rest = rest[1 + len(key) :]
        finding = self._finding_by_place(level_nodes[-1], rest)
        located = missing = None
        if not any(level_node.repeated for level_node in level_nodes):
            if finding is not None:
                located = _Places(None).locate(tokens, tuple(level_nodes), finding)
            elif rest[2] == "required":
                missing = _missing_by_place(tokens, tuple(level_nodes), rest[1])
        route = _Route(tuple(level_nodes), rest, finding, located, missing, {}, {})
        self._routes[path] = route
        return route

    def _finding_by_place(
        self, level_node: LevelNode, rest: tuple[Any, ...]
    ) -> LevelFinding | None:
        """Return the finding of an error if only its place in the schema decides it, else ``None``."""
        _, index, keyword, *below = rest
        member = level_node.members[index]
        if keyword in _BY_PLACE:
            token = below[0]
            return inner_finding(member[keyword][token], keyword, token, self._facts)
        if keyword in _BY_VALUE:
            return None
        if keyword != "allOf":
            return LevelFinding("here", keyword, member)
        part = level_node.parts[index][below[0]]
        if part.keyword in PART_FINDINGS:
            return None
        if part.keyword in ASSERTIONS or part.keyword == "not":
            return LevelFinding("here", part.keyword, member)
        return LevelFinding("part", part.keyword, member, part=part)

    def _findings_at_places(
        self, route: _Route, error: Any, places: "_Places"
    ) -> Iterator[LocatedFinding]:
        """Yield the findings of an error that depend on the value."""
        way = tuple(error.instance_path)
        is_shared = route.finding is not None or route.rest[2] in _ONE_NODE
        if not is_shared:
            for finding in self._findings_by_value(route, error, places.value):
                yield places.locate(way[: len(route.level_nodes) - 1], route.level_nodes, finding)
            return
        key = (*way, error.kind.property) if route.rest[2] == "required" else way
        found = route.places.get(key)
        if found is None:
            tokens = way[: len(route.level_nodes) - 1]
            for finding in (
                (route.finding,)
                if route.finding
                else self._findings_by_value(route, error, places.value)
            ):
                found = places.locate(tokens, route.level_nodes, finding, route.texts)
            assert found is not None  # such an error has one finding
            if len(route.places) < _MAX_PLACES and _is_constant(found):
                route.places[key] = found
        yield found

    def _findings_by_value(self, route: _Route, error: Any, value: Any) -> Iterable[LevelFinding]:
        """Return the findings of an error for which the value must be looked at."""
        _, index, keyword, *below = route.rest
        level_node = route.level_nodes[-1]
        member = level_node.members[index]
        if keyword == "required":
            return (LevelFinding("missing", keyword, member, error.kind.property),)
        if keyword == "items":
            token = error.instance_path[len(route.level_nodes) - 1]
            return (inner_finding(member[keyword], keyword, token, self._facts),)
        inside = value_at(value, error.instance_path)
        if keyword == "allOf":
            part = level_node.parts[index][below[0]]
            return PART_FINDINGS[part.keyword](part, inside, self._facts, self._compiler)
        # If a schema declares no properties, the engine lists no properties. Then all properties are undeclared.
        names = frozenset(getattr(error.kind, "unexpected", None) or inside)
        ordered = [name for name in inside if name in names]
        return [unknown(keyword, member[keyword], ordered)] if ordered else []


def _is_constant(found: LocatedFinding) -> bool:
    """Return whether a finding has the same order in each value: its properties are declared."""
    tokens = (*found.tokens, found.finding.token)
    return all(
        type(token) is not str or token in level_node.order
        for token, level_node in zip(tokens, found.level_nodes, strict=True)
    )


def _missing_by_place(
    tokens: list[Any], level_nodes: tuple[LevelNode, ...], index: int
) -> dict[str, LocatedFinding]:
    """Return the finding for each required property, if it is missing.

    Properties that are required but not declared are left out, because their order depends on the value.
    """
    member, declared = level_nodes[-1].members[index], level_nodes[-1].order
    places = _Places(None)
    return {
        name: places.locate(tokens, level_nodes, LevelFinding("missing", "required", member, name))
        for name in member["required"]
        if name in declared
    }


def count_wrong_values(found: Iterable[LocatedFinding]) -> int:
    """Return the number of wrong values at a level. The value itself counts for each reason, an inner value once."""
    inside = set()
    count = 0
    for one in found:
        if one.tokens:
            inside.add(one.order[:3])
        else:
            count += max(1, len(one.finding.names))
    return count + len(inside)


def value_at(value: Any, tokens: Iterable[Any]) -> Any:
    """Return the value at a place."""
    for token in tokens:
        value = value[token]
    return value


class _Places:
    """The sort keys of findings: declared properties in the order of the document, then others in that of the value."""

    __slots__ = ("_positions", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._positions: dict[tuple[Any, ...], dict[str, int]] = {}

    def locate(
        self,
        tokens: Iterable[Any],
        level_nodes: tuple[LevelNode, ...],
        finding: LevelFinding,
        texts: dict[Any, ExpectedText] | None = None,
    ) -> LocatedFinding:
        """Return a finding with its place."""
        way = tuple(tokens)
        order: list[int] = []
        for depth, (token, level_node) in enumerate(zip(way, level_nodes[1:], strict=True)):
            order += (1, self._position(token, level_nodes[depth], way[:depth]), level_node.number)
        if finding.token is not None:
            order += (1, self._position(finding.token, level_nodes[-1], way))
        else:
            order += _BEHIND if finding.kind == "part" else _ITSELF
        return LocatedFinding(tuple(order), way, level_nodes, finding, texts)

    def _position(self, token: Any, level_node: LevelNode, way: tuple[Any, ...]) -> int:
        """Return the index of an item, or the position of a property: among the declared ones, or behind them."""
        if type(token) is int:
            return token
        known = level_node.order.get(token)
        if known is not None:
            return known
        positions = self._positions.get(way)
        if positions is None:
            inside = value_at(self.value, way)
            positions = self._positions[way] = {key: index for index, key in enumerate(inside)}
        return len(level_node.order) + positions.get(token, len(positions))


_order: Final = attrgetter("order")


class Levels:
    """The levels of one schema, each compiled on first use.

    No object that it has refers back to it, so that its memory is free without the garbage collector, which does not
    see the memory of the engine.
    """

    def __init__(
        self, facts: SchemaFacts, compiler: SubschemaCompiler, keep: Callable[[int], object]
    ) -> None:
        self._facts: Final = facts
        self._compiler: Final = compiler
        self._keep: Final = keep
        self._known: dict[int, Level] = {}

    def findings_of_level(self, node: JsonObject, value: Any) -> list[LocatedFinding]:
        """Return the findings of a value at the level of a node."""
        level = self._level(node)
        findings = level.findings(value)
        if level.has_unevaluated:
            more = findings_of_unevaluated(level.members, value, self._facts, self._compiler)
            findings += [LocatedFinding((), (), (level.root,), finding) for finding in more]
        return findings

    def _level(self, node: JsonObject) -> Level:
        level = self._known.get(id(node))
        if level is None:
            if self._compiler.is_memory_full:
                self._known.clear()
                self._keep(-self._compiler.release())
            level = self._known[id(node)] = Level(node, self._facts, self._compiler)
        self._compiler.use(~id(node), level.nodes)
        return level
