"""Files in arguments: bytes and opened files of the caller, and strings of the model (rule X5).

A string is never a path, and no file is opened here. A file that the caller opened is read and then rewound, so that
the same arguments can be sent twice.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import unquote, unquote_to_bytes

from specfn._internal.characters import clean
from specfn._internal.json import JsonObject
from specfn._internal.values import has_text_keys
from specfn.errors import UsageError
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import essence
from specfn.migrate.route import Body, MultipartPart
from specfn.validation.formats import is_base64
from specfn.validation.plain_json import MAX_DEPTH, MAX_VALUES

_WORD: Final = r"[A-Za-z0-9!#$&^_.+-]+"
_TYPE: Final = re.compile(rf"{_WORD}/{_WORD}(?:; ?{_WORD}=(?:{_WORD}|\"[ !#-\[\]-~]*\"))*\Z")
_VALUE: Final = r"(?:\"[^\"\x00-\x1f\x7f]*\"|[^;,\"\x00-\x1f\x7f]*)"
_DATA_URL: Final = re.compile(
    rf"data:(?P<type>{_WORD}/{_WORD})?(?P<parameters>(?:; ?{_WORD}={_VALUE})*)(?P<base64>; ?base64)?,",
    re.IGNORECASE,
)
_NAME: Final = re.compile(rf"; ?(?:file)?name=({_VALUE})", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[/\\]")

#: The number of times that a file name is decoded, and the number of its last characters that are kept.
_MAX_DECODINGS: Final = 8
_MAX_NAME_CHARACTERS: Final = 200

#: Types that are never files: JSON types, and tuples.
_NO_FILES: Final = (str, int, float, dict, list, tuple)
_BLANKS: Final = str.maketrans("", "", " \t\r\n")

#: Categories of characters that are removed from file names: controls, lone surrogates, line separators.
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})

#: The encoders by ``contentEncoding``.
_ENCODERS: Final = {"base64": base64.b64encode, "base64url": base64.urlsafe_b64encode}


@dataclass(frozen=True, slots=True)
class File:
    """A file that the caller passes.

    Attributes:
        content: the bytes.
        name: the file name for the server. The default is the name of the property, with an extension.
        media_type: the media type. The default is the one that the document declares.
    """

    content: bytes
    name: str | None = field(default=None, kw_only=True)
    media_type: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.content, bytes):
            raise UsageError(
                f"the content of a File must be bytes, not {type(self.content).__name__}"
            )
        if self.media_type is not None and not _TYPE.match(self.media_type):
            raise UsageError(
                f"media_type must be a media type such as 'image/png', not {self.media_type!r}"
            )

    def __repr__(self) -> str:
        named = f"{self.name!r}, " if self.name else ""
        return f"<File {named}{len(self.content)} bytes>"


def file_of(value: Any) -> File | None:
    """Return a value as a file: a ``File``, bytes, or a file opened in binary mode; ``None`` for JSON.

    Raises:
        UsageError: an opened file cannot be read from its current position and rewound.
    """
    kind = type(value)  # not __class__, which may be a property that raises
    if kind is File:
        return cast("File", value)
    if issubclass(kind, bytes | bytearray | memoryview):
        content = _attempt(lambda: memoryview(value).tobytes())
        return None if content is None else File(content)
    if value is None or issubclass(kind, _NO_FILES):
        return None
    return _read_file_object(value) if callable(_attempt(lambda: value.read)) else None


def _read_file_object(value: Any) -> File:
    content = _attempt(lambda: _content(value))
    if content is None:
        raise UsageError("an opened file must be readable and seekable; pass its bytes instead")
    if type(content) is not bytes:
        raise UsageError("an opened file must be opened in binary mode")
    name = _attempt(lambda: value.name)
    return File(content, name=_SEPARATOR.split(name)[-1] if type(name) is str else None)


def _content(value: Any) -> Any:
    position = value.tell()
    content = value.read()
    value.seek(position)
    return content


def _attempt(read: Callable[[], Any]) -> Any:
    """Read an attribute of the caller's object; return ``None`` if reading raises anything."""
    try:
        return read()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - an object that raises SystemExit is not a file
        return None


