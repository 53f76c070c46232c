"""The subcommand ``specfn diff``: the differences between two versions of a document."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.terminal import Meaning
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.comparison.difference import Difference, Verdict

#: The verdicts in their order, with their titles.
_TITLES: Final[dict["Verdict", str]] = {"yes": "Breaking", "maybe": "Maybe breaking", "no": "Other"}


#: The meaning of each verdict.
_MEANINGS: Final[dict["Verdict", Meaning]] = {"yes": "bad", "maybe": "warning", "no": "plain"}


@shared.command(
    "diff",
    "specfn diff old.yaml new.yaml",
    "git show main:api.yaml | specfn diff - api.yaml --markdown",
)
@click.argument("old", shell_complete=shared.complete_files)
@click.argument("new", shell_complete=shared.complete_files)
@source.references
@shared.as_json()
@click.option("--markdown", is_flag=True, help="Markdown for a pull request.")
@click.option("--strict", is_flag=True, help="Also exit with 1 if a difference may break callers.")
def command(old: str, new: str, *, as_json: bool, markdown: bool, strict: bool) -> int:
    """Report the differences between OLD and NEW that a model or the server would notice.

    The exit code is 1 if callers break: a function or an argument was removed, renamed or moved, an accepted value is
    now refused, or calls are sent in another way. Undecided differences count only with --strict.
    """
    from specfn.comparison.compare import compare  # noqa: PLC0415  # not for the list of commands

    if as_json and markdown:
        raise UsageError("--json and --markdown cannot be combined; pass one of them")
    if old == new == source.STDIN:
        raise UsageError("stdin cannot be both documents; name a file")
    with Progress() as progress:
        applications = source.version("OLD", old, progress), source.version("NEW", new, progress)
        progress.begin("comparing")
        differences = compare(*applications)
    counts = {
        verdict: sum(difference.breaking == verdict for difference in differences)
        for verdict in _TITLES
    }
    if as_json:
        data = {
            "differences": [difference.as_json() for difference in differences],
            "counts": counts,
        }
        output.write_value(data)
    elif markdown:
        output.write_text("\n".join(_markdown(differences, counts)))
    else:
        _show(differences, counts)
    breaks = counts["yes"] or (strict and counts["maybe"])
    return EXIT_FAILURE if breaks else EXIT_SUCCESS


# -- text ------------------------------------------------------------------------------------------


def _of(differences: Iterable["Difference"], verdict: "Verdict") -> "list[Difference]":
    return [difference for difference in differences if difference.breaking == verdict]


def _summary(counts: dict[Any, int]) -> str:
    return (
        f"{sum(counts.values()):,} differences: {counts['yes']:,} breaking, {counts['maybe']:,} maybe breaking, "
        f"{counts['no']:,} other"
    )


def _show(differences: Sequence["Difference"], counts: dict[Any, int]) -> None:
    for verdict, title in _TITLES.items():
        listed = _of(differences, verdict)
        if listed:
            output.write_lines(f"{title}:", "heading")
            for difference in listed:
                output.write_lines(
                    f"  {_line(str(difference))} ({difference.kind})", _MEANINGS[verdict]
                )
            output.write_lines("")
    output.write_lines(_summary(counts) if differences else "no differences")


def _line(text: str) -> str:
    return " ".join(text.split())


# -- Markdown --------------------------------------------------------------------------------------

#: Characters that have a meaning in Markdown or HTML, as plain text. A zero-width space after ``@``, ``#`` and ``:``
#: prevents mentions, references and links.
_PLAIN: Final = str.maketrans(
    {
        **{char: f"\\{char}" for char in "\\`*_[]|~$!"},
        **{char: f"{char}&#8203;" for char in "@#"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
    }
)


def _markdown(differences: Sequence["Difference"], counts: dict[Any, int]) -> Iterator[str]:
    yield f"### API changes: {_summary(counts)}" if differences else "### API changes: none"
    for verdict, title in _TITLES.items():
        listed = _of(differences, verdict)
        if listed:
            yield from ("", f"**{title}**", "", "| function | kind | difference |", "|---|---|---|")
            yield from map(_row, listed)


def _row(difference: "Difference") -> str:
    cells = (difference.name or "(document)", difference.kind, difference.sentence)
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return _line(text).translate(_PLAIN).replace("://", ":&#8203;//")
