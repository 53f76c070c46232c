import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from specfn._internal.installed import requirement
from specfn.errors import UsageError
from specfn.mcp.hosts import CHECKED, HOSTS, print_config, server_name

ARGUMENTS = ['/srv/péts "x".yaml', "--base-url", "https://pets.example/v1"]


#: The hosts that replace variables in their files.
REPLACING = [host for host in HOSTS if host != "claude-desktop"]


def written(host: str, **more: Any) -> str:
    own = ["SPECFN_AUTH_BEARER"] if host in REPLACING else []
    given: dict[str, Any] = {"names": ["f"] * 5, "variables": own, **more}
    return print_config(
        host, "pets", given.pop("arguments", ARGUMENTS), given["variables"], names=given["names"]
    )


def started(host: str, text: str) -> Any:
    """Return the entry of a server, read as the host does."""
    if host == "codex":
        return tomllib.loads(text)["mcp_servers"]["pets"]
    return json.loads(text)["servers" if host == "vscode" else "mcpServers"]["pets"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("indexed", [False, True])
def test_the_command_is_whole(host: str, monkeypatch: pytest.MonkeyPatch, *, indexed: bool) -> None:
    """A host starts ``specfn serve`` with exactly the arguments: from the index, or this installation if it is not on one."""
    monkeypatch.setattr("specfn.mcp.hosts.is_from_index", lambda: indexed)
    entry = started(host, written(host))
    command = ["uvx", "--from", requirement("mcp"), "specfn"]
    command = command if indexed else [sys.executable, "-m", "specfn"]
    assert [entry["command"], *entry["args"]] == [*command, "serve", *ARGUMENTS]


@pytest.mark.parametrize("host", REPLACING)
def test_credentials_are_references(host: str) -> None:
    """A credential is a reference to an environment variable or an input, and never a value."""
    entry = started(host, written(host))
    if host == "codex":
        assert entry["env_vars"] == ["SPECFN_AUTH_BEARER"]
    else:
        (value,) = entry["env"].values()
        assert value.startswith("${")
        assert "SPECFN_AUTH_BEARER" in value


def test_a_host_that_replaces_no_variables() -> None:
    """Claude Desktop would pass the name of a variable as the credential, so the error names other ways."""
    with pytest.raises(UsageError, match=r"file:PATH for secrets, or specfn login"):
        written("claude-desktop", variables=["SPECFN_AUTH_BEARER"])


@pytest.mark.parametrize("host", REPLACING)
def test_a_server_over_http(host: str) -> None:
    """The entry of a server over HTTP has its URL and the variable of the clients' token; nothing is started."""
    text = print_config(
        host, "pets", [], ["X"], names=[], url="https://tools.example/mcp", token="CLIENT_TOKEN"
    )
    entry = started(host, text)
    assert "https://tools.example/mcp" in entry.values()
    assert not {"command", "args", "env"} & {*entry}
    token = entry.get("bearer_token_env_var") or entry["headers"]["Authorization"]
    assert "CLIENT_TOKEN" in token
    assert ("inputs" in text) is (host == "vscode")


def test_a_file_without_servers_over_http() -> None:
    """The file of Claude Desktop has commands only."""
    with pytest.raises(UsageError, match="leave out --http"):
        print_config("claude-desktop", "pets", [], [], names=[], url="https://tools.example/mcp")


def test_the_facts_of_hosts_have_a_source() -> None:
    """The facts of each host have a source and a day; the documentation names both and the file."""
    page = Path(__file__).parents[2].joinpath("docs", "mcp.md").read_text("utf-8")
    assert CHECKED in page
    for name, host in HOSTS.items():
        assert f"`{name}`" in page
        assert host.source in page
        assert host.file.partition(" ")[0] in page


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("count", "added"), [(40, False), (41, True)])
def test_only_cursor_needs_search(host: str, count: int, *, added: bool) -> None:
    """Cursor takes 40 tools: above them the mode is search, unless a mode is given."""
    entry = started(host, written(host, names=["f"] * count))
    assert (entry["args"][-2:] == ["--mode", "search"]) is (host == "cursor" and added)
    fixed = started(host, written(host, names=["f"] * count, arguments=["a", "--mode", "all"]))
    assert fixed["args"][-2:] == ["--mode", "all"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("length", "added"), [(53, False), (54, True)])
def test_a_host_with_a_prefix_gets_shorter_names(host: str, length: int, *, added: bool) -> None:
    """With ``mcp__pets__`` before it, a name of more than 53 characters is refused, unless a limit is given."""
    entry = started(host, written(host, names=["f", "n" * length]))
    assert (entry["args"][-2:] == ["--max-length", "53"]) is (host == "claude" and added)
    fixed = started(host, written(host, names=["n" * 64], arguments=["a", "--max-length", "60"]))
    assert fixed["args"][-2:] == ["--max-length", "60"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Pets", "pets"),
        ("  Pets & Owners API (v2)", "pets-owners-api-v2"),
        ("A very long title of a document of pets", "a-very-long-title-of"),
        ("Donaudampfschifffahrtsgesellschaft", "donaudampfschifffahr"),
        ("宠物", "specfn"),
        ("", "specfn"),
        ("]\n[x", "x"),
    ],
)
def test_a_server_has_the_name_of_its_document(title: str, name: str) -> None:
    """A name has at most 20 of ``a-z0-9-``, which each host accepts, and is never empty."""
    assert server_name(title) == name
