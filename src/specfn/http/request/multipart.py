"""Multipart bodies: values to parts, parts to bytes (RFC 2046, section 5.1; RFC 7578; rule X5).

The boundary is a hash of the parts, so that the same arguments always result in the same request. Content that contains its
own 128-bit hash is as hard to construct as a guess of a random boundary. The parts are still searched for the boundary.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from specfn.errors import DocumentError
from specfn.http.charsets import encode_text
from specfn.http.files import content_of, extension_of, file_of, plain_file_name, type_of_name
from specfn.http.request import style
from specfn.http.request.style import dumps, sequence, text
from specfn.http.unserializable import Unserializable
from specfn.migrate.bodies.media_types import choose_for_part, essence, is_json, is_sequence
from specfn.migrate.route import MultipartPart, MultipartParts
from specfn.network.headers import is_token, is_value

# -- parts -------------------------------------------------------------------------------------------

_FORM: Final = "multipart/form-data"
_OCTETS: Final = "application/octet-stream"

#: The name of the only part of a form whose schema is a file instead of an object.
_UNNAMED: Final = "file"

#: Characters that a quoted parameter must not contain. They are escaped as browsers do (RFC 7578, section 4.2).
_UNQUOTABLE: Final = re.compile(r'[\x00-\x1f"\x7f]')


@dataclass(frozen=True, slots=True, kw_only=True)
class _BodyPart:
    """A part of a multipart body.

    Attributes:
        content: the bytes of the content.
        name: the name of the property; ``None`` if parts have no names.
        media_type: the ``Content-Type``; ``None`` to omit it.
        filename: the file name; ``None`` for a part that is not a file.
        transfer: the ``Content-Transfer-Encoding``; ``None`` to omit it.
        headers: further headers.
    """

    content: bytes
    name: str | None
    media_type: str | None = None
    filename: str | None = None
    transfer: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


def write(parts: MultipartParts, value: Any, media_type: str, pointer: str) -> tuple[bytes, str]:
    """Serialize a multipart body; return its bytes and the ``Content-Type`` with the boundary.

    Args:
        parts: the declared parts.
        value: an object with a property for each part, an array with an item for each part, or a file as the only
            part. A property may be an array of values for several parts of that name.
        media_type: the declared media type.
        pointer: the JSON Pointer of the request body, for errors.

    Raises:
        Unserializable: a value cannot be serialized as its part.
        DocumentError: a declared header of a part is invalid.
    """
    kind = _FORM if "*" in media_type else media_type
    is_form = essence(kind) == _FORM
    writer = _Writer(is_form, pointer)
    written = [writer.serialize(part) for part in writer.parts(parts, value)]
    boundary = _boundary(written)
    mark = b"--" + boundary.encode()
    content = b"".join(mark + b"\r\n" + part + b"\r\n" for part in written) + mark + b"--\r\n"
    kept = [
        parameter
        for parameter in kind.split(";")
        if not parameter.strip().lower().startswith("boundary=")
    ]
    return content, ";".join((*kept, f" boundary={boundary}"))


def _boundary(written: Sequence[bytes]) -> str:
    """Return a boundary of 128 bits that no part contains."""
    digest = hashlib.blake2b(digest_size=16)
    for part in written:
        digest.update(part)
    while any(digest.hexdigest().encode() in part for part in written):
        digest.update(b"once more")
    return digest.hexdigest()


class _Writer:
    """Serializer of the parts of one body. The parts of a form have names."""

    def __init__(self, is_form: bool, pointer: str) -> None:  # noqa: FBT001  # private to this module
        self._is_form = is_form
        self._pointer = pointer

    def parts(self, parts: MultipartParts, value: Any) -> Iterator[_BodyPart]:
        """Yield the parts of a body, in the order of the value."""
        if isinstance(value, dict):
            for name, item in value.items():
                try:
                    yield from self._property(text(name), item, parts.named.get(name, parts.rest))
                except Unserializable as fault:
                    raise fault.below(name) from None
        elif isinstance(value, list):
            for index, item in enumerate(value):
                try:
                    yield from self._position(parts, index, item)
                except Unserializable as fault:
                    raise fault.below(index) from None
        elif isinstance(value, str) or file_of(value) is not None:
            yield self._file(_UNNAMED if self._is_form else None, value, parts.rest)
        else:
            raise Unserializable(
                "object", "a multipart body has a property for each part", value=value
            )

    def _property(self, name: str, item: Any, part: MultipartPart) -> Iterator[_BodyPart]:
        """Yield the parts of one property: for an array, one part per item (section Encoding By Name)."""
        if part.style is not None and self._is_form:
            pairs = style.pairs(name, item, part.style, style.in_part, explode=part.explode)
            yield from (_BodyPart(content=item.encode(), name=key) for key, item in pairs)
        elif isinstance(item, list) and part.inner is None and not _is_sequence(part):
            for index, element in enumerate(item):
                try:
                    yield self._part(name, element, part)
                except Unserializable as fault:
                    raise fault.below(index) from None
        else:
            yield self._part(name, item, part)

    def _position(self, parts: MultipartParts, index: int, item: Any) -> Iterator[_BodyPart]:
        """Yield the part of one item (section Encoding By Position). In a form, the item is an object with the name."""
        if not self._is_form:
            part = parts.prefix[index] if index < len(parts.prefix) else parts.rest
            yield self._part(None, item, part)
        elif isinstance(item, dict):
            yield from self.parts(parts, item)
        else:
            raise Unserializable(
                "object",
                "each part of a form has a name: send an object with one property",
                value=item,
            )

    def _part(self, name: str | None, value: Any, part: MultipartPart) -> _BodyPart:
        """Return one value as a part, in its own or the declared media type."""
        is_text = isinstance(value, str)
        if file_of(value) is not None or (is_text and (part.is_file or part.transfer is not None)):
            return self._file(name, value, part)
        if part.inner is not None and isinstance(value, dict | list):
            kind = choose_for_part(part.media_types, None, "multipart/mixed")
            content, nested = write(part.inner, value, kind, self._pointer)
            return _BodyPart(content=content, name=name, media_type=nested, headers=part.headers)
        default = "application/json" if isinstance(value, dict | list) else "text/plain"
        media_type = choose_for_part(part.media_types, None, default)
        content = self._content(value, media_type)
        sent = media_type if part.media_types else self._default(media_type, content)
        return _BodyPart(content=content, name=name, media_type=sent, headers=part.headers)

    def _default(self, media_type: str, content: bytes) -> str | None:
        """Return the media type to send. Text in a form needs no media type; elsewhere no media type means ASCII."""
        if media_type != "text/plain":
            return media_type
        return None if self._is_form or content.isascii() else "text/plain; charset=utf-8"

    def _content(self, value: Any, media_type: str) -> bytes:
        """Serialize a value in a media type, as JSON or as text."""
        if is_json(media_type):
            return dumps(value)
        lines = sequence(value, media_type)
        if lines is not None:
            return lines
        if isinstance(value, dict | list):
            raise Unserializable(
                "string", f"only a string can be serialized as {media_type}", value=value
            )
        return b"" if value is None else encode_text(text(value), media_type, self._pointer)

    def _file(self, name: str | None, value: Any, part: MultipartPart) -> _BodyPart:
        """Return a file as a part. The file name is its own or that of the property; encoded content needs no file name."""
        file = content_of(value, part.transfer, admits_text=part.admits_text)
        is_field = part.transfer is not None and file.name is None
        default = part.file_type or ("" if is_field else _OCTETS)
        media_type = choose_for_part(part.media_types, file.media_type, default)
        if (
            media_type == _OCTETS and file.name is not None
        ):  # FastAPI declares this type for any file
            media_type = type_of_name(file.name) or media_type
        stem = plain_file_name(name or "") or "file"
        return _BodyPart(
            content=file.content,
            name=name,
            media_type=media_type or None,
            filename=file.name or (None if is_field else f"{stem}{extension_of(media_type)}"),
            transfer=part.transfer,
            headers=part.headers,
        )

    def serialize(self, part: _BodyPart) -> bytes:
        """Serialize the headers and the content of a part."""
        head = [f"{name}: {value}\r\n" for name, value in self._part_headers(part)]
        return "".join(head).encode(errors="replace") + b"\r\n" + part.content

    def _part_headers(self, part: _BodyPart) -> Iterator[tuple[str, str]]:
        parameters = [
            f'{key}="{_UNQUOTABLE.sub(_percent, value)}"'
            for key, value in (("name", part.name), ("filename", part.filename))
            if value is not None
        ]
        if parameters:
            kind = "form-data" if part.name is not None else "attachment"
            yield "Content-Disposition", "; ".join((kind, *parameters))
        if part.media_type is not None:
            yield "Content-Type", part.media_type
        if part.transfer is not None:
            yield "Content-Transfer-Encoding", part.transfer
        for name, value in part.headers:
            if not is_token(name) or not is_value(value):
                raise DocumentError(
                    f"the header {name!r} of a multipart part has an invalid name or value: "
                    "correct the headers of its Encoding Object",
                    pointer=self._pointer,
                )
            yield name, value


def _is_sequence(part: MultipartPart) -> bool:
    """Return whether an array becomes one part, with a line per item. Each file is a part of its own."""
    return not part.is_file and any(map(is_sequence, part.media_types))


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
