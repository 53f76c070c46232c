"""Kept sockets that the server ends: an idempotent request is sent once more, and no other ever (rule X8)."""

import asyncio
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import body, operation
from tests.http.kept import AFTER, OTHER, SILENT, Server, kept_server

import specfn
from specfn import Connection, Result
from specfn.errors import TransportError
from specfn.network import sockets as network_sockets

IDEMPOTENT = ("get", "head", "put", "delete", "options", "trace", "query")
OTHERS = ("post", "patch")

Call = Callable[[str, Connection], Result]


@pytest.fixture
def server() -> Iterator[Server]:
    with kept_server() as running:
        yield running


@pytest.fixture(params=["sync", "async"])
def call(request: Any) -> Iterator[Call]:
    """A call by method, whose sockets are kept for the next one."""
    if request.param == "sync":
        yield lambda method, connection: specfn.propagate(*_given(method, connection))
        return
    with asyncio.Runner() as runner:
        yield lambda method, connection: runner.run(specfn.apropagate(*_given(method, connection)))


def _given(method: str, connection: Connection) -> tuple[Any, dict[str, Any], Connection]:
    has_body = method in {"put", "post", "patch"}
    function = operation("/x", method, body=body() if has_body else None)
    return function, {"body": {"n": 1}} if has_body else {}, connection


def on_used(what: str) -> Callable[[int, int], str]:
    """The first connection does something with its second request; every other request is answered."""
    return lambda connection, position: what if (connection, position) == (0, 1) else "keep"


@pytest.mark.parametrize("what", SILENT)
@pytest.mark.parametrize("method", IDEMPOTENT)
def test_an_idempotent_call_is_not_lost(server: Server, call: Call, what: str, method: str) -> None:
    """Where a kept socket ends without a byte of a response, the same bytes are sent once more, on a fresh one."""
    server.plan = on_used(what)
    seen: list[httpx.Request] = []
    connection = Connection(base_url=server.url, before=seen.append)
    for _ in range(2):
        assert call(method, connection).ok
    assert len(seen) == 2
    first, *second = (raw for _, raw in server.requests)
    assert second == [first] * (1 if what == "unread" else 2)
    assert [number for number, _ in server.requests][-1] == 1


@pytest.mark.parametrize("what", SILENT)
@pytest.mark.parametrize("method", OTHERS)
def test_what_is_not_idempotent_is_never_sent_twice(
    server: Server, call: Call, what: str, method: str
) -> None:
    """The call fails and says that the request may have arrived; retries change nothing of that."""
    server.plan = on_used(what)
    connection = Connection(base_url=server.url, retries=5)
    assert call(method, connection).ok
    with pytest.raises(TransportError, match="it may have received the request"):
        call(method, connection)
    assert server.asked(method.upper()) == (1 if what == "unread" else 2)
    assert server.connections == 1


OVERRIDES = [
    {"headers": {"X-HTTP-Method-Override": "POST"}},
    {"headers": {"x-http-method": "patch"}},
    {"headers": {"X-Method-Override": "Post"}},
    {"query": {"_method": "POST"}},
]


@pytest.mark.parametrize("fields", OVERRIDES, ids=str)
def test_the_method_that_is_meant_counts(
    server: Server, call: Call, fields: dict[str, dict[str, str]]
) -> None:
    """A PUT whose header or query says that it is a POST is not sent twice."""
    server.plan = on_used("close")
    connection = Connection(base_url=server.url, **fields)
    assert call("put", connection).ok
    with pytest.raises(TransportError):
        call("put", connection)
    assert server.asked("PUT") == 2


@pytest.mark.parametrize("what", OTHER)
def test_any_other_failure_is_one(server: Server, call: Call, what: str) -> None:
    """After a timeout, or with a part of a response, nothing is sent again."""
    server.plan = on_used(what)
    connection = Connection(base_url=server.url, timeout={"read": 0.3})
    assert call("get", connection).ok
    with pytest.raises(TransportError):
        call("get", connection)
    assert server.asked("GET") == 2


@pytest.mark.parametrize("what", ["close", "half-close", "reset"])
def test_the_first_request_of_a_socket_is_not_repeated(
    server: Server, call: Call, what: str
) -> None:
    """A new socket that ends without a response is the server's answer to this request."""
    server.plan = lambda _, __: what
    with pytest.raises(TransportError):
        call("get", Connection(base_url=server.url))
    assert server.asked("GET") == 1


def test_a_request_is_sent_again_once(server: Server, call: Call) -> None:
    """Where the fresh socket ends as well, the call fails, although other kept sockets are there."""
    server.plan = lambda _, position: "close" if position else "keep"
    connection = Connection(base_url=server.url)
    assert call("get", connection).ok
    server.plan = lambda _, __: "close"
    with pytest.raises(TransportError):
        call("get", connection)
    assert [number for number, _ in server.requests] == [0, 0, 1]


