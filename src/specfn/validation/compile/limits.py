"""Limits of a prepared schema, computed before its first use (rule V1, threat T17).

The engine evaluates schemas by recursion, and evaluates every use of a definition again. Two numbers bound the cost:

* the length of a chain of in-place subschemas, multiplied by the depth of the arguments: the stack;
* the number of evaluations of one value: a binary graph of references with 40 levels would need 2^40.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.errors import DocumentError
from specfn.schema.walk import (
    APPLICATORS,
    IN_PLACE,
    UNEVALUATED,
    in_place,
    subschema_entries,
)
from specfn.validation.compile.prepare import REFERENCE, PreparedSchema
from specfn.validation.plain_json import MAX_DEPTH

#: The product of hops and depth that needs half of a stack of 256 KiB (measured).
_MAX_STACK: Final = 1_536

#: The maximum number of hops. With more, arguments with six levels would be refused.
_MAX_HOPS: Final = 256

#: The maximum number of evaluations of one value by in-place subschemas, and of one value inside it, in all branches.
_MAX_EVALUATIONS: Final = 100_000
_MAX_INNER_EVALUATIONS: Final = 1_000_000

#: The maximum number of subschemas that are visited to count the inner evaluations. A subschema counts once for each
#: value that it is applied to in place, so a chain of *n* schemas needs *n²* visits. No
#: function of the corpus needs more than 10,000.
_MAX_VISITS: Final = 300_000


class _Cost(NamedTuple):
    """The in-place cost of one node.

    Attributes:
        hops: the longest chain of subschemas.
        evaluations: the number of evaluations.
        applied: the number of nodes that are applied, with repetition.
        has_inner: whether one of them has subschemas for the values inside its value.
    """

    hops: int
    evaluations: int
    applied: int
    has_inner: bool


def depth_limit(prepared: PreparedSchema) -> int:
    """Return the maximum number of levels that arguments of a schema may have.

    Raises:
        DocumentError: the schema needs too much stack or time at any useful depth.
    """
    entries = list(_entries(prepared.definitions))
    in_place = _InPlace(prepared.definitions)
    costs = [in_place.cost(node) for node in entries]
    hops = max((cost.hops for cost in costs), default=0)
    if hops > _MAX_HOPS:
        raise DocumentError(f"more than {_MAX_HOPS} schemas in a row are applied to one value")
    if max((cost.evaluations for cost in costs), default=0) > _MAX_EVALUATIONS:
        raise DocumentError(f"more than {_MAX_EVALUATIONS:,} schemas are applied to one value")
    inside = _InnerEvaluations(in_place)
    for node in entries:
        inside.count(node)
    return min(MAX_DEPTH, _MAX_STACK // max(hops, 1))


def _entries(definitions: JsonObject) -> Iterator[JsonObject]:
    """Yield the schemas that are applied first to a value and have subschemas: definitions, properties and items."""
    waiting = [(node, True) for node in definitions.values()]
    while waiting:
        node, first = waiting.pop()
        if isinstance(node, dict):
            if first and not APPLICATORS.isdisjoint(node):
                yield node
            waiting.extend(
                (inner, keyword not in IN_PLACE) for keyword, _, inner in subschema_entries(node)
            )


class _Inner(NamedTuple):
    """The subschemas of one node for the values inside its value, with the targets of their references.

    Attributes:
        named: those with subschemas, by the property or the index of the item.
        members, items: those of all other properties and items.
    """

    named: tuple[tuple[str | int | None, JsonObject], ...]
    members: tuple[Any, ...]
    items: tuple[Any, ...]

    @property
    def targets(self) -> Iterator[JsonObject]:
        """Yield the subschemas with subschemas."""
        yield from (target for _, target in self.named)
        for target in (*self.members, *self.items):
            if isinstance(target, dict) and not APPLICATORS.isdisjoint(target):
                yield target


class _InPlace:
    """In-place subschemas and their costs. A prepared schema has no in-place loops."""

    def __init__(self, definitions: JsonObject) -> None:
        self._definitions = definitions
        self._costs: dict[int, _Cost] = {}
        self._parts: dict[int, list[JsonObject]] = {}
        self._inner: dict[int, _Inner] = {}

    def cost(self, node: JsonObject) -> _Cost:
        """Return the cost of a node and of its in-place subschemas, each computed once."""
        stack = [] if id(node) in self._costs else [node]
        while stack:
            top = stack[-1]
            parts = self.parts(top)
            new = [part for part in parts if id(part) not in self._costs]
            if not new:
                self._costs[id(top)] = self._sum_costs(top, parts)
                stack.pop()
            stack.extend(new)
        return self._costs[id(node)]

    def parts(self, node: JsonObject) -> list[JsonObject]:
        """Return the schemas that a schema applies to the same value, including the target of ``$ref``."""
        known = self._parts.get(id(node))
        if known is None:
            known = [part for part in in_place(node) if isinstance(part, dict)]
            reference = node.get("$ref")
            target = (
                self._definitions[reference[len(REFERENCE) :]]
                if isinstance(reference, str)
                else None
            )
            if isinstance(target, dict):
                known.append(target)
            self._parts[id(node)] = known
        return known

    def target(self, node: JsonObject) -> Any:
        """Return the target of a node that contains only ``$ref``; else the node."""
        while node.keys() == {"$ref"}:
            (target,) = self.parts(node) or (None,)
            if target is None:
                break
            node = target
        return node

    def applied(self, node: JsonObject) -> Iterator[JsonObject]:
        """Yield a schema and all schemas that it applies to the same value, repeated as often as they are applied."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(self.parts(part))

    def inner(self, part: JsonObject) -> _Inner:
        """Return the subschemas of a node for the values inside its value."""
        known = self._inner.get(id(part))
        if known is None:
            named: list[tuple[str | int | None, JsonObject]] = []
            members: list[Any] = []
            items: list[Any] = []
            for keyword, key, inner in subschema_entries(part):
                target = self.target(inner) if isinstance(inner, dict) else inner
                if keyword in {"properties", "prefixItems"}:
                    if isinstance(target, dict) and not APPLICATORS.isdisjoint(target):
                        named.append((key, target))
                elif keyword in {"items", "contains", "unevaluatedItems"}:
                    items.append(target)
                elif keyword not in IN_PLACE:
                    members.append(target)
            known = self._inner[id(part)] = _Inner(tuple(named), tuple(members), tuple(items))
        return known

    def _sum_costs(self, node: JsonObject, parts: Iterable[JsonObject]) -> _Cost:
        costs = [self._costs[id(part)] for part in parts]
        evaluations = sum(cost.evaluations for cost in costs)
        twice = any(
            keyword in node for keyword in UNEVALUATED
        )  # once for the verdict, once to collect the evaluated properties or items
        return _Cost(
            1 + max(cost.hops for cost in costs) if costs else 0,
            min(1 + evaluations * (2 if twice else 1), _MAX_EVALUATIONS + 1),
            1 + sum(cost.applied for cost in costs),
            any(self.inner(node)) or any(cost.has_inner for cost in costs),
        )


