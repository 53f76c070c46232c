"""The subcommand ``specfn search``: the functions that fit some words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from specfn._internal.json import JsonObject
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.progress import Progress
from specfn.cli.select import select_functions
from specfn.cli.terminal import SAFETY
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.tools.search.search import Found


@shared.command(
    "search",
    "specfn search openapi.yaml refund an order",
    "specfn search openapi.yaml invoice --limit 3 --json",
)
@source.argument
@click.argument("query", nargs=-1, required=True)
@shared.limit("The maximum number of functions.", 10)
@shared.select
@shared.as_json()
def command(
    spec: str, query: Sequence[str], limit: int, globs: Sequence[str], *, as_json: bool
) -> None:
    """List the functions of SPEC that fit the words of QUERY, best first.

    QUERY may be a question or a task. Each function is listed with the words that it matches, and with functions that
    supply its path parameters.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress)
        progress.begin("searching")
        selected = select_functions(application, globs) if globs else None
        matches = application.search(" ".join(query), limit, select=selected)
    if as_json:
        output.write_value([*map(_data, matches)])
        return
    for place, match in enumerate(matches):
        if place:
            output.write_lines("")
        _show(match)
    if not matches:
        output.complain("no function fits these words; specfn inspect lists all functions")


def _data(found: "Found") -> JsonObject:
    function = found.function
    return {
        "name": found.name,
        "method": function.method,
        "path": function.path,
        "summary": function.summary,
        "safety": function.safety,
        "score": found.score,
        "why": found.why,
        "needs": dict(found.needs),
    }


def _show(found: "Found") -> None:
    function = found.function
    place = f"{function.method_and_path} ({function.safety})"
    output.write_lines(found.name, "name")
    output.write_lines(f"  {_line(place)}", SAFETY[function.safety])
    if function.summary:
        output.write_lines(f"  {_line(function.summary)}")
    needs = [f"{name} comes from {source}" for name, source in found.needs.items()]
    facts = [f"matches: {found.why}", *needs]
    output.write_lines(f"  {_line('; '.join(facts))}", "faint")


def _line(text: str) -> str:
    return " ".join(text.split())
