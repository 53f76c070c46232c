"""Parts of multipart bodies, from Encoding Objects and schemas."""

import re
from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.migrate.bodies.media_types import SchemaResolver, kind_of
from specfn.migrate.route import MultipartPart, MultipartParts

#: The deepest unions and arrays that are inspected, and the deepest multipart within multipart.
_DEPTH: Final = 5
_NESTED: Final = 3

#: Keywords that do not constrain a value (JSON Schema 2020-12, Validation, section 9).
_ANNOTATIONS: Final = frozenset(
    "title description default deprecated readOnly writeOnly examples example $comment "
    "externalDocs xml contentMediaType".split()
)

#: Keywords of schemas whose values or alternatives have schemas of their own.
_STRUCTURE: Final = ("anyOf", "oneOf", "items", "properties")

#: The syntax of an encoding's name.
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*\Z")

#: Formats of strings that contain bytes in base64 (3.0; OpenAPI Format Registry).
_ENCODED: Final = {"byte": "base64", "base64": "base64", "base64url": "base64url"}

_OCTETS: Final = "application/octet-stream"

#: Headers of a part that the document cannot set (Encoding Object, ``headers``).
_OWN: Final = frozenset({"content-type", "content-disposition", "content-length"})
_TRANSFER: Final = "content-transfer-encoding"


def parts_of(
    media: JsonObject, schema: Any, resolve: SchemaResolver, *, is_typed: bool
) -> MultipartParts:
    """Return the parts of a multipart body.

    Args:
        media: the normalized Media Type Object.
        schema: its schema.
        resolve: returns the composed schema of a normalized one.
        is_typed: whether a schema without a type accepts any value, as in 3.0. Since 3.1 it means bytes.
    """
    return _PartsReader(resolve, is_typed=is_typed).parts(media, schema, 0)


def transfer_of(schema: Any) -> str | None:
    """Return the encoding in which the content of a string is sent; ``None`` for no encoding."""
    if not isinstance(schema, dict):
        return None
    encoding = str(schema.get("contentEncoding", "")).lower()
    if _NAME.match(encoding) and encoding not in {"binary", "identity", "7bit", "8bit"}:
        return encoding
    return _ENCODED.get(str(schema.get("format")))


class _PartsReader:
    """Reading of the parts of one body."""

    def __init__(self, resolve: SchemaResolver, *, is_typed: bool) -> None:
        self._resolve = resolve
        self._is_typed = is_typed

    def parts(self, media: JsonObject, schema: Any, depth: int) -> MultipartParts:
        """Return the parts of a multipart media type or of a nested part."""
        encodings = _dict(media.get("encoding"))
        named: dict[str, MultipartPart] = {}
        prefix: list[MultipartPart] = []
        rest: MultipartPart | None = None
        for node in self._alternatives(schema):
            for name, item in _dict(node.get("properties")).items():
                if item is not False and name not in named:
                    named[name] = self._part(item, _dict(encodings.get(name)), depth)
            if "prefixItems" in node and not prefix:
                prefix = self._prefix(node["prefixItems"], media.get("prefixEncoding"), depth)
            other = node.get("items", node.get("additionalProperties"))
            if rest is None and other is not None:
                rest = self._part(other, _dict(media.get("itemEncoding")), depth)
        return MultipartParts(named=named, prefix=tuple(prefix), rest=rest or MultipartPart())

    def _prefix(self, items: Any, encodings: Any, depth: int) -> list[MultipartPart]:
        listed = encodings if isinstance(encodings, list) else []
        return [
            self._part(item, _dict(listed[index] if index < len(listed) else None), depth)
            for index, item in enumerate(items if isinstance(items, list) else ())
        ]

    def _part(self, schema: Any, encoding: JsonObject, depth: int) -> MultipartPart:
        """Return the part of one value, or of each item if the value is an array."""
        nodes = list(self._values(schema))
        transfer = next(filter(None, map(transfer_of, nodes)), None)
        headers = _headers(encoding.get("headers"))
        _, declared = headers.pop(_TRANSFER, ("", ""))
        transfer = declared.lower() if declared.lower() in _ENCODED else transfer
        media_types = _media_types(encoding.get("contentType"))
        is_nested = depth < _NESTED and any(name.startswith("multipart/") for name in media_types)
        style, explode = _style(encoding)
        return MultipartPart(
            media_types=media_types,
            is_file=any(map(_is_file, nodes))
            or (any(map(self._is_any, nodes)) and not any(map(_is_text, media_types))),
            admits_text=any(map(_admits_text, nodes)),
            file_type=next(filter(None, map(_content_type, nodes)), None),
            transfer=transfer,
            headers=tuple(headers.values()),
            style=style,
            explode=explode,
            inner=self.parts(encoding, schema, depth + 1) if is_nested else None,
        )

    def _alternatives(self, schema: Any, depth: int = 0) -> Iterator[JsonObject]:
        """Yield the composed schema and the branches of its unions."""
        node = self._resolve(schema)
        if not isinstance(node, dict) or depth > _DEPTH:
            return
        yield node
        for keyword in ("anyOf", "oneOf"):
            for branch in _list(node.get(keyword)):
                yield from self._alternatives(branch, depth + 1)

    def _values(self, schema: Any, depth: int = 0) -> Iterator[JsonObject]:
        """Yield every schema of a value, and of its items if it is an array."""
        if self._resolve(schema) is True:
            yield {}
        for node in self._alternatives(schema):
            yield node
            if "items" in node and depth < _DEPTH:
                yield from self._values(node["items"], depth + 1)

    def _is_any(self, node: JsonObject) -> bool:
        """Return whether a schema has annotations only, which means bytes since 3.1 (section Encoding Object)."""
        is_untyped = all(key in _ANNOTATIONS or key.startswith("x-") for key in node)
        return is_untyped and not self._is_typed


