"""Schemas of documents whose parts are shared (YAML's aliases, a caller's ``dict``): each is upgraded once.

A few lines of YAML stand for millions of schemas where aliases lead to aliases. Normalizing them costs
what the lines do, and its result shares what the document shares.
"""

from typing import Any, NamedTuple

from specfn._json import JsonObject
from specfn.document.schemas import MAX_DEPTH, SchemaUpgrade


class _Known(NamedTuple):
    """What became of a node.

    Attributes:
        node: the node, held so that no other gets its identity.
        upgraded: what it became.
        nodes: how many schemas lie below it, shared ones counted wherever they stand.
        height: the most levels of schemas that may lie below it.
        asked: whether something below it means the component that it stands in.
    """

    node: JsonObject
    upgraded: Any
    nodes: int
    height: int
    asked: bool


class SharedUpgrade(SchemaUpgrade):
    """Upgrades each schema of a graph once, however often it stands in the document.

    What a node becomes depends on the schema around it whose definitions references look into first; and, for
    the few that are cut for their depth or mean the component that they stand in, on both of these.
    """

    shared = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._anywhere: dict[tuple[int, int], _Known] = {}
        self._here: dict[tuple[int, int, int, str | None], _Known] = {}
        #: The deepest schema, and whether a component was asked for, since the innermost node began.
        self._deepest = 0
        self._asked = False

    def _upgraded(self, node: JsonObject, depth: int) -> Any:
        key = (id(node), id(self._enclosing[0]) if self._enclosing else 0)
        here = (*key, depth, self._current)
        known = self._anywhere.get(key)
        if known is None or depth + known.height > MAX_DEPTH:
            known = self._here.get(here)
        if known is not None:
            self.nodes += known.nodes
            self._note(known, depth)
            return known.upgraded
        outside = self._deepest, self._asked, self.nodes
        self._deepest, self._asked = depth, False
        upgraded = super()._upgraded(node, depth)
        height = self._deepest - depth + 1  # what is plain below the deepest is not seen here
        known = _Known(node, upgraded, self.nodes - outside[2], height, self._asked)
        if self._asked or depth + height > MAX_DEPTH:
            self._here[here] = known
        else:
            self._anywhere[key] = known
        self._deepest, self._asked = outside[:2]
        self._note(known, depth)
        return upgraded

    def _note(self, known: _Known, depth: int) -> None:
        """Tell whoever holds a node what is below it."""
        self._deepest = max(self._deepest, depth + known.height - 1)
        self._asked = self._asked or known.asked

    def _own(self) -> str | None:
        self._asked = True
        return super()._own()
