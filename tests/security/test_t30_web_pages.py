"""T30: a web page or another machine does not drive a server."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.server_support import DOCUMENT

from specfn.cli.main import run
from specfn.http_server.guard import LOOPBACK, Guard

TOKEN = "token-of-the-clients"


def status(headers: list[tuple[str, str]], kind: str = "http", **options: Any) -> int | str:
    """Return the status of a refusal, or ``passed``. Reading the request fails the test."""
    sent: list[Any] = []

    async def app(*_: Any) -> None:
        sent.append({"type": "passed", "status": "passed"})

    async def receive() -> Any:
        raise AssertionError("the request was read")

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    scope = {"type": kind, "headers": given}
    asyncio.run(Guard(app, **{"hosts": LOOPBACK, **options})(scope, receive, send))
    found: int | str = sent[0].get("status", sent[0].get("code"))
    return found


def host(value: str) -> tuple[str, str]:
    return ("host", value)


@pytest.mark.parametrize(
    "name", ["127.0.0.1:80", "localhost:8000", "LOCALHOST", "[::1]:8000", "[::1]"]
)
def test_own_names_are_accepted(name: str) -> None:
    """The names of this machine are accepted with any port."""
    assert status([host(name)]) == "passed"


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "[::1].evil.example",
        "",
        "127.0.0.1@evil.example",
        "[::2]",
    ],
)
def test_other_names_are_refused(name: str) -> None:
    """A request under the name of a web page is refused before it is read."""
    assert status([host(name)]) == 421


def test_one_host_is_needed() -> None:
    """A request without a host, or with two, is refused."""
    assert status([]) == 421
    assert status([host("localhost"), host("evil.example")]) == 421


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost:3000",
        "null",
        "http://localhost:8000.evil.example",
        "http://localhost",
        "file://",
    ],
)
def test_other_origins_are_refused(origin: str) -> None:
    """A web page of another origin is refused, also one on this machine."""
    assert status([host("localhost:8000"), ("origin", origin)]) == 403


def test_own_and_listed_origins_are_accepted() -> None:
    """The own origin and those of the operator are accepted."""
    assert status([host("localhost:8000"), ("origin", "http://localhost:8000")]) == "passed"
    listed = {"origins": ["https://app.example/"]}
    assert status([host("localhost:8000"), ("origin", "https://app.example")], **listed) == "passed"
    both = [("origin", "https://app.example"), ("origin", "https://evil.example")]
    assert status([host("localhost:8000"), *both], **listed) == 403


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer tökén"],
)
def test_a_token_is_needed(header: str | None) -> None:
    """Without exactly the token a request is refused."""
    more = [] if header is None else [("authorization", header)]
    assert status([host("api.example"), *more], hosts=None, token=TOKEN) == 401


def test_the_token_is_accepted_once() -> None:
    """The token is accepted with any case of its scheme; two headers are refused."""
    for scheme in ("Bearer", "bearer"):
        header = ("authorization", f"{scheme} {TOKEN}")
        assert status([host("api.example"), header], hosts=None, token=TOKEN) == "passed"
        assert status([host("api.example"), header, header], hosts=None, token=TOKEN) == 401


def test_web_sockets_are_checked_too() -> None:
    """A web socket of another name is closed."""
    assert status([host("evil.example")], kind="websocket") == 1008


@pytest.mark.parametrize("address", ["192.0.2.1:0", "[2001:db8::1]:0"])
def test_other_machines_need_a_token(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, address: str
) -> None:
    """The command does not listen for other machines without a token of clients."""
    spec = tmp_path / "pets.json"
    spec.write_text(json.dumps(DOCUMENT), "utf-8")
    assert run(["serve", str(spec), "--base-url", "http://127.0.0.1:9", "--http", address]) == 2
    assert "pass --client-token-env NAME" in capsys.readouterr().err
