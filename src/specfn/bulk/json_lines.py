"""JSON Lines as source and output of a bulk check, also compressed with gzip."""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from specfn._internal.json import is_deep, loads
from specfn.bulk.rows import Counts, RowChecker, fault, row_text
from specfn.bulk.worker_pool import CheckChunk, Chunk, Piece
from specfn.errors import UsageError
from specfn.records import ABSENT

#: The maximum number of bytes of a line. A longer line is a row with an error.
MAX_LINE_BYTES: Final = 16 * 1024 * 1024

_GZIP: Final = ".gz"


def check_lines(rows: RowChecker, lines: Sequence[bytes]) -> Piece:
    """Check lines, and return one line for each."""
    counts, written = Counts(), []
    for line in lines:
        row = _read(line)
        checked = rows.check(row) if isinstance(row, dict) else _reject(line, row)
        counts = counts.add_row(checked)
        written.append(row_text(checked))
    written.append(b"")
    return Piece(b"\n".join(written), counts)


def _read(line: bytes) -> dict[str, Any] | str:
    """Return the row of a line, or the reason why it is not a row."""
    if len(line) > MAX_LINE_BYTES:
        return f"The line is longer than {MAX_LINE_BYTES:,} bytes."
    try:
        row = loads(line)
    except json.JSONDecodeError as error:
        return f"The line is not JSON: {error.msg} (character {error.pos + 1})."
    except (ValueError, RecursionError) as error:
        return f"The line is not JSON: {str(error)[:200]}."
    if not isinstance(row, dict):
        return "The line is not a JSON object with the columns name and arguments."
    return "The line has too many levels of nesting." if is_deep(row, line) else row


def _reject(line: bytes, reason: str) -> dict[str, Any]:
    """Return the row of a line that is not a row; it has the text of the line."""
    text = line[:MAX_LINE_BYTES].rstrip(b"\r\n").decode(errors="replace")
    return fault({"row": text}, "$row", "object", ABSENT, reason)


def check_and_compress(rows: RowChecker, lines: Sequence[bytes]) -> Piece:
    """Check lines, and return a complete gzip member. Members that follow each other are one gzip file."""
    piece = check_lines(rows, lines)
    return Piece(gzip.compress(piece.content, compresslevel=6, mtime=0), piece.counts)


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The format JSON Lines.

    Attributes:
        check: checks lines; the output may be compressed.
    """

    check: CheckChunk

    @classmethod
    def for_target(cls, target: str) -> "JsonLines":
        """Return the format for an output file."""
        return cls(check_and_compress if target.endswith(_GZIP) else check_lines)

    def chunks(self, source: str, start: int, size: int) -> Iterator[Chunk]:
        """Yield chunks of lines after a position in the decompressed bytes."""
        try:
            with open(source, "rb") as raw:  # noqa: PTH123  # paths are texts here
                whole = os.fstat(raw.fileno()).st_size
                is_gzip = source.endswith(_GZIP)
                with gzip.GzipFile(fileobj=raw) if is_gzip else raw as stream:
                    if start:
                        stream.seek(start)
                    for lines in chunks_of_lines(stream, size):
                        share = raw.tell() / whole if whole else None
                        yield Chunk(lines, stream.tell(), share)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UsageError(f"{source!r} is not a complete gzip file: {error}") from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a path"
            raise UsageError(f"{source!r} cannot be read: {reason}") from None

    def finish(self, partial: str, target: str) -> None:
        """Move the complete partial output to its target."""
        os.replace(partial, target)  # noqa: PTH105  # a path is a text here


def stream_chunks(stream: Any, size: int) -> Iterator[Chunk]:
    """Yield chunks of the lines of a stream. They have no position."""
    return (Chunk(lines, 0, None) for lines in chunks_of_lines(stream, size))


def chunks_of_lines(stream: Any, size: int) -> Iterator[list[bytes]]:
    """Yield lists of at most ``size`` lines. Empty lines are not rows."""
    lines = filter(bytes.strip, _lines(stream))
    return iter(lambda: list(islice(lines, size)), [])


def _lines(stream: Any) -> Iterator[bytes]:
    """Yield the lines of a stream; of a line that is too long, only the beginning."""
    limit = MAX_LINE_BYTES + 1
    for line in iter(partial(stream.readline, limit), b""):
        rest = line
        while len(rest) == limit and not rest.endswith(b"\n"):
            rest = stream.readline(limit)
        yield line
