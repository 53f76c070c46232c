"""Parameters on the wire, read off a socket: the style table of OpenAPI, and its edges.

The rows named "spec" are those of the specification (section Style Examples of 3.0.4, 3.1.1 and 3.2,
and the serialized values in its Parameter Object Examples), written down literally.
"""

from typing import Any

import pytest
from tests.http.wire import VERSIONS, operation, send, typed

import specfn
from specfn.errors import ArgumentError

STRING = "blue"
ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}

#: style, explode, value, what follows the slash.
PATHS = [
    ("matrix", False, STRING, ";color=blue"),
    ("matrix", False, ARRAY, ";color=blue,black,brown"),
    ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
    ("matrix", True, STRING, ";color=blue"),
    ("matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
    ("matrix", True, OBJECT, ";R=100;G=200;B=150"),
    ("label", False, STRING, ".blue"),
    ("label", False, ARRAY, ".blue,black,brown"),
    ("label", False, OBJECT, ".R,100,G,200,B,150"),
    ("label", True, STRING, ".blue"),
    ("label", True, ARRAY, ".blue.black.brown"),
    ("label", True, OBJECT, ".R=100.G=200.B=150"),
    ("simple", False, STRING, "blue"),
    ("simple", False, ARRAY, "blue,black,brown"),
    ("simple", False, OBJECT, "R,100,G,200,B,150"),
    ("simple", True, STRING, "blue"),
    ("simple", True, ARRAY, "blue,black,brown"),
    ("simple", True, OBJECT, "R=100,G=200,B=150"),
    # falsy values are values
    ("matrix", False, 0, ";color=0"),
    ("matrix", True, False, ";color=false"),
    ("label", False, 0, ".0"),
    ("label", True, False, ".false"),
    ("simple", False, 0, "0"),
    ("simple", True, False, "false"),
    ("simple", False, [0, False], "0,false"),
    ("matrix", True, ["", "a"], ";color;color=a"),
    ("label", True, [1.5, "a.b"], ".1%2E5.a%2Eb"),
    ("label", False, [1.5, "a.b"], ".1.5,a.b"),
    # Swagger 2.0's collectionFormat in a path: csv is simple, the others have their own delimiters.
    ("spaceDelimited", False, ARRAY, "blue%20black%20brown"),
    ("pipeDelimited", False, ARRAY, "blue%7Cblack%7Cbrown"),
    ("tabDelimited", False, ARRAY, "blue%09black%09brown"),
    ("simple", False, ["a", None, "b"], "a,b"),
    ("simple", True, {"a": None, "b": 1}, "b=1"),
    # a style that belongs elsewhere is read as simple
    ("form", False, ARRAY, "blue,black,brown"),
]

#: style, explode, value, the query.
QUERIES = [
    ("form", False, STRING, "color=blue"),
    ("form", False, ARRAY, "color=blue,black,brown"),
    ("form", False, OBJECT, "color=R,100,G,200,B,150"),
    ("form", True, STRING, "color=blue"),
    ("form", True, ARRAY, "color=blue&color=black&color=brown"),
    ("form", True, OBJECT, "R=100&G=200&B=150"),
    ("spaceDelimited", False, ARRAY, "color=blue%20black%20brown"),
    ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, ARRAY, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    # empty, in the specification's sense: the empty text
    ("form", False, "", "color="),
    ("form", True, "", "color="),
    # falsy values are values
    ("form", False, 0, "color=0"),
    ("form", True, False, "color=false"),
    ("form", True, [0, False, ""], "color=0&color=false&color="),
    (
        "deepObject",
        True,
        {"a": 0, "b": False, "c": ""},
        "color%5Ba%5D=0&color%5Bb%5D=false&color%5Bc%5D=",
    ),
    # what holds nothing is RFC 6570's undefined, and so is null
    ("form", False, [], ""),
    ("form", True, [], ""),
    ("form", False, {}, ""),
    ("form", True, {}, ""),
    ("form", False, None, ""),
    ("form", True, None, ""),
    ("spaceDelimited", False, [], ""),
    ("pipeDelimited", False, {}, ""),
    ("deepObject", True, {}, ""),
    ("deepObject", True, {"a": None}, ""),
    # undefined in the specification: the closest row stands in
    ("spaceDelimited", False, STRING, "color=blue"),
    ("spaceDelimited", True, ARRAY, "color=blue&color=black&color=brown"),
    ("spaceDelimited", True, OBJECT, "R=100&G=200&B=150"),
    ("pipeDelimited", False, 7, "color=7"),
    ("pipeDelimited", True, ARRAY, "color=blue&color=black&color=brown"),
    ("deepObject", True, STRING, "color=blue"),
    ("deepObject", False, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ("deepObject", True, ["a", "b"], "color%5B0%5D=a&color%5B1%5D=b"),
    ("deepObject", True, {"a": {"b": [1]}}, "color%5Ba%5D%5Bb%5D%5B0%5D=1"),
    # deeper than the table goes, and numbers and booleans as JSON writes them
    ("tabDelimited", False, ARRAY, "color=blue%09black%09brown"),
    ("pipeDelimited", True, OBJECT, "R=100&G=200&B=150"),
    ("deepObject", True, ARRAY, "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown"),
    ("simple", False, ARRAY, "color=blue,black,brown"),
    (
        "deepObject",
        True,
        {"a": {"b": [1, {"c": True}]}},
        "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true",
    ),
    ("deepObject", True, {"a": None, "b": [], "c": ""}, "color%5Bc%5D="),
    ("form", True, {"tags": ["a", "b"], "x": {"y": 1}}, "tags=a&tags=b&x=%7B%22y%22%3A1%7D"),
    ("form", False, [[1, 2], {"a": "b"}], "color=%5B1%2C2%5D,%7B%22a%22%3A%22b%22%7D"),
    ("form", False, ["a", None], "color=a"),
    ("form", True, [None, "a"], "color=a"),
    (
        "form",
        True,
        [True, 12.0, 0.1, 1e-07, -3, 2**70],
        "color=true&color=12&color=0.1&color=1e-7&color=-3&color=1180591620717411303424",
    ),
]

#: style, explode, value, the header; None where there is none.
HEADERS = [
    ("simple", False, STRING, "blue"),
    ("simple", False, ARRAY, "blue,black,brown"),
    ("simple", False, OBJECT, "R,100,G,200,B,150"),
    ("simple", True, STRING, "blue"),
    ("simple", True, ARRAY, "blue,black,brown"),
    ("simple", True, OBJECT, "R=100,G=200,B=150"),
    ("simple", False, [12345678, 90099], "12345678,90099"),
    ("simple", False, 12.0, "12"),
    ("simple", False, 0, "0"),
    ("simple", True, False, "false"),
    ("simple", False, "", ""),
    ("simple", False, [], None),
    ("simple", True, {}, None),
    ("simple", False, None, None),
    ("simple", False, "a, b; c=d/é", "a, b; c=d/é"),
]

#: style, explode, value, the Cookie header; None where there is none.
COOKIES = [
    ("form", False, STRING, "color=blue"),
    ("form", False, ARRAY, "color=blue,black,brown"),
    ("form", False, OBJECT, "color=R,100,G,200,B,150"),
    ("form", True, STRING, "color=blue"),
    ("form", True, "Hello, world!", "color=Hello%2C%20world%21"),
    ("form", True, ARRAY, "color=blue; color=black; color=brown"),
    ("form", True, OBJECT, "R=100; G=200; B=150"),
    ("form", False, "", "color="),
    ("form", True, 0, "color=0"),
    ("form", True, False, "color=false"),
    ("form", True, [], None),
    ("form", False, {}, None),
    ("form", True, None, None),
]


def color(where: str, style: str, *, explode: bool, value: Any, version: str) -> dict[str, Any]:
    return {
        "name": "color",
        "in": where,
        "required": where == "path",
        "style": style,
        "explode": explode,
        "schema": typed(value, version),
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("style", "explode", "value", "segment"), PATHS)
def test_paths(
    loopback: Any, version: str, style: str, value: Any, segment: str, *, explode: bool
) -> None:
    """A path parameter is written as its row of the style table says."""
    declared = color("path", style, explode=explode, value=value, version=version)
    document = operation(version, declared, path="/x/{color}/y")
    assert send(document, {"color": value}, loopback).target == f"/v1/x/{segment}/y"


@pytest.mark.parametrize("style", ["simple", "label", "matrix"])
@pytest.mark.parametrize("value", ["", [], {}, None], ids=["text", "array", "object", "null"])
def test_a_path_has_no_empty_value(loopback: Any, style: str, value: Any) -> None:
    """An empty path parameter would be another path, and is refused before anything is sent."""
    declared = color("path", style, explode=False, value=value, version="3.1.1")
    with pytest.raises(ArgumentError, match=r"\$input\.color"):
        send(operation("3.1.1", declared, path="/x/{color}"), {"color": value}, loopback)
    assert loopback.requests == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("style", "explode", "value", "query"), QUERIES)
def test_queries(
    loopback: Any, version: str, style: str, value: Any, query: str, *, explode: bool
) -> None:
    """A query parameter is written as its row of the style table says."""
    declared = color("query", style, explode=explode, value=value, version=version)
    server = send(operation(version, declared), {"query": {"color": value}}, loopback)
    assert server.target == "/v1/x" + (f"?{query}" if query else "")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("style", "explode", "value", "header"), HEADERS)
