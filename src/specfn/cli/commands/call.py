"""The subcommand ``specfn call``: call one function and print the response."""

import base64
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.characters import one_line
from specfn._internal.did_you_mean import ask_or_list
from specfn._internal.json import JSONDecodeError, JsonObject, dumps, dumps_indented, loads
from specfn.cli import connect, output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS, UnreadableFileError, in_options
from specfn.cli.progress import Progress
from specfn.cli.save import refuse_source, write_result
from specfn.cli.select import CONTAINERS, find_function
from specfn.cli.terminal import SAFETY, is_colored, is_terminal, paint
from specfn.errors import ArgumentError, UsageError
from specfn.http.response.tolerant_json import replace_non_finite
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.function.function import Function
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result
    from specfn.records import ArgumentProblem


@shared.command(
    "call",
    "specfn call openapi.yaml products_post body.name=Lamp body.price=9.5 --base-url https://shop.example.com",
    """specfn call openapi.yaml 'GET /orders/{orderId}' '{"orderId": 7}' --base-url https://shop.example.com""",
)
@source.argument
@shared.function_name
@click.argument("words", nargs=-1, metavar="[ARGUMENTS]...")
@connect.options
@shared.repeatable("--file", "files", "PLACE=PATH",
                 "Send a file as a property of the body, or as the whole body (PLACE body). Repeat it for an array of files.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the request, and send nothing.")
