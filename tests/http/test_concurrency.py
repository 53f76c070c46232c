"""Many calls at once: they share a bounded number of sockets, and memory follows the answers."""

import asyncio
import resource
from typing import Any

import specfn
from specfn import Connection, Result

CALLS = 1_000

#: As many sockets as one connection may hold.
SOCKETS = 100

BODY = b'"' + b"x" * 10_000 + b'"'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)  # fmt: skip


class Counting:
    """A server in the event loop of who calls, so that nothing else is measured.

    Attributes:
        answered: how many requests.
        most: how many connections were open at once.
    """

    def __init__(self) -> None:
        self.answered = 0
        self.most = 0
        self._open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        self.most = max(self.most, self._open)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(0.005)
                writer.write(ANSWER)
                self.answered += 1
        except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            pass  # the other side is gone, or the test is over
        finally:
            self._open -= 1
            writer.close()


async def at_once(function: Any, server: Counting, count: int) -> list[Result]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=CALLS)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    timeout = {"connect": 60, "read": 120, "total": 300}
    # The connection is closed first: from Python 3.12.1 on, a server waits for the ends of its connections.
    async with listening, Connection(base_url=url, timeout=timeout) as connection:
        calls = (specfn.apropagate(function, {}, connection) for _ in range(count))
        return await asyncio.gather(*calls)


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_a_thousand_calls_at_once(make: Any) -> None:
    """All finish, over no more sockets than a connection may hold, for what the calls and answers take."""
    asyncio.run(at_once(make(), Counting(), 10))
    before, server = megabytes(), Counting()
    results = asyncio.run(at_once(make(), server, CALLS))
    assert [result.data == "x" * 10_000 for result in results] == [True] * CALLS
    assert server.answered == CALLS
    assert server.most <= SOCKETS
    assert megabytes() - before < 100
