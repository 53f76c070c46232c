"""``specfn validate``: the arguments that a model composed, and what it would be told of them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._json import JsonObject, dumps
from specfn.cli import output, source
from specfn.cli.choose import named
from specfn.cli.faults import AT_FAULT, DONE
from specfn.cli.progress import Progress
from specfn.document.load import MAX_BYTES
from specfn.errors import UsageError
from specfn.records import ABSENT
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure, Success

#: The most characters of a value that is shown beside what it was read as.
_SHOWN: Final = 80


@click.command(name="validate")
@source.argument
@click.argument("name")
@click.argument("file", default=source.STDIN)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
def command(spec: str, name: str, file: str, *, as_json: bool) -> int:
    """Check what a model sent to the function NAME of SPEC.

    FILE holds the text of the arguments as the model wrote it; without it, or as -, it is read from stdin. What is
    plainly meant is read as it was meant (fences, quotes, "12" where a number belongs); all else is told in the words
    that a model would read.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    if spec == file == source.STDIN:
        raise UsageError("stdin cannot be both the document and the arguments; name a file")
    with Progress() as progress:
        function = named(source.application(spec, DEFAULT, progress), name)
        text = source.stdin(progress) if file == source.STDIN else _read(file)
    outcome = function.check(text)
    if as_json:
        output.write((output.json_printable(dumps(_data(outcome))), b"\n"))
    else:
        output.write_text(_text(outcome))
    return DONE if outcome else AT_FAULT


def _read(file: str) -> bytes:
    """The text of a file.

    Raises:
        UsageError: it cannot be read, or is larger than any arguments.
    """
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        raise UsageError(f"{file!r} cannot be read: {reason}") from None
    if len(content) > MAX_BYTES:
        raise UsageError(f"{file!r} holds more than {MAX_BYTES:,} bytes")
    return content


def _text(outcome: "Success | Failure") -> str:
    """What a model would be told; of valid arguments, how they were read."""
    if not outcome:
        return outcome.feedback()
    lines = ["The arguments are valid."]
    if outcome.repairs:
        lines += ["", "Read as they were meant:"]
        lines += [
            f"  {repair.path}: {_short(repair.before)} as {_short(repair.after)} ({repair.kind})"
            for repair in outcome.repairs
        ]
    if outcome.incomplete:
        lines += [
            "",
            "The text ended too early and was closed: only a function that reads takes it.",
        ]
    return "\n".join(lines)


def _short(value: Any) -> str:
    text = "nothing" if value is ABSENT else dumps(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _data(outcome: "Success | Failure") -> JsonObject:
    """The outcome as JSON has it; a value that is absent is left out."""
    errors = () if outcome else outcome.errors
    return {
        "valid": bool(outcome),
        "data": _plain(outcome.data),
        "repairs": [_without_absent(asdict(repair)) for repair in outcome.repairs],
        "incomplete": outcome.incomplete,
        "errors": [_without_absent(asdict(error)) for error in errors],
    }


def _without_absent(record: JsonObject) -> JsonObject:
    return {key: _plain(value) for key, value in record.items() if value is not ABSENT}


def _plain(value: Any) -> Any:
    """What was sent as text: what is no UTF-8 is replaced."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
