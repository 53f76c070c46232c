"""Laws of server variables: a value stays in the part of the URL in which it is written (rule X4)."""

import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.http.conftest import operation

import specfn
from specfn import Connection
from specfn.errors import UsageError

Json = dict[str, Any]

LABELS = r"[a-z0-9-]+(\.[a-z0-9-]+)*\.?"
PIECE = r"[a-z0-9.-]*"
SEGMENT = r"[^/?#\\]*"
PATH = r"[^?#\\]*"

#: A place for a variable in a URL: the template before and after it, the URL that is sent before and after the
#: value, and what the value may look like there.
PLACES = [
    ("https://", "/v1", "https://", "/v1/end", LABELS),
    ("https://", ".api.example/v1", "https://", ".api.example/v1/end", LABELS),
    ("https://eu.", ".api.example", "https://eu.", ".api.example/end", LABELS),
    ("https://eu.", ":8443/v1", "https://eu.", ":8443/v1/end", LABELS),
    ("//", "/v1", "https://", "/v1/end", LABELS),
    ("https://eu", ".api.example/v1", "https://eu", ".api.example/v1/end", PIECE),
    ("https://eu-", "-1.api.example", "https://eu-", "-1.api.example/end", PIECE),
    ("https://api.example:", "/v1", "https://api.example", "/v1/end", "(:[0-9]{1,5})?"),
    ("https://[2001:db8::1]:", "", "https://[2001:db8::1]", "/end", "(:[0-9]{1,5})?"),
    ("https://api.example/", "", "https://api.example", "/end", PATH),
    ("https://api.example/", "/", "https://api.example", "/end", PATH),
    ("https://api.example/a/", "/b", "https://api.example/a/", "/b/end", SEGMENT),
    ("https://api.example/a", ".json/b", "https://api.example/a", ".json/b/end", SEGMENT),
    ("https://api.example/a/", "", "https://api.example/a", "/end", rf"(/{SEGMENT})?"),
    ("/", "", "https://docs.example", "/end", PATH),
    ("/", "/b", "https://docs.example/", "/b/end", SEGMENT),
    ("a", "/b", "https://docs.example/a/a", "/b/end", SEGMENT),
    ("", "://api.example/v1", "", "://api.example/v1/end", "https?"),
    ("", "//api.example/v1", "", "//api.example/v1/end", "https?:"),
    ("http", "://api.example/v1", "http", "://api.example/v1/end", "s?"),
]

HOSTILE = [
    "", ".", "..", "a..b", ".a", "a.", "-a", "a-", "a/b", "/", "//", "/evil.example", "//evil.example", "a\\b",
    "\\\\evil.example", "evil.example/", "evil.example#", "evil.example?", "evil.example?x=", "@evil.example",
    "u@evil.example", "u:p@evil.example", "evil.example:81", ":81", "81@evil", "80/", "80#", "080", "٣", "0", "65536",
    "a b", " ", "a\r\nHost: evil", "a\tb", "a\0", "\u0085", "\u2028", "a\u3002b", "evil\uff0fx", "evil\uff0eexample",
    "\uff1a81", "\u200d", "\ud800", "%2e%2e", "%252e%252e", "..%2f", "%2f", "%2F..%2F", "%5c..", "a%00", "%", "%zz",
    "..;x", "[::1]", "::1", "0x7f.1", "{other}", "{tenant}", "https://evil.example", "https:", "http", "HTTPS", "https",
    "s", "javascript", "javascript:alert(1)", "file:///etc/passwd", "x" * 64, "x" * 300, "xn--bcher-kva", "bücher",
]  # fmt: skip
values = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, "a", "eu-1"]), min_size=2, max_size=3).map("".join),
    st.text(max_size=8),
)
SOURCE = "https://docs.example/a/openapi.json"


def sent(template: str, value: str, **variable: Any) -> str | None:
    """Return the URL that a request is sent to with a variable in its server; ``None`` if it is refused."""
    server = {"url": template, "variables": {"tenant": {"default": "unset", **variable}}}
    function = operation("/end", api_servers=(server,), source=SOURCE)
    connection = Connection(
        trust_servers=True, allow_private=True, server_variables={"tenant": value}
    )
    try:
        return str(specfn.request(function, {}, connection).url)
    except UsageError as error:
        refusal = str(error)
    assert refusal.isprintable()
    return None


