"""The subcommand ``specfn demo``: a complete run with a real server and a recorded model."""

from time import sleep
from typing import NoReturn

import click

from specfn._internal.caller_arguments import require_extra
from specfn.cli import output
from specfn.cli import shared_options as shared
from specfn.cli.terminal import is_colored
from specfn.errors import UsageError


@shared.command("demo", "specfn demo", "specfn demo --serve --port 8000")
@click.option("--serve", "is_server", is_flag=True, help="Start the shop, and keep it running.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65_535),
    help="The port of --serve; a free one by default.",
)
def command(*, is_server: bool, port: int | None) -> int:
    """Show a model that sends an invalid call, reads the feedback and sends a valid call.

    A small shop, which is a FastAPI application, runs on a loopback port during the demo. The demo needs no network
    and no key. With --serve, only the shop runs, as an API to try specfn with, until Ctrl-C.
    """
    if port is not None and not is_server:
        raise UsageError("--port needs --serve")
    require_extra("the demo", "demo", "fastapi", "python_multipart", "uvicorn")
    stdout = output.stdout()
    if is_server:
        _serve(port or 0)
    from rich.console import Console  # noqa: PLC0415  # so that --help stays quick

    from specfn.demo.scenario import run  # noqa: PLC0415  # so that --help stays quick

    return run(Console(file=stdout, color_system="auto" if is_colored(stdout) else None))


def _serve(port: int) -> NoReturn:
    """Run the shop until an interrupt, whose exit code is that of the command."""
    from specfn.demo.server import serve  # noqa: PLC0415  # fastapi is an extra

    with serve(port) as shop:
        output.write_text(
            f"document: {shop.document_url}\nbase_url: {shop.base_url}\ntoken: {shop.token}"
        )
        output.stdout().flush()
        while True:
            sleep(3600)
