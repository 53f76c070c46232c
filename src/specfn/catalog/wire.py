"""A tool in the form that a provider takes it, filled in from the profile's own."""

from collections.abc import Mapping
from typing import Any

from specfn._json import JsonObject
from specfn.schema.profile import DESCRIPTION, NAME, SCHEMA, STRICT, Profile


def written(
    profile: Profile, *, name: str, description: str, schema: JsonObject, strict: bool
) -> JsonObject:
    """One tool on the wire."""
    parts: dict[str, Any] = {
        NAME: name,
        DESCRIPTION: description,
        SCHEMA: schema if schema.get("properties") or profile.empty_root else None,
        STRICT: strict,
    }
    tool: JsonObject = _filled(profile.shape, parts)
    return tool


def _filled(shape: Any, parts: Mapping[str, Any]) -> Any:
    """A shape with its parts in their places; a member that has no part is left out."""
    if isinstance(shape, dict):
        filled = {key: _filled(item, parts) for key, item in shape.items()}
        return {key: item for key, item in filled.items() if item is not None}
    return parts.get(shape, shape) if isinstance(shape, str) else shape