def test_headers(
    loopback: Any, version: str, style: str, value: Any, header: str | None, *, explode: bool
) -> None:
    """A header parameter is written as its row of the style table says, and never twice."""
    declared = color("header", style, explode=explode, value=value, version=version)
    server = send(operation(version, declared), {"headers": {"color": value}}, loopback)
    assert server.head.get("color", []) == ([] if header is None else [header])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("style", "explode", "value", "cookie"), COOKIES)
def test_cookies(
    loopback: Any, version: str, style: str, value: Any, cookie: str | None, *, explode: bool
) -> None:
    """A cookie parameter is written as its row of the style table says, all in one header."""
    declared = color("cookie", style, explode=explode, value=value, version=version)
    server = send(operation(version, declared), {"cookies": {"color": value}}, loopback)
    assert server.head.get("cookie", []) == ([] if cookie is None else [cookie])


#: 3.2's style of cookies: explode, value, the Cookie header.
COOKIE_STYLE = [
    (True, STRING, "color=blue"),
    (False, STRING, "color=blue"),
    (True, ARRAY, "color=blue; color=black; color=brown"),
    (True, OBJECT, "R=100; G=200; B=150"),
    (True, {"greeting": "Hello%2C%20world!", "code": 42}, "greeting=Hello%2C%20world!; code=42"),
    (True, "", "color="),
    (True, 0, "color=0"),
]


