"""``specfn inspect``: what a document becomes, what does not, and what to know of it."""

from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

import click

from specfn._json import JsonObject, dumps
from specfn.cli import output, source
from specfn.cli.progress import Progress
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from specfn.application.application import Application
    from specfn.function.function import Function


@click.command(name="inspect")
@source.argument
@click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
def command(spec: str, *, as_json: bool) -> None:
    """Show the functions of SPEC, the operations that are none, and notes.

    Every operation is in exactly one of the two lists. Sizes are bytes of compact JSON; edits are the
    differences between the document and what a model reads.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress)
        report = _report(application, progress)
    if as_json:
        output.write((output.json_printable(dumps(report)), b"\n"))
    else:
        _show(report)


def _report(application: "Application", progress: Progress) -> JsonObject:
    """Everything that is shown, as data."""
    functions = []
    for index, function in enumerate(application.functions):
        functions.append(_function(function))
        progress.composed(index, len(application.functions))
    noted = chain(application.diagnostics, *(function.notes for function in application.functions))
    notes = [asdict(note) for note in noted]
    counts = application.report()
    counts["notes"] = len(notes)
    for key in ("parameters_bytes", "output_bytes"):
        counts[key] = sum(function[key] or 0 for function in functions)
    counts["edits"] = sum(len(function["edits"]) for function in functions)
    errors = [asdict(error) for error in application.errors]
    return {"functions": functions, "errors": errors, "notes": notes, "counts": counts}


def _function(function: "Function") -> JsonObject:
    parameters, result = function.schemas.written
    return {
        "name": function.name,
        "accessor": ".".join(function.accessor),
        "method": function.method,
        "path": function.path,
        "safety": function.safety,
        "deprecated": function.deprecated,
        "parameters_bytes": len(parameters),
        "output_bytes": None if result is None else len(result),
        "edits": [asdict(edit) for edit in function.edits],
    }


# -- for people -----------------------------------------------------------------------------------


def _show(report: JsonObject) -> None:
    from rich.console import Console, Group  # noqa: PLC0415  # --json does without

    stdout = output.stdout()
    # Without a terminal nothing is cut: a line is as long as it is.
    console = Console(file=stdout, width=None if stdout.isatty() else 10_000, highlight=False)
    parts: list[RenderableType] = []
    if report["functions"]:
        parts += [_functions(report["functions"]), ""]
    for title, rows, line in (
        ("Not functions", report["errors"], _error_line),
        ("Notes", report["notes"], _note_line),
    ):
        if rows:
            parts += [_list(f"{title} ({len(rows)})", [line(row) for row in rows]), ""]
    with console.capture() as text:
        console.print(Group(*parts, _sum(report["counts"])))
    stdout.write(text.get())


def _functions(functions: list[JsonObject]) -> "Table":
    from rich.table import Table  # noqa: PLC0415  # --json does without
    from rich.text import Text  # noqa: PLC0415  # likewise

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("method", "path", "name"):
        table.add_column(title, overflow="fold")
    for title in ("parameters", "output", "edits"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("safety", no_wrap=True)
    for function in functions:
        table.add_row(*(Text(output.printable(cell)) for cell in _cells(function)))
    return table


def _cells(function: JsonObject) -> tuple[str, ...]:
    result = function["output_bytes"]
    return (
        function["method"].upper(),
        function["path"],
        function["name"],
        f"{function['parameters_bytes']:,}",
        "-" if result is None else f"{result:,}",
        str(len(function["edits"]) or "-"),
        function["safety"],
    )


def _list(title: str, lines: list[str]) -> "Text":
    from rich.text import Text  # noqa: PLC0415  # --json does without

    shown = (f"\n  {output.printable(' '.join(line.split()))}" for line in lines)
    return Text.assemble((title, "bold"), *shown)


def _error_line(error: JsonObject) -> str:
    place = f"{error['method'].upper()} {error['path']}"
    return f"{place}: {error['reason']} ({error['code']}, at #{error['pointer']})"


def _note_line(note: JsonObject) -> str:
    return f"{note['text']} (at #{note['pointer']})" if note["pointer"] else str(note["text"])


def _sum(counts: JsonObject) -> str:
    """The counts as lines that add up."""
    said = {key: _counted(key.removesuffix("_bytes"), count) for key, count in counts.items()}
    return (
        "{operations} = {functions} + {errors}; {notes}, {edits}\n"
        "{parameters_bytes}, {output_bytes}; no calls: {webhooks}, {callbacks}"
    ).format_map(said)


def _counted(noun: str, count: int) -> str:
    if noun in {"parameters", "output"}:
        return f"{noun} {count:,} bytes"
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}"
