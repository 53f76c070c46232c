"""T7: fetching a document connects to nobody but its server, and takes no more than it may."""

import itertools
import json
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from specfn import Options, load
from specfn.document.read import download
from specfn.document.read.download import fetch
from specfn.errors import DocumentError, TransportError

DOCUMENT = b'{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"


def elsewhere(loopback: Any, other: Any) -> list[str]:
    """Every way out of an origin, the addresses that attackers want among them."""
    port = loopback.url.rpartition(":")[2]
    return [
        f"{other.url}/api.json",
        other.url.replace("http://", "//") + "/api.json",
        f"http://localhost:{port}/api.json",
        f"https://127.0.0.1:{port}/api.json",
        f"http://127.0.0.1:{port}@{other.url.removeprefix('http://')}/api.json",
        f"{loopback.url}@{other.url.removeprefix('http://')}/api.json",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1:1/x",
    ]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_nowhere_else(
    loopback: Any, other: Any, http: Any, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """The URL that was typed is trusted; where it redirects to is not, and nothing is connected to."""
    connected = []
    original = socket.create_connection

    def connect(address: tuple[str, int], *rest: Any, **more: Any) -> socket.socket:
        connected.append(address[1])
        return original(address, *rest, **more)

    monkeypatch.setattr(socket, "create_connection", connect)
    for location in elsewhere(loopback, other)[: None if status == 302 else 2]:
        answer = http(b"", f"{status} Moved", Location=location)
        loopback.respond = lambda _, answer=answer: answer
        with pytest.raises((DocumentError, TransportError)) as caught:
            load(f"{loopback.url}/api.json")
        assert "root:" not in str(caught.value)
    assert set(connected) == {int(loopback.url.rpartition(":")[2])}
    assert other.connections == 0


@pytest.mark.parametrize("way", ["redirect", "reference", "overlay"])
def test_headers_of_a_document_go_to_its_origin_only(
    loopback: Any, other: Any, http: Any, way: str
) -> None:
    """Not to where a redirect leads, not to a reference and not to an overlay, although the caller allows their origin."""
    away = f"{other.url}/api.json"
    operation = {"get": {"$ref": away}} if way == "reference" else {}
    own = {**json.loads(DOCUMENT), "paths": {"/x": operation}}
    answers = {"redirect": http(b"", "302 Found", Location=away)}
    loopback.respond = lambda _: answers.get(way, http(json.dumps(own).encode()))
    overlay = {"overlay": "1.0.0", "info": {"title": "", "version": ""}, "actions": []}
    overlay["actions"] = [{"target": "$.info", "update": {"title": "t"}}]
    other.respond = lambda _: http(json.dumps(overlay).encode() if way == "overlay" else DOCUMENT)
    load(
        f"{loopback.url}/api.json",
        headers={"Authorization": "Bearer canary", "X-Key": "canary", "Cookie": "sid=canary"},
        overlays=[away] if way == "overlay" else [],
        options=Options(references=[other.url]),
    )
    assert b"canary" in loopback.requests[-1]
    assert other.requests
    assert b"canary" not in b"".join(other.requests)


def test_what_the_document_names_is_not_fetched(loopback: Any, other: Any, http: Any) -> None:
    """References, servers, external documentation and identifiers are texts: one URL, one request."""
    url = other.url.encode()
    content = DOCUMENT.replace(
        b'"paths": {}',
        b'"$self": "%s/s", "servers": [{"url": "%s"}], "externalDocs": {"url": "%s/d"}, '
        b'"paths": {"/x": {"$ref": "%s/p.json"}, "/y": {"get": {"responses": {"200": {"$ref": '
        b'"%s/r.json"}}}}}, "components": {"schemas": {"A": {"$id": "%s/a", "$ref": "%s/b"}}}'
        % (url, url, url, url, url, url, url),
    )
    loopback.respond = lambda _: http(content)
    application = load(f"{loopback.url}/api.json")
    for function in application:
        _ = (function.parameters, function.output, function.validate({}))
    assert len(loopback.requests) == 1
    assert other.connections == 0


def endless(_: bytes) -> Iterator[bytes]:
    yield CHUNKED + b"\r\n"
    yield from itertools.repeat(b"10000\r\n" + b" " * 0x10000 + b"\r\n")


def bomb(_: bytes) -> Iterator[bytes]:
    """Ten gigabytes of blanks, a thousand to one."""
    yield CHUNKED + b"Content-Encoding: gzip\r\n\r\n"
    compressor = zlib.compressobj(9, wbits=31)
    block = b" " * 0x100000
    for _ in range(10_000):
        piece = compressor.compress(block)
        if piece:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)


