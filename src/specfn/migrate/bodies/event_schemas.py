"""Schemas of responses that are streams of events: the array of all events (rules R9, X15).

Documents declare the schema of all items, of one item, of an event with its data, or of the data alone.
"""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.migrate.bodies.media_types import EVENT_STREAM, Look, essence, is_sequence

_TEXT: Final[JsonObject] = {"type": "string"}

#: The members of a server-sent event beside its data.
_MEMBERS: Final[JsonObject] = {"event": _TEXT, "id": _TEXT}


def events_schema(media_type: str, media: JsonObject, look: Look) -> JsonObject | None:
    """Return the normalized schema of all events; ``None`` for a response that is not a stream of events.

    Args:
        media_type: the media type.
        media: its Media Type Object.
        look: returns the composed schema of a normalized one.
    """
    item = media.get("itemSchema")
    if essence(media_type) == EVENT_STREAM:
        given = _item(media.get("schema", True), look) if item is None else _decoded(item)
        return _array(_event(given, look, is_item=item is not None))
    if not is_sequence(media_type):
        return None
    schema = media.get("schema", True)
    if item is None and "array" in _types(look(schema)):
        return schema  # type: ignore[no-any-return]  # a schema with a type is an object
    return _array(_item(schema, look) if item is None else item)


def _array(item: Any) -> JsonObject:
    return {"type": "array", "items": item}


def _item(schema: Any, look: Look) -> Any:
    """Return the schema of one item. A text has any items."""
    types = _types(look(schema))
    if "array" in types:
        return schema.get("items", {}) if isinstance(schema, dict) else {}
    return {} if schema is True or "string" in types else schema


def _types(composed: Any) -> list[str]:
    found = composed.get("type") if isinstance(composed, dict) else None
    return [found] if isinstance(found, str) else list(found or ())


def _event(item: Any, look: Look, *, is_item: bool) -> Any:
    """Return the schema of an event; ``item`` may be that of its data. Data that is not JSON is a text."""
    composed = look(item)
    properties = composed.get("properties") if isinstance(composed, dict) else None
    members = {"data"} if is_item else {"data", "event"}
    if properties and members <= properties.keys():
        return item
    data = {"anyOf": [item, _TEXT]} if item else {}
    return {"type": "object", "properties": {**_MEMBERS, "data": data}, "required": ["data"]}


def _decoded(item: Any) -> Any:
    """Return the schema of an event whose data is declared as JSON in a string (OpenAPI 3.2)."""
    properties = item.get("properties") if isinstance(item, dict) else None
    if not isinstance(properties, dict):
        return item
    data = properties.get("data")
    if not isinstance(data, dict) or "contentSchema" not in data:
        return item
    return {**item, "properties": {**properties, "data": data["contentSchema"]}}
