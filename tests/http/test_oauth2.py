"""OAuth 2 (rule X16) against a real authorization server: flows, renewal, rotation, errors, and one renewal for all."""

import asyncio
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from specfn.cli.errors import explain
from specfn.errors import HTTPStatusError, TransportError, UsageError

URLS = {
    "tokenUrl": "/token",
    "authorizationUrl": "/authorize",
    "deviceAuthorizationUrl": "/device",
}


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with running() as server:
        yield server


def load(*flows: str, scheme: dict[str, Any] | None = None, **urls: str) -> specfn.Application:
    """An API whose scheme ``oauth`` has the flows, with relative URLs."""
    flow = {**URLS, **urls, "scopes": {"read": "", "write": ""}}
    declared = scheme or {"type": "oauth2", "flows": dict.fromkeys(flows, flow)}

    def operation(*scopes: str) -> dict[str, Any]:
        success = {
            "description": "",
            "headers": {"Link": {"schema": {"type": "string"}}},
            "content": {"application/json": {"schema": {"type": "array", "items": {}}}},
        }
        return {"security": [{"oauth": list(scopes)}], "responses": {"200": success}}

    return specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "", "version": ""},
            "components": {"securitySchemes": {"oauth": declared}},
            "paths": {"/x": {"get": operation("read"), "post": operation("write", "read")}},
        }
    )


def connect(server: AuthorizationServer, oauth: specfn.OAuth2, **more: Any) -> specfn.Connection:
    return specfn.Connection(base_url=server.url, credentials={"oauth": oauth}, **more)


def owner(**more: Any) -> specfn.OAuth2:
    """A client with the user's password: its flow has refresh tokens, and needs nobody."""
    return specfn.OAuth2(CLIENT, SECRET, user=(USER, PASSWORD), **more)


# -- flows -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_form", [False, True])
def test_client_credentials(server: AuthorizationServer, *, in_form: bool) -> None:
    """The first call obtains a token for the scopes of all functions; the next one uses it, and writes are called too."""
    server.secret_in_form = in_form
    app, connection = load("clientCredentials"), connect(server, specfn.OAuth2(CLIENT, SECRET))
    for key in ("GET /x", "POST /x", "GET /x"):
        assert app.execute(key, {}, connection).ok
    assert len(server.forms) == 1 + in_form
    assert server.forms[-1][1]["scope"].split() == ["read", "write"]
    assert server.grants("client_credentials") == 1 + in_form


def test_a_selection_of_functions_asks_for_its_scopes_only(server: AuthorizationServer) -> None:
    """The scopes are the union of the functions of the application, and ``scopes`` replaces them."""
    for more, asked in (({}, "read"), ({"scopes": ["other"]}, "other")):
        app = load("clientCredentials")
        app = specfn.load(
            app.document, options=specfn.Options(select={"paths": ["/x"], "safety": ["read"]})
        )
        app.execute("GET /x", {}, connect(server, specfn.OAuth2(CLIENT, SECRET, **more)))
        assert server.forms[-1][1]["scope"] == asked


def test_password(server: AuthorizationServer) -> None:
    """A user and a password are sent to the token endpoint; a wrong password is the caller's error."""
    app = load("clientCredentials", "password")
    assert app.execute("GET /x", {}, connect(server, owner())).ok
    assert server.grants("password") == 1
    wrong = connect(server, specfn.OAuth2(CLIENT, user=(USER, "canary-wrong")))
    with pytest.raises(UsageError, match="invalid_grant") as caught:
        app.execute("GET /x", {}, wrong)
    assert "canary" not in str(caught.value)


def visit(url: str) -> threading.Thread:
    """A user who agrees: the browser opens the URL, and follows the redirect to the program."""

    def browse() -> None:
        place = httpx.get(url).headers["location"]
        for hostile in (place.replace("state=", "state=x"), place.replace("/callback", "/other")):
            assert httpx.get(hostile).status_code == 404
        assert httpx.get(place).status_code == 200

    thread = threading.Thread(target=browse)
    thread.start()
    return thread


