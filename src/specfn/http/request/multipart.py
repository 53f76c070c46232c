"""Multipart bodies: values to parts, parts to bytes (RFC 2046, section 5.1; RFC 7578; rule X5).

The boundary is not random but a hash of the parts: a request is a pure function of its arguments, and to
write a content that holds its own 128-bit hash is as hard as to guess a random one. That it does not
occur is looked at all the same.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from specfn.errors import DocumentError
from specfn.http.files import content_of, file_of
from specfn.http.headers import is_token, is_value
from specfn.http.json_values import dumps, text
from specfn.http.media import encoded, is_json, preferred
from specfn.http.request import style
from specfn.http.request.extensions import extension_of
from specfn.http.request.sequences import sequence
from specfn.http.unserializable import Unfit
from specfn.migrate.bodies.media_types import essence, is_sequence
from specfn.migrate.route import MultipartPart, MultipartParts

_FORM: Final = "multipart/form-data"
_OCTETS: Final = "application/octet-stream"

#: What the only part of a form is called whose schema is a file, not an object of parts.
_UNNAMED: Final = "file"

#: What may not stand in a quoted parameter; it is written as browsers do (RFC 7578, section 4.2).
_UNQUOTABLE: Final = re.compile(r'[\x00-\x1f"\x7f]')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One part before it is bytes.

    Attributes:
        content: its bytes.
        name: of its property; ``None`` where parts have no names.
        media_type: its ``Content-Type``; ``None`` to say none.
        filename: for a file.
        transfer: for ``Content-Transfer-Encoding``.
        headers: further headers.
    """

    content: bytes
    name: str | None
    media_type: str | None = None
    filename: str | None = None
    transfer: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


def write(parts: MultipartParts, value: Any, media_type: str, pointer: str) -> tuple[bytes, str]:
    """A value as a multipart body, and the ``Content-Type`` with its boundary.

    Args:
        parts: what the document says of the parts.
        value: an object with a property for each part (or an array of values for several of that
            name), an array with an item for each part, or the only part, a file.
        media_type: the declared one.
        pointer: of the request body, for errors.

    Raises:
        Unfit: a value cannot be written as its part.
        DocumentError: a header of a part is not one.
    """
    kind = _FORM if "*" in media_type else media_type
    is_form = essence(kind) == _FORM
    writer = _Writer(is_form, pointer)
    written = [writer.written(piece) for piece in writer.pieces(parts, value)]
    boundary = _boundary(written)
    mark = b"--" + boundary.encode()
    content = b"".join(mark + b"\r\n" + part + b"\r\n" for part in written) + mark + b"--\r\n"
    kept = [each for each in kind.split(";") if not each.strip().lower().startswith("boundary=")]
    return content, ";".join((*kept, f" boundary={boundary}"))


def _boundary(written: Sequence[bytes]) -> str:
    """128 bits that occur in no part."""
    digest = hashlib.blake2b(digest_size=16)
    for part in written:
        digest.update(part)
    while any(digest.hexdigest().encode() in part for part in written):
        digest.update(b"once more")
    return digest.hexdigest()


