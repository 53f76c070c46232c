"""Test whether the branches of a union are disjoint."""

from collections.abc import Sequence
from typing import Any, Final

from specfn._internal.json import JsonObject, identity, kind_of
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.root_facts import types_of, values_of

_KINDS: Final = ("array", "boolean", "null", "number", "object", "string")

#: The maximum number of references that are followed from one branch.
_MAX_REFERENCES: Final = 10

#: The maximum number of nested unions that are searched for tags.
_MAX_UNIONS: Final = 200


def are_exclusive(named: DefinitionLookup, branches: Sequence[Any]) -> bool:
    """Return whether no value is valid against two branches, so that "any" means "exactly one".

    The branches differ in their types, in their constants, or in the constants of a property that all require.
    """
    resolved = [_resolve(named, branch) for branch in branches if branch is not False]
    for kind in _KINDS:
        alike = [node for node in resolved if node is None or kind in _kinds(node)]
        if len(alike) > 1 and not _differ(named, alike, kind):
            return False
    return True


def are_tagged(
    named: DefinitionLookup, branches: Sequence[Any], tag: str, *, required: bool = True
) -> bool:
    """Return whether every branch of a union has a property with constants that selects the branch.

    Branches may share a constant. A branch that is a union decides by its own branches; null needs no tag. With
    ``required``, every branch must also require the property.
    """
    waiting = [*branches]
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_UNIONS:
        branch = waiting.pop()
        node = _resolve(named, branch)
        if branch is False:
            continue
        if node is None:
            return False
        if (
            id(node) in seen
            or _kinds(node) == {"null"}
            or _constants(named, node, tag, required=required) is not None
        ):
            continue
        seen.add(id(node))
        union = node.get("anyOf") or node.get("oneOf")
        if not union:
            return False
        waiting += union
    return not waiting


def _resolve(named: DefinitionLookup, node: Any) -> JsonObject | None:
    """Return the schema behind the references of a branch; ``None`` if it accepts anything or leads nowhere."""
    for _ in range(_MAX_REFERENCES):
        if not isinstance(node, dict):
            return None
        if "$ref" not in node:
            return node
        name = named.name_of(node["$ref"])
        node = None if name is None else named[name]
    return None


def _kinds(node: JsonObject) -> set[str]:
    """Return the types that a schema accepts. An integer counts as a number."""
    values = values_of(node)
    if values is not None:
        kinds = {kind_of(value) for value in values}
    elif "type" in node:
        declared, null = types_of(node)
        kinds = {*declared, *(["null"] if null else [])}
    else:
        return set(_KINDS)
    return {"number" if kind == "integer" else kind for kind in kinds}


def _differ(named: DefinitionLookup, nodes: list[JsonObject | None], kind: str) -> bool:
    """Return whether constants distinguish schemas of one type."""
    if _are_disjoint([None if node is None else values_of(node) for node in nodes]):
        return True
    if kind != "object" or nodes[0] is None:
        return False
    return any(
        _are_disjoint([_constants(named, node, name) for node in nodes])
        for name in nodes[0].get("required", ())
    )


def _constants(
    named: DefinitionLookup, node: JsonObject | None, name: str, *, required: bool = True
) -> list[Any] | None:
    """Return the constants of a property, which must be required unless said otherwise."""
    if node is None or (required and name not in node.get("required", ())):
        return None
    inner = _resolve(named, node.get("properties", {}).get(name))
    return None if inner is None else values_of(inner)


def _are_disjoint(lists: list[list[Any] | None]) -> bool:
    seen: set[Any] = set()
    for values in lists:
        own = {identity(value) for value in values or ()}
        if values is None or not seen.isdisjoint(own):
            return False
        seen |= own
    return True
