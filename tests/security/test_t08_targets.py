"""T8: no argument of a model chooses scheme, host, port, method, or the name of a header."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import body, operation, parameter

import specfn
from specfn import Connection, Options, load, request
from specfn.errors import ArgumentError, UsageError

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
    "Content-Type", "Accept", "X-HTTP-Method-Override", "x-http-method", "X-METHOD-OVERRIDE", "X-Original-URL",
    "x-rewrite-url", "X_HTTP_Method_Override", "X_Forwarded_For", "X-HTTP-Host-Override",
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


DELETE = {"type": "string", "enum": ["DELETE"]}
ANY = {"type": "string"}


def overriding(
    schema: Any, *, name: str = "X-HTTP-Method-Override", where: str = "header", **more: Any
) -> dict[str, Any]:
    """A document with one POST that declares an override and takes any form."""
    declared = {"name": name, "in": where, "schema": schema, "required": True, **more}
    content = {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
    own = {"parameters": [declared], "requestBody": {"content": content}}
    info = {"title": "t", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {"/x": {"post": own}}}


@pytest.mark.parametrize("schema", [DELETE, {"const": "delete"}, {"allOf": [DELETE, ANY]}])
@pytest.mark.parametrize(("name", "where"), [("X-Method-Override", "header"), ("_method", "query")])
def test_the_only_value_of_an_override_is_sent(schema: Any, name: str, where: str) -> None:
    """A required override with one possible value is sent, and the call is as dangerous as the value says."""
    [function] = load(overriding(schema, name=name, where=where))
    assert function.safety == "destructive"
    made = request(function, {}, HERE)
    sent = made.headers.get(name) or made.url.params[name]
    assert sent.upper() == "DELETE"
    assert any("the only value" in note.text for note in function.notes)


def test_an_only_value_lowers_no_safety() -> None:
    """A document that names GET in a header makes no POST a read: a server may ignore the header."""
    [function] = load(overriding({"const": "GET"}))
    assert (function.safety, function.idempotent) == ("write", False)
    [function] = load(
        overriding(ANY), options=Options(fixed={"header.X-HTTP-Method-Override": "GET"})
    )
    assert function.safety == "read"


@pytest.mark.parametrize(
    ("schema", "option"),
    [(ANY, "header.X-HTTP-Method-Override"), ({"enum": ["PUT", "DELETE"]}, "headers.x-http-method-override")],
)  # fmt: skip
def test_an_override_without_a_value(schema: Any, option: str) -> None:
    """A required override that nothing fills is a mistake of the caller; the error names the option that helps."""
    [function] = load(overriding(schema))
    with pytest.raises(UsageError, match=r"Options\.fixed\['header\.X-HTTP-Method-Override'\]"):
        request(function, {}, HERE)
    own = Connection(base_url="https://h", headers={"X-HTTP-Method-Override": "PUT"})
    assert request(function, {}, own).headers["X-HTTP-Method-Override"] == "PUT"
    [function] = load(overriding(schema), options=Options(fixed={option: "DELETE"}))
    assert function.safety == "destructive"
    assert request(function, {}, HERE).headers["X-HTTP-Method-Override"] == "DELETE"


def test_an_optional_override_is_left_out() -> None:
    """An override that need not be given is not sent, and a pattern of ``Options.fixed`` does not fill it."""
    document = overriding(DELETE, required=False)
    document["paths"]["/x"]["post"]["parameters"].append(
        {"name": "X-Trace", "in": "header", "schema": ANY}
    )
    [function] = load(document, options=Options(fixed={"X-*": "on"}))
    assert function.safety == "write"
    made = request(function, {}, HERE)
    assert made.headers["X-Trace"] == "on"
    assert "X-HTTP-Method-Override" not in made.headers


@pytest.mark.parametrize("keyword", [True, False])
def test_an_override_has_no_place_among_arguments(*, keyword: bool) -> None:
    """By position and by key, for a model and for a person, an override does not exist."""
    options = Options(keyword=keyword, separate=lambda node: node.name == "X-HTTP-Method-Override")
    [function] = load(overriding(DELETE), options=options)
    assert [key for key, _ in function.schemas.keys] == ["body"]
    assert function.separated is None or function.separated.human in (None, [None])
    given = {"body": {"a": "b"}} if keyword else [{"a": "b"}]
    assert function.validate(given)
    assert request(function, given, HERE).headers["X-HTTP-Method-Override"] == "DELETE"


@pytest.mark.parametrize("value", ["DELETE", " delete ", ["PUT", "DELETE"], "PURGE"])
@pytest.mark.parametrize("name", ["_method", "_HttpMethod", "X-HTTP-Method-Override", ".method"])
def test_a_form_does_not_do_more_than_was_allowed(loopback: Any, name: str, value: Any) -> None:
    """A call that is allowed as a write becomes no deletion by a field that frameworks obey."""
    application = load(overriding(ANY, required=False))
    bound = application.bind(Connection(base_url=loopback.url), allow={"read", "write"})
    told = bound["POST /x"].answer({"body": {name: value}})
    assert loopback.requests == []
    assert "override" in told
    assert "200" in bound["POST /x"].answer({"body": {"_method": "PUT"}})
    freed = load(overriding(ANY, required=False), options=Options(safety={"*": "destructive"}))
    request(freed["POST /x"], {"body": {name: value}}, HERE)


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


@pytest.mark.parametrize("call", [specfn.propagate, specfn.apropagate], ids=["sync", "async"])
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
