"""The command group, which imports each subcommand on first use."""

import os
from importlib import import_module
from typing import Any, Final

import click

from specfn._internal.did_you_mean import ask_or_list

#: The subcommands, each with the first sentence of its help, so that ``--help`` imports none of their modules.
COMMANDS: Final = {
    "inspect": "List the functions of SPEC with their sizes, the operations that are not functions, and notes.",
    "ui": "Show SPEC in a browser: the schemas that a model reads, the enforced schemas, and a form for calls.",
    "tools": "Write the functions of SPEC as a JSON list, for a provider or independent of one.",
    "show": "Show the function NAME of SPEC.",
    "search": "List the functions of SPEC that fit the words of QUERY, best first.",
    "diff": "Report the differences between OLD and NEW that a model or the server would notice.",
    "check": "Report the faults of SPEC and the functions that a provider would refuse.",
    "convert": "Write SPEC as a JSON document of OpenAPI 3.1 or 3.0.",
    "validate": "Validate the arguments that a model sent for the function NAME of SPEC.",
    "check-calls": "Check the calls in FILE against the functions of SPEC.",
    "call": "Call the function NAME of SPEC with ARGUMENTS, and print the response.",
    "chat": "Talk to a model that calls the functions of SPEC.",
    "serve": "Serve the functions of SPEC to MCP clients, over stdio or HTTP.",
    "login": "Log in to the API of SPEC by OAuth 2; later calls use the tokens, and renew them.",
    "logout": "Delete the tokens of logins from this machine.",
    "demo": "Show a model that sends an invalid call, reads the feedback and sends a valid call.",
    "completion": "Print the script that completes subcommands, options, files, profiles and names of functions.",
}

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
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"specfn.cli.commands.{module}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand. A reader of a pipe that has enough is a success; click would exit with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's signature
        """Write each subcommand with the first sentence of its help."""
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand, or report the closest one. ``help`` and ``version`` are the options of this name."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        elif args == ["version"]:
            args = ["--version"]
        if args[0].startswith("--"):
            self.parse_args(ctx, args)  # prints, and ends the command
        if args[0] not in COMMANDS:
            raise click.UsageError(_unknown(args), ctx)
        return super().resolve_command(ctx, args)


def _unknown(args: list[str]) -> str:
    """Return the message for arguments that do not begin with a subcommand."""
    first = args[0]
    if "://" not in first and not os.path.isfile(first):  # noqa: PTH113  # False for a path that is too long
        return f"there is no subcommand {first!r}{ask_or_list(first, COMMANDS)}"
    command = args[1] if args[1:2] and args[1] in COMMANDS else "inspect"
    return f"the subcommand is missing before {first!r}; write: specfn {command} {first}"


group = _LazyGroup(
    name="specfn",
    help="Convert an OpenAPI or Swagger document into functions that a language model can call.",
    epilog=_EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[],
)
click.version_option(None, "-V", "--version", package_name="specfn", message="specfn %(version)s")(
    group
)
