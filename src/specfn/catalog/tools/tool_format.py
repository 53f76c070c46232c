"""Rendering of a tool in a provider's format, from the shape in its profile."""

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


def tool_json(
    profile: Profile,
    *,
    name: str,
    description: str,
    schema: JsonObject,
    strict: bool,
    output: JsonObject | None = None,
    deferred: bool = False,
) -> JsonObject:
    """Return one tool in the provider's format."""
    parts: dict[str, Any] = {
        NAME: name,
        DESCRIPTION: description,
        SCHEMA: schema if schema.get("properties") or profile.empty_root else None,
        STRICT: strict,
        OUTPUT: output,
        DEFERRED: deferred or None,
    }
    tool: JsonObject = fill(profile.shape, parts)
    return tool


def fill(shape: Any, parts: Mapping[str, Any]) -> Any:
    """Return a shape with its placeholders replaced by parts; a member without a part is left out."""
    if isinstance(shape, dict):
        members = {key: fill(item, parts) for key, item in shape.items()}
        return {key: item for key, item in members.items() if item is not None}
    return parts.get(shape, shape) if isinstance(shape, str) else shape


def has_part(shape: Any, part: str) -> bool:
    """Return whether a shape has a placeholder for a part."""
    if isinstance(shape, dict):
        return any(has_part(item, part) for item in shape.values())
    return bool(shape == part)
