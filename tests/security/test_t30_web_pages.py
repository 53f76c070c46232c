"""T30: a web page or another machine does not drive a server."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.inspector.inspector_support import DOCUMENT as DOCUMENT_OF_PETS
from tests.inspector.inspector_support import TOKEN as PAGE_TOKEN
from tests.inspector.inspector_support import Page, application
from tests.mcp.http_support import PAGE, ask
from tests.mcp.server_support import DOCUMENT, Api, served
from tests.mcp.server_support import application as pets

import specfn
from specfn import mcp
from specfn.cli.main import run
from specfn.errors import UsageError
from specfn.http_server.guard import LOOPBACK, Guard

TOKEN = "token-of-the-clients"
CREDENTIAL = "credential-4711"


def status(
    headers: list[tuple[str, str]], kind: str = "http", path: str = "/", **options: Any
) -> int | str:
    """Return the status of a refusal, or ``passed``. Reading the request fails the test."""
    sent: list[Any] = []

    async def app(*_: Any) -> None:
        sent.append({"type": "passed", "status": "passed"})

    async def receive() -> Any:
        raise AssertionError("the request was read")

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    scope = {"type": kind, "headers": given, "path": path}
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


# -- the inspector ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "/", "/x", f"/{TOKEN}x", f"/x/{PAGE_TOKEN}", "//"])
def test_the_inspector_needs_its_token(prefix: str) -> None:
    """A path without the token of the inspector is refused before the request is read."""
    headers = [host("127.0.0.1:80")]
    path = f"{prefix}/api/overview"
    assert status(headers, path=path, secret_path=PAGE_TOKEN) == 403
    assert Page().send("GET", "/api/overview", prefix=prefix).status_code == 403
    assert status(headers, path=f"/{PAGE_TOKEN}/", secret_path=PAGE_TOKEN) == "passed"


@pytest.mark.parametrize(
    ("name", "headers", "expected"),
    [
        ("evil.example", {}, 421),
        ("127.0.0.1.evil.example", {}, 421),
        ("127.0.0.1", {"Origin": "https://evil.example"}, 403),
        ("127.0.0.1", {"Origin": "null"}, 403),
        ("127.0.0.1:81", {"Origin": "http://127.0.0.1:82"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/", "/page/script.js", "/api/overview", "/api/check"])
def test_the_inspector_is_for_its_own_page(
    name: str, headers: dict[str, str], expected: int, path: str
) -> None:
    """A request of another host or origin is refused, also with the token."""
    found = Page().send("POST", path, host=name, headers=headers, content=b"{}")
    assert (found.status_code, found.content) == (expected, b"")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_is_no_call(kind: str) -> None:
    """A body that a form of another page could send is refused."""
    body = b'{"name": "getPet", "profile": "mcp", "text": "{}"}'
    found = Page().send("POST", "/api/send", headers={"Content-Type": kind}, content=body)
    assert found.status_code == 415


def test_a_large_body_is_refused() -> None:
    """A body of 2 MB is refused, and not read to its end."""
    read: list[int] = []

    async def chunks() -> Any:
        for number in range(200):
            read.append(number)
            yield b" " * 10_000

    headers = {"Content-Type": "application/json"}
    found = Page().send("POST", "/api/check", headers=headers, content=chunks())
    assert found.status_code == 413
    assert "larger than 1,000,000 bytes" in found.json()["error"]


def test_the_inspector_shows_no_credential(caplog: pytest.LogCaptureFixture) -> None:
    """No credential is in the page, in an answer or in a log, also if the API repeats it."""
    app = application(DOCUMENT_OF_PETS)
    transport = httpx.MockTransport(
        lambda request: httpx.Response(
            200, json={"seen": [*map(list, request.headers.items())], "number": 4711}
        )
    )
    with caplog.at_level(0):
        connection = specfn.Connection(
            base_url="https://api.example",
            credentials={"key": CREDENTIAL},
            headers={"X-More": f"{CREDENTIAL}-2", "X-Number": "4711"},
            query={"token": f'{CREDENTIAL}"3'},
            async_client=httpx.AsyncClient(transport=transport),
        )
        page = Page(app, connection)
        call = {"name": "changePet", "text": '{"petId": 1, "body": {"name": "Rex"}}'}
        pending = page.post("send", **call)["pending"]
        texts = [
            page.send("GET", "/").text,
            page.send("GET", "/api/overview").text,
            json.dumps(page.post("check", **call)),
            json.dumps(page.post("send", **call, token=pending["token"])),
            page.send("POST", "/api/send", json={**call, "profile": "x"}).text,
        ]
    assert "**********" in texts[3]
    assert json.loads(texts[3])["result"]["data"]["number"] == 4711
    assert [text for text in (*texts, caplog.text) if CREDENTIAL in text] == []


@pytest.mark.parametrize("origins", [(), (PAGE,)])
def test_other_pages_and_hosts_are_refused_before_they_are_answered(origins: Any) -> None:
    """A browser that asks for another page, or under another name of the host, learns nothing."""
    with served(mcp.asgi(pets(), Api().connection(), origins=origins)) as origin:
        for response in (
            ask(origin, "https://evil.example"),
            ask(origin, PAGE, Host="evil.example"),
        ):
            assert response.status_code in {403, 421}
            assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    "origin", ["*", "null", "page.example", "https://a.example/path", "https://*"]
)
def test_what_is_not_an_origin_is_refused(origin: str) -> None:
    """An origin that would be any page, or never match, is an error at the start."""
    with pytest.raises(UsageError, match="origins"):
        mcp.asgi(pets(), Api().connection(), origins=[origin])
