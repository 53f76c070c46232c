"""``specfn login`` and ``specfn logout`` against a real authorization server; later commands use the tokens."""

import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import keyring
import keyring.backend
import keyring.core
import pytest
from tests.http.authorization_server import (
    CLIENT,
    PASSWORD,
    SECRET,
    USER,
    AuthorizationServer,
    running,
)
from tests.http.test_oauth2 import URLS, visit

from specfn.cli import output

Command = Callable[..., Any]


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with running() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the user's data, in which a login has a file; no keyring of this machine is used."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(keyring.core, "_keyring_backend", keyring.backends.fail.Keyring())
    return tmp_path / "data" / "specfn" / "logins"


def spec(document: Any, *flows: str, **urls: str) -> Path:
    """A document whose only scheme ``oauth`` has the flows."""
    flow = {**URLS, **urls, "scopes": {"read": ""}}
    schemes = {"oauth": {"type": "oauth2", "flows": dict.fromkeys(flows, flow)}}
    operation = {"security": [{"oauth": ["read"]}], "responses": {"200": {"description": ""}}}
    return document({"/x": {"get": operation}}, components={"securitySchemes": schemes})


@pytest.fixture
def agrees(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A user who opens the URL that the command prints; the texts that were printed."""
    shown: list[str] = []

    def complain(line: str, *_: Any) -> None:
        shown.append(line)
        if line.startswith("Open this URL"):
            visit(line.rpartition(" ")[2])

    monkeypatch.setattr(output, "complain", complain)
    return shown


def test_a_login_in_the_browser_serves_later_calls(
    specfn: Command, document: Any, server: AuthorizationServer, home: Path, agrees: list[str]
) -> None:
    """The tokens are in a private file, ``call`` sends and renews them, and ``logout`` deletes them."""
    path = spec(document, "authorizationCode")
    api = ("--base-url", server.url)
    server.lifetimes = [0, 3600]
    refused = specfn("call", path, "GET /x", *api)
    assert refused.code == 2
    assert "specfn login obtains its token" in agrees[-1]
    assert specfn("login", path, *api, "--client-id", CLIENT, "--no-browser").code == 0
    (file,) = home.glob("*.json")
    assert agrees[-1] == f"logged in for oauth of {server.url}; the tokens are in {file}"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    for _ in range(2):
        assert specfn("call", path, "GET /x", *api).code == 0
    assert (server.grants("authorization_code"), server.grants("refresh_token")) == (1, 1)
    assert specfn("call", path, "GET /x", "--base-url", f"{server.url}/other").code == 2
    assert specfn("logout", *api).code == 0
    assert [*home.glob("*.json")] == []
    assert specfn("call", path, "GET /x", *api).code == 2
    assert specfn("logout").code == 1


@pytest.mark.usefixtures("home")
def test_a_login_again_needs_no_client(
    specfn: Command, document: Any, server: AuthorizationServer, agrees: list[str]
) -> None:
    """The first login names the client, and a later one of the same scheme uses it; ``--auth`` beats a login."""
    path = spec(document, "authorizationCode")
    api = ("--base-url", server.url)
    missing = specfn("login", path, *api, "--no-browser")
    assert missing.code == 2
    for more in (("--client-id", CLIENT), ()):
        assert specfn("login", path, *api, "--no-browser", *more).code == 0
    server.revoke(refresh_too=True)
    assert specfn("call", path, "GET /x", *api).code == 1
    assert "run specfn login" in agrees[-2]
    assert specfn("call", path, "GET /x", *api, "--auth", "oauth=other").code == 1
    assert server.api[-1] == ("GET", "other")


@pytest.mark.usefixtures("home")
def test_a_device_and_a_client(specfn: Command, document: Any, server: AuthorizationServer) -> None:
    """A login on another device shows a code; one of a client with a secret needs nobody, and renews its tokens."""
    api = ("--base-url", server.url)
    path = spec(document, "deviceAuthorization")
    ended = specfn("login", path, *api, "--client-id", CLIENT)
    assert "type the code ABCD-EFGH" in ended.err
    assert ended.code == 0
    path = spec(document, "clientCredentials", "authorizationCode")
    os.environ["LOGIN_SECRET"] = SECRET
    more = ("--client-id", CLIENT, "--client-secret-env", "LOGIN_SECRET")
    assert specfn("login", path, *api, *more).code == 0
    del os.environ["LOGIN_SECRET"]
    server.revoke()
    assert specfn("call", path, "GET /x", *api).code == 0
    assert server.grants("client_credentials") == 2


def test_a_password_is_not_stored(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The flow password asks for the password, which no file has; without a refresh token, the user logs in again."""
    monkeypatch.setattr("click.prompt", lambda *_, **__: PASSWORD)
    path, api = spec(document, "password"), ("--base-url", server.url)
    more = ("--client-id", CLIENT, "--user", USER)
    assert specfn("login", path, *api, *more).code == 0
    assert specfn("call", path, "GET /x", *api).code == 0
    assert all(PASSWORD not in file.read_text() for file in home.iterdir())
    server.revoke(refresh_too=True)
    ended = specfn("call", path, "GET /x", *api)
    assert (ended.code, server.grants("password")) == (1, 1)
    assert "run specfn login" in ended.err


@pytest.mark.parametrize("field", ["tokenUrl", "refreshUrl", "authorizationUrl"])
def test_another_origin_is_confirmed(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    agrees: list[str],
    monkeypatch: pytest.MonkeyPatch,
    field: str,
) -> None:
    """An origin that only the document names gets nothing, until the user confirms it or passes it."""
    path = spec(document, "authorizationCode", **{field: "https://login.evil.example/x"})
    command = ("login", path, "--base-url", server.url, "--client-id", CLIENT, "--no-browser")
    assert specfn(*command).code == 2
    assert "run specfn login with --token-origin https://login.evil.example;" in agrees[-1]
    monkeypatch.setattr("specfn.cli.commands.login.is_terminal", lambda _: True)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    assert specfn(*command).code == 1
    assert server.forms == []
    assert not any("Open" in line for line in agrees)
    if field == "authorizationUrl":
        return
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    monkeypatch.setattr("specfn.http.transport.oauth2_login.in_browser", lambda *_, **__: _tokens())
    assert specfn(*command).code == 0
    (file,) = home.glob("*.json")
    assert json.loads(file.read_text())["login"]["token_origins"] == ["https://login.evil.example"]


async def _tokens() -> dict[str, Any]:
    return {"access_token": "a", "refresh_token": None, "until": 1e12}


def test_the_browser_is_on_another_machine(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user opens the URL elsewhere, and pastes the URL to which that browser was sent; others change nothing."""
    shown: list[str] = []
    pasted: list[str] = []

    def complain(line: str, *_: Any) -> None:
        shown.append(line)
        if line.startswith("Open this URL"):
            place = httpx.get(line.rpartition(" ")[2]).headers["location"]
            pasted[:] = ["nonsense\n", f"{place.replace('state=', 'state=x')}\n", f"{place}\n"]

    monkeypatch.setattr(output, "complain", complain)
    monkeypatch.setattr("specfn.cli.commands.login.is_terminal", lambda _: True)
    monkeypatch.setattr("specfn.cli.commands.login._paste", lambda: pasted.pop(0))
    path = spec(document, "authorizationCode")
    more = ("--base-url", server.url, "--client-id", CLIENT, "--no-browser")
    assert specfn("login", path, *more).code == 0
    assert pasted == []
    assert len([*home.glob("*.json")]) == 1


class Memory(keyring.backend.KeyringBackend):
    """A keyring that a test can look into."""

    priority = 5.0

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


def test_the_keyring(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    agrees: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a keyring, no file has a token; a keyring that is gone is an error, and a login works again."""
    place = Memory()
    monkeypatch.setattr(keyring.core, "_keyring_backend", place)
    path, api = spec(document, "authorizationCode"), ("--base-url", server.url)
    login = ("login", path, *api, "--client-id", CLIENT, "--no-browser")
    server.lifetimes = [0, 3600]
    assert specfn(*login).code == 0
    assert agrees[-1].endswith("the tokens are in the keyring")
    assert specfn("call", path, "GET /x", *api).code == 0
    assert server.grants("refresh_token") == 1
    assert "canary" in str(place.entries)
    assert all(b"canary" not in file.read_bytes() for file in home.iterdir())
    monkeypatch.setattr(keyring.core, "_keyring_backend", keyring.backends.fail.Keyring())
    assert specfn("call", path, "GET /x", *api).code == 2
    assert "the keyring cannot be used" in agrees[-1]
    given = specfn("call", path, "GET /x", *api, "--auth", "oauth=other")
    assert (given.code, server.api[-1]) == (1, ("GET", "other"))
    assert specfn("logout").code == 1
    assert agrees[-1].startswith("not logged out of ")
    assert len([*home.glob("*.json")]) == 1
    assert specfn(*login).code == 0
    assert specfn("call", path, "GET /x", *api).code == 0
    monkeypatch.setattr(keyring.core, "_keyring_backend", place)
    assert specfn(*login).code == 0
    assert specfn("logout", "--scheme", "oauth").code == 0
    assert place.entries == {}


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"login": {"x": 1}}'])
def test_a_damaged_entry_of_the_keyring(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    agrees: list[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
) -> None:
    """It is an error of a call, a new login replaces it, and ``logout`` of its API and scheme deletes it."""
    place = Memory()
    monkeypatch.setattr(keyring.core, "_keyring_backend", place)
    path, api = spec(document, "authorizationCode"), ("--base-url", server.url)
    login = ("login", path, *api, "--client-id", CLIENT, "--no-browser")
    assert specfn(*login).code == 0
    place.entries = dict.fromkeys(place.entries, text)
    assert specfn("call", path, "GET /x", *api).code == 2
    assert "log in again" in agrees[-1]
    assert specfn(*login).code == 0
    assert specfn("call", path, "GET /x", *api).code == 0
    place.entries = dict.fromkeys(place.entries, text)
    assert specfn("logout", *api, "--scheme", "oauth").code == 0
    assert (place.entries, [*home.glob("*.json")]) == ({}, [])


@pytest.mark.usefixtures("agrees")
def test_a_login_that_fails_keeps_the_last_one(
    specfn: Command,
    document: Any,
    server: AuthorizationServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tokens of a file move to a new keyring after a login that succeeds, and stay after one that fails."""
    path, api = spec(document, "authorizationCode"), ("--base-url", server.url)
    login = ("login", path, *api, "--client-id", CLIENT, "--no-browser")
    assert specfn(*login).code == 0
    (file,) = home.glob("*.json")
    content = file.read_text("utf-8")
    place = Memory()
    monkeypatch.setattr(keyring.core, "_keyring_backend", place)
    assert specfn(*login, "--flow", "password").code == 2
    assert (file.read_text("utf-8"), place.entries) == (content, {})
    assert specfn(*login).code == 0
    assert "canary" in str(place.entries)
    assert "canary" not in file.read_text("utf-8")


def test_faults_of_places(
    specfn: Command, document: Any, server: AuthorizationServer, home: Path
) -> None:
    """An invalid URL, and a directory that cannot be created, are errors with a reason."""
    for url in ("foo", "http://site.example:99999999"):
        for more in ((), ("--scheme", "oauth")):
            ended = specfn("logout", "--base-url", url, *more)
            assert (ended.code, "--base-url" in ended.err) == (2, True)
    path = spec(document, "authorizationCode")
    home.parent.parent.write_text("", "utf-8")
    ended = specfn("login", path, "--base-url", server.url, "--client-id", CLIENT, "--no-browser")
    assert (ended.code, "cannot be created for logins" in ended.err) == (2, True)


def test_schemes(specfn: Command, document: Any, server: AuthorizationServer, home: Path) -> None:
    """The scheme is named if there are several, and a document without OAuth 2 names ``--auth``."""
    schemes: dict[str, Any] = {"key": {"type": "apiKey", "in": "header", "name": "X"}}
    paths = {"/x": {"get": {"responses": {}}}}
    api = ("--base-url", server.url, "--client-id", CLIENT)
    path = document(paths, components={"securitySchemes": schemes})
    assert "--auth" in specfn("login", path, *api).err
    for name in ("one", "two"):
        flow = {"tokenUrl": "/token", "authorizationUrl": "/authorize", "scopes": {}}
        schemes[name] = {"type": "oauth2", "flows": {"authorizationCode": flow}}
    path = document(paths, components={"securitySchemes": schemes})
    assert "pass --scheme, one of one, two" in specfn("login", path, *api).err
    assert "'oen'" in specfn("login", path, *api, "--scheme", "oen").err
    assert not home.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_file_that_others_can_read(
    specfn: Command, document: Any, server: AuthorizationServer, home: Path, agrees: list[str]
) -> None:
    """Tokens that others can read are not used, and so is a damaged file; ``logout`` deletes both."""
    path, api = spec(document, "authorizationCode"), ("--base-url", server.url)
    assert specfn("login", path, *api, "--client-id", CLIENT, "--no-browser").code == 0
    (file,) = home.glob("*.json")
    for damage in (lambda: file.chmod(0o644), lambda: file.write_text('{"login": {"x": 1}}')):
        damage()
        assert specfn("call", path, "GET /x", *api).code == 2
        file.chmod(0o600)
    assert server.api == []
    for some in (api, ("--scheme", "oauth")):
        assert specfn("logout", *some).code == 1
        assert agrees[-1].startswith(f"not logged out of {file}: it cannot be read")
        assert "pass both --base-url and --scheme" in agrees[-1]
        assert file.exists()
    other = ("--base-url", "https://other.example", "--scheme", "oauth")
    assert specfn("logout", *other).code == 1
    assert agrees[-1] == "there is no such login"
    content = file.read_text("utf-8")
    assert specfn("logout", *api, "--scheme", "oauth").code == 0
    assert not file.exists()
    file.write_text(content, "utf-8")
    assert specfn("logout").code == 0
    assert agrees[-1] == f"logged out of {file}"


@pytest.mark.usefixtures("home", "agrees")
def test_a_server_uses_a_login(specfn: Command, document: Any, server: AuthorizationServer) -> None:
    """The configuration of a host has no variable for a scheme with a login, so that the host needs no token."""
    path, api = spec(document, "authorizationCode"), ("--base-url", server.url)
    serve = ("serve", path, *api, "--print-config", "claude")
    assert "SPECFN_AUTH_OAUTH" in specfn(*serve).out
    assert specfn("login", path, *api, "--client-id", CLIENT, "--no-browser").code == 0
    assert "SPECFN_AUTH_OAUTH" not in specfn(*serve).out
