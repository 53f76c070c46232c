"""Types of binary content, confirmed by its first bytes (rule X14, threat T37).

A server declares the type of a response, and the declaration may be wrong. Only the types of one table are confirmed.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: The kinds of content that a model can see or hear.
Shown: TypeAlias = Literal["image", "audio"]


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of files.

    Attributes:
        media_type: its media type.
        extension: the extension of its files.
        start: the first bytes of its files.
        shown: the kind of content that a model can see or hear; ``None`` for all other types.
        names: other media types that servers send for it.
    """

    media_type: str
    extension: str
    start: re.Pattern[bytes]
    shown: Shown | None = None
    names: frozenset[str] = frozenset()


def _type(
    media_type: str, extension: str, start: bytes, names: str = "", *, shown: Shown | None = None
) -> FileType:
    pattern = re.compile(start, re.DOTALL)
    return FileType(media_type, extension, pattern, shown, frozenset(names.split()))


_ZIP: Final = rb"PK\x03\x04|PK\x05\x06"
_OPEN_XML: Final = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument"
_MATROSKA: Final = rb"\x1a\x45\xdf\xa3"

_TYPES: Final = (
    _type("image/png", ".png", rb"\x89PNG\r\n\x1a\n", "image/x-png", shown="image"),
    _type("image/jpeg", ".jpg", rb"\xff\xd8\xff", "image/jpg image/pjpeg", shown="image"),
    _type("image/gif", ".gif", rb"GIF8[79]a", shown="image"),
    _type("image/webp", ".webp", rb"RIFF.{4}WEBP", shown="image"),
    _type("audio/wav", ".wav", rb"RIFF.{4}WAVE", "audio/wave audio/x-wav", shown="audio"),
    _type(
        "audio/mpeg",
        ".mp3",
        rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]",
        "audio/mp3 audio/x-mpeg",
        shown="audio",
    ),
    _type("audio/ogg", ".ogg", rb"OggS", "audio/opus audio/vorbis", shown="audio"),
    _type("audio/flac", ".flac", rb"fLaC", "audio/x-flac", shown="audio"),
    _type("audio/mp4", ".m4a", rb".{4}ftyp", "audio/m4a audio/x-m4a", shown="audio"),
    _type("audio/webm", ".weba", _MATROSKA, shown="audio"),
    _type("image/bmp", ".bmp", rb"BM", "image/x-ms-bmp"),
    _type("image/tiff", ".tif", rb"II\*\x00|MM\x00\*"),
    _type("image/heic", ".heic", rb".{4}ftyp"),
    _type("image/avif", ".avif", rb".{4}ftyp"),
    _type("video/mp4", ".mp4", rb".{4}ftyp"),
    _type("video/quicktime", ".mov", rb".{4}(?:ftyp|moov|mdat)"),
    _type("video/webm", ".webm", _MATROSKA),
    _type("application/pdf", ".pdf", rb"%PDF-", "application/x-pdf"),
    _type("application/zip", ".zip", _ZIP, "application/x-zip-compressed"),
    _type("application/gzip", ".gz", rb"\x1f\x8b", "application/x-gzip"),
    _type(f"{_OPEN_XML}.wordprocessingml.document", ".docx", _ZIP),
    _type(f"{_OPEN_XML}.spreadsheetml.sheet", ".xlsx", _ZIP),
    _type(f"{_OPEN_XML}.presentationml.presentation", ".pptx", _ZIP),
    _type(f"{_OPEN_DOCUMENT}.text", ".odt", _ZIP),
    _type(f"{_OPEN_DOCUMENT}.spreadsheet", ".ods", _ZIP),
    _type("application/vnd.apache.parquet", ".parquet", rb"PAR1"),
)

_BY_NAME: Final = {name: kind for kind in _TYPES for name in (kind.media_type, *kind.names)}

#: The type of all content that is not confirmed.
UNCONFIRMED: Final = _type("application/octet-stream", ".bin", b"")


def file_type(media_type: str | None, content: bytes) -> FileType:
    """Return the type of binary content with a declared media type in lower case, without parameters.

    It is the declared type if the first bytes confirm it. Among images, and among audio, the first bytes decide which
    one it is. Everything else is ``application/octet-stream``.
    """
    declared = _BY_NAME.get(media_type or "")
    if declared is None:
        return UNCONFIRMED
    if _is_confirmed(declared, content):
        return declared
    similar = (kind for kind in _TYPES if kind.shown and kind.shown == declared.shown)
    return next((kind for kind in similar if _is_confirmed(kind, content)), UNCONFIRMED)


def _is_confirmed(kind: FileType, content: bytes) -> bool:
    return kind.start.match(content) is not None
