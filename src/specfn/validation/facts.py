"""What a place takes, as far as a repair must know: its types, its texts, whether any text will do (rule V7)."""

from collections.abc import Iterator
from typing import Any, Final

from specfn._json import JsonObject
from specfn.validation.keywords import parts_in_place
from specfn.validation.prepare import Prepared
from specfn.validation.shapes import Shapes

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

    def takes(self, node: Any, kind: str) -> bool:
        """Whether some value of a JSON Schema type can be right in a place."""
        types = self._shapes.types(node)
        return types is None or kind in types

    def texts(self, node: Any) -> list[str]:
        """The constants of a place that are texts, each once."""
        found: dict[str, None] = {}
        for part in self._everything(node):
            constants = [part["const"]] if "const" in part else part.get("enum", ())
            found.update((text, None) for text in constants if type(text) is str)
        return list(found)

    def is_any_text(self, node: Any) -> bool:
        """Whether a place takes texts and nothing else, and the document does not say how they are spelled."""
        if self._shapes.types(node) != frozenset({"string"}):
            return False
        parts = (self._origins.get(id(part), part) for part in self._everything(node))
        return not any(keyword in part for part in parts for keyword in _SPELLED)

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
