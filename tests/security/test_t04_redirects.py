"""T4: a redirect never carries anything to another origin."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import specfn
from specfn import Connection
from specfn.http.redirects_and_retries import redirect
from specfn.http.transport import send

CANARY = "canary-4b77"
SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "sid": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
}


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.apropagate(function, given, connection))


@pytest.fixture(params=[specfn.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Any]:
    return request.param


def elsewhere(loopback: Any, other: Any) -> list[str]:
    """Every way out of an origin: host, port, scheme, sub-domain, user, and what is no URL."""
    port = loopback.url.rpartition(":")[2]
    return [
        f"{other.url}/sink",
        other.url.replace("http://", "//") + "/sink",
        f"http://localhost:{port}/sink",
        f"http://a.localhost:{port}/sink",
        f"https://127.0.0.1:{port}/sink",
        f"http://user:pw@127.0.0.1:{port}/sink",
        f"http://127.0.0.1:{port}@{other.url.removeprefix('http://')}/sink",
        "ftp://127.0.0.1/sink",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[",
        "",
    ]


@pytest.mark.parametrize("redirects", ["never", "same-origin", "whole-origin"])
def test_nothing_leaves_the_origin(
    call: Callable[..., Any], make: Any, declare_body: Any, loopback: Any, other: Any, http: Any,
    redirects: str,
) -> None:  # fmt: skip
    """A redirect to another origin is the result; nobody else is connected to, and nothing leaks."""
    security = (tuple((name, ()) for name in SCHEMES),)
    function = make("/x", "post", body=declare_body(), security=security, schemes=SCHEMES)
    connection = Connection(
        base_url=loopback.url,
        redirects=redirects,
        credentials=dict.fromkeys(SCHEMES, CANARY),
        headers={"X-Custom": CANARY},
    )
    for status, location in itertools.product(
        (301, 302, 303, 307, 308), elsewhere(loopback, other)
    ):
        answer = http(b"", f"{status} Moved", Location=location)
        loopback.respond = lambda _, answer=answer: answer
        loopback.requests.clear()
        result = call(function, {"body": {"secret": CANARY}}, connection)
        expected = 6 if redirects != "never" and location == "" else 1
        assert len(loopback.requests) in {1, expected}
        assert result.status == status
        assert "/sink" not in loopback.target
    assert other.connections == 0


ORIGIN = {"allow_private": True, "redirects": "any"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_another_origin_gets_nothing(
    call: Callable[..., Any], make: Any, declare: Any, declare_body: Any, loopback: Any, other: Any,
    http: Any, status: int,
) -> None:  # fmt: skip
    """T4: with ``redirects="any"``, GET is sent to another origin without anything of the caller, and POST is not sent."""

    def respond(raw: bytes) -> bytes:
        back = http(b"", f"{status} Moved", Location=f"{loopback.url}/back")
        return back if raw.startswith(b"GET /there") else http(b'{"a":1}')

    moved = http(b"", f"{status} Moved", Location=f"{other.url}/there?signature=1")
    loopback.respond = lambda raw: http(b"{}") if b" /back" in raw else moved
    other.respond = respond
    security = (tuple((name, ()) for name in SCHEMES),)
    parameter = declare("X-Argument", "header")
    function = make("/x", "get", parameter, security=security, schemes=SCHEMES)
    seen: list[str] = []

    def before(request: Any) -> None:
        seen.append(request.url.path)
        request.headers["X-Hook"] = CANARY

    connection = Connection(
        base_url=loopback.url,
        credentials=dict.fromkeys(SCHEMES, CANARY),
        headers={"X-Custom": CANARY},
        query={"tenant": CANARY},
        before=before,
        **ORIGIN,
    )
    result = call(function, {"header": {"X-Argument": CANARY}}, connection)
    assert result.status == 200
    assert [b"/there?signature=1" in raw for raw in other.requests] == [True]
    assert not [raw for raw in (*other.requests, *loopback.requests[1:]) if CANARY.encode() in raw]
    assert seen == ["/x"]
    function = make("/x", "post", body=declare_body(), schemes=SCHEMES)
    assert call(function, {"body": {"a": CANARY}}, connection).status == status
    assert len(other.requests) == 1


def test_redirects_to_other_origins_end(
    call: Callable[..., Any], make: Any, loopback: Any, other: Any, http: Any
) -> None:
    """T4: at most five redirects are followed, also between two origins."""
    for server, onward in ((loopback, other), (other, loopback)):
        moved = http(b"", "302 Moved", Location=f"{onward.url}/x")
        server.respond = lambda _, moved=moved: moved
    result = call(make("/x"), {}, Connection(base_url=loopback.url, **ORIGIN))
    assert result.status == 302
    assert len(loopback.requests) + len(other.requests) == 6


@pytest.mark.parametrize(
    ("location", "is_followed"),
    [
        ("https://b.test/", True),
        ("https://a.test:8443/", True),
        ("http://a.test/", False),
        ("http://b.test/", False),
        ("https://u:p@b.test/", False),
        ("ftp://b.test/", False),
        ("javascript:alert(1)", False),
        ("https://b.test:99999/", False),
        ("http://[", False),
    ],
)
def test_a_redirect_keeps_tls(location: str, is_followed: bool) -> None:  # noqa: FBT001  # a column
    """T4: no redirect leads from https to http, or to what is not a plain URL of HTTP."""
    request = httpx.Request("GET", "https://a.test/x")
    assert (redirect(request, 302, location, "any", "") is not None) == is_followed


def test_a_key_in_the_query_does_not_follow(make: Any, loopback: Any, http: Any) -> None:
    """The next URL is the server's: a key of the first query is not added to it."""

    def respond(raw: bytes) -> bytes:
        return http(b"{}") if b"/next" in raw else http(b"", "302 Found", Location="/next")

    loopback.respond = respond
    function = make("/x", security=((("query", ()),),), schemes=SCHEMES)
    connection = Connection(
        base_url=loopback.url, redirects="same-origin", credentials={"query": CANARY}
    )
    assert specfn.propagate(function, {}, connection).status == 200
    assert loopback.target == "/next"


