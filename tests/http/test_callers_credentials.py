"""The credential that the caller names is the truth (rules X4, X6, X8)."""

import base64
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from tests.http.conftest import Loopback, http_answer

import specfn
from specfn import aexecute, execute, propagate
from specfn.errors import HTTPStatusError, TransportError, UsageError

SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "k"},
    "basic": {"type": "http", "scheme": "basic"},
    "first": {"type": "oauth2", "flows": {}},
    "second": {"type": "oauth2", "flows": {}},
}


def load(operations: Mapping[str, Any], **document: Any) -> specfn.Application:
    """Return the application of a document whose operations are ``METHOD /path`` with their members."""
    paths: dict[str, Any] = {}
    for place, members in operations.items():
        method, path = place.split(" ")
        paths.setdefault(path, {})[method.lower()] = {"responses": {"200": {}}, **members}
    return specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": paths,
            "components": {"securitySchemes": SCHEMES},
            **document,
        }
    )


def sent(app: specfn.Application, place: str = "GET /x", **fields: Any) -> dict[str, str]:
    """Return the credentials in the request of an operation, by header or ``?name``."""
    request = app.request(place, {}, specfn.Connection(**{"base_url": "https://h"} | fields))
    headers = {name: value for name, value in request.headers.items() if name in _CREDENTIALS}
    return headers | {f"?{name}": value for name, value in request.url.params.items()}


_CREDENTIALS = {"x-key", "authorization", "x-token", "x-other"}

NEEDS_KEY = {"security": [{"key": []}]}


# -- schemes that no requirement mentions ----------------------------------------------------------------


