"""Checks of a file with calls, which can be interrupted and continued.

The state of a job is in files next to its output. ``OUT.part`` contains the output of complete chunks, and
``OUT.progress`` the number of its bytes that count. Bytes after them belong to a chunk that was interrupted; they are
removed.
"""

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JSONDecodeError, JsonObject, dumps, loads
from specfn.bulk.checker import Checker
from specfn.bulk.json_lines import JsonLines
from specfn.bulk.parquet import Parquet
from specfn.bulk.rows import Counts
from specfn.bulk.worker_pool import Chunk, Piece, check_in_order
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.options import Options

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
            self.state = self._read_state(job)
        except UsageError:
            self._file.close()
            raise
        self._file.truncate(self.state.written)

    def _read_state(self, job: JsonObject) -> JobState:
        """Return the state of an interrupted job, or that of a new one."""
        try:
            stored = loads(Path(self._path).read_bytes())
            state = JobState(
                stored["job"], stored["read"], stored["written"], Counts(**stored["counts"])
            )
            size = Path(self.partial).stat().st_size
        except (OSError, JSONDecodeError, KeyError, TypeError, ValueError):
            return JobState(job)
        for name, value in job.items():
            if state.job.get(name) != value:
                raise UsageError(
                    f"{self.partial!r} belongs to another job: {name} changed since it began; "
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
        status = os.stat(path)  # noqa: PTH116  # paths are texts here
    except (OSError, ValueError) as error:
        raise UsageError(f"{path!r} cannot be read: {_reason(error)}") from None
    return [status.st_size, status.st_mtime_ns]


def _reason(error: Any) -> str:
    return (isinstance(error, OSError) and error.strerror) or "not a path"


#: Receives the counts so far, and the share of the source that was checked, from 0 to 1.
Progress: TypeAlias = Callable[[Counts, float | None], Any]


def check_file(  # each is a decision of the caller
    spec: str | Path | bytes | JsonObject | Checker,
    src: str | Path,
    dst: str | Path,
    *,
    options: "Options | None" = None,
    jobs: int = 1,
    chunk: int = 2000,
    progress: Progress | None = None,
) -> Counts:
    """Check the calls in a file, and write each row with the result of its check.

    The source is Parquet if its name ends with ``.parquet``, otherwise JSON Lines; ``.gz`` is compressed. Source and
    output have the same format. Rows have the columns of ``check_calls``, and stay in order. The output appears when it
    is complete. An interrupted job continues when it is started again: its state is in ``DST.part`` and
    ``DST.progress``.

    Args:
        spec: the document, as for ``Checker``; or a checker.
        src: the path of the source.
        dst: the path of the output.
        options: how to convert the document.
        jobs: the number of processes. With more than one, a program needs ``if __name__ == "__main__":``.
        chunk: the number of rows that a process checks at a time.
        progress: called after each chunk.

    Raises:
        DocumentError: the document cannot be read, or changed since the job began.
        UsageError: a file cannot be read or written, an argument is invalid, or pyarrow is missing.

    Examples:
        >>> from specfn import bulk
        >>> counts = bulk.check_file("openapi.json", "calls.jsonl", "checked.jsonl")
        >>> counts.rows, counts.invalid
        (2, 1)
    """
    source, target = os.fspath(src), os.fspath(dst)
    check_sizes(jobs, chunk)
    form = _format(source, target)
    checker = checker_of(spec, options)
    job = {"document": checker.fingerprint, "source": source_of(source)}
    with closing(Journal(target, job)) as journal:
        chunks = form.chunks(source, journal.state.read, chunk)
        for done, piece in check_in_order(checker, form.check, chunks, jobs):
            journal.append(done, piece)
            if progress is not None:
                progress(journal.state.counts, done.share)
        form.finish(journal.partial, target)
        journal.remove()
        return journal.state.counts


def checker_of(spec: Any, options: "Options | None") -> Checker:
    """Return a checker of a document; a checker as it is.

    Raises:
        UsageError: options for a checker, which has its own.
    """
    if not isinstance(spec, Checker):
        return Checker(spec, options)
    if options is not None:
        raise UsageError("options belong to the Checker; pass them to bulk.Checker")
    return spec


def check_sizes(jobs: int, chunk: int) -> None:
    """Refuse numbers below one.

    Raises:
        UsageError: a number is not an integer of at least one.
    """
    for name, value in (("jobs", jobs), ("chunk", chunk)):
        if type(value) is not int or value < 1:
            raise UsageError(f"{name} must be an integer of at least 1, not {value!r}")


def _format(source: str, target: str) -> JsonLines | Parquet:
    for path in (source, target):
        if "\0" in path:
            raise UsageError(f"{path!r} is not a path")
    if os.path.realpath(source) == os.path.realpath(target):
        raise UsageError(f"the source and the output are the same file: {source!r}")
    is_parquet = [path.endswith(".parquet") for path in (source, target)]
    if is_parquet[0] != is_parquet[1]:
        raise UsageError(
            f"{source!r} and {target!r} have different formats: use .parquet for both, or for neither"
        )
    return Parquet() if is_parquet[0] else JsonLines.for_target(target)
