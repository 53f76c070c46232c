"""Stubs for subtrees that were cut: types, nullability and a label (rule F8)."""

from typing import Any

from specfn._internal.json import JsonObject
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.root_facts import branches_of, types_of, types_of_values, values_of
from specfn.schema.safe_text import clean

#: The maximum number of schemas that are visited for the types of a subtree.
_MOST = 200

#: The maximum number of characters of a component's name.
_NAME = 100


def stub(definitions: DefinitionLookup, label: str, node: Any, *, null_type: bool) -> JsonObject:
    """Return a schema without subschemas that admits every value of the schema that was cut.

    Args:
        definitions: the look-up of references.
        label: the label for the reader.
        node: the composed schema.
        null_type: true if null is a type (dialect 3.1); otherwise ``nullable`` expresses it.
    """
    kinds, nullable = _types(definitions, node)
    text = f"{label} (nested deeper than shown)"
    if kinds is None or not (kinds or nullable):
        return {"description": text}
    if null_type and nullable:
        kinds = [*kinds, "null"]
    alone = [_of_type(kind) for kind in kinds]
    if not alone:
        alone = [{"type": "string", "enum": [None]}]
    if nullable and not null_type:
        alone[0] = {**alone[0], "nullable": True}
    if len(alone) == 1:
        return {**alone[0], "description": text}
    return {"description": text, "anyOf": alone}


def label(key: str | int, node: Any) -> str:
    """Return the label of a fragment for a reader: its component, its title, or its type."""
    if isinstance(key, str):
        return clean(key.partition("<")[0])[:_NAME]
    if isinstance(node, dict) and isinstance(node.get("title"), str):
        return clean(node["title"])[:60]
    return "object" if isinstance(node, dict) and "properties" in node else "value"


def _of_type(kind: str) -> JsonObject:
    return {"type": kind, "items": {}} if kind == "array" else {"type": kind}


def _types(definitions: DefinitionLookup, node: Any) -> tuple[list[str] | None, bool]:
    """Return the declared types of a schema and whether it admits null; ``None`` if it declares no types."""
    found: dict[str, None] = {}
    nullable = False
    seen: set[str] = set()
    waiting = [node]
    for _ in range(_MOST):
        if not waiting:
            return [*found], nullable
        inner = waiting.pop()
        if not isinstance(inner, dict):
            return None, False
        if "$ref" in inner:
            name = definitions.name_of(inner["$ref"])
            if name is None:
                return None, False
            if name not in seen:
                seen.add(name)
                waiting.append(definitions[name])
            continue
        kinds, null = _own_types(inner)
        branches, union_null = branches_of(inner)
        if not kinds and not null and not branches:
            return None, False
        found |= dict.fromkeys(kinds)
        nullable = nullable or null or (union_null and not kinds)
        if not kinds:
            waiting.extend(reversed(branches))
    return None, False  # too many schemas to decide


def _own_types(node: JsonObject) -> tuple[list[str], bool]:
    kinds, nullable = types_of(node)
    values = values_of(node)
    return (
        types_of_values(values)
        if values is not None and not kinds and not nullable
        else (kinds, nullable)
    )
