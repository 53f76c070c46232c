"""Media types of requests: JSON types, charsets, and the choice among declared types."""

from collections.abc import Iterator, Sequence

from specfn._internal.pointer import escape
from specfn.errors import DocumentError
from specfn.http import charsets
from specfn.migrate.bodies.media_types import essence
from specfn.migrate.route import Body, MultipartPart, MultipartParts


def is_json(media_type: str) -> bool:
    """Return whether a media type is JSON, including ``+json`` types (RFC 6839, section 3.1)."""
    subtype = essence(media_type).partition("/")[2]
    return subtype == "json" or subtype.endswith("+json")


def charset_of(media_type: str) -> str | None:
    """Return the ``charset`` parameter of a media type; ``None`` if it has no such parameter."""
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return None


def encode_text(text: str, media_type: str, pointer: str) -> bytes:
    """Encode a text in the charset of its media type; the default is UTF-8.

    Raises:
        Unserializable: the charset does not have all characters of the text.
        DocumentError: the charset cannot be sent.
    """
    return charsets.encode(text, charset_of(media_type) or "utf-8", pointer)


def unsendable(body: Body) -> DocumentError | None:
    """Return the fault of a body with text in a charset that cannot be sent; ``None`` if there is no such text (rule X5)."""
    for media_type, pointer in _texts(body):
        label = charset_of(media_type)
        if label and charsets.sendable_codec(label) is None:
            return charsets.unsendable(label, pointer)
    return None


def _texts(body: Body) -> Iterator[tuple[str, str]]:
    """Yield the media type and the pointer of each text in a body."""
    place = f"{body.pointer}/content/{escape(body.media_type)}"
    if body.kind in {"text", "xml"}:
        yield body.media_type, place
    elif body.kind == "multipart":
        yield from _texts_of_parts(body.parts, place)


def _texts_of_parts(parts: MultipartParts, place: str) -> Iterator[tuple[str, str]]:
    for name, part in parts.named.items():
        yield from _texts_of_part(part, f"{place}/encoding/{escape(name)}")
    for index, part in enumerate(parts.prefix):
        yield from _texts_of_part(part, f"{place}/prefixEncoding/{index}")
    yield from _texts_of_part(parts.rest, f"{place}/itemEncoding")


def _texts_of_part(part: MultipartPart, place: str) -> Iterator[tuple[str, str]]:
    if part.inner is not None:
        yield from _texts_of_parts(part.inner, place)
    elif not part.is_file and part.transfer is None:
        media_type = preferred(part.media_types, None, "text/plain")
        if not is_json(media_type):
            yield media_type, f"{place}/contentType"


def preferred(declared: Sequence[str], given: str | None, default: str) -> str:
    """Choose the media type of a part among the declared ones.

    Args:
        declared: media types and ranges (``image/*``), in the order of the document; may be empty.
        given: the media type that the content has, if known. It is used if it is declared, or if nothing is declared.
        default: the media type if neither ``declared`` nor ``given`` determines one.
    """
    if not declared:
        return given or default
    if given is not None and any(_is_within(given, each) for each in declared):
        return given
    return next((each for each in declared if "*" not in each), given or default)


def _is_within(media_type: str, range_: str) -> bool:
    """Return whether a media type matches a range (RFC 9110, section 12.5.1)."""
    name, wanted = essence(media_type), essence(range_)
    return wanted in {name, "*/*"} or (
        wanted.endswith("/*") and name.startswith(wanted.removesuffix("*"))
    )
