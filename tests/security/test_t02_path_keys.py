"""T2: a path key of a document never moves the host, and nothing is sent for one that might."""

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Application, Connection, load
from specfn.errors import SpecfnError

HERE = Connection(base_url="https://api.example:8443/v1", credentials={"key": "canary"})

HOSTILE = [
    "https://evil.example/a", "http://evil.example", "HTTPS://evil.example", "https:/evil.example",
    "https:evil.example", "//evil.example", "//evil.example/a", "///evil.example", "//",
    "/\\evil.example", "/\\/evil.example", "\\\\evil.example", "\\evil", "//@evil.example", "//openapi",
    "/..;/admin", "/../admin", "/a/../../admin", "/..", "/.", "/./a", "/%2e%2e/admin", "/%2E%2e/a",
    "/%252e%252e/a", "/.%2e/a", "/a/%2e", "/a/..%2fb", "/a/..%5cb", "/..;x=1/a", "evil.example/a",
    "evil", "", " /a", "@evil.example", ":80/a", "?a=b", "#a", "/\r\nHost: evil", "/a\nb", "/\ta",
    "/\x00", "/a\x7f", "/\x85", "javascript:alert(1)", "file:///etc/passwd", "{scheme}://evil",
    "{host}/a", "/\\{a}", "/{a}\\b",
]  # fmt: skip

HARMLESS = [
    "/", "/a", "/a//b", "/a/", "/a@b", "/a/@b", "/%40a", "/a:80", "/a/https://evil.example",
    "/{a}", "/{a}@b", "/@{a}", "/a;b", "/...", "/..a", "/a..", "/%2eb", "/a?b=c", "/a?u=//evil",
    "/a#//evil", "/#https://evil.example", "/@evil.example", "/@evil/a", "/@", "/@evil:80@x/{a}", "/:a@evil/x",
]  # fmt: skip


def converted(*paths: str) -> Application:
    item = {"get": {"security": [{"key": []}]}}
    return load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {**dict.fromkeys(paths, item), "/safe": item},
            "components": {
                "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
            },
        }
    )


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was asked for")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_keys_are_errors(path: str) -> None:
    """T2, R3: a key that is no path of this server is an error with that code, and spoils no other."""
    application = converted(path)
    (error,) = application.errors
    assert (error.method, error.path, error.code) == ("get", path, "path")
    assert error.pointer.startswith("/paths/")
    assert [function.path for function in application] == ["/safe"]
    assert application.find(f"GET {path}") is None


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize("path", HARMLESS)
def test_harmless_keys_stay_on_the_server(path: str) -> None:
    """T2: what becomes a function is sent to the connection's origin, below its base path."""
    application = converted(path)
    assert not application.errors
    function = application[f"GET {path}"]
    keys = [key for key, _ in function.route.keys]
    made = application.request(function, dict.fromkeys(keys, "x"), HERE)
    assert str(made.url).startswith("https://api.example:8443/v1/")
    assert made.headers["host"] == "api.example:8443"
    assert made.headers["x-key"] == "canary"


keys = st.lists(
    st.sampled_from(
        ["/", "//", "\\", "@", ":", "..", ".", ";", "%2e", "%2f", "%5c", "?", "#", "evil.example",
         "https:", "{a}", "a", "\t", "\n", " ", "[::1]", "%", "%00", "\u2215", "\uff0e", "\uff0f", "\u3002"]
    ),
    max_size=6,
).map("".join)  # fmt: skip


@given(keys)
def test_no_key_moves_the_host(path: str) -> None:
    """T2: whatever the key: an error, or a request to this origin, below its base path, without dots."""
    application = converted(path)
    found = application.find(f"GET {path}") or next(
        (function for function in application if function.path == path), None
    )
    if found is None:
        assert [error.code for error in application.errors] == ["path"]
        return
    arguments = dict.fromkeys((key for key, _ in found.route.keys), "x")
    try:
        made = application.request(found, arguments, HERE)
    except SpecfnError:
        return
    target = urlsplit(str(made.url))
    assert (target.scheme, target.netloc) == ("https", "api.example:8443")
    assert made.url.raw_path.startswith(b"/v1/")
    assert not {"..", "."} & set(target.path.split("/"))
