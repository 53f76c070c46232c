"""Options that several subcommands have, the class of the subcommands, and completion in a shell."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from specfn._internal.did_you_mean import ask_if_meant
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _TextType = click.ParamType[str]
else:
    _TextType = click.ParamType  # generic since click 8.3

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: A decorator that adds an option to a subcommand.
Option: TypeAlias = Callable[[_Command], _Command]


def all_of(*options: Option[Any]) -> Option[Any]:
    """Return a decorator that adds options to a subcommand, in their order in its help."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def used_options(fields: Iterable[str]) -> list[str]:
    """Return the names of those options of the subcommand that the command line passes, in the order of ``fields``."""
    context = click.get_current_context()
    names = {parameter.name: parameter.opts[-1] for parameter in context.command.params}
    used = (field for field in fields if is_passed(context, field))
    return [names[field] for field in used]


def is_passed(context: click.Context, field: str) -> bool:
    """Return whether the command line passes an option."""
    return context.get_parameter_source(field) is ParameterSource.COMMANDLINE


#: A hyphen at which no line ends (U+2011).
_HYPHEN: Final = "\u2011"


#: Prefix of environment variables with credentials.
PREFIX: Final = "SPECFN_AUTH_"


def variable_of(scheme: str) -> str:
    """Return the name of the environment variable with a scheme's credential."""
    return PREFIX + re.sub(r"[^A-Z0-9]", "_", scheme.upper())


class Command(click.Command):
    """A subcommand with examples in its help.

    Attributes:
        examples: command lines; ``PROVIDER`` in them is replaced by the name of a profile.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        """Create a subcommand from the arguments of ``click.Command``."""
        super().__init__(*args, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Each error names the subcommand."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            from specfn.document.upgrade.openapi3 import METHODS  # noqa: PLC0415  # for errors only

            for method, path in pairwise(given):
                is_operation = method.lower() in METHODS and path.startswith("/")
                if is_operation and "extra argument" in error.message:
                    reason = f"write '{method} {path}' in quotes: it is one name"
                    raise click.UsageError(reason, error.ctx) from None
            raise

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, in which no value is broken at a hyphen."""
        return super().get_help(ctx).replace(_HYPHEN, "-")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples; a long one is continued before its options."""
        super().format_epilog(ctx, formatter)
        from specfn.connectors.registry import DEFAULT  # noqa: PLC0415  # for help only

        formatter.write_paragraph()
        formatter.write("Examples:\n")
        for example in self.examples:
            shown = example.replace("PROVIDER", DEFAULT)
            if len(shown) + 2 > formatter.width:
                shown = shown.replace(" --", " \\\n    --")
            formatter.write(f"  {shown}\n")


def command(name: str, *examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Return the decorator for a subcommand with examples."""
    return click.command(name=name, cls=Command, examples=examples)


# -- values ----------------------------------------------------------------------------------------


class Values(_TextType):
    """A value of a list. The list is read when a value is checked, completed or shown."""

    name = "value"

    def __init__(
        self,
        values: Callable[[], Sequence[str]],
        ask: Callable[[str, Collection[str]], str] = ask_if_meant,
    ) -> None:
        """Store the function that returns the values, and the one that asks for the meant one."""
        self.values, self.ask = values, ask

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, or report the closest ones."""
        values = self.values()
        if value not in values:
            known = ", ".join(values)
            self.fail(f"{value!r} is not one of {known}{self.ask(str(value), values)}", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002  # the signature of click
        param: click.Parameter,  # noqa: ARG002  # the signature of click
        incomplete: str,
    ) -> "list[CompletionItem]":
        """Return the values that begin with a text."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415  # for completion only

        return [CompletionItem(value) for value in self.values() if value.startswith(incomplete)]


class _ListedOption(click.Option):
    """An option whose help lists the values."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names and the help."""
        assert isinstance(self.type, Values)
        listed = copy(self)
        values = ", ".join(self.type.values()).replace("-", _HYPHEN)
        listed.help = f"{self.help} One of {values}."
        return super(_ListedOption, listed).get_help_record(ctx)


def choice(name: str, field: str, values: Sequence[str], text: str, **settings: Any) -> Option[Any]:
    """Return an option with a short list of values, which its help shows next to its name."""
    shown = f"[{'|'.join(values)}]"
    kind = Values(lambda: values)
    return click.option(
        name, field, type=kind, show_default=True, metavar=shown, help=text, **settings
    )


def long_choice(
    name: str, field: str, values: Callable[[], Sequence[str]], text: str, default: str | None
) -> Option[Any]:
    """Return an option with a long list of values, which is read on first use."""
    return click.option(
        name,
        field,
        cls=_ListedOption,
        type=Values(values, _ask_for_vendor),
        default=default,
        show_default=True,
        metavar="NAME",
        help=text,
    )


def profile(text: str, default: str | None = "portable") -> Option[Any]:
    """Return the option for the profile of a provider."""
    return long_choice("--profile", "profile", _profiles, text, default)


responses = click.option(
    "--responses",
    is_flag=True,
    help="Also compare responses: a change that clients of OLD cannot read is breaking.",
)