def _is_file(node: JsonObject) -> bool:
    if "contentEncoding" in node:
        return False
    return node.get("format") == "binary" or "contentMediaType" in node


def _admits_text(node: JsonObject) -> bool:
    """Return whether a string may be a text that is not a file."""
    if _is_file(node) or transfer_of(node) is not None:
        return False
    types = node.get("type")
    return "string" in types if types else node.keys().isdisjoint(_STRUCTURE)


def _is_text(media_type: str) -> bool:
    return kind_of(media_type) in {"json", "text", "xml"}


def _content_type(node: JsonObject) -> str | None:
    """Return the media type of a file. Encoded content is bytes to everyone but its decoder (3.1)."""
    if "contentEncoding" in node:
        return _OCTETS
    declared = node.get("contentMediaType")
    return (
        declared
        if isinstance(declared, str) and declared.isascii() and declared.isprintable()
        else None
    )


def _media_types(raw: Any) -> tuple[str, ...]:
    """Return the media types of ``contentType``, a list with commas. Values that no header allows are left out."""
    names = raw.split(",") if isinstance(raw, str) else []
    return tuple(
        name.strip() for name in names if "/" in name and name.isascii() and name.isprintable()
    )


def _style(encoding: JsonObject) -> tuple[str | None, bool]:
    """Return style and explode, if one of the fields that select a style is declared (Encoding Object)."""
    if {"style", "explode", "allowReserved"}.isdisjoint(encoding):
        return None, False
    style = encoding.get("style", "form")
    style = style if isinstance(style, str) else "form"
    explode = encoding.get("explode")
    return style, explode if isinstance(explode, bool) else style == "form"


def _headers(raw: Any) -> dict[str, tuple[str, str]]:
    """Return the headers with a fixed value, by lower-case name. Other headers have no argument."""
    headers: dict[str, tuple[str, str]] = {}
    for name, header in _dict(raw).items():
        schema = _dict(_dict(header).get("schema"))
        listed = schema.get("enum")
        fixed = listed[0] if isinstance(listed, list) and len(listed) == 1 else None
        value = schema.get("const", schema.get("default") if fixed is None else fixed)
        if value is not None and name.lower() not in _OWN:
            text = value if isinstance(value, str) else dumps(value).decode()
            headers[name.lower()] = (name, text)
    return headers


def _dict(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
