"""T11: no error, repr, log line or traceback of a call shows a secret of the caller's."""

import asyncio
import copy
import gc
import json
import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import operation

import specfn
from specfn import Application, Connection, load, request
from specfn._internal.url import url_without_secrets
from specfn.calling import CallError
from specfn.cli import logins
from specfn.errors import (
    ArgumentError,
    DocumentError,
    HTTPStatusError,
    LimitError,
    ResponseError,
    ResponseWarning,
    SpecfnError,
    TransportError,
    UnknownFunctionError,
    UsageError,
)

CANARY = "canary-77aa"

#: Headers that every request has, and that a caller may set.
USUAL = (
    "User-Agent",
    "Accept",
    "Accept-Encoding",
    "Content-Type",
    "Authorization",
    "Host",
    "Cookie",
)

SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
}
ALL = (tuple((name, ()) for name in SCHEMES if name != "basic"),)


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.aexecute(function, given, connection))


@pytest.fixture(params=[specfn.execute, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Any]:
    return request.param


def secretive(base_url: str, **more: Any) -> Connection:
    return Connection(
        **{
            "base_url": base_url,
            "credentials": {name: CANARY for name in SCHEMES if name != "basic"},
            "headers": {"X-Custom": CANARY},
            "cookies": {"own": CANARY},
            "query": {"token": CANARY},
            "timeout": {"connect": 0.2, "read": 0.2, "total": 0.4},
        }
        | more,
    )


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def everything_shown(error: BaseException) -> str:
    """All that a person, a logger or a model could be shown of an error, its causes included."""
    shown = []
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or each in seen:
            continue
        seen.append(each)
        shown += [str(each), repr(each), repr(each.args), *map(repr, vars(each).values())]
        waiting += [each.__cause__, each.__context__]
    return "\n".join([*shown, *traceback.format_exception(error)])


def short(_: bytes) -> list[bytes]:
    return [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"]


ANSWERS: dict[str, Callable[[bytes], Any]] = {
    "status": lambda _: b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
    "redirect": lambda _: b"HTTP/1.1 302 No\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n",
    "no HTTP": lambda _: b"hello\r\n\r\n",
    "bad header": lambda _: b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
    "short": short,
    "bad gzip": lambda _: (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
    ),
    "hang up": lambda _: [],
    "silence": lambda _: __import__("time").sleep(0.3) or [],
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_what_servers_do(
    call: Callable[..., Any], make: Any, loopback: Any, log: Any, kind: str
) -> None:
    """Whatever a server answers, the error is free of what was sent."""
    loopback.respond = ANSWERS[kind]
    function = make("/x", "post", security=ALL, schemes=SCHEMES)
    with pytest.raises(SpecfnError) as caught:
        call(function, {}, secretive(loopback.url))
    assert loopback.requests[0].decode().count(CANARY) == 7
    assert CANARY not in everything_shown(caught.value)
    assert CANARY not in log.text


def test_servers_that_are_not_there(call: Callable[..., Any], make: Any, log: Any) -> None:
    """Nor does an error of the network show anything."""
    function = make("/x", security=ALL, schemes=SCHEMES)
    for base in ("http://127.0.0.1:1", "https://127.0.0.1:1", "http://nowhere.localhost:1"):
        with pytest.raises(SpecfnError) as caught:
            call(function, {}, secretive(base))
        assert CANARY not in everything_shown(caught.value)
    assert CANARY not in log.text


WRONG: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"base_url": None}, {}),
    ({"base_url": "http://api.example"}, {}),
    ({"credentials": {"unknown": CANARY}}, {}),
    ({"credentials": {"bearer": CANARY}}, {}),
    ({"credentials": {"basic": CANARY}}, {"security": ((("basic", ()),),)}),
    ({"credentials": {"basic": (f"{CANARY}:", CANARY)}}, {"security": ((("basic", ()),),)}),
    ({"credentials": {"key": (CANARY, CANARY)}}, {"security": ((("key", ()),),)}),
    ({"credentials": {"key": f"{CANARY}\0"}}, {"security": ((("key", ()),),)}),
    ({"credentials": {"cookie": f"{CANARY};"}}, {"security": ((("cookie", ()),),)}),
    ({"credentials": {"key": partial(list, [CANARY])}}, {"security": ((("key", ()),),)}),
    ({}, {"servers": ({"url": "https://other.example"},)}),
    ({"query": {"q": CANARY * 10_000}}, {}),
]


