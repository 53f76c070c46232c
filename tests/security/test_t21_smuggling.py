"""T21: what an argument holds stays in its pair, its field or its part, whatever it looks like."""

import itertools
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Connection, load, propagate, request
from specfn.errors import ArgumentError, UsageError
from specfn.http.files import File

TEXT: dict[str, Any] = {"type": "string"}
OPEN: dict[str, Any] = {"type": "object", "additionalProperties": TEXT}
LIST: dict[str, Any] = {"type": "array", "items": TEXT}
QUERY = [
    {"name": "plain", "schema": TEXT},
    {"name": "list", "schema": LIST},
    {"name": "comma", "schema": LIST, "explode": False},
    {"name": "pipe", "schema": LIST, "style": "pipeDelimited", "explode": False},
    {"name": "deep", "schema": OPEN, "style": "deepObject"},
    {"name": "reserved", "schema": TEXT, "allowReserved": True},
    {"name": "reserved list", "schema": LIST, "allowReserved": True},
    {"name": "json", "content": {"application/json": {"schema": {}}}},
]


def operation(content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"post": {"requestBody": {"required": True, "content": content}, **more}}


APPLICATION = load(
    {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/query": {"get": {"parameters": [{"in": "query", **each} for each in QUERY]}},
            "/cookies": {
                "get": {"parameters": [{"in": "cookie", "name": "c", "schema": TEXT},
                                       {"in": "cookie", "name": "d", "schema": TEXT}]}
            },
            "/form": operation({"application/x-www-form-urlencoded": {"schema": OPEN}}),
            "/parts": operation(
                {
                    "multipart/form-data": {
                        "schema": {
                            "type": "object",
                            "properties": {
                                "file": {"type": "string", "format": "binary"},
                                "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                                "json": {"type": "object"},
                            },
                            "additionalProperties": TEXT,
                        }
                    }
                }
            ),
        },
    }
)  # fmt: skip

#: What ends a value, a pair, a field, a part or a message somewhere.
SMUGGLED = [
    "a&admin=1", "a?x=1", "a#frag", "a%26admin=1", "%26", "%2526", "a+b", "a=b", "a;b=c", "a,b", "a|b",
    "a b", "[0]", "]&x[", "a\r\nX-Evil: 1", "a\r\n\r\nGET / HTTP/1.1", "\0", '"; name="x', '\\"; filename="y',
    "--boundary", "\r\n--x--\r\n", "é", "日本", "\u2028", "%", "%zz", "&", "=", "", " ",
]  # fmt: skip

texts = st.one_of(st.sampled_from(SMUGGLED), st.text(max_size=12))
filled = texts.filter(bool)
names = st.one_of(st.sampled_from(SMUGGLED), st.text(min_size=1, max_size=8))

over_a_socket = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def pairs(query: str) -> list[tuple[str, str]]:
    """A query as servers split it, before anything is decoded."""
    return [
        (unquote(name, errors="strict"), unquote(value, errors="strict"))
        for name, _, value in (pair.partition("=") for pair in query.split("&") if query)
    ]


def sent(loopback: Any, path: str, arguments: dict[str, Any]) -> bool:
    """Whether the arguments went out; what cannot be said in its place is refused before."""
    loopback.requests.clear()
    try:
        propagate(APPLICATION[path], arguments, Connection(base_url=loopback.url))
    except ArgumentError:
        assert loopback.requests == []
        return False
    assert len(loopback.requests) == 1
    assert loopback.line.count(" ") == 2
    assert "x-evil" not in loopback.head
    return True


@over_a_socket
@given(
    plain=texts, reserved=texts, listed=st.lists(texts, max_size=3),
    deep=st.dictionaries(names, texts, max_size=3), document=st.dictionaries(names, texts, max_size=2),
)  # fmt: skip
def test_a_query_comes_apart_as_it_was_put_together(
    loopback: Any, plain: str, reserved: str, listed: list[str], deep: dict[str, str], document: Any
) -> None:
    """Split at & and =, then decoded: the server has the pairs that were given, and no others."""
    query = {
        "plain": plain,
        "list": listed,
        "deep": deep,
        "reserved": reserved,
        "reserved list": listed,
        "json": document,
    }
    assert sent(loopback, "GET /query", {"query": query})
    path, mark, written = loopback.target.partition("?")
    assert (path, mark) == ("/query", "?")
    assert not set('#[]\\"<> ') & set(written)
    found = pairs(written)
    assert [value for name, value in found if name == "plain"] == [plain]
    assert [value for name, value in found if name == "reserved"] == [reserved]
    assert [value for name, value in found if name == "list"] == listed
    assert [value for name, value in found if name == "reserved list"] == listed
    assert [each for each in found if each[0].startswith("deep[")] == [
        (f"deep[{key}]", value) for key, value in deep.items()
    ]
    assert len(found) == 3 + 2 * len(listed) + len(deep)