@pytest.mark.parametrize(("explode", "value", "cookie"), COOKIE_STYLE)
def test_the_style_of_cookies(loopback: Any, value: Any, cookie: str, *, explode: bool) -> None:
    """Style ``cookie`` writes values as they are: who needs an escape writes it."""
    declared = color("cookie", "cookie", explode=explode, value=value, version="3.2.0")
    server = send(operation("3.2.0", declared), {"cookies": {"color": value}}, loopback)
    assert server.head["cookie"] == [cookie]


SEGMENTS = [
    ("a/b", "a%2Fb"),
    ("100%", "100%25"),
    ("%2F", "%252F"),
    ("a?b=c", "a%3Fb%3Dc"),
    ("a#b", "a%23b"),
    ("a;b", "a%3Bb"),
    ("a b", "a%20b"),
    ("a+b", "a%2Bb"),
    ("a&b", "a%26b"),
    ("a:b@c", "a%3Ab%40c"),
    ("diṅnāga", "di%E1%B9%85n%C4%81ga"),
    ("الخوارزميّ", "%D8%A7%D9%84%D8%AE%D9%88%D8%A7%D8%B1%D8%B2%D9%85%D9%8A%D9%91"),
    ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
    ("😀", "%F0%9F%98%80"),
    ("{id}", "%7Bid%7D"),
    ("...", "..."),
    ("~._-", "~._-"),
    ('"<>^`|', "%22%3C%3E%5E%60%7C"),
]


@pytest.mark.parametrize(("value", "segment"), SEGMENTS)
def test_texts_in_a_path(loopback: Any, value: str, segment: str) -> None:
    """Whatever a text holds, it stays in its segment; only unreserved characters are as they are."""
    declared = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    server = send(operation("3.1.1", declared, path="/x/{id}/y"), {"id": value}, loopback)
    assert server.target == f"/v1/x/{segment}/y"


VALUES = [
    ("one thing", "one%20thing"),
    ("a&b=c", "a%26b%3Dc"),
    ("a+b", "a%2Bb"),
    ("a#b?c/d", "a%23b%3Fc%2Fd"),
    ("50%", "50%25"),
    ("é日", "%C3%A9%E6%97%A5"),
    ("a,b", "a%2Cb"),
    ("[x]", "%5Bx%5D"),
    ("\r\nX: y\x00", "%0D%0AX%3A%20y%00"),
]