def test_authorization_code(server: AuthorizationServer, tmp_path: Path) -> None:
    """A login in the browser has PKCE and a state; the tokens are stored for other objects, in a private file."""
    app, store = load("authorizationCode"), tmp_path / "new" / "tokens.json"
    shown: list[str] = []
    threads: list[threading.Thread] = []

    def show(text: str) -> None:
        shown.append(text)
        threads.append(visit(text.rpartition(" ")[2]))

    oauth = specfn.OAuth2(CLIENT, store=store)
    connection = connect(server, oauth)
    with pytest.raises(UsageError, match=r"needs the user: call OAuth2.login.*read write"):
        app.execute("GET /x", {}, connection)
    oauth.login(app, connection, show=show, browser=False, seconds=20)
    threads[0].join()
    assert "scope=read+write" in shown[0]
    again = connect(server, specfn.OAuth2(CLIENT, store=store))
    assert app.execute("GET /x", {}, again).ok
    assert server.grants("authorization_code") == 1
    if os.name == "posix":
        assert store.stat().st_mode & 0o777 == 0o600


def test_device(server: AuthorizationServer) -> None:
    """A login on another device shows the URL and the code, and waits until the user has confirmed."""
    app, oauth = load("deviceAuthorization"), specfn.OAuth2(CLIENT, SECRET)
    connection, shown = connect(server, oauth), []
    server.pending = 2
    oauth.login(app, connection, show=shown.append, seconds=20)
    assert shown == ["Open https://login.example/device and type the code ABCD-EFGH"]
    assert app.execute("POST /x", {}, connection).ok
    assert len([path for path, _ in server.forms if path == "/token"]) == 3


def test_a_login_that_ends_without_a_token(server: AuthorizationServer) -> None:
    """A user who does nothing or refuses ends the login with an error of the caller."""
    app, oauth = load("authorizationCode"), specfn.OAuth2(CLIENT)

    def refuse(text: str) -> None:
        query = httpx.URL(text.rpartition(" ")[2]).params
        back = f"{query['redirect_uri']}?error=access_denied&state={query['state']}"
        threading.Thread(target=httpx.get, args=(back,)).start()

    for show, seconds, reason in ((refuse, 20, "refused"), (str, 0.1, "not finished in time")):
        with pytest.raises(UsageError, match=reason):
            oauth.login(app, connect(server, oauth), show=show, browser=False, seconds=seconds)


def test_discovery(server: AuthorizationServer) -> None:
    """The endpoints of OpenID Connect come from the metadata of the server."""
    server.metadata = {"issuer": server.url, "token_endpoint": f"{server.url}/token"}
    scheme = {"type": "openIdConnect", "openIdConnectUrl": "/.well-known/openid-configuration"}
    connection = connect(server, specfn.OAuth2(CLIENT, SECRET))
    assert load(scheme=scheme).execute("GET /x", {}, connection).ok


def test_a_scheme_without_a_usable_flow(server: AuthorizationServer) -> None:
    """An error names the flows that the document declares, and those that can be used; nothing is sent."""
    cases = {
        "declares implicit; expected password.*a callable": load("implicit"),
        "declares clientCredentials; expected password": load("clientCredentials"),
        "tokenUrl of the security scheme 'oauth' is not a URL": load(
            "authorizationCode", tokenUrl=""
        ),
        "declares the type 'http'": load(scheme={"type": "http", "scheme": "bearer"}),
    }
    for text, app in cases.items():
        with pytest.raises(UsageError, match=text):
            app.execute("GET /x", {}, connect(server, specfn.OAuth2(CLIENT)))
    app, oauth = (
        load("clientCredentials"),
        specfn.OAuth2(CLIENT, SECRET, flow="deviceAuthorization"),
    )
    with pytest.raises(UsageError, match="expected deviceAuthorization"):
        app.execute("GET /x", {}, connect(server, oauth))
    assert server.forms == server.api == []


