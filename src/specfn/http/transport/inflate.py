"""Decompression of responses up to a limit (RFC 9110, section 8.4).

The decoders of httpx decompress each chunk at once, and 64 KiB can become 64 MiB or more.
"""

import zlib
from collections.abc import Sequence
from typing import Final

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
        "_is_fed",
        "_limit",
        "_taken",
        "_unknown",
        "_wbits",
        "truncated",
    )

    def __init__(self, encoding: str, limit: int) -> None:
        """Initialize the decompression of a response.

        Args:
            encoding: the ``Content-Encoding``.
            limit: the maximum number of bytes.
        """
        names = (name.strip().lower() for name in encoding.split(","))
        codings = [name for name in names if name not in _NOTHING]
        self._unknown = None if _is_known(codings) else encoding
        self._wbits = _WINDOWS.get(codings[0], 0) if codings else 0
        self._decoder = zlib.decompressobj(self._wbits) if self._wbits else None
        self._content = bytearray()
        self._limit = limit
        self._taken = 0
        self._is_fed = False
        self.truncated = False

    def feed(self, chunk: bytes) -> bool:
        """Take received bytes; return false once the limit is exceeded.

        Raises:
            BrokenEncodingError: the bytes do not match the encoding.
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
            if self._wbits != _WINDOWS["gzip"] or not chunk.startswith(b"\x1f"):
                return b""
            self._decoder = decoder = zlib.decompressobj(self._wbits)
        try:
            content = decoder.decompress(chunk, self._room + 1)
        except zlib.error:
            if self._wbits != _WINDOWS["deflate"] or self._is_fed:
                raise BrokenEncodingError from None
            self._wbits = -_WINDOWS["deflate"]  # some servers omit the zlib wrapper
            self._decoder = zlib.decompressobj(self._wbits)
            return chunk
        self._is_fed = True
        self._keep(content)
        return decoder.unused_data or decoder.unconsumed_tail

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
        """Return the collected content that was not taken.

        Raises:
            BrokenEncodingError: the compressed data ended early.
        """
        is_whole = self._decoder is None or self._decoder.eof or not self._is_fed
        if not is_whole and not self.truncated:
            raise BrokenEncodingError
        return bytes(self._content)
