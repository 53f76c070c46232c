"""Options that several subcommands have."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: A decorator that adds an option to a subcommand.
Option: TypeAlias = Callable[[_Command], _Command]


def repeated(name: str, field: str, metavar: str, text: str) -> Option[Any]:
    """Return an option that may be passed several times."""
    return click.option(name, field, metavar=metavar, multiple=True, help=text)


def choice(name: str, field: str, values: Sequence[str], text: str) -> Option[Any]:
    """Return an option with a list of values; the first one is the default."""
    return click.option(
        name, field, type=click.Choice(values), default=values[0], show_default=True, help=text
    )


def profile(text: str) -> Option[Any]:
    """Return the option for the profile of a provider."""
    return click.option(
        "--profile", default="portable", show_default=True, metavar="NAME", help=text
    )


def as_json(text: str = "JSON instead of text.") -> Option[Any]:
    """Return the option for output as JSON."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def jobs(text: str) -> Option[Any]:
    """Return the option for a number of processes."""
    return click.option("-j", "--jobs", type=click.IntRange(1), help=text)


output_file: Final = click.option(
    "-o", "--output", "path", metavar="FILE", help="Write to FILE, completely or not at all."
)

select: Final = repeated(
    "--select",
    "globs",
    "GLOB",
    "Only functions whose name, accessor, operationId, METHOD /path, path or tag matches.",
)

queries: Final = repeated("--query", "queries", "NAME=VALUE", "Likewise.")
cookies: Final = repeated("--cookie", "cookies", "NAME=VALUE", "Likewise.")


def headers(text: str) -> Option[Any]:
    """Return the option for headers."""
    return repeated("--header", "headers", "'NAME: VALUE'", text)


def origins(text: str) -> Option[Any]:
    """Return the option for trusted origins."""
    return repeated("--origin", "origins", "URL", text)


def timeout(text: str) -> Option[Any]:
    """Return the option for a time limit in seconds."""
    return click.option(
        "--timeout", metavar="SECONDS", type=click.FloatRange(0, min_open=True), help=text
    )
