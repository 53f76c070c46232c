"""Check of fields against the documented response, before a call (rule X12)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

from specfn.answers import FieldNames, covers, field_path
from specfn.function.function import Function
from specfn.migrate.bodies.media_types import EVENT_STREAM, essence

#: The maximum number of schemas that are combined at one place, and of names that are searched for suggestions.
_MOST: Final = 300
_NAMES: Final = 400

#: The maximum number of characters of the line of top-level fields.
_LINE: Final = 300


class DocumentedFields:
    """The fields of the documented response of a function; those of the data of server-sent events.

    Attributes:
        is_documented: true if the document describes the response.
    """

    def __init__(self, function: Function, drop: Sequence[FieldNames] = ()) -> None:
        """Read the composed response of a function.

        Args:
            function: the function.
            drop: the fields that no call can ask for.
        """
        composed = function.schemas.composed
        self._lookup, self._drop = composed.outputs, drop
        self.is_documented = self._lookup is not None and composed.result is not None
        self._root: list[Any] = [composed.result]
        if self.is_documented and sends_events(function):
            self._root = self._step(self._root, "data") or [{}]

    def top(self) -> list[str]:
        """Return the top-level fields; those of the items if the response is an array."""
        return [name for name in self._names(self._root) if not covers(self._drop, (name,))]

    def line(self) -> str:
        """Return the top-level fields in one line of at most 300 characters."""
        text = ""
        names = self.top()
        for index, name in enumerate(names):
            added = f", {name}" if text else name
            if len(text) + len(added) > _LINE - 20:
                return f"{text}, … {len(names) - index} more"
            text += added
        return text

    def unknown(self, paths: Iterable[FieldNames]) -> list[str]:
        """Return a sentence for each path that is not in the documented response."""
        if not self.is_documented:
            return []
        return [self._sentence(path) for path in paths if not self._is_known(path)]

    def _is_known(self, path: FieldNames) -> bool:
        if covers(self._drop, path):
            return False
        schemas: list[Any] = self._root
        for name in path:
            inner = self._step(schemas, name)
            if inner is None:
                return True
            if not inner:
                return False
            schemas = inner
        return True

    def _step(self, schemas: list[Any], name: str | None) -> list[Any] | None:
        """Return the schemas of a field; ``None`` if any name is possible, empty if it is not documented."""
        found: list[Any] = []
        for node in self._flat(schemas):
            properties = node.get("properties") or {}
            extra = node.get("additionalProperties")
            if name is None:
                found += [*properties.values()]
            elif name in properties:
                found.append(properties[name])
            if isinstance(extra, dict) and extra and (name is None or name not in properties):
                found.append(extra)
            patterns = node.get("patternProperties")
            if _is_open(node) or patterns:
                return None
        return found

    def _flat(self, schemas: list[Any]) -> Iterator[dict[str, Any]]:
        """Yield the objects among schemas: references and unions are followed, arrays passed through."""
        waiting, seen = list(schemas), set[int]()
        while waiting and len(seen) < _MOST:
            node = waiting.pop(0)
            if node is True:
                node = {}
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            reference = node.get("$ref")
            if isinstance(reference, str) and self._lookup is not None:
                name = self._lookup.name_of(reference)
                waiting.append(None if name is None else self._lookup[name])
            for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
                waiting.extend(node.get(key) or ())
            if "items" in node:
                waiting.append(node["items"])
            yield node

    def _names(self, schemas: list[Any]) -> list[str]:
        found: dict[str, None] = {}
        for node in self._flat(schemas):
            found.update(dict.fromkeys(node.get("properties") or ()))
        return [*found][:_NAMES]

    def _sentence(self, path: FieldNames) -> str:
        """Return a sentence with the closest documented fields."""
        schemas: list[Any] = self._root
        known: FieldNames = ()
        for name in path:
            inner = self._step(schemas, name)
            if not inner or covers(self._drop, (*known, name)):
                break
            schemas, known = inner, (*known, name)
        shown = json.dumps(field_path(path)[:200], ensure_ascii=True)
        names = [each for each in self._names(schemas) if not covers(self._drop, (*known, each))]
        wanted = path[len(known)] if len(known) < len(path) else path[-1]
        close = get_close_matches(
            (wanted or "*")[:80].lower(), [each.lower() for each in names], n=3, cutoff=0.5
        )
        chosen = [each for each in names if each.lower() in close][:3] or names[:10]
        listed = ", ".join(field_path((*known, each)) for each in chosen)
        return f"{shown} is not a field of the response" + (
            f"; there is {listed}" if listed else ""
        )


def sends_events(function: Function) -> bool:
    """Return whether the documented response is a stream of server-sent events."""
    success = function.route.success
    declared = None if success is None else success.media_type
    return declared is not None and essence(declared) == EVENT_STREAM


def _is_open(node: dict[str, Any]) -> bool:
    """Return whether a schema declares no fields, so that any name is possible."""
    if (
        node.get("properties")
        or {"$ref", "anyOf", "oneOf", "allOf", "items", "prefixItems", "enum", "const"}
        & node.keys()
    ):
        return False
    types = node.get("type")
    is_object = (
        types is None or types == "object" or (isinstance(types, list) and "object" in types)
    )
    extra = node.get("additionalProperties")
    return is_object and extra in (None, True, {})
