"""T1: a path argument never leaves its segment, whatever the server makes of dots and escapes."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import operation

import specfn
from specfn import Connection, request
from specfn.errors import ArgumentError, DocumentError, UsageError
from specfn.http.request import request as requests
from specfn.http.request.parameters import hazard
from specfn.migrate.route import Template
from specfn.network.origins import parse

REFUSED = [
    "", ".", "..", "%2e", "%2e%2e", "%2E%2e", ".%2e", "%252e%252e", "%25252e%252e", "../", "..%2f",
    "%2e%2e%2f", "..\\", "..%5c", "a/../b", "a/..", "a%2f..%2fb", "a\\..\\b", "./a", "a/.", "..;",
    "..;x", "%2e%2e;x=1", "a/..;/b", "\0", "a\0", "%00", "%2500", "\r\n", "a\r\nX: y", "%0d%0a",
    "\x7f", "\x85", "%C2%85", "\t", "%" + "25" * 30 + "41", [], {}, None, [".."], {"..": 1}, {"a": ".."},
]  # fmt: skip

KEPT = [
    "a?x", "a#f", "a&b=c", ";x", "a;b", "a/b", "a\\b", "a//b", "/", "…", "\uff0e\uff0e", "...",
    ".a", "a.", "..a", "a..b", "{id}", "%", "%zz", "50%", "a%2fb", "@evil.example", "http://evil",
    "//evil", ":80", "x" * 10_000, "日" * 1_000, "'", '"', "<>", " ", "a b", "~", "+", 0, -1.5,
    True, [1, 2], {"a": 1},
]  # fmt: skip

TEMPLATES = [
    "/users/{a}",
    "/users/{a}/",
    "/u/{a}/x/{b}",
    "/{a}/{b}/{c}",
    "/f/{a}.json",
    "/f/{a}:go",
]


def arguments(value: Any) -> dict[str, Any]:
    return {"a": value, "b": "b", "c": "c"}


def awaited(function: Any, given: Any, connection: Connection) -> Any:
    return asyncio.run(specfn.apropagate(function, given, connection))


@pytest.fixture(params=[specfn.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Callable[..., Any]:
    return request.param


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("value", REFUSED, ids=ascii)
def test_values_that_climb_are_refused(template: str, value: Any) -> None:
    """A value that some server may read as another place is refused, also where nothing validates."""
    with pytest.raises(ArgumentError) as caught:
        request(
            operation(template),
            arguments(value),
            Connection(base_url="https://h/v1"),
            validate=False,
        )
    assert [problem.path for problem in caught.value.problems] == ["$input.a"]


def test_values_stay_in_their_segment(call: Callable[..., Any], loopback: Any) -> None:
    """On the wire, the base path leads, the segments are the template's, and each value comes back."""
    connection = Connection(base_url=f"{loopback.url}/api/v1")
    for template, value in itertools.product(TEMPLATES, KEPT):
        call(operation(template), arguments(value), connection)
        path = loopback.target
        assert path.startswith("/api/v1/")
        assert not {"?", "#"} & set(path)
        literal = template.replace("{b}", "b").replace("{c}", "c").split("/")
        sent = path.removeprefix("/api/v1").split("/")
        assert len(sent) == len(literal)
        for part, shape in zip(sent, literal, strict=True):
            before, _, after = shape.partition("{a}")
            if "{a}" in shape and isinstance(value, str):
                assert unquote(part[len(before) : len(part) - len(after)]) == value
            elif "{a}" not in shape:
                assert part == shape


def test_pieces_that_are_harmless_alone(make: Any) -> None:
    """Two values of one segment must not add up to dots, nor to an escape that means them."""
    for first, second in [(".", "."), ("%2", "e"), ("%", "2e")]:
        with pytest.raises(ArgumentError):
            request(
                make("/x/{a}{b}/y"), {"a": first, "b": second}, Connection(base_url="https://h")
            )
    with pytest.raises(ArgumentError):
        request(make("/x/.{a}"), {"a": "."}, Connection(base_url="https://h"))
    with pytest.raises(ArgumentError):
        request(make("/x/%{a}"), {"a": "2e"}, Connection(base_url="https://h"))


@pytest.mark.parametrize(
    ("style", "value"), [("label", ["", ""]), ("label", "."), ("matrix", "..")]
)
def test_styles_do_not_help(make: Any, declare: Any, style: str, value: Any) -> None:
    """The punctuation of a style does not make dots of harmless values."""
    function = make("/x/{a}/y", "get", declare("a", "path", style=style, explode=True))
    with pytest.raises(ArgumentError):
        request(function, {"a": value}, Connection(base_url="https://h"))


@pytest.mark.parametrize("segment", ["..", "%2e%2e", "..;x", "%252e%252e", "a\\..", "a\r\n"])
def test_a_path_key_that_climbs(make: Any, segment: str) -> None:
    """A document's own dots are its author's fault, and not sent even if they were let through."""
    function = make("/a/b")
    route = function.route._replace(template=Template(segments=(("a",), (segment,), ("b",))))
    with pytest.raises(DocumentError):
        request(replace(function, route=route), {}, Connection(base_url="https://h"))


