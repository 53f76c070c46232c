"""Calls over a real connection, blocking and awaiting alike."""

import asyncio
import gc
import gzip
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from specfn import Connection, Result
from specfn._internal.io import SyncIO, run_without_waiting
from specfn.errors import ArgumentError, HTTPStatusError, TransportError, UsageError
from specfn.http.transport import pool, send
from specfn.network import sockets
from specfn.records import ArgumentProblem

Call = Callable[[Any, Any, Connection], Result]


def awaited(function: Any, arguments: Any, connection: Connection) -> Result:
    return asyncio.run(send.apropagate(function, arguments, connection))


@pytest.fixture(params=[send.propagate, awaited], ids=["sync", "async"])
def call(request: Any) -> Call:
    return request.param


def chunked(*pieces: bytes) -> list[bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    return [head, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces), b"0\r\n\r\n"]


def test_a_call(
    call: Call, make: Any, declare: Any, declare_body: Any, loopback: Any, http: Any
) -> None:
    """What was built is what arrives, and what the server answers is the result."""
    loopback.respond = lambda _: http(b'{"id": 7}', "201 Created", X_Trace="abc")
    function = make("/pets/{id}", "post", declare("q", "query"), body=declare_body())
    arguments = {"id": "a/b", "query": {"q": ["x y", 2.0]}, "body": {"n": 1.0}}
    result = call(function, arguments, Connection(base_url=f"{loopback.url}/v1"))
    assert loopback.line == "POST /v1/pets/a%2Fb?q=x%20y&q=2 HTTP/1.1"
    assert loopback.body == b'{"n":1}'
    assert loopback.head["host"] == [loopback.url.removeprefix("http://")]
    assert loopback.head["accept-encoding"] == ["gzip, deflate"]
    assert (result.status, result.data, result.ok) == (201, {"id": 7}, True)
    assert result.headers["x-trace"] == "abc"
    assert (result.media_type, result.truncated) == ("application/json", False)


def test_execute_wants_success(make: Any, loopback: Any, http: Any) -> None:
    """Outside 2xx execute raises with the whole result, and propagate returns it."""
    loopback.respond = lambda _: http(b'{"why": 1}', "404 Not Found")
    connection = Connection(base_url=loopback.url)
    result = send.propagate(make(), {}, connection)
    assert (result.status, result.data) == (404, {"why": 1})
    with pytest.raises(HTTPStatusError) as caught:
        send.execute(make(), {}, connection)
    assert caught.value.result == result
    with pytest.raises(HTTPStatusError):
        asyncio.run(send.aexecute(make(), {}, connection))
    loopback.respond = lambda _: http(b"{}", "200 OK")
    assert send.execute(make(), {}, connection) == asyncio.run(
        send.aexecute(make(), {}, connection)
    )


def test_nothing_is_sent_for_invalid_arguments(call: Call, make: Any, loopback: Any) -> None:
    """Arguments are validated again, right before they would be sent."""
    function = make(found=(ArgumentProblem(path="$input.a", expected="string"),))
    with pytest.raises(ArgumentError):
        call(function, {}, Connection(base_url=loopback.url))
    assert loopback.connections == 0


def test_answers_come_decompressed(call: Call, make: Any, loopback: Any, http: Any) -> None:
    """A compressed answer is read as what it was."""
    loopback.respond = lambda _: http(gzip.compress(b'{"a":1}'), Content_Encoding="gzip")
    assert call(make(), {}, Connection(base_url=loopback.url)).data == {"a": 1}


@pytest.mark.usefixtures("frozen_heap")
def test_connections_are_kept(make: Any, loopback: Any) -> None:
    """Calls with one Connection share a socket; it is closed with the Connection, without a warning."""
    connection = Connection(base_url=loopback.url)
    for _ in range(3):
        send.execute(make(), {}, connection)
    assert loopback.connections == 1

    async def several(shared: Connection) -> None:
        for _ in range(3):
            await send.aexecute(make(), {}, shared)

    asyncio.run(several(connection))
    asyncio.run(several(connection))
    assert loopback.connections == 3
    copy = connection.model_copy(update={"max_bytes": 10})
    send.execute(make(), {}, copy)
    assert loopback.connections == 4
    del connection, copy
    gc.collect()


