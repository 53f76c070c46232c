"""File extensions by media type. The table of the operating system differs between machines, so it is not used."""

from collections.abc import Mapping
from typing import Final

from specfn.migrate.bodies.media_types import essence

#: The extensions of common media types.
_EXTENSIONS: Final[Mapping[str, str]] = {
    "application/gzip": ".gz",
    "application/json": ".json",
    "application/msword": ".doc",
    "application/pdf": ".pdf",
    "application/rtf": ".rtf",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/xml": ".xml",
    "application/x-tar": ".tar",
    "application/yaml": ".yaml",
    "application/zip": ".zip",
    "audio/mp4": ".m4a",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/heic": ".heic",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "text/css": ".css",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/xml": ".xml",
    "video/mp4": ".mp4",
    "video/mpeg": ".mpeg",
    "video/quicktime": ".mov",
    "video/webm": ".webm",
}

#: The extensions of other types, by their beginning or end (RFC 6839).
_FAMILIES: Final = (
    ("jsonl", ".jsonl"),
    ("lines", ".jsonl"),
    ("ndjson", ".ndjson"),
    ("json-seq", ".json"),
    ("+json", ".json"),
    ("+xml", ".xml"),
    ("text/", ".txt"),
)


def extension_of(media_type: str) -> str:
    """Return the extension for a file of a media type; ``.bin`` by default."""
    name = essence(media_type)
    return _EXTENSIONS.get(name) or next(
        (end for start, end in _FAMILIES if name.startswith(start) or name.endswith(start)), ".bin"
    )
