"""The configuration of MCP hosts: where it is written, and its form."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from specfn._internal.installed import requirement
from specfn._internal.json import JsonObject


@dataclass(frozen=True, kw_only=True)
class Host:
    """An application that starts MCP servers.

    Attributes:
        file: the file that the configuration belongs to.
        max_tools: the maximum number of tools that it takes; ``None`` for no limit.
        write: writes the configuration: the name of the server, the command, and the environment variables that it
            needs.
    """

    file: str
    max_tools: int | None = None
    write: Callable[[str, Sequence[str], Sequence[str]], str]


def _json(value: JsonObject) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _server(command: Sequence[str], env: Mapping[str, str]) -> JsonObject:
    server: JsonObject = {"command": command[0], "args": list(command[1:])}
    return {**server, "env": dict(env)} if env else server


def _claude(name: str, command: Sequence[str], variables: Sequence[str]) -> str:
    env = {variable: f"${{{variable}}}" for variable in variables}
    return _json({"mcpServers": {name: _server(command, env)}})


def _cursor(name: str, command: Sequence[str], variables: Sequence[str]) -> str:
    env = {variable: f"${{env:{variable}}}" for variable in variables}
    return _json({"mcpServers": {name: _server(command, env)}})


def _vscode(name: str, command: Sequence[str], variables: Sequence[str]) -> str:
    env = {variable: f"${{input:{variable}}}" for variable in variables}
    inputs = [
        {"type": "promptString", "id": variable, "description": variable, "password": True}
        for variable in variables
    ]
    servers = {name: {"type": "stdio", **_server(command, env)}}
    return _json({**({"inputs": inputs} if inputs else {}), "servers": servers})


def _codex(name: str, command: Sequence[str], variables: Sequence[str]) -> str:
    lines = [
        f"[mcp_servers.{name}]",
        f"command = {_toml(command[0])}",
        f"args = [{', '.join(map(_toml, command[1:]))}]",
    ]
    if variables:
        lines.append(f"env_vars = [{', '.join(map(_toml, variables))}]")
    return "\n".join(lines)


def _toml(text: str) -> str:
    """Return a basic string of TOML, which has the escapes of JSON but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


HOSTS: Final[Mapping[str, Host]] = {
    "claude": Host(file=".mcp.json", write=_claude),
    "cursor": Host(file=".cursor/mcp.json", max_tools=40, write=_cursor),
    "vscode": Host(file=".vscode/mcp.json", write=_vscode),
    "codex": Host(file="~/.codex/config.toml", write=_codex),
}


def print_config(
    host: str, name: str, arguments: Sequence[str], variables: Sequence[str], *, count: int
) -> str:
    """Return the configuration of a server for a host.

    Args:
        host: the name of the host.
        name: the name of the server.
        arguments: the arguments of ``specfn serve``, without credentials.
        variables: the environment variables with credentials.
        count: the number of functions.
    """
    config = HOSTS[host]
    is_large = config.max_tools is not None and count > config.max_tools
    mode = ("--mode", "search") if is_large and "--mode" not in arguments else ()
    command = ["uvx", "--from", requirement("mcp"), "specfn", "serve", *arguments, *mode]
    return config.write(name, command, variables)