# -- renewal ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_refused_token_is_renewed_once(server: AuthorizationServer, method: str) -> None:
    """After a 401 the token is refreshed without ``scope``, and the call is sent once more, a write too."""
    app, connection = load("password", refreshUrl="/refresh"), connect(server, owner())
    app.execute("GET /x", {}, connection)
    server.revoke()
    assert app.execute(f"{method} /x", {}, connection).ok
    assert [form.get("scope") for _, form in server.forms] == ["read write", None]
    assert server.forms[1][0] == "/refresh"
    assert [called for called, _ in server.api] == ["GET", method, method]


def test_a_token_that_stays_refused_ends_with_the_401(server: AuthorizationServer) -> None:
    """A renewed token that the API refuses as well is not renewed again for the same call."""
    app, connection = load("clientCredentials"), connect(server, specfn.OAuth2(CLIENT, SECRET))
    app.execute("GET /x", {}, connection)
    server.revoke()
    server.access = Forgetful()
    with pytest.raises(HTTPStatusError):
        app.execute("GET /x", {}, connection)
    assert len(server.forms) == 2
    assert len(server.api) == 3


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("page", [1, 2, 3])
def test_a_token_is_renewed_between_pages(
    server: AuthorizationServer, page: int, *, is_async: bool
) -> None:
    """A page that is followed by its URL has the token of the moment; after a 401 it is refreshed and sent once more."""
    app, connection = load("password"), connect(server, owner())
    server.pages = {"": "?at=2", "at=2": "?at=3"}  # the document has no such parameter
    count = 0

    def after(_: Any) -> None:
        nonlocal count
        count += 1
        if count == page:
            server.revoke()

    bound = connection.model_copy(update={"after": after})

    async def read() -> list[Any]:
        return [page async for page in app.apages("GET /x", {}, bound)]

    pages = asyncio.run(read()) if is_async else [*app.pages("GET /x", {}, bound)]
    assert [page.result.status for page in pages] == [200] * 3
    assert server.grants("refresh_token") == (page < 3)
    assert len(server.api) == 3 + (page < 3)


def test_a_token_that_stays_refused_ends_the_pages(server: AuthorizationServer) -> None:
    """A page whose renewed token is refused as well ends the iteration with the 401, after one renewal."""
    app = load("password")
    server.pages = {"": "?at=2"}

    def after(_: Any) -> None:
        server.revoke()
        server.access = Forgetful()

    connection = connect(server, owner(), after=after)
    with pytest.raises(HTTPStatusError):
        [*app.pages("GET /x", {}, connection)]
    assert server.grants("refresh_token") == 1
    assert len(server.api) == 3


class Forgetful(set[str]):
    """A set that keeps nothing."""

    def add(self, _: str) -> None:
        """Keep nothing."""


@pytest.mark.parametrize("lifetime", [0, "0", -5, 0.0])
def test_an_expired_token_is_not_sent(server: AuthorizationServer, lifetime: Any) -> None:
    """A token is renewed before its end, so the API receives no expired one."""
    server.lifetimes = [lifetime, 3600]
    app, connection = load("password"), connect(server, owner())
    for _ in range(3):
        app.execute("GET /x", {}, connection)
    assert [form["grant_type"] for _, form in server.forms] == ["password", "refresh_token"]
    assert all(token in server.access for _, token in server.api)


@pytest.mark.parametrize("lifetime", [None, "soon", [], 10**400, 1e308])
def test_a_lifetime_that_says_nothing(server: AuthorizationServer, lifetime: Any) -> None:
    """A token without a usable lifetime is valid until the API refuses it."""
    server.lifetimes = [lifetime]
    app, connection = load("clientCredentials"), connect(server, specfn.OAuth2(CLIENT, SECRET))
    for _ in range(2):
        app.execute("GET /x", {}, connection)
    assert len(server.forms) == 1


def test_rotation(server: AuthorizationServer, tmp_path: Path) -> None:
    """Each refresh token is used once: the new one is stored before the access token is used."""
    store = tmp_path / "tokens.json"
    server.lifetimes = [0]
    app = load("password")
    for turn in range(4):
        app.execute("GET /x", {}, connect(server, owner(store=store)))
        (stored,) = json.loads(store.read_text()).values()
        assert stored["access_token"] == server.api[-1][1]
        assert {stored["refresh_token"]} == server.refresh
        assert server.grants("refresh_token") == turn


