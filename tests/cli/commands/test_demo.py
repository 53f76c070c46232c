import importlib.util
import signal
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from specfn._internal.installed import requirement


def test_a_missing_extra_is_one_line(
    specfn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the packages of the extra, one line names them and the command that installs them."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    ended = specfn("demo")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "specfn: the demo needs fastapi, python-multipart, uvicorn; "
        f"install it with: pip install '{requirement('demo')}'\n"
    )


def test_a_port_is_for_the_server(specfn: Callable[..., Any]) -> None:
    """``--port`` without ``--serve`` is one line."""
    ended = specfn("demo", "--port", "8000")
    assert (ended.code, ended.out, ended.err) == (2, "", "specfn: --port needs --serve\n")


def test_a_port_in_use_is_one_line(specfn: Callable[..., Any]) -> None:
    """A port that another server uses is one line."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = specfn("demo", "--serve", "--port", str(port))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"specfn: --port {port} cannot be used: Address already in use\n"


def test_the_shop_runs_until_an_interrupt(process: Callable[..., Any]) -> None:
    """``--serve`` prints where the shop is and its token; Ctrl-C ends it with 130 and no traceback."""
    running = process("demo", "--serve", preexec_fn=_interruptible)
    printed = dict(running.stdout.readline().rstrip("\n").split(": ", 1) for _ in range(3))
    assert list(printed) == ["document", "base_url", "token"]
    document = httpx.get(printed["document"], trust_env=False).json()
    assert document["info"]["title"] == "Corner Shop"
    headers = {"Authorization": f"Bearer {printed['token']}"}
    orders = httpx.get(f"{printed['base_url']}/orders", headers=headers, trust_env=False)
    assert orders.json() == []
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, "Traceback" in err) == (130, False)


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