@pytest.mark.parametrize(("value", "written"), VALUES)
def test_texts_in_a_query(loopback: Any, value: str, written: str) -> None:
    """Whatever a text holds, it stays in its value, alone and as one of several."""
    declared = [
        {"name": "one", "in": "query", "schema": {"type": "string"}},
        {"name": "all", "in": "query", "explode": False, "schema": {"type": "array", "items": {}}},
    ]
    given = {"query": {"one": value, "all": [value, "z"]}}
    server = send(operation("3.1.1", *declared), given, loopback)
    assert server.target == f"/v1/x?one={written}&all={written},z"


#: allowReserved: RFC 3986's reserved characters stay, but for what would end the value (threat T21).
RESERVED = [
    ("2024-01-01T10:00:00/P1D", "2024-01-01T10:00:00/P1D"),
    (":/?@!$'()*,;=", ":/?@!$'()*,;="),
    ("a&b", "a%26b"),
    ("a+b", "a%2Bb"),
    ("a#b", "a%23b"),
    ("[a]", "%5Ba%5D"),
    ("a%20b", "a%2520b"),
    ("a b", "a%20b"),
    ("é", "%C3%A9"),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("value", "written"), RESERVED)
def test_allow_reserved(loopback: Any, version: str, value: str, written: str) -> None:
    """With allowReserved, reserved characters are as they are where they can be."""
    declared = {"name": "q", "in": "query", "allowReserved": True, "schema": {"type": "string"}}
    server = send(operation(version, declared), {"query": {"q": value}}, loopback)
    assert server.target == f"/v1/x?q={written}"


EMPTIES = [
    ({"allowEmptyValue": True}, "", "?q="),
    ({"allowEmptyValue": True}, [], "?q="),
    ({"allowEmptyValue": True}, None, "?q="),
    ({}, "", "?q="),
    ({}, [], ""),
    ({}, None, ""),
]


@pytest.mark.parametrize(("more", "value", "query"), EMPTIES)
def test_allow_empty_value(loopback: Any, more: Any, value: Any, query: str) -> None:
    """With allowEmptyValue, what is empty is sent as such; an absent parameter never is."""
    declared = {"name": "q", "in": "query", "schema": {}, **more}
    assert (
        send(operation("3.1.1", declared), {"query": {"q": value}}, loopback).target
        == f"/v1/x{query}"
    )
    assert send(operation("3.1.1", declared), {}, loopback).target == "/v1/x"


def test_content_parameters(loopback: Any) -> None:
    """A parameter with content is one text in its media type, in every place."""
    schema = {"type": "object"}
    declared = [
        {"name": name, "in": where, "required": where == "path",
         "content": {"application/json": {"schema": schema}}}
        for name, where in [("p", "path"), ("coordinates", "query"), ("H", "header"), ("c", "cookie")]
    ]  # fmt: skip
    value = {"lat": 40.6, "long": -73.9}
    given = {
        "p": value,
        "query": {"coordinates": value},
        "headers": {"H": value},
        "cookies": {"c": value},
    }
    server = send(operation("3.1.1", *declared, path="/x/{p}"), given, loopback)
    encoded = "%7B%22lat%22%3A40.6%2C%22long%22%3A-73.9%7D"
    assert server.target == f"/v1/x/{encoded}?coordinates={encoded}"
    assert server.head["h"] == ['{"lat":40.6,"long":-73.9}']
    assert server.head["cookie"] == [f"c={encoded}"]


