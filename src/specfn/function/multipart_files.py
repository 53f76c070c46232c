"""Marks for the files of a multipart body, so that a predicate can recognize them (rule S1)."""

from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.migrate.bodies.media_types import essence
from specfn.migrate.route import MultipartPart, MultipartParts

#: The media type of a part of unspecified bytes.
_OCTETS: Final = "application/octet-stream"


def marked(schema: Any, parts: MultipartParts) -> Any:
    """Return the schema of a multipart body in which each file has a ``contentMediaType``.

    Args:
        schema: composed, its reference followed.
        parts: the parts of the body.
    """
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return schema
    files = {
        name: _with_type(node, media_type)
        for name, node in properties.items()
        if (media_type := _file_type(parts.named.get(name, parts.rest))) is not None
    }
    return {**schema, "properties": {**properties, **files}} if files else schema


def _with_type(node: Any, media_type: str) -> Any:
    """Return a schema marked as the content of a file, or with marked items."""
    if not isinstance(node, dict):
        return {"contentMediaType": media_type} if node else node
    if "items" in node:
        return {**node, "items": _with_type(node["items"], media_type)}
    if "contentMediaType" in node or node.get("format") == "binary":
        return node
    return {**node, "contentMediaType": media_type} if _is_text(node) else node


def _is_text(node: JsonObject) -> bool:
    return node.get("type", "string") == "string" and not {"properties", "anyOf", "oneOf"} & set(
        node
    )


def _file_type(part: MultipartPart) -> str | None:
    """Return the media type of a part that is a file; ``None`` for any other part."""
    declared = next((each for each in part.media_types if not _is_written(each)), None)
    if declared is not None:
        return declared
    return (part.file_type or _OCTETS) if part.is_file else None


def _is_written(media_type: str) -> bool:
    """Return whether a model can write a media type: text, JSON, XML, forms, and multipart."""
    name = essence(media_type)
    return (
        name.startswith(("text/", "multipart/"))
        or name.endswith(("json", "xml"))
        or name == "application/x-www-form-urlencoded"
    )
