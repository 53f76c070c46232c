"""Arguments to a request: every part in its place, and nothing sent."""

import json
from typing import Any

import httpx
import pytest

from specfn import Connection, request
from specfn.errors import ArgumentError, DocumentError
from specfn.records import ArgumentProblem

HERE = Connection(base_url="https://api.example.com/v1")


def url(function: Any, arguments: Any, connection: Connection = HERE) -> str:
    return str(request(function, arguments, connection).url)


def header(made: httpx.Request, name: str) -> str | None:
    return made.headers.get(name)


PATHS = [
    ("/pets/{id}", {"id": "a/b%c?d#e;f g"}, "/pets/a%2Fb%25c%3Fd%23e%3Bf%20g"),
    ("/pets/{id}", {"id": "Ünïcode日本"}, "/pets/%C3%9Cn%C3%AFcode%E6%97%A5%E6%9C%AC"),
    ("/pets/{id}", {"id": 12.0}, "/pets/12"),
    ("/pets/{id}", {"id": 0}, "/pets/0"),
    ("/pets/{id}", {"id": False}, "/pets/false"),
    ("/pets/{id}", {"id": "'()*!$&+,=:@"}, "/pets/%27%28%29%2A%21%24%26%2B%2C%3D%3A%40"),
    ("/pets/{id}", {"id": "{id}"}, "/pets/%7Bid%7D"),
    ("/pets/{id}", {"id": "…"}, "/pets/%E2%80%A6"),
    ("/pets/{id}", {"id": "..."}, "/pets/..."),
    ("/pets/{id}/", {"id": "a"}, "/pets/a/"),
    ("/{a}.{b}/x:verb", {"a": "1", "b": "json"}, "/1.json/x:verb"),
    ("/a b/ü/%20/{a}", {"a": "1"}, "/a%20b/%C3%BC/%20/1"),
    ("/{a}/x/{a}", {"a": "1"}, "/1/x/1"),
    ("/", {}, "/"),
    ("/search?kind=a%20b&q={q}", {"q": "x&y=z"}, "/search?kind=a%20b&q=x%26y%3Dz"),
    ("/search?flag&q={q}", {}, "/search?flag"),
    ("/jobs#Action=Start", {}, "/jobs"),
]


@pytest.mark.parametrize(("path", "arguments", "target"), PATHS)
def test_paths(make: Any, path: str, arguments: dict[str, Any], target: str) -> None:
    """A path is the template with each value encoded in its own segment, below the base path."""
    made = request(make(path), arguments, HERE)
    assert str(made.url) == f"https://api.example.com/v1{target}"
    assert made.url.raw_path.decode() == f"/v1{target}"


def test_path_styles(make: Any, declare: Any) -> None:
    """Label and matrix parameters bring their own punctuation into the segment."""
    label = declare("a", "path", style="label", explode=True)
    matrix = declare("b", "path", style="matrix", explode=True)
    function = make("/x{a}/y{b}", "get", label, matrix)
    assert url(function, {"a": ["1", "2"], "b": ["3", "/"]}).endswith("/v1/x.1.2/y;b=3;b=%2F")


def test_a_parameter_of_json_content(make: Any, declare: Any) -> None:
    """A content parameter is one text in its media type, wherever it stands."""
    more = {"media_type": "application/json"}
    function = make(
        "/x/{p}",
        "get",
        *(
            declare(name, place, **more)
            for name, place in [("p", "path"), ("q", "query"), ("H", "header"), ("c", "cookie")]
        ),
    )
    value = {"a": [1.0, "é"]}
    made = request(
        function, {"p": value, "query": {"q": value}, "headers": {"H": value},
                   "cookies": {"c": "a"}}, HERE,
    )  # fmt: skip
    written = "%7B%22a%22%3A%5B1%2C%22%C3%A9%22%5D%7D"
    assert str(made.url).endswith(f"/x/{written}?q={written}")
    assert made.headers.raw[-2] == (b"H", '{"a":[1,"é"]}'.encode())
    assert header(made, "Cookie") == "c=%22a%22"


