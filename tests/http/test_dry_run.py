"""Dry runs: what would be sent, with everything of the caller's covered."""

import json
import shlex
import subprocess
from typing import Any

import pytest

import specfn
from specfn import Connection, request
from specfn.errors import ArgumentError, UsageError
from specfn.http.dry_run import dry_run

SCHEMES = {
    "key": {"type": "apiKey", "in": "query", "name": "api_key"},
    "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "digest": {"type": "http", "scheme": "Digest"},
    "oauth": {"type": "oauth2", "flows": {}},
}
SECRET = "canary-7f3a"


def never() -> str:
    raise AssertionError


def secured(make: Any, declare: Any, *names: str, **more: Any) -> Any:
    security = (tuple((name, ()) for name in names),)
    parameters = (declare("q", "query"), declare("H", "header"), declare("c", "cookie"))
    return make("/x", "post", *parameters, schemes=SCHEMES, security=security, **more)


def test_nothing_of_the_callers_is_shown(make: Any, declare: Any, declare_body: Any) -> None:
    """Headers, cookies, query values and credentials are masked, each in its place."""
    connection = Connection(
        base_url="https://api.example.com/v1",
        headers={"X-Own": SECRET},
        query={"tenant": SECRET},
        cookies={"own": SECRET},
        credentials={"key": SECRET, "session": SECRET, "bearer": SECRET},
    )
    function = secured(make, declare, "key", "session", "bearer", body=declare_body())
    given = {
        "query": {"q": "a b"},
        "headers": {"H": "h"},
        "cookies": {"c": "1"},
        "body": {"n": 1.0},
    }
    run = dry_run(function, given, connection)
    assert SECRET not in json.dumps(run)
    mask = "**********"
    assert run["url"] == f"https://api.example.com/v1/x?q=a%20b&tenant={mask}&api_key={mask}"
    assert run["method"] == "POST"
    assert run["body"] == {"n": 1}
    assert run["headers"]["Authorization"] == f"Bearer {mask}"
    assert run["headers"]["Cookie"] == f"c=1; own={mask}; sid={mask}"
    assert run["headers"]["X-Own"] == mask
    assert run["headers"]["H"] == "h"


@pytest.mark.parametrize(
    ("name", "credential", "shown"),
    [
        ("basic", ("user", SECRET), "Basic **********"),
        ("digest", SECRET, "Digest **********"),
        ("oauth", never, "Bearer **********"),
    ],
)
def test_no_credential_is_asked_for(
    make: Any, declare: Any, name: str, credential: Any, shown: str
) -> None:
    """Which scheme is used is shown; a callable that gives the credential is not called."""
    connection = Connection(base_url="https://h", credentials={name: credential})
    run = dry_run(secured(make, declare, name), {}, connection)
    assert run["headers"]["Authorization"] == shown


def test_a_dry_run_refuses_what_a_call_would(make: Any, declare: Any) -> None:
    """Arguments and connection are held to the same rules."""
    with pytest.raises(UsageError, match="needs credentials"):
        dry_run(secured(make, declare, "key"), {}, Connection(base_url="https://h"))
    with pytest.raises(ArgumentError):
        dry_run(make("/{a}"), {"a": ".."}, Connection(base_url="https://h"))


BODIES = [
    ("application/json", "json", {"a": 'it\'s $HOME `x` "y" \\ \n é'}),
    ("application/x-www-form-urlencoded", "form", {"a": "x y", "b": ["1", "2"]}),
    ("application/octet-stream", "binary", b"\x00\xff\r\n'"),
    ("text/plain", "text", "@/etc/passwd"),
    ("text/plain", "text", ""),
]


@pytest.mark.parametrize(("media_type", "kind", "value"), BODIES)
def test_the_curl_line_sends_the_same(
    make: Any,
    declare: Any,
    declare_body: Any,
    loopback: Any,
    media_type: str,
    kind: str,
    value: Any,
) -> None:
    """A shell that runs the line sends the very bytes that a call would send."""
    function = make(
        "/a/{id}", "post", declare("H", "header"), declare("q", "query"),
        body=declare_body(media_type, kind),
    )  # fmt: skip
    given = {"id": "x'y z", "headers": {"H": "it's"}, "query": {"q": "a&b[c]{d}"}, "body": value}
    connection = Connection(base_url=loopback.url)
    run = dry_run(function, given, connection)
    try:
        subprocess.run(["bash", "-c", run["curl"]], check=True, capture_output=True, timeout=120)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        if getattr(error, "returncode", 127) == 127:
            pytest.skip("there is no curl here")
        raise
    made = request(function, given, connection)
    assert loopback.body == made.content
    assert loopback.line == f"POST {made.url.raw_path.decode()} HTTP/1.1"
    assert loopback.head["h"] == ["it's"]
    assert loopback.head["content-type"] == [media_type]


def test_other_methods(make: Any, declare: Any) -> None:
    """A HEAD is one for curl, too; a header without a value stays; binary bodies are base64."""
    run = dry_run(make("/x", "head"), {}, Connection(base_url="https://h"))
    assert shlex.split(run["curl"])[:2] == ["curl", "--head"]
    assert run["body"] is None
    function = make("/x", "get", declare("H", "header"))
    run = dry_run(function, {"headers": {"H": ""}}, Connection(base_url="https://h"))
    assert "H;" in shlex.split(run["curl"])


def test_an_application_has_it() -> None:
    """``application.dry_run`` takes any key of a function."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a"}}},
    }
    run = specfn.load(document).dry_run("a", {}, Connection(base_url="https://h/v1"))
    assert (run["method"], run["url"]) == ("GET", "https://h/v1/a")
