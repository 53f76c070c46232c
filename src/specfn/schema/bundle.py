"""What references mean: the components of a document, or the ``$defs`` that a schema carries with it."""

from typing import Any, Protocol

from specfn._json import JsonObject
from specfn._pointer import unescape
from specfn.schema.nodes import values_of

_DEFS = "#/$defs/"


class Named(Protocol):
    """Definitions by name."""

    def name_of(self, reference: str) -> str | None:
        """The definition that a reference means; ``None`` for one that leads nowhere."""

    def __getitem__(self, name: str) -> Any:
        """One definition."""


class Bundle:
    """The definitions of schemas that carry them in ``$defs``; equal names must mean the same."""

    def __init__(self) -> None:
        self._schemas: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._schemas[name]

    def takes(self, definitions: JsonObject) -> bool:
        """Take definitions in, unless one of them has the name of another that is known already."""
        known = self._schemas
        if any(name in known and known[name] is not node for name, node in definitions.items()):
            return False
        known.update(definitions)
        return True

    def name_of(self, reference: str) -> str | None:
        """The definition that a reference means, percent-encoded or not (RFC 6901, section 6)."""
        if not reference.startswith(_DEFS):
            return None
        name = reference.removeprefix(_DEFS)
        if name in self._schemas:
            return name
        from urllib.parse import unquote  # noqa: PLC0415  # most names need no decoding

        name = unescape(unquote(name))
        return name if name in self._schemas else None


def takes_null(named: Named, schema: Any) -> bool:
    """Whether null is surely valid against a schema, by its types, constants and branches."""
    seen: set[str] = set()
    waiting = [schema]
    for _ in range(_MOST):
        if not waiting:
            return False
        node = waiting.pop()
        if not isinstance(node, dict):
            if node is True:
                return True
            continue
        name = named.name_of(node["$ref"]) if "$ref" in node else None
        if name is not None and name not in seen:
            seen.add(name)
            waiting.append(named[name])
        if "$ref" in node or not _may_be_null(node):
            continue
        unions = [node[key] for key in ("anyOf", "oneOf") if key in node]
        if not unions:
            return True
        if len(unions) == 1:
            waiting += unions[0]
    return False


def _may_be_null(node: JsonObject) -> bool:
    """Whether a schema admits null as far as it says itself; one that is hard to tell does not."""
    values = values_of(node)
    if (values is not None and None not in values) or not _HARD.isdisjoint(node):
        return False
    kinds = node.get("type", "null")
    return node.get("nullable") is True or "null" in ([kinds] if isinstance(kinds, str) else kinds)


#: How many schemas are looked at, and what takes more than a look.
_MOST = 200
_HARD = frozenset({"allOf", "not", "if"})
