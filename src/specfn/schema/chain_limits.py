"""Detection of long or wide chains of references that apply to one value (rule V1, threat T17).

The check is linear in the number of components. Only for a document that fails it, each operation is tried.
"""

from collections.abc import Iterator
from typing import Any

from specfn._internal.json import JsonObject
from specfn.schema.compose.polymorphism import component_of
from specfn.schema.walk import in_place

#: Limits of hops, and of schemas applied to one value. Ordinary documents stay far below them.
_HOPS = 40
_LOOKS = 10_000


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
            looks = 1 + sum(costs[target][1] for target, _ in inner)
            if hops > _HOPS or looks > _LOOKS:
                return True
            costs[name] = (hops, looks)
    return False


#: The cost of a component while it is open: one that leads back to itself in place adds nothing.
_OPEN = (0, 0)


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
