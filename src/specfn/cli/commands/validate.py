"""The subcommand ``specfn validate``: the arguments of a model and its feedback."""

import os
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.json import JsonObject, dumps
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.select import find_function
from specfn.errors import UsageError
from specfn.records import ABSENT
from specfn.settings import DEFAULT
from specfn.validation.outcome import problems_json, repairs_json, text_of_bytes

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure, Success

#: The largest number of characters of a printed value.
_SHOWN: Final = 80


@shared.command(
    "validate",
    "specfn validate openapi.yaml orders_post arguments.json",
    """echo '{"query": {"limit": "10"}}' | specfn validate openapi.yaml 'GET /orders'""",
)
@source.argument
@shared.function_name
@click.argument("file", default=source.STDIN, shell_complete=shared.complete_files)
@shared.as_json()
def command(spec: str, name: str, file: str, *, as_json: bool) -> int:
    """Validate the arguments that a model sent for the function NAME of SPEC.

    FILE contains the arguments exactly as the model sent them. Without FILE, or with -, they are read from stdin.
    Unambiguous mistakes are repaired (code fences, quotes, "12" for a number). Then the feedback is printed that a
    model would read.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    if spec == file == source.STDIN:
        raise UsageError("stdin cannot be both the document and the arguments; name a file")
    if file.lstrip().startswith(("{", "[")) and not os.path.lexists(file):
        raise UsageError(
            "FILE is the path of a file, not JSON; pass the text by stdin: echo TEXT | specfn validate SPEC NAME"
        )
    with Progress() as progress:
        function = find_function(source.application(spec, DEFAULT, progress), name)
        text = source.stdin(progress) if file == source.STDIN else source.read_file(file)
    outcome = function.check(text)
    if as_json:
        output.write_value(_data(outcome))
    elif outcome:
        _show_valid(outcome)
    else:
        output.write_lines(outcome.feedback(), hanging=0)
    return EXIT_SUCCESS if outcome else EXIT_FAILURE


def _show_valid(outcome: "Success") -> None:
    """Write that the arguments are valid, with their repairs."""
    output.write_lines("The arguments are valid.", "good")
    if outcome.repairs:
        output.write_lines("\nRepairs:", "heading")
    for repair in outcome.repairs:
        change = f"{_short(repair.before)} became {_short(repair.after)}"
        output.write_lines(f"  {repair.path}: {change} ({repair.kind})")
    if outcome.incomplete:
        output.write_lines("\nThe text was truncated and is completed.", "warning")
        output.write_lines("Only functions that read data accept it.")


def _short(value: Any) -> str:
    text = "nothing" if value is ABSENT else dumps(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _data(outcome: "Success | Failure") -> JsonObject:
    """Return the outcome as JSON, without absent values."""
    return {
        "valid": bool(outcome),
        "data": text_of_bytes(outcome.data),
        "repairs": repairs_json(outcome.repairs),
        "incomplete": outcome.incomplete,
        "errors": problems_json(() if outcome else outcome.errors),
    }
