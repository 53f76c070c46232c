"""Where a response ends on its socket (RFC 9112, section 6), read beside the client that reads the response.

A client keeps what it read beyond a response, and takes it for the response to the next request. So a socket is
used again only if the bytes that arrived end exactly where the response ends.
"""

import re
from collections.abc import Iterable
from typing import Final, Protocol

#: The end of a head; a line may end with LF alone.
_END_OF_HEAD: Final = re.compile(rb"\n\r?\n")

#: An interim response, after which another head follows (RFC 9110, section 15.2); 101 is a final one.
_INTERIM: Final = re.compile(rb"HTTP/[0-9]\.[0-9] 1(?!01)[0-9]{2}")

#: The line before a chunk (RFC 9112, section 7.1).
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\n]*)?\r\n\Z")

_WITHOUT_BODY: Final = frozenset({204, 304})


class Framing(Protocol):
    """The extent of a body."""

    def feed(self, content: bytes) -> None:
        """Take bytes that arrived after the head."""

    @property
    def is_complete(self) -> bool:
        """Whether the bytes end where the body ends."""


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
        """Whether exactly the length has arrived."""
        return self._left == 0


class Unknown:
    """A body that ends with the connection, or in a form that nobody reads here."""

    def feed(self, content: bytes) -> None:
        """Ignore the bytes."""

    @property
    def is_complete(self) -> bool:
        """Return false: the end is not known."""
        return False


class Chunks:
    """A body in chunks (RFC 9112, section 7.1); reads sizes and skips content."""

    __slots__ = ("_is_broken", "_is_complete", "_is_in_trailers", "_line", "_skip")

    def __init__(self) -> None:
        self._skip = 0
        self._line = bytearray()
        self._is_in_trailers = False
        self._is_complete = False
        self._is_broken = False

    @property
    def is_complete(self) -> bool:
        """Whether the last byte was the last of the trailers."""
        return self._is_complete and not self._is_broken

    def feed(self, content: bytes) -> None:
        """Read on where the last bytes ended."""
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
        """Read one line, or the part of it that is there, and return the position after it."""
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
    """Return the extent of the body of a response (RFC 9112, section 6.3).

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
    """Return what follows the head of the final response, behind any interim responses.

    Returns ``None`` where no head ends: then the client reads heads by other rules than these.
    """
    start = 0
    while (end := _END_OF_HEAD.search(content, start)) is not None:
        is_interim = _INTERIM.match(content, start) is not None
        start = end.end()
        if not is_interim:
            return bytes(content[start:])
    return None