QUERIES = [
    ({}, {"a": 1}, "a=1"),
    ({}, {"a": [1, 2]}, "a=1&a=2"),
    ({"explode": False}, {"a": ["x,y", "z"]}, "a=x%2Cy,z"),
    ({"style": "deepObject"}, {"a": {"b": {"c": 1}}}, "a%5Bb%5D%5Bc%5D=1"),
    (
        {"allow_reserved": True},
        {"a": "2024-01-01T10:00:00/P1D?&#+"},
        "a=2024-01-01T10:00:00/P1D?%26%23%2B",
    ),
    ({}, {"a": ""}, "a="),
    ({"allow_empty_value": True}, {"a": ""}, "a="),
    ({"allow_empty_value": True}, {"a": []}, "a="),
    ({"allow_empty_value": True}, {"a": None}, "a="),
    ({}, {"a": None}, ""),
    ({}, {"a": []}, ""),
    ({}, {}, ""),
    ({"members": ("x", "y")}, {"x": 1, "y": ["2", "3"]}, "x=1&y=2&y=3"),
    ({"members": ("x", "y")}, {"y": 0}, "y=0"),
    ({"members": ("x", "y")}, {}, ""),
]


@pytest.mark.parametrize(("more", "given", "query"), QUERIES)
def test_queries(make: Any, declare: Any, more: Any, given: Any, query: str) -> None:
    """A query holds what was given and nothing else; without pairs there is no question mark."""
    function = make("/x", "get", declare("a", "query", **more))
    made = url(function, {"query": given})
    assert made == "https://api.example.com/v1/x" + (f"?{query}" if query else "")


def test_a_name_is_encoded_too(make: Any, declare: Any) -> None:
    """Names that a document writes with reserved characters arrive as they were meant."""
    function = make("/x", "get", declare("filter[name]", "query"), declare("$top&x", "query"))
    given = {"query": {"filter[name]": "a", "$top&x": 1}}
    assert url(function, given).endswith("/x?filter%5Bname%5D=a&%24top%26x=1")


def test_the_whole_query(make: Any, declare: Any) -> None:
    """A querystring parameter (3.2) is the query: form fields, or encoded JSON."""
    form = declare("q", "querystring", media_type="application/x-www-form-urlencoded")
    given = {"query": {"q": {"a": "x y", "b": [1, 2]}}}
    assert url(make("/x", "get", form), given).endswith("/x?a=x+y&b=1&b=2")
    jsonic = declare("q", "querystring", media_type="application/json")
    assert url(make("/x", "get", jsonic), {"query": {"q": {"a": 1}}}).endswith(
        "/x?%7B%22a%22%3A1%7D"
    )


COOKIES = [
    ({}, "a b;c", "c=a%20b%3Bc"),
    ({"style": "form", "explode": False}, ["1", "2,3"], "c=1,2%2C3"),
    ({"style": "form", "explode": True}, ["1", "2"], "c=1; c=2"),
    ({"style": "cookie"}, "abc$:=", "c=abc$:="),
    ({"style": "cookie", "explode": True}, {"R": 1, "G": 2}, "R=1; G=2"),
    ({"style": "cookie", "explode": False}, ["a", "b"], "c=a,b"),
]


@pytest.mark.parametrize(("more", "value", "written"), COOKIES)
def test_cookies(make: Any, declare: Any, more: Any, value: Any, written: str) -> None:
    """Cookies are one header; form values are percent-encoded, those of style cookie are not."""
    function = make("/x", "get", declare("c", "cookie", **more))
    assert header(request(function, {"cookies": {"c": value}}, HERE), "Cookie") == written


def test_headers(make: Any, declare: Any) -> None:
    """A header is one line of text, with the name as the document writes it."""
    function = make("/x", "get", declare("X-List", "header"), declare("X-None", "header"))
    made = request(function, {"headers": {"X-List": ["a", 1.0], "X-None": []}}, HERE)
    assert (b"X-List", b"a,1") in made.headers.raw
    assert "X-None" not in made.headers


