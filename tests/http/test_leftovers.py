"""What a server says beyond its answer is nobody's answer: the next call of the connection gets its own."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from specfn.http import send
from specfn.http.connection import Connection

STOLEN = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"id": 99}'
)


@pytest.fixture(params=["sync", "async", "client", "async client"])
def ask(request: Any, make: Any, loopback: Any) -> Iterator[Callable[[], list[Any]]]:
    """Four calls, one after another, of one connection."""
    ours = Connection(base_url=loopback.url)
    with asyncio.Runner() as runner, httpx.Client() as client:
        async_client = httpx.AsyncClient()

        async def awaited(connection: Connection) -> list[Any]:
            return [(await send.apropagate(make(), {}, connection)).data for _ in range(4)]

        def several() -> list[Any]:
            if request.param == "async":
                return runner.run(awaited(ours))
            if request.param == "async client":
                return runner.run(awaited(ours.model_copy(update={"async_client": async_client})))
            own = ours.model_copy(update={"client": client}) if request.param == "client" else ours
            return [send.propagate(make(), {}, own).data for _ in range(4)]

        yield several
        runner.run(async_client.aclose())


@pytest.mark.parametrize(
    "rest",
    [STOLEN, STOLEN * 3, STOLEN[:20], b"the rest of a body", b"\r\n\r\n", b"0\r\n\r\n", b"x" * 70_000],
    ids=["an answer", "answers", "half an answer", "text", "blank lines", "a chunk", "much"],
)  # fmt: skip
def test_each_call_gets_its_own_answer(
    ask: Callable[[], list[Any]], loopback: Any, http: Any, rest: bytes
) -> None:
    """A second answer, or the rest of a longer one, is neither given to the next call nor in its way."""

    def respond(_: bytes) -> bytes:
        count = len(loopback.requests)
        return http(b'{"id": %d}' % count) + (rest if count % 2 else b"")

    loopback.respond = respond
    assert ask() == [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]
    assert len(loopback.requests) == 4


def test_a_clean_connection_is_kept(ask: Callable[[], list[Any]], loopback: Any, http: Any) -> None:
    """An answer that ends where it says it does costs no connection."""
    loopback.respond = lambda _: http(b"{}")
    assert ask() == [{}] * 4
    assert loopback.connections == 1
