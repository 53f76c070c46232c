"""``specfn call``: one function called, and what the server answered."""

import base64
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._json import JsonObject, dumps, dumps_indented
from specfn.cli import connect, output, source
from specfn.cli.choose import named
from specfn.cli.faults import AT_FAULT, DONE
from specfn.cli.progress import Progress
from specfn.cli.save import save
from specfn.errors import ArgumentError, UsageError, redirect_of
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.function.function import Function
    from specfn.http.connection import Connection
    from specfn.http.response import Result

STDOUT: Final = "-"


@click.command(name="call")
@source.argument
@click.argument("name")
@click.argument("arguments", default="")
@connect.options
@click.option("--file", "files", metavar="PLACE=PATH", multiple=True,
              help="Put a file into the body: at a property of it, or PLACE body for the whole.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@click.option("-y", "--yes", is_flag=True, help="Send without asking what is not safe.")
@click.option("-o", "--output", "path", metavar="FILE", help="Write to FILE, whole or not at all.")
@click.option("--json", "as_json", is_flag=True, help="Status, headers and data as JSON.")
def command(spec: str, name: str, arguments: str, **options: Any) -> int:
    """Call the function NAME of SPEC with ARGUMENTS, and print what the server answered.

    ARGUMENTS is JSON, {"key": value}, as specfn show tells the keys; - reads it from stdin. What may
    change something (all but GET, HEAD and QUERY) is asked about first, unless --yes says so.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    if spec == arguments == source.STDIN:
        raise UsageError("stdin cannot be both the document and the arguments; name a file")
    with Progress() as progress:
        function = named(source.application(spec, DEFAULT, progress), name)
        text = source.stdin(progress) if arguments == source.STDIN else arguments
    given = _checked(function, text, options["files"])
    connection = connect.connection(function.api, options)
    if options["dry_run"]:
        return _show(function, given, connection, options)
    if not _is_agreed(
        function, given, connection, options, has_stdin=source.STDIN in (spec, arguments)
    ):
        output.complain("nothing was sent")
        return AT_FAULT
    return _call(function, given, connection, options)


def _checked(function: "Function", text: str | bytes, files: Sequence[str]) -> Any:
    """The arguments of a text and of files; what was read otherwise than it stands is told.

    Raises:
        ArgumentError: they are not valid.
        UsageError: the text ends too early for a call that may change something.
    """
    outcome = function.parse(text or "{}") if files else function.check(text or "{}")
    repairs = outcome.repairs
    if outcome and outcome.incomplete and function.safety != "read":
        raise UsageError("the arguments end too early")
    if outcome and files:
        outcome = function.validate(_with_files(outcome.data, files))
    if not outcome:
        raise ArgumentError(function.name, outcome.errors)
    for repair in repairs:
        output.complain(f"{repair.path} was read as it was meant ({repair.kind})")
    return outcome.data


def _with_files(arguments: Any, files: Sequence[str]) -> Any:
    """The arguments with files in the body."""
    from specfn.http.files import File  # noqa: PLC0415  # after the fault of unknown names

    for each in files:
        place, found, path = each.partition("=")
        if not found or not isinstance(arguments, dict):
            raise UsageError("--file takes PLACE=PATH, and an object for the arguments beside it")
        try:
            file = File(Path(path).read_bytes(), name=Path(path).name)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no path"
            raise UsageError(f"--file {path!r} cannot be read: {reason}") from None
        body = arguments.get("body")
        whole = {**(body if isinstance(body, dict) else {}), place: file}
        arguments = {**arguments, "body": file if place == "body" else whole}
    return arguments


def _show(
    function: "Function",
    arguments: JsonObject,
    connection: "Connection",
    options: Mapping[str, Any],
) -> int:
    from specfn.http.dry import dry_run  # noqa: PLC0415  # httpx is imported on first use

    run = dry_run(function, arguments, connection)
    written = dumps_indented(run) if options["as_json"] else run["curl"].encode()
    _write(output.json_printable(written) + b"\n", options["path"])
    return DONE


def _is_agreed(
    function: "Function",
    arguments: JsonObject,
    connection: "Connection",
    options: Mapping[str, Any],
    *,
    has_stdin: bool,
) -> bool:
    """Whether a call may be made: it is safe, or a person says so.

    Raises:
        UsageError: there is nobody to ask.
    """
    if function.safety == "read" or options["yes"]:
        return True
    what = f"{function.method.upper()} {function.path} ({function.safety})"
    if has_stdin or not _is_terminal(sys.stdin):
        raise UsageError(
            f"{what} may change something and there is nobody to ask: give --yes, or --dry-run to look"
        )
    from specfn.http.dry import dry_run  # noqa: PLC0415  # httpx is imported on first use

    shown = output.printable(dry_run(function, arguments, connection)["curl"])
    click.echo(shown, err=True)
    return click.confirm(f"{output.printable(what)}: send this?", default=False, err=True)


def _is_terminal(stream: Any) -> bool:
    return bool(getattr(stream, "isatty", bool)())


def _call(
    function: "Function",
    arguments: JsonObject,
    connection: "Connection",
    options: Mapping[str, Any],
) -> int:
    from specfn.http.send import propagate  # noqa: PLC0415  # httpx is imported on first use

    result = propagate(function, arguments, connection)
    if options["as_json"]:
        _write(output.json_printable(dumps(_data(result))) + b"\n", options["path"])
    else:
        _print(result, options["path"])
    for note in result.notes:
        output.complain(note.text)
    if result.truncated:
        output.complain("the answer was longer than is kept, and is cut")
    if not result.ok:
        where = redirect_of(result)
        output.complain(
            f"the server answered {result.status}{where and f' and redirects to {where}'}"
        )
    return DONE if result.ok else AT_FAULT


def _data(result: "Result") -> JsonObject:
    """Return the answer as JSON has it; bytes are base64, NaN and infinities are null."""
    from specfn.http.non_finite import nulled  # noqa: PLC0415  # httpx is imported on first use

    data = nulled(result.data)
    if isinstance(data, bytes):
        data = {"media_type": result.media_type, "base64": base64.b64encode(data).decode()}
    return {"status": result.status, "headers": dict(result.headers), "data": data}


def _print(result: "Result", path: str | None) -> None:
    """The answer's data alone: JSON with line breaks, a text, or bytes as they are."""
    data = result.data
    if path is None and isinstance(data, str) and _is_terminal(sys.stdout):
        output.write_text(data)
    elif path is None and isinstance(data, bytes) and _is_terminal(sys.stdout):
        kind = result.media_type or "no media type"
        output.complain(f"the answer is {len(data):,} bytes of {kind}; -o FILE writes them")
    elif data is not None or path is not None:
        _write(_bytes(data), path)


def _bytes(data: Any) -> bytes:
    if data is None or isinstance(data, bytes):
        return data or b""
    if isinstance(data, str):
        return data.encode(errors="replace")
    from specfn.http.non_finite import nulled  # noqa: PLC0415  # httpx is imported on first use

    return output.json_printable(dumps_indented(nulled(data))) + b"\n"


def _write(content: bytes, path: str | None) -> None:
    if path is None or path == STDOUT:
        output.write((content,))
    else:
        save(path, (content,))
