"""Upgrade of schemas with shared parts (YAML aliases, a caller's ``dict``): each part is upgraded once.

In a few lines of YAML, aliases of aliases can represent millions of schemas. The upgrade costs as much as the
lines, and its result shares the same parts.
"""

from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn.document.upgrade.schemas import MAX_DEPTH, SchemaUpgrade


class _UpgradedNode(NamedTuple):
    """An upgraded node.

    Attributes:
        node: the node. The reference keeps its ``id`` from being reused.
        upgraded: the result.
        nodes: the number of schemas below it; a shared schema counts at each of its locations.
        height: the largest number of schema levels below it.
        asked: whether a schema below it depends on the component around it.
    """

    node: JsonObject
    upgraded: Any
    nodes: int
    height: int
    asked: bool


class SharedUpgrade(SchemaUpgrade):
    """Upgrade of each schema of a graph once, at however many locations it occurs.

    The result for a node depends on the enclosing schema into which references lead. For nodes that are cut at the
    depth limit, or depend on the component around them, it depends on the depth or the component as well.
    """

    shared = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._anywhere: dict[tuple[int, int], _UpgradedNode] = {}
        self._here: dict[tuple[int, int, int, str | None], _UpgradedNode] = {}
        #: The deepest schema, and whether the component was needed, since the innermost node began.
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
        height = self._deepest - depth + 1  # plain schemas below the deepest are not counted
        known = _UpgradedNode(node, upgraded, self.nodes - outside[2], height, self._asked)
        if self._asked or depth + height > MAX_DEPTH:
            self._here[here] = known
        else:
            self._anywhere[key] = known
        self._deepest, self._asked = outside[:2]
        self._note(known, depth)
        return upgraded

    def _note(self, known: _UpgradedNode, depth: int) -> None:
        """Pass the facts about a node to the nodes around it."""
        self._deepest = max(self._deepest, depth + known.height - 1)
        self._asked = self._asked or known.asked

    def _own(self) -> str | None:
        self._asked = True
        return super()._own()
