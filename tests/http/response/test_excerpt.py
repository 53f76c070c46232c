import base64
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import http_answer, listen
from tests.strict_shop.server import serve

from specfn import Connection, HTTPStatusError, Result, execute, load

Shown = Callable[..., str]

MASK = "**********"

SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Credential"},
    "basic": {"type": "http", "scheme": "basic"},
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/x": {"get": {"security": [{}, *({name: []} for name in SCHEMES)]}}},
    "components": {"securitySchemes": SCHEMES},
}


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    """Return what reads the excerpt of a response with status 404."""
    server, stop = listen()
    [function] = load(DOCUMENT)

    def excerpt(data: Any, **options: Any) -> str:
        content, kind = (
            (data, "application/octet-stream")
            if isinstance(data, bytes)
            else (data.encode(), "text/plain")
            if isinstance(data, str)
            else (json.dumps(data).encode(), "application/json")
        )
        server.respond = lambda _: http_answer(content, "404 Not Found", kind)
        with Connection(base_url=server.url, **options) as connection:
            with pytest.raises(HTTPStatusError) as caught:
                execute(function, {}, connection)
            return caught.value.excerpt

    yield excerpt
    stop()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"error": "no such pet"}, '{"error":"no such pet"}'),
        ("no\n  such\tpet", "no such pet"),
        ([1, float("nan")], "[1,null]"),
        (b"\x00\x01", ""),
        (None, ""),
        ("x" * 400, "x" * 300 + "..."),
    ],
)
def test_the_beginning_is_one_line(shown: Shown, data: Any, text: str) -> None:
    """JSON is compact, a text is one line, and the rest of a long response is left out."""
    assert shown(data) == text


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40),
    st.sampled_from(["header", "query", "credential"]),
    st.integers(0, 400),
)
def test_no_secret_of_the_connection_is_shown(
    shown: Shown, secret: str, kind: str, before: int
) -> None:
    """A server that repeats a secret, as it is, in JSON or in a URL, does not bring it into the excerpt."""
    options: dict[str, Any] = {
        "header": {"headers": {"X-Key": secret}},
        "query": {"query": {"key": secret}},
        "credential": {"credentials": {"key": secret}},
    }[kind]
    space = "-" * before
    for data in (f"{space} {secret} {quote(secret, safe='')}", {"sent": f"{space}{secret}"}):
        text = shown(data, **options)
        assert secret not in text
        assert json.dumps(secret)[1:-1] not in text


def test_basic_credentials_are_masked(shown: Shown) -> None:
    """A password is masked, also in the form of the Authorization header."""
    sent = base64.b64encode(b"ada:canary-4711").decode()
    text = shown(f"Basic {sent} canary-4711", credentials={"basic": ("ada", "canary-4711")})
    assert text == f"Basic {MASK} {MASK}"


@pytest.mark.parametrize(
    "options",
    [{"credentials": {"key": lambda: "canary"}}, {"before": lambda request: request}],
    ids=["function", "hook"],
)
def test_without_known_secrets_there_is_no_excerpt(shown: Shown, options: dict[str, Any]) -> None:
    """A credential of a function, or a hook, may add secrets that are not known."""
    assert shown("canary", **options) == ""


def test_the_error_of_a_call_has_status_and_excerpt() -> None:
    """The error of ``execute`` contains the status and the beginning of the response."""
    with serve() as server:
        app, connection = load(server.document_url), Connection(base_url=server.base_url)
        with pytest.raises(HTTPStatusError) as caught:
            app.execute("products_getByProductId", {"productId": str(uuid4())}, connection)
    error = caught.value
    assert error.status == 404
    assert error.excerpt
    assert str(error).endswith(f"the server responded with 404: {error.excerpt}")


def test_an_error_is_pickled_with_its_excerpt() -> None:
    """Status, excerpt and text survive pickling; an error without an excerpt has the text without it."""
    result = Result(status=404, data={"error": "gone"})
    error = HTTPStatusError(result, "GET /pets", excerpt='{"error":"gone"}')
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.excerpt) == (404, '{"error":"gone"}')
    assert str(again) == 'GET /pets: the server responded with 404: {"error":"gone"}'
    assert str(HTTPStatusError(result, "GET /pets")) == "GET /pets: the server responded with 404"
