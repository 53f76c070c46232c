"""Servers that close an idle connection after some seconds, called again at about that time (rule X8)."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

import httpx
import pytest
from tests.http.conftest import operation

import specfn
from specfn import Connection
from specfn.errors import TransportError

ROOT: Final = Path(__file__).parent.parent.parent

METHODS: Final = ("get", "put", "delete", "post")

#: How long before and after the server's time a connection is used again, in seconds.
ABOUT: Final = (-0.15, -0.06, -0.03, -0.01, -0.003, 0.0, 0.003, 0.01, 0.03)

#: How many connections do the same at once, and how often.
SOCKETS: Final = 10
ROUNDS: Final = 3

_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"


class Closing(asyncio.Protocol):
    """A server that closes a connection some seconds after its last response, as uvicorn does."""

    asked: ClassVar[Counter[str]] = Counter()
    seconds = 5.0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.timer: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        if self.timer is not None:
            self.timer.cancel()
        target = data.split(b" ", 2)[1].decode()
        body = b"{}"
        if target == "/asked":
            body = json.dumps(self.asked).encode()
        else:
            self.asked[target] += 1
        self.transport.write(_HEAD % (len(body), body))
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self.seconds, self.transport.close)


async def _main(seconds: float) -> None:
    Closing.seconds = seconds
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(Closing, "127.0.0.1", 0, backlog=1_000)
    print(listening.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # to who started it
    await listening.serve_forever()


@contextmanager
def closing_server(seconds: float) -> Iterator[str]:
    """Run the server, and give its URL."""
    command = [sys.executable, "-m", "tests.live.test_kept", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


async def _again_and_again(url: str, method: str, number: int, pause: float) -> list[Any]:
    """Call on one connection, with pauses; what each call ended in."""
    connection = Connection(base_url=url, timeout=60)
    ended: list[Any] = []
    for turn in range(1 + ROUNDS):
        function = operation("/{id}", method)
        try:
            await specfn.aexecute(function, {"id": f"{method}-{number}-{turn}"}, connection)
            ended.append(None)
        except TransportError as error:
            ended.append(error)
        await asyncio.sleep(pause if turn < ROUNDS else 0)
    return ended


async def _all(url: str, seconds: float) -> dict[str, list[Any]]:
    given = [
        (method, number * SOCKETS + socket, seconds + pause)
        for number, pause in enumerate(ABOUT)
        for socket in range(SOCKETS)
        for method in METHODS
    ]
    calls = (_again_and_again(url, *each) for each in given)
    found: dict[str, list[Any]] = {method: [] for method in METHODS}
    for (method, _, _), ended in zip(given, await asyncio.gather(*calls), strict=True):
        found[method] += ended
    return found


@pytest.mark.parametrize("seconds", [2.0, 4.9, 5.0])
def test_no_idempotent_call_is_lost(seconds: float) -> None:
    """Called at about the time at which the server closes: all is answered but a POST, which arrives once at most."""
    with closing_server(seconds) as url:
        found = asyncio.run(_all(url, seconds))
        asked = httpx.get(f"{url}/asked", trust_env=False).json()
    lost = {method: [each for each in ended if each] for method, ended in found.items()}
    print({method: f"{len(lost[method])} of {len(found[method])}" for method in METHODS})  # noqa: T201  # the figures
    assert {method: lost[method] for method in METHODS if method != "post"} == {
        "get": [], "put": [], "delete": [],
    }  # fmt: skip
    assert max(times for target, times in asked.items() if target.startswith("/post")) == 1
    if seconds > 4:
        assert lost["post"] == []


if __name__ == "__main__":
    asyncio.run(_main(float(sys.argv[1])))