@pytest.mark.parametrize(("fields", "more"), WRONG)
def test_wrong_use(
    call: Callable[..., Any], make: Any, log: Any, fields: dict[str, Any], more: dict[str, Any]
) -> None:
    """A caller's own mistake is explained without repeating what the caller wrote."""
    function = make("/x", **({"security": ALL, "schemes": SCHEMES} | more))
    with pytest.raises(SpecfnError) as caught:
        call(function, {}, secretive(**({"base_url": "https://h"} | fields)))
    assert CANARY not in everything_shown(caught.value)
    assert CANARY not in log.text


def test_success_is_quiet_too(call: Callable[..., Any], make: Any, loopback: Any, log: Any) -> None:
    """A call that works logs nothing of it, on any level of any library."""
    call(make("/x", security=ALL, schemes=SCHEMES), {}, secretive(loopback.url))
    assert CANARY in loopback.target
    assert CANARY not in log.text


def test_a_client_of_the_callers_logs_no_query(
    make: Any, log: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Httpx logs each URL; what goes into ours is covered, and other URLs are none of our business."""
    monkeypatch.setattr(logging.getLogger("httpx"), "filters", [])  # as in a new process
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    function = make("/x", security=ALL, schemes=SCHEMES)
    other = {"before": lambda _: httpx.Request("GET", f"https://h/y?k={CANARY}")}
    with httpx.Client(transport=transport) as client:
        specfn.execute(function, {}, secretive("https://h", client=client))
        specfn.execute(function, {}, secretive("https://h", client=client, **other))
        assert CANARY not in log.text
        assert "GET https://h/x " in log.text
        client.get("https://elsewhere/?a=b")
        assert "https://elsewhere/?a=b" in log.text


def test_a_request_shows_no_secret(make: Any) -> None:
    """The repr of a request and of its URL end before the query, and no value of a header is in a repr."""
    made = request(make("/x", security=ALL, schemes=SCHEMES), {}, secretive("https://h"))
    assert CANARY in str(made.url)
    assert CANARY not in repr(made) + repr(made.url) + repr([made, made.url])
    assert CANARY in made.headers["x-key"]
    headers = (made.headers, made.headers.copy())
    assert "'x-key': '**********'" in repr(headers)
    assert CANARY not in repr(headers) + str(made.headers) + f"{made.headers}"


COPIES: dict[str, Callable[[httpx.URL], httpx.URL]] = {
    "copy_with": lambda url: url.copy_with(fragment="x"),
    "copy_with of a copy": lambda url: url.copy_with().copy_with(path="/other"),
    "copy_set_param": lambda url: url.copy_set_param("a", "b"),
    "copy_add_param": lambda url: url.copy_add_param("a", "b"),
    "copy_remove_param": lambda url: url.copy_remove_param("a"),
    "copy_merge_params": lambda url: url.copy_merge_params({"a": "b"}),
    "join": lambda url: url.join(f"/next?api_key={CANARY}"),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copied_url_shows_no_secret(make: Any, way: str) -> None:
    """A copy of a request's URL carries the query, and its repr leaves it out."""
    made = request(make("/x", security=ALL, schemes=SCHEMES), {}, secretive("https://h"))
    changed = COPIES[way](made.url)
    assert CANARY in str(changed)
    assert CANARY not in repr(changed)
    assert CANARY not in repr(httpx.Request("GET", changed).extensions)


def test_the_parts_of_a_request_show_no_secret(make: Any) -> None:
    """The repr of each attribute of a request masks what the connection adds."""
    made = request(make("/x", security=ALL, schemes=SCHEMES), {}, secretive("https://h"))
    assert CANARY not in repr(vars(made))
    assert CANARY not in repr(made.extensions)


def test_an_import_changes_no_logger() -> None:
    """Whoever imports the package and calls nothing has the loggers that they had."""
    code = (
        "import logging, specfn, specfn.http.transport.send, specfn.document.read.download\n"
        "loggers = [logging.getLogger(name) for name in (None, 'httpx', 'httpcore')]\n"
        "print([each.filters + each.handlers for each in loggers])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[[], [], []]\n"


@given(name=st.text("abcxyz-_0123456789", min_size=1, max_size=20) | st.sampled_from(USUAL))
def test_no_header_of_the_callers_is_shown(name: str) -> None:
    """Whatever a header is called, and whoever added it, its value is in no repr of the headers."""
    seen: list[httpx.Request] = []

    def respond(_: httpx.Request) -> httpx.Response:
        link = {"Link": '</y?page=2>; rel="next"'}
        return httpx.Response(302 if len(seen) == 1 else 200, headers={"Location": "/x", **link})

    def before(outgoing: httpx.Request) -> None:
        outgoing.headers["X-Signature"] = CANARY
        seen.append(outgoing)

    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        fields = {"client": client, "before": before, "redirects": "same-origin"}
        connection = Connection(base_url="https://h", headers={name: CANARY}, **fields)
        result = specfn.propagate(operation("/x"), {}, connection)
    assert len(seen) == 2
    assert result.next_request is not None
    assert seen[0].headers[name] == CANARY
    for each in (*seen, result.next_request):
        assert CANARY not in repr(each.headers) + str(each.headers)


@pytest.mark.usefixtures("frozen_heap")
def test_nothing_is_said_when_a_connection_goes(make: Any, loopback: Any, log: Any) -> None:
    """Closing sockets in the background is silent."""
    specfn.execute(make("/x", security=ALL, schemes=SCHEMES), {}, secretive(loopback.url))
    gc.collect()
    assert CANARY not in log.text


def described(**more: Any) -> Application:
    """A loaded document that asks for every kind of credential, and promises what no server here keeps."""
    promise = {"type": "object", "required": ["id"]}
    answer = {"content": {"application/json": {"schema": promise}}}
    return load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {
                "/x": {
                    "get": {
                        "security": [{name: [] for name in SCHEMES if name != "basic"}],
                        "responses": {"200": answer},
                        "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
                        **more,
                    }
                }
            },
            "components": {"securitySchemes": SCHEMES},
        }
    )