def test_a_revoked_refresh_token(server: AuthorizationServer, tmp_path: Path) -> None:
    """A flow without a user begins again; a flow with a user forgets the tokens and asks for a login."""
    app, connection = load("password"), connect(server, owner())
    app.execute("GET /x", {}, connection)
    server.revoke(refresh_too=True)
    assert app.execute("GET /x", {}, connection).ok
    assert server.grants("password") == 2

    app, oauth = load("authorizationCode"), specfn.OAuth2(CLIENT, store=tmp_path / "tokens")
    connection, threads = connect(server, oauth), []
    oauth.login(
        app,
        connection,
        show=lambda text: threads.append(visit(text.rpartition(" ")[2])),
        browser=False,
        seconds=20,
    )
    threads[0].join()
    server.revoke(refresh_too=True)
    with pytest.raises(HTTPStatusError):
        app.execute("GET /x", {}, connection)
    before = len(server.forms)
    with pytest.raises(UsageError, match="login"):
        app.execute("GET /x", {}, connection)
    assert len(server.forms) == before
    assert json.loads((tmp_path / "tokens").read_text()) == {}


def test_a_failed_renewal_keeps_the_refresh_token(server: AuthorizationServer) -> None:
    """A server that is out of order for a moment does not end the login."""
    server.lifetimes = [0]
    app, connection = load("password"), connect(server, owner())
    app.execute("GET /x", {}, connection)
    server.faults = [(503, {}, b"{}")]
    with pytest.raises(TransportError, match="has status 503") as caught:
        app.execute("GET /x", {}, connection)
    assert not caught.value.sent
    assert caught.value.scheme == "oauth"
    assert app.execute("GET /x", {}, connection).ok
    assert server.grants("refresh_token") == 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ((200, {}, b'{"token_type": "Bearer"}'), "no access token"),
        ((200, {}, b'{"access_token": "canary\\r\\nX: y"}'), "no access token"),
        ((200, {}, b'{"access_token": "canary", "token_type": "mac"}'), "not a bearer token"),
        ((200, {"Content-Type": "text/html"}, b"canary"), "not a JSON object"),
        ((200, {"Content-Type": "text/event-stream"}, b"data: canary\n\n"), "not a JSON object"),
        ((400, {}, b'{"error": "canary"}'), "status 400"),
        ((400, {}, b'{"error": "slow_down"}'), "status 400"),
        ((400, {}, b'{"error": ["canary"]}'), "status 400"),
        ((403, {}, b"canary"), "status 403"),
        ((307, {"Location": "/token?canary"}, b""), "redirects, which is not followed"),
    ],
)
def test_an_answer_that_is_not_a_token(
    server: AuthorizationServer, fault: Any, reason: str
) -> None:
    """An error says what is wrong, and repeats no text of the authorization server; the API receives nothing."""
    server.faults = [fault]
    app, connection = load("clientCredentials"), connect(server, specfn.OAuth2(CLIENT, SECRET))
    with pytest.raises(TransportError, match=reason) as caught:
        app.execute("GET /x", {}, connection, stream=True)
    assert "canary" not in str(caught.value)
    assert server.api == []


# -- one renewal for all ---------------------------------------------------------------------------------


def prepare_renewal(
    server: AuthorizationServer, app: Any, connection: Any, *, refused: bool
) -> None:
    """Let the token expire: by its lifetime, or because the API refuses it from now on."""
    server.lifetimes = [3600 if refused else 0, 3600]
    app.execute("GET /x", {}, connection)
    server.delay = 0.2  # the others come while the first one waits
    if refused:
        server.revoke()


@pytest.mark.parametrize("refused", [False, True])
def test_eight_threads_renew_once(server: AuthorizationServer, *, refused: bool) -> None:
    """Eight threads with an expired or a refused token send one refresh, and all of them succeed."""
    app, connection = load("password"), connect(server, owner())
    prepare_renewal(server, app, connection, refused=refused)
    barrier = threading.Barrier(8)

    def call(_: int) -> bool:
        barrier.wait()
        return app.execute("POST /x", {}, connection).ok

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(8)))
    assert server.grants("refresh_token") == 1


