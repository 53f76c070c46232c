"""What stands for a subtree that was cut: its types, its nullability, and what it was (rule F8)."""

from typing import Any

from specfn._json import JsonObject
from specfn.schema.definitions import Definitions
from specfn.schema.nodes import branches_of, types_of, types_of_values, values_of
from specfn.schema.text import clean

#: How many references and unions are looked through for the types of a subtree.
_HOPS = 12


def stub(definitions: Definitions, label: str, node: Any, *, null_type: bool) -> JsonObject:
    """A schema without subschemas that admits all that a cut one admits.

    Args:
        definitions: what references mean.
        label: what it was, for the reader.
        node: the composed schema.
        null_type: whether null is a type of its own (dialect 3.1); else ``nullable`` says it.
    """
    kinds, nullable = _types(definitions, node, _HOPS)
    text = f"{label} (nested deeper than shown)"
    if kinds is None:
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
    """What a piece is called before a reader: its component, its title, or its kind."""
    if isinstance(key, str):
        return clean(key.partition("<")[0])
    if isinstance(node, dict) and isinstance(node.get("title"), str):
        return clean(node["title"])[:60]
    return "object" if isinstance(node, dict) and "properties" in node else "value"


def _of_type(kind: str) -> JsonObject:
    return {"type": kind, "items": {}} if kind == "array" else {"type": kind}


def _types(definitions: Definitions, node: Any, hops: int) -> tuple[list[str] | None, bool]:
    """The declared types of a schema and whether null is admitted; ``None`` where it declares none."""
    if not isinstance(node, dict) or hops == 0:
        return None, False
    if "$ref" in node:
        name = definitions.name_of(node["$ref"])
        return (None, False) if name is None else _types(definitions, definitions[name], hops - 1)
    kinds, nullable = types_of(node)
    if kinds or nullable:
        return kinds, nullable
    values = values_of(node)
    if values is not None:
        kinds, nullable = types_of_values(values)
        return (kinds, nullable) if kinds else (None, False)
    branches, nullable = branches_of(node)
    if not branches:
        return None, False
    found: list[str] = []
    for branch in branches[:50]:
        inner, null = _types(definitions, branch, hops - 1)
        if inner is None:
            return None, False
        found += inner
        nullable = nullable or null
    if len(branches) > 50:
        return None, False
    return list(dict.fromkeys(found)), nullable