def test_json_bodies(make: Any, declare_body: Any) -> None:
    """A JSON body is the value: integers without fraction, falsy values and null included."""
    function = make("/x", "post", body=declare_body("application/vnd.api+json; v=1"))
    for value, written in [
        ({"n": 12.0, "f": 0.5, "deep": [{"n": -3.0}], "big": 2**80}, None),
        (None, b"null"), (False, b"false"), (0, b"0"), ("", b'""'), ([], b"[]"),
    ]:  # fmt: skip
        made = request(function, {"body": value}, HERE)
        assert json.loads(made.content) == value
        assert written is None or made.content == written
        assert header(made, "Content-Type") == "application/vnd.api+json; v=1"
    assert b'"n":12,' in request(function, {"body": {"n": 12.0, "m": 1}}, HERE).content
    absent = request(function, {}, HERE)
    assert absent.content == b""
    assert header(absent, "Content-Type") is None


def test_a_media_range_is_sent_as_a_type(make: Any, declare_body: Any) -> None:
    """``*/*`` cannot be a Content-Type."""
    made = request(make("/x", "post", body=declare_body("*/*")), {"body": 1}, HERE)
    assert header(made, "Content-Type") == "application/json"


FORMS = [
    ({"a": "x y&z", "b": 2.0, "c": True}, {}, "a=x+y%26z&b=2&c=true"),
    ({"a": ["1", "2"], "n": None}, {}, "a=1&a=2&n="),
    ({"a": {"x": [1, 2]}}, {}, "a=%7B%22x%22%3A%5B1%2C2%5D%7D"),
    ({"a": [{"x": 1}, {"x": 2}]}, {}, "a=%7B%22x%22%3A1%7D&a=%7B%22x%22%3A2%7D"),
    ({"a": {"x": [1, 2]}}, {"a": {"style": "deepObject"}}, "a%5Bx%5D%5B0%5D=1&a%5Bx%5D%5B1%5D=2"),
    ({"a": [1, 2]}, {"a": {"style": "form", "explode": False}}, "a=1,2"),
    ({"a": [1, 2]}, {"a": {"style": "pipeDelimited"}}, "a=1%7C2"),
    ({"a": [1, 2]}, {"a": {"contentType": "application/json"}}, "a=%5B1%2C2%5D"),
    ({}, {}, ""),
]


@pytest.mark.parametrize(("value", "encoding", "written"), FORMS)
def test_form_bodies(make: Any, declare_body: Any, value: Any, encoding: Any, written: str) -> None:
    """A form repeats arrays, stringifies what is nested, and follows its Encoding Objects."""
    body = declare_body("application/x-www-form-urlencoded", "form", **encoding)
    made = request(make("/x", "post", body=body), {"body": value}, HERE)
    assert made.content.decode() == written
    assert header(made, "Content-Type") == "application/x-www-form-urlencoded"


def test_text_bodies(make: Any, declare_body: Any) -> None:
    """A text body is the text, in the charset that the media type names."""
    for media_type, kind, written in [
        ("text/plain", "text", "é".encode()),
        ("text/plain; charset=ISO-8859-1", "text", b"\xe9"),
        ("application/xml", "xml", "é".encode()),
    ]:
        function = make("/x", "put", body=declare_body(media_type, kind))
        made = request(function, {"body": "é"}, HERE)
        assert made.content == written
        assert header(made, "Content-Type") == media_type
    latin = make("/x", "put", body=declare_body("text/plain; charset=latin-1", "text"))
    with pytest.raises(ArgumentError, match="latin-1"):
        request(latin, {"body": "日"}, HERE)


def test_accept(make: Any, declare_answer: Any) -> None:
    """Accept names the media types of success, JSON first."""
    success = declare_answer("text/csv", "application/problem+json", "application/json")
    made = request(make("/x", success=success), {}, HERE)
    assert header(made, "Accept") == "application/problem+json, application/json, text/csv"
    assert header(request(make("/x"), {}, HERE), "Accept") == "*/*"


