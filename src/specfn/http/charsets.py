"""Charsets of text in responses (rule X9) and requests (rule X5)."""

import codecs
from collections.abc import Iterator
from functools import cache
from typing import Final

from specfn._internal.pointer import escape
from specfn.errors import DocumentError
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import charset_of, choose_for_part, is_json
from specfn.migrate.route import Body, MultipartPart, MultipartParts

#: Encodings of the Encoding Standard that contain no text: ``replacement`` marks refused encodings, and
#: ``x-user-defined`` marks bytes.
_NO_TEXT: Final = frozenset({"replacement", "x-user-defined"})

#: Encodings of that standard with several bytes per character, other than UTF-8 and UTF-16.
_MULTIBYTE: Final = frozenset(
    {"big5hkscs", "cp932", "cp949", "euc_jp", "gb18030", "gbk", "iso2022_jp"}
)

#: Byte order marks, the longer ones first: UTF-32's begins with UTF-16's. They take precedence over every label.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Python's codecs that encode exactly one charset, by Python's names. The other codecs are not charsets: they escape
#: (``idna``, ``punycode``, ``unicode-escape``), always fail (``undefined``), pass bytes through (``charmap``), add a
#: byte order mark to UTF-8, or depend on the machine.
_CHARSETS: Final = frozenset(
    """
    ascii big5 big5hkscs cp037 cp1006 cp1026 cp1125 cp1140 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257
    cp1258 cp273 cp424 cp437 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp864
    cp865 cp866 cp869 cp874 cp875 cp932 cp949 cp950 euc_jis_2004 euc_jisx0213 euc_jp euc_kr gb18030 gb2312 gbk
    hp-roman8 hz iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext iso2022_kr iso8859-1
    iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6
    iso8859-7 iso8859-8 iso8859-9 johab koi8-r koi8-t koi8-u kz1048 mac-arabic mac-croatian mac-cyrillic mac-farsi
    mac-greek mac-iceland mac-latin2 mac-roman mac-romanian mac-turkish ptcp154 shift_jis shift_jis_2004 shift_jisx0213
    tis-620 utf-16 utf-16-be utf-16-le utf-32 utf-32-be utf-32-le utf-7 utf-8
    """.split()
)

#: Labels that Python does not know, for charsets that Python supports.
_ALIASES: Final = {
    "iso-8859-8-i": "iso8859-8",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}


def encoding_of(body: bytes) -> str | None:
    """Return Python's name of the encoding that a byte order mark declares; ``None`` if there is no such mark."""
    return next((encoding for bom, encoding in _MARKS if body.startswith(bom)), None)


def readable_codec(label: str) -> str | None:
    """Return Python's codec for a label of WHATWG's Encoding Standard; ``None`` for any other label.

    By that standard ``iso-8859-1`` and ``us-ascii`` mean ``windows-1252``.
    """
    import webencodings  # noqa: PLC0415  # most responses are JSON or UTF-8

    encoding = webencodings.lookup(label)
    if encoding is None or encoding.name in _NO_TEXT:
        return None
    name: str = encoding.codec_info.name
    return name


def decode_strict(body: bytes, encoding: str, *, final: bool) -> str | None:
    """Decode bytes with a Python codec; ``None`` if they cannot be decoded.

    If they are not all bytes (``final``), an incomplete character at the end is dropped.
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(body, final)
    except UnicodeDecodeError:
        return None


def decode_replacing(body: bytes, encoding: str, *, final: bool) -> tuple[str, bool]:
    """Decode bytes, with U+FFFD for invalid ones; also return whether any were invalid.

    The parameters are those of ``decode_strict``.
    """
    if not encoding.startswith("utf") and encoding not in _MULTIBYTE:
        text, _ = codecs.charmap_decode(body, "strict", _table(encoding))
        return text, "\ufffd" in text
    text_or_none = decode_strict(body, encoding, final=final)
    if text_or_none is not None:
        return text_or_none, False
    return codecs.getincrementaldecoder(encoding)("replace").decode(body, final), True


@cache
def _table(encoding: str) -> str:
    """Return the characters of a single-byte encoding, byte by byte.

    As in the Encoding Standard, bytes from 0x80 to 0x9F without a character are C1 controls. With many such bytes, the
    table is a hundred times as fast as Python's codec.
    """
    characters = (bytes((byte,)).decode(encoding, "replace") for byte in range(256))
    return "".join(
        chr(byte) if character == "\ufffd" and 0x80 <= byte <= 0x9F else character
        for byte, character in enumerate(characters)
    )


def sendable_codec(label: str) -> str | None:
    """Return Python's codec for exactly the charset of a label; ``None`` if Python has no such codec."""
    known = _ALIASES.get(label.strip().lower(), label)
    try:
        name = codecs.lookup(known).name
    except (LookupError, ValueError):
        return None
    return name if name in _CHARSETS else None


def encode_text(text: str, media_type: str, pointer: str) -> bytes:
    """Encode a text in the charset of its media type at a JSON Pointer of the document; the default is UTF-8.

    Raises:
        Unserializable: the charset does not have all characters of the text.
        DocumentError: the charset cannot be sent.
    """
    label = charset_of(media_type) or "utf-8"
    codec = sendable_codec(label)
    if codec is None:
        raise _unsendable(label, pointer)
    try:
        content = text.encode(codec)
    except UnicodeEncodeError:
        raise Unserializable(f"string of characters in {label}", value=text) from None
    if codec != "utf-8" and content.decode(codec, "replace") != text:  # some codecs encode ¥ as \
        raise Unserializable(f"string of characters in {label}", value=text)
    return content


def _unsendable(label: str, pointer: str) -> DocumentError:
    """Return the error for a charset that cannot be sent."""
    return DocumentError(
        f"the charset {label[:60]!r} cannot be sent: Python has no codec for exactly this charset; "
        "declare utf-8, or choose another media type of the document with Options.media_types",
        pointer=pointer,
    )


def unsendable_charset(body: Body) -> DocumentError | None:
    """Return the fault of a body with text in a charset that cannot be sent; ``None`` if there is no such text (rule X5)."""
    for media_type, pointer in _texts(body):
        label = charset_of(media_type)
        if label and sendable_codec(label) is None:
            return _unsendable(label, pointer)
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
        media_type = choose_for_part(part.media_types, None, "text/plain")
        if not is_json(media_type):
            yield media_type, f"{place}/contentType"
