"""Media types of bodies and responses: the choice among them, and their kind (rules R8, R9)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.migrate.route import BodyKind, DeclaredResponse

FORM = "application/x-www-form-urlencoded"
_OCTETS = "application/octet-stream"

#: Server-sent events.
EVENT_STREAM = "text/event-stream"

#: Returns the composed schema of a normalized one, references followed.
SchemaResolver = Callable[[Any], Any]


def keep_schema(schema: Any) -> Any:
    """Return a schema as it is."""
    return schema


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case (RFC 9110, section 8.3.1)."""
    return media_type.partition(";")[0].strip().lower()


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


def choose_for_part(declared: Sequence[str], given: str | None, default: str) -> str:
    """Choose the media type of a part among the declared ones.

    Args:
        declared: media types and ranges (``image/*``), in the order of the document; may be empty.
        given: the media type that the content has, if known. It is used if it is declared, or if nothing is declared.
        default: the media type if neither ``declared`` nor ``given`` determines one.
    """
    if not declared:
        return given or default
    if given is not None and any(is_within(given, range_) for range_ in declared):
        return given
    return next((name for name in declared if "*" not in name), given or default)


def is_within(media_type: str, range_: str) -> bool:
    """Return whether a media type matches a range (RFC 9110, section 12.5.1)."""
    name, wanted = essence(media_type), essence(range_)
    return wanted in {name, "*/*"} or (
        wanted.endswith("/*") and name.startswith(wanted.removesuffix("*"))
    )


#: The order of preference: a test of the essence of a media type, and the body kind.
_PREFERENCES: tuple[tuple[Callable[[str], bool], BodyKind], ...] = (
    (lambda name: name == "application/json", "json"),
    (lambda name: name.endswith("merge-patch+json"), "json"),
    (lambda name: name.endswith("+json"), "json"),
    (lambda name: name == "*/*", "json"),
    (lambda name: "json" in name, "json"),
    (lambda name: name == FORM, "form"),
    (lambda name: name == "multipart/form-data", "multipart"),
    (lambda name: name.startswith("text/") and not name.endswith("/xml"), "text"),
    (lambda name: name.endswith(("/xml", "+xml")), "xml"),
    (lambda name: name.startswith("multipart/"), "multipart"),
)
_LAST = len(_PREFERENCES)

#: JSON Lines have several names and no registered one. A suffix is a sequence as well (``geo+json-seq``).
_SEQUENCE = re.compile(r"[^/]+/(?:[^/]*[.+-])?(?:jsonl|json-?lines|nd-?json|ldjson|json-seq)")

#: From this rank on the document's order decides: multipart other than forms, and unknown media types.
_OTHER = _LAST - 1


@cache
def _rank(media_type: str) -> int:
    name = essence(media_type)
    return next((rank for rank, (test, _) in enumerate(_PREFERENCES) if test(name)), _LAST)


def kind_of(media_type: str) -> BodyKind:
    """Return the body kind of a media type. Unknown media types are binary."""
    rank = _rank(media_type)
    return "binary" if rank == _LAST else _PREFERENCES[rank][1]


def is_sequence(media_type: str) -> bool:
    """Return whether a media type is a sequence of JSON texts: JSON Lines by any name, or RFC 7464."""
    return _SEQUENCE.fullmatch(essence(media_type)) is not None


def has_events(media_type: str) -> bool:
    """Return whether a media type is a stream of events: server-sent events, or a sequence of JSON texts."""
    return essence(media_type) == EVENT_STREAM or is_sequence(media_type)


#: What grpc-gateway writes at the end of the description of a stream of JSON Lines, which it declares as JSON.
_STREAMED: Final = "(streaming responses)"


class DeclaredStream(NamedTuple):
    """A stream of events that a document declares.

    Attributes:
        media_type: its media type.
        instead_of: the media types of responses that are read as this stream; an empty one for a missing header.
    """

    media_type: str
    instead_of: frozenset[str]


