"""Facts about the places of a schema for repairs: accepted types, text constants, and unrestricted strings (rule V7)."""

from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import parts_in_place
from specfn.validation.compile.prepare import PreparedSchema
from specfn.validation.explain.schema_shapes import SchemaShapes

#: The maximum number of schemas of one place that are read.
_MOST_SCHEMAS: Final = 200

#: Keywords of strings whose digits may not be a number.
_SPELLED: Final = ("pattern", "format", "contentEncoding", "contentMediaType")


class SchemaFacts:
    """Facts about the places of one prepared schema."""

    def __init__(self, prepared: PreparedSchema, shapes: SchemaShapes) -> None:
        """Accept a schema and the facts of its nodes."""
        self._origins = prepared.origins
        self._shapes = shapes
        self._texts: dict[int, dict[str, list[str]]] = {}
        self._any_text: dict[int, bool] = {}

    def accepts_type(self, node: Any, kind: str) -> bool:
        """Return whether a place accepts some value of a JSON Schema type."""
        types = self._shapes.types(node)
        return types is None or kind in types

    def same_ignoring_case(self, node: Any, text: str) -> list[str]:
        """Return the text constants of a place that equal a text apart from case."""
        if not isinstance(node, dict):
            return []
        found = self._texts.get(id(node))
        if found is None:
            found = self._texts[id(node)] = self._texts_by_lower_case(node)
        return found.get(text.lower(), [])

    def is_any_text(self, node: Any) -> bool:
        """Return whether a place accepts only strings, and the document declares no syntax for them."""
        if not isinstance(node, dict) or self._shapes.types(node) != frozenset({"string"}):
            return False
        found = self._any_text.get(id(node))
        if found is None:
            parts = (self._origins.get(id(part), part) for part in self._applicable_schemas(node))
            found = not any(keyword in part for part in parts for keyword in _SPELLED)
            self._any_text[id(node)] = found
        return found

    def _texts_by_lower_case(self, node: JsonObject) -> dict[str, list[str]]:
        """Return the distinct text constants of a place by their lower case."""
        found: dict[str, None] = {}
        for part in self._applicable_schemas(node):
            constants = [part["const"]] if "const" in part else part.get("enum", ())
            found.update((text, None) for text in constants if type(text) is str)
        folded: dict[str, list[str]] = {}
        for text in found:
            folded.setdefault(text.lower(), []).append(text)
        return folded

    def _applicable_schemas(self, node: Any) -> Iterator[JsonObject]:
        """Yield each schema that may apply to the same value, in any branch."""
        waiting: list[Any] = [node]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST_SCHEMAS:
            part = self._shapes.target(waiting.pop())
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part
                waiting.extend(self._shapes.conjuncts(part))
                waiting.extend(parts_in_place(part))
