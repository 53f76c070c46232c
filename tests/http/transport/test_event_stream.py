"""X15: streams of events over a real connection, read as a whole or iterated over, blocking and awaiting alike."""

import asyncio
import gc
import gzip
import itertools
import threading
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest

import specfn
from specfn import Connection, Result
from specfn.errors import (
    ArgumentError,
    HTTPStatusError,
    LimitError,
    ResponseError,
    SpecfnError,
    TransportError,
)
from specfn.records import ArgumentProblem

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
OPEN = HEAD + b"\r\n"


def event(number: int) -> bytes:
    return b'data: {"n":%d}\n\n' % number


class Endless:
    """A response without an end, and whether the client closed it."""

    def __init__(self, head: bytes = OPEN, piece: Callable[[int], bytes] = event) -> None:
        self.closed = threading.Event()
        self._head, self._piece = head, piece

    def __call__(self, _: bytes) -> Iterator[bytes]:
        try:
            yield self._head
            yield from map(self._piece, itertools.count())
        finally:
            self.closed.set()


class Stalling:
    """A response that sends some bytes and then nothing until the test ends."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self.ended = threading.Event()

    def __call__(self, _: bytes) -> Iterator[bytes]:
        yield from self._pieces
        self.ended.wait(20)


@pytest.fixture
def stalling(loopback: Any) -> Iterator[Callable[..., None]]:
    made: list[Stalling] = []

    def set_response(*pieces: bytes) -> None:
        made.append(Stalling(*pieces))
        loopback.respond = made[-1]

    yield set_response
    for each in made:
        each.ended.set()


def blocking(function: Any, connection: Connection) -> Result:
    return specfn.execute(function, {}, connection)


def awaiting(function: Any, connection: Connection) -> Result:
    return asyncio.run(specfn.aexecute(function, {}, connection))


Iterated = tuple[list[Any], SpecfnError | None]


def iterated(function: Any, connection: Connection) -> Iterated:
    found: list[Any] = []
    try:
        for each in specfn.execute(function, {}, connection, stream=True):
            found.append(each.data)  # noqa: PERF401  # events before an error count
    except (TransportError, LimitError) as error:
        return found, error
    return found, None


def aiterated(function: Any, connection: Connection) -> Iterated:
    found: list[Any] = []

    async def run() -> SpecfnError | None:
        try:
            async for each in await specfn.aexecute(function, {}, connection, stream=True):
                found.append(each.data)  # noqa: PERF401  # likewise
        except (TransportError, LimitError) as error:
            return error
        return None

    return found, asyncio.run(run())


@pytest.fixture(params=[(blocking, iterated), (awaiting, aiterated)], ids=["sync", "async"])
def ways(request: Any) -> Any:
    """Return the ways to read a stream."""
    return request.param


@pytest.fixture
def whole(ways: Any) -> Callable[..., Result]:
    """Read a stream as one result."""
    return ways[0]


@pytest.fixture
def iterate(ways: Any) -> Callable[..., Iterated]:
    """Iterate over a stream; return the data of its events, and the error at its end."""
    return ways[1]


def data_of(result: Result) -> list[Any]:
    return [each["data"] for each in result.data]


def note_of(result: Result) -> str:
    return " ".join(note.text for note in result.notes)


CONTENT = b'id: 1\nevent: add\ndata: {"n":0}\n\n: ping\n\ndata: text\n\n'
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
PIECES = [CONTENT[at : at + 5] for at in range(0, len(CONTENT), 5)]


def flushed(pieces: list[bytes]) -> Iterator[bytes]:
    """Compress pieces as servers do, so that each can be read when it arrives."""
    compressor = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()


@pytest.mark.parametrize(
    "response",
    [
        [HEAD + b"Content-Length: %d\r\n\r\n" % len(CONTENT), CONTENT],
        [OPEN, *PIECES],
        [HEAD + CHUNKED, *(b"%x\r\n%s\r\n" % (len(each), each) for each in PIECES), b"0\r\n\r\n"],
        [HEAD + b"Content-Encoding: gzip\r\n\r\n", *flushed(PIECES)],
        [HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(CONTENT)],
    ],
    ids=["length", "until the end", "chunked", "compressed", "compressed as a whole"],
)
def test_all_events_of_a_response(
    whole: Any, iterate: Any, make: Any, loopback: Any, response: list[bytes]
) -> None:
    """X15: however a response is framed and compressed, its events are the same, as a list and one by one."""
    loopback.respond = lambda _: iter(response)
    connection = Connection(base_url=loopback.url)
    result = whole(make(), connection)
    first = {"event": "add", "id": "1", "data": {"n": 0}}
    assert result.data == [first, {"id": "1", "data": "text"}]
    assert (result.truncated, result.notes) == (False, ())
    assert iterate(make(), connection) == ([{"n": 0}, "text"], None)


def _answer(content: bytes, _: bytes) -> bytes:
    return content


def test_json_lines_are_items(
    whole: Any, iterate: Any, make: Any, loopback: Any, http: Any
) -> None:
    """X15: JSON Lines and JSON text sequences are lists of their values."""
    connection = Connection(base_url=loopback.url)
    for media_type, content in (
        ("application/x-ndjson; charset=utf-8", b'{"n":0}\n1\n'),
        ("Application/JSONL", b'{"n":0}\n1'),
        ("application/json-seq", b'\x1e{"n":\n0}\n\x1e1\n'),
    ):
        loopback.respond = partial(_answer, http(content, media_type=media_type))
        assert whole(make(), connection).data == [{"n": 0}, 1]
        assert iterate(make(), connection) == ([{"n": 0}, 1], None)


def test_a_declared_stream_without_its_media_type(
    whole: Any, iterate: Any, make: Any, declare_answer: Any, loopback: Any, stalling: Any
) -> None:
    """X15: a declared stream is requested without compression, and read event by event under another media type."""
    watch = declare_answer("application/json")._replace(description="OK. (streaming responses)")
    head = b"HTTP/1.1 200 OK\r\n%s\r\n"
    for success, media_type, content, events in (
        (watch, b"Content-Type: application/json\r\n", b'{"n":0}\n', [{"n": 0}]),
        (declare_answer("text/event-stream"), b"", event(0), [{"data": {"n": 0}}]),
        (
            declare_answer("application/jsonl"),
            b"Content-Type: text/plain\r\n",
            b"1\n[2]\n",
            [1, [2]],
        ),
    ):
        stalling(head % media_type, content)
        connection = Connection(base_url=loopback.url, timeout={"total": 0.3})
        result = whole(make(success=success), connection)
        assert (result.data, result.truncated) == (events, True)
        assert "not finished within 0.3 s" in note_of(result)
        assert loopback.head["accept-encoding"] == ["identity"]
        found, error = iterate(make(success=success), connection)
        assert (len(found), isinstance(error, TransportError)) == (len(events), True)


@pytest.mark.parametrize("timeout", [{"read": 0.2}, {"total": 0.3}])
@pytest.mark.parametrize(
    ("media_type", "content", "data"),
    [
        ("application/json", b'{"a":[1,', '{"a":[1,'),
        ("application/json", b'{"a":1}\n{"a":2}\n{"a', [{"a": 1}, {"a": 2}]),
        ("text/html", b"<p>", "<p>"),
        ("image/png", b"", None),
    ],
)
def test_what_arrived_before_a_time_limit(
    whole: Any, make: Any, loopback: Any, stalling: Any, *,
    timeout: Any, media_type: str, content: bytes, data: Any,
) -> None:  # fmt: skip
    """X9: a response that began has its status, its headers and what arrived, with the reason of its end."""
    stalling(
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nX-A: b\r\nContent-Type: %s\r\n\r\n"
        % media_type.encode(),
        content,
    )
    result = whole(make(), Connection(base_url=loopback.url, timeout=timeout))
    assert (result.status, result.headers["x-a"], result.media_type) == (200, "b", media_type)
    assert (result.data, result.truncated) == (data, True)
    assert f"stopped after {len(content)} bytes: " in result.notes[-1].text


@pytest.mark.parametrize(
    ("limits", "count", "reason"),
    [
        ({"max_events": 3}, 3, "after 3 events: max_events is reached"),
        ({"max_bytes": 50}, 3, "after 3 events: the limit of 50 bytes is reached"),
        ({"max_events": 1}, 1, "after 1 event: max_events is reached"),
    ],
)
def test_an_endless_stream_ends_within_its_limits(
    whole: Any, iterate: Any, make: Any, loopback: Any, limits: Any, count: int, reason: str
) -> None:
    """X15: the events before a limit are returned with the reason, and an iteration raises after them."""
    loopback.respond = endless = Endless()
    connection = Connection(base_url=loopback.url, **limits)
    result = whole(make(), connection)
    assert data_of(result) == [{"n": number} for number in range(count)]
    assert (result.status, result.truncated) == (200, True)
    assert reason in note_of(result)
    assert reason in result.for_model()
    assert endless.closed.wait(20)
    found, error = iterate(make(), connection)
    assert found == [{"n": number} for number in range(count)]
    assert isinstance(error, LimitError)
    assert reason in str(error)


@pytest.mark.parametrize(
    ("timeout", "reason"),
    [
        ({"read": 0.2}, "the server sent nothing for 0.2 s"),
        ({"total": 0.3}, "not finished within 0.3 s"),
    ],
)
@pytest.mark.parametrize("count", [0, 2])
def test_a_stream_that_stalls_ends_by_time(
    whole: Any,
    iterate: Any,
    make: Any,
    loopback: Any,
    stalling: Any,
    *,
    timeout: Any,
    reason: str,
    count: int,
) -> None:
    """X15: the events before a silence are returned with the reason, and an iteration raises after them."""
    expected = [{"n": number} for number in range(count)]
    stalling(OPEN, *map(event, range(count)), b"data: incomplete\n")
    connection = Connection(base_url=loopback.url, timeout=timeout)
    result = whole(make(), connection)
    assert (data_of(result), result.truncated) == (expected, True)
    assert reason in note_of(result)
    found, error = iterate(make(), connection)
    assert found == expected
    assert isinstance(error, TransportError)
    assert reason in str(error)


def test_a_slow_stream_ends_by_the_time_of_the_call(
    whole: Any, iterate: Any, make: Any, loopback: Any
) -> None:
    """X15: a server that never pauses long enough for one read still reaches the limit of the call."""
    loopback.respond = Endless(piece=lambda _: b": ping\n\n")
    connection = Connection(base_url=loopback.url, timeout=0.3, max_bytes=10**12, max_events=10**9)
    assert "not finished within 0.3 s" in note_of(whole(make(), connection))
    found, error = iterate(make(), connection)
    assert (found, isinstance(error, TransportError)) == ([], True)


BROKEN = gzip.compress(event(0) * 100)


@pytest.mark.parametrize(
    ("response", "count", "reason"),
    [
        ([HEAD + b"Content-Length: 1000\r\n\r\n", event(0)], 1, "the server closed the connection"),
        ([HEAD + CHUNKED, b"5\r\ndata:\r\nxx\r\n"], 0, "its response is not HTTP"),
        ([HEAD + b"Content-Encoding: gzip\r\n\r\n", BROKEN[:-8]], 100, "Content-Encoding"),
        ([HEAD + b"Content-Encoding: gzip\r\n\r\n", event(0)], 0, "Content-Encoding"),
        ([HEAD + b"Content-Encoding: br\r\n\r\n", event(0)], 0, "was not requested"),
    ],
)
def test_a_broken_stream(
    whole: Any,
    iterate: Any,
    make: Any,
    loopback: Any,
    *,
    response: list[bytes],
    count: int,
    reason: str,
) -> None:
    """X15: the events before a fault of the connection are returned with the reason, or precede the error."""
    loopback.respond = lambda _: iter(response)
    connection = Connection(base_url=loopback.url)
    result = whole(make(), connection)
    assert (data_of(result), result.truncated) == ([{"n": 0}] * count, True)
    assert reason in note_of(result)
    found, error = iterate(make(), connection)
    assert found == [{"n": 0}] * count
    assert isinstance(error, TransportError)
    assert reason in str(error)


@pytest.mark.parametrize("line", [b"\n", b": ping\n", b"\r", b"retry: 0\n", b"data\n"])
def test_lines_without_events_are_limited(
    whole: Any, make: Any, loopback: Any, line: bytes
) -> None:
    """X15, T24: a compressed flood of lines without an event is not read to its end."""
    flood = gzip.compress(line * 1_000_000, 1)
    loopback.respond = lambda _: iter([HEAD + b"Content-Encoding: gzip\r\n\r\n", flood])
    result = whole(make(), Connection(base_url=loopback.url, max_events=10))
    assert (result.data, result.truncated) == ([], True)
    assert "too many lines without an event" in note_of(result)


# -- the end of an iteration ---------------------------------------------------------------------------


def _fail() -> None:
    raise ZeroDivisionError


def _stopped(function: Any, connection: Connection) -> None:
    for each in specfn.execute(function, {}, connection, stream=True):
        assert each.data == {"n": 0}
        break


def _closed(function: Any, connection: Connection) -> None:
    stream = specfn.execute(function, {}, connection, stream=True)
    next(stream)
    stream.close()
    stream.close()
    assert list(stream) == []


def _with_block(function: Any, connection: Connection) -> None:
    with specfn.execute(function, {}, connection, stream=True) as stream:
        assert (stream.status, stream.media_type) == (200, "text/event-stream")


def _raised(function: Any, connection: Connection) -> None:
    try:
        for _ in specfn.execute(function, {}, connection, stream=True):
            _fail()
    except ZeroDivisionError:
        pass


def _never_read(function: Any, connection: Connection) -> None:
    specfn.execute(function, {}, connection, stream=True)


async def _astopped(function: Any, connection: Connection) -> None:
    async for each in await specfn.aexecute(function, {}, connection, stream=True):
        assert each.data == {"n": 0}
        break


async def _aclosed(function: Any, connection: Connection) -> None:
    stream = await specfn.aexecute(function, {}, connection, stream=True)
    await anext(stream)
    await stream.aclose()
    await stream.aclose()
    assert [each async for each in stream] == []


async def _awith_block(function: Any, connection: Connection) -> None:
    async with await specfn.aexecute(function, {}, connection, stream=True) as stream:
        assert (stream.status, stream.media_type) == (200, "text/event-stream")


async def _araised(function: Any, connection: Connection) -> None:
    async with await specfn.aexecute(function, {}, connection, stream=True) as stream:
        try:
            async for _ in stream:
                _fail()
        except ZeroDivisionError:
            pass


async def _anever_read(function: Any, connection: Connection) -> None:
    await specfn.aexecute(function, {}, connection, stream=True)


async def _acancelled(function: Any, connection: Connection) -> None:
    async def read() -> None:
        async for _ in await specfn.aexecute(function, {}, connection, stream=True):
            await asyncio.sleep(0)

    task = asyncio.ensure_future(read())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.usefixtures("frozen_heap")
@pytest.mark.parametrize("end", [_stopped, _closed, _with_block, _raised, _never_read])
def test_a_stream_is_closed_when_its_consumer_stops(make: Any, loopback: Any, end: Any) -> None:
    """X15: the connection is closed when a consumer stops early or raises, and its place in the pool is free."""
    loopback.respond = endless = Endless()
    connection = Connection(base_url=loopback.url, max_connections=1, timeout=10)
    end(make(), connection)
    gc.collect()
    assert endless.closed.wait(20)
    loopback.respond = lambda _: iter([OPEN, event(7)])
    assert iterated(make(), connection) == ([{"n": 7}], None)


@pytest.mark.usefixtures("frozen_heap")
@pytest.mark.parametrize(
    "end", [_astopped, _aclosed, _awith_block, _araised, _anever_read, _acancelled]
)
def test_an_asynchronous_stream_is_closed_when_its_consumer_stops(
    make: Any, loopback: Any, end: Any
) -> None:
    """X15: the same for asynchronous consumers, also if the task is cancelled or the stream is dropped."""
    loopback.respond = endless = Endless()
    connection = Connection(base_url=loopback.url, max_connections=1, timeout=10)

    async def run() -> list[Any]:
        await end(make(), connection)
        gc.collect()
        loopback.respond = lambda _: iter([OPEN, event(7)])
        stream = await specfn.aexecute(make(), {}, connection, stream=True)
        return [each.data async for each in stream]

    assert asyncio.run(run()) == [{"n": 7}]
    assert endless.closed.wait(20)


def test_events_arrive_before_the_end_of_the_response(make: Any, loopback: Any) -> None:
    """X15: an iteration delivers an event while the server still holds the response open."""
    received = threading.Event()
    order: list[str] = []

    def respond(_: bytes) -> Iterator[bytes]:
        yield OPEN + event(0)
        order.append("sent" if received.wait(20) else "not received")
        yield event(1)

    loopback.respond = respond
    for each in specfn.execute(make(), {}, Connection(base_url=loopback.url), stream=True):
        order.append(f"received {each.data['n']}")
        received.set()
    assert order == ["received 0", "sent", "received 1"]


# -- other responses, and the settings of a call -------------------------------------------------------


def test_only_a_stream_of_events_is_iterated_over(make: Any, loopback: Any, http: Any) -> None:
    """X15: another response is an error that has it; a status outside of 2xx is one as without ``stream``."""
    connection = Connection(base_url=loopback.url)

    def both() -> Iterator[Callable[[], Any]]:
        yield lambda: specfn.execute(make(), {}, connection, stream=True)
        yield lambda: asyncio.run(specfn.aexecute(make(), {}, connection, stream=True))

    for call in both():
        loopback.respond = lambda _: http(b'{"a":1}')
        with pytest.raises(ResponseError, match="expected a stream of events") as caught:
            call()
        assert caught.value.result.data == {"a": 1}
        loopback.respond = lambda _: http(b"data: a\n\n", "404 Not Found", "text/event-stream")
        with pytest.raises(HTTPStatusError) as refused:
            call()
        assert refused.value.result.data == "data: a\n\n"
        loopback.respond = lambda _: http(b"", "204 No Content", "")
        assert call().status == 204
    assert list(specfn.execute(make(), {}, connection, stream=True)) == []
    assert aiterated(make(), connection) == ([], None)


def test_nothing_is_sent_for_invalid_arguments(make: Any, loopback: Any) -> None:
    """X15: arguments are validated before a stream is opened."""
    function = make(found=(ArgumentProblem(path="$input.a", expected="string"),))
    with pytest.raises(ArgumentError):
        specfn.execute(function, {}, Connection(base_url=loopback.url), stream=True)
    with pytest.raises(TypeError, match="steam"):
        specfn.execute(function, {}, Connection(base_url=loopback.url), steam=True)  # type: ignore[call-overload]
    assert loopback.connections == 0


@pytest.mark.parametrize(
    ("declared", "accepted"),
    [
        (["application/json", "text/event-stream"], "text/event-stream"),
        (["application/json"], "application/json, text/event-stream"),
        (["application/x-ndjson", "text/plain"], "application/x-ndjson"),
        ([], "text/event-stream"),
    ],
)
def test_a_stream_is_requested(
    make: Any, declare_answer: Any, loopback: Any, declared: list[str], accepted: str
) -> None:
    """X15: ``Accept`` has the declared streams of events; without one, server-sent events are added."""
    loopback.respond = lambda _: iter([OPEN, event(0)])
    function = make(success=declare_answer(*declared))
    list(specfn.execute(function, {}, Connection(base_url=loopback.url), stream=True))
    assert loopback.head["accept"] == [accepted]


def test_hooks_redirects_and_retries(make: Any, loopback: Any, http: Any) -> None:
    """X15: a stream is opened through the same hooks, redirects and retries as any call."""
    answers = iter(
        [
            http(b"", "503 Busy", Retry_After="0"),
            http(b"", "307 Moved", Location="/other"),
            [OPEN, event(0)],
        ]
    )
    loopback.respond = lambda _: next(answers)
    seen: list[Any] = []
    connection = Connection(
        base_url=loopback.url,
        retries=1,
        redirects="same-origin",
        validate_response="raise",
        before=lambda request: seen.append(request.url.path),
        after=lambda result: seen.append((result.status, result.data, result.truncated)),
    )
    assert iterated(make(), connection) == ([{"n": 0}], None)
    assert seen == ["/x", "/x", "/other", (200, None, True)]


@pytest.mark.usefixtures("frozen_heap")
def test_a_hook_that_fails_closes_the_stream(make: Any, loopback: Any) -> None:
    """X15: if ``after`` raises, the response is closed and the error reaches the caller."""

    def after(_: Result) -> None:
        raise ZeroDivisionError

    connection = Connection(base_url=loopback.url, after=after)
    for call in (iterated, aiterated):
        loopback.respond = endless = Endless()
        with pytest.raises(ZeroDivisionError):
            call(make(), connection)
        gc.collect()
        assert endless.closed.wait(20)


def test_a_client_of_the_caller(make: Any, loopback: Any) -> None:
    """X15: streams pass through an httpx client of the caller, within the same limits."""
    loopback.respond = Endless()
    with httpx.Client() as client:
        connection = Connection(base_url=loopback.url, client=client, max_events=2)
        assert len(blocking(make(), connection).data) == 2
        found, error = iterated(make(), connection)
    assert (len(found), isinstance(error, LimitError)) == (2, True)

    async def run() -> list[Any]:
        async with httpx.AsyncClient() as aclient:
            connection = Connection(base_url=loopback.url, async_client=aclient, max_events=2)
            stream = await specfn.aexecute(make(), {}, connection, stream=True)
            return [await anext(stream), await anext(stream)]

    assert [each.data for each in asyncio.run(run())] == [{"n": 0}, {"n": 1}]
