"""The conversion of each document below a directory, in several processes."""

import os
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from specfn.cli import output
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS, explain
from specfn.cli.progress import Progress
from specfn.errors import UsageError

_DOCUMENTS: Final = frozenset({".json", ".yaml", ".yml"})


#: The messages about a document for stderr, of which empty ones are skipped; and whether all functions were written.
Converted: TypeAlias = tuple[tuple[str, ...], bool]

#: Converts a document into a file. It is sent to other processes.
Convert: TypeAlias = Callable[[str, str | None], Converted]


def each_document(
    directory: str, target: str | None, jobs: int | None, convert: Convert, suffix: str
) -> int:
    """Convert each JSON and YAML file below a directory into a file below another one.

    A faulty document is reported, and does not end the others.

    Args:
        directory: the directory of the documents.
        target: the directory of the results.
        jobs: the number of processes; ``None`` for that of the processors.
        convert: converts one document.
        suffix: the suffix of the results. It replaces no other suffix, so that names stay different.

    Returns:
        The exit code: 0 if all are complete.

    Raises:
        UsageError: the target is missing, or two documents have the same result.
    """
    if target is None or target == "-":
        raise UsageError(f"{directory!r} is a directory: pass -o DIRECTORY for the results")
    if Path(target).exists() and not Path(target).is_dir():
        raise UsageError(f"-o {target!r} is not a directory: pass a directory for the results")
    pairs = _pairs(Path(directory), Path(target), suffix)
    faulty = 0
    with (
        Progress() as progress,
        closing(_convert_all(convert, pairs, jobs or processor_count())) as done,
    ):
        for count, ((path, _), result) in enumerate(zip(pairs, done, strict=True), start=1):
            messages, is_complete = result
            for message in filter(None, messages):
                output.complain(f"{path}: {message}")
            faulty += not is_complete
            progress.count_documents(count, len(pairs))
    output.complain(f"{len(pairs)} documents: {len(pairs) - faulty} complete, {faulty} with errors")
    return EXIT_FAILURE if faulty else EXIT_SUCCESS


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return count or 1


def _pairs(directory: Path, target: Path, suffix: str) -> list[tuple[str, str]]:
    """Return the path of each document with that of its result."""
    results: dict[Path, Path] = {}
    for path in sorted(directory.rglob("*")):
        is_result = target.resolve() != directory.resolve() and path.is_relative_to(target)
        if path.suffix.lower() not in _DOCUMENTS or is_result or not path.is_file():
            continue
        place = target / path.relative_to(directory)
        place = place if place.suffix == suffix else place.with_name(place.name + suffix)
        if place in results:
            raise UsageError(
                f"{str(results[place])!r} and {str(path)!r} would both be written to {str(place)!r}; rename one of them"
            )
        if place.resolve() == path.resolve():
            raise UsageError(
                f"the result would replace {str(path)!r} itself; pass another directory to -o"
            )
        results[place] = path
    if not results:
        raise UsageError(f"{str(directory)!r} contains no JSON or YAML files")
    return [(str(path), str(place)) for place, path in results.items()]


def _convert_all(convert: Convert, pairs: list[tuple[str, str]], jobs: int) -> Generator[Converted]:
    """Yield the results in order."""
    if jobs == 1:
        for pair in pairs:
            yield _convert_safely(convert, pair)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  # for several processes
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415  # for several processes
    from multiprocessing import get_context  # noqa: PLC0415  # for several processes

    from specfn.bulk.worker_pool import attach_to_parent  # noqa: PLC0415  # for several processes

    executor = ProcessPoolExecutor(jobs, get_context("spawn"), attach_to_parent)
    try:
        yield from executor.map(_convert_safely, [convert] * len(pairs), pairs)
    except BrokenProcessPool:
        raise UsageError(
            "a worker process ended: it was killed, or had not enough memory"
        ) from None
    finally:
        executor.shutdown(cancel_futures=True)


def _convert_safely(convert: Convert, pair: tuple[str, str]) -> Converted:
    """Convert a document, or return its error."""
    path, place = pair
    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        return convert(path, place)
    except Exception as error:  # noqa: BLE001  # one faulty document does not end the others
        return (explain(error)[0],), False
