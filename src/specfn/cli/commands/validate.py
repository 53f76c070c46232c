"""The subcommand ``specfn validate``: the arguments of a model and its feedback."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.json import JsonObject, dumps
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.select import find_function
from specfn.document.read.load import MAX_BYTES
from specfn.errors import UsageError
from specfn.records import ABSENT
from specfn.settings import DEFAULT
from specfn.validation.outcome_json import problems_json, repairs_json, text_of_bytes

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure, Success

#: The largest number of characters of a printed value.
_SHOWN: Final = 80


@click.command(name="validate")
@source.argument
@click.argument("name")
@click.argument("file", default=source.STDIN)
@shared.as_json()
def command(spec: str, name: str, file: str, *, as_json: bool) -> int:
    """Validate the arguments that a model sent for the function NAME of SPEC.

    FILE contains the arguments exactly as the model sent them. Without FILE, or with -, they are read from stdin.
    Repairs unambiguous mistakes (code fences, quotes, "12" for a number), then prints the feedback a model would
    receive.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    if spec == file == source.STDIN:
        raise UsageError("stdin cannot be both the document and the arguments; name a file")
    with Progress() as progress:
        function = find_function(source.application(spec, DEFAULT, progress), name)
        text = source.stdin(progress) if file == source.STDIN else _read(file)
    outcome = function.check(text)
    if as_json:
        output.write((output.json_printable(dumps(_data(outcome))), b"\n"))
    else:
        output.write_text(_text(outcome))
    return EXIT_SUCCESS if outcome else EXIT_FAILURE


def _read(file: str) -> bytes:
    """Read a file.

    Raises:
        UsageError: the file cannot be read, or is larger than the limit.
    """
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise UsageError(f"{file!r} cannot be read: {reason}") from None
    if len(content) > MAX_BYTES:
        raise UsageError(f"{file!r} is larger than the limit of {MAX_BYTES:,} bytes")
    return content


def _text(outcome: "Success | Failure") -> str:
    """Return the feedback for invalid arguments, or the repairs of valid arguments."""
    if not outcome:
        return outcome.feedback()
    lines = ["The arguments are valid."]
    if outcome.repairs:
        lines += ["", "Repairs:"]
        lines += [
            f"  {repair.path}: {_short(repair.before)} became {_short(repair.after)} ({repair.kind})"
            for repair in outcome.repairs
        ]
    if outcome.incomplete:
        lines += [
            "",
            "The text was truncated and is completed. Only functions that read data accept it.",
        ]
    return "\n".join(lines)


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