def test_a_scheme_that_no_requirement_mentions_applies_everywhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its credential is sent with each operation without security of its own; a note and one line of the log say so."""
    app = load(
        {
            "GET /x": {},
            "GET /none": {"security": []},
            "GET /other": {"security": [{"first": []}]},
        }
    )
    assert [note.pointer for note in app.notes if "no security requirement" in note.text] == [
        f"/components/securitySchemes/{name}" for name in ("key", "query", "basic", "second")
    ]
    connection = specfn.Connection(base_url="https://h", credentials={"key": "s3", "first": "t"})
    with caplog.at_level(logging.INFO):
        requests = [app.request("GET /x", {}, connection) for _ in range(3)]
    assert [request.headers["X-Key"] for request in requests] == ["s3"] * 3
    assert len([record for record in caplog.records if "'key'" in record.getMessage()]) == 1
    assert "X-Key" not in app.request("GET /none", {}, connection).headers
    assert "X-Key" not in app.request("GET /other", {}, connection).headers


def test_security_of_the_document_is_no_security_of_an_operation() -> None:
    """A scheme that no requirement mentions is sent next to the credential that the document requires."""
    app = load({"GET /x": {}}, security=[{"first": []}])
    given = {"first": "t", "query": "k"}
    assert sent(app, credentials=given) == {"authorization": "Bearer t", "?k": "k"}
    assert sent(app, credentials={"first": "t", "basic": ("u", "p")}) == {
        "authorization": "Bearer t"
    }  # one header has one value: that of the required scheme


@pytest.mark.parametrize("status", [401, 403])
def test_a_scheme_that_some_operations_mention_is_sent_there_only(
    loopback: Loopback, status: int
) -> None:
    """A response of 401 or 403 says which credential was not sent; ``send_all_credentials`` sends it."""
    app = load({"GET /x": {}, "GET /y": NEEDS_KEY})
    assert sent(app, "GET /y", credentials={"key": "s3"}) == {"x-key": "s3"}
    assert sent(app, credentials={"key": "s3"}) == {}
    assert sent(app, credentials={"key": "s3"}, send_all_credentials=True) == {"x-key": "s3"}
    loopback.respond = lambda _: http_answer(b"{}", f"{status} No")
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": "s3"})
    advice = "'key' was not sent, because the document does not ask for it here"
    assert advice in propagate(app["GET /x"], {}, connection).for_model()
    assert advice in app.bind(connection)["GET /x"].outcome({}).text
    with pytest.raises(HTTPStatusError, match=r"send_all_credentials=True\) sends it") as caught:
        execute(app["GET /x"], {}, connection)
    assert "s3" not in str(caught.value)
    assert "not sent" not in propagate(app["GET /y"], {}, connection).for_model()


def test_other_responses_have_no_advice(loopback: Loopback) -> None:
    """Only a response that denies access says which credentials were not sent."""
    app = load({"GET /x": {}, "GET /y": NEEDS_KEY})
    loopback.respond = lambda _: http_answer(b"{}", "404 No")
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": "s3"})
    assert "not sent" not in propagate(app["GET /x"], {}, connection).for_model()


def test_of_two_alternatives_the_answer_says_which_was_sent(loopback: Loopback) -> None:
    """Two credentials that the document declares as alternatives: a 401 names both; ``send_all_credentials`` sends both."""
    app = load({"GET /x": {"security": [{"key": []}, {"first": []}]}})
    given = {"key": "s3", "first": "t"}
    assert sent(app, credentials=given) == {"x-key": "s3"}
    both = {"x-key": "s3", "authorization": "Bearer t"}
    assert sent(app, credentials=given, send_all_credentials=True) == both
    loopback.respond = lambda _: http_answer(b"{}", "401 No")
    connection = specfn.Connection(base_url=loopback.url, credentials=given)
    text = propagate(app["GET /x"], {}, connection).for_model()
    assert "'key' was sent; 'first' was not sent" in text


def test_an_operation_without_security_gets_no_credential() -> None:
    """``security: []`` means none, also with ``send_all_credentials``, and its 401 promises nothing else."""
    app = load({"GET /x": {"security": []}, "GET /y": NEEDS_KEY})
    assert sent(app, credentials={"key": "s3"}, send_all_credentials=True) == {}


# -- no authentication -----------------------------------------------------------------------------------


def test_an_anonymous_connection_sends_nothing() -> None:
    """``anonymous`` checks no requirement, also not that of an undeclared scheme, and sends no credential."""
    token = {"name": "X-API-Key", "in": "header", "required": True, "schema": {"type": "string"}}
    app = load(
        {
            "GET /x": NEEDS_KEY,
            "GET /y": {"security": [{"unknown": []}]},
            "GET /z": {"parameters": [token]},
        }
    )
    fields: dict[str, Any] = {"anonymous": True, "credentials": {"key": "s3"}}
    for place in ("GET /x", "GET /y", "GET /z"):
        with pytest.raises(UsageError):
            sent(app, place)
        assert sent(app, place, **fields) == {}
    with pytest.raises(UsageError, match="leave out send_all_credentials"):
        specfn.Connection(anonymous=True, send_all_credentials=True)
    with pytest.raises(UsageError, match="leave out auth"):
        specfn.Connection(anonymous=True, auth=httpx.BasicAuth("u", "p"))


def test_the_error_of_missing_credentials_names_the_anonymous_connection() -> None:
    """Who calls a server without authentication learns how; ``None`` asks for the environment variable."""
    app = load({"GET /x": {"security": [{"key": []}, {"first": []}]}})
    with pytest.raises(
        UsageError, match=r"if the server needs none, pass Connection\(anonymous=True\)"
    ):
        sent(app)
    with pytest.raises(UsageError, match="'key' is None: is its environment variable set"):
        sent(app, credentials={"key": None})
    with pytest.raises(UsageError, match=r"'key' is empty.*is the variable set"):
        sent(app, credentials={"key": ""})
    assert sent(app, credentials={"key": None, "first": "t"}) == {"authorization": "Bearer t"}


# -- the caller's own authentication ---------------------------------------------------------------------


def own_authentication() -> Iterator[tuple[str, dict[str, Any], str]]:
    seen = httpx.MockTransport(lambda request: httpx.Response(200, json=dict(request.headers)))
    basic = "Basic " + base64.b64encode(b"u:p").decode()
    yield "client.auth", {"client": httpx.Client(transport=seen, auth=("u", "p"))}, basic
    yield (
        "client.headers",
        {"client": httpx.Client(transport=seen, headers={"Authorization": "Own 1"})},
        "Own 1",
    )
    yield (
        "headers",
        {"client": httpx.Client(transport=seen), "headers": {"Authorization": "Own 2"}},
        "Own 2",
    )
    yield (
        "auth",
        {"client": httpx.Client(transport=seen), "auth": httpx.BasicAuth("u", "p")},
        basic,
    )


OWN = {name: (fields, value) for name, fields, value in own_authentication()}


@pytest.mark.parametrize("name", OWN)
def test_the_callers_own_authentication_is_enough(name: str) -> None:
    """No requirement is checked, and no dummy credential is needed; the authentication is what the server gets."""
    fields, value = OWN[name]
    app = load({"GET /x": NEEDS_KEY})
    connection = specfn.Connection(base_url="https://h", **fields)
    received = execute(app["GET /x"], {}, connection).data
    assert received["authorization"] == value
    assert "x-key" not in received


@pytest.mark.parametrize("name", OWN)
def test_own_authentication_is_sent_to_trusted_origins_only(name: str) -> None:
    """A server that only the document names gets no authentication of the caller (T3)."""
    fields, _ = OWN[name]
    app = load({"GET /x": {"servers": [{"url": "https://other.example"}]}})
    connection = specfn.Connection(base_url="https://h", trust_servers=True, **fields)
    assert "authorization" not in execute(app["GET /x"], {}, connection).data


@pytest.mark.parametrize("name", OWN)
def test_own_authentication_is_not_sent_in_the_clear(name: str) -> None:
    """The authentication of a caller needs https, as each credential does (T28)."""
    fields, _ = OWN[name]
    connection = specfn.Connection(base_url="http://api.example.com", **fields)
    with pytest.raises(UsageError, match="allow_insecure"):
        execute(load({"GET /x": {}})["GET /x"], {}, connection)


@pytest.mark.parametrize("name", OWN)
def test_an_anonymous_connection_uses_no_authentication_of_a_client(name: str) -> None:
    """``anonymous`` also holds for the client; headers are what the caller writes there."""
    fields, _ = OWN[name]
    if name.startswith("client"):
        connection = specfn.Connection(base_url="https://h", anonymous=True, **fields)
        app = load({"GET /x": NEEDS_KEY})
        assert "authorization" not in execute(app["GET /x"], {}, connection).data


@pytest.mark.parametrize("field", ["client", "auth"])
def test_own_authentication_does_not_follow_a_redirect_out_of_the_base_path(
    loopback: Loopback, field: str
) -> None:
    """A redirect to another application of the origin gets no authentication, on this hop and on all later ones (T4)."""

    def respond(request: bytes) -> bytes:
        path = request.split(b" ")[1]
        to = {b"/api/x": "/other", b"/other": "/api/y"}.get(path)
        return http_answer(b"{}", "307 Moved", Location=to) if to else http_answer(b"{}")

    loopback.respond = respond
    auth = httpx.BasicAuth("u", "p")
    with httpx.Client(auth=auth) as client:
        fields: dict[str, Any] = {"client": client} if field == "client" else {"auth": auth}
        with specfn.Connection(
            base_url=f"{loopback.url}/api", redirects="same-origin", **fields
        ) as connection:
            execute(load({"GET /x": {}})["GET /x"], {}, connection)
    paths = [request.split(b" ")[1] for request in loopback.requests]
    with_secret = [b"authorization" in request.lower() for request in loopback.requests]
    assert paths == [b"/api/x", b"/other", b"/api/y"]
    assert with_secret == [True, False, False]


HOOKS = {
    "Authorization": lambda request: request.headers.update({"Authorization": "Own"}),
    "the header of the scheme": lambda request: request.headers.update({"X-Key": "Own"}),
    "the query of the scheme": lambda request: setattr(
        request, "url", request.url.copy_merge_params({"k": "1"})
    ),
}


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_may_authenticate(hook: str) -> None:
    """With ``before``, the requirement is checked in the request that it changed."""
    app = load({"GET /x": {"security": [{"key": []}, {"query": []}]}})
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200)))
    before = HOOKS[hook]
    connection = specfn.Connection(base_url="https://h", client=client, before=before)
    assert execute(app["GET /x"], {}, connection).ok
    idle = connection.model_copy(update={"before": lambda _: None})
    with pytest.raises(UsageError, match=r"needs credentials: key or query.*before did not add"):
        execute(app["GET /x"], {}, idle)


# -- auth= -----------------------------------------------------------------------------------------------


class TokenAuth(httpx.Auth):
    """An authentication that fetches a token at another path."""

    requires_response_body = True

    def auth_flow(self, request: httpx.Request) -> Any:
        response = yield httpx.Request("POST", request.url.copy_with(path="/token", query=None))
        request.headers["Authorization"] = f"Bearer {response.json()['token']}"
        yield request


def run(function: Any, connection: specfn.Connection, *, is_async: bool) -> Any:
    if not is_async:
        with connection:
            return execute(function, {}, connection)

    async def call() -> Any:
        async with connection:
            return await aexecute(function, {}, connection)

    import asyncio  # noqa: PLC0415  # for this call only

    return asyncio.run(call())


@pytest.mark.parametrize("is_async", [False, True])
def test_a_flow_of_an_authentication_runs_with_the_transport_of_calls(
    loopback: Loopback, *, is_async: bool
) -> None:
    """A flow may send requests of its own; what it adds is masked in what the server repeats."""
    loopback.respond = lambda request: (
        http_answer(b'{"token": "canary-4711"}')
        if b"/token " in request
        else http_answer(b'{"you sent": "canary-4711"}')
    )
    connection = specfn.Connection(base_url=loopback.url, auth=TokenAuth())
    result = run(load({"GET /x": NEEDS_KEY})["GET /x"], connection, is_async=is_async)
    assert [request.split(b" ")[1] for request in loopback.requests] == [b"/token", b"/x"]
    assert loopback.head["authorization"] == ["Bearer canary-4711"]
    assert result.data == {"you sent": "canary-4711"}
    assert "canary-4711" not in result.for_model()


@pytest.mark.parametrize("is_async", [False, True])
def test_digest_authentication(loopback: Loopback, *, is_async: bool) -> None:
    """The response to the first request of a flow is not the result."""
    challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=MD5'
    loopback.respond = lambda request: (
        http_answer(b'{"ok": true}')
        if b"authorization: digest" in request.lower()
        else http_answer(b"{}", "401 No", WWW_Authenticate=challenge)
    )
    connection = specfn.Connection(base_url=loopback.url, auth=httpx.DigestAuth("u", "p"))
    result = run(load({"GET /x": {}})["GET /x"], connection, is_async=is_async)
    assert result.data == {"ok": True}
    assert len(loopback.requests) == 2


@pytest.mark.parametrize("is_async", [False, True])
def test_the_limits_hold_in_a_flow(loopback: Loopback, *, is_async: bool) -> None:
    """A response to a request of a flow is read up to the limit of the connection."""
    loopback.respond = lambda _: http_answer(b"[" + b" " * 10_000 + b"]")
    connection = specfn.Connection(base_url=loopback.url, auth=TokenAuth(), max_bytes=1_000)
    with pytest.raises(specfn.SpecfnError, match="longer than max_bytes"):
        run(load({"GET /x": {}})["GET /x"], connection, is_async=is_async)


def test_a_flow_takes_nothing_of_the_client_to_another_host() -> None:
    """With ``auth``, the authentication of the client does not apply: the flow may send requests to other hosts."""
    seen: dict[str, str | None] = {}

    def respond(request: httpx.Request) -> httpx.Response:
        seen[request.url.path] = request.headers.get("authorization")
        return httpx.Response(200, json={"token": "t"})

    for own in ({"headers": {"Authorization": "canary"}}, {"auth": ("u", "canary")}):
        client = httpx.Client(transport=httpx.MockTransport(respond), **own)
        connection = specfn.Connection(base_url="https://h", client=client, auth=TokenAuth())
        execute(load({"GET /x": {}})["GET /x"], {}, connection)
        assert seen == {"/token": None, "/x": "Bearer t"}


def test_the_password_of_an_authentication_is_masked(loopback: Loopback) -> None:
    """A server that repeats the password of a basic authentication shows it to no model (T38)."""
    loopback.respond = lambda _: http_answer(b'{"password": "canary-4711"}')
    connection = specfn.Connection(
        base_url=loopback.url, auth=httpx.BasicAuth("user", "canary-4711")
    )
    assert "canary" not in execute(load({"GET /x": {}})["GET /x"], {}, connection).for_model()


# -- schemes that write one header -----------------------------------------------------------------------


def test_one_token_satisfies_two_schemes_of_one_header() -> None:
    """Two oauth2 schemes of one requirement are one header; alternatives that differ in scopes are named once."""
    both = {"first": ["a"], "second": ["a"]}
    app = load({"GET /x": {"security": [both, {"first": ["b"], "second": ["b"]}]}})
    for name in ("first", "second"):
        assert sent(app, credentials={name: "t"}) == {"authorization": "Bearer t"}
    with pytest.raises(UsageError, match="needs credentials: first; pass"):
        sent(app)
    different = load({"GET /x": {"security": [{"first": [], "basic": []}]}})
    with pytest.raises(UsageError, match="needs credentials: first and basic; pass"):
        sent(different, credentials={"first": "t"})


# -- new credentials after a 401 -------------------------------------------------------------------------


def expiring(loopback: Loopback, *tokens: Any) -> tuple[Callable[[], Any], list[str]]:
    """Return a callable that returns each token in turn, from a server that accepts ``good`` only, and its log."""
    calls: list[str] = []
    waiting = list(tokens)

    def token() -> Any:
        calls.append("token")
        value = waiting.pop(0)
        if isinstance(value, Exception):
            raise value
        return value

    loopback.respond = lambda request: http_answer(
        b"{}", "200 OK" if b"x-key: good" in request.lower() else "401 No"
    )
    return token, calls


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_callable_is_asked_once_more_after_a_401(loopback: Loopback, method: str) -> None:
    """The call is sent once more with the new credential, and with the same body."""
    body = (
        {"requestBody": {"content": {"application/json": {"schema": {}}}}}
        if method == "PUT"
        else {}
    )
    app = load({f"{method} /x": NEEDS_KEY | body})
    token, calls = expiring(loopback, "old", SecretStr("good"))
    arguments = {"body": [1]} if body else {}
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": token})
    assert execute(app[f"{method} /x"], arguments, connection).status == 200
    assert len(calls) == len(loopback.requests) == 2
    assert len({request.partition(b"\r\n\r\n")[2] for request in loopback.requests}) == 1


@pytest.mark.parametrize(
    "tokens",
    [
        ("old", "old"),
        ("old", "older", "good"),
        ("old", ValueError("x")),
        ("old", ""),
        ("old", None),
    ],
)
def test_a_call_is_sent_at_most_twice(loopback: Loopback, tokens: Any) -> None:
    """The same credential, no credential and a second 401 end the call with the 401."""
    app = load({"GET /x": NEEDS_KEY})
    token, calls = expiring(loopback, *tokens)
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": token})
    assert propagate(app["GET /x"], {}, connection).status == 401
    assert len(calls) == 2
    assert len(loopback.requests) == (2 if tokens[1] == "older" else 1)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_write_is_sent_again_only_on_request(loopback: Loopback, method: str) -> None:
    """POST and PATCH are sent once more with ``refresh_writes`` only (X14: a write is not repeated)."""
    app = load({f"{method} /x": NEEDS_KEY})
    for refresh, status in ((False, 401), (True, 200)):
        token, _ = expiring(loopback, "old", "good")
        connection = specfn.Connection(
            base_url=loopback.url, credentials={"key": token}, refresh_writes=refresh
        )
        assert propagate(app[f"{method} /x"], {}, connection).status == status
    assert len(loopback.requests) == 3


def test_both_credentials_of_a_call_are_masked(loopback: Loopback) -> None:
    """A server that repeats an old or a new credential shows neither to a model (T38)."""
    app = load({"GET /x": NEEDS_KEY})
    token, _ = expiring(loopback, "canary-old", "canary-new")
    loopback.respond = lambda _: http_answer(b'["canary-old", "canary-new"]', "401 No")
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": token})
    assert "canary" not in propagate(app["GET /x"], {}, connection).for_model()


def test_the_first_failure_of_a_callable_is_an_error(loopback: Loopback) -> None:
    """A callable that raises before the first request ends the call; nothing was sent."""
    token, _ = expiring(loopback, ValueError("x"))
    connection = specfn.Connection(base_url=loopback.url, credentials={"key": token})
    with pytest.raises(TransportError, match="nothing was sent"):
        execute(load({"GET /x": NEEDS_KEY})["GET /x"], {}, connection)
    assert loopback.requests == []


# -- one server for everything ---------------------------------------------------------------------------


def test_everything_goes_to_the_base_url() -> None:
    """``servers="base_url"`` ignores the servers of paths and operations, with credentials."""
    own = {"servers": [{"url": "https://files.example.com/v2"}], **NEEDS_KEY}
    app = load({"GET /x": own, "GET /y": NEEDS_KEY})
    fields: dict[str, Any] = {"base_url": "https://mock/v1", "credentials": {"key": "s3"}}
    with pytest.raises(UsageError, match=r'Connection\(servers="base_url"\)'):
        app.request("GET /x", {}, specfn.Connection(**fields))
    connection = specfn.Connection(**fields, servers="base_url")
    for path in ("x", "y"):
        request = app.request(f"GET /{path}", {}, connection)
        assert str(request.url) == f"https://mock/v1/{path}"
        assert request.headers["X-Key"] == "s3"
    with pytest.raises(UsageError, match="needs a base_url"):
        specfn.Connection(servers="base_url", trust_servers=True)


def test_a_page_that_is_followed_by_its_url_has_the_credential_of_the_moment() -> None:
    """The callable of a key in the query is asked for each page; the server that names the URL cannot choose the key."""
    keys = iter(["first", "second", "third"])
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.query.decode())
        if request.url.params["key"] == "second":
            return httpx.Response(401)
        link = {"Link": '<?at=2&key=stolen&x=1>; rel="next"'} if len(seen) == 1 else {}
        return httpx.Response(200, json=[len(seen)], headers=link)

    success = {
        "description": "",
        "headers": {"Link": {"schema": {"type": "string"}}},
        "content": {"application/json": {"schema": {"type": "array", "items": {}}}},
    }
    scheme = {"type": "apiKey", "in": "query", "name": "key"}
    app = specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "", "version": ""},
            "components": {"securitySchemes": {"key": scheme}},
            "paths": {"/x": {"get": {"security": [{"key": []}], "responses": {"200": success}}}},
        }
    )
    client = httpx.Client(transport=httpx.MockTransport(answer))
    connection = specfn.Connection(
        "https://api.example", credentials={"key": lambda: next(keys)}, client=client
    )
    assert [page.items for page in app.pages("GET /x", {}, connection)] == [[1], [3]]
    assert seen == ["key=first", "at=2&x=1&key=second", "at=2&x=1&key=third"]
