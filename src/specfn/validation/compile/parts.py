"""Parts of a schema that are only decided as a whole, and explained only if they fail.

These are:

* schemas that are not conjunctive: unions, conditions, dependent schemas;
* keywords with large errors: the engine copies the value and the keyword into each error. A thousand missing
  properties of a large object, or an enum of thousands for a thousand items, would not fit into memory;
* the members of maps: the engine's errors do not distinguish the keys ``"7"``, ``"07"`` and ``7``, and omit ``""``;
* subschemas beyond the size of one level.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import ASSERTIONS

_UNIONS: Final = ("anyOf", "oneOf")
_CONDITION: Final = ("if", "then", "else")

#: Keywords whose errors are never the engine's: it reports each name apart, with a copy of the object.
_NAMES: Final = ("propertyNames", "dependentRequired")

#: The maximum number of names of ``required``, values of an ``enum`` or characters of a ``pattern`` in errors.
_COPIED: Final[Mapping[str, int]] = {"required": 16, "enum": 16, "pattern": 200}


class SchemaPart(NamedTuple):
    """One part of a node.

    Attributes:
        keyword: its schema keyword.
        holder: the prepared node.
        schema: a schema of this part alone, with the same verdict.
        key: the property of a dependent schema, if the part is only one of them.
    """

    keyword: str
    holder: JsonObject
    schema: JsonObject
    key: str | None = None


def parts_of(node: JsonObject) -> list[SchemaPart]:
    """Return the parts of a node that are decided as a whole."""
    return list(_parts(node))


def is_small(node: Any) -> bool:
    """Return whether a node without subschemas is small enough to be copied into every error."""
    return not isinstance(node, dict) or not any(_is_long(node, key) for key in node)


def own_assertions(node: JsonObject) -> JsonObject:
    """Return the assertions of a node about the value itself, except those that are decided as a whole."""
    return {
        key: value
        for key, value in node.items()
        if key in ASSERTIONS and key not in _NAMES and not _is_long(node, key)
    }


def _parts(node: JsonObject) -> Iterator[SchemaPart]:
    for key in node:
        if key in _NAMES or key == "not" or _is_long(node, key):
            yield SchemaPart(key, node, {key: node[key]})
    yield from _members(node)
    for key in _UNIONS:
        if key in node:
            yield SchemaPart(key, node, {key: node[key]})
    if "if" in node:
        yield SchemaPart("if", node, {key: node[key] for key in _CONDITION if key in node})
    if "dependentSchemas" in node:
        yield SchemaPart("dependentSchemas", node, {"dependentSchemas": node["dependentSchemas"]})


def is_ambiguous_name(name: str) -> bool:
    """Return whether the engine's errors may contain a property name in another form."""
    return not name or name[0].isdigit() or name[0] in "+-"


def declared_names(node: JsonObject) -> JsonObject:
    """Return the declared names and patterns of a node without their schemas. ``additionalProperties`` needs them beside it."""
    return {
        keyword: dict.fromkeys(node[keyword], True)
        for keyword in ("properties", "patternProperties")
        if keyword in node
    }


def _members(node: JsonObject) -> Iterator[SchemaPart]:
    odd = {
        name: schema
        for name, schema in node.get("properties", {}).items()
        if is_ambiguous_name(name)
    }
    if odd:
        yield SchemaPart("properties", node, {"properties": odd})
    if "patternProperties" in node:
        yield SchemaPart(
            "patternProperties", node, {"patternProperties": node["patternProperties"]}
        )
    if isinstance(node.get("additionalProperties"), dict):
        part = {**declared_names(node), "additionalProperties": node["additionalProperties"]}
        yield SchemaPart("additionalProperties", node, part)


def _is_long(node: JsonObject, keyword: str) -> bool:
    """Return whether a keyword of a node is too large to be copied into errors."""
    value = node[keyword]
    if keyword == "const":
        return type(value) is dict or type(value) is list
    if keyword not in _COPIED:
        return False
    return len(value) > _COPIED[keyword] or (keyword == "enum" and not all(map(_is_short, value)))


def _is_short(value: Any) -> bool:
    return type(value) is not dict and type(value) is not list