def content_of(value: Any, transfer: str | None, *, admits_text: bool = False) -> File:
    """Return the file to send for a value.

    Args:
        value: a file of the caller, or a string of the model. The string is a ``data:`` URL (RFC 2397), base64 if
            ``transfer`` demands it, or else the content itself.
        transfer: the ``contentEncoding`` that the document declares.
        admits_text: whether the value may also be a text that is not a file. Then a path or a URL is such a text.

    Raises:
        Unserializable: the value is not a string, not in the declared encoding, or the path of a file.
        UsageError: an opened file cannot be read.
    """
    given = file_of(value) or _read_data_url(value)
    if given is not None:
        encode = _ENCODERS.get(transfer or "", bytes)
        return File(encode(given.content), name=given.name, media_type=given.media_type)
    if not isinstance(value, str):
        raise Unserializable(
            "string",
            "a model writes a file as a string; code may also pass bytes or an opened file",
            value=value,
        )
    if transfer in _ENCODERS and not is_base64(value.translate(_BLANKS)):
        raise Unserializable(
            f"{transfer} text", "the document requires the file in this encoding", value=value
        )
    if transfer not in _ENCODERS and not admits_text and _is_path(value):
        raise _path_in_place_of_content(value)
    try:
        return File(value.encode())
    except UnicodeEncodeError:
        raise Unserializable(
            "string", "the text contains an unpaired surrogate", value=value
        ) from None


def _read_data_url(value: Any) -> File | None:
    match = (
        _DATA_URL.match(value) if isinstance(value, str) and value[:5].lower() == "data:" else None
    )
    if match is None:
        return None
    try:
        content = unquote_to_bytes(value[match.end() :])
    except UnicodeEncodeError:
        return None
    if match["base64"]:
        content = _decode_base64(content, value)
    return File(content, name=_file_name(match["parameters"]), media_type=match["type"])


def _file_name(parameters: str) -> str | None:
    """Return the file name among the parameters of a ``data:`` URL."""
    parameter = _NAME.search(parameters)
    return None if parameter is None else plain_file_name(parameter[1].strip('"'))


def plain_file_name(name: str) -> str | None:
    """Return the last path segment of a name without controls; ``None`` if nothing is left of it.

    A model may choose the name, and a server may save the file under it.
    """
    for _ in range(_MAX_DECODINGS):
        name = unquote(name)
    name = clean(_SEPARATOR.split(name)[-1])
    name = "".join(
        character for character in name if unicodedata.category(character) not in _CONTROLS
    ).strip()
    return name[-_MAX_NAME_CHARACTERS:] if name.strip(". ") else None


def _decode_base64(content: bytes, value: Any) -> bytes:
    """Decode base64 in either alphabet, with or without padding."""
    plain = content.translate(bytes.maketrans(b"-_", b"+/"), b" \t\r\n=")
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True)
    except binascii.Error:
        raise Unserializable(
            "data URL", "the data after ;base64, is not base64", value=value
        ) from None


# -- file extensions. The table of the operating system differs between machines ---------------------

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

