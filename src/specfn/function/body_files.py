"""Files in a request body: how a model is told to write them, and their marks for a predicate (X5, S1)."""

import re
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.migrate.bodies.media_types import essence, kind_of
from specfn.migrate.route import Body, MultipartPart, MultipartParts
from specfn.schema.compose.definitions_lookup import DefinitionLookup

#: The maximum number of references and unions that are followed to an object with files.
_DEPTH: Final = 5

_UNIONS: Final = ("anyOf", "oneOf")

#: The media type of unspecified bytes.
_OCTETS: Final = "application/octet-stream"

#: Types that no model writes as text.
_MEDIA: Final = ("audio/", "font/", "image/", "video/")

#: A media type that a ``data:`` URL can begin with.
_CONCRETE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,80}")


def with_files(root: JsonObject, body: Body | None, definitions: DefinitionLookup) -> JsonObject:
    """Return the composed schema of all arguments, in which each file of the body describes how to write it."""
    node = root["properties"].get("body", False)
    if body is None or node is False:
        return root
    writer = _WRITERS.get(body.kind)
    changed = node if writer is None else writer(node, body, definitions)
    if changed is node:
        return root
    return {**root, "properties": {**root["properties"], "body": changed}}


def _binary(node: Any, body: Body, definitions: DefinitionLookup) -> Any:
    return _describe(node, _text(body.media_type, body.transfer, is_named=False), definitions)


def _multipart(node: Any, body: Body, definitions: DefinitionLookup) -> Any:
    return _parts(node, body.parts, definitions, _DEPTH)


_WRITERS: Final = {"binary": _binary, "multipart": _multipart}


def _parts(node: Any, parts: MultipartParts, definitions: DefinitionLookup, depth: int) -> Any:
    """Return the schema of a multipart body, or of a branch of it, with its files described."""
    whole = _resolve(node, definitions)
    if not isinstance(whole, dict) or depth == 0:
        return node
    changed: JsonObject = {}
    properties = _file_properties(whole.get("properties"), parts, definitions)
    if properties:
        changed["properties"] = {**whole["properties"], **properties}
    if whole.get("additionalProperties") not in (None, False) and _is_file(parts.rest):
        changed["additionalProperties"] = _file(
            whole["additionalProperties"], parts.rest, definitions
        )
    if whole.get("type") == "string" and _is_file(parts.rest):
        return _file(whole, parts.rest, definitions)
    for key in _UNIONS:
        branches = whole.get(key)
        if isinstance(branches, list):
            described = [_parts(branch, parts, definitions, depth - 1) for branch in branches]
            if any(new is not old for new, old in zip(described, branches, strict=True)):
                changed[key] = described
    return {**whole, **changed} if changed else node


def _file_properties(
    properties: Any, parts: MultipartParts, definitions: DefinitionLookup
) -> JsonObject:
    """Return the properties that are files. Each description says how to write the file."""
    return {
        name: _file(node, part, definitions)
        for name, node in (properties.items() if isinstance(properties, dict) else ())
        if node is not False and _is_file(part := parts.named.get(name, parts.rest))
    }


def _is_file(part: MultipartPart) -> bool:
    """Return whether a string in a multipart part is the content of a file."""
    return (part.is_file or part.transfer is not None) and part.style is None and part.inner is None


def _file(node: Any, part: MultipartPart, definitions: DefinitionLookup) -> Any:
    """Return the schema of a file, or of several, described."""
    declared = next(
        (media_type for media_type in part.media_types if "*" not in media_type), part.file_type
    )
    return _describe(node, _text(declared or _OCTETS, part.transfer, is_named=True), definitions)


def _text(media_type: str, transfer: str | None, *, is_named: bool) -> str:
    """Return the description of the forms of a file: a ``data:`` URL, and plain or encoded text if possible."""
    kind = essence(media_type)
    is_known = kind != _OCTETS and _CONCRETE.fullmatch(kind) is not None
    name = ";name=FILENAME" if is_named else ""
    url = f"data:{kind if is_known else 'TYPE'}{name};base64,DATA"
    if transfer is not None:
        return f"Write a file in {transfer} or as {url}."
    is_media = kind.startswith(_MEDIA) and kind_of(kind) != "xml"
    return f"Write a file as {url}{'' if is_media else ' or as plain text'}."


def _describe(node: Any, text: str, definitions: DefinitionLookup) -> Any:
    """Return a schema with one more line in its description. Referenced schemas are unchanged."""
    whole = _resolve(node, definitions)
    whole = whole if isinstance(whole, dict) else {}
    if "items" in whole or whole.get("type") == "array":
        text = text.replace("Write a file", "Write each file", 1)
    known = whole.get("description")
    known = known.rstrip() if isinstance(known, str) else ""
    description = f"{known}\n{text}" if known else text
    return {**(node if isinstance(node, dict) else {}), "description": description}


def _resolve(node: Any, definitions: DefinitionLookup) -> Any:
    """Return the schema behind a reference, merged with the keywords next to it."""
    for _ in range(_DEPTH):
        if not isinstance(node, dict) or "$ref" not in node:
            return node
        name = definitions.name_of(node["$ref"])
        target = None if name is None else definitions[name]
        if not isinstance(target, dict):
            return node
        node = {**target, **{key: item for key, item in node.items() if key != "$ref"}}
    return node


def mark_files(schema: Any, parts: MultipartParts) -> Any:
    """Return the composed schema of a multipart body in which each file has a ``contentMediaType``."""
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
    """Return a schema that is marked as the content of a file, or has marked items."""
    if not isinstance(node, dict):
        return {"contentMediaType": media_type} if node else node
    if "items" in node:
        return {**node, "items": _with_type(node["items"], media_type)}
    if "contentMediaType" in node or node.get("format") == "binary":
        return node
    return {**node, "contentMediaType": media_type} if _is_plain_text(node) else node


def _is_plain_text(node: JsonObject) -> bool:
    return node.get("type", "string") == "string" and not {"properties", "anyOf", "oneOf"} & set(
        node
    )


def _file_type(part: MultipartPart) -> str | None:
    """Return the media type of a part that is a file; ``None`` for any other part."""
    declared = next(
        (media_type for media_type in part.media_types if not _is_written(media_type)), None
    )
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
