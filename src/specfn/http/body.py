"""Request bodies: a value and the declared media type to bytes, as a table by kind (rule X5)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from specfn._json import JsonObject
from specfn.errors import DocumentError, UsageError
from specfn.http import style
from specfn.http.headers import is_value
from specfn.http.style import Pair
from specfn.http.unfit import Unfit
from specfn.http.values import dumps, text
from specfn.migrate.route import Body, BodyKind

#: What a media range is sent as: a request names one type, not a range of them.
_CONCRETE: Final[Mapping[BodyKind, str]] = {
    "json": "application/json",
    "text": "text/plain",
    "xml": "application/xml",
    "form": "application/x-www-form-urlencoded",
}


def write(body: Body, value: Any) -> tuple[bytes, str]:
    """A body's bytes and its ``Content-Type``.

    Args:
        body: what the document declares.
        value: the argument; null is a value like any other.

    Raises:
        Unfit: the value cannot be written in that media type.
        UsageError: bodies of that kind are not sent.
        DocumentError: the media type is not one that a header may hold.
    """
    writer = WRITERS.get(body.kind)
    if writer is None:
        known = ", ".join(sorted(WRITERS))
        raise UsageError(
            f"bodies of kind {body.kind} ({body.media_type!r}) are not sent; these are: {known}",
        )
    if not is_value(body.media_type) or not body.media_type.isascii():
        raise DocumentError("the media type is not one line of ASCII text", pointer=body.pointer)
    content_type = _CONCRETE[body.kind] if "*" in body.media_type else body.media_type
    return writer(body, value), content_type


def _json(_: Body, value: Any) -> bytes:
    return dumps(value)


def _text(body: Body, value: Any) -> bytes:
    charset = charset_of(body.media_type) or "utf-8"
    try:
        return text(value).encode(charset)
    except UnicodeEncodeError:
        raise Unfit(f"string of characters that {charset} has", value=value) from None
    except LookupError:
        raise DocumentError(f"unknown charset {charset!r}", pointer=body.pointer) from None


def _form(body: Body, value: Any) -> bytes:
    """RFC 1866's form fields; nested values as the Encoding Object says, else as JSON."""
    if not isinstance(value, dict):
        raise Unfit("object", "a form has fields", value=value)
    written = form_pairs(value, body.encoding)
    return "&".join(f"{name}={text_}" for name, text_ in written).encode("ascii")


#: How each kind of body becomes bytes. A kind that is not here is refused before anything is sent.
WRITERS: Final[Mapping[BodyKind, Callable[[Body, Any], bytes]]] = {
    "form": _form,
    "json": _json,
    "text": _text,
    "xml": _text,
}


def form_pairs(value: Mapping[str, Any], encoding: Mapping[str, JsonObject]) -> list[Pair]:
    """The fields of a form, encoded, in the order of the value."""
    fields: list[Pair] = []
    for name, item in value.items():
        try:
            fields.extend(_field(name, item, encoding.get(name, {})))
        except Unfit as unfit:
            raise unfit.below(name) from None
    return fields


def _field(name: str, item: Any, encoding: JsonObject) -> list[Pair]:
    """One property of a form (OpenAPI 3.1.1, section Encoding Object).

    An explicit style serializes as in a query. Without one, arrays repeat the field, and what is
    nested is JSON. Null, which a form cannot say, is the empty text.
    """
    if item is None:
        return [(style.in_form(text(name), ""), "")]
    if {"style", "explode", "allowReserved"}.isdisjoint(encoding):
        whole = is_json(str(encoding.get("contentType", ""))) or isinstance(item, dict)
        shown = text(item) if whole and not isinstance(item, str) else item
        return style.pairs(name, shown, "form", style.in_form, explode=True)
    chosen = str(encoding.get("style", "form"))
    explode = bool(encoding.get("explode", chosen == "form"))
    return style.pairs(name, item, chosen, style.in_form, explode=explode)


def is_json(media_type: str) -> bool:
    """Whether a media type is JSON, a ``+json`` type included (RFC 6839, section 3.1)."""
    subtype = media_type.partition(";")[0].strip().lower().partition("/")[2]
    return subtype == "json" or subtype.endswith("+json")


def charset_of(media_type: str) -> str | None:
    """The ``charset`` parameter of a media type, if it has one."""
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"')
    return None
