"""Limits of a document's schemas whose references are expanded (rule V1, threat T17).

A few lines of YAML aliases can expand to millions of schemas. Each object is counted once and its count is reused, so
the time is in proportion to the text. A second check finds long or wide chains of references that apply to one value.
It is linear in the number of components. Only for a document that fails it, each operation is tried.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import component_of
from specfn.schema.walk import in_place, subschemas

#: The maximum number of schemas that a function's arguments may be checked against.
MAX_NODES: Final = 500_000


class Unfolding:
    """A counter of the schemas of one document, with a cache by object."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._counts: dict[int, int] = {}
        self._targets: dict[int, tuple[str, ...]] = {}

    def nodes(self, roots: Iterable[Any]) -> int:
        """Return the number of schemas in some roots and in every component that they reach, with repetition."""
        total = 0
        reached: set[str] = set()
        waiting = list(roots)
        while waiting:
            schema = waiting.pop()
            total += self._count(schema)
            new = [name for name in self._names(schema) if name not in reached]
            reached.update(new)
            waiting.extend(self._schemas[name] for name in dict.fromkeys(new))
        return total

    def _count(self, root: Any) -> int:
        """Return the number of schemas at and below a root. The count of each object is reused."""
        work: list[tuple[Any, bool]] = [(root, False)]
        while work:
            node, ready = work.pop()
            if not isinstance(node, dict) or id(node) in self._counts:
                continue
            below = [*subschemas(node)]
            if ready:
                self._counts[id(node)] = 1 + sum(self._count_of(item) for item in below)
            else:
                work.append((node, True))
                work.extend((item, False) for item in below)
        return self._count_of(root)

    def _count_of(self, node: Any) -> int:
        return self._counts[id(node)] if isinstance(node, dict) else 1

    def _names(self, root: Any) -> tuple[str, ...]:
        """Return the components that a schema refers to. Each object is visited once."""
        if not isinstance(root, dict):
            return ()
        if id(root) not in self._targets:
            names: dict[str, None] = {}
            seen: set[int] = set()
            waiting: list[Any] = [root]
            while waiting:
                node = waiting.pop()
                if not isinstance(node, dict) or id(node) in seen:
                    continue
                seen.add(id(node))
                name = component_of(node.get("$ref"))
                if name is not None and name in self._schemas:
                    names[name] = None
                waiting.extend(subschemas(node))
            self._targets[id(root)] = tuple(names)
        return self._targets[id(root)]


#: The cost of a component while it is open: one that leads back to itself in place adds nothing.
_OPEN: Final = (0, 0)

#: Limits of hops, and of schemas applied to one value. Ordinary documents stay far below them.
_MAX_HOPS: Final = 40
_MAX_APPLICATIONS: Final = 10_000


def is_suspicious(schemas: JsonObject) -> bool:
    """Return whether a chain of components applied to one value is so long or wide that it must be tried."""
    costs: dict[str, tuple[int, int]] = {}
    for start in schemas:
        if start in costs:
            continue
        costs[start] = _OPEN
        work = [(start, iter(_inner(schemas, start)))]
        while work:
            name, rest = work[-1]
            target = next((target for target, _ in rest if target not in costs), None)
            if target is not None:
                costs[target] = _OPEN
                work.append((target, iter(_inner(schemas, target))))
                continue
            work.pop()
            inner = _inner(schemas, name)
            hops = max((depth + costs[target][0] for target, depth in inner), default=0)
            applications = 1 + sum(costs[target][1] for target, _ in inner)
            if hops > _MAX_HOPS or applications > _MAX_APPLICATIONS:
                return True
            costs[name] = (hops, applications)
    return False


def _inner(schemas: JsonObject, name: str) -> list[tuple[str, int]]:
    return [(target, depth) for target, depth in _in_place(schemas[name]) if target in schemas]


def _in_place(schema: Any) -> Iterator[tuple[str, int]]:
    """Yield the components that a schema applies to its own value, with the number of hops."""
    stack = [(schema, 1)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, dict):
            name = component_of(node.get("$ref"))
            if name is not None:
                yield name, depth
            stack.extend((item, depth + 1) for item in in_place(node))
