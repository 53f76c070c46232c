"""T45: the model's server of ``specfn chat`` takes no more memory or time than the limits allow."""

import gzip
import itertools
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import specfn  # noqa: F401  # fixture

from specfn.cli.commands import chat

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
MAX_BYTES = 1_000_000


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def bomb(_: bytes) -> Iterator[bytes]:
    """A reply of 100 KB that becomes 100 MB."""
    yield HEAD + b"Content-Encoding: gzip\r\n\r\n"
    yield chunk(gzip.compress(b'"' + b"x" * 100_000_000 + b'"'))
    yield b"0\r\n\r\n"


def endless(_: bytes) -> Iterator[bytes]:
    """A text that does not end."""
    yield HEAD + b"\r\n" + chunk(b'"')
    yield from itertools.repeat(chunk(b"x" * 0x10000))


def endless_headers(_: bytes) -> Iterator[bytes]:
    """Headers that do not end."""
    yield HEAD
    yield from itertools.repeat(b"X-A: " + b"x" * 1_000 + b"\r\n")


def endless_events(_: bytes) -> Iterator[bytes]:
    """Events that do not end."""
    yield HEAD.replace(b"application/json", b"text/event-stream") + b"\r\n"
    yield from itertools.repeat(chunk(b"data: {}\n\n" * 1_000))


@pytest.fixture
def talk(
    specfn: Callable[..., Any],  # noqa: F811  # the fixture
    loopback: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:
    """Send one message to a model whose server responds as given."""
    document = tmp_path / "api.json"
    info = {"title": "Lamps", "version": "1"}
    document.write_text(
        json.dumps({"openapi": "3.1.0", "info": info, "paths": {"/lamps": {"get": {}}}})
    )
    monkeypatch.setattr(chat, "MAX_REPLY_BYTES", MAX_BYTES)
    monkeypatch.setattr(chat, "MAX_REPLY_SECONDS", 10.0)
    urls = ("--base-url", loopback.url, "--model-url", f"{loopback.url}/v1")

    def send(respond: Callable[[bytes], Any]) -> Any:
        loopback.respond = respond
        return specfn("chat", document, *urls, "--model", "m", "Which lamps are there?")

    return send


@pytest.mark.parametrize("respond", [bomb, endless, endless_headers, endless_events])
def test_a_reply_is_bounded(talk: Callable[..., Any], respond: Callable[[bytes], Any]) -> None:
    """T45: a reply that is too large is an error of one line, and costs little more than the limit."""
    content = list(respond(b"")) if respond is bomb else respond
    tracemalloc.start()
    ended = talk(respond if callable(content) else lambda _: iter(content))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (ended.code, ended.out) == (3, "")
    assert "the model" in ended.err.splitlines()[-1]
    assert "Traceback" not in ended.err
    assert peak < 50 * MAX_BYTES


def test_a_reply_that_trickles_ends(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T45: a server that sends single bytes holds the conversation no longer than the limit of seconds."""
    monkeypatch.setattr(chat, "MAX_REPLY_SECONDS", 0.3)
    sent: list[bytes] = []

    def trickle(_: bytes) -> Iterator[bytes]:
        yield HEAD + b"\r\n"
        for _ in range(200):
            time.sleep(0.02)
            sent.append(chunk(b" "))
            yield sent[-1]

    ended = talk(trickle)
    assert ended.code == 3
    assert "not finished within 0.3 s" in ended.err
    assert len(sent) < 200
