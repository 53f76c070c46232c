"""T4: a redirect never carries anything to another origin."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from specfn.http.connection import Connection
from specfn.http.transport import send

CANARY = "canary-4b77"
SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "sid": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
}


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(send.apropagate(function, given, connection))


@pytest.fixture(params=[send.propagate, awaited], ids=["sync", "async"])
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


@pytest.mark.parametrize("redirects", ["never", "same-origin"])
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
        expected = 6 if redirects == "same-origin" and location == "" else 1
        assert len(loopback.requests) in {1, expected}
        assert result.status == status
        assert "/sink" not in loopback.target
    assert other.connections == 0


def test_a_key_in_the_query_does_not_follow(make: Any, loopback: Any, http: Any) -> None:
    """The next URL is the server's: a key of the first query is not added to it."""

    def respond(raw: bytes) -> bytes:
        return http(b"{}") if b"/next" in raw else http(b"", "302 Found", Location="/next")

    loopback.respond = respond
    function = make("/x", security=((("query", ()),),), schemes=SCHEMES)
    connection = Connection(
        base_url=loopback.url, redirects="same-origin", credentials={"query": CANARY}
    )
    assert send.propagate(function, {}, connection).status == 200
    assert loopback.target == "/next"
