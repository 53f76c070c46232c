"""What media types mean for what is written: JSON or not, in which charset, which of several."""

from collections.abc import Sequence

from specfn.errors import DocumentError
from specfn.http.unfit import Unfit
from specfn.migrate.media import essence


def is_json(media_type: str) -> bool:
    """Whether a media type is JSON, a ``+json`` type included (RFC 6839, section 3.1)."""
    subtype = essence(media_type).partition("/")[2]
    return subtype == "json" or subtype.endswith("+json")


def charset_of(media_type: str) -> str | None:
    """The ``charset`` parameter of a media type, if it has one."""
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"')
    return None


def encoded(text: str, media_type: str, pointer: str) -> bytes:
    """A text in the charset that its media type names, else in UTF-8.

    Raises:
        Unfit: the charset has not all of its characters.
        DocumentError: there is no such charset.
    """
    charset = charset_of(media_type) or "utf-8"
    try:
        return text.encode(charset)
    except UnicodeEncodeError:
        raise Unfit(f"string of characters that {charset} has", value=text) from None
    except LookupError:
        raise DocumentError(f"unknown charset {charset!r}", pointer=pointer) from None


def preferred(declared: Sequence[str], given: str | None, default: str) -> str:
    """The media type of a part, of those that are declared for it.

    Args:
        declared: media types and ranges (``image/*``), in the document's order; may be empty.
        given: what the content says that it is; it wins where it is declared, or nothing is.
        default: what such a content is where nobody says.
    """
    if not declared:
        return given or default
    if given is not None and any(_is_within(given, each) for each in declared):
        return given
    return next((each for each in declared if "*" not in each), given or default)


def _is_within(media_type: str, range_: str) -> bool:
    """Whether a media type is one of a range (RFC 9110, section 12.5.1)."""
    name, wanted = essence(media_type), essence(range_)
    return wanted in {name, "*/*"} or (
        wanted.endswith("/*") and name.startswith(wanted.removesuffix("*"))
    )
