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
    required = node.get("required", ())
    if any(name in hidden for name in required):
        changed["required"] = [name for name in required if name not in hidden]
    for key in ("anyOf", "oneOf", "allOf"):
        branches = node.get(key)
        if branches and any(
            isinstance(branch, dict) and "required" in branch for branch in branches
        ):
            changed[key] = [_relaxed(branch, hidden) for branch in branches]
    for key in ("then", "else"):
        if isinstance(node.get(key), dict) and "required" in node[key]:
            changed[key] = _relaxed(node[key], hidden)
    return changed


def _relaxed(branch: Any, hidden: Collection[str]) -> Any:
    if not isinstance(branch, dict) or "required" not in branch:
        return branch
    return {**branch, **without_required(branch, hidden)}