#: The media types of common extensions.
_TYPES: Final = {
    **{extension: media_type for media_type, extension in _EXTENSIONS.items()},
    ".htm": "text/html",
    ".jpeg": "image/jpeg",
    ".tiff": "image/tiff",
    ".xml": "application/xml",
    ".yml": "application/yaml",
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


def type_of_name(name: str) -> str | None:
    """Return the media type of a file by the extension of its name; ``None`` if the extension is not known."""
    stem, dot, extension = name.rpartition(".")
    return _TYPES.get(f".{extension.lower()}") if stem and dot else None


# -- paths in the place of content -------------------------------------------------------------------

#: The maximum number of characters of a text that may be a path or a URL.
_MAX_PATH_CHARACTERS: Final = 260

#: The beginning of a path or a URL, but not of a base64 JPEG or a comment; and a name of a file, perhaps with folders.
_PATH: Final = re.compile(
    r"@?/(?!9j/|\*)|~/|\.{1,2}[/\\]|[a-z]:[/\\]|\\\\\w|file:|https?:", re.IGNORECASE
)
_FILE_PATH: Final = re.compile(r"[\w .()+@/\\-]+\.[A-Za-z0-9]{1,8}\Z")


def _is_path(text: str) -> bool:
    """Return whether a text is a path or a URL, not the content of a file."""
    if len(text) > _MAX_PATH_CHARACTERS or not text.strip() or len(text.splitlines()) > 1:
        return False
    text = text.strip()
    if _PATH.match(text):
        return True
    return _FILE_PATH.match(text) is not None and type_of_name(text) is not None


def _path_in_place_of_content(path: str) -> Unserializable:
    """Return the fault that tells a model how to write the content of the file that it names."""
    name = plain_file_name(re.split(r"[?#]", path.strip())[0]) or "FILENAME"
    url = f"data:{type_of_name(name) or 'TYPE'};name={name};base64,DATA"
    return Unserializable(
        "the content of the file",
        f"This is a path or a URL; specfn reads no files and downloads nothing. Write the content: {url}. "
        "If this text is the content, write data:text/plain, in front of it",
        value=path,
    )


def as_text(file: File) -> str:
    """Return a file as base64, for JSON and forms."""
    return base64.b64encode(file.content).decode()


def file_placeholders(body: Body | None, named: JsonObject) -> JsonObject | None:
    """Return the arguments with a string in the place of each file, to validate them as JSON.

    A file that is sent as bytes becomes a string with one character per byte, because the length of binary data is
    counted in octets (section Binary Streams). Any other file becomes the base64 that is sent.

    Returns:
        The arguments, or ``None`` if they contain no file.
    """
    if not has_text_keys(named):
        return None
    placeholders = _Placeholders()
    arguments = {
        key: placeholders.body(body, value) if key == "body" and body else placeholders.json(value)
        for key, value in named.items()
    }
    return arguments if placeholders.count and placeholders.room >= 0 else None


class _Placeholders:
    """Replacement of files by strings, within the limits of arguments."""

    def __init__(self) -> None:
        self.count = 0
        self.room = MAX_VALUES

    def body(self, body: Body, value: Any) -> Any:
        if body.kind in {"json", "form"}:
            return self.json(value)
        if body.kind != "multipart":
            return self._file(value, body.transfer)
        if type(value) is dict and has_text_keys(value):
            parts = body.parts
            return {
                key: self._part(item, parts.named.get(key, parts.rest))
                for key, item in value.items()
            }
        return self._part(value, body.parts.rest)

    def _part(self, value: Any, part: MultipartPart) -> Any:
        if type(value) is list:
            return [self._file(item, part.transfer) for item in value]
        return self._file(value, part.transfer)

    def _file(self, value: Any, transfer: str | None) -> Any:
        if transfer in _ENCODERS and type(value) is str:
            return self._as_base64(value)
        return self.json(value, as_characters if transfer is None else as_text)

    def _as_base64(self, value: str) -> str:
        """Return the base64 of a ``data:`` URL; any other string is returned as it is."""
        try:
            file = _read_data_url(value)
        except Unserializable:
            return value
        self.count += file is not None
        return value if file is None else as_text(file)

    def json(self, value: Any, write: Callable[[File], str] = as_text, depth: int = 0) -> Any:
        self.room -= 1
        if depth > MAX_DEPTH or self.room < 0:
            return value
        if type(value) is dict and has_text_keys(value):
            return {key: self.json(item, as_text, depth + 1) for key, item in value.items()}
        if type(value) is list:
            return [self.json(item, as_text, depth + 1) for item in value]
        try:
            file = file_of(value)
        except UsageError:
            return value
        self.count += file is not None
        return value if file is None else write(file)


def as_characters(file: File) -> str:
    """Return a string with one character per byte of a file."""
    return "A" * len(file.content)
