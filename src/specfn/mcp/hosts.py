"""The configuration of MCP hosts: where it is written, and its form."""

import json
import re
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
        prefix: what it writes before the name of a tool. Both together have at most 64 characters.
        write: writes the configuration: the name of the server, the command, and the environment variables that it
            needs.
    """

    file: str
    max_tools: int | None = None
    prefix: str = ""
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
    # Checked on 2026-11-24 in the tracker of the host, which quotes "String should have at most 64 characters".
    "claude": Host(file=".mcp.json", prefix="mcp__{server}__", write=_claude),
    "cursor": Host(file=".cursor/mcp.json", max_tools=40, write=_cursor),
    "vscode": Host(file=".vscode/mcp.json", write=_vscode),
    "codex": Host(file="~/.codex/config.toml", write=_codex),
}


#: The maximum number of characters of the name of a tool with its prefix, and of that of a server.
_MAX_NAME: Final = 64
_MAX_SERVER_NAME: Final = 20

#: The number of characters of a name that no host with a prefix refuses: of a server with a name such as ``specfn``.
MAX_PREFIXED_NAME: Final = 51


def server_name(title: str) -> str:
    """Return a name for a server from the title of its document: words of ASCII letters and digits."""
    words = re.findall(r"[a-z0-9]+", title[:200].lower())
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:_MAX_SERVER_NAME]
        if len(longer) > _MAX_SERVER_NAME:
            break
        name = longer
    return name or "specfn"


def print_config(
    host: str,
    name: str,
    arguments: Sequence[str],
    variables: Sequence[str],
    *,
    names: Sequence[str],
    extra: str = "mcp",
) -> str:
    """Return the configuration of a server for a host.

    Args:
        host: the name of the host.
        name: the name of the server.
        arguments: the arguments of ``specfn serve``, without credentials.
        variables: the environment variables with credentials.
        names: the names of the functions.
        extra: the extras that the server needs.
    """
    config = HOSTS[host]
    is_large = config.max_tools is not None and len(names) > config.max_tools
    more = ["--mode", "search"] if is_large and "--mode" not in arguments else []
    limit = _MAX_NAME - len(config.prefix.format(server=name))
    if (
        config.prefix
        and max(map(len, names), default=0) > limit
        and "--max-length" not in arguments
    ):
        more += ["--max-length", str(limit)]
    command = ["uvx", "--from", requirement(extra), "specfn", "serve", *arguments, *more]
    return config.write(name, command, variables)
