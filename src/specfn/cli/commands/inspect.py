"""The subcommand ``specfn inspect``: the functions of a document, their sizes, errors and notes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, TextIO

from specfn._internal.json import JsonObject
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import in_options
from specfn.cli.output import note_lines
from specfn.cli.progress import Progress
from specfn.cli.terminal import cells, is_colored, wrap
from specfn.connectors import registry
from specfn.errors import UsageError
from specfn.records import Note, members, method_and_path
from specfn.settings import DEFAULT
from specfn.tools.report import OVER_TEXTS, report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from specfn.application.application import Application
    from specfn.function.function import Function


@shared.command(
    "inspect",
    "specfn inspect openapi.yaml",
    "specfn inspect openapi.yaml --profile PROVIDER --json",
)
@source.argument
@shared.profile("Profile of the provider whose limits apply.")
@shared.as_json("JSON instead of a table.")
@shared.file("--html", "html", "Write a page for reviews, without network access.")
@shared.file("--compare", "old", "With --html: show the differences from the version in FILE.")
@shared.responses
def command(
    spec: str, *, profile: str, as_json: bool, html: str | None, old: str | None, responses: bool
) -> None:
    """List the functions of SPEC with their sizes, the operations that are not functions, and notes.

    Every operation is in exactly one of the two lists. Sizes are bytes of compact JSON; tokens are an estimate.
    Edits are differences between the document and the schemas that a model reads. All of them are counted before
    schemas are adapted to a provider; the page of --html counts them for each provider.
    """
    if old is not None and html is None:
        raise UsageError("--compare needs --html FILE; for text, use specfn diff OLD NEW")
    if responses and old is None:
        raise UsageError("--responses needs --compare FILE")
    if html is not None and as_json:
        raise UsageError("--html and --json cannot be combined; pass one of them")
    if old == spec == source.STDIN:
        raise UsageError("stdin cannot be both documents; name a file")
    with Progress() as progress:
        if html is not None:
            _write_report(spec, html, old, profile, progress, responses=responses)
            return
        application = source.application(spec, DEFAULT, progress)
        content = _report(application, progress, profile, has_edits=as_json)
    if as_json:
        output.write_value(content)
    else:
        _show(content)


def _write_report(
    spec: str, html: str, old: str | None, profile: str, progress: Progress, *, responses: bool
) -> None:
    """Write the page to a file atomically."""
    from specfn.cli.save import refuse_source, save  # noqa: PLC0415  # for --html only
    from specfn.inspector.html_report import html_report  # noqa: PLC0415  # for --html only

    for document in filter(None, (spec, old)):
        refuse_source(document, html, "--html")
    application = source.application(spec, DEFAULT, progress)
    before = None if old is None else source.version("--compare", old, progress)
    pieces = html_report(
        application,
        profile=profile,
        old=before,
        responses=responses,
        progress=progress.count_functions,
    )
    if html == source.STDIN:
        output.write(pieces)
    else:
        save(html, pieces, "--html")


def _report(
    application: "Application", progress: Progress, profile: str, *, has_edits: bool
) -> JsonObject:
    """Return the report as data, with the edits themselves or only their number."""
    functions = application.functions
    noted = chain.from_iterable(map(_notes, functions))
    notes = [*map(members, chain(application.diagnostics, noted))]
    edits: list[list[JsonObject]] = []

    def finish(index: int) -> None:
        if has_edits:
            edits.append([*map(members, functions[index].edits)])
        functions[index].schemas.release()
        progress.count_functions(index, len(functions))

    counts = report(
        functions,
        application.document,
        registry.profile(profile),
        errors=len(application.errors),
        notes=len(notes),
        progress=finish,
    )
    listed = counts.pop("each")
    for figures, own in zip(listed, edits, strict=False):
        figures["edits"] = own
    errors = [*map(members, application.errors)]
    overlays = {"overlays": [*application.overlays]} if application.overlays else {}
    return {"functions": listed, "errors": errors, "notes": notes, "counts": counts, **overlays}


def _notes(function: "Function") -> tuple[Note, ...]:
    """Return the notes of a function, and release the schemas that they were read from."""
    notes = function.notes
    function.schemas.release()
    return notes


# -- text output ---------------------------------------------------------------------------------


def _show(found: JsonObject) -> None:
    """Write the report as text. Without a terminal, no line is truncated or wrapped."""
    rows = [_cells(function) for function in found["functions"]]
    stdout = output.stdout()
    if stdout.isatty():
        _show_styled(stdout, rows, found)
        return
    blocks = [[*_plain_table(rows)]] if rows else []
    blocks += [[title, *lines] for title, lines in _lists(found)]
    blocks.append([_summary(found["counts"])])
    stdout.write("\n\n".join(map("\n".join, blocks)) + "\n")


def _lists(found: JsonObject) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each list that is not empty."""
    over = [*_over_lines(found)]
    for title, count, lines in (
        ("Overlays", len(found.get("overlays", ())), found.get("overlays", ())),
        ("Over a limit", len(over), over),
        ("Not functions", len(found["errors"]), map(_error_line, found["errors"])),
        ("Notes", len(found["notes"]), note_lines(_pairs(found["notes"]))),
    ):
        if count:
            shown = [f"  {output.printable(in_options(' '.join(line.split())))}" for line in lines]
            yield f"{title} ({count})", shown


