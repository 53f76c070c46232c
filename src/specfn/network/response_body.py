"""The bytes of a response: where they end on the socket, and their decompression up to a limit.

An HTTP client keeps bytes beyond a response (RFC 9112, section 6), and reads them as the response to the next
request. So a socket is used again only if the received bytes end exactly at the end of the response.

The decoders of httpx decompress each chunk at once (RFC 9110, section 8.4), and 64 KiB can become 64 MiB or more.
"""

import re
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

#: The end of the headers; a line may end with LF alone.
_END_OF_HEAD: Final = re.compile(rb"\n\r?\n")

#: An interim response, which a further response follows (RFC 9110, section 15.2); 101 is final.
_INTERIM: Final = re.compile(rb"HTTP/[0-9]\.[0-9] 1(?!01)[0-9]{2}")

#: The line before a chunk (RFC 9112, section 7.1).
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\n]*)?\r\n\Z")

_WITHOUT_BODY: Final = frozenset({204, 304})

#: The maximum size of all headers of a response: httpcore accepts 100 KiB, and reads 64 KiB at once.
MAX_HEAD_BYTES: Final = 256 * 1024


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
        size_line = _CHUNK.match(line)
        if size_line is None:
            self._is_broken = True
            return
        size = int(size_line[1], 16)
        self._is_in_trailers = size == 0
        self._skip = size + len(b"\r\n") if size else 0


class ReceivedResponse:
    """The bytes of one response on a socket, counted up to the end of its framing.

    Attributes:
        is_over: whether the whole response was received, and no further bytes.
    """

    __slots__ = ("_body", "_head", "is_over")

    def __init__(self) -> None:
        self._head = bytearray()
        self._body: Length | Unknown | Chunks | None = None
        self.is_over = False

    def feed(self, content: bytes) -> bool:
        """Count received bytes; return false if the headers of the response are too long."""
        if self._body is not None:
            self._body.feed(content)
            return True
        self._head += content
        if len(self._head) <= MAX_HEAD_BYTES:
            return True
        self._head.clear()
        self._body = Unknown()
        return False

    def head_ended(self, method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Report that the HTTP client has read the headers of the response."""
        rest = after_head(self._head)
        self._body = Unknown() if rest is None else framing(method, status, headers)
        self._body.feed(rest or b"")
        self._head.clear()

    def end(self) -> None:
        """Report that the response will not be read further."""
        self.is_over = self._body is not None and self._body.is_complete


def framing(
    method: str, status: int, headers: Iterable[tuple[bytes, bytes]]
) -> Length | Unknown | Chunks:
    """Return the framing of the body of a response to a method (RFC 9112, section 6.3)."""
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
    """Return the bytes after the headers of the final response; interim responses (1xx) before it are skipped.

    Returns ``None`` if the end of the headers is not found: httpcore then reads headers by other rules.
    """
    start = 0
    while (end := _END_OF_HEAD.search(content, start)) is not None:
        is_interim = _INTERIM.match(content, start) is not None
        start = end.end()
        if not is_interim:
            return bytes(content[start:])
    return None


# -- decompression -----------------------------------------------------------------------------------

#: The ``wbits`` of zlib by content coding.
_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}

#: Values of ``Content-Encoding`` that mean no encoding; some are common mistakes.
_NOTHING: Final = frozenset(
    {"", "identity", "none", "binary", "utf-8", "utf8", "aws-chunked", "amz-1.0"}
)


class BrokenEncodingError(ValueError):
    """Content that does not match its ``Content-Encoding``."""


class UnknownEncodingError(BrokenEncodingError):
    """Content with an encoding that no request accepts; the message is the ``Content-Encoding``."""


def _is_known(codings: Sequence[str]) -> bool:
    """Return whether content with these codings can be read; requests accept only these."""
    return not codings or (len(codings) == 1 and codings[0] in _WINDOWS)


class Inflater:
    """The content of a response, decompressed and collected up to a limit.

    Attributes:
        truncated: whether the content exceeds the limit.
    """

    __slots__ = (
        "_content",
        "_decoder",
        "_first_bytes",
        "_limit",
        "_taken",
        "_unknown",
        "_wbits",
        "truncated",
    )

    def __init__(self, encoding: str, limit: int) -> None:
        """Initialize the decompression of a ``Content-Encoding``, up to ``limit`` bytes."""
        names = (name.strip().lower() for name in encoding.split(","))
        codings = [name for name in names if name not in _NOTHING]
        self._unknown = None if _is_known(codings) else encoding
        self._wbits = _WINDOWS.get(codings[0], 0) if codings else 0
        self._decoder = zlib.decompressobj(self._wbits) if self._wbits else None
        self._content = bytearray()
        self._limit = limit
        self._taken = 0
        self._first_bytes = b""
        self.truncated = False

    def feed(self, chunk: bytes) -> bool:
        """Decompress received bytes; return false once the limit is exceeded.

        Raises:
            BrokenEncodingError: the bytes do not match the encoding; what was decompressed before can still be taken.
            UnknownEncodingError: the encoding is neither gzip nor deflate, or there are several.
        """
        if self._unknown is not None and chunk:
            raise UnknownEncodingError(self._unknown[:60])
        if self._decoder is None:
            self._keep(chunk)
        while chunk and self._decoder is not None and not self.truncated:
            chunk = self._inflate(chunk, self._decoder)
        return not self.truncated

    def _keep(self, content: bytes) -> None:
        room = self._room
        self._content += content[:room]
        self.truncated = len(content) > room

    def _inflate(self, chunk: bytes, decoder: "zlib._Decompress") -> bytes:
        """Decompress up to one byte beyond the limit; return the remaining input."""
        if decoder.eof:  # gzip may have several members, and padding after them
            chunk = chunk.lstrip(b"\0")
            if self._wbits != _WINDOWS["gzip"] or not chunk:
                return b""
            if not chunk.startswith(b"\x1f"):
                self._wbits = 0  # nothing that follows is read
                return b""
            self._decoder = decoder = zlib.decompressobj(self._wbits)
        before = decoder.copy()
        try:
            content = decoder.decompress(chunk, self._room + 1)
        except zlib.error:
            if self._wbits != _WINDOWS["deflate"] or len(self._first_bytes) > 1:
                self._keep_until_error(before, chunk)
                raise BrokenEncodingError from None
            self._wbits = -_WINDOWS["deflate"]  # some servers omit the zlib wrapper
            self._decoder = zlib.decompressobj(self._wbits)
            return self._first_bytes + chunk
        self._first_bytes = (self._first_bytes + chunk[:2])[:2]  # the size of zlib's header
        self._keep(content)
        return decoder.unused_data or decoder.unconsumed_tail

    def _keep_until_error(self, decoder: "zlib._Decompress", chunk: bytes) -> None:
        """Keep what is decompressed before the first error; zlib drops it if the error is in the same chunk."""
        with suppress(zlib.error):
            for position in range(len(chunk)):
                if not self.truncated:
                    self._keep(decoder.decompress(chunk[position : position + 1]))

    @property
    def _room(self) -> int:
        return self._limit - self._taken - len(self._content)

    def take(self) -> bytes:
        """Return the content collected since the last call. It counts for the limit."""
        content = bytes(self._content)
        self._taken += len(content)
        self._content.clear()
        return content

    def content(self) -> bytes:
        """Return the collected content that was not returned before.

        Raises:
            BrokenEncodingError: the compressed data ended early.
        """
        is_whole = self._decoder is None or self._decoder.eof or not self._first_bytes
        if not is_whole and not self.truncated:
            raise BrokenEncodingError
        return bytes(self._content)
