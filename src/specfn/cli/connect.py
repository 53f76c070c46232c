"""A ``Connection`` from command-line options and environment variables."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.url import url_without_secrets
from specfn.cli import shared_options as shared
from specfn.cli import source
from specfn.cli.logins import find_login
from specfn.errors import UsageError
from specfn.http.connection_switches import CALL_OPTIONS, CallOption

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.migrate.route import Api

#: A variable that nobody replaced: ``${NAME}``, ``${env:NAME}``, ``${input:NAME}``.
_PLACEHOLDER: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_:.-]*\}")

#: The types of security schemes that have tokens of OAuth 2.
OAUTH2_TYPES: Final = frozenset({"oauth2", "openIdConnect"})

#: The options of ``connection`` of a subcommand without them.
NOTHING: Final[Mapping[str, Any]] = dict.fromkeys(
    ("auth", "headers", "queries", "cookies", "origins"), ()
)

#: The fields of a connection with values that are sent.
_VALUES: Final = {
    "credentials": "credential",
    "headers": "header",
    "query": "query parameter",
    "cookies": "cookie",
}

#: The maximum number of servers that a message lists.
_SERVERS: Final = 5

#: The options of the transport of a connection. The download of the document uses the certificates, too.
transport: Final = shared.all_of(
    shared.file(
        "--ca", "ca", "Certificates of the authorities to trust instead of the usual ones (PEM)."
    ),
    shared.file("--cert", "cert", "Certificate of the client, perhaps with its key (PEM)."),
    shared.file("--key", "key", "Key of the client's certificate (PEM)."),
    click.option("--proxy", metavar="URL", help="Proxy for the requests to the API."),
)


def switch(row: CallOption) -> shared.Option[Any]:
    """Return the option for a switch of a connection."""
    if row.values and row.flag is None:
        return shared.choice(row.option, row.field, row.values, row.help)
    value = True if row.flag is None else row.flag
    return click.option(row.option, row.field, flag_value=value, default=None, help=row.help)


#: The switches of a connection.
switches: Final = shared.all_of(*map(switch, CALL_OPTIONS))

#: The options that ``connection`` reads.
options: Final = shared.all_of(
    shared.base_url,
    shared.origins("Another trusted origin, for operations with their own server."),
    shared.repeatable(
        "--auth",
        "auth",
        "SCHEME=VALUE",
        "A credential by security scheme; user:password for basic authentication. "
        "Better in the environment: SPECFN_AUTH_SCHEME.",
    ),
    shared.headers("Header of each request."),
    shared.queries,
    shared.cookies,
    shared.timeout("Limit of the whole call; 60 by default."),
    transport,
    switches,
)


def connection(
    api: "Api",
    given: Mapping[str, Any],
    option: str = "--base-url",
    *,
    document: str = "",
    is_checked: bool = True,
    with_logins: bool = True,
) -> "Connection":
    """Return the connection that the options describe.

    Args:
        api: the document's servers and security schemes.
        given: the options by name.
        option: name of the option for the base URL.
        document: name of the document, if there are several.
        with_logins: use the logins of the user.
        is_checked: check that no credential would be sent without https, also if the first call needs none.

    Raises:
        UsageError: an option is invalid, or a credential belongs to no declared security scheme, or must not be sent to
            the base URL; the text does not contain its value.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  # slow import

    from specfn.http.connection import Connection  # noqa: PLC0415  # slow import
    from specfn.http.request.security import require_declared, require_secure  # noqa: PLC0415  # slow import

    credentials = dict(_credentials(api, given["auth"], document))
    fields: dict[str, Any] = {
        "base_url": _base_url(api, given["base_url"], option),
        "origins": tuple(given["origins"]),
        "credentials": {
            **(dict(_logins(api, given["base_url"], credentials)) if with_logins else {}),
            **credentials,
        },
        "headers": dict(pairs("--header", given["headers"], ":")),
        "query": dict(pairs("--query", given["queries"], "=")),
        "cookies": dict(pairs("--cookie", given["cookies"], "=")),
    }
    for field, kind in _VALUES.items():
        for name, value in fields[field].items():
            if not callable(value):
                refuse_placeholder(f"{kind} {name!r}", value)
    fields["tls"] = source.tls_of(given)
    for field in ("timeout", "proxy", *(row.field for row in CALL_OPTIONS)):
        if given.get(field) is not None:
            fields[field] = given[field]
    try:
        new_connection: Connection = TypeAdapter(Connection).validate_python(fields)
    except ValidationError as error:
        raise UsageError(_message(error.errors(include_input=False, include_url=False))) from None
    try:
        require_declared(api, new_connection)
        if is_checked:
            require_secure(api, new_connection)
    except UsageError as error:
        raise UsageError(f"{document}: {error}" if document else str(error)) from None
    return new_connection


