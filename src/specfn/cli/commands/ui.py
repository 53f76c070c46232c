"""The subcommand ``specfn ui``: the inspector as a page in a browser."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from specfn._internal.caller_arguments import require_extra
from specfn.cli import connect, output, source
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_INTERRUPTED, EXIT_SUCCESS
from specfn.cli.progress import Progress
from specfn.errors import UsageError
from specfn.http.connection_switches import BY_FIELD
from specfn.human import READY
from specfn.settings import DEFAULT

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.http.connection import Connection

_HOST: Final = "127.0.0.1"


@shared.command(
    "ui",
    "specfn ui openapi.yaml --open",
    "specfn ui openapi.yaml --base-url https://shop.example.com --compare old.yaml",
)
@source.argument
@connect.options
@shared.port("The port; a free one by default.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@shared.profile("Profile of the provider that is selected first.")
@shared.choice(
    "--separate",
    "separated",
    sorted(READY),
    "Show a form for values that a human fills in.",
    multiple=True,
)
@shared.file("--compare", "old", "Show the differences from the version in FILE.")
@shared.responses
def command(
    spec: str,
    *,
    port: int,
    opens: bool,
    profile: str,
    separated: Sequence[str],
    old: str | None,
    responses: bool,
    **given: Any,
) -> int:
    """Show SPEC in a browser: the schemas that a model reads, the enforced schemas, and a form for calls.

    Without --base-url, calls are checked but not sent. With it, a call that changes data needs a confirmation.
    The server listens on this machine only. Its URL contains a secret token.
    """
    require_extra("the inspector", "ui", "starlette", "uvicorn")
    if old == spec == source.STDIN:
        raise UsageError("stdin cannot be both documents: pass a path or a URL for one of them")
    if responses and old is None:
        raise UsageError("--responses needs --compare FILE")
    from specfn.http_server import listen  # noqa: PLC0415  # not for the list of commands

    with listen.bind_socket(_HOST, port, f"--port {port}") as bound:
        with Progress() as progress:
            settings = DEFAULT._replace(separate=tuple(separated) or None)
            application = source.application(spec, settings, progress)
            before = None if old is None else source.version("--compare", old, progress)
        connection = _connection(application, given)
        with listen.gc_while_serving():
            interrupted = _serve(
                bound, application, connection, profile, before, opens=opens, responses=responses
            )
    return EXIT_INTERRUPTED if interrupted else EXIT_SUCCESS


def _connection(application: "Application", given: dict[str, Any]) -> "Connection | None":
    """Return the connection; ``None`` if there is no base URL.

    Raises:
        UsageError: there are options of a connection without a base URL.
    """
    if given["base_url"] is None:
        for option in shared.used_options((*connect.NOTHING, *BY_FIELD)):
            raise UsageError(f"{option} needs --base-url URL")
        return None
    api = application.functions[0].api if application.functions else None
    if api is None:
        raise UsageError("the document has no functions, so no call can be sent: omit --base-url")
    return connect.connection(api, given)


def _serve(  # the parts of the command
    bound: Any,
    application: "Application",
    connection: "Connection | None",
    profile: str,
    before: "Application | None",
    *,
    opens: bool,
    responses: bool,
) -> bool:
    """Serve the page until a signal arrives; return whether it was an interrupt."""
    from secrets import token_urlsafe  # noqa: PLC0415  # only where it is needed

    from specfn.http_server import listen  # noqa: PLC0415  # only where it is needed
    from specfn.inspector.web_app import web_app  # noqa: PLC0415  # starlette is an extra

    token = token_urlsafe(24)
    app = web_app(
        application, connection, token=token, profile=profile, old=before, responses=responses
    )
    url = f"{listen.origin_of(bound, _HOST)}/{token}/"

    async def close() -> None:
        if connection is not None:
            await connection.aclose()

    return listen.serve(app, bound, ready=partial(_tell, url, opens=opens), close=close)


def _tell(url: str, *, opens: bool) -> None:
    """Write the URL of the page, and open it in the browser if it is wanted."""
    output.complain(f"inspector at {url}")
    if opens:
        import webbrowser  # noqa: PLC0415  # only where it is needed

        if not webbrowser.open(url):
            output.complain("no browser was found: open the URL in a browser")