def test_an_assembled_url_that_moved_is_not_sent() -> None:
    """Whatever the parts are, scheme, host, port and base path stay, or nothing is sent."""
    base = parse("https://api.example:8443/v1")
    for path in ("@evil.example/", "/../x", "/a/./b", "", "x", "/a b", "/a?b", "/a#b", "/a/b"):
        with pytest.raises(UsageError):
            requests.assemble(base, path, (), segments=1)
    assert str(requests.assemble(base, "/%2e%2e;'%2F/", ("",), segments=2)) == (
        "https://api.example:8443/v1/%2e%2e;'%2F/?"
    )


WIRE = ["/%2e%2e/x", "/a;b='c'", "/a%2Fb", "/a/", "/a?", "/a?x=%27'", "/%41", "/a:b@c", "/a?x=/?"]


@pytest.mark.parametrize("target", WIRE)
def test_the_client_sends_what_was_built(loopback: Any, target: str) -> None:
    """Neither the client nor its transport decodes, encodes or collapses anything on the way."""
    path, mark, query = target.partition("?")
    url = requests.assemble(
        parse(loopback.url), path, (query,) if mark else (), segments=path.count("/")
    )
    assert str(url) == loopback.url + target
    with httpx.HTTPTransport() as transport:
        transport.handle_request(httpx.Request("GET", url)).close()
    assert loopback.target == target


@given(value=st.text())
def test_a_value_stays_or_is_refused(value: str) -> None:
    """For every text: it is one segment that decodes to the text, or it is refused."""
    connection = Connection(base_url="https://h/base")
    try:
        made = request(operation("/x/{a}/y"), {"a": value}, connection)
    except ArgumentError:
        return
    path = made.url.raw_path.decode("ascii")
    _, base, first, segment, last = path.split("/")
    assert (base, first, last) == ("base", "x", "y")
    assert unquote(segment) == value
    assert (made.url.scheme, made.url.host, made.url.port) == ("https", "h", None)


dotty = st.text(alphabet=st.sampled_from("./\\%2eEfFcC5;a"), max_size=12)


@given(value=dotty)
def test_what_is_kept_never_decodes_to_dots(value: str) -> None:
    """No number of decodings turns a value that is kept into this or the upper folder."""
    if hazard(value) is not None:
        return
    for _ in range(12):
        assert not {".", ".."} & set(value.replace("\\", "/").split("/"))
        value = unquote(value)


#: The texts of the threat itself: dots in every dress, delimiters, controls, what resembles a dot, and length.
HOSTILE = [
    "..", ".", "%2e%2e", "%2E%2e", "%2e", "%252e", "%252e%252e", "..%2f", "..\\", "a/../b", "../..", "a?x", "a#f",
    ";x", "..;x", "a;b", "\0", "\r\n", "a\r\nX-Evil: 1", "\uff0e\uff0e", "\u2025", "\u2024\u2024", "x" * 10_000,
    "{id}", "@evil.example", "//evil.example", "https://evil.example/", ":80", "%", "%00", "%zz", "", " ", "a b",
    "&", "=", "+", "*", "~", "日本", "\u202e", "\ufeff",
]  # fmt: skip

PATHS = ["/users/{a}", "/users/{a}/posts/{b}", "/{a}/{b}/x/{c}", "/f/{a}.{b}/go:{c}"]


@pytest.fixture(params=["sync", "async", "client", "async client"])
def transport(request: Any) -> Iterator[Callable[..., Any]]:
    """Every way out: ours, and clients of the caller's, whose habits are their own."""
    with asyncio.Runner() as runner, httpx.Client(follow_redirects=True) as client:
        async_client = httpx.AsyncClient(follow_redirects=True)
        ours: dict[str, dict[str, Any]] = {
            "client": {"client": client},
            "async client": {"async_client": async_client},
        }

        def call(function: Any, arguments: Any, connection: Connection) -> Any:
            update = ours.get(request.param, {})
            own = connection.model_copy(update=update) if update else connection
            if request.param.startswith("async"):
                return runner.run(specfn.apropagate(function, arguments, own))
            return specfn.propagate(function, arguments, own)

        yield call
        runner.run(async_client.aclose())


def places(template: str, value: str) -> list[dict[str, str]]:
    """The value at each parameter alone, and at all of them."""
    names = [name for name in "abc" if f"{{{name}}}" in template]
    alone = [{**dict.fromkeys(names, "v"), name: value} for name in names]
    return [*alone, dict.fromkeys(names, value)]


@pytest.mark.parametrize("template", PATHS)
def test_the_request_line_is_the_templates(
    transport: Callable[..., Any], loopback: Any, template: str
) -> None:
    """T1 itself: each text, at one to three parameters, by each way out: refused, or one segment of its own."""
    function = operation(template)
    connection = Connection(base_url=f"{loopback.url}/api/v1")
    sent = 0
    for value in HOSTILE:
        for arguments_ in places(template, value):
            loopback.requests.clear()
            try:
                transport(function, arguments_, connection)
            except ArgumentError:
                assert loopback.requests == []
                continue
            sent += 1
            [request_] = loopback.requests
            method, target, version = request_.split(b"\r\n")[0].decode("ascii").split(" ")
            assert (method, version) == ("GET", "HTTP/1.1")
            segments = target.split("/")
            assert segments[:3] == ["", "api", "v1"]
            assert len(segments) == 3 + template.count("/")
            assert not {".", "..", ""} & {unquote(unquote(each)) for each in segments[3:]}
            assert not set("?#\\") & set(target)
            assert "x-evil" not in loopback.head
            assert loopback.head["host"] == [loopback.url.removeprefix("http://")]
    assert sent > len(HOSTILE) / 2