def refuse_placeholder(what: str, value: str | tuple[str, str]) -> None:
    """Refuse a value that is still the name of a variable, such as ``${TOKEN}``, so that it is not sent.

    Raises:
        UsageError: it is; the text does not contain the value.
    """
    if any(_PLACEHOLDER.search(part) for part in ((value,) if isinstance(value, str) else value)):
        raise UsageError(
            f"the {what} still contains a placeholder such as ${{NAME}}: the host or the shell that starts specfn did "
            "not replace it; set the variable where the host reads it, or pass the value itself"
        )


def _base_url(api: "Api", given: str | None, option: str) -> str:
    if given is not None:
        return given
    servers = [url_without_secrets(str(server.get("url", "/"))) for server in api.servers]
    more = f" and {len(servers) - _SERVERS} more" if len(servers) > _SERVERS else ""
    declared = (
        f"declares {', '.join(servers[:_SERVERS])}{more}" if servers else "declares no server"
    )
    raise UsageError(f"missing option {option}: the document {declared}; pass the URL of the API")


def _message(faults: Sequence[Any]) -> str:
    texts = []
    for fault in faults:
        text = fault["msg"].removeprefix("Value error, ")
        field = str(fault["loc"][0]).replace("_", "-") if fault["loc"] else ""
        texts.append(f"--{field}: {text}" if field else text)
    return "; ".join(texts)


def pairs(option: str, given: Sequence[str], separator: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an option.

    Raises:
        UsageError: a value has another form.
    """
    for text in given:
        name, sign, value = text.partition(separator)
        if not sign or not name.strip():
            raise UsageError(
                f"{option} is invalid: expected a name and a value, separated by {separator!r}"
            )
        yield name.strip(), value.strip() if separator == ":" else value


def _logins(api: "Api", base_url: str | None, others: Container[str]) -> Iterator[tuple[str, Any]]:
    """Yield the credentials of ``specfn login`` for the schemes without another credential."""
    for name, scheme in api.security_schemes.items():
        if name in others or scheme.get("type") not in OAUTH2_TYPES:
            continue
        login = find_login(base_url, name)
        if login is not None:
            yield name, login.oauth()


def _credentials(api: "Api", given: Sequence[str], document: str) -> Iterator[tuple[str, Any]]:
    """Yield the credentials of the environment, then those of the command line."""
    for name, variable in variables_of(api, document).items():
        value = os.environ.get(variable)
        if value:
            yield name, _credential(api.security_schemes.get(name, {}), value)
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(
                "--auth is invalid: expected SCHEME=VALUE; or set the environment variable SPECFN_AUTH_SCHEME"
            )
        yield name, _credential(api.security_schemes.get(name, {}), value)


def variables_of(api: "Api", document: str) -> dict[str, str]:
    """Return the environment variables of the credentials of a document, by name.

    A hidden parameter has none if its variable is that of a scheme: the credential was meant for the scheme.
    """
    prefix = f"{document}_" if document else ""
    variables = {name: shared.variable_of(prefix + name) for name in api.security_schemes}
    taken = {*variables.values()}
    for name in api.credential_names:
        if shared.variable_of(prefix + name) not in taken:
            variables[name] = shared.variable_of(prefix + name)
    return variables


def _credential(scheme: Mapping[str, Any], value: str) -> Any:
    """Return a credential for its scheme: user and password for basic authentication."""
    is_basic = scheme.get("type") == "http" and str(scheme.get("scheme", "")).lower() == "basic"
    user, _, password = value.partition(":")
    return (user, password) if is_basic else value