def _ask_for_vendor(word: str, names: Collection[str]) -> str:
    from specfn.connectors.registry import ask_for_vendor  # noqa: PLC0415  # for errors only

    return ask_for_vendor(word, names)


def _profiles() -> Sequence[str]:
    from specfn.connectors.registry import NAMES  # noqa: PLC0415  # not for options without profiles

    return NAMES


# -- completion in a shell -------------------------------------------------------------------------

#: The maximum number of names that completion returns to a shell.
_MAX_COMPLETIONS: Final = 500


def complete_files(
    _: "click.Context", __: "click.Parameter", incomplete: str
) -> "list[CompletionItem]":
    """Let the shell complete the path of a file."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # for completion only

    return [CompletionItem(incomplete, type="file")]


def complete_functions(
    context: "click.Context", _: "click.Parameter", incomplete: str
) -> "list[CompletionItem]":
    """Return the functions of the document of the command line. A URL is not fetched, and stdin is not read."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # for completion only

    spec = _first_file(context)
    if spec is None:
        return []
    try:
        names = _matching_names(spec, incomplete)
    except Exception:  # noqa: BLE001  # an invalid document has no functions; a shell shows no errors
        return []
    return [CompletionItem(name) for name in names]


def _first_file(context: "click.Context") -> str | None:
    """Return the first file of the command line; ``None`` if there is no file.

    Arguments before an option without its value are not parsed yet.
    """
    parsed = (context.params.get("spec"), *(context.params.get("specs") or ()))
    words = [word for word in (*parsed, *context.args) if isinstance(word, str)]
    return next((word for word in words if Path(word).is_file()), None)


def _matching_names(spec: str, incomplete: str) -> list[str]:
    """Return the names that begin with a text; or the other names without invisible characters that do."""
    from specfn.api import convert  # noqa: PLC0415  # for completion only
    from specfn.function.naming import handles  # noqa: PLC0415  # for completion only

    functions = convert(spec, DEFAULT).functions
    names = [f.name for f in functions if f.name.startswith(incomplete)]
    others = (name for f in functions for name in handles(f) if name.startswith(incomplete))
    return (names or [name for name in others if name.isprintable()])[:_MAX_COMPLETIONS]


# -- options ---------------------------------------------------------------------------------------


def repeatable(name: str, field: str, metavar: str, text: str, **settings: Any) -> Option[Any]:
    """Return an option that may be passed several times."""
    return click.option(name, field, metavar=metavar, multiple=True, help=text, **settings)


def as_json(text: str = "JSON instead of text.") -> Option[Any]:
    """Return the option for output as JSON."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def jobs(text: str) -> Option[Any]:
    """Return the option for a number of processes."""
    return click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help=text)


def file(name: str, field: str, text: str, **settings: Any) -> Option[Any]:
    """Return an option for the path of a file."""
    return click.option(
        name, field, metavar="FILE", help=text, shell_complete=complete_files, **settings
    )


#: The argument for the name of a function.
function_name: Final = click.argument("name", shell_complete=complete_functions)

output_file: Final = click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE",
    help="Write to FILE atomically.",
    shell_complete=complete_files,
)

select: Final = repeatable(
    "--select",
    "globs",
    "GLOB",
    "Only functions whose name, accessor, operationId, METHOD /path, path or tag matches.",
    shell_complete=complete_functions,
)


def limit(text: str, default: int | None = None) -> Option[Any]:
    """Return the option for the maximum number of results of a search."""
    return click.option(
        "--limit",
        type=click.IntRange(1),
        metavar="N",
        default=default,
        show_default=True,
        help=text,
    )


base_url: Final = click.option(
    "--base-url", metavar="URL", help="URL of the API: origin and base path, e.g. https://host/v1."
)


def port(text: str) -> Option[Any]:
    """Return the option for a port of this machine."""
    kind = click.IntRange(0, 65_535)
    return click.option("--port", metavar="N", type=kind, default=0, help=text)


yes: Final = click.option(
    "-y", "--yes", is_flag=True, help="Send unsafe requests without confirmation."
)

queries: Final = repeatable("--query", "queries", "NAME=VALUE", "Query parameter of each request.")
cookies: Final = repeatable("--cookie", "cookies", "NAME=VALUE", "Cookie of each request.")


def headers(text: str) -> Option[Any]:
    """Return the option for headers."""
    return click.option(
        "-H", "--header", "headers", metavar="'NAME: VALUE'", multiple=True, help=text
    )


def origins(text: str) -> Option[Any]:
    """Return the option for trusted origins."""
    return repeatable("--origin", "origins", "URL", text)


answer_limit: Final = click.option(
    "--answer-limit",
    type=click.IntRange(200),
    metavar="N",
    help=f"The maximum number of characters of a response that a model reads; {DEFAULT.answer_limit:,} by default.",
)


class _Seconds(click.FloatRange):
    """A positive number of seconds. ``nan`` and ``inf`` are invalid."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of seconds, or report that the value is invalid."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return number


def timeout(text: str) -> Option[Any]:
    """Return the option for a time limit in seconds."""
    return click.option("--timeout", metavar="SECONDS", type=_Seconds(0, min_open=True), help=text)
