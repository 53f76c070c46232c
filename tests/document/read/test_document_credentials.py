"""Documents behind a login: headers and authentication reach the origin of the typed URL, and no other (N1)."""

import itertools
import json
import logging
import tracemalloc
from collections.abc import Callable, Generator, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.http.conftest import Loopback, http_answer, listen

import specfn
from specfn.document.read.document_credentials import DocumentCredentials
from specfn.document.read.download import fetch
from specfn.errors import DocumentError, SpecfnError, UsageError

CANARY = "canary-3b1f"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/x": {"get": {"responses": {}}}},
}
TEXT = json.dumps(DOCUMENT).encode()


@pytest.fixture
def servers() -> Iterator[list[Loopback]]:
    """Three origins on this machine."""
    running = [listen() for _ in range(3)]
    yield [server for server, _ in running]
    for _, stop in running:
        stop()


@pytest.fixture
def server(servers: list[Loopback]) -> Loopback:
    servers[0].respond = lambda _: http_answer(TEXT)
    return servers[0]


class Signed(httpx.Auth):
    """Signs the whole URL of a request, as signatures do."""

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["X-Signed"] = f"{CANARY} {request.url}"
        yield request


class Tokens(httpx.Auth):
    """Fetches a token first, from wherever the caller says."""

    def __init__(self, url: str) -> None:
        self.url = url

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        response = yield httpx.Request("GET", f"{self.url}/token?secret={CANARY}")
        request.headers["Authorization"] = f"Bearer {response.headers['x-token']}"
        yield request


WAYS: dict[str, dict[str, Any]] = {
    "header": {"headers": {"X-Key": CANARY}},
    "Authorization": {"headers": {"Authorization": f"Bearer {CANARY}"}},
    "user and password": {"auth": (CANARY, CANARY)},
    "signature": {"auth": Signed()},
    "cookie": {"headers": {"Cookie": f"sid={CANARY}"}, "auth": httpx.BasicAuth(CANARY, CANARY)},
}

way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def carries(raw: bytes) -> bool:
    """Whether a request holds anything of the login."""
    lowered = raw.lower()
    return CANARY.encode() in raw or b"authorization:" in lowered or b"x-signed" in lowered


@way
def test_it_is_sent_to_the_documents_server(server: Loopback, way: dict[str, Any]) -> None:
    """Headers and authentication go along with the request for the document."""
    assert len(specfn.load(f"{server.url}/api.json?v=1", **way).functions) == 1
    assert carries(server.requests[0])
    assert server.head["user-agent"] == ["specfn"]


@settings(max_examples=examples(20))
@given(
    hops=st.lists(st.sampled_from([0, 1, 2]), max_size=5), way=st.sampled_from(list(WAYS.values()))
)
def test_redirects_lead_it_nowhere_else(hops: list[int], way: dict[str, Any]) -> None:
    """On any way through origins that redirects may lead to, only the first origin gets anything."""
    running = [listen() for _ in range(3)]
    servers = [each for each, _ in running]
    try:
        steps = iter([*hops, None])

        def respond(_: bytes) -> bytes:
            step = next(steps)
            if step is None:
                return http_answer(TEXT)
            return http_answer(b"", "307 Moved", Location=f"{servers[step].url}/api.json")

        for each in servers:
            each.respond = respond
        options = specfn.Options(references=tuple(each.url for each in servers[1:]))
        specfn.load(f"{servers[0].url}/api.json", options=options, **way)
        assert sum(len(each.requests) for each in servers) == len(hops) + 1
        assert all(map(carries, servers[0].requests))
        assert not any(carries(raw) for each in servers[1:] for raw in each.requests)
    finally:
        for _, stop in running:
            stop()


@way
def test_references_get_it_at_the_same_origin_only(
    servers: list[Loopback], way: dict[str, Any]
) -> None:
    """A document that is referred to is fetched with the login where the first one was, and without it elsewhere."""
    own, other, _ = servers
    paths = {f"/{at}": {"$ref": f"{each.url}/paths.json"} for at, each in enumerate((own, other))}
    root = json.dumps({**DOCUMENT, "paths": paths}).encode()
    own.respond = lambda raw: http_answer(root if b" /api.json" in raw else b'{"get": {}}')
    other.respond = lambda _: http_answer(b'{"get": {}}')
    options = specfn.Options(references=(own.url, other.url))
    application = specfn.load(f"{own.url}/api.json", options=options, **way)
    assert len(application.functions) == 2
    assert [carries(raw) for raw in own.requests] == [True, True]
    assert [carries(raw) for raw in other.requests] == [False]


def test_a_signature_is_made_of_the_whole_url(server: Loopback) -> None:
    """What signs a request sees its query, although the log does not."""
    url = f"{server.url}/api.json?a=b"
    specfn.load(url, auth=Signed())
    assert server.head["x-signed"] == [f"{CANARY} {url}"]


