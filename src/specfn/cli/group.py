"""The command group, which imports each subcommand on first use."""

from importlib import import_module
from typing import Final

import click

#: Names of the subcommands and of their modules.
_COMMANDS: Final = (
    "inspect",
    "diff",
    "check",
    "tools",
    "show",
    "validate",
    "check-calls",
    "call",
    "chat",
    "ui",
    "serve",
    "demo",
)

_EPILOG: Final = """\b
SPEC is the path or http(s) URL of an OpenAPI or Swagger document, or - for stdin.
Results go to stdout; messages go to stderr.

\b
Exit codes:
  0    success
  1    invalid document or arguments, or an error response
  2    invalid use of the command
  3    the server could not be reached
  130  interrupted
"""


class _LazyGroup(click.Group):
    """A group that imports a subcommand on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # likewise
        if cmd_name not in _COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"specfn.cli.commands.{module}").command
        return command


group = _LazyGroup(
    name="specfn",
    help="Any OpenAPI or Swagger document in, functions that a language model can call out.",
    epilog=_EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[],
)
click.version_option(package_name="specfn", message="specfn %(version)s")(group)
