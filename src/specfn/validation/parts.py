"""Parts of a schema in place that are not simply conjoined: unions, conditions, dependent schemas."""

from typing import Any, Final, NamedTuple

from specfn._json import JsonObject

_UNIONS: Final = ("anyOf", "oneOf")
_CONDITION: Final = ("if", "then", "else")


class Part(NamedTuple):
    """One part of a node.

    Attributes:
        keyword: ``anyOf``, ``oneOf``, ``if`` or ``dependentSchemas``.
        holder: the prepared node.
        schema: the part by itself, with the same verdict.
        key: for ``dependentSchemas``, the property.
    """

    keyword: str
    holder: JsonObject
    schema: JsonObject
    key: str | None = None


def parts_of(node: JsonObject) -> list[Part]:
    """The parts of a node."""
    found = [Part(key, node, {key: node[key]}) for key in _UNIONS if key in node]
    if "if" in node:
        condition: JsonObject = {key: node[key] for key in _CONDITION if key in node}
        found.append(Part("if", node, condition))
    for key, schema in node.get("dependentSchemas", {}).items():
        part = {"dependentSchemas": {key: schema}}
        found.append(Part("dependentSchemas", node, part, key))
    return found


def not_not(schema: Any) -> JsonObject:
    """A schema with the same verdict that the engine only decides, and never explains."""
    return {"not": {"not": schema}}
