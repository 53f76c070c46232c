"""Type texts of problems, and the sentence on a schema that a type text does not contain (rules V2, V3)."""

from collections.abc import Mapping
from typing import Any

from specfn.schema.describe import Schema, describe
from specfn.validation.compile.prepare import PreparedSchema
from specfn.validation.sentences import MUST


class TypeTexts:
    """Type texts of one prepared schema, each written once.

    The keys are identities of nodes, which must live as long as the texts. Those of a schema and of its explainer do.
    """

    def __init__(self, prepared: PreparedSchema, definitions: Mapping[str, Schema]) -> None:
        """Accept a schema, and the definitions that type texts may name."""
        self._prepared = prepared
        self._definitions = definitions
        self._texts: dict[tuple[int, bool], str] = {}
        self._expanded: dict[int, str] = {}
        self._more: dict[tuple[int, int], str | None] = {}

    def of(self, node: Any, *, optional: bool = False) -> str:
        """Return the type text of a prepared node, as the given schema declares it."""
        key = (id(node), optional)
        text = self._texts.get(key)
        if text is None:
            text = describe(self._origin(node), self._definitions, optional=optional)
            self._texts[key] = text
        return text

    def expanded(self, node: Any) -> str:
        """Return the type text of a prepared node with its components written out."""
        text = self._expanded.get(id(node))
        if text is None:
            text = describe(self._origin(node), self._definitions, expand=True)
            self._expanded[id(node)] = text
        return text

    def more(self, node: Any, holder: Any) -> str | None:
        """Return a sentence on the schema that failed at a place; ``None`` if the type text of the place contains it."""
        key = (id(node), id(holder))
        if key not in self._more:
            part = self.expanded(node if holder is None else holder)
            self._more[key] = None if part in self.of(node) else f"{MUST}{part}."
        return self._more[key]

    def _origin(self, node: Any) -> Schema:
        return self._prepared.origins.get(id(node), node is not False)
