"""Where an operation is sent (rule X4)."""

from typing import Any

import pytest

from specfn import Connection, request
from specfn.errors import UsageError

BASES = [
    ("https://api.example.com", "https://api.example.com/x"),
    ("https://api.example.com/", "https://api.example.com/x"),
    ("HTTPS://API.Example.COM:443/v1/", "https://api.example.com/v1/x"),
    ("http://localhost:8080/a/b", "http://localhost:8080/a/b/x"),
    ("https://[2001:DB8::1]:8443/v1", "https://[2001:db8::1]:8443/v1/x"),
    ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC/x"),
    ("https://my_host.internal./", "https://my_host.internal./x"),
    ("https://h/a%2Fb;v=1/", "https://h/a%2Fb;v=1/x"),
]


@pytest.mark.parametrize(("base", "url"), BASES)
def test_the_base_url_is_the_complete_base(make: Any, base: str, url: str) -> None:
    """The caller's base replaces the document's servers, base path and all."""
    function = make("/x", api_servers=({"url": "https://document.example/v9"},))
    assert str(request(function, {}, Connection(base_url=base)).url) == url


BAD = [
    "", "api.example.com", "/v1", "ftp://h", "file:///etc/passwd", "https://", "https://u:p@h",
    "https://u@h", "https://h?x=1", "https://h/?", "https://h#f", "https://h/a/../b", "https://h/./",
    "https://h/%2e%2E/x", "https://h/..;x/y", "https://{region}.example.com", "https://h h",
    "https://a..b", f"https://{'a' * 64}.example", "https://-a.example", "https://h\\@evil.example", "https://h\r\nX: y", "https://999.1.1.1", "https://h:port", "https://h:0", "https://h:65536",
]  # fmt: skip


@pytest.mark.parametrize("base", BAD)
def test_what_is_not_a_base_url_is_refused(base: str) -> None:
    """A base URL has an http scheme, a host, a port that is one, no user, query, fragment or dot segments."""
    reason = r"base_url.*(URL|http|password|query|host|path|port)"
    with pytest.raises(UsageError, match=reason):
        Connection(base_url=base)


def test_without_a_base_url(make: Any) -> None:
    """Nobody guesses: the error names the document's servers, without their users."""
    function = make("/x", api_servers=({"url": "https://u:pw@a.example/v1?k=pw"}, {"url": "/v2"}))
    with pytest.raises(UsageError) as caught:
        request(function, {}, Connection())
    assert "https://a.example/v1, /v2" in str(caught.value)
    assert "pw" not in str(caught.value)
    with pytest.raises(UsageError, match="declares no server"):
        request(make("/x"), {}, Connection())


def test_an_own_server(make: Any) -> None:
    """An operation's own server is used only where its origin is allowed; the error names it."""
    function = make("/x", servers=({"url": "https://Files.example:443/up"},))
    with pytest.raises(UsageError, match=r"'https://files\.example' to connection\.origins"):
        request(function, {}, Connection(base_url="https://api.example"))
    allowed = Connection(base_url="https://api.example", origins=("https://files.example",))
    assert str(request(function, {}, allowed).url) == "https://files.example/up/x"
    same = Connection(base_url="https://files.example/elsewhere")
    assert str(request(function, {}, same).url) == "https://files.example/up/x"
    for near in ("http://files.example", "https://files.example:444", "https://a.files.example"):
        with pytest.raises(UsageError):
            request(function, {}, Connection(base_url=near))


def test_the_first_own_server_that_is_allowed(make: Any) -> None:
    """Of several own servers, the first that the caller allows is taken."""
    function = make("/x", servers=({"url": "https://a.example"}, {"url": "https://b.example/v"}))
    assert str(request(function, {}, Connection(base_url="https://b.example")).url) == (
        "https://b.example/v/x"
    )


RELATIVE = [
    ("https://docs.example/api/openapi.json", "/v2", "https://docs.example/v2/x"),
    ("https://docs.example/api/openapi.json", "v2", "https://docs.example/api/v2/x"),
    ("https://docs.example/api/openapi.json", "//docs.example/w", "https://docs.example/w/x"),
    (None, "/v2", "https://docs.example/v2/x"),
    ("file:///home/me/openapi.json", "/v2", "https://docs.example/v2/x"),
]


@pytest.mark.parametrize(("source", "server", "url"), RELATIVE)
def test_relative_servers(make: Any, source: str | None, server: str, url: str) -> None:
    """A relative server is resolved against the document's URL, or, without one, the base URL."""
    function = make("/x", servers=({"url": server},), source=source)
    assert str(request(function, {}, Connection(base_url="https://docs.example/base")).url) == url


def test_server_variables(make: Any) -> None:
    """Variables are the caller's or the document's defaults, within their enum, never arguments."""
    server = {
        "url": "https://{region}.example.com/{version}",
        "variables": {
            "region": {"default": "eu", "enum": ["eu", "us"]},
            "version": {"default": "v1"},
        },
    }
    function = make("/x", servers=(server,))
    both = ("https://eu.example.com", "https://us.example.com")
    connection = Connection(origins=both)
    assert str(request(function, {}, connection).url) == "https://eu.example.com/v1/x"
    chosen = Connection(origins=both, server_variables={"region": "us", "version": "v2", "z": "9"})
    assert str(request(function, {"region": "xx"}, chosen).url) == "https://us.example.com/v2/x"
    with pytest.raises(UsageError, match=r"'region' has the value .*; expected one of"):
        request(function, {}, Connection(origins=both, server_variables={"region": "evil.com/"}))
    bare = make("/x", servers=({"url": "https://{host}"},))
    with pytest.raises(UsageError, match="'host' has no value"):
        request(bare, {}, connection)


def test_a_trusted_document(make: Any) -> None:
    """With trust_servers the document's first server is taken, without the caller's headers."""
    function = make("/x", api_servers=({"url": "https://api.example/v1"},))
    connection = Connection(trust_servers=True, headers={"X-Key": "secret"}, query={"k": "secret"})
    made = request(function, {}, connection)
    assert str(made.url) == "https://api.example/v1/x"
    assert "X-Key" not in made.headers
    bound = Connection(
        trust_servers=True, headers={"X-Key": "secret"}, origins=("https://api.example",)
    )
    assert request(function, {}, bound).headers["X-Key"] == "secret"
    relative = make("/x", source="https://api.example/docs/openapi.yaml")
    assert str(request(relative, {}, connection).url) == "https://api.example/x"


PRIVATE = [
    "http://api.example", "https://localhost", "https://localhost.", "https://a.localhost",
    "https://127.0.0.1", "https://10.1.2.3", "https://192.168.1.1", "https://169.254.169.254",
    "https://100.64.0.1", "https://[::1]", "https://[fd00::1]", "https://[fe80::1]",
    "https://[::ffff:127.0.0.1]", "https://0x7f.1", "https://2130706433", "https://127.1",
    "https://0", "https://0.0.0.0", "https://017700000001", "https://10.0.0.1.",
    "https://u:p@api.example", "https://{nothing}",
]  # fmt: skip


@pytest.mark.parametrize("server", PRIVATE)
def test_a_trusted_document_does_not_reach_inside(make: Any, server: str) -> None:
    """Even a trusted document names only https servers that are public addresses or names."""
    with pytest.raises(UsageError):
        request(make("/x", api_servers=({"url": server},)), {}, Connection(trust_servers=True))
