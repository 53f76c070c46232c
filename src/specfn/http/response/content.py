"""The content of a response as JSON, text or bytes, with notes on corrections (rule X9)."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from specfn._internal import json as _json
from specfn._internal.characters import escape_invisible
from specfn.http import charsets
from specfn.http.response import tolerant_json
from specfn.records import Note

#: The beginning of JSON text, including NaN and infinities.
_JSON_START: Final = re.compile(rb'[ \t\r\n]*[\[{"\-0-9tfnNI]')

#: Subtypes outside ``text/`` that are text.
_TEXTUAL: Final = (
    "xml",
    "yaml",
    "javascript",
    "ecmascript",
    "x-www-form-urlencoded",
    "graphql",
    "csv",
)

_UTF_8: Final = frozenset({"utf-8", "utf-8-sig"})


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a response.

    Attributes:
        data: a JSON value, a string or bytes.
        notes: the corrections that were made while reading.
    """

    data: Any
    notes: tuple[Note, ...] = ()


def read(body: bytes, media_type: str | None, charset: str | None, *, truncated: bool) -> Content:
    """Read the content of a response.

    Args:
        body: the bytes, decompressed; at least one.
        media_type: the media type in lower case, without parameters; ``None`` if the response declares no media type.
        charset: the ``charset`` parameter; ``None`` if there is no such parameter.
        truncated: whether the response was longer than these bytes.
    """
    is_json = media_type is None or "json" in media_type
    if is_json and not truncated:  # a cut 123 is not a 12
        found = _json_content(body, charset)
        if found is not None:
            return found
    final = not truncated
    encoding = charsets.encoding_of(body)
    if media_type is None:
        return _strict(body, encoding or "utf-8", final=final) or Content(body)
    if not is_json and not _is_text(media_type):
        return Content(body)
    if encoding is not None:
        return _text(body, encoding, final=final)
    wide = json.detect_encoding(body) if is_json else "utf-8"
    found = None if wide in _UTF_8 else _strict(body, wide, final=final)
    return found or _labelled(body, charset, final=final)


def _is_text(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type.partition("/")[2].endswith(_TEXTUAL)


def _json_content(body: bytes, charset: str | None) -> Content | None:
    """Read JSON by its own bytes: UTF-8, UTF-16 or UTF-32 (RFC 8259, section 8.1); ``None`` if it is not JSON."""
    encoding = json.detect_encoding(body)
    if encoding in _UTF_8:
        plain = body.removeprefix(b"\xef\xbb\xbf")
        if _JSON_START.match(plain) is None:  # a failed attempt costs memory
            return None
        try:
            data = _json.loads(plain)
        except ValueError:
            pass
        else:
            if not _json.is_deep(data, plain):
                return Content(data)
    text, notes = _unicode(body, encoding, charset)
    try:
        data, more = tolerant_json.loads(text)
    except _json.TooDeepError as error:
        return Content(text, (*notes, _note(f"the JSON is {error.msg}; the data is its text")))
    except ValueError:
        return None
    return Content(data, notes + more)


def _unicode(body: bytes, encoding: str, charset: str | None) -> tuple[str, tuple[Note, ...]]:
    """Decode JSON text. The charset counts only for bytes that are not valid UTF-8."""
    text = charsets.decode_strict(body, encoding, final=True)
    if text is not None:
        return text, ()
    name = charsets.readable_codec(charset) if charset and encoding in _UTF_8 else None
    if name is None or name in _UTF_8:
        found = _text(body, encoding, final=True)
        return found.data, found.notes
    note = _note(f"the JSON is not UTF-8; it was read as {name}, by its charset")
    return charsets.decode_replacing(body, name, final=True)[0], (note,)


def _strict(body: bytes, encoding: str, *, final: bool) -> Content | None:
    """Return the text of bytes; ``None`` if they are not valid."""
    text = charsets.decode_strict(body, encoding, final=final)
    return None if text is None else Content(text)


def _text(body: bytes, encoding: str, *, final: bool) -> Content:
    """Return the text of bytes, with U+FFFD and a note for invalid bytes."""
    text, has_invalid = charsets.decode_replacing(body, encoding, final=final)
    note = _note(f"bytes that are not {encoding} were read as U+FFFD")
    return Content(text, (note,) if has_invalid else ())


def _labelled(body: bytes, charset: str | None, *, final: bool) -> Content:
    """Read text by its charset label. For an unknown label, read valid UTF-8, or return the bytes."""
    name = charsets.readable_codec(charset) if charset else "utf-8"
    if name is not None:
        return _text(body, name, final=final)
    shown = escape_invisible(json.dumps((charset or "")[:60], ensure_ascii=False))
    unknown = f"the charset {shown} is not a label of the Encoding Standard"
    found = _strict(body, "utf-8", final=final)
    if found is None:
        note = _note(f"{unknown}, and the bytes are not UTF-8; the data are bytes")
        return Content(body, (note,))
    return Content(found.data, (_note(f"{unknown}; the bytes were read as UTF-8"),))


def _note(text: str) -> Note:
    return Note(pointer="", text=text)
