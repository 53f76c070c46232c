"""Look-up of definitions by reference, in the components of a document or in the ``$defs`` of a schema."""

from typing import Any, Protocol
from urllib.parse import unquote

from specfn._internal.json import JsonObject
from specfn._internal.pointer import unescape
from specfn.schema.compose.root_facts import values_of

_DEFS = "#/$defs/"


class DefinitionLookup(Protocol):
    """Definitions by name."""

    def name_of(self, reference: str) -> str | None:
        """Return the name of the definition that a reference names; ``None`` if it leads nowhere."""

    def __getitem__(self, name: str) -> Any:
        """Return a definition."""


class OwnDefinitions:
    """The definitions of schemas that contain them in ``$defs``. Equal names must mean the same schema."""

    def __init__(self) -> None:
        self._schemas: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._schemas[name]

    def add(self, definitions: JsonObject) -> bool:
        """Add definitions, unless a different schema with one of their names is already known."""
        known = self._schemas
        if any(name in known and known[name] is not node for name, node in definitions.items()):
            return False
        known.update(definitions)
        return True

    def name_of(self, reference: str) -> str | None:
        """Return the name of the definition that a reference names, percent-encoded or not (RFC 6901, section 6)."""
        if not reference.startswith(_DEFS):
            return None
        name = reference.removeprefix(_DEFS)
        if name in self._schemas:
            return name

        name = unescape(unquote(name))
        return name if name in self._schemas else None


def takes_null(named: DefinitionLookup, schema: Any) -> bool:
    """Return whether null is certainly valid against a schema, by its types, constants and branches."""
    seen: set[str] = set()
    waiting = [schema]
    for _ in range(_MAX_SCHEMAS):
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
    """Return whether a schema by itself accepts null; ``False`` if that cannot be decided simply."""
    values = values_of(node)
    if (values is not None and None not in values) or not _HARD.isdisjoint(node):
        return False
    kinds = node.get("type", "null")
    return node.get("nullable") is True or "null" in ([kinds] if isinstance(kinds, str) else kinds)


#: The maximum number of schemas that are visited, and the keywords that cannot be decided simply.
_MAX_SCHEMAS = 200
_HARD = frozenset({"allOf", "not", "if"})
