import json
import tomllib
from typing import Any

import pytest

from specfn._internal.installed import requirement
from specfn.mcp.hosts import HOSTS, print_config, server_name

ARGUMENTS = ['/srv/péts "x".yaml', "--base-url", "https://pets.example/v1"]


def written(host: str, **more: Any) -> str:
    given: dict[str, Any] = {"names": ["f"] * 5, "variables": ["SPECFN_AUTH_BEARER"], **more}
    return print_config(
        host, "pets", given.pop("arguments", ARGUMENTS), given["variables"], names=given["names"]
    )


def started(host: str, text: str) -> Any:
    """Return the entry of a server, read as the host does."""
    if host == "codex":
        return tomllib.loads(text)["mcp_servers"]["pets"]
    return json.loads(text)["servers" if host == "vscode" else "mcpServers"]["pets"]


@pytest.mark.parametrize("host", HOSTS)
def test_the_command_is_whole(host: str) -> None:
    """A host starts ``specfn serve`` with exactly the arguments."""
    entry = started(host, written(host))
    assert [entry["command"], *entry["args"]] == [
        "uvx",
        "--from",
        requirement("mcp"),
        "specfn",
        "serve",
        *ARGUMENTS,
    ]


@pytest.mark.parametrize("host", HOSTS)
def test_credentials_are_references(host: str) -> None:
    """A credential is a reference to an environment variable or an input, and never a value."""
    entry = started(host, written(host))
    if host == "codex":
        assert entry["env_vars"] == ["SPECFN_AUTH_BEARER"]
    else:
        (value,) = entry["env"].values()
        assert value.startswith("${")
        assert "SPECFN_AUTH_BEARER" in value


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