#: Where the base path is ``/v1/shop``: paths below it, and paths outside.
BELOW = ["/v1/shop/y", "y", "/v1/shop?a=b", "/v1/shop/"]
OUTSIDE = [
    "/v1/shops", "/v1", "/", "/admin", "../other", "/v1/shop/../other", "/v1/shop/%2e%2e/other",
    "/v1/shop/..;x/other", "/v1/shop/..%2fother", "/v1/shop/%252e%252e/other", "/V1/shop/y",
]  # fmt: skip


@pytest.mark.parametrize("redirects", ["same-origin", "whole-origin"])
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("location", [*BELOW, *OUTSIDE])
def test_credentials_stay_below_the_base_path(
    call: Callable[..., Any], make: Any, declare_body: Any, declare: Any, loopback: Any, http: Any,
    location: str, method: str, redirects: str,
) -> None:  # fmt: skip
    """T4: out of the base path, GET carries nothing of the caller and POST is not followed, unless the origin is trusted."""
    security = (tuple((name, ()) for name in SCHEMES),)
    body = {"body": declare_body()} if method == "post" else {}
    parameter = declare("X-Argument", "header")
    function = make("/x", method, parameter, security=security, schemes=SCHEMES, **body)
    connection = Connection(
        base_url=f"{loopback.url}/v1/shop/",
        redirects=redirects,
        credentials=dict.fromkeys(SCHEMES, CANARY),
        headers={"X-Custom": CANARY},
        query={"tenant": CANARY},
    )
    given = {"header": {"X-Argument": CANARY}, **({"body": {"a": CANARY}} if body else {})}
    for status in (301, 302, 303, 307, 308):
        loopback.requests.clear()
        moved = http(b"", f"{status} Moved", Location=location)
        loopback.respond = lambda _, moved=moved: (
            http(b"{}") if len(loopback.requests) > 1 else moved
        )
        result = call(function, given, connection)
        keeps = redirects == "whole-origin" or location in BELOW
        becomes_get = method == "get" or status in {301, 302, 303}
        assert result.status == (200 if keeps or becomes_get else status)
        assert len(loopback.requests) == (2 if keeps or becomes_get else 1)
        if len(loopback.requests) == 2:
            assert (CANARY.encode() in loopback.requests[1]) == keeps


def test_what_left_the_base_path_returns_without_credentials(
    call: Callable[..., Any], make: Any, loopback: Any, http: Any
) -> None:
    """T4: a redirect back into the base path does not get the credentials that were left behind."""

    def respond(_: bytes) -> bytes:
        hop = {1: "/other", 2: "/v1/y"}.get(len(loopback.requests))
        return http(b"{}") if hop is None else http(b"", "302 Found", Location=hop)

    loopback.respond = respond
    function = make("/x", security=((("bearer", ()),),), schemes=SCHEMES)
    connection = Connection(
        base_url=f"{loopback.url}/v1", redirects="same-origin", credentials={"bearer": CANARY}
    )
    assert call(function, {}, connection).status == 200
    assert [CANARY.encode() in raw for raw in loopback.requests] == [True, False, False]


@pytest.mark.parametrize("field", ["auth", "before", "client", "header of a client"])
def test_the_callers_authentication_stays_below_the_base_path(
    make: Any, loopback: Any, http: Any, field: str
) -> None:
    """T4: what left the base path gets no authentication of the caller, and neither does any page that follows it."""

    def respond(request: bytes) -> bytes:
        if b" /v1/x " in request:
            return http(b"", "302 Found", Location="/other")
        return http(b"[]", Link='<?page=2>; rel="next"')

    loopback.respond = respond
    auth = httpx.BasicAuth("u", CANARY)
    made: dict[str, Any] = (
        {"headers": {"Authorization": CANARY}} if "header" in field else {"auth": auth}
    )

    def before(request: Any) -> None:
        request.headers["Authorization"] = CANARY

    with httpx.Client(**made) as client:
        own: dict[str, Any] = {"auth": auth, "before": before, "client": client}
        name = field.rpartition(" ")[2]
        with Connection(
            base_url=f"{loopback.url}/v1", redirects="same-origin", **{name: own[name]}
        ) as connection:
            result = specfn.execute(make("/x"), {}, connection)
            assert send.forward(result.next_request, connection).ok
    lines = [raw.split(b" ")[1] for raw in loopback.requests]
    assert lines == [b"/v1/x", b"/other", b"/other?page=2"]
    assert [b"authorization" in raw.lower() for raw in loopback.requests] == [True, False, False]