def test_the_deadline_goes_on(server: Server, call: Call) -> None:
    """The second attempt has what is left of the call's time, not all of it again."""
    server.plan = lambda number, position: (
        ("close" if position else "keep") if number == 0 else "wait"
    )
    connection = Connection(base_url=server.url, timeout={"read": 30, "total": 0.4})
    assert call("get", connection).ok
    with pytest.raises(TransportError, match=r"not finished within 0\.4 s"):
        call("get", connection)
    assert server.asked("GET") == 3


def test_a_body_that_cannot_be_read_again(server: Server, call: Call) -> None:
    """A hook's request whose content is a generator is sent once."""

    def pieces() -> Iterator[bytes]:
        yield b"12345"

    async def awaited() -> Any:
        for piece in pieces():
            yield piece

    is_sync = "propagate" in call.__code__.co_names  # type: ignore[attr-defined]
    server.plan = on_used("close")

    def streamed(_: httpx.Request) -> httpx.Request:
        content = pieces() if is_sync else awaited()
        return httpx.Request("PUT", server.url, headers={"Content-Length": "5"}, content=content)

    connection = Connection(base_url=server.url, before=streamed)
    assert call("get", connection).ok
    with pytest.raises(TransportError):
        call("get", connection)
    assert server.asked("PUT") == 2
    assert server.connections == 1


def test_a_client_of_the_callers_is_left_alone(server: Server) -> None:
    """What a client of the caller's makes of an ended socket is its own affair: nothing is sent again."""
    server.plan = on_used("close")
    with httpx.Client() as client:
        connection = Connection(base_url=server.url, client=client)
        assert specfn.propagate(*_given("get", connection)).ok
        with pytest.raises(TransportError):
            specfn.propagate(*_given("get", connection))

    async def several() -> None:
        async with httpx.AsyncClient() as own:
            awaiting = Connection(base_url=server.url, async_client=own)
            assert (await specfn.apropagate(*_given("get", awaiting))).ok
            with pytest.raises(TransportError):
                await specfn.apropagate(*_given("get", awaiting))

    assert server.asked("GET") == 2
    server.plan = lambda number, position: "close" if (number, position) == (1, 1) else "keep"
    asyncio.run(several())
    assert server.asked("GET") == 4


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(IDEMPOTENT + OTHERS), st.sampled_from(AFTER + SILENT)),
        min_size=2,
        max_size=8,
    )
)
def test_no_sequence_loses_or_doubles_a_call(steps: list[tuple[str, str]]) -> None:
    """Whatever ends kept sockets: every idempotent call succeeds, and no POST or PATCH arrives twice."""
    with kept_server() as server:
        connection = Connection(base_url=server.url)
        for method, what in steps:
            before = server.asked(method.upper())
            server.plan = lambda _, position, what=what: (  # type: ignore[misc]
                what if position or what in AFTER else "keep"
            )
            try:
                assert specfn.propagate(*_given(method, connection)).ok
            except TransportError:
                assert method in OTHERS
            assert server.asked(method.upper()) - before <= (1 if method in OTHERS else 2)


def test_an_idle_socket_is_closed_before_servers_do(
    server: Server, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that was idle for more than four seconds is not used again; one for less is."""
    later = 0.0
    monotonic = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + later)
    connection = Connection(base_url=server.url)
    for pause, sockets in ((0.0, 1), (3.5, 1), (4.1, 2), (4.9, 3)):
        later += pause
        assert call("get", connection).ok
        assert server.connections == sockets


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    files = ("-keyout", str(folder / "key"), "-out", str(folder / "certificate"))
    subprocess.run([openssl, "req", *kind, *subject, *files], check=True, capture_output=True)
    return folder


@pytest.fixture
def secure(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The same server over TLS, trusted by the calls of the test."""
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(certificate / "certificate", certificate / "key")
    ours = ssl.create_default_context(cafile=str(certificate / "certificate"))
    monkeypatch.setattr(network_sockets, "_ssl_context", lambda: ours)
    with kept_server(theirs) as running:
        yield running


@pytest.mark.parametrize("what", ["close", "reset", "unread"])
def test_tls_that_ends_is_no_error_of_tls(secure: Server, call: Call, what: str) -> None:
    """Over TLS, a socket that ends with or without a closing message is one that ended."""
    secure.plan = on_used(what)
    connection = Connection(base_url=secure.url)
    for _ in range(2):
        assert call("get", connection).ok
    assert secure.connections == 2


def test_an_error_of_tls_is_one(secure: Server, call: Call) -> None:
    """What is no record of TLS is an error, and the request is not sent again."""
    secure.plan = on_used("no TLS")
    connection = Connection(base_url=secure.url)
    assert call("get", connection).ok
    with pytest.raises(TransportError):
        call("get", connection)
    assert secure.asked("GET") == 2
    assert secure.connections == 1
