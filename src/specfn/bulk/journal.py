"""The state of a job in files beside its output, so that an interrupted job can be continued.

``OUT.part`` contains the output of complete chunks, and ``OUT.progress`` the number of its bytes that count. Bytes
after them belong to a chunk that was interrupted; they are removed.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from specfn._internal.json import JSONDecodeError, JsonObject, dumps, loads
from specfn.bulk.chunks import Chunk, Piece
from specfn.bulk.counts import Counts
from specfn.errors import UsageError

_VERSION: Final = 1


class JobState(NamedTuple):
    """The state of a job.

    Attributes:
        job: the document, the options and the source, as digests and sizes.
        read: the position in the source.
        written: the bytes of the partial output.
        counts: the counts so far.
    """

    job: JsonObject
    read: int = 0
    written: int = 0
    counts: Counts = Counts()


class Journal:
    """The partial output and the state of one job."""

    def __init__(self, target: str, job: JsonObject) -> None:
        """Open the partial output, and continue an interrupted job.

        Raises:
            UsageError: the output cannot be written, or belongs to another job.
        """
        self.partial = f"{target}.part"
        self._path = f"{target}.progress"
        try:
            self._file: IO[bytes] = open(self.partial, "ab")  # noqa: PTH123, SIM115  # closed by close
        except (OSError, ValueError) as error:
            raise UsageError(f"{target!r} cannot be written: {_reason(error)}") from None
        try:
            self._lock(target)
            self.state = self._stored(job)
        except UsageError:
            self._file.close()
            raise
        self._file.truncate(self.state.written)

    def _stored(self, job: JsonObject) -> JobState:
        """Return the state of an interrupted job, or that of a new one."""
        try:
            found = loads(Path(self._path).read_bytes())
            state = JobState(
                found["job"], found["read"], found["written"], Counts(**found["counts"])
            )
            size = Path(self.partial).stat().st_size
        except (OSError, JSONDecodeError, KeyError, TypeError, ValueError):
            return JobState(job)
        for name, value in job.items():
            if state.job.get(name) != value:
                raise UsageError(
                    f"{self.partial!r} is of another job: {name} changed since it began; "
                    f"delete it and {self._path!r} to begin again"
                )
        return state if size >= state.written else JobState(job)

    def _lock(self, target: str) -> None:
        """Refuse a second job with the same output, on systems with file locks."""
        with suppress(ImportError):
            import fcntl  # noqa: PLC0415  # not on every system

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"another job is writing {target!r}") from None

    def append(self, chunk: Chunk, piece: Piece) -> None:
        """Append the result of a chunk, then save the new state."""
        self._file.write(piece.content)
        self._file.flush()
        self.state = self.state._replace(
            read=chunk.end,
            written=self.state.written + len(piece.content),
            counts=self.state.counts.plus(piece.counts),
        )
        record = self.state._asdict() | {"counts": self.state.counts._asdict(), "version": _VERSION}
        temporary = Path(f"{self._path}.tmp")
        temporary.write_bytes(dumps(record))
        temporary.replace(self._path)

    def close(self) -> None:
        """Close the partial output."""
        self._file.close()

    def remove(self) -> None:
        """Remove the state of a complete job."""
        Path(self._path).unlink(missing_ok=True)


def source_of(path: str) -> list[int]:
    """Return the size and the time of a file, which change with its content.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        found = os.stat(path)  # noqa: PTH116  # paths are texts here
    except (OSError, ValueError) as error:
        raise UsageError(f"{path!r} cannot be read: {_reason(error)}") from None
    return [found.st_size, found.st_mtime_ns]


def _reason(error: Any) -> str:
    return (isinstance(error, OSError) and error.strerror) or "not a path"