def test_methods(make: Any) -> None:
    """Known methods are sent in upper case, those of additionalOperations as they are written."""
    for method, sent in [("get", "GET"), ("query", "QUERY"), ("Link", "Link"), ("COPY", "COPY")]:
        assert request(make("/x", method), {}, HERE).method == sent
    with pytest.raises(DocumentError):
        request(make("/x", "GET / HTTP/1.1\r\n"), {}, HERE)


def test_what_the_connection_always_sends(make: Any, declare: Any) -> None:
    """The caller's headers, cookies and query values win over arguments of the same name."""
    connection = Connection(
        base_url="https://h",
        headers={"x-a": "caller", "User-Agent": "mine"},
        cookies={"c": "caller"},
        query={"q": "cal ler", "r s": "1"},
    )
    places = [("X-A", "header"), ("c", "cookie"), ("d", "cookie"), ("q", "query"), ("z", "query")]
    function = make("/x", "get", *(declare(*place) for place in places))
    given = {
        "headers": {"X-A": "model"},
        "cookies": {"c": "model", "d": "model"},
        "query": {"q": ["model", "model"], "z": "model"},
    }
    made = request(function, given, connection)
    assert str(made.url) == "https://h/x?z=model&q=cal%20ler&r%20s=1"
    assert made.headers.get_list("x-a") == ["caller"]
    assert header(made, "User-Agent") == "mine"
    assert header(made, "Cookie") == "d=model; c=caller"


def test_invalid_arguments_are_refused(make: Any) -> None:
    """The function's own verdict comes first, unless the caller does without."""
    problem = ArgumentProblem(path="$input.a", expected="string")
    function = make("/x", found=(problem,))
    with pytest.raises(ArgumentError) as caught:
        request(function, {}, HERE)
    assert caught.value.function == "operation"
    assert caught.value.problems == (problem,)
    assert request(function, {}, HERE, validate=False).method == "GET"


def test_all_faults_at_once_each_with_its_place(make: Any, declare: Any, declare_body: Any) -> None:
    """Every value that cannot be written is named, by the key that the model used."""
    function = make(
        "/{p}/{q}",
        "post",
        declare("p", "path", key="_p"),
        declare("f", "query", style="pipeDelimited", explode=False),
        declare("H", "header"),
        declare("c", "cookie", style="cookie"),
        body=declare_body(),
    )
    given = {
        "_p": "..",
        "query": {"f": ["a|b"]},
        "headers": {"H": "a\nb"},
        "cookies": {"c": "a;b"},
        "body": {"a": [float("nan")]},
    }
    with pytest.raises(ArgumentError) as caught:
        request(function, given, HERE, validate=False)
    assert [problem.path for problem in caught.value.problems] == [
        "$input._p",
        "$input.q",
        "$input.query.f",
        "$input.headers.H",
        "$input.cookies.c",
        "$input.body.a[0]",
    ]
    listed = [".", "a", {"f": ["a|b"]}, None]
    with pytest.raises(ArgumentError) as caught:
        request(function, listed, HERE, validate=False)
    assert [problem.path for problem in caught.value.problems] == ["$input[0]", "$input[2].f"]


def test_a_request_is_pure(make: Any, declare: Any, declare_body: Any) -> None:
    """The same input gives the same request, and the arguments are not changed."""
    function = make("/x", "post", declare("q", "query"), body=declare_body())
    given = {"query": {"q": [1.0]}, "body": {"a": 1.0}}
    first, second = (request(function, given, HERE) for _ in range(2))
    assert (first.url, first.headers.raw, first.content) == (
        second.url, second.headers.raw, second.content,
    )  # fmt: skip
    assert repr(given) == "{'query': {'q': [1.0]}, 'body': {'a': 1.0}}"


def test_a_url_that_is_too_long(make: Any) -> None:
    """The client's limit on URLs is an argument's fault, not a crash."""
    with pytest.raises(ArgumentError, match="fit into a URL"):
        request(make("/{a}"), {"a": "日" * 10_000}, HERE)