@pytest.mark.usefixtures("frozen_heap")
def test_sockets_of_a_connection_that_is_gone_are_closed(make: Any, loopback: Any) -> None:
    """A connection that lived for one call leaves no socket open, though its loop goes on."""

    async def several() -> int:
        for _ in range(3):
            await send.aexecute(make(), {}, Connection(base_url=loopback.url))
        gc.collect()
        home = pool._by_loop[asyncio.get_running_loop()]
        return len(home.owned) + len(home.retired)

    assert asyncio.run(several()) == 1
    assert not [loop for loop in pool._by_loop if loop.is_closed()]


def test_calls_at_once(make: Any, loopback: Any) -> None:
    """Awaiting calls of one Connection run side by side."""

    async def several() -> list[Result]:
        connection = Connection(base_url=loopback.url)
        return await asyncio.gather(*(send.aexecute(make(), {}, connection) for _ in range(5)))

    assert [result.status for result in asyncio.run(several())] == [200] * 5
    assert len(loopback.requests) == 5


def test_answers_are_bounded(call: Call, make: Any, loopback: Any) -> None:
    """Beyond max_bytes an answer is cut, and says so."""
    loopback.respond = lambda _: chunked(b"a" * 600, b"b" * 600, b"c" * 600)
    result = call(make(), {}, Connection(base_url=loopback.url, max_bytes=1_000))
    assert (result.data, result.truncated) == ("a" * 600 + "b" * 400, True)
    exact = call(make(), {}, Connection(base_url=loopback.url, max_bytes=1_800))
    assert (len(exact.data), exact.truncated) == (1_800, False)


REDIRECTS = [
    (301, "get", "GET", True),
    (302, "post", "GET", False),
    (303, "put", "GET", False),
    (303, "head", "HEAD", False),
    (307, "post", "POST", True),
    (308, "put", "PUT", True),
]


@pytest.mark.parametrize(("status", "method", "then", "keeps"), REDIRECTS)
def test_redirects_within_the_origin(
    call: Call, make: Any, declare_body: Any, loopback: Any, http: Any, status: int, method: str,
    then: str, *, keeps: bool,
) -> None:  # fmt: skip
    """Where the caller allows it, a redirect to the same origin is followed as RFC 9110 says."""

    def respond(raw: bytes) -> bytes:
        return (
            http(b"{}")
            if b" /new?x=1 " in raw
            else http(b"", f"{status} Moved", Location="../new?x=1#f")
        )

    loopback.respond = respond
    function = make("/a/b", method, body=declare_body())
    stays = call(function, {"body": 1}, Connection(base_url=loopback.url))
    assert (stays.status, stays.headers["location"]) == (status, "../new?x=1#f")
    assert len(loopback.requests) == 1
    follows = Connection(base_url=loopback.url, redirects="same-origin", headers={"X-A": "b"})
    assert call(function, {"body": 1}, follows).status == 200
    assert loopback.line == f"{then} /new?x=1 HTTP/1.1"
    assert loopback.head["x-a"] == ["b"]
    assert ("content-type" in loopback.head) is (keeps or method == "head")
    if keeps:
        assert loopback.body == b"1"


def test_redirects_end(call: Call, make: Any, loopback: Any, http: Any) -> None:
    """Five redirects are followed; the sixth is the result, and so is one that is no URL."""
    loopback.respond = lambda _: http(b"", "302 Found", Location="/again")
    connection = Connection(base_url=loopback.url, redirects="same-origin")
    assert call(make(), {}, connection).status == 302
    assert len(loopback.requests) == 6
    loopback.respond = lambda _: http(b"", "302 Found", Location="http://[")
    assert call(make(), {}, connection).status == 302


RETRIES = [
    ("get", "503 Busy", "0", 2),
    ("put", "429 Slow", "0", 2),
    ("delete", "502 Bad", "Wed, 21 Oct 2015 07:28:00 GMT", 2),
    ("post", "503 Busy", "0", 1),
    ("patch", "503 Busy", "0", 1),
    ("get", "500 Oops", "0", 1),
    ("get", "503 Busy", "", 1),
    ("get", "503 Busy", "soon", 1),
    ("get", "503 Busy", "3600", 1),
]


@pytest.mark.parametrize(("method", "status", "after", "requests"), RETRIES)
def test_retries(
    call: Call, make: Any, loopback: Any, http: Any, method: str, status: str, after: str,
    requests: int,
) -> None:  # fmt: skip
    """Only idempotent requests are sent again, when the server says when, and in time (rule X8)."""
    again = {"Retry_After": after} if after else {}

    def respond(_: bytes) -> bytes:
        return http(b"", status, **again) if len(loopback.requests) == 1 else http(b"{}")

    loopback.respond = respond
    result = call(make("/x", method), {}, Connection(base_url=loopback.url, retries=2))
    assert len(loopback.requests) == requests
    assert result.ok is (requests == 2)
    loopback.requests.clear()
    assert call(make("/x", method), {}, Connection(base_url=loopback.url)).ok is False
    assert len(loopback.requests) == 1


