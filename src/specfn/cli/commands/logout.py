"""The subcommand ``specfn logout``: delete the tokens of logins."""

import click

from specfn.cli import logins, output
from specfn.cli import shared_options as shared
from specfn.cli.errors import EXIT_FAILURE, EXIT_SUCCESS


@shared.command("logout", "specfn logout --base-url https://shop.example.com", "specfn logout")
@click.option("--base-url", metavar="URL", help="URL of the API; all APIs by default.")
@click.option("--scheme", metavar="NAME", help="The security scheme; all by default.")
def command(base_url: str | None, scheme: str | None) -> int:
    """Delete the tokens of logins from this machine.

    The authorization server is not told: to end a session there, use its own page.
    """
    removed = [*logins.remove_logins(base_url, scheme)]
    for name, fault in removed:
        output.complain(f"not logged out of {name}: {fault}" if fault else f"logged out of {name}")
    if not removed:
        output.complain("there is no such login")
    is_done = removed and not any(fault for _, fault in removed)
    return EXIT_SUCCESS if is_done else EXIT_FAILURE