def _plain_table(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the lines of a table with all columns, each as wide as its widest cell."""
    heading = {
        title: f"{title} ({_UNITS[title]})" if title in _UNITS else title for title in rows[0]
    }
    widths = {title: max(cells(row[title]) for row in (*rows, heading)) for title in rows[0]}
    for row in (heading, *rows):
        yield "  ".join(_align(row[title], title, width) for title, width in widths.items())


def _align(text: str, title: str, width: int) -> str:
    space = " " * (width - cells(text))
    return space + text if title in _OPTIONAL else text + space


def _show_styled(stdout: TextIO, rows: list[dict[str, str]], found: JsonObject) -> None:
    from rich.console import Console, Group  # noqa: PLC0415  # for terminals only
    from rich.text import Text  # noqa: PLC0415  # for terminals only

    system: Literal["auto"] | None = "auto" if is_colored(stdout) else None
    console = Console(file=stdout, highlight=False, force_jupyter=False, color_system=system)
    parts: list[RenderableType] = [_rich_table(rows, console.width), ""] if rows else []
    for title, lines in _lists(found):
        wrapped = [part for line in lines for part in wrap(line, console.width)]
        parts += [Text.assemble((title, "bold"), *(f"\n{line}" for line in wrapped)), ""]
    with console.capture() as text:
        console.print(Group(*parts, _summary(found["counts"])))
    stdout.write(text.get())


#: Columns that may be wrapped, columns that are left out in this order, and the units of their numbers.
_TEXTS: Final = ("method", "path", "name")
_OPTIONAL: Final = ("properties", "depth", "edits", "output", "parameters", "tokens")
_UNITS: Final = {
    "parameters": "bytes",
    "output": "bytes",
    "tokens": "estimate",
    "depth": "levels",
}

#: The minimum number of columns of path and name together. With fewer, the column of the safety is omitted, because the
#: color of the method also shows the safety.
_NARROW: Final = 36

#: The columns between two cells.
_GAP: Final = 2


def _columns(rows: Sequence[Mapping[str, str]], width: int) -> dict[str, int]:
    """Return the widths of the columns that fit into a terminal.

    Numbers are left out before texts are wrapped. Paths and names share the rest of the line.
    """
    needed = {
        title: max(map(cells, (title, _UNITS.get(title, ""), *(row[title] for row in rows))))
        for title in rows[0]
    }
    wanted = {title: needed[title] for title in _TEXTS}
    for title in _TEXTS:
        needed[title] = min(needed[title], max(width // 3, len(title)))
    for title in _OPTIONAL:
        if _sum(needed) > width:
            del needed[title]
    room = width - _sum(needed) + needed["path"] + needed["name"]
    if room < min(_NARROW, wanted["path"] + wanted["name"]):
        room += needed.pop("safety") + _GAP
    needed["path"] = min(wanted["path"], max(room // 2, room - wanted["name"]))
    needed["name"] = min(wanted["name"], room - needed["path"])
    return needed


def _sum(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + _GAP * (len(widths) - 1)


def _rich_table(rows: list[dict[str, str]], width: int) -> "Table":
    from rich.table import Table  # noqa: PLC0415  # for terminals only
    from rich.text import Text  # noqa: PLC0415  # for terminals only

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    widths = _columns(rows, width)
    for title, size in widths.items():
        side: Literal["left", "right"] = "right" if title in _OPTIONAL else "left"
        heading = f"{title}\n{_UNITS[title]}" if title in _UNITS else title
        table.add_column(heading, justify=side, overflow="fold", width=max(size, 1))
    for row in rows:
        style = _STYLES.get(row["safety"], "")
        table.add_row(
            *(
                Text(
                    "\n".join(wrap(row[title], size, hanging=0)),
                    style if title in ("method", "safety") else "",
                )
                for title, size in widths.items()
            )
        )
    return table


#: The styles of rich for each ``Function.safety``.
_STYLES: Final = {"read": "green", "write": "yellow", "destructive": "red"}


def _cells(function: JsonObject) -> dict[str, str]:
    result = function["output_bytes"]
    return {
        "method": output.printable(function["method"].upper()),
        "path": output.printable(function["path"]),
        "name": output.printable(function["name"]),
        "parameters": f"{function['parameters_bytes']:,}",
        "output": "-" if result is None else f"{result:,}",
        "tokens": f"{function['tokens']:,}",
        "depth": str(function["depth"]),
        "properties": str(function["properties"] or "-"),
        "edits": str(function["edits"] or "-"),
        "safety": function["safety"],
    }


def _over_lines(found: JsonObject) -> Iterator[str]:
    """Yield a line for each exceeded limit, first of all functions together."""
    for name, measures in (
        ("all functions", found["counts"]),
        *((function["name"], function) for function in found["functions"]),
    ):
        for over in measures["over"]:
            yield f"{name}: " + OVER_TEXTS[over["what"]].format_map(over)


def _error_line(error: JsonObject) -> str:
    place = method_and_path(error["method"], error["path"])
    return f"{place}: {error['reason']} ({error['code']}, at #{error['pointer']})"


def _pairs(notes: list[JsonObject]) -> Iterator[tuple[str, str]]:
    return ((note["pointer"], note["text"]) for note in notes)


def _summary(counts: JsonObject) -> str:
    counted = {key: _count(key.removesuffix("_bytes"), counts[key]) for key in _COUNTS}
    safety = ", ".join(f"{count:,} {word}" for word, count in counts["safety"].items() if count)
    return (
        "{operations} = {functions} + {errors}; {notes}, {edits}\n"
        "{parameters_bytes}, {output_bytes}; no calls: {webhooks}, {callbacks}{x-ms-paths}\n"
        "about {tokens} for a model, all at once{safety}"
    ).format_map(
        {
            **counted,
            "x-ms-paths": f"; {counts['x-ms-paths']:,} in x-ms-paths"
            if counts["x-ms-paths"]
            else "",
            "safety": f"; {safety}" if safety else "",
        }
    )


#: The counts in the summary.
_COUNTS = (
    *("operations", "functions", "errors", "notes", "edits", "parameters_bytes", "output_bytes"),
    *("webhooks", "callbacks", "tokens"),
)


def _count(noun: str, count: int) -> str:
    if noun in {"parameters", "output"}:
        return f"{noun} {count:,} bytes"
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}"