@pytest.mark.parametrize("refused", [False, True])
def test_eight_tasks_renew_once(server: AuthorizationServer, *, refused: bool) -> None:
    """Eight tasks of an event loop send one refresh, and do not block the loop."""
    app, connection = load("password"), connect(server, owner())
    prepare_renewal(server, app, connection, refused=refused)

    async def run() -> list[specfn.Result]:
        async with connection:
            return await asyncio.gather(
                *(app.aexecute("POST /x", {}, connection) for _ in range(8))
            )

    assert all(result.ok for result in asyncio.run(run()))
    assert server.grants("refresh_token") == 1


def test_a_cancelled_call_does_not_lose_the_new_refresh_token(server: AuthorizationServer) -> None:
    """A renewal goes on when its call is cancelled: the old refresh token is used up."""
    app, connection = load("password"), connect(server, owner())
    prepare_renewal(server, app, connection, refused=False)

    async def run() -> specfn.Result:
        async with connection:
            call = asyncio.create_task(app.aexecute("GET /x", {}, connection))
            await asyncio.sleep(0.05)
            call.cancel()
            return await app.aexecute("GET /x", {}, connection)

    assert asyncio.run(run()).ok
    assert server.grants("refresh_token") == 1
    assert server.grants("password") == 1


PROGRAM = """
import json, sys, specfn
document, url, store = json.loads(sys.argv[1])
oauth = specfn.OAuth2(*json.loads(sys.argv[2]), user=tuple(json.loads(sys.argv[3])), store=store)
app = specfn.load(document)
connection = specfn.Connection(url, credentials={"oauth": oauth})
print("ready", flush=True)
sys.stdin.readline()
print(app.execute("GET /x", {}, connection).status, flush=True)
"""


def test_two_processes_renew_once(server: AuthorizationServer, tmp_path: Path) -> None:
    """Two processes that share a store send one refresh."""
    store = tmp_path / "tokens.json"
    app = load("password")
    prepare_renewal(server, app, connect(server, owner(store=store)), refused=False)
    arguments = [[app.document, server.url, str(store)], [CLIENT, SECRET], [USER, PASSWORD]]
    command = [sys.executable, "-c", PROGRAM, *map(json.dumps, arguments)]
    programs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    assert [program.communicate(timeout=60)[0] for program in programs] == ["200\n", "200\n"]
    assert server.grants("refresh_token") == 1


def test_a_slow_server_ends_the_wait(server: AuthorizationServer) -> None:
    """A token endpoint that does not respond in time ends every call that waits for it."""
    app = load("clientCredentials")
    connection = connect(server, specfn.OAuth2(CLIENT, SECRET), timeout=0.2)
    server.delay = 1.0
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(app.execute, "GET /x", {}, connection) for _ in range(3)]
        errors = [call.exception() for call in calls]
    assert all(isinstance(error, TransportError) and not error.sent for error in errors)
    assert server.api == []


def test_the_time_for_a_token_counts(server: AuthorizationServer) -> None:
    """The limit of a call includes the time for its token, in both kinds of calls."""
    app = load("clientCredentials")
    server.delay = server.api_delay = 0.7
    for run in (app.execute, lambda *given: asyncio.run(app.aexecute(*given))):
        connection = connect(server, specfn.OAuth2(CLIENT, SECRET), timeout=1.0)
        with pytest.raises(TransportError, match="not finished within 1 s"):
            run("GET /x", {}, connection)


def test_a_renewal_outlives_its_call(server: AuthorizationServer) -> None:
    """A call whose time ends while its refused token is renewed does not lose the new refresh token."""
    app, connection = load("password"), connect(server, owner(), timeout=1.0)

    async def run() -> None:
        await app.aexecute("GET /x", {}, connection)
        server.revoke()
        server.delay = server.api_delay = 0.7
        with pytest.raises(HTTPStatusError, match="401"):
            await app.aexecute("GET /x", {}, connection)
        await asyncio.sleep(0.7)
        server.api_delay = 0.0
        assert (await app.aexecute("GET /x", {}, connection)).ok

    asyncio.run(run())
    assert server.grants("refresh_token") == 1


