"""The subcommand ``specfn demo``: a complete run with a real server and a recorded model."""

from specfn.cli import output
from specfn.cli import shared_options as shared
from specfn.cli.terminal.colors import is_colored


@shared.command("demo", "specfn demo", "NO_COLOR=1 specfn demo | less")
def command() -> int:
    """Show a model that sends an invalid call, reads the feedback and sends a valid call.

    A small real API runs on a loopback port during the demo. The demo needs no network and no key.
    """
    from rich.console import Console  # noqa: PLC0415  # so that --help stays quick

    from specfn.demo.scenario import run  # noqa: PLC0415  # likewise

    stdout = output.stdout()
    return run(Console(file=stdout, color_system="auto" if is_colored(stdout) else None))
