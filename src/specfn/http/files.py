"""Files in arguments: what a caller hands over as bytes, and what a model writes as text (rule X5).

A text is never a path: nothing here opens anything. What a caller opened is read, and wound back, so that
a request can be made twice from the same arguments.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import unquote, unquote_to_bytes

from specfn._internal.json import JsonObject
from specfn._internal.values import has_text_keys
from specfn.errors import UsageError
from specfn.http.unserializable import Unfit
from specfn.migrate.route import Body, MultipartPart
from specfn.schema.safe_text import clean
from specfn.validation.formats import is_base64
from specfn.validation.guard import DEPTH, NODES

_WORD: Final = r"[A-Za-z0-9!#$&^_.+-]+"
_TYPE: Final = re.compile(rf"{_WORD}/{_WORD}(?:; ?{_WORD}=(?:{_WORD}|\"[ !#-\[\]-~]*\"))*\Z")
_VALUE: Final = r"(?:\"[^\"\x00-\x1f\x7f]*\"|[^;,\"\x00-\x1f\x7f]*)"
_DATA_URL: Final = re.compile(
    rf"data:(?P<type>{_WORD}/{_WORD})?(?P<parameters>(?:; ?{_WORD}={_VALUE})*)(?P<base64>; ?base64)?,",
    re.IGNORECASE,
)
_NAME: Final = re.compile(rf"; ?(?:file)?name=({_VALUE})", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[/\\]")

#: How often a file name is decoded, and the most characters of it that are kept: the last ones.
_ROUNDS: Final = 8
_NAME_LENGTH: Final = 200

#: Never a file, whatever else it is: JSON, and tuples.
_NO_FILES: Final = (str, int, float, dict, list, tuple)
_BLANKS: Final = str.maketrans("", "", " \t\r\n")

#: Categories of characters that no file name has: controls, lone surrogates, separators of lines.
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})

#: How a content is written where it travels as text.
_ENCODERS: Final = {"base64": base64.b64encode, "base64url": base64.urlsafe_b64encode}


@dataclass(frozen=True, slots=True)
class File:
    """A file that a caller hands over.

    Attributes:
        content: its bytes.
        name: what the server is told it is called; without one, the property's name and an extension.
        media_type: its media type; without one, what the document says.
    """

    content: bytes
    name: str | None = field(default=None, kw_only=True)
    media_type: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.content, bytes):
            raise UsageError("the content of a File is bytes")
        if self.media_type is not None and not _TYPE.match(self.media_type):
            raise UsageError(f"{self.media_type!r} is not a media type")

    def __repr__(self) -> str:
        named = f"{self.name!r}, " if self.name else ""
        return f"<File {named}{len(self.content)} bytes>"


def file_of(value: Any) -> File | None:
    """The file that a value is: a ``File``, bytes, or what was opened in binary mode; ``None`` for JSON.

    Raises:
        UsageError: it is open, and cannot be read from where it stands and wound back.
    """
    kind = type(value)  # and not its __class__: that may be a property that raises
    if kind is File:
        return cast("File", value)
    if issubclass(kind, bytes | bytearray | memoryview):
        content = _asked(lambda: memoryview(value).tobytes())
        return None if content is None else File(content)
    if value is None or issubclass(kind, _NO_FILES):
        return None
    return _opened(value) if callable(_asked(lambda: value.read)) else None


def _opened(value: Any) -> File:
    content = _asked(lambda: _content(value))
    if content is None:
        raise UsageError("an opened file must be readable and seekable; give its bytes instead")
    if type(content) is not bytes:
        raise UsageError("an opened file must be opened in binary mode")
    name = _asked(lambda: value.name)
    return File(content, name=_SEPARATOR.split(name)[-1] if type(name) is str else None)


def _content(value: Any) -> Any:
    position = value.tell()
    content = value.read()
    value.seek(position)
    return content


def _asked(question: Callable[[], Any]) -> Any:
    """Ask a caller's object something; ``None`` if that raises, whatever it raises."""
    try:
        return question()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - an object that ends the process is no file
        return None