# -- the file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "[1]", "\0", "[" * 100_000])
def test_a_broken_file_is_an_error(
    server: AuthorizationServer, tmp_path: Path, content: str
) -> None:
    """A file that is not one of tokens is never overwritten."""
    store = tmp_path / "tokens"
    store.write_text(content)
    store.chmod(0o600)
    with pytest.raises(UsageError, match="cannot be read as a file of tokens"):
        load("password").execute("GET /x", {}, connect(server, owner(store=store)))
    assert store.read_text() == content
    assert server.forms == []


WHOLE = {"access_token": "old", "refresh_token": "old", "until": 1}


@pytest.mark.parametrize(
    "entry",
    [
        *("text", 7, [], {}, True),
        *({key: WHOLE[key] for key in WHOLE if key != name} for name in ("access_token", "until")),
        *({**WHOLE, "access_token": value} for value in (None, 5, ["x"], "a\nb", "\ud800")),
        *({**WHOLE, "until": value} for value in (None, "soon", [], True)),
        *({**WHOLE, "refresh_token": value} for value in (5, {"a": 1}, "a\nb", "\ud800")),
    ],
)
def test_a_damaged_entry_is_absent(
    server: AuthorizationServer, tmp_path: Path, entry: object
) -> None:
    """A flow without a user obtains new tokens in place of an entry that has none; the entries of others stay."""
    store = tmp_path / "tokens"
    app = load("password")
    app.execute("GET /x", {}, connect(server, owner(store=store)))
    (key,) = json.loads(store.read_text())
    store.write_text(json.dumps({key: entry, "other": WHOLE}))
    server.forms.clear()
    assert app.execute("GET /x", {}, connect(server, owner(store=store))).ok
    assert [form["grant_type"] for _, form in server.forms] == ["password"]
    stored = json.loads(store.read_text())
    assert stored[key]["access_token"] == server.api[-1][1]
    assert stored["other"] == WHOLE


def test_a_missing_credential_names_what_obtains_it() -> None:
    """The error has the flow, its URL and the scopes of the operation; that of the command asks for a token."""
    for app, place in (
        (
            load("clientCredentials", tokenUrl="https://h/token?k=canary"),
            "clientCredentials at https://h/token",
        ),
        (
            load(scheme={"type": "openIdConnect", "openIdConnectUrl": "https://h/o"}),
            "discovery at https://h/o",
        ),
    ):
        with pytest.raises(UsageError) as caught:
            app.request("POST /x", {}, specfn.Connection("https://h"))
        text = f"'oauth' is OAuth 2 ({place}, scopes write read): "
        assert f"{text}a specfn.OAuth2 obtains its token; if" in str(caught.value)
        assert f"{text}specfn login obtains its token; if" in explain(caught.value)[0]


def test_the_arguments_are_checked() -> None:
    """A flow that does not exist and an origin with a path are errors at once."""
    for more in (
        {"flow": "implicit"},
        {"flow": "password"},
        {"token_origin": "https://h/x"},
        {"token_origin": "h"},
    ):
        with pytest.raises(UsageError):
            specfn.OAuth2(CLIENT, **more)  # type: ignore[arg-type]


def test_no_text_has_a_secret(server: AuthorizationServer) -> None:
    """No repr and no pickle has the secret, the password or a token; ``specfn.request`` sends nothing."""
    oauth = owner()
    app, connection = load("password"), connect(server, oauth, pickle_secrets=True)
    with pytest.raises(UsageError, match=r"specfn\.request sends nothing"):
        app.request("GET /x", {}, connection)
    result = app.execute("GET /x", {}, connection)
    texts = (oauth, connection, connection.model_dump(), vars(oauth), result.for_model())
    for text in map(repr, texts):
        assert "canary" not in text
        assert SECRET not in text
    for value in (oauth, connection):
        with pytest.raises(UsageError, match="pickle"):
            pickle.dumps(value)
