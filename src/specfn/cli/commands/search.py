"""The subcommand ``specfn search``: the functions that fit some words."""

import re
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
    "specfn search openapi.yaml 'refund an order'",
    "specfn search openapi.yaml invoice --limit 3 --json",
)
@source.argument
@click.argument("query")
@shared.limit("The maximum number of functions.", 10)
@shared.select
@shared.as_json()
def command(spec: str, query: str, limit: int, globs: Sequence[str], *, as_json: bool) -> None:
    """List the functions of SPEC that fit the words of QUERY, best first.

    QUERY may be a question or a task. Each function is listed with the words that it contains, and with functions that
    yield its path parameters.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress)
        progress.begin("searching")
        selected = select_functions(application, globs) if globs else None
        matches = application.search(query, limit, select=selected)
    if as_json:
        output.write_value([*map(_data, matches)])
        return
    for place, match in enumerate(matches):
        if place:
            output.write_lines("")
        _show(match, query)
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


def _show(found: "Found", query: str) -> None:
    function = found.function
    place = f"{function.method_and_path} ({function.safety})"
    output.write_lines(found.name, "name")
    output.write_lines(f"  {_line(place)}", SAFETY[function.safety])
    if function.summary:
        output.write_lines(f"  {_line(function.summary)}")
    words = _words(query, found.why)
    needs = [f"{name} comes from {source}" for name, source in found.needs.items()]
    why = found.why if found.why.startswith("yields ") else words and f"contains: {words}"
    facts = [why, *needs]
    output.write_lines(f"  {_line('; '.join(filter(None, facts)))}", "faint")


def _words(query: str, why: str) -> str:
    """Return the words of the query that a function contains, as the user wrote them."""
    from specfn.tools.search.texts import words_of  # noqa: PLC0415  # for this subcommand

    stems = {*why.split(", ")}
    return ", ".join(word for word in re.findall(r"\w+", query) if stems & {*words_of(word)})


def _line(text: str) -> str:
    return " ".join(text.split())
