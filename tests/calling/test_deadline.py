"""The deadline of a conversation, against servers and models that take far longer."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.calling.models import Script, said, wished
from tests.calling.shop import APP

import specfn
from specfn import calling
from specfn.calling import run

#: Seconds of a conversation; each server here takes minutes, and each timeout of the connection is longer.
SHORT = 0.4
LIMIT = 15.0

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _drip(connection: socket.socket, beginning: bytes) -> None:
    connection.sendall(beginning)
    while True:
        connection.sendall(b"1")
        time.sleep(0.05)


#: What a server does with a connection, after it has read a request.
SLOW: dict[str, Callable[[socket.socket], None]] = {
    "no response": lambda _: time.sleep(60),
    "an endless header": lambda connection: _drip(connection, HEAD + b"X-Slow: "),
    "an endless body": lambda connection: _drip(
        connection, HEAD + b"Content-Length: 100000\r\n\r\n"
    ),
}


@contextmanager
def _server(act: Callable[[socket.socket], None]) -> Iterator[str]:
    """Return the URL of a server that acts so on each request."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=20)

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.recv(65536)
            act(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def _conversation(send: Any, url: str, **settings: Any) -> tuple[Any, float]:
    """Return the outcome of a conversation, and the seconds that it took."""
    connection = specfn.Connection(
        base_url=url, credentials={"bearer": "t"}, timeout={"total": 300, "read": 120}
    )
    begin = time.monotonic()
    outcome = run(
        APP,
        send,
        connector="openai",
        messages="x",
        connection=connection,
        config=calling.InvocationConfig(deadline=SHORT, approval="never"),
        **settings,
    )
    return outcome, time.monotonic() - begin


@pytest.mark.parametrize("slow", SLOW)
def test_a_synchronous_call_ends_with_the_deadline(slow: str) -> None:
    """The total time of a call is at most the time that is left, whatever the timeouts of the connection."""
    with _server(SLOW[slow]) as url:
        script = Script([wished(("c1", "products_get", {}), ("c2", "products_get", {})), said("x")])
        outcome, seconds = _conversation(script, url)
    assert seconds < LIMIT
    assert outcome.stopped == "deadline"
    assert len(script.requests) == 1
    first, second = outcome.calls
    assert (first.executed, second.executed) == (True, False)
    assert "Nothing was executed" in second.result


@pytest.mark.parametrize("reply", [said("late"), wished(("c1", "products_get", {}))])
@pytest.mark.parametrize("way", ["run", "arun"])
def test_a_send_that_blocks_ends_with_the_deadline_when_it_returns(reply: Any, way: str) -> None:
    """Whatever the late reply is, the conversation ends with ``deadline``, and nothing of it is executed."""

    def blocking(_: Any) -> Any:
        time.sleep(2 * SHORT)
        return reply

    settings: dict[str, Any] = {
        "connector": "openai",
        "messages": "x",
        "connection": specfn.Connection(base_url="http://127.0.0.1:9", credentials={"bearer": "t"}),
        "config": calling.InvocationConfig(deadline=SHORT),
    }
    outcome = (
        run(APP, blocking, **settings)
        if way == "run"
        else asyncio.run(calling.arun(APP, blocking, **settings))
    )
    assert outcome.stopped == "deadline"
    assert not any(call.executed for call in outcome.calls)
