"""Chunks of a file, and the results of their checks."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

from specfn.bulk.calls import RowChecker
from specfn.bulk.counts import Counts


class Chunk(NamedTuple):
    """Some rows of a source.

    Attributes:
        content: the rows, in the form of the format.
        end: the position in the source after them.
        share: the share of the source before this position, from 0 to 1; ``None`` if it is not known.
    """

    content: Any
    end: int
    share: float | None


class Piece(NamedTuple):
    """The result of a chunk.

    Attributes:
        content: the bytes to append to the partial output.
        counts: the counts of its rows.
    """

    content: bytes
    counts: Counts


#: Checks the content of a chunk. It is sent to other processes by its name.
CheckChunk: TypeAlias = Callable[[RowChecker, Any], Piece]


class Format(Protocol):
    """A format of files with rows."""

    @property
    def check(self) -> CheckChunk:
        """Return the check of a chunk."""

    def chunks(self, source: str, start: int, size: int) -> Iterator[Chunk]:
        """Yield the chunks of a file after a position.

        Raises:
            UsageError: the file is not of this format.
        """

    def finish(self, partial: str, target: str) -> None:
        """Move the complete partial output to its target."""
