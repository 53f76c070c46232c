"""T8: no argument of a model chooses scheme, host, port, method, or the name of a header."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import body, operation, parameter

from specfn.errors import ArgumentError
from specfn.http.connection import Connection
from specfn.http.request import request

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