def test_digest_and_tokens(servers: list[Loopback], caplog: pytest.LogCaptureFixture) -> None:
    """An authentication that takes several requests takes them, and none of their URLs is logged whole."""
    caplog.set_level(logging.DEBUG)
    own, other, _ = servers
    challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256'
    own.respond = lambda raw: (
        http_answer(TEXT)
        if b"authorization: " in raw.lower()
        else http_answer(b"no", "401 Unauthorized", WWW_Authenticate=challenge)
    )
    specfn.load(f"{own.url}/api.json", auth=httpx.DigestAuth("u", CANARY))
    assert own.head["authorization"][0].startswith("Digest ")
    other.respond = lambda _: http_answer(b"", X_Token="t1")
    specfn.load(f"{own.url}/api.json", auth=Tokens(other.url))
    assert own.head["authorization"] == ["Bearer t1"]
    assert CANARY in other.target
    assert CANARY not in caplog.text


def test_what_is_answered_before_the_last_request_is_not_read(server: Loopback) -> None:
    """A refusal without end costs no memory: only its head matters."""
    challenge = b'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n'
    head = b"HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n" + challenge + b"\r\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    server.respond = lambda raw: (
        http_answer(TEXT)
        if b"authorization: " in raw.lower()
        else itertools.chain([head], itertools.repeat(chunk, 3_000))
    )
    tracemalloc.start()
    specfn.load(f"{server.url}/api.json", auth=httpx.DigestAuth("u", "p"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, "Basic dTpw"),
        ({"headers": {"X-Key": "k"}}, "Basic dTpw"),
        ({"auth": ("a", "b")}, "Basic YTpi"),
        ({"headers": {"authorization": "Bearer t"}}, "Bearer t"),
    ],
)
def test_a_user_in_the_url_is_the_last_resort(
    server: Loopback, given: dict[str, Any], sent: str
) -> None:
    """Headers and auth win over the user and the password that the URL itself gives."""
    specfn.load(f"http://u:p@{server.url[7:]}/api.json", **given)
    assert server.head["authorization"] == [sent]


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    ("api.json", {"auth": (CANARY, CANARY)}, "an http or https URL"),
    (TEXT, {"headers": {"X-Key": CANARY}}, "an http or https URL"),
    (DOCUMENT, {"headers": {"X-Key": CANARY}}, "an http or https URL"),
    ("http://api.example/x", {"headers": {"X-Key": CANARY}}, "plain http"),
    ("http://192.168.0.1/x", {"auth": (CANARY, CANARY)}, "plain http"),
    ("https://h/x", {"headers": {"X-Key": f"{CANARY}\n"}}, "'X-Key'"),
    ("https://h/x", {"headers": {"X Key": CANARY}}, "'X Key'"),
    ("https://h/x", {"headers": {"Content-Length": CANARY}}, "'Content-Length'"),
    ("https://h/x", {"headers": {"X-Key": 1}}, "mapping of names to strings"),
    ("https://h/x", {"headers": [("X-Key", CANARY)]}, "mapping"),
    ("https://h/x", {"auth": CANARY}, "auth must be"),
    ("https://h/x", {"auth": (CANARY, CANARY, CANARY)}, "auth must be"),
    ("https://h/x", {"auth": (CANARY, 1)}, "auth must be"),
    ("https://h/x", {"auth": lambda request: request}, "auth must be"),
]


@pytest.mark.parametrize(("source", "fields", "reason"), WRONG)
def test_wrong_use_is_refused_before_anything_is_sent(
    source: Any, fields: dict[str, Any], reason: str
) -> None:
    """The error names what is wrong, and shows nothing of the login."""
    with pytest.raises(UsageError, match=reason) as caught:
        specfn.load(source, **fields)
    assert CANARY not in str(caught.value)


@way
@pytest.mark.parametrize("answer", ["401 No", "403 No", "500 No", "302 Found", "nonsense"])
def test_no_text_shows_it(
    server: Loopback,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    way: dict[str, Any],
    answer: str,
) -> None:
    """Whatever the server says, neither the error nor any log shows what was sent."""
    monkeypatch.setattr(logging.getLogger("httpx"), "filters", [])  # as in a new process
    server.respond = lambda _: http_answer(b"", answer, Location="http://elsewhere.example/")
    url = f"{server.url}/api.json?key={CANARY}"
    with caplog.at_level(logging.DEBUG), pytest.raises(SpecfnError) as caught:
        specfn.load(url, **way)
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in f"{error} {error!r} {vars(error)}"
        error = error.__cause__ or error.__context__
    assert CANARY not in caplog.text
    assert CANARY not in repr(DocumentCredentials("http://h", {"X": CANARY}, (CANARY, CANARY)))


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_says_what_to_do(server: Loopback, status: int) -> None:
    """Where the server wants to know who asks, the error names the arguments that say it."""
    server.respond = lambda _: http_answer(b"", f"{status} No")
    with pytest.raises(DocumentError, match=f"responded {status} .*headers or auth"):
        specfn.load(f"{server.url}/api.json")


@pytest.mark.parametrize("read", [specfn.load, fetch])
def test_without_it_nothing_is_sent(server: Loopback, read: Callable[[str], Any]) -> None:
    """A URL alone is asked for with the usual headers only."""
    read(f"{server.url}/api.json")
    assert set(server.head) == {"host", "accept", "accept-encoding", "connection", "user-agent"}
