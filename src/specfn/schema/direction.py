"""What belongs to one direction only: ``readOnly`` to responses, ``writeOnly`` to requests (rule F11)."""

from collections.abc import Collection
from typing import Any, Literal

from specfn._json import JsonObject

Direction = Literal["request", "response"]

#: What a property must not say to be part of a direction (OpenAPI, Schema Object, fixed fields).
FOREIGN: dict[Direction, str] = {"request": "readOnly", "response": "writeOnly"}


def without_required(node: JsonObject, hidden: Collection[str]) -> JsonObject:
    """The keywords of a node, and of what applies in place, that required what a direction refuses."""
    changed: JsonObject = {}
    if any(name in hidden for name in node.get("required", ())):
        changed["required"] = [name for name in node["required"] if name not in hidden]
    dependents = node.get("dependentRequired")
    if dependents:
        changed["dependentRequired"] = {
            key: [name for name in names if name not in hidden] for key, names in dependents.items()
        }
    for key in ("allOf", "anyOf", "oneOf"):
        if key in node:
            changed[key] = [_relaxed(branch, hidden) for branch in node[key]]
    for key in ("then", "else"):
        if key in node:
            changed[key] = _relaxed(node[key], hidden)
    if "dependentSchemas" in node:
        changed["dependentSchemas"] = {
            key: _relaxed(branch, hidden) for key, branch in node["dependentSchemas"].items()
        }
    return {key: value for key, value in changed.items() if value != node[key]}


def _relaxed(branch: Any, hidden: Collection[str]) -> Any:
    if not isinstance(branch, dict):
        return branch
    changed = without_required(branch, hidden)
    return {**branch, **changed} if changed else branch
