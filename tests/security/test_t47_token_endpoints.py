"""T47: secrets of OAuth 2 go to the origin of the API, or to one that the caller named, whatever a document declares."""

import json
import os
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.http.authorization_server import (
    CLIENT,
    PASSWORD,
    SECRET,
    USER,
    AuthorizationServer,
    running,
)

import specfn
from specfn.errors import SpecfnError, TransportError, UsageError


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    """The API of the caller, with its authorization server."""
    with running() as server:
        yield server


@pytest.fixture
def sink() -> Iterator[AuthorizationServer]:
    """The server of an attacker."""
    with running() as server:
        yield server


#: The fields that each flow uses.
FIELDS = (
    ("clientCredentials", "tokenUrl"),
    ("password", "tokenUrl"),
    ("password", "refreshUrl"),
    ("authorizationCode", "tokenUrl"),
    ("authorizationCode", "authorizationUrl"),
    ("deviceAuthorization", "tokenUrl"),
    ("deviceAuthorization", "deviceAuthorizationUrl"),
)


def load(flow: str, **urls: str) -> specfn.Application:
    usual = {
        "tokenUrl": "/token",
        "authorizationUrl": "/authorize",
        "deviceAuthorizationUrl": "/device",
    }
    return of_scheme({"type": "oauth2", "flows": {flow: {**usual, **urls, "scopes": {}}}})


def of_scheme(scheme: dict[str, Any]) -> specfn.Application:
    operation = {"security": [{"oauth": []}], "responses": {"200": {"description": ""}}}
    return specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "", "version": ""},
            "components": {"securitySchemes": {"oauth": scheme}},
            "paths": {"/x": {"get": operation}},
        }
    )


def use(app: specfn.Application, url: str, oauth: specfn.OAuth2, *, login: bool = False) -> None:
    connection = specfn.Connection(url, credentials={"oauth": oauth})
    if login:
        oauth.login(app, connection, show=str, browser=False, seconds=0.05)
    app.execute("GET /x", {}, connection)


#: Spellings of the origin of a sink that look like that of the API, or are relative to it.
SPELLINGS = (
    "{sink}/token",
    "//{host}/token",
    "/\\{host}/token",
    "\\\\{host}/token",
    "http:\\\\{host}/token",
    "{api}@{host}/token",
    "http://x:y@{host}/token",
    "\t{sink}/token",
    "https://{host}/token",
    "HTTP://{host}/token#{api}",
)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("flow", "field"), FIELDS)
def test_no_declared_endpoint_receives_a_secret(
    server: AuthorizationServer, sink: AuthorizationServer, spelling: str, flow: str, field: str
) -> None:
    """T47: an endpoint of another origin receives nothing, however the document spells it, and ends the call."""
    host = sink.url.removeprefix("http://")
    url = spelling.format(sink=sink.url, host=host, api=server.url)
    server.lifetimes = [0]
    user = (USER, PASSWORD) if flow == "password" else None
    oauth = specfn.OAuth2(CLIENT, SECRET, flow=flow, user=user)  # type: ignore[arg-type]
    app = load(flow, **{field: url})
    if field == "refreshUrl":
        use(app, server.url, oauth)  # the next call refreshes the token
    is_interactive = flow in {"authorizationCode", "deviceAuthorization"}
    with pytest.raises(SpecfnError) as caught:
        use(app, server.url, oauth, login=is_interactive)
    assert "canary" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert sink.forms == sink.api == []


