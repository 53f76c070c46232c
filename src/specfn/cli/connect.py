"""Where a call goes and as whom: options of the command line, and the environment, as a ``Connection``."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from specfn._url import shown
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.migrate.route import Api

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: How the variable of a scheme's credential begins.
_PREFIX: Final = "SPECFN_AUTH_"

_OPTIONS: Final = (
    click.option(
        "--base-url", metavar="URL", help="Where the API is: origin and base path, e.g. https://host/v1."
    ),
    click.option(
        "--origin", "origins", metavar="URL", multiple=True,
        help="A further origin that an operation's own server may have.",
    ),
    click.option(
        "--auth", metavar="SCHEME=VALUE", multiple=True,
        help="A credential by security scheme; user:password for basic authentication. "
        "Better in the environment: SPECFN_AUTH_SCHEME.",
    ),
    click.option("--header", "headers", metavar="'NAME: VALUE'", multiple=True, help="Sent with the request."),
    click.option("--query", "queries", metavar="NAME=VALUE", multiple=True, help="Likewise."),
    click.option("--cookie", "cookies", metavar="NAME=VALUE", multiple=True, help="Likewise."),
    click.option(
        "--timeout", metavar="SECONDS", type=click.FloatRange(0, min_open=True),
        help="For the whole call; 60 by default.",
    ),
)  # fmt: skip


def options(command: _Command) -> _Command:
    """The options that ``connection`` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def connection(api: "Api", given: Mapping[str, Any], option: str = "--base-url") -> "Connection":
    """The connection that the options describe.

    Args:
        api: the document's servers and security schemes.
        given: the options by name.
        option: what the option is called that says where the API is.

    Raises:
        UsageError: an option is not what it must be; its value is not shown.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  # a dry word on usage comes before it

    from specfn.http.connection import Connection  # noqa: PLC0415  # likewise

    fields: dict[str, Any] = {
        "base_url": _base_url(api, given["base_url"], option),
        "origins": tuple(given["origins"]),
        "credentials": dict(_credentials(api, given["auth"])),
        "headers": dict(_pairs("--header", given["headers"], ":")),
        "query": dict(_pairs("--query", given["queries"], "=")),
        "cookies": dict(_pairs("--cookie", given["cookies"], "=")),
    }
    if given["timeout"] is not None:
        fields["timeout"] = given["timeout"]
    try:
        return TypeAdapter(Connection).validate_python(fields)
    except ValidationError as error:
        raise UsageError(_told(error.errors(include_input=False, include_url=False))) from None


def _base_url(api: "Api", given: str | None, option: str) -> str:
    if given is not None:
        return given
    servers = ", ".join(shown(str(server.get("url", "/"))) for server in api.servers[:5])
    hint = f"; the document names {servers}" if servers else ""
    raise UsageError(f"{option} says where the API is{hint}")


def _told(faults: Sequence[Any]) -> str:
    return "; ".join(
        f"--{str(fault['loc'][0]).replace('_', '-')}: {fault['msg'].removeprefix('Value error, ')}"
        for fault in faults
    )


def _pairs(option: str, given: Sequence[str], separator: str) -> Iterator[tuple[str, str]]:
    for each in given:
        name, found, value = each.partition(separator)
        if not found or not name.strip():
            raise UsageError(f"{option} takes a name and a value with {separator!r} between them")
        yield name.strip(), value.strip() if separator == ":" else value


def _credentials(api: "Api", given: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The credentials of the environment, and over them those of the command line."""
    for name, scheme in api.security_schemes.items():
        value = os.environ.get(variable_of(name))
        if value:
            yield name, _credential(scheme, value)
    for each in given:
        name, found, value = each.partition("=")
        if not found:
            raise UsageError(f"--auth takes SCHEME=VALUE; or set {variable_of(name)} instead")
        yield name, _credential(api.security_schemes.get(name, {}), value)


def variable_of(scheme: str) -> str:
    """The environment variable that holds a scheme's credential."""
    return _PREFIX + re.sub(r"[^A-Z0-9]", "_", scheme.upper())


def _credential(scheme: Mapping[str, Any], value: str) -> Any:
    """A credential as its scheme takes it: user and password for basic authentication."""
    is_basic = scheme.get("type") == "http" and str(scheme.get("scheme", "")).lower() == "basic"
    user, _, password = value.partition(":")
    return (user, password) if is_basic else value
