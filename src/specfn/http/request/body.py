"""Serialization of request bodies by media type (rule X5)."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from specfn._internal.characters import escape_all
from specfn._internal.json import JsonObject
from specfn.errors import DocumentError
from specfn.http.charsets import encode_text
from specfn.http.files import content_of, file_of
from specfn.http.request import multipart, style
from specfn.http.request.style import Pair, dumps, sequence, text
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import FORM, charset_of, choose_for_part, is_json
from specfn.migrate.route import Body, BodyKind
from specfn.network.headers import is_value

#: The bytes of a body, and its ``Content-Type``.
Written: TypeAlias = tuple[bytes, str]

#: The media types that replace media ranges, because a request has one concrete type.
_CONCRETE: Final[Mapping[BodyKind, str]] = {
    "binary": "application/octet-stream",
    "form": FORM,
    "json": "application/json",
    "text": "text/plain",
    "xml": "application/xml",
}


def write(body: Body, value: Any) -> Written:
    """Serialize a body, which may be null; return its bytes and its ``Content-Type``.

    Raises:
        Unserializable: the value cannot be serialized in that media type.
        UsageError: a file that the caller opened cannot be read.
        DocumentError: the media type is not a valid header value.
    """
    if not is_value(body.media_type) or not body.media_type.isascii():
        raise DocumentError("the media type is not one line of ASCII text", pointer=body.pointer)
    return WRITERS[body.kind](body, value)


def _media_type(body: Body, given: str | None = None) -> str:
    """Return the declared media type as it is; for a range, the given or the default type."""
    return choose_for_part((body.media_type,), given, _CONCRETE[body.kind])


def _json(body: Body, value: Any) -> Written:
    """Serialize JSON in UTF-8 (RFC 8259, section 8.1), or in ASCII if the media type declares another charset."""
    lines = sequence(value, body.media_type)
    if lines is not None:
        return lines, _media_type(body)
    content = dumps(value)
    charset = charset_of(body.media_type) or "utf-8"
    if charset.lower() != "utf-8" and not content.isascii():
        content = escape_all(content.decode()).encode("ascii")
    return content, _media_type(body)


def _text(body: Body, value: Any) -> Written:
    file = file_of(value)
    media_type = _media_type(body)
    if file is not None:
        return file.content, media_type
    return encode_text(text(value), media_type, body.pointer), media_type


def _binary(body: Body, value: Any) -> Written:
    file = content_of(value, body.transfer)
    return file.content, _media_type(body, file.media_type)


def _multipart(body: Body, value: Any) -> Written:
    return multipart.write(body.parts, value, body.media_type, body.pointer)


def _form(body: Body, value: Any) -> Written:
    """Serialize form fields (RFC 1866). Nested values follow the Encoding Object; the default is JSON."""
    if not isinstance(value, dict):
        raise Unserializable(
            "object", "a form is an object with a property for each field", value=value
        )
    written = form_pairs(value, body.encoding, is_itemwise=body.is_itemwise)
    return "&".join(f"{name}={item}" for name, item in written).encode("ascii"), _media_type(body)


#: The serializers by kind of body.
WRITERS: Final[Mapping[BodyKind, Callable[[Body, Any], Written]]] = {
    "binary": _binary,
    "form": _form,
    "json": _json,
    "multipart": _multipart,
    "text": _text,
    "xml": _text,
}


def form_pairs(
    value: Mapping[str, Any], encoding: Mapping[str, JsonObject], *, is_itemwise: bool = False
) -> list[Pair]:
    """Serialize the fields of a form, in the order of the value.

    Args:
        value: the fields.
        encoding: the Encoding Objects, by field.
        is_itemwise: whether the Encoding Object of an array applies to each item, as in OpenAPI 3.2. In earlier
            versions only ``style`` splits an array.
    """
    fields: list[Pair] = []
    for name, item in value.items():
        try:
            fields.extend(_field(name, item, encoding.get(name, {}), is_itemwise=is_itemwise))
        except Unserializable as fault:
            raise fault.below(name) from None
    return fields


def _field(name: str, item: Any, encoding: JsonObject, *, is_itemwise: bool) -> list[Pair]:
    """Serialize one property of a form (OpenAPI 3.1.1, section Encoding Object).

    With an explicit style, the property is serialized as in a query. Without one, an array repeats the field, and
    nested values are JSON. A form cannot express null; it becomes the empty string.
    """
    if not {"style", "explode", "allowReserved"}.isdisjoint(encoding):
        return _field_with_style(name, item, encoding)
    content_type = str(encoding.get("contentType", ""))
    if is_json(content_type):
        items = item if is_itemwise and isinstance(item, list) else [item]
        shown: Any = [dumps(element).decode() for element in items]
    elif item is None:
        shown = ""
    else:
        shown = text(item) if isinstance(item, dict) else item
    return style.pairs(name, shown, "form", style.in_form, explode=True)


def _field_with_style(name: str, item: Any, encoding: JsonObject) -> list[Pair]:
    """Serialize a property with a style. ``allowReserved`` keeps reserved characters that a form can contain."""
    if item is None:
        return [(style.in_form(text(name), ""), "")]
    chosen = str(encoding.get("style", "form"))
    explode = encoding.get("explode")
    escape = style.in_query_reserved if encoding.get("allowReserved") is True else style.in_form
    explode = explode if isinstance(explode, bool) else chosen == "form"
    return style.pairs(name, item, chosen, escape, explode=explode)