def test_the_error_names_the_origin_and_the_option(
    server: AuthorizationServer, sink: AuthorizationServer
) -> None:
    """T47: the caller who names the origin allows it; no other, and nothing was sent before."""
    app = load("clientCredentials", tokenUrl=f"{sink.url}/token")
    with pytest.raises(UsageError, match=f"token_origin='{sink.url}'.*nothing was sent"):
        use(app, server.url, specfn.OAuth2(CLIENT, SECRET))
    other = specfn.OAuth2(CLIENT, SECRET, token_origin=f"{sink.url}0"[:-2])
    with pytest.raises(UsageError, match="nothing was sent"):
        use(app, server.url, other)
    assert sink.forms == server.api == []
    server.access = sink.access
    use(app, server.url, specfn.OAuth2(CLIENT, SECRET, token_origin=sink.url))
    assert len(sink.forms) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_receives_nothing(
    server: AuthorizationServer, sink: AuthorizationServer, status: int
) -> None:
    """T47: no redirect of an endpoint is followed, neither to another origin nor within the same one."""
    for place in (f"{sink.url}/token", "/token"):
        server.faults = [(status, {"Location": place}, b"")]
        with pytest.raises(TransportError, match="not followed"):
            use(load("clientCredentials"), server.url, specfn.OAuth2(CLIENT, SECRET))
    assert len(server.forms) == 2
    assert sink.forms == []


def test_discovery_names_no_other_origin(
    server: AuthorizationServer, sink: AuthorizationServer
) -> None:
    """T47: neither a discovery URL nor the endpoints of its metadata leave the allowed origins."""
    path = "/.well-known/openid-configuration"
    server.metadata = {"token_endpoint": f"{sink.url}/token"}
    sink.metadata = {"token_endpoint": f"{server.url}/token"}
    for url in (path, f"{sink.url}{path}"):
        app = of_scheme({"type": "openIdConnect", "openIdConnectUrl": url})
        with pytest.raises(UsageError, match=sink.url):
            use(app, server.url, specfn.OAuth2(CLIENT, SECRET))
    assert sink.forms == sink.api == []


def test_a_token_is_for_one_api(
    server: AuthorizationServer, sink: AuthorizationServer, tmp_path: Path
) -> None:
    """T47: the tokens of a store are not sent to another API, whose document names the same authorization server."""
    store = tmp_path / "tokens"
    oauth = specfn.OAuth2(
        CLIENT, SECRET, user=(USER, PASSWORD), store=store, token_origin=server.url
    )
    use(load("password"), server.url, oauth)
    sink.access = server.access
    use(load("password", tokenUrl=f"{server.url}/token"), sink.url, oauth)
    assert server.api[0][1] != sink.api[0][1]
    assert len(json.loads(store.read_text())) == 2


def test_cleartext_receives_nothing() -> None:
    """T47: a token endpoint without https receives nothing, unless it is on this machine or the caller allows it."""
    app = load("clientCredentials", tokenUrl="http://login.invalid/token")
    oauth = specfn.OAuth2(CLIENT, SECRET, token_origin="http://login.invalid")
    with pytest.raises(UsageError, match="does not use https: nothing was sent"):
        use(app, "https://api.invalid", oauth)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_the_file_of_tokens_is_private(server: AuthorizationServer, tmp_path: Path) -> None:
    """T47: the file has mode 0600 from the beginning; one that others can read is refused."""
    store = tmp_path / "tokens"
    old = os.umask(0)
    try:
        oauth = specfn.OAuth2(CLIENT, SECRET, user=(USER, PASSWORD), store=store)
        use(load("password"), server.url, oauth)
    finally:
        os.umask(old)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    store.chmod(0o640)
    again = specfn.OAuth2(CLIENT, SECRET, user=(USER, PASSWORD), store=store)
    with pytest.raises(UsageError, match="others can read"):
        use(load("password"), server.url, again)


def test_another_page_cannot_finish_a_login(server: AuthorizationServer) -> None:
    """T47: a code without the state of this login is ignored, and each login has its own."""
    app, states = load("authorizationCode"), []
    oauth = specfn.OAuth2(CLIENT)

    def attack(text: str) -> None:
        query = httpx.URL(text.rpartition(" ")[2]).params
        states.append(query["state"])
        for state in ("", "x", states[0] if len(states) > 1 else "y"):
            place = f"{query['redirect_uri']}?code=stolen&state={state}"
            threading.Thread(target=httpx.get, args=(place,)).start()

    connection = specfn.Connection(server.url, credentials={"oauth": oauth})
    for _ in range(2):
        with pytest.raises(UsageError, match="not finished in time"):
            oauth.login(app, connection, show=attack, browser=False, seconds=0.6)
    assert server.forms == []


