"""The subcommand ``specfn completion``: the script that completes command lines in a shell."""

from typing import Final

import click

from specfn.cli import output
from specfn.cli import shared_options as shared

_SHELLS: Final = ("bash", "zsh", "fish")


@shared.command(
    "completion",
    'eval "$(specfn completion bash)"',
    "specfn completion fish > ~/.config/fish/completions/specfn.fish",
)
@click.argument("shell", type=shared.Values(lambda: _SHELLS), metavar=f"[{'|'.join(_SHELLS)}]")
def command(shell: str) -> None:
    """Print the script that completes subcommands, options, files, profiles and names of functions.

    Names of functions are read from the document of the command line, if it is a file.
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415  # for this subcommand

    from specfn.cli.group import group  # noqa: PLC0415  # the group imports this module on first use

    kind = get_completion_class(shell)
    assert kind is not None
    output.write_text(kind(group, {}, "specfn", "_SPECFN_COMPLETE").source().strip("\n"))
