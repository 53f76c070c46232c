"""The subcommand ``specfn login``: obtain the tokens of a user for later calls."""

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.did_you_mean import ask_or_list
from specfn.cli import connect, logins, output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.cli.terminal import is_terminal
from specfn.errors import UsageError
from specfn.http.connection_switches import BY_FIELD
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.migrate.route import Api

#: The names of flows in OpenAPI, which importing their module would make slow.
_FLOWS: Final = ("authorizationCode", "deviceAuthorization", "clientCredentials", "password")

#: The maximum number of bytes of a pasted URL.
_MAX_PASTED_BYTES: Final = 16_384


@shared.command(
    "login",
    "specfn login openapi.yaml --base-url https://shop.example.com --client-id my-program",
    "specfn login openapi.yaml --base-url https://shop.example.com --client-id my-program --no-browser",
)
@source.argument
@shared.base_url
@click.option(
    "--scheme", metavar="NAME", help="The security scheme, if the document declares several."
)
@click.option("--client-id", metavar="ID", help="The client that the authorization server knows.")
@click.option(
    "--client-secret-env",
    metavar="NAME",
    help="Environment variable with the secret of the client.",
)
@shared.choice(
    "--flow", "flow", _FLOWS, "The flow; the first that the document declares by default."
)
@shared.repeatable(
    "--scope", "scopes", "SCOPE", "A scope to ask for; those of all functions by default."
)
@shared.repeatable(
    "--token-origin",
    "token_origins",
    "URL",
    "Origin of the authorization server, if it is not that of the API.",
)
@click.option(
    "--user", metavar="NAME", help="The user of the flow password; the password is asked for."
)
@click.option(
    "--no-browser",
    is_flag=True,
    help="Only print the URL, to open it elsewhere; then paste the URL to which the browser was sent.",
)
@shared.port("The port to which the browser returns; a free one by default.")
@connect.switch(BY_FIELD["allow_insecure"])
@connect.transport
def command(spec: str, **options: Any) -> int:
    """Log in to the API of SPEC by OAuth 2; later calls use the tokens, and renew them.

    The user logs in in the browser, or with a code on another device. The tokens are in a private file among the
    user's data, or in the keyring if the package keyring is installed.
    """
    with Progress() as progress:
        application = source.application(spec, DEFAULT, progress)
    if not application.functions:
        raise UsageError("the document has no functions; specfn inspect lists the reasons")
    api = application.functions[0].api
    scheme = _scheme(api, options["scheme"])
    connection = connect.connection(api, {**connect.NOTHING, **options}, with_logins=False)
    login = _login(connection.base_url or "", scheme, options)
    password = None
    if login.user is not None:
        password = click.prompt(f"Password of {login.user}", hide_input=True, err=True)
    place = logins.prepare(login)
    ended = _log_in(application, connection, login, password, options)
    if ended is None:
        output.complain("not logged in: the origin was not confirmed")
        return EXIT_FAILURE
    logins.keep(ended)
    output.complain(f"logged in for {scheme} of {ended.base_url}; the tokens are in {place}")
    return EXIT_SUCCESS


def _scheme(api: "Api", given: str | None) -> str:
    """Return the name of the security scheme to log in for.

    Raises:
        UsageError: the document declares no such scheme, or several of which none was chosen.
    """
    known = [
        name
        for name, node in api.security_schemes.items()
        if node.get("type") in connect.OAUTH2_TYPES
    ]
    if not known:
        raise UsageError(
            "the document declares no security scheme of OAuth 2: pass credentials with --auth"
        )
    if given is not None and given not in known:
        raise UsageError(
            f"--scheme {given!r} is not a security scheme of OAuth 2{ask_or_list(given, known)}"
        )
    if given is None and len(known) > 1:
        raise UsageError(f"the document declares several: pass --scheme, one of {', '.join(known)}")
    return given or known[0]


def _login(base_url: str, scheme: str, options: dict[str, Any]) -> logins.Login:
    """Return the login that the options describe; without a client, that of the last login."""
    try:
        before = logins.find_login(base_url, scheme)
    except UsageError:  # the new login replaces it
        before = None
    client, secret = options["client_id"], None
    if options["client_secret_env"]:
        secret = os.environ.get(options["client_secret_env"])
        if not secret:
            raise UsageError(
                f"--client-secret-env: the environment variable {options['client_secret_env']} is not set"
            )
    if client is None and before is None and options["user"] is None:
        raise UsageError(
            "missing option --client-id: the name under which the authorization server knows this client"
        )
    if before is None or client is not None or options["user"] is not None:
        before = logins.Login(base_url=base_url, scheme=scheme, client_id=client or "")
    new = {
        "client_secret": secret,
        "flow": options["flow"] or (options["user"] and "password"),
        "scopes": options["scopes"],
        "token_origins": options["token_origins"],
        "user": options["user"],
    }
    return replace(before, **{name: value for name, value in new.items() if value})


def _log_in(
    application: "Application",
    connection: Any,
    login: logins.Login,
    password: str | None,
    options: dict[str, Any],
) -> logins.Login | None:
    """Log in, and return the login with the origins that the user confirmed; ``None`` if the user did not."""
    from specfn.http.transport.oauth2_grants import UntrustedOriginError  # noqa: PLC0415  # httpx

    while True:
        oauth = login.oauth(password)
        own = connection.model_copy(update={"credentials": {login.scheme: oauth}})
        try:
            oauth.login(
                application,
                own,
                show=output.complain,
                browser=not options["no_browser"],
                paste=_paste if options["no_browser"] and is_terminal(sys.stdin) else None,
                port=options["port"],
            )
        except UntrustedOriginError as error:
            if not is_terminal(sys.stdin):
                raise
            output.complain(
                f"{error.endpoint} has the origin {error.origin}, which is not that of the API. Whoever wrote the document "
                "chose it. It receives the secret of the client and your tokens"
            )
            if not click.confirm(f"Is {error.origin} where you log in for this API?", err=True):
                return None
            login = replace(login, token_origins=(*login.token_origins, error.origin))
        else:
            return login


def _paste() -> str:
    """Return a line of the terminal. ``input`` would keep its lock when the command ends without one."""
    return os.read(sys.stdin.fileno(), _MAX_PASTED_BYTES).decode(errors="replace")
