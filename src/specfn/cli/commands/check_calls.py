"""The subcommand ``specfn check-calls``: the verdict and the feedback for each call in a file."""

import gc
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from specfn._internal.values import with_count
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.each_document import processor_count
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.save import STDOUT, write_result
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.bulk import Checker, Counts


@shared.command(
    "check-calls",
    "specfn check-calls openapi.yaml calls.jsonl -o checked.jsonl",
    "specfn check-calls openapi.yaml --strict < calls.jsonl > checked.jsonl",
)
@source.argument
@click.argument("file", default=source.STDIN, shell_complete=shared.complete_files)
@shared.output_file
@shared.jobs("Number of processes; the number of processors by default.")
@click.option(
    "--chunk",
    metavar="N",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Rows that a process checks at a time.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if a row is not valid.")
def command(
    spec: str, file: str, path: str | None, *, jobs: int | None, chunk: int, strict: bool
) -> int:
    """Check the calls in FILE against the functions of SPEC.

    FILE contains a JSON object in each line, with "name" and "arguments" (a text or an object) as a model sent them.
    Each line is written with "valid", "function", "data", "repairs", "errors" and "feedback". Names that end with .gz
    are compressed; names that end with .parquet are Parquet files.

    With -o, an interrupted job continues when the same command is started again.
    """
    from specfn.bulk import Checker, check_file  # noqa: PLC0415  # the list of commands does not need it

    path = path or STDOUT
    if spec == file == source.STDIN:
        raise UsageError("stdin cannot be both the document and the calls; name a file")
    gc.enable()  # the process may run for hours
    with Progress() as progress:
        given, credentials = source.given(), source.credentials(spec)
        options = None
        if given.references != "internal":
            from specfn.options import Options  # noqa: PLC0415  # pydantic is imported on first use

            options = Options(references=given.references)
        checker = Checker(
            source.content(spec, progress),
            options,
            overlays=given.overlays,
            headers={} if credentials is None else credentials.headers,
        )
        jobs = jobs or processor_count()

        def show(counts: "Counts", share: float | None) -> None:
            progress.count_rows(counts.rows, share)

        if STDOUT in (path, file):
            if path == STDOUT and output.stdout().isatty():
                progress.close()  # the line would cover the results
            counts = _stream(checker, file, path, jobs, chunk, show)
        else:
            source.check_file(file)
            counts = check_file(checker, file, path, jobs=jobs, chunk=chunk, progress=show)
    output.complain(_summary(counts))
    return EXIT_FAILURE if strict and counts.invalid else EXIT_SUCCESS


def _stream(  # the arguments of the command
    checker: "Checker",
    file: str,
    path: str,
    jobs: int,
    chunk: int,
    show: Callable[["Counts", float | None], Any],
) -> "Counts":
    """Check lines from stdin, or to stdout. Such a job cannot be continued."""
    from specfn.bulk.json_lines import JsonLines, stream_chunks  # noqa: PLC0415  # the list of commands does not need it
    from specfn.bulk.rows import Counts  # noqa: PLC0415  # the list of commands does not need it
    from specfn.bulk.worker_pool import check_in_order  # noqa: PLC0415  # the list of commands does not need it

    if any(name.endswith(".parquet") for name in (file, path)):
        raise UsageError("Parquet needs two files: pass FILE and -o FILE")
    form = JsonLines.for_target(path)
    is_stdin = file == source.STDIN
    if not is_stdin:
        source.check_file(file)
    chunks = stream_chunks(_stdin(), chunk) if is_stdin else form.chunks(file, 0, chunk)
    counts = Counts()

    def pieces() -> Iterator[bytes]:
        nonlocal counts
        for done, piece in check_in_order(checker, form.check, chunks, jobs):
            counts = counts.plus(piece.counts)
            show(counts, done.share)
            yield piece.content

    results = map(output.json_printable, pieces()) if path == STDOUT else pieces()
    write_result(results, path, is_json=True, is_lines=True)
    return counts


def _stdin() -> Any:
    if sys.stdin is None:
        raise UsageError("stdin is closed; name a file")
    source.announce_terminal()
    return sys.stdin.buffer


def _summary(counts: "Counts") -> str:
    return (
        f"{with_count(counts.rows, 'row')}: {counts.valid:,} valid ({counts.repaired:,} of them repaired), "
        f"{counts.invalid:,} invalid ({counts.unresolved:,} of them without a function)"
    )
