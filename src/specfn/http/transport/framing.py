"""The end of a response on its socket (RFC 9112, section 6), determined independently of httpcore.

httpcore keeps bytes beyond a response, and reads them as the response to the next request. So a socket is used again
only if the received bytes end exactly at the end of the response.
"""

import re
from collections.abc import Iterable
from typing import Final, Protocol

#: The end of the headers; a line may end with LF alone.
_END_OF_HEAD: Final = re.compile(rb"\n\r?\n")

#: An interim response, which a further response follows (RFC 9110, section 15.2); 101 is final.
_INTERIM: Final = re.compile(rb"HTTP/[0-9]\.[0-9] 1(?!01)[0-9]{2}")

#: The line before a chunk (RFC 9112, section 7.1).
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\n]*)?\r\n\Z")

_WITHOUT_BODY: Final = frozenset({204, 304})


class Framing(Protocol):
    """The framing of a body."""

    def feed(self, content: bytes) -> None:
        """Take received bytes after the headers."""

    @property
    def is_complete(self) -> bool:
        """Return whether the bytes end at the end of the body."""


class Length:
    """A body of a known length."""

    __slots__ = ("_left",)

    def __init__(self, length: int) -> None:
        self._left = length

    def feed(self, content: bytes) -> None:
        """Count the bytes."""
        self._left -= len(content)

    @property
    def is_complete(self) -> bool:
        """Return whether exactly this length was received."""
        return self._left == 0


class Unknown:
    """A body that ends with the connection, or in an unknown way."""

    def feed(self, content: bytes) -> None:
        """Ignore the bytes."""

    @property
    def is_complete(self) -> bool:
        """Return false: the end is not known."""
        return False


class Chunks:
    """A chunked body (RFC 9112, section 7.1). The sizes are read, and the content is skipped."""

    __slots__ = ("_is_broken", "_is_complete", "_is_in_trailers", "_line", "_skip")

    def __init__(self) -> None:
        self._skip = 0
        self._line = bytearray()
        self._is_in_trailers = False
        self._is_complete = False
        self._is_broken = False

    @property
    def is_complete(self) -> bool:
        """Return whether the bytes end at the end of the trailers."""
        return self._is_complete and not self._is_broken

    def feed(self, content: bytes) -> None:
        """Continue with further bytes."""
        position = 0
        while position < len(content) and not self._is_broken:
            if self._is_complete:
                self._is_broken = True
            elif self._skip:
                step = min(self._skip, len(content) - position)
                self._skip -= step
                position += step
            else:
                position = self._read_line(content, position)

    def _read_line(self, content: bytes, start: int) -> int:
        """Read one line, or its available part; return the position after it."""
        end = content.find(b"\n", start) + 1
        self._line += content[start : end or None]
        if not end:
            return len(content)
        line = bytes(self._line)
        self._line.clear()
        if self._is_in_trailers:
            self._is_complete = line in {b"\n", b"\r\n"}
        else:
            self._begin_chunk(line)
        return end

    def _begin_chunk(self, line: bytes) -> None:
        found = _CHUNK.match(line)
        if found is None:
            self._is_broken = True
            return
        size = int(found[1], 16)
        self._is_in_trailers = size == 0
        self._skip = size + len(b"\r\n") if size else 0


def framing(method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> Framing:
    """Return the framing of the body of a response (RFC 9112, section 6.3).

    Args:
        method: the method of the request.
        status: the status of the response.
        headers: its headers.
    """
    fields = {name.lower(): value for name, value in headers}
    if method == "CONNECT" or status < 200:
        return Unknown()
    if method == "HEAD" or status in _WITHOUT_BODY:
        return Length(0)
    if b"transfer-encoding" in fields:
        return Chunks()
    length = fields.get(b"content-length", b"")
    return Length(int(length)) if length.isdigit() else Unknown()


def after_head(content: bytes | bytearray) -> bytes | None:
    """Return the bytes after the headers of the final response, which may follow interim responses.

    Returns ``None`` if the end of the headers is not found: httpcore then reads headers by other rules.
    """
    start = 0
    while (end := _END_OF_HEAD.search(content, start)) is not None:
        is_interim = _INTERIM.match(content, start) is not None
        start = end.end()
        if not is_interim:
            return bytes(content[start:])
    return None