def content_of(value: Any, transfer: str | None) -> File:
    """What is sent for a value that is a file: a caller's, or a model's text.

    Args:
        value: a file, or a text: a ``data:`` URL (RFC 2397), else the content itself, which is base64
            where it travels so.
        transfer: the encoding that the document wants the content to travel in.

    Raises:
        Unfit: the text is not base64 where it should be, or no text.
        UsageError: an opened file cannot be read.
    """
    given = file_of(value) or _data_url(value)
    if given is not None:
        encode = _ENCODERS.get(transfer or "", bytes)
        return File(encode(given.content), name=given.name, media_type=given.media_type)
    if not isinstance(value, str):
        raise Unfit("string", "a file is a text, or what a caller opened", value=value)
    if transfer in _ENCODERS and not is_base64(value.translate(_BLANKS)):
        raise Unfit(f"{transfer} text", "the document asks for an encoded file", value=value)
    try:
        return File(value.encode())
    except UnicodeEncodeError:
        raise Unfit("string", "half of a surrogate pair is not text", value=value) from None


def _data_url(value: Any) -> File | None:
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
        content = _decoded(content, value)
    return File(content, name=_file_name(match["parameters"]), media_type=match["type"])


def _file_name(parameters: str) -> str | None:
    """Return the file name among the parameters of a ``data:`` URL: its last path segment, without controls."""
    found = _NAME.search(parameters)
    if found is None:
        return None
    name = found[1].strip('"')
    for _ in range(_ROUNDS):
        name = unquote(name)
    name = clean(_SEPARATOR.split(name)[-1])
    name = "".join(each for each in name if unicodedata.category(each) not in _CONTROLS).strip()
    return name[-_NAME_LENGTH:] if name.strip(". ") else None


def _decoded(content: bytes, value: Any) -> bytes:
    """Base64 in either alphabet, padded or not."""
    plain = content.translate(bytes.maketrans(b"-_", b"+/"), b" \t\r\n=")
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True)
    except binascii.Error:
        raise Unfit("data URL", "what follows ;base64, is not base64", value=value) from None


def as_text(file: File) -> str:
    """A file as JSON and forms write it: base64."""
    return base64.b64encode(file.content).decode()


def stand_ins(body: Body | None, named: JsonObject) -> JsonObject | None:
    """The arguments with a text in the place of each file, so that they can be validated as JSON.

    A file that is sent as it is becomes a text of as many characters as it has bytes (the length of
    binary data is counted in octets: section Binary Streams); any other, the base64 that is sent.

    Returns:
        The arguments, or ``None`` where no file is among them.
    """
    if not has_text_keys(named):
        return None
    texts = _Texts()
    made = {
        key: texts.body(body, value) if key == "body" and body else texts.json(value)
        for key, value in named.items()
    }
    return made if texts.count and texts.room >= 0 else None


def is_encoded(body: Body | None) -> bool:
    """Whether a text in a body may stand for a file that travels in base64."""
    if body is None:
        return False
    parts = (body.parts.rest, *body.parts.named.values())
    return body.transfer in _ENCODERS or any(part.transfer in _ENCODERS for part in parts)


class _Texts:
    """Puts texts in the place of files, within the limits that arguments have anyway."""

    def __init__(self) -> None:
        self.count = 0
        self.room = NODES

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
            return self._encoded(value)
        return self.json(value, as_characters if transfer is None else as_text)

    def _encoded(self, value: str) -> str:
        """A ``data:`` URL where base64 belongs is the base64 that is sent for it."""
        try:
            file = _data_url(value)
        except Unfit:
            return value
        self.count += file is not None
        return value if file is None else as_text(file)

    def json(self, value: Any, write: Callable[[File], str] = as_text, depth: int = 0) -> Any:
        self.room -= 1
        if depth > DEPTH or self.room < 0:
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
    """A text that is as long as a file."""
    return "A" * len(file.content)
