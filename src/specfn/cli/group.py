"""The command group, which imports each subcommand on first use."""

from importlib import import_module
from typing import Final

import click

from specfn._internal.did_you_mean import near

#: Names of the subcommands and of their modules.
_COMMANDS: Final = (
    "inspect",
    "ui",
    "tools",
    "show",
    "search",
    "diff",
    "check",
    "convert",
    "validate",
    "check-calls",
    "call",
    "chat",
    "serve",
    "demo",
    "completion",
)

#: The maximum number of characters of the help of a subcommand in the list.
_SENTENCE: Final = 200

_EPILOG: Final = """
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

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        if cmd_name not in _COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"specfn.cli.commands.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each subcommand with the first sentence of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [
            (name, command.get_short_help_str(limit=_SENTENCE))
            for name, command in commands.items()
            if command is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand, or report the closest one."""
        if args and args[0] not in _COMMANDS:
            reason = f"there is no subcommand {args[0]!r}{near(args[0], _COMMANDS)}"
            raise click.UsageError(reason, ctx)
        return super().resolve_command(ctx, args)


group = _LazyGroup(
    name="specfn",
    help="Convert an OpenAPI or Swagger document into functions that a language model can call.",
    epilog=_EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[],
)
click.version_option(package_name="specfn", message="specfn %(version)s")(group)