def liar(_: bytes) -> Iterator[bytes]:
    """A gigabyte, says the head."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    yield from itertools.repeat(b" " * 0x10000, 0x4000)


@pytest.mark.parametrize("respond", [endless, bomb, liar])
def test_a_document_without_end_is_refused(loopback: Any, respond: Any) -> None:
    """More than the limit is an error, and costs little more memory than the limit and a piece."""
    loopback.respond = respond
    tracemalloc.start()
    with pytest.raises(DocumentError, match="larger than the limit of 2,000,000 bytes"):
        fetch(f"{loopback.url}/api.json", limit=2_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 160_000_000  # the client unpacks 64 KiB at a time, at most a thousand to one


def test_a_coding_in_a_coding_is_refused(loopback: Any, http: Any) -> None:
    """What is packed twice would grow a million times within one piece; it is not unpacked at all."""
    twice = zlib.compress(zlib.compress(b" " * 10_000_000))
    loopback.respond = lambda _: http(twice, Content_Encoding="deflate, deflate")
    with pytest.raises(DocumentError, match="another format than gzip"):
        load(f"{loopback.url}/api.json")


def drip(head: bytes, piece: bytes) -> Any:
    def respond(_: bytes) -> Iterator[bytes]:
        yield head
        for _ in range(500):
            time.sleep(0.02)
            yield piece

    return respond


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\nX-A: ", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b" "),
        (CHUNKED + b"\r\n", b"1\r\n \r\n"),
    ],
    ids=["status line", "header", "body", "chunks"],
)
def test_a_server_that_drips_is_left(
    loopback: Any, monkeypatch: pytest.MonkeyPatch, head: bytes, piece: bytes
) -> None:
    """A byte now and then resets no clock: the whole download has an end."""
    monkeypatch.setattr(download, "_TOTAL_SECONDS", 0.3)
    loopback.respond = drip(head, piece)
    with pytest.raises(TransportError, match="did not arrive within"):
        load(f"{loopback.url}/api.json")


def test_a_resolver_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resolution of a name ends with the time of the download."""
    ended = threading.Event()
    monkeypatch.setattr(download, "_TOTAL_SECONDS", 0.3)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait(60) and [])
    try:
        with pytest.raises(TransportError, match="did not arrive within"):
            load("http://slow.example/api.json")
    finally:
        ended.set()


@pytest.mark.parametrize(
    "content",
    [b"<!doctype html><title>Sign in: canary-51fe</title>", b"\x89PNG\r\n canary-51fe", b"[]", b"",
     b'"canary-51fe"', b"PK\x03\x04canary-51fe", b"key: canary-51fe"],
)  # fmt: skip
@pytest.mark.parametrize("media_type", ["application/json", "text/html"])
def test_what_is_no_document_is_an_error(
    loopback: Any, http: Any, content: bytes, media_type: str
) -> None:
    """The content decides, not its label; an error tells keys at most, and no value."""
    loopback.respond = lambda _: http(content, media_type=media_type)
    with pytest.raises(DocumentError) as caught:
        load(f"{loopback.url}/api.json")
    assert "canary-51fe" not in str(caught.value)


def test_a_document_with_a_wrong_label_is_read(loopback: Any, http: Any) -> None:
    """Many servers say text/html of JSON, or nothing."""
    for media_type in ("text/html", "application/octet-stream", ""):
        loopback.respond = lambda _, label=media_type: http(DOCUMENT, media_type=label)
        assert len(load(f"{loopback.url}/api.json")) == 0
