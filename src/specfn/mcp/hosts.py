"""The configuration of MCP hosts: where it is written, and its form."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from specfn._internal.installed import is_from_index, requirement
from specfn.errors import UsageError

if TYPE_CHECKING:
    from specfn._internal.json import JsonObject


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How a host reaches a server: it starts a command, or it sends requests to a URL.

    Attributes:
        command: the command with its arguments.
        variables: the environment variables with credentials that the command needs.
        url: the URL of a server that runs already; empty if the host starts the command.
        token: the environment variable with the token of clients of the URL.
    """

    command: Sequence[str] = ()
    variables: Sequence[str] = ()
    url: str = ""
    token: str | None = None


@dataclass(frozen=True, kw_only=True)
class Host:
    """An application that uses MCP servers.

    Attributes:
        file: the file that the configuration belongs to.
        source: where its behaviour is documented; read on the day of ``CHECKED``.
        reference: how its file refers to an environment variable; empty if it replaces none.
        key: the key of servers in its file.
        url_key: the key of the URL of a server; empty if its file has no such servers.
        has_type: whether an entry says its transport.
        max_tools: the maximum number of tools that it takes; ``None`` for no limit.
        prefix: what it writes before the name of a tool. Both together have at most 64 characters.
    """

    file: str
    source: str
    reference: str = ""
    key: str = "mcpServers"
    url_key: str = "url"
    has_type: bool = False
    max_tools: int | None = None
    prefix: str = ""

    def write(self, name: str, launch: Launch) -> str:
        """Return the configuration of a server."""
        if self.file.endswith(".toml"):
            return _toml(name, launch)
        refer = self.reference.format
        if launch.url:
            server: JsonObject = {"type": "http"} if self.has_type else {}
            server[self.url_key] = launch.url
            if launch.token:
                server["headers"] = {"Authorization": f"Bearer {refer(launch.token)}"}
        else:
            server = {"type": "stdio"} if self.has_type else {}
            server |= {"command": launch.command[0], "args": list(launch.command[1:])}
            if launch.variables:
                server["env"] = {variable: refer(variable) for variable in launch.variables}
        asked = [launch.token] if launch.url and launch.token else [*launch.variables]
        inputs = [
            {"type": "promptString", "id": variable, "description": variable, "password": True}
            for variable in asked
            if "input:" in self.reference
        ]
        return json.dumps(
            {**({"inputs": inputs} if inputs else {}), self.key: {name: server}},
            indent=2,
            ensure_ascii=False,
        )


def _toml(name: str, launch: Launch) -> str:
    lines = [f"[mcp_servers.{name}]"]
    if launch.url:
        lines.append(f"url = {_toml_text(launch.url)}")
        if launch.token:
            lines.append(f"bearer_token_env_var = {_toml_text(launch.token)}")
        return "\n".join(lines)
    command, *arguments = map(_toml_text, launch.command)
    lines += [f"command = {command}", f"args = [{', '.join(arguments)}]"]
    if launch.variables:
        lines.append(f"env_vars = [{', '.join(map(_toml_text, launch.variables))}]")
    return "\n".join(lines)


def _toml_text(text: str) -> str:
    """Return a basic string of TOML, which has the escapes of JSON but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


#: The day on which the facts of the table were read.
CHECKED: Final = "2026-11-24"

HOSTS: Final[Mapping[str, Host]] = {
    "claude": Host(
        file=".mcp.json",
        source="https://code.claude.com/docs/en/mcp",
        reference="${{{}}}",
        has_type=True,
        prefix="mcp__{server}__",
    ),
    "claude-desktop": Host(
        file="claude_desktop_config.json (Settings, Developer, Edit Config)",
        source="https://github.com/anthropics/claude-code/issues/80197",
        url_key="",
    ),
    "codex": Host(
        file="~/.codex/config.toml",
        source="https://developers.openai.com/codex/mcp",
        reference="{}",
    ),
    "cursor": Host(
        file=".cursor/mcp.json",
        source="https://cursor.com/docs/mcp",
        reference="${{env:{}}}",
        max_tools=40,
    ),
    "gemini": Host(
        file="~/.gemini/settings.json",
        source="https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
        reference="${{{}}}",
        url_key="httpUrl",
    ),
    "vscode": Host(
        file=".vscode/mcp.json",
        source="https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
        reference="${{input:{}}}",
        key="servers",
        has_type=True,
    ),
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
    url: str = "",
    token: str | None = None,
) -> str:
    """Return the configuration of a server for a host.

    Args:
        host: the name of the host.
        name: the name of the server.
        arguments: the arguments of ``specfn serve``, without credentials.
        variables: the environment variables with credentials.
        names: the names of the functions.
        extra: the extras that the server needs.
        url: the URL of a server over HTTP; empty for a server that the host starts.
        token: the environment variable with the token of clients of the URL.

    Raises:
        UsageError: the file of the host cannot express it.
    """
    config = HOSTS[host]
    if url and not config.url_key:
        raise UsageError(
            f"the file of {host} has no servers over HTTP: add the URL in its settings, or leave out --http"
        )
    if url:
        return config.write(name, Launch(url=url, token=token))
    if variables and not config.reference:
        raise UsageError(
            f"{host} does not replace variables such as {variables[0]}: use --config FILE with file:PATH for secrets, "
            "or specfn login"
        )
    is_large = config.max_tools is not None and len(names) > config.max_tools
    more = ["--mode", "search"] if is_large and "--mode" not in arguments else []
    limit = _MAX_NAME - len(config.prefix.format(server=name))
    if (
        config.prefix
        and max(map(len, names), default=0) > limit
        and "--max-length" not in arguments
    ):
        more += ["--max-length", str(limit)]
    start = ["uvx", "--from", requirement(extra), "specfn"]
    if not is_from_index():  # a host could not install it again, so it starts this installation
        start = [sys.executable, "-m", "specfn"]
    command = [*start, "serve", *arguments, *more]
    return config.write(name, Launch(command=command, variables=variables))
