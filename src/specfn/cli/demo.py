"""``specfn demo``: the whole way once, with a real server and a recorded model."""

import click

from specfn.cli import output


@click.command(name="demo")
def command() -> int:
    """Show a model err, read why, correct itself, and a row be stored.

    A small real API runs on a loopback port for the length of the demo. No network and no key is needed.
    """
    from rich.console import Console  # noqa: PLC0415  # so that --help stays quick

    from specfn.demo.scenario import run  # noqa: PLC0415  # likewise

    return run(Console(file=output.stdout()))
