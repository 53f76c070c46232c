"""T8: no argument of a model chooses scheme, host, port, method, or the name of a header."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import body, operation, parameter

from specfn.api import load
from specfn.errors import ArgumentError, UsageError
from specfn.http import send
from specfn.http.connection import Connection
from specfn.http.request import request
from specfn.options import Options

FUNCTION = operation(
    "/a/{p}/{q}.json",
    "post",
    parameter("q1", "query"),
    parameter("deep", "query", style="deepObject"),
    parameter("spread", "query", members=("m", "n")),
    parameter("X-One", "header"),
    parameter("X-Two", "header", explode=True),
    parameter("c1", "cookie"),
    parameter("c2", "cookie", style="cookie"),
    body=body(),
)
HERE = Connection(base_url="https://api.example:8443/v1", headers={"X-Mine": "mine"})
NAMES = {
    "host", "user-agent", "accept-encoding", "accept", "content-type", "content-length", "x-one",
    "x-two", "x-mine", "cookie",
}  # fmt: skip

texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["https://evil.example", "//evil.example", "@evil.example", "\r\nHost: evil.example",
         "x HTTP/1.1\r\nHost: evil", "?a=b", "#", "../..", "evil.example:80", "\\\\evil"],
    ),
)  # fmt: skip
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
group = st.one_of(
    values,
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(
            ["q1", "deep", "m", "n", "X-One", "X-Two", "c1", "c2", "Host", "method", "url"], values
        )
    ),
)  # fmt: skip
arguments = st.fixed_dictionaries(
    {"p": values, "q": values},
    optional=dict.fromkeys(
        ["query", "headers", "cookies", "body", "base_url", "host", "method", "url", "server"],
        group,
    ),
)


@given(given_=arguments)
def test_arguments_choose_no_target(given_: dict[str, Any]) -> None:
    """Whatever is given, valid or not: the target, the method and the header names are the document's."""
    try:
        made = request(FUNCTION, given_, HERE, validate=False)
    except ArgumentError:
        return
    assert made.method == "POST"
    assert (made.url.scheme, made.url.host, made.url.port) == ("https", "api.example", 8443)
    assert made.url.path.startswith("/v1/a/")
    assert made.url.raw_path.partition(b"?")[0].count(b"/") == 4
    names = [name.decode().lower() for name, _ in made.headers.raw]
    assert set(names) <= NAMES
    assert len(names) == len(set(names))
    assert made.headers["host"] == "api.example:8443"
    for _, value in made.headers.raw:
        assert not set(value) & set(b"\r\n\0")


#: What would let an argument say who is asked, how, or where a message ends.
HEADERS = [
    "Host", "host", "Content-Length", "Transfer-Encoding", "Connection", "TE", "Trailer", "Upgrade", "Via",
    "Expect", "Keep-Alive", "Cookie", "Cookie2", "Set-Cookie", "Authorization", "Proxy-Authorization",
    "Proxy-Connection", "Proxy-X", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-proto",
    "Content-Type", "Accept",
]  # fmt: skip


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("name", HEADERS)
def test_no_schema_offers_a_header_that_routes(name: str, *, required: bool) -> None:
    """Even where a document declares it, a model is not shown such a header, and cannot give it."""
    declared = [
        {"name": name, "in": "header", "required": required, "schema": {"type": "string"}},
        {"name": "X-Own", "in": "header", "schema": {"type": "string"}},
    ]
    application = load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/x": {"get": {"parameters": declared}}},
        },
        options=Options(hidden={name: False}),
    )
    [function] = application
    assert list(function.parameters["properties"]["headers"]["properties"]) == ["X-Own"]
    assert not function.validate({"headers": {name: "evil.example"}})
    assert any(repr(name) in note.text for note in function.notes)
    try:
        made = application.request(function, {"headers": {"X-Own": "1"}}, HERE)
    except UsageError as error:
        assert required
        assert f"connection.headers[{name!r}]" in str(error)  # noqa: PT017  # only some are required
        return
    assert (made.method, made.headers["host"]) == ("GET", "api.example:8443")


@pytest.mark.corpus
def test_no_schema_of_a_real_document_does(corpus: Path) -> None:
    """Over real documents, what a model gives is path parameters, groups and a body, and nothing that routes."""
    for name in ("amazonaws.com__s3.json", "asana.com.json", "notion.com.json", "ix-api.net.json"):
        for function in load(corpus / "dev" / name):
            keys = {parameter.key for parameter in function.route.parameters}
            shown = function.parameters["properties"]
            assert set(shown) <= keys | {"query", "headers", "cookies", "body"}
            offered = {each.lower() for each in shown.get("headers", {}).get("properties", {})}
            assert not offered & {each.lower() for each in HEADERS}


@pytest.mark.parametrize("call", [send.propagate, send.apropagate], ids=["sync", "async"])
def test_on_the_wire_the_target_is_the_documents(loopback: Any, call: Any) -> None:
    """Whatever texts a model gives, the request line has the document's method, and Host the connection's server."""
    here = Connection(base_url=f"{loopback.url}/v1")
    for text in (
        "https://evil.example/",
        "//evil.example",
        "@evil",
        "DELETE",
        "x HTTP/1.1",
        "a?b#c",
    ):
        given = {
            "p": text,
            "q": text,
            "query": {"q1": text, "deep": {text: text}},
            "body": {text: text},
        }
        answer = call(FUNCTION, {**given, "cookies": {"c1": text}}, here)
        assert (asyncio.run(answer) if asyncio.iscoroutine(answer) else answer).ok
        method, target, version = loopback.line.split(" ")
        assert (method, version) == ("POST", "HTTP/1.1")
        assert target.startswith("/v1/a/")
        assert target.partition("?")[0].count("/") == 4
        assert loopback.head["host"] == [loopback.url.removeprefix("http://")]
