"""The number of nodes that the engine compiles for a subschema: its own, and those of each definition that it reaches."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import subschemas
from specfn.validation.compile.prepare import REFERENCE


class ReachableSizes:
    """The sizes of subschemas of one prepared schema. Each definition is walked once."""

    def __init__(self, definitions: JsonObject) -> None:
        self._definitions: Final = definitions
        self._own: dict[str, tuple[int, tuple[str, ...]]] = {}

    def of(self, schema: Any) -> int:
        """Return the number of nodes of a schema and of the definitions that it reaches, each once."""
        total, waiting = _size(schema)
        reached = set(waiting)
        stack = [*reached]
        while stack:
            name = stack.pop()
            own = self._own.get(name)
            if own is None:
                own = self._own[name] = _size(self._definitions[name])
            total += own[0]
            new = [target for target in own[1] if target not in reached]
            reached.update(new)
            stack.extend(new)
        return total


def _size(schema: Any) -> tuple[int, tuple[str, ...]]:
    """Return the number of nodes of a schema, and the definitions that they refer to, each once."""
    nodes = 0
    names: dict[str, None] = {}
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            nodes += 1
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(REFERENCE):
                names[reference[len(REFERENCE) :]] = None
            stack.extend(inner for _, _, inner in subschemas(node))
            stack.extend(node.get("$defs", {}).values())  # those of a level of an explanation
    return nodes, tuple(names)
