"""Schemas derived from others: with null, without null, or with one of their types."""

from collections.abc import Callable
from typing import Any, Final

from specfn._internal.json import JsonObject, is_of_type
from specfn.schema.compose.merge import CONTRADICTION, is_annotation
from specfn.schema.compose.root_facts import MORE, is_numeric
from specfn.schema.vocabulary import BEYOND, BY_TYPE

NULL: Final[JsonObject] = {"type": "null"}

_UNIONS = ("anyOf", "oneOf")

#: Keywords of structure. A union next to them is only described.
STRUCTURE: Final = frozenset(
    "additionalProperties items patternProperties prefixItems properties required".split()
)


def is_union(node: JsonObject) -> bool:
    """Return whether a schema is rendered as a union of its branches."""
    return ("anyOf" in node or "oneOf" in node) and STRUCTURE.isdisjoint(node)


class Derived:
    """A cache of derived schemas. The same source gives the same object, so each is rendered once."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, str], tuple[JsonObject, JsonObject]] = {}

    def make(
        self, node: JsonObject, what: str, maker: Callable[[JsonObject], JsonObject]
    ) -> JsonObject:
        """Return what ``maker`` returns for a schema, cached by the schema and ``what``.

        The cache keeps the source, because its identity is a part of the key.
        """
        entry = self._made.get((id(node), what))
        if entry is None:
            entry = self._made[id(node), what] = (node, maker(node))
        return entry[1]

    def with_null(self, node: JsonObject) -> JsonObject:
        """Return a schema that also accepts null."""
        return self.make(node, "null", _with_null)

    def without_null(self, node: JsonObject) -> JsonObject:
        """Return the schema without null and without annotations."""
        return self.make(node, "bare", _without_null)

    def nullable_as_type(self, node: JsonObject) -> JsonObject:
        """Return the schema with ``nullable`` (OpenAPI 3.0) expressed as a type."""
        return self.make(node, "nullable", _nullable_as_type)

    def with_types(self, node: JsonObject, kinds: list[str]) -> JsonObject:
        """Return the schema with the types ``kinds``, unless it declares types or is a reference."""
        if "type" in node or "$ref" in node:
            return node
        kind = kinds[0] if len(kinds) == 1 else kinds
        return self.make(node, f"typed {kinds}", lambda inner: {"type": kind, **inner})

    def for_type(self, node: JsonObject, kind: str, values: list[Any] | None) -> JsonObject:
        """Return a schema for one of several types: the keywords and constants that apply to it."""
        return self.make(node, f"as {kind}", lambda inner: _for_type(inner, kind, values))


def _with_null(node: JsonObject) -> JsonObject:
    kinds = node.get("type")
    union = [key for key in _UNIONS if key in node]
    if kinds is None and len(union) == 1 and is_union(node) and _values(node) is None:
        rest = {key: value for key, value in node.items() if key not in _UNIONS}
        return {**rest, union[0]: [*node[union[0]], NULL]}
    whole = "$ref" in node or is_union(node)
    if kinds is None and _values(node) is not None and not whole:
        rest = {key: value for key, value in node.items() if key != "const"}
        return {**rest, "enum": [*(_values(node) or ()), None]}
    if kinds is None or whole:
        annotations = {key: value for key, value in node.items() if is_annotation(key)}
        inner = {key: value for key, value in node.items() if not is_annotation(key)}
        return {**annotations, "anyOf": [inner, NULL]}
    out = {key: value for key, value in node.items() if key != "const"}
    out["type"] = [*([kinds] if isinstance(kinds, str) else kinds), "null"]
    values = _values(node)
    if values is not None:
        out["enum"] = [*values, None]
    return out


def _without_null(node: JsonObject) -> JsonObject:
    out = {key: value for key, value in node.items() if not is_annotation(key)}
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    if kinds:
        out["type"] = kinds[0] if len(kinds) == 1 else kinds
    values = _values(node)
    if values is not None:
        out.pop("const", None)
        out["enum"] = [value for value in values if value is not None]
    if MORE in node:
        out["additionalProperties"] = True
    if CONTRADICTION in node:
        out[CONTRADICTION] = node[CONTRADICTION]
    return out


def _nullable_as_type(node: JsonObject) -> JsonObject:
    out = _with_null({key: value for key, value in node.items() if key != "nullable"})
    return out if "type" in node else {k: v for k, v in node.items() if k != "nullable"}


def _for_type(node: JsonObject, kind: str, values: list[Any] | None) -> JsonObject:
    part: JsonObject = {"type": kind}
    part.update({key: node[key] for key in BY_TYPE.get(kind, ()) if key in node})
    if not BEYOND.isdisjoint(node):
        part.pop("unevaluatedProperties", None)  # it looks at more than the part
    if "format" in part and (kind == "string") == is_numeric(part["format"]):
        del part["format"]
    if values is not None:
        part["enum"] = [value for value in values if is_of_type(value, kind)]
    return part


def _values(node: JsonObject) -> list[Any] | None:
    if "const" in node:
        return [node["const"]]
    values: list[Any] | None = node.get("enum")
    return values