class _InnerEvaluations:
    """The maximum number of evaluations of a value inside a value, along one path.

    Recursion counts once: the engine remembers the verdict of a schema that it is evaluating. A schema without
    subschemas for a named property or item counts as part of the schema around it.
    """

    def __init__(self, in_place: _InPlace) -> None:
        self._in_place = in_place
        self._known: dict[int, int] = {}
        self._entered: set[int] = set()
        self._visits = 0

    def count(self, node: JsonObject) -> None:
        """Count the evaluations of a node and of those inside it.

        Raises:
            DocumentError: they are too many, or counting them takes too many visits.
        """
        stack = [self._in_place.target(node)]
        while stack:
            top = stack[-1]
            if id(top) in self._known:
                stack.pop()
                continue
            self._entered.add(id(top))
            cost = self._in_place.cost(top)
            if not cost.has_inner:
                self._add_known(top, cost.applied)
                continue
            applied = [self._in_place.inner(part) for part in self._in_place.applied(top)]
            self._visits += sum(1 + sum(map(len, inner)) for inner in applied)
            if self._visits > _MAX_VISITS:
                raise DocumentError(f"its parts lead to more than {_MAX_VISITS:,} subschemas")
            targets = (target for inner in applied for target in inner.targets)
            new = [target for target in targets if id(target) not in self._entered]
            if not new:
                self._add_known(top, self._most_evaluations(applied))
            stack.extend(new)

    def _add_known(self, node: JsonObject, evaluations: int) -> None:
        if evaluations > _MAX_INNER_EVALUATIONS:
            raise DocumentError(
                f"one value is evaluated more than {_MAX_INNER_EVALUATIONS:,} times"
            )
        self._known[id(node)] = evaluations

    def _most_evaluations(self, applied: list[_Inner]) -> int:
        """Return the number of evaluations of the member or item with the most."""
        named: dict[Any, int] = {}
        for inner in applied:
            for key, target in inner.named:
                named[key] = named.get(key, 0) + self._known.get(id(target), 1)
        any_member = sum(self._known.get(id(t), 1) for inner in applied for t in inner.members)
        any_item = sum(self._known.get(id(t), 1) for inner in applied for t in inner.items)
        return max(len(applied), max(named.values(), default=0) + max(any_member, any_item))