def test_hooks(call: Call, make: Any, loopback: Any) -> None:
    """A hook may change the request, or return another, and may change the result."""

    def sign(request: httpx.Request) -> None:
        request.headers["X-Signature"] = "signed"

    def elsewhere(request: httpx.Request) -> httpx.Request:
        return httpx.Request("PUT", f"{request.url}y?k=v", content=b"other")

    def note(result: Result) -> Result:
        return Result(status=result.status, data="noted")

    call(make(), {}, Connection(base_url=loopback.url, before=sign, after=lambda _: None))
    assert loopback.head["x-signature"] == ["signed"]
    result = call(make(), {}, Connection(base_url=loopback.url, before=elsewhere, after=note))
    assert (loopback.line, loopback.body) == ("PUT /xy?k=v HTTP/1.1", b"other")
    assert result.data == "noted"


def test_async_credentials_and_hooks(make: Any, loopback: Any) -> None:
    """What has to be awaited is awaited by the async twins, and refused by the others."""
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    function = make(security=((("key", ()),),), schemes=schemes)

    async def credential() -> str:
        await asyncio.sleep(0)
        return "s3"

    async def sign(request: httpx.Request) -> None:
        request.headers["X-Signature"] = "signed"

    connection = Connection(base_url=loopback.url, credentials={"key": credential}, before=sign)
    assert awaited(function, {}, connection).ok
    assert loopback.head["x-key"] == ["s3"]
    assert loopback.head["x-signature"] == ["signed"]
    with pytest.raises(UsageError, match="credential 'key' is async"):
        send.propagate(function, {}, connection)
    with pytest.raises(UsageError, match="before is async"):
        send.propagate(make(), {}, Connection(base_url=loopback.url, before=sign))


def echo(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"url": str(request.url)}, headers={"X-From": "client"})


def test_a_client_of_the_callers(make: Any) -> None:
    """A caller's client sends, with its own transport; the other way of calling says what is missing."""
    with httpx.Client(transport=httpx.MockTransport(echo)) as client:
        connection = Connection(base_url="https://h", client=client)
        result = send.execute(make("/x/{a}"), {"a": "%2e"[:1]}, connection)
        assert result.data == {"url": "https://h/x/%25"}
        assert result.headers["x-from"] == "client"
        with pytest.raises(UsageError, match="use execute"):
            awaited(make(), {}, connection)

    async def go() -> Result:
        async with httpx.AsyncClient(transport=httpx.MockTransport(echo)) as own:
            connection = Connection(base_url="https://h", async_client=own)
            with pytest.raises(UsageError, match="use aexecute"):
                send.propagate(make(), {}, connection)
            return await send.aexecute(make(), {}, connection)

    assert asyncio.run(go()).data == {"url": "https://h/x"}


