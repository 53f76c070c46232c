"""The subcommand ``specfn tools``: functions as tools of a provider, as JSON, or as typed signatures."""

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.json import dumps
from specfn.cli import output, source
from specfn.cli import shared_options as shared
from specfn.cli.progress import Progress
from specfn.cli.save import refuse_source, write_result
from specfn.cli.select import select_functions
from specfn.document.diagnose.check import diagnose_operation
from specfn.errors import LimitError, UsageError
from specfn.function.description import within
from specfn.settings import LANGUAGES, Settings
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.token_estimate import beyond_budget, estimate
from specfn.tools.tool import MANY_TOKENS
from specfn.tools.tool_description import listed_description

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.cli.each_document import Converted
    from specfn.function.function import Function
    from specfn.schema.profiles.profile import Profile
    from specfn.tools.tool import LeftOut, Tools

#: The suffixes of files for a directory of documents, by format.
_SUFFIXES: Final = {"json": ".json", "python": ".py", "typescript": ".ts"}

#: The options that shorten a list.
_SHORTER: Final = "--select, --search or --max-tokens"

#: The maximum number of functions of a search without ``--limit``, and of names in a message.
_MAX_SEARCHED: Final = 20
_MAX_NAMES: Final = 5

#: The fields of the options that a profile decides.
_OF_PROFILE: Final = ("form", "dialect", "positional")


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
    document's order; "output" is optional. Operations that are not functions are reported on stderr. If a function
    cannot be written, or no operation is a function, the exit code is not 0.

    With --format python or typescript, write a module with a typed signature of each function.

    If SPEC is a directory, each document below it becomes a file below -o DIRECTORY.
    """
    _check(options)
    refuse_source(spec, path)
    convert = partial(_convert, options=options, given=source.given())  # for other processes, too
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
    for option in shared.used_options(_OF_PROFILE) if options["profile"] is not None else ():
        raise UsageError(
            f"{option} and --profile cannot be combined: the profile sets it; omit {option}"
        )
    if options["limit"] is not None and options["query"] is None:
        raise UsageError("--limit needs --search QUERY")
    if options["max_tokens"] is not None and options["form"] in LANGUAGES:
        raise UsageError("--max-tokens cannot be combined with --format python or typescript")


def _convert(
    spec: str, path: str | None, *, options: Mapping[str, Any], given: source.DocumentOptions
) -> "Converted":
    """Write the functions of one document."""
    settings = Settings(
        keyword=not options["positional"],
        dialect=options["dialect"] or "3.0",
        naming=options["naming"],
    )
    with Progress() as progress:
        application = source.application(spec, settings, progress, options=given)
        shortlist = _choose(application, options)
        write = _write_functions if options["profile"] is None else _write_provider_tools
        messages, is_complete = write(shortlist, path, options, progress)
        has_only_errors = bool(application.errors) and not application.functions
        return messages, is_complete and not has_only_errors


# -- which functions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shortlist:
    """The functions to write.

    Attributes:
        application: all functions of the document.
        functions: in the document's order; with a search, best first.
        left_out: the functions that each option leaves out, by the option.
    """

    application: "Application"
    functions: "Sequence[Function]"
    left_out: Mapping[str, "Sequence[Function]"] = field(default_factory=dict)

    def keep(self, option: str, functions: "Sequence[Function]") -> "_Shortlist":
        """Return some of the functions, in a new order; the option leaves out the others."""
        kept = {id(function) for function in functions}
        others = [function for function in self.functions if id(function) not in kept]
        return replace(self, functions=functions, left_out={**self.left_out, option: others})

    def report(self) -> str:
        """Return a message about the functions that are left out; empty if all are written."""
        parts = [
            f"{len(functions):,} by {option} ({_first_names([f.name for f in functions])})"
            for option, functions in self.left_out.items()
            if functions
        ]
        if not parts:
            return ""
        counts = f"{len(self.functions):,} of {len(self.application.functions):,}"
        return f"{counts} functions are written; left out: {', '.join(parts)}"


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")


def _choose(application: "Application", options: Mapping[str, Any]) -> _Shortlist:
    """Return the functions that the options select; without such options, all functions.

    Raises:
        UsageError: a glob or the query matches no function.
    """
    globs, query = options["globs"], options["query"]
    shortlist = _Shortlist(application, application.functions)
    if globs:
        shortlist = shortlist.keep("--select", select_functions(application, globs))
    if query is not None:
        limit = options["limit"] or _MAX_SEARCHED
        select = shortlist.functions if globs else None
        hits = application.search(query, limit, select=select)
        if shortlist.functions and not hits:
            raise UsageError(
                f"--search {query!r} matches no function; use other words, or see specfn inspect"
            )
        shortlist = shortlist.keep("--search", [hit.function for hit in hits])
    return shortlist


def _messages(application: "Application") -> tuple[str, str]:
    """Return the messages about the operations of the document; an empty text without a reason."""
    return _excluded_operations(application), _faulty_operations(application)


def _excluded_operations(application: "Application") -> str:
    """Return a message about operations that are not functions; empty if there are none."""
    errors, functions = len(application.errors), len(application.functions)
    if not errors and not functions:
        return "the document has no operations"
    if not errors:
        return ""
    are = "is not a function" if errors == 1 else "are not functions"
    return f"{errors} of {errors + functions} operations {are}; specfn inspect lists the reasons"


def _faulty_operations(application: "Application") -> str:
    """Return a message about the functions whose operations OpenAPI refuses; empty if there are none."""
    functions = application.functions
    count = sum(
        bool(diagnose_operation(function.api.version, function.route.raw, function.route.pointer))
        for function in functions
    )
    if not count:
        return ""
    have = "operation has" if len(functions) == 1 else "operations have"
    return f"{count:,} of {len(functions):,} {have} faults; see specfn check"


def _budget_error(budget: int, count: int) -> LimitError:
    """Return the error for a budget that leaves no function."""
    functions = "function" if count == 1 else "functions"
    return LimitError(
        f"--max-tokens {budget} is too small for any of {count:,} {functions}: pass a larger number"
    )


# -- a list that is independent of a provider -----------------------------------------------------


def _write_functions(
    shortlist: _Shortlist, path: str | None, options: Mapping[str, Any], progress: Progress
) -> "Converted":
    """Write functions as JSON or as typed signatures."""
    budget = options["max_tokens"]
    if budget is not None:
        faultless = [function for function in shortlist.functions if function.fault is None]
        kept = {id(function) for function in _fit(faultless, budget, progress)}
        if faultless and not kept:
            raise _budget_error(budget, len(faultless))
        rest = [f for f in shortlist.functions if id(f) in kept or f.fault is not None]
        shortlist = shortlist.keep("--max-tokens", rest)
    functions = shortlist.functions
    faults = [function.fault for function in functions if function.fault is not None]
    usable = [function for function in functions if function.fault is None] if faults else functions
    if options["form"] in LANGUAGES:
        from specfn.function.signatures.signatures import signatures  # noqa: PLC0415  # 8 ms, rarely needed

        write_result((signatures(usable, options["form"]).encode(),), path, progress)
    else:
        with closing(_json_list(usable, progress)) as pieces:
            write_result(pieces, path, progress, is_json=True)
    report = shortlist.report() if options["query"] is not None or budget is not None else ""
    messages = (report, *_messages(shortlist.application), *map(str, faults))
    return messages, not faults


def _fit(functions: Sequence["Function"], budget: int, progress: Progress) -> "Sequence[Function]":
    """Return the functions whose JSON fits a budget of tokens; the last ones are left out first."""
    tokens = []
    for count, function in enumerate(functions):
        tokens.append(estimate(len(_json(function))))
        progress.count_functions(count, len(functions))
    dropped = beyond_budget(tokens, [function.deprecated for function in functions], budget)
    return [function for place, function in enumerate(functions) if place not in dropped]


def _json_list(functions: Sequence["Function"], progress: Progress) -> Generator[bytes]:
    """Yield a JSON list with one function per line."""
    if functions:
        yield b"["
        for count, function in enumerate(functions, start=1):
            yield (b"\n" if count == 1 else b",\n") + _json(function)
            progress.count_functions(count, len(functions))
        yield b"\n]\n"
    else:
        yield b"[]\n"


def _json(function: "Function") -> bytes:
    """Return a function as one line of printable JSON."""
    schemas = function.schemas
    parameters, result = schemas.compose(), schemas.output_json()
    head = {"name": function.name, "description": _description(function, parameters)}
    pieces = [dumps(head)[:-1], b',"parameters":', dumps(parameters)]
    if result is not None:
        pieces += (b',"output":', result)
    pieces += (b",", dumps({"method": function.method, "path": function.path})[1:])
    return b"".join(map(output.json_printable, pieces))


def _description(function: "Function", parameters: Any) -> str:
    """Return the description without facts that the parameters contain (rule F3)."""
    schemas = function.schemas
    if not schemas.settings.keyword:
        names = (key for key, _ in schemas.keys)
        parameters = {"properties": dict(zip(names, parameters, strict=True))}
    text = listed_description(function.full_description, parameters)
    return within(text, schemas.settings.description_limit)


# -- a list for a provider ------------------------------------------------------------------------


def _write_provider_tools(
    shortlist: _Shortlist, path: str | None, options: Mapping[str, Any], progress: Progress
) -> "Converted":
    """Write functions as tools of a provider. Schemas are truncated to a budget of tokens, then functions left out.

    Raises:
        LimitError: there are more tools than the provider accepts in one request.
    """
    from specfn.connectors import registry  # noqa: PLC0415  # for this option
    from specfn.tools.fit_cache import FitCache  # noqa: PLC0415  # for this option
    from specfn.tools.tool_builder import build_tools  # noqa: PLC0415  # for this option

    profile, budget = registry.profile(options["profile"]), options["max_tokens"]
    functions = shortlist.functions
    if budget is None:
        _check_count(len(functions), profile)
    tools = build_tools(
        [AdvertisedFunction(name=function.name, function=function) for function in functions],
        replace(profile, tools=None),
        fits=FitCache(),
        budget_tokens=budget,
        progress=progress.count_functions,
    )
    _check_count(len(tools.tools), profile)
    if tools.left_out and not tools.tools and all(e.code == "budget" for e in tools.left_out):
        raise _budget_error(budget, len(tools.left_out))
    write_result(_provider_json(tools), path, progress, is_json=True)
    refusals = [item for item in tools.left_out if item.code != "budget"]
    refused = {item.function for item in refusals}
    accepted = [function for function in functions if function.name not in refused]
    sent = [tool.function for tool in tools.tools]
    report = shortlist.keep("the provider", accepted).keep("--max-tokens", sent).report()
    others = *_messages(shortlist.application), _size_warning(tools)
    return (report, *others, *_reasons(profile.name, refusals)), not refused


def _check_count(count: int, profile: "Profile") -> None:
    if profile.tools is not None and count > profile.tools:
        raise LimitError(
            f"{count:,} functions are more than the {profile.tools:,} tools that {profile.name} accepts in one "
            f"request; choose fewer with {_SHORTER}"
        )


def _provider_json(tools: "Tools") -> Iterator[bytes]:
    """Yield a list as JSON, with one tool per line."""
    if not tools.entries:
        yield b"[]\n"
        return
    group = tools.profile.group
    yield b"[" if group is None else b"[\n{" + dumps(group) + b":["
    for count, entry in enumerate(tools.entries):
        yield (b",\n" if count else b"\n") + output.json_printable(dumps(entry))
    yield b"\n]\n" if group is None else b"\n]}\n]\n"


def _reasons(provider: str, refusals: Sequence["LeftOut"]) -> Iterator[str]:
    """Yield a message for each reason why the provider refuses functions."""
    names: dict[str, list[str]] = {}
    for item in sorted(refusals, key=lambda item: item.reason):
        names.setdefault(item.reason, []).append(item.function)
    for reason, functions in names.items():
        yield f"{provider} refuses {len(functions):,} functions ({_first_names(functions)}): {reason}"


def _size_warning(tools: "Tools") -> str:
    """Return a warning about a list that is too large for most models; empty for any other list."""
    if tools.tokens <= MANY_TOKENS:
        return ""
    return (
        f"the list has about {tools.tokens:,} tokens; most models choose badly above {MANY_TOKENS:,}: "
        f"cut it by {_SHORTER}"
    )
