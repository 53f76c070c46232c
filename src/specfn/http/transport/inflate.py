"""Bytes off the wire to bytes of content, never more than a limit (RFC 9110, section 8.4).

The client's own decoders inflate whatever they are given at once: 64 KiB can be 64 MiB, and worse.
"""

import zlib
from collections.abc import Sequence
from typing import Final

#: ``wbits`` of zlib for what ``Content-Encoding`` may name.
_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}


#: What ``Content-Encoding`` also names, by mistake or by habit, where nothing is encoded.
_NOTHING: Final = frozenset(
    {"", "identity", "none", "binary", "utf-8", "utf8", "aws-chunked", "amz-1.0"}
)


class BrokenEncodingError(ValueError):
    """The bytes are not what ``Content-Encoding`` says."""


class UnknownEncodingError(BrokenEncodingError):
    """The content has an encoding that no request asks for; its text is what ``Content-Encoding`` says."""


def _is_known(codings: Sequence[str]) -> bool:
    """Return whether content with these codings can be read; requests ask for no others."""
    return not codings or (len(codings) == 1 and codings[0] in _WINDOWS)


class Inflater:
    """Collects an answer up to a limit, decompressing what is compressed.

    Attributes:
        truncated: whether there was more than the limit.
    """

    __slots__ = ("_content", "_decoder", "_is_fed", "_limit", "_unknown", "_wbits", "truncated")

    def __init__(self, encoding: str, limit: int) -> None:
        """Begin an answer.

        Args:
            encoding: the ``Content-Encoding``.
            limit: the most bytes to keep.
        """
        names = (name.strip().lower() for name in encoding.split(","))
        codings = [name for name in names if name not in _NOTHING]
        self._unknown = None if _is_known(codings) else encoding
        self._wbits = _WINDOWS.get(codings[0], 0) if codings else 0
        self._decoder = zlib.decompressobj(self._wbits) if self._wbits else None
        self._content = bytearray()
        self._limit = limit
        self._is_fed = False
        self.truncated = False

    def feed(self, chunk: bytes) -> bool:
        """Take some bytes; false where no more are wanted.

        Raises:
            BrokenEncodingError: they are not what the encoding says.
            UnknownEncodingError: the encoding is not gzip or deflate, or there are several.
        """
        if self._unknown is not None and chunk:
            raise UnknownEncodingError(self._unknown[:60])
        if self._decoder is None:
            self._keep(chunk)
        while chunk and self._decoder is not None and not self.truncated:
            chunk = self._inflate(chunk, self._decoder)
        return not self.truncated

    def _keep(self, content: bytes) -> None:
        room = self._limit - len(self._content)
        self._content += content[:room]
        self.truncated = len(content) > room

    def _inflate(self, chunk: bytes, decoder: "zlib._Decompress") -> bytes:
        """Inflate to one byte beyond the limit at most; the bytes that are still to be looked at."""
        if decoder.eof:  # gzip may be several members, one after another, and padding after them
            if self._wbits != _WINDOWS["gzip"] or not chunk.startswith(b"\x1f"):
                return b""
            self._decoder = decoder = zlib.decompressobj(self._wbits)
        try:
            content = decoder.decompress(chunk, self._limit - len(self._content) + 1)
        except zlib.error:
            if self._wbits != _WINDOWS["deflate"] or self._is_fed:
                raise BrokenEncodingError from None
            self._wbits = -_WINDOWS["deflate"]  # some servers leave the zlib wrapper out
            self._decoder = zlib.decompressobj(self._wbits)
            return chunk
        self._is_fed = True
        self._keep(content)
        return decoder.unused_data or decoder.unconsumed_tail

    def content(self) -> bytes:
        """What was collected.

        Raises:
            BrokenEncodingError: the compressed data ended early.
        """
        is_whole = self._decoder is None or self._decoder.eof or not self._is_fed
        if not is_whole and not self.truncated:
            raise BrokenEncodingError
        return bytes(self._content)