def failures(application: Application, url: str) -> Iterator[tuple[type[SpecfnError], Any]]:
    """One way to each kind of error that a call may end in."""
    here, one = secretive(url), "GET /x"
    checking = secretive(url, validate_response="raise")
    yield HTTPStatusError, lambda: application.execute("GET /x", {"query": {"n": 500}}, here)
    yield ResponseError, lambda: application.execute(one, {}, checking)
    yield ArgumentError, lambda: application.execute(one, {"query": {"n": "x"}}, here)
    yield ArgumentError, lambda: application.execute(one, {"query": {"key": "x"}}, here)
    yield UsageError, lambda: application.execute(one, {}, secretive("http://api.example"))
    yield (
        UsageError,
        lambda: application.execute(one, {}, secretive(url, credentials={"no": CANARY})),
    )
    yield UnknownFunctionError, lambda: application.execute("GET /y", {}, here)
    yield TransportError, lambda: application.execute(one, {}, secretive("http://127.0.0.1:1"))
    functions = application.bind(here)
    yield CallError, lambda: functions.outcome(one, {"query": {"n": 500}}).data()
    yield DocumentError, lambda: load(f"http://u:{CANARY}@{url[7:]}/none?key={CANARY}#{CANARY}")
    yield TransportError, lambda: load(f"http://u:{CANARY}@127.0.0.1:1/none?key={CANARY}")


