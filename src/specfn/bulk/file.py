"""Checks of a file with calls in several processes, which can be interrupted and continued."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from specfn._internal.json import JsonObject
from specfn.bulk.checker import Checker
from specfn.bulk.chunks import Format
from specfn.bulk.counts import Counts
from specfn.bulk.journal import Journal, source_of
from specfn.bulk.json_lines import JsonLines
from specfn.bulk.parquet import Parquet
from specfn.bulk.worker_pool import checked_in_order
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.options import Options

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
    """
    source, target = os.fspath(src), os.fspath(dst)
    check_sizes(jobs, chunk)
    form = _format(source, target)
    checker = checker_of(spec, options)
    job = {"document": checker.fingerprint, "source": source_of(source)}
    with closing(Journal(target, job)) as journal:
        chunks = form.chunks(source, journal.state.read, chunk)
        for done, piece in checked_in_order(checker, form.check, chunks, jobs):
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


def _format(source: str, target: str) -> Format:
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