@settings(max_examples=examples(200))
@given(place=st.sampled_from(PLACES), value=values, is_listed=st.booleans())
def test_a_value_stays_in_its_part(
    place: tuple[str, str, str, str, str], value: str, *, is_listed: bool
) -> None:
    """Whatever the value, in an enum or not: the rest of the URL is the template's, and no part ends early."""
    before, after, start, end, middle = place
    url = sent(f"{before}{{tenant}}{after}", value, **({"enum": [value]} if is_listed else {}))
    if url is None:
        return
    assert re.fullmatch(f"{re.escape(start)}{middle}{re.escape(end)}", url)
    found = urlsplit(url)
    assert (found.query, found.fragment, found.username) == ("", "", None)
    assert re.fullmatch(r"([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]+)?", found.netloc)
    for segment in map(unquote, map(unquote, found.path.split("/"))):
        assert not re.search(r"[\x00-\x1f\x7f]", segment)
        assert not {".", ".."} & set(re.split(r"[/\\]", segment))


@given(
    labels=st.lists(
        st.from_regex(r"[a-z0-9](-?[a-z0-9]){0,10}", fullmatch=True), min_size=1, max_size=3
    )
)
def test_any_tenant_may_be_chosen(labels: list[str]) -> None:
    """A host of any DNS labels is the caller's to choose, also where it is the whole host."""
    tenant = ".".join(labels)
    assume(not labels[-1].isdigit())  # which would be an address
    assert sent("https://{tenant}.api.example/v1", tenant) == f"https://{tenant}.api.example/v1/end"
    assert sent("https://{tenant}/v1", f"{tenant}.example") == f"https://{tenant}.example/v1/end"


@given(value=values, name=st.sampled_from(["a/b", "a?b", "a#b", "a:b", "a@b", "a.b", ""]))
def test_the_name_of_a_variable_is_no_part_of_the_url(value: str, name: str) -> None:
    """A name with delimiters of a URL changes nothing: the variable is in the host."""
    connection = Connection(trust_servers=True, allow_private=True, server_variables={name: value})
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": [{"url": f"https://eu.{{{name}}}.api.example/v1"}],
        "paths": {"/end": {"get": {}}},
    }
    [function] = specfn.load(document)
    try:
        url = str(specfn.request(function, {}, connection).url)
    except UsageError:
        return
    assert re.fullmatch(r"https://eu\.[a-z0-9.-]+\.api\.example/v1/end", url)


@pytest.mark.parametrize(
    ("template", "value", "variable"),
    [
        ("https://{tenant}.api.example", "a/b", {}),
        ("https://{tenant}.api.example", "a_b", {}),
        ("https://{tenant}.api.example", "", {}),
        ("https://api.example:{tenant}", "8x", {}),
        ("https://api.example/{tenant}", "a?b", {}),
        ("https://api.example/a/{tenant}", "a/b", {}),
        ("https://{tenant}.api.example", "us", {"enum": ["eu"]}),
        ("https://api.example{tenant}", "v1", {"default": "/v1"}),
        ("{tenant}/v1", "//evil.example", {}),
    ],
)
def test_a_refusal_names_all_that_helps(template: str, value: str, variable: Json) -> None:
    """The error names the variable, the value and what is allowed."""
    server = {"url": template, "variables": {"tenant": {"default": "x", **variable}}}
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": [server],
    }
    [function] = specfn.load({**document, "paths": {"/end": {"get": {}}}})
    connection = Connection(trust_servers=True, server_variables={"tenant": value})
    with pytest.raises(UsageError) as caught:
        specfn.request(function, {}, connection)
    told = str(caught.value)
    assert "'tenant'" in told
    assert repr(value) in told
    assert re.search(r"DNS labels|digits|without|one of 'eu'|begins with", told)