@over_a_socket
@given(
    comma=st.lists(filled, min_size=1, max_size=3), pipe=st.lists(filled, min_size=1, max_size=3)
)
def test_a_delimiter_in_a_value_makes_no_second_value(
    loopback: Any, comma: list[str], pipe: list[str]
) -> None:
    """Values joined by a delimiter come apart at it again, or are refused where none can be told."""
    if not sent(loopback, "GET /query", {"query": {"comma": comma, "pipe": pipe}}):
        assert any("|" in each for each in pipe)
        return
    written = dict(pair.split("=") for pair in loopback.target.partition("?")[2].split("&"))
    assert [unquote(each) for each in written["comma"].split(",")] == comma
    assert [unquote(each) for each in written["pipe"].split("%7C")] == pipe


@over_a_socket
@given(fields=st.dictionaries(names, texts, min_size=1, max_size=4))
def test_a_form_comes_apart_as_it_was_put_together(loopback: Any, fields: dict[str, str]) -> None:
    """A field's name and value end where they ended."""
    assert sent(loopback, "POST /form", {"body": fields})
    body = loopback.body.decode("ascii")
    found = [tuple(map(unquote_plus, pair.split("="))) for pair in body.split("&")]
    assert found == list(fields.items())


@over_a_socket
@given(value=texts)
def test_a_cookie_is_one_cookie(loopback: Any, value: str) -> None:
    """Nothing in a cookie's value begins another cookie."""
    assert sent(loopback, "GET /cookies", {"cookies": {"c": value, "d": "2"}})
    [header] = loopback.head["cookie"]
    first, second = header.split("; ")
    assert (unquote(first.removeprefix("c=")), second) == (value, "d=2")


def parts(head: dict[str, list[str]], body: bytes) -> Iterator[tuple[dict[str, str], bytes]]:
    """A multipart body taken apart by its boundary alone (RFC 2046, section 5.1.1)."""
    [content_type] = head["content-type"]
    kind, _, boundary = content_type.partition("; boundary=")
    assert kind == "multipart/form-data"
    before, *inner, after = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    assert (before, after) == (b"", b"--\r\n")
    for each in inner:
        top, _, content = each.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        lines = [line.decode().partition(": ") for line in top.split(b"\r\n")]
        headers = {name.lower(): value for name, _, value in lines}
        assert len(headers) == len(lines)
        yield headers, content


def disposition(headers: dict[str, str]) -> dict[str, str]:
    """The parameters of Content-Disposition, every quote looked at."""
    kind, *rest = headers["content-disposition"].split("; ")
    assert kind == "form-data"
    found = {}
    for parameter in rest:
        name, _, value = parameter.partition("=")
        assert value[0] == value[-1] == '"'
        assert '"' not in value[1:-1]
        found[name] = value[1:-1]
    return found


#: Names as a quoted parameter writes them; browsers leave the percent sign as it is, and so do we.
quotable = names.filter(lambda name: "; " not in name and "%" not in name)


@over_a_socket
@given(fields=st.dictionaries(quotable, texts, max_size=3), content=texts, document=st.dictionaries(names, texts, max_size=2))  # fmt: skip
def test_a_multipart_body_comes_apart_as_it_was_put_together(
    loopback: Any, fields: dict[str, str], content: str, document: dict[str, str]
) -> None:
    """Every part has its one name and its content, and there is no other part."""
    given = {**fields, "file": content, "json": document}
    if "files" in fields or not sent(loopback, "POST /parts", {"body": given}):
        return
    found = list(parts(loopback.head, loopback.body))
    assert [unquote(disposition(headers)["name"]) for headers, _ in found] == list(given)
    for (headers, body), (name, value) in zip(found, given.items(), strict=True):
        if name != "json":
            assert body.decode() == value
        assert set(headers) <= {"content-disposition", "content-type"}


