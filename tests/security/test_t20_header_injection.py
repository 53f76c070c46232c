"""T20: an argument sets the value of one header or cookie, and nothing else."""

import itertools
from typing import Any

import pytest

import specfn
from specfn import Application, Connection, load, request
from specfn.errors import ArgumentError, DocumentError, UsageError

INJECTIONS = [
    "\r", "\n", "\0", "a\rb", "a\nb", "a\r\nb", "a\n b", "a\r\n b", "a\r\n\tb", "a\0b", "a\x01b",
    "a\x0bb", "a\x0cb", "a\x1bb", "a\x7fb", "a\x85b", "a\u2028b", "a\u2029b", " a", "a ", "\ta",
    "a\r\nX-Evil: 1", "a\r\n\r\nGET /evil HTTP/1.1", "\ud800",
]  # fmt: skip
HERE = Connection(base_url="https://h")


@pytest.mark.parametrize("value", INJECTIONS, ids=ascii)
def test_header_values_are_one_line(make: Any, declare: Any, value: str) -> None:
    """A header value with anything but text in it is refused, alone, in a list or in an object."""
    for style, given in itertools.product(
        ({"explode": False}, {"explode": True}, {"media_type": "text/plain"}),
        (value, [value, "b"], {"k": value}, {value: "v"}),
    ):
        if "media_type" in style and not isinstance(given, str):
            continue
        function = make("/x", "get", declare("X-A", "header", **style))
        try:
            made = request(function, {"headers": {"X-A": given}}, HERE, validate=False)
        except ArgumentError:
            continue
        # blanks around an inner element are harmless; nothing else gets through
        assert value.strip(" \t") == "a"
        assert made.headers["X-A"].replace("\t", " ").isprintable()


@pytest.mark.parametrize("value", INJECTIONS, ids=ascii)
def test_cookies_are_octets(make: Any, declare: Any, value: str) -> None:
    """A cookie value is encoded or refused: it ends neither the cookie nor the header."""
    for more in ({}, {"style": "cookie"}, {"style": "cookie", "explode": True}):
        function = make("/x", "get", declare("c", "cookie", **more))
        for given in (value, [value], {value: "v"}, {"k": value}, f"{value};d=1"):
            try:
                made = request(function, {"cookies": {"c": given}}, HERE, validate=False)
            except ArgumentError:
                continue
            [cookie] = made.headers.get_list("cookie")
            assert cookie.isprintable()
            assert not {" ", ";", ",", '"', "\\"} & set(cookie)


RESERVED = [
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Cookie", "Authorization", "cookie",
    "Proxy-Authorization", "Proxy-Connection", "X-Forwarded-For", "x-forwarded-host", "Content-Type",
    "Upgrade", "TE", "Trailer", "Expect", "Forwarded", "X A", "X:A", "X\r\nA", "", "X-Ä",
    "X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "X-Original-URL", "X-REWRITE-URL",
    "X_HTTP_METHOD_OVERRIDE", "x_original_url", "X_Forwarded_Host", "Proxy_Authorization",
]  # fmt: skip


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_headers_are_not_arguments(make: Any, declare: Any, name: str) -> None:
    """Headers that frame, route or authenticate are refused even where a document declares them."""
    function = make("/x", "get", declare(name, "header"))
    with pytest.raises(ArgumentError) as caught:
        request(function, {"headers": {name: "x"}}, HERE, validate=False)
    assert caught.value.problems[0].expected == "undefined"


@pytest.mark.parametrize("media_type", ["a/b\r\nX-Evil: 1", "a/b\0", "a/b; x=\n", " a/b", "text/ä"])
def test_a_media_type_is_one_line(make: Any, declare_body: Any, media_type: str) -> None:
    """A document's media type cannot bring a header along."""
    with pytest.raises(DocumentError):
        request(make("/x", "post", body=declare_body(media_type)), {"body": 1}, HERE)


def test_an_accept_of_lies(make: Any, declare_answer: Any) -> None:
    """Nor can the media types of an answer: what is not one line is left out."""
    success = declare_answer("a/b\r\nX-Evil: 1", "text/plain")
    assert request(make("/x", success=success), {}, HERE).headers["accept"] == "text/plain"