def test_a_client_is_not_followed_and_its_answers_are_bounded(make: Any) -> None:
    """A caller's client follows no redirects, and reads no more than the connection says."""

    def respond(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/x"
        return httpx.Response(302, headers={"Location": "/y"}, text="a" * 100)

    transport = httpx.MockTransport(respond)
    with httpx.Client(transport=transport, follow_redirects=True) as client:
        connection = Connection(base_url="https://h", client=client, max_bytes=10)
        result = send.propagate(make(), {}, connection)
    assert (result.status, result.data, result.truncated) == (302, "a" * 10, True)


def test_nobody_answers(call: Call, make: Any, loopback: Any) -> None:
    """Where no server is, the error says so, and for which URL."""
    connection = Connection(base_url="http://127.0.0.1:1")
    with pytest.raises(TransportError, match=r"GET http://127\.0\.0\.1:1/x: could not connect"):
        call(make(), {}, connection)
    loopback.respond = lambda _: b"not http at all\r\n\r\n"
    with pytest.raises(TransportError, match="is not HTTP"):
        call(make(), {}, Connection(base_url=loopback.url))
    loopback.respond = lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"]
    with pytest.raises(TransportError, match="closed the connection, or its"):
        call(make(), {}, Connection(base_url=loopback.url))


def test_a_broken_encoding(call: Call, make: Any, loopback: Any, http: Any) -> None:
    """An answer that is not compressed as it says is an error, not half a result."""
    loopback.respond = lambda _: http(b"not gzip", Content_Encoding="gzip")
    with pytest.raises(TransportError, match="Content-Encoding"):
        call(make(), {}, Connection(base_url=loopback.url))


def test_a_silent_server(call: Call, make: Any, loopback: Any) -> None:
    """The read timeout ends the wait for a server that says nothing."""
    ended = threading.Event()

    def respond(_: bytes) -> bytes:
        ended.wait(60)
        return b""

    loopback.respond = respond
    connection = Connection(base_url=loopback.url, timeout={"read": 0.1})
    with pytest.raises(TransportError, match=r"sent nothing for 0\.1 s"):
        call(make(), {}, connection)
    ended.set()


def test_many_calls_share_the_sockets(
    make: Any, loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many calls are made at once, no more sockets are opened than the pool has, and all calls end."""
    monkeypatch.setattr(sockets, "KEPT_SECONDS", None)  # no socket is closed for its age
    connection = Connection(base_url=loopback.url, max_connections=60)

    async def all_at_once() -> list[Result]:
        calls = (send.apropagate(make(), {}, connection) for _ in range(250))
        return await asyncio.gather(*calls)

    assert [result.status for result in asyncio.run(all_at_once())] == [200] * 250
    assert loopback.connections <= 60


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", b"nonsense"]
)
def test_a_failed_call_gives_its_socket_back(
    call: Call, make: Any, loopback: Any, http: Any, answer: bytes
) -> None:
    """Calls that break off, at whatever point, leave room for the next."""
    connection = Connection(base_url=loopback.url, timeout=20, max_connections=2)
    loopback.respond = lambda _: [answer]
    for _ in range(3):
        with pytest.raises(TransportError):
            call(make(), {}, connection)
    loopback.respond = lambda _: http(b"[]")
    assert call(make(), {}, connection).data == []


def test_a_queue_ends_with_the_call(make: Any, loopback: Any) -> None:
    """A call that waits for a socket waits no longer than it may take in all."""
    arrived, ended = threading.Event(), threading.Event()

    def respond(_: bytes) -> list[bytes]:
        arrived.set()
        ended.wait(60)
        return []

    def fails(connection: Connection, seconds: float) -> str:
        call = send.call_through(make(), {}, connection, SyncIO(), seconds)
        with pytest.raises(TransportError) as caught:
            run_without_waiting(call)
        return str(caught.value)

    async def several(connection: Connection) -> list[Any]:
        calls = (send.apropagate(make(), {}, connection) for _ in range(3))
        return await asyncio.gather(*calls, return_exceptions=True)

    loopback.respond = respond
    connection = Connection(base_url=loopback.url, timeout=1, max_connections=1)
    first = threading.Thread(target=fails, args=[connection, 1])
    first.start()
    arrived.wait(60)
    assert "not finished within" in fails(
        connection, 0.1
    )  # it ends before the first, and so without a socket
    first.join()
    assert len(loopback.requests) == 1
    assert all(
        "not finished within 1 s" in str(error) for error in asyncio.run(several(connection))
    )
    ended.set()


SAME = 'Connection(redirects="same-origin") follows it'
ANY = 'Connection(redirects="any") follows it'


@pytest.mark.parametrize(
    ("status", "target", "where", "how"),
    [
        (307, "/pets/?token=canary#canary", "BASE/pets/", SAME),
        (301, "https://canary:canary@host.test/a//b@c", "https://host.test/a//b@c", "no setting"),
        (302, "https://host.test/a?signature=canary", "https://host.test/a", ANY),
        (302, "//host.test/a", "http://host.test/a", ANY),
        (302, "https:\\\\canary:canary@host", "", "no setting follows it"),
        (302, "/" + "a" * 10_000, "BASE/aaaa", SAME),
        (304, "/pets/", "", ""),
        (404, "/pets/", "", ""),
    ],
)
def test_a_redirect_says_where_to(
    call: Call, make: Any, loopback: Any, http: Any, status: int, target: str, where: str, how: str
) -> None:
    """X7: a redirect that is not followed says where it leads, without what may be secret, and what follows it."""
    loopback.respond = lambda _: http(b"", f"{status} Found", Location=target)
    result = call(make(), {}, Connection(base_url=loopback.url))
    text = "".join(note.text for note in result.notes)
    assert ("the redirect to " + where.replace("BASE", loopback.url) in text) is bool(how)
    assert how in text
    assert "canary" not in result.for_model()
    assert len(text) < 320
    with pytest.raises(HTTPStatusError) as caught:
        send.execute(make(), {}, Connection(base_url=loopback.url))
    assert text in str(caught.value)
    assert "canary" not in str(caught.value)