def declared_stream(response: DeclaredResponse | None) -> DeclaredStream | None:
    """Return the stream of events that a response declares; ``None`` if it declares none."""
    if response is None:
        return None
    if (response.description or "").rstrip().endswith(_STREAMED):
        return DeclaredStream("application/x-ndjson", frozenset({"", "application/json"}))
    media_type = next(filter(has_events, response.media_types), None)
    if media_type is None:
        return None
    is_only = all(map(has_events, response.media_types))
    instead_of = {"text/plain"} if is_sequence(media_type) else set[str]()
    return DeclaredStream(essence(media_type), frozenset(instead_of | ({""} if is_only else set())))


def choose(
    content: Mapping[str, Any], wanted: str | None = None, resolve: SchemaResolver = keep_schema
) -> str | None:
    """Choose a media type among the declared ones; return ``None`` if no media type is declared.

    Args:
        content: Media Type Objects by media type, in the document's order.
        wanted: the media type that the caller selects.
        resolve: returns the composed schema of a normalized one.
    """
    if wanted is not None:
        if wanted in content:
            return wanted
        for media_type in content:
            if essence(media_type) == essence(wanted):
                return media_type
    if len(content) == 1:
        return next(iter(content))
    return min(
        content,
        key=lambda media_type: _preference(media_type, content[media_type], resolve),
        default=None,
    )


def _preference(media_type: str, media: Any, resolve: SchemaResolver) -> int:
    schema = media.get("schema") if isinstance(media, dict) else None
    if essence(media_type) == FORM and has_binary(schema, resolve):
        return _LAST  # a form cannot contain a file
    return min(_rank(media_type), _OTHER)


def has_binary(schema: Any, resolve: SchemaResolver = keep_schema) -> bool:
    """Return whether an object schema has a binary property, or an array of binary items."""
    composed = resolve(schema)
    properties = composed.get("properties") if isinstance(composed, dict) else None
    return any(_is_binary(item, resolve) for item in properties.values()) if properties else False


def _is_binary(schema: Any, resolve: SchemaResolver, depth: int = 0) -> bool:
    composed = resolve(schema)
    if not isinstance(composed, dict) or depth > 4:
        return False
    if composed.get("format") == "binary" or composed.get("contentMediaType") == _OCTETS:
        return True
    inner = [composed.get("items"), *composed.get("anyOf", ()), *composed.get("oneOf", ())]
    return any(_is_binary(item, resolve, depth + 1) for item in inner if item is not None)


#: The schema of values whose bytes are not JSON, as the model sees it.
_AS_TEXT: Mapping[BodyKind, JsonObject] = {
    "text": {"type": "string"},
    "xml": {"type": "string", "description": "XML text"},
    "binary": {"type": "string", "format": "binary"},
}


def schema_of(media: JsonObject, kind: BodyKind) -> Any:
    """Return the schema of a Media Type Object. Text and XML are strings, unknown media types are binary."""
    schema = media.get("schema", {})
    if "schema" not in media and "itemSchema" in media:  # 3.2: a sequence of items
        schema = {"type": "array", "items": media["itemSchema"]}
    if kind not in _AS_TEXT:
        return schema
    is_string = isinstance(schema, dict) and schema.get("type") == "string"
    is_text = kind != "binary" or (is_string and _is_encoded(schema))
    return schema if is_string and is_text else _AS_TEXT[kind]


def sequence_of(media: JsonObject, resolve: SchemaResolver) -> tuple[Any, BodyKind]:
    """Return the schema and the kind of a body that is a sequence of JSON texts.

    If the document declares a string, its lines are sent as they are; a binary string is a file. Without a schema it
    is an array with an item for each line.
    """
    schema = (
        schema_of(media, "json") if media.keys() & {"schema", "itemSchema"} else {"type": "array"}
    )
    composed = resolve(schema)
    if not isinstance(composed, dict) or composed.get("type") != "string":
        return schema, "json"
    return schema, "binary" if _is_binary(composed, resolve) else "text"


def _is_encoded(schema: JsonObject) -> bool:
    """Return whether a string schema contains bytes in base64."""
    return schema.get("format") in {"byte", "base64", "base64url"} or "contentEncoding" in schema