def test_one_header_arrives(make: Any, declare: Any, loopback: Any) -> None:
    """On the wire a header argument is exactly one line, also with text from outside ASCII."""
    function = make("/x", "get", declare("X-A", "header"), declare("c", "cookie"))
    connection = Connection(base_url=loopback.url)
    for value in ("a", "", "a\tb", "é日本", "a: b", 'a"b\\', "a, b; c=d", "x" * 5_000):
        given = {"headers": {"X-A": value}, "cookies": {"c": value}}
        specfn.execute(function, given, connection)
        assert loopback.head["x-a"] == [value]
        assert len(loopback.head["cookie"]) == 1
        assert set(loopback.head) == {
            "host", "user-agent", "accept-encoding", "accept", "x-a", "cookie",
        }  # fmt: skip


TEXT = {"type": "string"}


def form(**encoding: Any) -> Application:
    """A multipart form with any parts, and what the document says of the part ``a``."""
    content = {
        "schema": {"type": "object", "additionalProperties": TEXT},
        "encoding": {"a": encoding},
    }
    parameters = [
        {"name": "X-A", "in": "header", "schema": {}},
        {"name": "c", "in": "cookie", "schema": {}},
    ]
    body = {"requestBody": {"content": {"multipart/form-data": content}}, "parameters": parameters}
    info = {"title": "t", "version": "1"}
    return load({"openapi": "3.1.0", "info": info, "paths": {"/x": {"post": body}}})


@pytest.mark.parametrize("value", [*INJECTIONS, "\r\n", '"; name="b', "\r\n\r\nsecond"], ids=ascii)
def test_on_the_wire_there_is_one_of_each(loopback: Any, value: str) -> None:
    """In a header, a cookie, the name or the content of a part: nothing becomes another header or part."""
    function = form()["POST /x"]
    for given in (
        {"headers": {"X-A": value}},
        {"headers": {"X-A": [value]}},
        {"cookies": {"c": value}},
        {"cookies": {"c": {value: value}}},
        {"body": {value: "x"}},
        {"body": {"a": value, value: value}},
    ):
        loopback.requests.clear()
        try:
            specfn.execute(function, given, Connection(base_url=loopback.url))
        except ArgumentError:
            assert loopback.requests == []
            continue
        assert len(loopback.requests) == 1
        assert all(len(found) == 1 for found in loopback.head.values())
        usual = {"host", "user-agent", "accept-encoding", "accept", "x-a", "cookie"}
        assert set(loopback.head) <= usual | {"content-type", "content-length"}
        if "body" in given:
            boundary = loopback.head["content-type"][0].partition("boundary=")[2].encode()
            parts = loopback.body.split(b"--" + boundary)
            assert len(parts) == 2 + len(given["body"])
            for part in parts[1:-1]:
                head = part.partition(b"\r\n\r\n")[0].decode().strip("\r\n").split("\r\n")
                assert [line.partition(":")[0] for line in head] == ["Content-Disposition"]
                assert head[0].count('"') == 2


@pytest.mark.parametrize("value", ["a/b\r\nX-Evil: 1", "a/b\0", "a/b\n c", "a/b\r"])
def test_what_a_document_says_of_a_part_is_one_line(loopback: Any, value: str) -> None:
    """A part's content type and headers are the document's, and bring no line along either."""
    header = {"X-Part": {"schema": {"const": value}}}
    for encoding in ({"contentType": value}, {"headers": header}):
        try:
            arguments = {"body": {"a": "text"}}
            specfn.execute(
                form(**encoding)["POST /x"], arguments, Connection(base_url=loopback.url)
            )
        except DocumentError:
            continue
        assert b"Evil" not in loopback.body
        assert loopback.body.count(b"\r\n\r\n") == 1
        assert b"\0" not in loopback.body


@pytest.mark.parametrize("value", [*INJECTIONS, "a\r\nX-Evil: 1"], ids=ascii)
def test_not_even_the_caller_can(value: str) -> None:
    """The connection's own headers, cookies and credentials are held to the same."""
    for fields in (
        {"headers": {"X-A": value}},
        {"cookies": {"c": value}},
        {"headers": {value: "x"}},
    ):
        with pytest.raises(UsageError, match=r"^Connection\.(headers|cookies): "):
            Connection(base_url="https://h", **fields)
