"""A server that gets SIGTERM finishes the calls in flight, over HTTP and stdio."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.mcp.http_support import message, post, versions
from tests.mcp.server_support import DOCUMENT, ERAS, served
from tests.mcp.test_serve_command import environment

OPENING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}


class SlowApi:
    """An API that answers a call when a test lets it."""

    def __init__(self) -> None:
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self.app = Starlette(routes=[Route("/v1/pets/{id}", self.answer)])

    async def answer(self, _: Request) -> Response:
        self.begun.set()
        await asyncio.to_thread(self.goes_on.wait, 30)
        return JSONResponse({"name": "Rex"})


@contextmanager
def process(api: str, folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command over the slow API."""
    file = folder / "pets.json"
    file.write_text(json.dumps(DOCUMENT))
    command = [sys.executable, "-m", "specfn", "serve", str(file), "--base-url", f"{api}/v1"]
    with subprocess.Popen(
        [*command, "--auth", "bearer=x", *arguments],
        env=environment(),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        try:
            yield running
        finally:
            running.kill()


@pytest.mark.parametrize("era", ERAS)
def test_a_call_over_http_is_finished(era: str, tmp_path: Path) -> None:
    """The response to a call in flight is complete, a stream that only listens does not hold the end, and the exit code is 0."""
    api = SlowApi()
    with (
        served(api.app) as origin,
        process(origin, tmp_path, "--http", "127.0.0.1:0", "--sessions") as running,
    ):
        assert running.stderr is not None
        url = re.search(r"http://\S+(?=/mcp)", running.stderr.readline())
        assert url is not None
        session = post(url[0], OPENING).headers["mcp-session-id"]
        headers = {**versions(era), **({"Mcp-Session-Id": session} if era == "legacy" else {})}
        answers: list[str] = []
        waiting = threading.Thread(
            target=lambda: answers.append(post(url[0], message(era), **headers).text)
        )
        listens = {**versions("legacy"), "Mcp-Session-Id": session, "Accept": "text/event-stream"}
        with httpx.stream("GET", f"{url[0]}/mcp", headers=listens, timeout=30):
            waiting.start()
            assert api.begun.wait(20)
            running.send_signal(signal.SIGTERM)
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(1)
            api.goes_on.set()
            waiting.join(20)
            assert running.wait(8) == 0
    assert "Rex" in answers[0]


def test_a_call_over_stdio_is_finished(tmp_path: Path) -> None:
    """The response to a call in flight is written before the process ends."""
    api = SlowApi()
    with served(api.app) as origin, process(origin, tmp_path) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        for sent in (OPENING, ready, message("legacy")):
            running.stdin.write(json.dumps(sent) + "\n")
        running.stdin.flush()
        assert api.begun.wait(20)
        running.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1)
        api.goes_on.set()
        assert running.wait(20) == 0
        replies: list[Any] = [json.loads(line) for line in running.stdout.read().splitlines()]
    (answer,) = [reply for reply in replies if reply.get("id") == 1]
    assert "Rex" in str(answer["result"])