def test_a_boundary_is_not_to_be_guessed() -> None:
    """A content that holds the boundary of the body before has another boundary around it, again and again."""
    content = "x"
    seen = set()
    for _ in range(20):
        given = {
            "body": {"file": f"--{content}--", "a": f"\r\n--{content}\r\n\r\n", content: content}
        }
        made = request(APPLICATION["POST /parts"], given, Connection(base_url="https://h"))
        content = made.headers["content-type"].partition("; boundary=")[2]
        assert len(content) >= 32
        assert content not in seen
        assert made.content.count(content.encode()) == 4
        seen.add(content)


@pytest.mark.parametrize("by", ["caller", "model"])
@pytest.mark.parametrize("name", [*SMUGGLED, "a/b", "..\\..\\x", "x" * 300])
def test_a_name_of_a_file_is_one_parameter(loopback: Any, name: str, by: str) -> None:
    """A file's name, which the caller or the model gives, ends neither its quotes nor its header."""
    written = quote(name, safe="", errors="replace")
    model = f"data:text/plain;name={written};base64,Y29udGVudA=="
    file = File(b"content", name=name) if by == "caller" else model
    assert sent(loopback, "POST /parts", {"body": {"files": [file, b"second"]}})
    (first, body), (second, _) = parts(loopback.head, loopback.body)
    head = first["content-disposition"]
    assert body == b"content"
    assert head.startswith('form-data; name="files"')
    assert head.replace('; filename="', "").count('"') == 2 + bool("filename" in head)
    assert disposition(second)["name"] == "files"
    assert set(first) == {"content-disposition", "content-type"}
    if by == "model":
        assert not re.search(r"[/\\]|%0[AD]", head.partition("filename=")[2])


@pytest.mark.parametrize(
    ("name", "file"),
    [("../x", "x.bin"), ("..\\..\\x", "x.bin"), ("/etc/passwd", "passwd.bin"), ("a%2fb", "b.bin"),
     ("a%252fb", "b.bin"), ("a/", "file.bin"), ("..", "file.bin"), ("a\r\nb", "ab.bin"), ("a b", "a b.bin")],
)  # fmt: skip
def test_a_free_property_does_not_name_a_path(name: str, file: str) -> None:
    """The name of a property that a model invents becomes the last segment of a file name; the property keeps it."""
    form = {"type": "object", "additionalProperties": {"type": "string", "format": "binary"}}
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Files", "version": "1"},
        "paths": {
            "/files": {
                "post": {"requestBody": {"content": {"multipart/form-data": {"schema": form}}}}
            }
        },
    }
    made = request(
        load(document)["POST /files"],
        {"body": {name: "content"}},
        Connection(base_url="https://h"),
    )
    head = made.content.decode().split("\r\n")[1]
    own, sent_as = re.fullmatch(r'.*; name="([^"]*)"; filename="([^"]*)"', head).groups()
    assert (unquote(own), sent_as) == (unquote(name), file)


@pytest.mark.parametrize("value", ["text/html\r\nX-Evil: 1", "a/b\0", "a/b; c=\n", "a", "", "é/b"])
def test_a_media_type_of_a_file_is_one_line(loopback: Any, value: str) -> None:
    """Neither a caller's media type nor that of a model's data URL brings a header along."""
    with pytest.raises(UsageError):
        File(b"", media_type=value)
    data = f"data:{value};base64,aGVsbG8="
    sent(loopback, "POST /parts", {"body": {"file": data}})
    for headers, _ in parts(loopback.head, loopback.body):
        assert set(headers) <= {"content-disposition", "content-type"}
        assert headers["content-type"] in {"application/octet-stream", "text/plain"}


def test_reserved_characters_that_end_something_are_encoded(loopback: Any) -> None:
    """Even with allowReserved, nothing of a value ends the pair, the query or the request line."""
    for first, second in itertools.product('#[]%&+ \r\n\0"<>\\^`{|}', repeat=2):
        value = f"a{first}{second}b"
        assert sent(loopback, "GET /query", {"query": {"reserved": value}})
        [(name, found)] = pairs(loopback.target.partition("?")[2])
        assert (name, found) == ("reserved", value)
        assert "+" not in loopback.target
