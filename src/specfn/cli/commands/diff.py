"""The subcommand ``specfn diff``: the differences between two versions of a document."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.terminal import Meaning
from specfn.document.overlay import names
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.comparison.difference import Difference, Verdict

#: The verdicts in their order, with their titles.
_TITLES: Final[dict["Verdict", str]] = {"yes": "Breaking", "maybe": "Maybe breaking", "no": "Other"}


#: The meaning of each verdict.
_MEANINGS: Final[dict["Verdict", Meaning]] = {"yes": "bad", "maybe": "warning", "no": "plain"}


@shared.command(
    "diff",
    "specfn diff old.yaml new.yaml --responses",
    "git show main:api.yaml | specfn diff - api.yaml --markdown",
)
@click.argument("old", shell_complete=shared.complete_files)
@click.argument("new", shell_complete=shared.complete_files)
@source.document_options
@shared.as_json()
@click.option("--markdown", is_flag=True, help="Markdown for a pull request.")
@click.option("--strict", is_flag=True, help="Also exit with 1 if a difference may break callers.")
@shared.responses
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="One line for each difference of each function, also for compatible ones.",
)
def command(
    old: str,
    new: str,
    *,
    as_json: bool,
    markdown: bool,
    strict: bool,
    responses: bool,
    show_all: bool,
) -> int:
    """Report the differences between OLD and NEW that a model or the server would notice.

    The exit code is 1 if callers break: a function or an argument was removed, renamed or moved, an accepted value is
    now refused, or calls are sent in another way. Undecided differences count only with --strict. A difference that
    several functions have is one line, and those that break nobody are counted by kind. --json lists all of them.
    """
    from specfn.comparison.compare import compare  # noqa: PLC0415  # not for the list of commands

    if as_json and markdown:
        raise UsageError("--json and --markdown cannot be combined; pass one of them")
    if old == new == source.STDIN:
        raise UsageError("stdin cannot be both documents; name a file")
    with Progress() as progress:
        applications = source.version("OLD", old, progress), source.version("NEW", new, progress)
        progress.begin("comparing")
        differences = compare(*applications, responses=responses)
    counts = {
        verdict: sum(difference.breaking == verdict for difference in differences)
        for verdict in _TITLES
    }
    if as_json:
        data: dict[str, Any] = {
            "differences": [difference.as_json() for difference in differences],
            "counts": counts,
        }
        if source.given().overlays:
            data["overlays"] = [*names(source.given().overlays)]
        output.write_value(data)
    elif markdown:
        output.write_text("\n".join(_markdown(differences, counts, show_all=show_all)))
    else:
        _show(differences, counts, show_all=show_all)
    breaks = counts["yes"] or (strict and counts["maybe"])
    return EXIT_FAILURE if breaks else EXIT_SUCCESS


# -- groups ----------------------------------------------------------------------------------------


def _groups(
    differences: Iterable["Difference"], verdict: "Verdict", *, show_all: bool
) -> "list[list[Difference]]":
    """Return the differences with a verdict, grouped by kind and sentence; with ``show_all``, each is a group of its own."""
    groups: dict[Any, list[Difference]] = {}
    for index, difference in enumerate(differences):
        if difference.breaking == verdict:
            key = index if show_all else (difference.kind, difference.sentence)
            groups.setdefault(key, []).append(difference)
    return [*groups.values()]


#: The maximum number of functions of a group that are named.
_MAX_NAMES: Final = 3


def _functions(group: "list[Difference]") -> str:
    """Return the text that names the functions of a group: one name, or the number and the first names."""
    names = [*dict.fromkeys(difference.name for difference in group)]
    if len(names) == 1:
        return names[0]
    more = ", ..." if len(names) > _MAX_NAMES else ""
    return f"{len(names):,} functions ({', '.join(names[:_MAX_NAMES])}{more})"


def _counts_by_kind(groups: "list[list[Difference]]") -> Sequence[tuple[str, int]]:
    """Return the number of differences of each kind, the largest first."""
    return Counter(difference.kind for group in groups for difference in group).most_common()


# -- text ------------------------------------------------------------------------------------------


def _summary(counts: dict[Any, int], none: str = "no differences") -> str:
    """Return the numbers of differences, with the overlays that were applied to both documents."""
    total = sum(counts.values())
    text = f"{total:,} differences: {counts['yes']:,} breaking, {counts['maybe']:,} maybe breaking, {counts['no']:,} other"
    overlays = ", ".join(names(source.given().overlays))
    return (text if total else none) + (f"; with {overlays}" if overlays else "")


def _show(differences: Sequence["Difference"], counts: dict[Any, int], *, show_all: bool) -> None:
    for verdict, title in _TITLES.items():
        groups = _groups(differences, verdict, show_all=show_all)
        if not groups:
            continue
        is_counted = verdict == "no" and not show_all
        output.write_lines(f"{title} (--all lists them):" if is_counted else f"{title}:", "heading")
        if is_counted:
            for kind, count in _counts_by_kind(groups):
                output.write_lines(f"  {count:,} {kind}", _MEANINGS[verdict])
        else:
            for group in groups:
                where, difference = _functions(group), group[0]
                text = f"{where}: {difference.sentence}" if where else difference.sentence
                output.write_lines(f"  {_line(text)} ({difference.kind})", _MEANINGS[verdict])
        output.write_lines("")
    output.write_lines(_summary(counts))


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


def _markdown(
    differences: Sequence["Difference"], counts: dict[Any, int], *, show_all: bool
) -> Iterator[str]:
    yield f"### API changes: {_cell(_summary(counts, 'none'))}"
    for verdict, title in _TITLES.items():
        groups = _groups(differences, verdict, show_all=show_all)
        if not groups:
            continue
        yield from ("", f"**{title}**", "")
        if verdict == "no" and not show_all:
            yield from ("| kind | number |", "|---|---|")
            yield from (f"| {kind} | {count:,} |" for kind, count in _counts_by_kind(groups))
        else:
            yield from ("| function | kind | difference |", "|---|---|---|")
            yield from map(_row, groups)


def _row(group: "list[Difference]") -> str:
    difference = group[0]
    cells = (_functions(group) or "(document)", difference.kind, difference.sentence)
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return _line(text).translate(_PLAIN).replace("://", ":&#8203;//")
