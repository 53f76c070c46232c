"""Sequences of JSON texts: JSON Lines and JSON text sequences (RFC 7464; OpenAPI 3.2)."""

from typing import Any, Final

from specfn.http.json_values import dumps
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import essence, is_sequence

#: The record separator of RFC 7464.
_RECORD: Final = b"\x1e"


def sequence(value: Any, media_type: str) -> bytes | None:
    """Serialize a value as a sequence. Each item of an array becomes a line or record; a string is sent as it is.

    Args:
        value: an array of items, one item (an object or a scalar), or the text of all lines.
        media_type: the media type of the sequence.

    Returns:
        The bytes; ``None`` if the media type is not a sequence.

    Raises:
        Unserializable: the value cannot be serialized as JSON.
    """
    if not is_sequence(media_type):
        return None
    if isinstance(value, str):
        return _text(value)
    before = _RECORD if essence(media_type).endswith("json-seq") else b""
    items = value if isinstance(value, list) else [value]
    return b"".join(before + dumps(item) + b"\n" for item in items)


def _text(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Unserializable(
            "string", "half of a surrogate pair is not text", value=value
        ) from None
