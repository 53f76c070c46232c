"""What a place takes, as far as a repair must know: its types, its texts, whether any text will do (rule V7)."""

from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import parts_in_place
from specfn.validation.compile.prepare import Prepared
from specfn.validation.explain.schema_shapes import Shapes

#: The most schemas of one place that are looked at.
_LOOKED: Final = 200

#: Schema keywords under which a number's digits could mean something else than the number.
_SPELLED: Final = ("pattern", "format", "contentEncoding", "contentMediaType")


class Facts:
    """Facts about the places of one prepared schema."""

    def __init__(self, prepared: Prepared, shapes: Shapes) -> None:
        """Take a schema and what is known of its nodes."""
        self._origins = prepared.origins
        self._shapes = shapes
        self._texts: dict[int, dict[str, list[str]]] = {}
        self._any_text: dict[int, bool] = {}

    def takes(self, node: Any, kind: str) -> bool:
        """Whether some value of a JSON Schema type can be right in a place."""
        types = self._shapes.types(node)
        return types is None or kind in types

    def alike(self, node: Any, text: str) -> list[str]:
        """Return the constants of a place that are a text but for the case of its letters."""
        if not isinstance(node, dict):
            return []
        found = self._texts.get(id(node))
        if found is None:
            found = self._texts[id(node)] = self._folded(node)
        return found.get(text.lower(), [])

    def is_any_text(self, node: Any) -> bool:
        """Whether a place takes texts and nothing else, and the document does not say how they are spelled."""
        if not isinstance(node, dict) or self._shapes.types(node) != frozenset({"string"}):
            return False
        found = self._any_text.get(id(node))
        if found is None:
            parts = (self._origins.get(id(part), part) for part in self._everything(node))
            found = not any(keyword in part for part in parts for keyword in _SPELLED)
            self._any_text[id(node)] = found
        return found

    def _folded(self, node: JsonObject) -> dict[str, list[str]]:
        """Return the constants of a place that are texts, each once, by their lower case."""
        found: dict[str, None] = {}
        for part in self._everything(node):
            constants = [part["const"]] if "const" in part else part.get("enum", ())
            found.update((text, None) for text in constants if type(text) is str)
        folded: dict[str, list[str]] = {}
        for text in found:
            folded.setdefault(text.lower(), []).append(text)
        return folded

    def _everything(self, node: Any) -> Iterator[JsonObject]:
        """Every schema that may speak of the same value, in whatever branch."""
        waiting: list[Any] = [node]
        seen: set[int] = set()
        while waiting and len(seen) < _LOOKED:
            part = self._shapes.target(waiting.pop())
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part
                waiting.extend(self._shapes.whole(part))
                waiting.extend(parts_in_place(part))
