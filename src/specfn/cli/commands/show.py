"""The subcommand ``specfn show``: one function as a model reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject, dumps, dumps_indented
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.progress import Progress
from specfn.cli.select import CONTAINERS, find_function
from specfn.cli.terminal import SAFETY
from specfn.records import members
from specfn.settings import DEFAULT
from specfn.validation.plain_types import plain

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function


@shared.command(
    "show",
    "specfn show openapi.yaml 'POST /orders'",
    "specfn show openapi.yaml orders_post --json",
)
@source.argument
@shared.function_name
@shared.as_json()
def command(spec: str, name: str, *, as_json: bool) -> None:
    """Show the function NAME of SPEC.

    NAME is a function's name, its dotted accessor, its operationId or "METHOD /path".
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress)
    function = find_function(application, name)
    if as_json:
        output.write_value(_data(function, _signature(application, function)))
    else:
        _show(application, function)


def _signature(application: "Application", function: "Function") -> str:
    """Return name, arguments and result as short types, one argument per line."""
    from specfn.schema.describe import describe  # noqa: PLC0415  # slow import

    root = function.validator
    definitions = root.get("$defs", {})
    arguments = [
        f"  {key}{'' if required else '?'}: {describe(root['properties'][key], definitions)}\n"
        for key, required in function.schemas.keys
    ]
    inner = f"\n{''.join(arguments)}" if arguments else ""
    return f"{function.name}({inner}) -> {_result(application, function)}"


def _result(application: "Application", function: "Function") -> str:
    from specfn.schema.describe import describe  # noqa: PLC0415  # slow import

    success = function.route.success
    if success is None or success.schema is None:
        return "nothing"
    return describe(success.schema, application.document["components"]["schemas"])


#: The words for a property that no call may have, such as a read-only one.
_FORBIDDEN: Final = plain("never")


def _arguments(function: "Function") -> Iterator[str]:
    """Yield each argument by its name in ``specfn call``, with its type in words. Bodies are shown one level deep."""
    from specfn.schema.describe import describe  # noqa: PLC0415  # slow import

    root = function.validator
    definitions = root.get("$defs", {})
    for key, is_required in function.schemas.keys:
        schema = root["properties"][key]
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            schema = definitions.get(schema["$ref"].removeprefix("#/$defs/"), schema)
        parts, required = {}, frozenset[str]()
        if isinstance(schema, dict) and key in CONTAINERS:
            parts, required = schema.get("properties", {}), frozenset(schema.get("required", ()))
        for name, part in parts.items():
            words = plain(describe(part, definitions))
            if words != _FORBIDDEN:
                yield f"{key}.{name}: {words}{'' if is_required and name in required else ', optional'}"
        if not parts:
            yield f"{key}: {plain(describe(schema, definitions))}{'' if is_required else ', optional'}"


def _data(function: "Function", signature: str) -> JsonObject:
    return {
        "name": function.name,
        "accessor": ".".join(function.accessor),
        "method": function.method,
        "path": function.path,
        "operation_id": function.operation_id,
        "signature": signature,
        "description": function.description,
        "parameters": function.parameters,
        "output": function.output,
        "tags": list(function.tags),
        "deprecated": function.deprecated,
        "safety": function.safety,
        "idempotent": function.idempotent,
        "security": [
            {name: list(scopes) for name, scopes in requirement}
            for requirement in function.security
        ],
        "edits": [*map(members, function.edits)],
        "notes": [*map(members, function.notes)],
        "fingerprint": function.fingerprint,
    }


def _show(application: "Application", function: "Function") -> None:
    place = f"{function.method_and_path} ({function.safety})"
    output.write_lines(place, SAFETY[function.safety])
    output.write_lines(function.name, "name")
    for argument in _arguments(function):
        output.write_lines(f"  {argument}", hanging=4)
    output.write_lines(f"  returns {plain(_result(application, function))}", hanging=4)
    if function.description:
        output.write_lines(f"\n{function.description}", hanging=0)
    _show_schema("Parameters", function.parameters)
    if function.output is not None:
        _show_schema("Output", function.output)
    edits = [f"  {edit.pointer}: {edit.reason}" for edit in function.edits]
    notes = [f"  {note.text} (at #{note.pointer})" for note in function.notes]
    for title, lines in (("Edits", edits), ("Notes", notes)):
        if lines:
            output.write_lines(f"\n{title}", "heading")
            output.write_lines("\n".join(lines))


def _show_schema(title: str, schema: Any) -> None:
    output.write_lines(f"\n{title} ({len(dumps(schema)):,} bytes)", "heading")
    output.write_json((output.json_printable(dumps_indented(schema)), b"\n"))