def test_content_that_is_a_text(loopback: Any) -> None:
    """A text parameter with content is the text; a header can hold quotes that a style would escape."""
    declared = [
        {
            "name": "If-Match",
            "in": "header",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        {"name": "q", "in": "query", "content": {"text/plain": {"schema": {"type": "string"}}}},
    ]
    given = {"headers": {"If-Match": '"xyzzy"'}, "query": {"q": "a b"}}
    server = send(operation("3.1.1", *declared), given, loopback)
    assert server.head["if-match"] == ['"xyzzy"']
    assert server.target == "/v1/x?q=a%20b"


#: 3.2's examples of ``in: querystring``: media type, value, the query.
QUERYSTRINGS = [
    ("application/x-www-form-urlencoded", {"foo": "a + b", "bar": True}, "foo=a+%2B+b&bar=true"),
    (
        "application/json",
        {"numbers": [1, 2], "flag": None},
        "%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D",
    ),
    ("text/plain", "a=b&c", "a%3Db%26c"),
]


@pytest.mark.parametrize(("media_type", "value", "query"), QUERYSTRINGS)
def test_the_whole_query(loopback: Any, media_type: str, value: Any, query: str) -> None:
    """A querystring parameter is the query, in its media type."""
    declared = {"name": "q", "in": "querystring", "content": {media_type: {"schema": {}}}}
    server = send(operation("3.2.0", declared), {"query": {"q": value}}, loopback)
    assert server.target == f"/v1/x?{query}"


def test_the_same_name_everywhere(loopback: Any) -> None:
    """Path, query, header, cookie and body may use one name; each goes to its own place."""
    declared = [
        {"name": "id", "in": where, "required": where == "path", "schema": {"type": "string"}}
        for where in ("path", "query", "header", "cookie")
    ]
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    body = {"content": {"application/json": {"schema": schema}}}
    document = operation("3.1.1", *declared, path="/x/{id}", method="post", requestBody=body)
    given = {
        "id": "1",
        "query": {"id": "2"},
        "headers": {"id": "3"},
        "cookies": {"id": "4"},
        "body": {"id": "5"},
    }
    server = send(document, given, loopback)
    assert server.line == "POST /v1/x/1?id=2 HTTP/1.1"
    assert server.head["id"] == ["3"]
    assert server.head["cookie"] == ["id=4"]
    assert server.body == b'{"id":"5"}'


def test_a_spread_object(loopback: Any) -> None:
    """An object in exploded form style is given property by property, and arrives so."""
    schema = {
        "type": "object",
        "properties": {"page": {"type": "integer"}, "pageSize": {"type": "integer"}},
    }
    declared = {"name": "freeForm", "in": "query", "style": "form", "schema": schema}
    server = send(operation("3.1.1", declared), {"query": {"page": 4, "pageSize": 50}}, loopback)
    assert server.target == "/v1/x?page=4&pageSize=50"


def test_an_open_object(loopback: Any) -> None:
    """The specification's free-form parameter: any names, each a pair of its own."""
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    declared = {"name": "freeForm", "in": "query", "style": "form", "schema": schema}
    given = {"query": {"freeForm": {"page": 4, "pageSize": 50}}}
    assert send(operation("3.1.1", declared), given, loopback).target == "/v1/x?page=4&pageSize=50"


NAMES = [
    ("filter[name]", "filter%5Bname%5D"),
    ("$top", "%24top"),
    ("a b", "a%20b"),
    ("a&b=c", "a%26b%3Dc"),
    ("größe", "gr%C3%B6%C3%9Fe"),
    ("ids[]", "ids%5B%5D"),
]


@pytest.mark.parametrize(("name", "written"), NAMES)
def test_names(loopback: Any, name: str, written: str) -> None:
    """A name is encoded as a value is; a server that decodes gets the declared one."""
    declared = {
        "name": name,
        "in": "query",
        "schema": {"type": "array", "items": {"type": "integer"}},
    }
    server = send(operation("3.1.1", declared), {"query": {name: [1, 2]}}, loopback)
    assert server.target == f"/v1/x?{written}=1&{written}=2"


NUMBERS = [
    (12.0, "12"), (-0.0, "0"), (0.1, "0.1"), (1e-7, "1e-7"), (2**53, "9007199254740992"),
    (2**70, "1180591620717411303424"), (-3, "-3"),
]  # fmt: skip


def test_a_large_number(loopback: Any) -> None:
    """A number beyond the integers of JSON is written with an exponent, whose sign JSON allows to leave out."""
    declared = {"name": "n", "in": "query", "schema": {"type": "number"}}
    sent = send(operation("3.1.1", declared), {"query": {"n": 1.5e300}}, loopback).target
    assert sent in {"/v1/x?n=1.5e%2B300", "/v1/x?n=1.5e300"}


@pytest.mark.parametrize(("value", "written"), NUMBERS)
def test_numbers(loopback: Any, value: float, written: str) -> None:
    """Numbers are written as JSON writes them, whole ones without a fraction."""
    declared = {"name": "n", "in": "query", "schema": {"type": "number"}}
    assert (
        send(operation("3.1.1", declared), {"query": {"n": value}}, loopback).target
        == f"/v1/x?n={written}"
    )


DELIMITED = [("spaceDelimited", "New York"), ("pipeDelimited", "a|b")]


@pytest.mark.parametrize(("style", "value"), DELIMITED)
def test_a_delimiter_in_a_value(loopback: Any, style: str, value: str) -> None:
    """A value that would be read as two is refused: these styles have no escape for their delimiter."""
    declared = color("query", style, explode=False, value=[value], version="3.1.1")
    with pytest.raises(ArgumentError, match="several"):
        send(operation("3.1.1", declared), {"query": {"color": [value]}}, loopback)
    assert loopback.requests == []


#: Swagger 2.0: collectionFormat, where, the target.
COLLECTIONS = [
    ("csv", "query", "/v1/x?ids=a%2Fb,2,3"),
    ("ssv", "query", "/v1/x?ids=a%2Fb%202%203"),
    ("tsv", "query", "/v1/x?ids=a%2Fb%092%093"),
    ("pipes", "query", "/v1/x?ids=a%2Fb%7C2%7C3"),
    ("multi", "query", "/v1/x?ids=a%2Fb&ids=2&ids=3"),
    (None, "query", "/v1/x?ids=a%2Fb,2,3"),
    ("csv", "path", "/v1/x/a%2Fb,2,3"),
    ("ssv", "path", "/v1/x/a%2Fb%202%203"),
    ("tsv", "path", "/v1/x/a%2Fb%092%093"),
    ("pipes", "path", "/v1/x/a%2Fb%7C2%7C3"),
    (None, "path", "/v1/x/a%2Fb,2,3"),
]


def listed(where: str, collection: str | None) -> dict[str, Any]:
    declared = {"name": "ids", "in": where, "type": "array", "items": {"type": "string"}}
    return {
        **declared,
        "required": where == "path",
        **({"collectionFormat": collection} if collection else {}),
    }


@pytest.mark.parametrize(("collection", "where", "target"), COLLECTIONS)
def test_collection_formats(loopback: Any, collection: str | None, where: str, target: str) -> None:
    """Every collectionFormat of Swagger 2.0 is written as it says, in queries and in paths."""
    path = "/x/{ids}" if where == "path" else "/x"
    values = ["a/b", "2", "3"]
    given = {"ids": values} if where == "path" else {"query": {"ids": values}}
    assert (
        send(operation("2.0", listed(where, collection), path=path), given, loopback).target
        == target
    )


@pytest.mark.parametrize(
    ("collection", "written"),
    [
        ("csv", "a/b,2,3"),
        ("ssv", "a/b 2 3"),
        ("tsv", "a/b\t2\t3"),
        ("pipes", "a/b|2|3"),
        (None, "a/b,2,3"),
    ],
)
def test_collection_formats_of_headers(loopback: Any, collection: str | None, written: str) -> None:
    """In a header the delimiter stands as it is."""
    given = {"headers": {"ids": ["a/b", "2", "3"]}}
    server = send(operation("2.0", listed("header", collection)), given, loopback)
    assert server.head["ids"] == [written]


@pytest.mark.parametrize(
    ("collection", "written"),
    [
        ("csv", "ids=a%2Fb,2,3"), ("ssv", "ids=a%2Fb+2+3"), ("tsv", "ids=a%2Fb%092%093"),
        ("pipes", "ids=a%2Fb%7C2%7C3"), ("multi", "ids=a%2Fb&ids=2&ids=3"),
    ],
)  # fmt: skip
def test_collection_formats_of_forms(loopback: Any, collection: str, written: str) -> None:
    """A form's field has a collectionFormat, too."""
    document = operation(
        "2.0", listed("formData", collection), method="post",
        consumes=["application/x-www-form-urlencoded"],
    )  # fmt: skip
    server = send(document, {"body": {"ids": ["a/b", "2", "3"]}}, loopback)
    assert server.body.decode() == written


def test_what_the_parameters_of_a_request_are_not(loopback: Any) -> None:
    """Accept, Content-Type and Authorization are no parameters: OpenAPI ignores them."""
    declared = [
        {"name": name, "in": "header", "schema": {"type": "string"}}
        for name in ("Accept", "content-type", "Authorization", "X-Ok")
    ]
    [function] = specfn.load(operation("3.1.1", *declared)).functions
    assert list(function.parameters["properties"]["headers"]["properties"]) == ["X-Ok"]
    server = send(operation("3.1.1", *declared), {"headers": {"X-Ok": "1"}}, loopback)
    assert server.head["accept"] == ["*/*"]
    assert "authorization" not in server.head