@shared.yes
@shared.output_file
@shared.as_json("Print status, headers and data as JSON.")
def command(spec: str, name: str, words: Sequence[str], **options: Any) -> int:
    """Call the function NAME of SPEC with ARGUMENTS, and print the response.

    ARGUMENTS are NAME=VALUE, NAME:=JSON, NAME=@FILE with a text, @FILE with a JSON object, - for such an object on stdin,
    or the object itself; a NAME that is repeated is a list. specfn show lists the names. --file sends other files. A request that may change data (a safety other than
    read, see specfn show) needs a confirmation, or the option --yes.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    if words[:1] and words[0].startswith("/") and name.isalpha():
        name, words = f"{name} {words[0]}", words[1:]
    if spec == source.STDIN and source.STDIN in words:
        raise UsageError("stdin cannot be both the document and the arguments; name a file")
    refuse_source(spec, options["path"])
    with Progress() as progress:
        function = find_function(source.application(spec, DEFAULT, progress), name)
        arguments = _read_words(function, words, progress)
    given = _parse_arguments(function, arguments, options["files"])
    connection = connect.connection(function.api, options, is_checked=False)
    request = _Request(function, given, connection, options)
    if options["dry_run"]:
        return _show(request)
    if not _is_confirmed(request, has_stdin=source.STDIN in (spec, *words)):
        output.complain("not sent: the request was not confirmed")
        return EXIT_FAILURE
    return _call(request)


@dataclass(frozen=True, slots=True)
class _Request:
    """A checked call, and the options of the command."""

    function: "Function"
    arguments: JsonObject
    connection: "Connection"
    options: Mapping[str, Any]

    def dry_run(self) -> JsonObject:
        """Return the request as data, with a line for curl; send nothing."""
        from specfn.http.dry_run import dry_run  # noqa: PLC0415  # httpx is imported on first use

        return dry_run(self.function, self.arguments, self.connection)


#: An argument NAME=VALUE or NAME:=JSON.
_WORD: Final = re.compile(r"""([^\s=:{}\[\]"']+)(:?=)(.*)""", re.DOTALL)

#: Repairs of values that a command line can only write as text.
_OF_TEXT: Final = frozenset({"number", "boolean", "null", "json", "array", "moved"})

#: The maximum number of levels of a name.
_MAX_LEVELS: Final = 64


def _read_words(function: "Function", words: Sequence[str], progress: Progress) -> Any:
    """Return the arguments of a command line: the text of one object as it is, or the object of several words.

    Values are texts. The check of the arguments converts them by the schema, like those of a model.

    Raises:
        UsageError: a word has none of the forms, two words contradict each other, or a file cannot be read.
    """
    if len(words) < 2 and not any(map(_WORD.fullmatch, words)):
        return _read_object(function, words[0], progress) if words else "{}"
    arguments: JsonObject = {}
    values: dict[str, list[Any]] = {}
    for word in words:
        match = _WORD.fullmatch(word)
        if match is None:
            members = _parse_json(word, _read_object(function, word, progress))
            if not isinstance(members, dict):
                raise UsageError(f"{word[:_SHOWN]!r} is not a JSON object")
            arguments.update(members)
            continue
        name, operator, value = match.groups()
        if value.startswith("@"):
            value = _read_text(name, value[1:])
        value = _parse_json(name, value) if operator == ":=" else value
        same = values.setdefault(name, [])
        same.append(value)
        _set(arguments, name, value if len(same) == 1 else same)
    return arguments


def _read_text(name: str, path: str) -> str:
    """Return the text of the file of NAME=@FILE.

    Raises:
        UsageError: the file is not UTF-8. Bytes that replace others would be sent as if they were the file.
    """
    try:
        return source.read_file(path).decode()
    except UnicodeDecodeError:
        place = name.removeprefix("body.") if name.startswith("body") else "PLACE"
        raise UsageError(
            f"{name[:_SHOWN]}: {path!r} is not UTF-8 text; to send its bytes in the body, pass --file {place[:_SHOWN]}={path}"
        ) from None


#: The maximum number of characters of an argument in a message.
_SHOWN: Final = 80


def _read_object(function: "Function", word: str, progress: Progress) -> str | bytes:
    """Return the text of a JSON object: a word, a file, or stdin."""
    if word == source.STDIN:
        return source.stdin(progress)
    if word.startswith("@"):
        return source.read_file(word[1:])
    if "{" in word:
        return word
    example = next((key for key, _ in function.schemas.keys), "name")
    if example in CONTAINERS:
        example += ".NAME"
    raise UsageError(
        f"{word[:_SHOWN]!r} is not an argument; pass {example}=VALUE, a JSON object, or @FILE with a JSON object"
    )


def _parse_json(place: str, text: str | bytes) -> Any:
    try:
        return loads(text)
    except JSONDecodeError as error:
        raise UsageError(f"{place[:_SHOWN]}: this is not JSON: {error.msg}") from None


def _set(arguments: JsonObject, name: str, value: Any) -> None:
    """Set the value of a dotted name.

    Raises:
        UsageError: a part of the name is no object, or there are too many parts.
    """
    *parents, last = name.split(".", _MAX_LEVELS)
    if len(parents) == _MAX_LEVELS:
        raise UsageError(f"{name[:_SHOWN]}: more than {_MAX_LEVELS} levels; write a JSON object")
    place: Any = arguments
    for parent in parents:
        place = place.setdefault(parent, {})
        if not isinstance(place, dict):
            raise UsageError(
                f"{name[:_SHOWN]}: {parent!r} is already set to a value that is not an object"
            )
    place[last] = value


def _parse_arguments(function: "Function", given: Any, files: Sequence[str]) -> Any:
    """Parse and validate arguments, add files, and report repairs on stderr.

    Raises:
        ArgumentError: the arguments are invalid.
        UsageError: the text is truncated and the call may change data.
    """
    outcome = function.check(given)
    if isinstance(given, dict) and not outcome and _move(given, outcome.errors):
        outcome = function.check(given)
    is_text = isinstance(given, str | bytes)
    repairs = [repair for repair in outcome.repairs if is_text or repair.kind not in _OF_TEXT]
    if files and (outcome or outcome.fault is None):  # the files may be all that is missing
        complete = _with_files(function, outcome.data, files)
        outcome = replace(function.validate(complete), incomplete=outcome.incomplete)
    if outcome and outcome.incomplete and function.safety != "read":
        raise UsageError(
            "ARGUMENTS is truncated JSON: this function may change data; pass the complete object"
        )
    if not outcome:
        raise ArgumentError(function.name, outcome.errors)
    for repair in repairs:
        path = repair.path.removeprefix("$input").removeprefix(".") or "the text"
        output.complain(f"{path} was repaired ({repair.kind})")
    return outcome.data


def _move(arguments: JsonObject, problems: "Sequence[ArgumentProblem]") -> bool:
    """Move names without a group into the only group that declares them, and return whether there were any.

    The check moves valid values; the errors of others should be about the values, not about their places.
    """
    targets = {problem.path: problem.target or "" for problem in problems}
    moved = False
    for name in [name for name in arguments if f"$input.{name}" in targets]:
        group, _, last = targets[f"$input.{name}"].removeprefix("$input.").partition(".")
        members = arguments.get(group, {})
        if (
            group in CONTAINERS
            and last == name
            and isinstance(members, dict)
            and name not in members
        ):
            arguments[group] = {**members, name: arguments.pop(name)}
            moved = True
    return moved


def _with_files(function: "Function", arguments: Any, files: Sequence[str]) -> Any:
    """Return the arguments with files in the body.

    Raises:
        UsageError: an option is not PLACE=PATH, the body has no such property, or the file cannot be read.
    """
    from specfn.http.files import File  # noqa: PLC0415  # after the fault of unknown names

    for file_option in files:
        place, separator, path = file_option.partition("=")
        if not separator or not isinstance(arguments, dict):
            raise UsageError(
                "--file is invalid: expected PLACE=PATH, and ARGUMENTS that are a JSON object"
            )
        _check_place(function, place)
        try:
            file = File(source.read_file(path), name=Path(path).name)
        except UnreadableFileError as error:
            raise UnreadableFileError(f"--file: {error}") from None
        arguments = {**arguments, "body": _with_file(function, arguments.get("body"), place, file)}
    return arguments


def _with_file(function: "Function", body: Any, place: str, file: Any) -> Any:
    """Return a body with a file. Files of an array are collected.

    Raises:
        UsageError: the body of ARGUMENTS is not an object, so it has no properties.
    """
    if place == "body":
        return file
    if body is not None and not isinstance(body, dict):
        raise UsageError(
            f"--file {place}: the body in ARGUMENTS is not a JSON object; pass the file as its property, or omit it"
        )
    members = body or {}
    if _is_array(_body(function).get("properties", {}).get(place)):
        given = members.get(place, [])
        file = [*(given if isinstance(given, list) else [given]), file]
    return {**members, place: file}


def _body(function: "Function") -> Any:
    """Return the schema of the body; empty if the function has no body."""
    keys = function.parameters
    properties = keys.get("properties", {}) if isinstance(keys, dict) else {}
    return properties.get("body", {})


def _is_array(schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def _takes_file(schema: Any) -> bool:
    """Return true for the schema of a file, or of an array of files."""
    items = schema.get("items") if _is_array(schema) else schema
    return isinstance(items, dict) and (
        items.get("format") == "binary" or "contentMediaType" in items
    )


def _check_place(function: "Function", place: str) -> None:
    """Refuse a property that the body does not declare: its name is probably mistyped.

    Raises:
        UsageError: the body declares properties, and neither this one nor further ones.
    """
    body = _body(function)
    declared = body.get("properties", {})
    if place == "body" or place in declared or (body and not declared):
        return
    if not body:
        raise UsageError(f"--file {place}: {function.name} has no request body")
    if not body.get("additionalProperties"):
        files = [name for name, schema in declared.items() if _takes_file(schema)]
        raise UsageError(
            f"--file {place}: the body has no property {place!r}{ask_or_list(place, files or declared)}"
        )


def _show(request: _Request) -> int:
    run = request.dry_run()
    is_json = request.options["as_json"]
    text = output.json_printable(dumps_indented(run) if is_json else run["curl"].encode())
    write_result((text, b"\n"), request.options["path"], is_json=is_json)
    return EXIT_SUCCESS


def _is_confirmed(request: _Request, *, has_stdin: bool) -> bool:
    """Return true if a call is safe or confirmed.

    Raises:
        UsageError: no terminal is available for the confirmation.
    """
    function = request.function
    if function.safety == "read" or request.options["yes"]:
        return True
    target = f"{function.method_and_path} ({function.safety})"
    if has_stdin or not is_terminal(sys.stdin):
        raise UsageError(
            f"{target} may change data and stdin is not a terminal: pass --yes to send, or --dry-run to preview"
        )
    click.echo(_question(request), err=True)
    shown = "Send this request?"
    if is_colored(sys.stderr):
        shown = paint(shown, SAFETY[function.safety])
    return click.confirm(shown, default=False, err=True)


def _question(request: _Request) -> str:
    """Return the text that asks for a confirmation: the call, its URL and its headers, with masked credentials.

    Raises:
        UsageError: the arguments are too large to be shown.
    """
    from specfn.invocation.approval_form import CallToApprove, approval_form  # noqa: PLC0415  # to ask only

    function = request.function
    call = CallToApprove(name=function.name, function=function, arguments=request.arguments)
    text = approval_form([call]).text
    if not text:
        raise UsageError(
            "the arguments are too large to be shown: pass --yes to send, or --dry-run to preview"
        )
    run = request.dry_run()
    lines = [f"URL: {run['url']}", *(f"{name}: {value}" for name, value in run["headers"].items())]
    return "\n".join([text, *map(one_line, lines)])


def _call(request: _Request) -> int:
    from specfn.http.transport.send import propagate  # noqa: PLC0415  # httpx is imported on first use
    from specfn.invocation.keyed_arguments import by_key  # noqa: PLC0415  # the reason above
    from specfn.invocation.success_text import undeclared_line  # noqa: PLC0415  # the reason above

    result = propagate(request.function, request.arguments, request.connection).without_secrets()
    path = request.options["path"]
    if request.options["as_json"]:
        write_result((output.json_printable(dumps(_data(result))), b"\n"), path, is_json=True)
    else:
        _print(result, path)
        if result.data is None and result.ok and path is None:
            is_null = result.headers.get("content-length", "0") != "0"
            output.complain(
                f"HTTP {result.status}: {'the data is null' if is_null else 'no content'}"
            )
    if result.ok:
        named = by_key(request.function, request.arguments)
        undeclared = undeclared_line(request.function, named)
        if undeclared:
            output.complain(undeclared)
    for note in result.notes:
        output.complain(in_options(note.text))
    if result.truncated and not isinstance(result.data, list):  # a note has the end of a stream
        output.complain("the response was longer than the limit and is truncated")
    if not result.ok:
        output.complain(f"the server responded {result.status}")
    return EXIT_SUCCESS if result.ok else EXIT_FAILURE


def _data(result: "Result") -> JsonObject:
    """Return the response as JSON; bytes become base64, NaN and infinities become null."""
    data = replace_non_finite(result.data)
    if isinstance(data, bytes):
        data = {"media_type": result.media_type, "base64": base64.b64encode(data).decode()}
    return {"status": result.status, "headers": dict(result.headers), "data": data}


def _print(result: "Result", path: str | None) -> None:
    """Print the data of a response: indented JSON, a text, or bytes."""
    data = result.data
    if path is None and isinstance(data, str) and is_terminal(sys.stdout):
        output.write_text(data)
    elif path is None and isinstance(data, bytes) and is_terminal(sys.stdout):
        kind = result.media_type or "no media type"
        output.complain(f"the response is {len(data):,} bytes of {kind}; pass -o FILE to save them")
    elif data is not None or path is not None:
        write_result((_bytes(data),), path, is_json=not isinstance(data, str | bytes))


def _bytes(data: Any) -> bytes:
    if data is None or isinstance(data, bytes):
        return data or b""
    if isinstance(data, str):
        return data.encode(errors="replace")
    return output.json_printable(dumps_indented(replace_non_finite(data))) + b"\n"