class _Writer:
    """Writes the parts of one body; in a form, parts have names."""

    def __init__(self, is_form: bool, pointer: str) -> None:  # noqa: FBT001  # the module's own
        self._is_form = is_form
        self._pointer = pointer

    def pieces(self, parts: MultipartParts, value: Any) -> Iterator[_Piece]:
        """The parts of a body, in the order of the value."""
        if isinstance(value, dict):
            for name, item in value.items():
                try:
                    yield from self._property(text(name), item, parts.named.get(name, parts.rest))
                except Unfit as unfit:
                    raise unfit.below(name) from None
        elif isinstance(value, list):
            for index, item in enumerate(value):
                try:
                    yield from self._position(parts, index, item)
                except Unfit as unfit:
                    raise unfit.below(index) from None
        elif isinstance(value, str) or file_of(value) is not None:
            yield self._file(_UNNAMED if self._is_form else None, value, parts.rest)
        else:
            raise Unfit("object", "a multipart body has a property for each part", value=value)

    def _property(self, name: str, item: Any, part: MultipartPart) -> Iterator[_Piece]:
        """The parts of one property: of an array, one for each item (section Encoding By Name)."""
        if part.style is not None and self._is_form:
            pairs = style.pairs(name, item, part.style, style.in_part, explode=part.explode)
            yield from (_Piece(content=told.encode(), name=key) for key, told in pairs)
        elif isinstance(item, list) and part.inner is None and not _is_sequence(part):
            for index, each in enumerate(item):
                try:
                    yield self._piece(name, each, part)
                except Unfit as unfit:
                    raise unfit.below(index) from None
        else:
            yield self._piece(name, item, part)

    def _position(self, parts: MultipartParts, index: int, item: Any) -> Iterator[_Piece]:
        """The part of one item (section Encoding By Position); in a form, an object with its name."""
        if not self._is_form:
            part = parts.prefix[index] if index < len(parts.prefix) else parts.rest
            yield self._piece(None, item, part)
        elif isinstance(item, dict):
            yield from self.pieces(parts, item)
        else:
            raise Unfit("object", "a part of a form has a name", value=item)

    def _piece(self, name: str | None, value: Any, part: MultipartPart) -> _Piece:
        """One value as a part, in the media type that it has or that the document gives it."""
        is_text = isinstance(value, str)
        if file_of(value) is not None or (is_text and (part.is_file or part.transfer is not None)):
            return self._file(name, value, part)
        if part.inner is not None and isinstance(value, dict | list):
            kind = preferred(part.media_types, None, "multipart/mixed")
            content, nested = write(part.inner, value, kind, self._pointer)
            return _Piece(content=content, name=name, media_type=nested, headers=part.headers)
        default = "application/json" if isinstance(value, dict | list) else "text/plain"
        media_type = preferred(part.media_types, None, default)
        content = self._content(value, media_type)
        told = media_type if part.media_types else self._default(media_type, content)
        return _Piece(content=content, name=name, media_type=told, headers=part.headers)

    def _default(self, media_type: str, content: bytes) -> str | None:
        """The media type to write: a form's text goes without one; elsewhere that would mean ASCII."""
        if media_type != "text/plain":
            return media_type
        return None if self._is_form or content.isascii() else "text/plain; charset=utf-8"

    def _content(self, value: Any, media_type: str) -> bytes:
        """A value in a media type: JSON, or a text."""
        if is_json(media_type):
            return dumps(value)
        lines = sequence(value, media_type)
        if lines is not None:
            return lines
        if isinstance(value, dict | list):
            raise Unfit("string", f"only a text can be written as {media_type}", value=value)
        return b"" if value is None else encoded(text(value), media_type, self._pointer)

    def _file(self, name: str | None, value: Any, part: MultipartPart) -> _Piece:
        """A file, under its own name or the property's; one that travels as text needs neither."""
        file = content_of(value, part.transfer)
        is_field = part.transfer is not None and file.name is None
        default = part.file_type or ("" if is_field else _OCTETS)
        media_type = preferred(part.media_types, file.media_type, default)
        return _Piece(
            content=file.content,
            name=name,
            media_type=media_type or None,
            filename=file.name
            or (None if is_field else f"{name or 'file'}{extension_of(media_type)}"),
            transfer=part.transfer,
            headers=part.headers,
        )

    def written(self, piece: _Piece) -> bytes:
        """The head and the content of a part."""
        head = [f"{name}: {value}\r\n" for name, value in self._head(piece)]
        return "".join(head).encode(errors="replace") + b"\r\n" + piece.content

    def _head(self, piece: _Piece) -> Iterator[tuple[str, str]]:
        told = [
            f'{key}="{_UNQUOTABLE.sub(_percent, value)}"'
            for key, value in (("name", piece.name), ("filename", piece.filename))
            if value is not None
        ]
        if told:
            kind = "form-data" if piece.name is not None else "attachment"
            yield "Content-Disposition", "; ".join((kind, *told))
        if piece.media_type is not None:
            yield "Content-Type", piece.media_type
        if piece.transfer is not None:
            yield "Content-Transfer-Encoding", piece.transfer
        for name, value in piece.headers:
            if not is_token(name) or not is_value(value):
                raise DocumentError(f"{name!r} is not a header of a part", pointer=self._pointer)
            yield name, value


def _is_sequence(part: MultipartPart) -> bool:
    """Return whether an array is one part: a line for each item. Files are parts of their own."""
    return not part.is_file and any(map(is_sequence, part.media_types))


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
