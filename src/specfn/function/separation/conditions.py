"""Conditions of a schema: the members that they name, and those that also hold for one half."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.walk import IN_PLACE, in_place

_CONDITIONS: Final = ("allOf", "not", "if", "then", "else", "dependentSchemas")
_BRANCHING: Final = ("if", "then", "else")

#: The schema keywords that mean the same for a part of an object, if that part has all members that they name.
_PLAIN: Final = frozenset(
    {
        *("type", "properties", "required", "dependentRequired", "$ref", "discriminator"),
        *("title", "description", "deprecated", *IN_PLACE),
    }
)


def mentioned(node: Any, definitions: DefinitionLookup) -> set[str]:
    """Return the members that a schema names anywhere in place."""
    return {name for each in _in_place([node], definitions) for name in _names(each)}


def _names(node: JsonObject) -> Iterator[str]:
    yield from node.get("properties", ())
    yield from node.get("required", ())
    yield from node.get("dependentSchemas", ())
    for key, names in node.get("dependentRequired", {}).items():
        yield from (key, *names)


def _in_place(schemas: Iterable[Any], definitions: DefinitionLookup) -> Iterator[JsonObject]:
    """Yield schemas and all schemas that they apply to the same value."""
    seen: set[str] = set()
    waiting = list(schemas)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield node
        name = definitions.name_of(node["$ref"]) if "$ref" in node else None
        if name is not None and name not in seen:
            seen.add(name)
            waiting.append(definitions[name])
        waiting += in_place(node)


def kept(node: JsonObject, names: set[str], definitions: DefinitionLookup) -> JsonObject:
    """Return the conditions of a schema that hold without some members, because they name only others."""
    found = {key: node[key] for key in _CONDITIONS if key in node}
    apart = {
        key: _is_apart(_schemas(key, value), names, definitions) for key, value in found.items()
    }
    if not all(apart.get(key, True) for key in _BRANCHING):
        apart |= dict.fromkeys(_BRANCHING, False)
    return {key: value for key, value in found.items() if apart[key]}


def declare(node: JsonObject, out: JsonObject, definitions: DefinitionLookup) -> bool:
    """Return whether the conditions that a half does not have declare members of the whole."""
    left_out = [
        each
        for key in _CONDITIONS
        if key in node and key not in out
        for each in _schemas(key, node[key])
    ]
    return any(not _DECLARING.isdisjoint(each) for each in _in_place(left_out, definitions))


#: Keywords by which an object declares or evaluates a member.
_DECLARING: Final = frozenset({"properties", "patternProperties", "additionalProperties"})


def _schemas(keyword: str, value: Any) -> list[Any]:
    if keyword == "dependentSchemas":
        return [{"required": list(value)}, *value.values()]
    return list(value) if isinstance(value, list) else [value]


def _is_apart(schemas: list[Any], names: set[str], definitions: DefinitionLookup) -> bool:
    return all(
        _PLAIN.issuperset(node) and names.isdisjoint(_names(node))
        for node in _in_place(schemas, definitions)
    )