@pytest.mark.parametrize(
    ("template", "default", "url"),
    [
        ("https://api.example{tenant}", "/v2", "https://api.example/v2/end"),
        ("https://{host}{tenant}", "/v2", "https://h.example/v2/end"),
        ("https://api.example:{tenant}/v1", 8443, "https://api.example:8443/v1/end"),
        ("https://api{tenant}.example", "", "https://api.example/end"),
        ("https://api{tenant}.example", "-staging", "https://api-staging.example/end"),
        ("http{tenant}://api.example", "s", "https://api.example/end"),
        ("{tenant}/v1", "https://api.example", "https://api.example/v1/end"),
        ("{tenant}", "https://api.example/v1", "https://api.example/v1/end"),
        ("https://api.example/{tenant}", "a/b", "https://api.example/a/b/end"),
    ],
)
def test_the_defaults_of_real_documents(template: str, default: Any, url: str) -> None:
    """What documents write is taken: a path that brings its slash, a piece of a label, a port that is a number."""
    variables = {"tenant": {"default": default}, "host": {"default": "h.example"}}
    server = {"url": template, "variables": variables}
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": [server],
    }
    [function] = specfn.load({**document, "paths": {"/end": {"get": {}}}})
    assert str(specfn.request(function, {}, Connection(trust_servers=True)).url) == url


def test_a_value_belongs_to_the_server_that_takes_it() -> None:
    """Of several servers, one whose enum has the value is used; a value that none takes is refused, not dropped."""
    servers: list[Json] = [
        {"url": f"https://{{region}}.{name}.example", "variables": {"region": {"default": enum[0], "enum": enum}}}
        for name, enum in (("com", ["us", "eu"]), ("cn", ["north", "west"]))
    ]  # fmt: skip
    servers += [{"url": "https://{tenant}.bad", "variables": {"tenant": {"default": "<tenant>"}}}]
    servers += [{"url": "https://plain.example"}]
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": servers,
    }
    [function] = specfn.load({**document, "paths": {"/end": {"get": {}}}})

    def host(**variables: str) -> str:
        connection = Connection(trust_servers=True, server_variables=variables)
        return specfn.request(function, {}, connection).url.host

    assert host() == "us.com.example"
    assert host(region="west") == "west.cn.example"
    for wrong in ({"region": "mars"}, {"tenant": "a/b"}, {"region": "eu", "tenant": "a b"}):
        with pytest.raises(UsageError, match=r"region|tenant"):
            host(**wrong)


#: A template with a variable, and values that no URL has there.
INVALID = [
    ("https://{it}/v1", ["xn--a", "xn--", "256.1.1.1", "a" * 64, "a..b", "-"]),
    ("https://{it}.api.example", ["xn--a", "-a", "a_b c"]),
    ("https://x{it}.api.example", ["-", "."]),
    ("https://api.example:{it}/v1", ["99999", "65536", "0", "00000", "443443", "http", ""]),
    (
        "{it}/v1",
        ["https://xn--a", "https://api.example:99999", "ftp://api.example", "//api.example"],
    ),
]


@pytest.mark.parametrize(
    ("template", "value"), [(template, value) for template, values in INVALID for value in values]
)
@pytest.mark.parametrize("is_default", [True, False])
def test_an_invalid_value_is_an_error_that_names_the_variable(
    template: str, value: str, *, is_default: bool
) -> None:
    """The error names the variable and its value, whether the caller or the document gave it."""
    variables = {"it": {"default": value if is_default else "1"}}
    app = specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "servers": [{"url": template, "variables": variables}],
            "paths": {"/end": {"get": {"responses": {}}}},
        }
    )
    given_ = {} if is_default else {"it": value}
    with pytest.raises(UsageError) as caught:
        app.request("end_get", {}, Connection(trust_servers=True, server_variables=given_))
    assert "the server variable 'it'" in str(caught.value)
    assert repr(value) in str(caught.value)


def test_the_texts_of_invalid_server_variables() -> None:
    """The error says what is wrong, which variable is the cause, and what to do."""
    server = {"url": "https://{host}:{port}/v1", "variables": {"host": {"default": "a"}}}
    app = specfn.load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "servers": [server],
            "paths": {"/end": {"get": {"responses": {}}}},
        }
    )
    texts = []
    for values in ({"host": "xn--a", "port": "443"}, {"port": "99999"}):
        with pytest.raises(UsageError) as caught:
            app.request("end_get", {}, Connection(trust_servers=True, server_variables=values))
        texts.append(str(caught.value))
    assert texts[0] == (
        "the server 'https://xn--a:443/v1' has an invalid host name: the server variable 'host' is 'xn--a' and "
        "the server variable 'port' is '443'; change it in connection.server_variables, or pass base_url to the connection"
    )
    assert texts[1] == (
        "the server variable 'port' has the invalid value '99999'; expected digits of a number from 1 to 65535"
    )