def test_no_kind_of_error_shows_a_secret(loopback: Any, http: Any, log: Any) -> None:
    """Every class of the tree is reached, and none shows what the connection holds."""
    loopback.respond = lambda raw: http(b"[]", "500 Oops" if b"n=500" in raw else "200 OK")
    reached = set()
    for kind, call in failures(described(), loopback.url):
        with pytest.raises(SpecfnError) as caught:
            call()
        if kind is DocumentError:
            assert CANARY.encode() in loopback.requests[-1]
        assert type(caught.value) is kind
        reached.add(kind)
        assert CANARY not in everything_shown(caught.value)
        pickled = pickle.loads(pickle.dumps(caught.value))  # as it travels between processes
        assert CANARY not in everything_shown(pickled)
    assert CANARY not in log.text
    assert set(SpecfnError.__subclasses__()) - reached <= {LimitError}


def test_no_warning_shows_a_secret(loopback: Any, http: Any) -> None:
    """Nor does the warning about an answer that is not as promised."""
    loopback.respond = lambda _: http(b"[]")
    with pytest.warns(ResponseWarning) as caught:
        described().execute("GET /x", {}, secretive(loopback.url, validate_response="warn"))
    assert CANARY not in str([each.message for each in caught])


def test_what_would_be_sent_is_shown_covered() -> None:
    """A dry run masks everything of the connection's: in the URL, the headers and the line for a shell."""
    shown = json.dumps(described().dry_run("GET /x", {}, secretive("https://h")))
    assert CANARY not in shown
    assert shown.count("*****") >= 7


def test_a_next_page_is_covered(loopback: Any, http: Any) -> None:
    """A result, and the request of the page after it, show no key that goes along."""
    link = '</x?page=2>; rel="next"'
    loopback.respond = lambda _: http(b"{}", Link=link)
    result = described().execute("GET /x", {}, secretive(loopback.url))
    assert result.next_request is not None
    assert CANARY in str(result.next_request.url)
    assert CANARY not in repr(result) + repr(result.next_request) + result.for_model()


def test_a_connection_is_covered_however_it_is_written() -> None:
    """Repr, str, dump, JSON, a copy and an error of its own fields: the values are in none of them."""
    connection = secretive("https://h")
    written = [repr(connection), str(connection), str(connection.model_dump())]
    written += [
        connection.model_dump_json(),
        repr(connection.model_copy()),
        f"{connection.credentials}",
    ]
    with pytest.raises(UsageError) as caught:
        secretive("https://h", credentials={"key": [CANARY]}, headers={"X": f"{CANARY}\n"})
    assert CANARY not in "".join(written) + str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:CANARY@h/p",
        "https://CANARY@h/p",
        "https://h/p?key=CANARY",
        "https://h/p#CANARY",
        "https:\\\\CANARY@h/p",
    ],
)
def test_a_shown_url_has_no_secret(url: str) -> None:
    """A URL in a message has neither user, password, query nor fragment, also if it is written with backslashes."""
    shown = url_without_secrets(url)
    assert "CANARY" not in shown
    assert shown.endswith("h/p")


def test_a_proxy_and_a_login_show_no_secret() -> None:
    """The URL of a proxy is shown without user and password, and a login without the secret of its client."""
    connection = specfn.Connection("https://api.example", proxy="http://me:canary-88@proxy.example")
    assert "proxy='http://proxy.example'" in repr(connection)
    login = logins.Login(base_url="", scheme="", client_id="c", client_secret="canary-88")
    assert "canary" not in f"{connection!r} {connection.model_dump()} {login!r}"
