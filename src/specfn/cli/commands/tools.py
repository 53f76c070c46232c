"""The subcommand ``specfn tools``: functions as tools of a provider, as JSON, or as typed signatures."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.lists.function_list import fitting, written
from specfn.cli.progress import Progress
from specfn.cli.save import refuse_source, save
from specfn.errors import LimitError, UsageError
from specfn.function.signatures.signatures import LANGUAGES, Language
from specfn.settings import Settings

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.cli.each_document import Converted
    from specfn.cli.lists.cut import Cut
    from specfn.function.function import Function

STDOUT: Final = "-"

#: The suffixes of files for a directory of documents, by format.
_SUFFIXES: Final = {"json": ".json", "python": ".py", "typescript": ".ts"}

#: The options that shorten the list, or change its form.
_SHORTENING: Final = ("globs", "query", "max_tokens", "profile")

#: The options that a profile decides, with their fields.
_OF_PROFILE: Final = {"--format": "form", "--dialect": "dialect", "--positional": "positional"}


@shared.command(
    "tools",
    "specfn tools openapi.yaml --profile PROVIDER -o tools.json",
    "specfn tools openapi.yaml --profile PROVIDER --search 'refund an order' --limit 20",
)
@source.argument
@shared.profile("Write the tools as a provider accepts them.", None)
@shared.select
@click.option(
    "--search", "query", metavar="QUERY", help="Only functions that fit these words best."
)
@shared.limit("The maximum number of functions of --search; 20 by default.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Shorten the list until its estimated tokens fit.",
)
@shared.output_file
@shared.choice(
    "--format",
    "form",
    ["json", *LANGUAGES],
    "A JSON list (the default), or typed signatures for a model that writes code.",
)
@shared.choice(
    "--dialect", "dialect", ["3.0", "3.1"], "Schemas without $ref (the default), or with $defs."
)
@click.option(
    "--positional",
    is_flag=True,
    help="A list of schemas per function instead of one object schema.",
)
@shared.choice(
    "--naming",
    "naming",
    ["path", "operationId"],
    "Name functions by their paths, or by their operationIds where these are unique.",
    default="path",
)
@shared.jobs("Number of processes for a directory of documents.")
def command(spec: str, path: str | None, jobs: int | None, **options: Any) -> int:
    """Write the functions of SPEC as a JSON list, for a provider or independent of one.

    With --profile, each item is a tool in the provider's format. If there are more than it accepts in one request,
    nothing is written, and the exit code is 1.

    Without --profile, each item is {"name", "description", "parameters", "output", "method", "path"}, in the
    document's order; "output" is optional. If a function cannot be written, the exit code is not 0.
    Operations that are not functions are reported on stderr.

    With --format python or typescript, write a module with a typed signature of each function.

    If SPEC is a directory, each document below it becomes a file below -o DIRECTORY.
    """
    _check(options)
    refuse_source(spec, path)
    convert = partial(_convert, options=options)
    if os.path.isdir(spec):  # noqa: PTH112  # False for a path that is empty or too long
        from specfn.cli.each_document import each_document  # noqa: PLC0415  # for directories

        return each_document(spec, path, jobs, convert, _SUFFIXES[options["form"] or "json"])
    if jobs is not None:
        raise UsageError("--jobs needs a directory as SPEC")
    messages, is_complete = convert(spec, path)
    for message in messages:
        output.complain(message)
    return 0 if is_complete else 1


def _check(options: Mapping[str, Any]) -> None:
    """Refuse options that contradict each other, or that have no effect.

    Raises:
        UsageError: two options cannot be combined, or one needs another.
    """
    for option, field in _OF_PROFILE.items():
        if options["profile"] is not None and options[field]:
            raise UsageError(
                f"{option} and --profile cannot be combined: the profile sets it; omit {option}"
            )
    if options["limit"] is not None and options["query"] is None:
        raise UsageError("--limit needs --search QUERY")
    if options["max_tokens"] is not None and options["form"] in LANGUAGES:
        raise UsageError("--max-tokens cannot be combined with --format python or typescript")


def _convert(spec: str, path: str | None, *, options: Mapping[str, Any]) -> "Converted":
    """Write the functions of one document."""
    settings = Settings(
        keyword=not options["positional"],
        dialect=options["dialect"] or "3.0",
        naming=options["naming"],
    )
    with Progress() as progress:
        application = source.application(spec, settings, progress)
        if any(options[name] not in (None, ()) for name in _SHORTENING):
            return _shortened(application, path, options, progress)
        return _functions(application, application.functions, path, options, progress)


def _shortened(
    application: "Application", path: str | None, options: Mapping[str, Any], progress: Progress
) -> "Converted":
    """Write a part of the functions, or tools of a provider."""
    from specfn.cli.lists import cut  # noqa: PLC0415  # for these options

    found = cut.cut(application, options["globs"], options["query"], options["limit"])
    if options["profile"] is not None:
        return _tools(application, found, path, options, progress)
    budget = options["max_tokens"]
    if budget is not None:
        usable = [each for each in found.functions if each.fault is None]
        kept = {id(each) for each in fitting(usable, budget, progress)}
        if usable and not kept:
            raise _too_small(budget, len(usable))
        rest = [each for each in found.functions if id(each) in kept or each.fault is not None]
        found = found.keeping("--max-tokens", rest)
    messages, is_complete = _functions(application, found.functions, path, options, progress)
    report = found.report() if options["query"] is not None or budget is not None else ""
    return (report, *messages), is_complete


def _functions(
    application: "Application",
    functions: Sequence["Function"],
    path: str | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> "Converted":
    """Write functions independently of a provider."""
    faults = [each.fault for each in functions if each.fault is not None]
    usable = [each for each in functions if each.fault is None] if faults else functions
    form: Literal["json"] | Language = options["form"] or "json"
    with closing(written(usable, form, progress)) as pieces:
        _write(pieces, path, progress, is_json=form == "json")
    return (_left_out(application), *map(str, faults)), not faults


def _tools(
    application: "Application",
    found: "Cut",
    path: str | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> "Converted":
    """Write functions as tools of a provider."""
    from specfn.cli.lists import provider_list  # noqa: PLC0415  # for this option

    tools = provider_list.provider_tools(found, options["profile"], options["max_tokens"], progress)
    if tools.left_out and not tools.tools and all(e.code == "budget" for e in tools.left_out):
        raise _too_small(options["max_tokens"], len(tools.left_out))
    _write(provider_list.written(tools), path, progress, is_json=True)
    refused = {each.function for each in tools.left_out if each.code != "budget"}
    accepted = [each for each in found.functions if each.name not in refused]
    sent = [each.function for each in tools.tools]
    report = found.keeping("the provider", accepted).keeping("--max-tokens", sent).report()
    reasons = provider_list.refused(tools)
    messages = (report, _left_out(application), provider_list.too_large(tools), *reasons)
    return messages, not refused


def _too_small(budget: int, count: int) -> LimitError:
    """Return the error for a budget that leaves no function."""
    functions = "function" if count == 1 else "functions"
    return LimitError(
        f"--max-tokens {budget} is too small for any of {count:,} {functions}: pass a larger number"
    )


def _write(pieces: Iterable[bytes], path: str | None, progress: Progress, *, is_json: bool) -> None:
    """Write a list to a file, or to stdout; nothing if a function fails."""
    if path is not None and path != STDOUT:
        save(path, pieces)
        return
    complete = list(pieces)
    progress.close()
    (output.write_json if is_json else output.write)(complete)
    output.flush()


def _left_out(application: "Application") -> str:
    """Return a message about operations that are not functions; empty without any."""
    errors, functions = len(application.errors), len(application.functions)
    if not errors and not functions:
        return "the document has no operations"
    if not errors:
        return ""
    are = "is not a function" if errors == 1 else "are not functions"
    return f"{errors} of {errors + functions} operations {are}; specfn inspect lists the reasons"
