"""The subcommand ``specfn tools``: all functions as JSON, or as typed signatures."""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from specfn._internal.json import dumps
from specfn.catalog.tools.tool_description import listed_description
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.each_document import Converted, each_document
from specfn.cli.progress import Progress
from specfn.cli.save import save
from specfn.cli.select import select_functions
from specfn.errors import UsageError
from specfn.function.description import within
from specfn.function.signatures.language import LANGUAGES, Language
from specfn.settings import Naming, Settings

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.function.function import Function

STDOUT: Final = "-"

#: The suffixes of files for a directory of documents, by format.
_SUFFIXES: Final = {"json": ".json", "python": ".py", "typescript": ".ts"}


@click.command(name="tools")
@source.argument
@shared.output_file
@shared.jobs("Number of processes for a directory of documents.")
@click.option(
    "--positional",
    is_flag=True,
    help="A list of schemas per function instead of one object schema.",
)
@shared.choice(
    "--dialect", "dialect", ["3.0", "3.1"], "Schemas without $ref (3.0), or with $defs (3.1)."
)
@shared.choice(
    "--naming",
    "naming",
    ["path", "operationId"],
    "Name functions by their paths, or by their operationIds where these are unique.",
)
@shared.select
@shared.choice(
    "--format",
    "form",
    ["json", *LANGUAGES],
    "A JSON list, or typed signatures for a model that writes code.",
)
def command(
    spec: str,
    path: str | None,
    *,
    jobs: int | None,
    positional: bool,
    dialect: Literal["3.0", "3.1"],
    naming: Naming,
    globs: Sequence[str],
    form: Literal["json"] | Language,
) -> int:
    """Write the functions of SPEC as a JSON list.

    Each function is {"name", "description", "parameters", "output", "method", "path"}, in the document's
    order; "output" is optional. If the list is incomplete, the exit code is not 0.

    With --format python or typescript, write a module with a typed signature of each function.

    If SPEC is a directory, each document below it becomes a file below -o DIRECTORY.
    """
    settings = Settings(keyword=not positional, dialect=dialect, naming=naming)
    convert = partial(_convert, settings=settings, globs=globs, form=form)
    if Path(spec).is_dir():
        return each_document(spec, path, jobs, convert, _SUFFIXES[form])
    if jobs is not None:
        raise UsageError("--jobs needs a directory of documents")
    return convert(spec, path).report()


def _convert(
    spec: str,
    path: str | None,
    *,
    settings: Settings,
    globs: Sequence[str],
    form: Literal["json"] | Language,
) -> Converted:
    """Write the functions of one document."""
    with Progress() as progress:
        application = source.application(spec, settings, progress)
        selected = select_functions(application, globs)
        faults = [function.fault for function in selected if function.fault is not None]
        usable = (
            [function for function in selected if function.fault is None] if faults else selected
        )
        with closing(_written(usable, form, progress)) as pieces:
            if path is None or path == STDOUT:
                output.write(list(pieces))  # writes nothing if one function fails
            else:
                save(path, pieces)
    return Converted((_left_out(application), *map(str, faults)), is_complete=not faults)


def _written(
    functions: Sequence["Function"], form: Literal["json"] | Language, progress: Progress
) -> Generator[bytes]:
    """Yield the functions in a format."""
    if form == "json":
        yield from _listed(functions, progress)
    else:
        from specfn.function.signatures.signatures import signatures  # noqa: PLC0415  # for this format

        yield signatures(functions, form).encode()


def _listed(functions: Sequence["Function"], progress: Progress) -> Generator[bytes]:
    """Yield a JSON list with one function per line."""
    if functions:
        yield b"["
        for count, function in enumerate(functions, start=1):
            yield _line(function, functions[0])
            progress.composed(count, len(functions))
        yield b"\n]\n"
    else:
        yield b"[]\n"


def _line(function: "Function", first: "Function") -> bytes:
    """Return a function as one line of JSON, with a comma before all but the first."""
    schemas = function.schemas
    parameters, result = schemas.compose(), schemas.write_output()
    head = {"name": function.name, "description": _description(function, parameters)}
    pieces = [dumps(head)[:-1], b',"parameters":', dumps(parameters)]
    if result is not None:
        pieces += (b',"output":', result)
    pieces += (b",", dumps({"method": function.method, "path": function.path})[1:])
    return b"".join((b"\n" if function is first else b",\n", *map(output.json_printable, pieces)))


def _description(function: "Function", parameters: Any) -> str:
    """Return the description without facts that the parameters contain (rule F3)."""
    schemas = function.schemas
    if not schemas.settings.keyword:
        names = (key for key, _ in schemas.keys)
        parameters = {"properties": dict(zip(names, parameters, strict=True))}
    text = listed_description(function.full_description, parameters)
    return within(text, schemas.settings.description_limit)


def _left_out(application: "Application") -> str:
    """Return a message about operations that are not functions; empty without any."""
    errors, functions = len(application.errors), len(application.functions)
    if not errors and not functions:
        return "the document has no operations"
    if not errors:
        return ""
    are = "is not a function" if errors == 1 else "are not functions"
    return f"{errors} of {errors + functions} operations {are}; specfn inspect lists the reasons"
