"""A tool in the form that a provider takes it, filled in from the profile's own."""

from collections.abc import Mapping
from typing import Any

from specfn._internal.json import JsonObject
from specfn.schema.profiles.profile import (
    DEFERRED,
    DESCRIPTION,
    NAME,
    OUTPUT,
    SCHEMA,
    STRICT,
    Profile,
)


def written(
    profile: Profile,
    *,
    name: str,
    description: str,
    schema: JsonObject,
    strict: bool,
    output: JsonObject | None = None,
    deferred: bool = False,
) -> JsonObject:
    """Return one tool on the wire."""
    parts: dict[str, Any] = {
        NAME: name,
        DESCRIPTION: description,
        SCHEMA: schema if schema.get("properties") or profile.empty_root else None,
        STRICT: strict,
        OUTPUT: output,
        DEFERRED: deferred or None,
    }
    tool: JsonObject = filled(profile.shape, parts)
    return tool


def filled(shape: Any, parts: Mapping[str, Any]) -> Any:
    """Return a shape with its parts in their places; a member that has no part is left out."""
    if isinstance(shape, dict):
        members = {key: filled(item, parts) for key, item in shape.items()}
        return {key: item for key, item in members.items() if item is not None}
    return parts.get(shape, shape) if isinstance(shape, str) else shape


def holds(shape: Any, part: str) -> bool:
    """Whether a shape has a place for a part."""
    if isinstance(shape, dict):
        return any(holds(item, part) for item in shape.values())
    return bool(shape == part)