def test_nobody_else_can_use_a_code(server: AuthorizationServer) -> None:
    """T47: each login has a verifier and a state of its own, and a stolen code is worthless without the verifier."""
    app, oauth = load("authorizationCode"), specfn.OAuth2(CLIENT)
    connection = specfn.Connection(server.url, credentials={"oauth": oauth})
    queries: list[httpx.QueryParams] = []
    stolen: list[httpx.Response] = []

    def show(text: str) -> None:
        url = httpx.URL(text.rpartition(" ")[2])
        queries.append(url.params)
        form = {
            "grant_type": "authorization_code",
            "code": httpx.URL(httpx.get(url).headers["location"]).params["code"],
            "redirect_uri": url.params["redirect_uri"],
            "client_id": CLIENT,
        }
        stolen.extend(
            httpx.post(f"{server.url}/token", data={**form, **verifier})
            for verifier in ({}, {"code_verifier": url.params.get("code_challenge", "")})
        )
        place = httpx.get(url).headers["location"]
        threading.Thread(target=httpx.get, args=(place,)).start()

    for _ in range(2):
        oauth.login(app, connection, show=show, browser=False, seconds=20)
    assert {response.status_code for response in stolen} == {400}
    for name in ("state", "code_challenge"):
        assert len({query[name] for query in queries}) == 2
        assert all(len(query[name]) >= 43 for query in queries)
    assert all(query["code_challenge_method"] == "S256" for query in queries)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="127.0.0.2 is local on Linux only")
def test_a_login_listens_on_one_address_of_this_machine(server: AuthorizationServer) -> None:
    """T47: the port of a login is not reachable under another address."""
    app, oauth = load("authorizationCode"), specfn.OAuth2(CLIENT)
    connection = specfn.Connection(server.url, credentials={"oauth": oauth})
    reached: list[bool] = []

    def show(text: str) -> None:
        port = httpx.URL(httpx.URL(text.rpartition(" ")[2]).params["redirect_uri"]).port
        assert port is not None
        for address in ("127.0.0.1", "127.0.0.2"):
            with socket.socket() as client:
                reached.append(client.connect_ex((address, port)) == 0)

    with pytest.raises(UsageError, match="not finished in time"):
        oauth.login(app, connection, show=show, browser=False, seconds=0.6)
    assert reached == [True, False]


@pytest.mark.parametrize("field", ["user_code", "verification_uri"])
@pytest.mark.parametrize("text", ["\nlogged in", "\r\x1b[2J", "\u202eABC", "\u2028x", "A" * 10**6])
def test_a_code_for_the_user_is_one_line(
    server: AuthorizationServer, field: str, text: str
) -> None:
    """T47: what a hostile server shows to the user is one short line without invisible characters."""
    own = {"user_code": "A-B", "verification_uri": "https://login.example/d"}
    own[field] += text
    content = {"device_code": "canary-device", "interval": 0.01, **own}
    server.faults.append((200, {"Content-Type": "application/json"}, json.dumps(content).encode()))
    oauth, shown = specfn.OAuth2(CLIENT, SECRET), list[str]()
    connection = specfn.Connection(server.url, credentials={"oauth": oauth})
    oauth.login(load("deviceAuthorization"), connection, show=shown.append, seconds=20)
    assert len(shown) == 1
    assert shown[0].isprintable()
    assert len(shown[0]) < 5_000


@pytest.mark.parametrize("field", ["access_token", "refresh_token"])
def test_a_token_is_short(server: AuthorizationServer, tmp_path: Path, field: str) -> None:
    """T47: a token that no header and no file can hold is refused, and nothing is sent or stored."""
    tokens = {"access_token": "a", "refresh_token": "b", field: "c" * 100_000}
    server.faults.append((200, {"Content-Type": "application/json"}, json.dumps(tokens).encode()))
    store = tmp_path / "tokens"
    oauth = specfn.OAuth2(CLIENT, SECRET, user=(USER, PASSWORD), store=store)
    with pytest.raises(TransportError, match="more than 65,536 characters"):
        use(load("password"), server.url, oauth)
    assert server.api == []
    assert not store.exists()
