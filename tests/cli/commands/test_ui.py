import re
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.strict_shop.server import Server

from specfn._internal.installed import requirement

PATHS: Any = {"/pets": {"get": {"responses": {}}}}


@pytest.fixture
def spec(document: Callable[..., Path]) -> Path:
    return document(PATHS)


def test_a_port_in_use_is_one_line(specfn: Callable[..., Any]) -> None:
    """A port that another server uses is one line, before the document is read."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = specfn("ui", "no such file", "--port", str(port))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"specfn: --port {port} cannot be used: Address already in use\n"


def test_a_missing_extra_is_one_line(
    specfn: Callable[..., Any], spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the packages of the extra, one line names them and how to install them."""
    import importlib.util  # noqa: PLC0415  # its function is replaced

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    ended = specfn("ui", spec)
    assert ended.code == 2
    assert ended.err == (
        "specfn: the inspector needs starlette, uvicorn; "
        f"install it with: pip install '{requirement('ui')}'\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["no.json"], 1, "no.json"),
        (["{spec}", "--compare", "no.json"], 1, "--compare: "),
        (["{spec}", "--responses"], 2, "--responses needs --compare FILE"),
        (["{spec}", "--auth", "key=x"], 2, "--auth needs --base-url URL"),
        (["{spec}", "--query", "a=b"], 2, "--query needs --base-url URL"),
        (["{spec}", "--header", "A: b"], 2, "--header needs --base-url URL"),
        (["{spec}", "--profile", "x"], 2, "'x' is not one of anthropic"),
        (["{spec}", "--base-url", "x"], 2, "--base-url: "),
        (
            ["{spec}", "--base-url", "https://a.example", "--auth", "wrong=x"],
            2,
            "a credential for 'wrong', which is not a security scheme",
        ),
        (["-", "--compare", "-"], 2, "stdin cannot be both documents"),
    ],
)
def test_invalid_use_is_one_line(
    specfn: Callable[..., Any], spec: Path, arguments: list[str], code: int, reason: str
) -> None:
    """An unreadable document and an invalid option are one line each."""
    ended = specfn("ui", *(each.format(spec=spec) for each in arguments))
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert reason in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_the_page_is_served_until_a_signal(
    process: Callable[..., Any], shop: Server, number: signal.Signals, code: int
) -> None:
    """The command prints a URL with a token, serves the page, and ends at a signal."""
    with process("ui", shop.document_url, "--base-url", shop.base_url) as running:
        line = running.stderr.readline()
        url = re.fullmatch(r"specfn: inspector at (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", line)
        assert url
        assert httpx.get(url[1]).status_code == 200
        assert httpx.get(url[1] + "api/overview").json()["live"]["baseUrl"] == shop.base_url
        assert httpx.get(httpx.URL(url[1]).join("/")).status_code == 403
        running.send_signal(number)
        assert running.wait(20) == code
        assert (running.stdout.read(), running.stderr.read()) == ("", "")
