"""How large a schema is where everything stands that it refers to or shares (rule V1, threat T17).

A few lines of YAML aliases unfold to millions of schemas. Each object is counted once and its count is used
wherever it stands, so counting takes as long as the text, not as what the text unfolds to.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn._json import JsonObject
from specfn.schema.polymorphism import component_of
from specfn.schema.walk import LISTS, MAPS, SINGLES

#: The most schemas that a function's arguments may be checked against.
MAX_NODES: Final = 500_000


class Unfolding:
    """Counts schemas of one document; keeps what it knows of each object."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas
        self._counts: dict[int, int] = {}
        self._targets: dict[int, tuple[str, ...]] = {}

    def nodes(self, roots: Iterable[Any]) -> int:
        """The schemas in some roots and in every component that they reach, shared ones wherever they stand."""
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
        work: list[tuple[Any, bool]] = [(root, False)]
        while work:
            node, ready = work.pop()
            if not isinstance(node, dict) or id(node) in self._counts:
                continue
            below = [*_below(node)]
            if ready:
                self._counts[id(node)] = 1 + sum(self._known(item) for item in below)
            else:
                work.append((node, True))
                work.extend((item, False) for item in below)
        return self._known(root)

    def _known(self, node: Any) -> int:
        return self._counts[id(node)] if isinstance(node, dict) else 1

    def _names(self, root: Any) -> tuple[str, ...]:
        """The components that a schema refers to, each object looked at once."""
        if not isinstance(root, dict):
            return ()
        if id(root) not in self._targets:
            found: dict[str, None] = {}
            seen: set[int] = set()
            waiting: list[Any] = [root]
            while waiting:
                node = waiting.pop()
                if not isinstance(node, dict) or id(node) in seen:
                    continue
                seen.add(id(node))
                name = component_of(node.get("$ref"))
                if name is not None and name in self._schemas:
                    found[name] = None
                waiting.extend(_below(node))
            self._targets[id(root)] = tuple(found)
        return self._targets[id(root)]


def _below(node: JsonObject) -> Iterator[Any]:
    for key, value in node.items():
        if key in SINGLES:
            yield value
        elif key in LISTS:
            yield from value
        elif key == "properties" or key in MAPS:
            yield from value.values()
