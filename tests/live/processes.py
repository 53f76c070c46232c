"""Servers of other people, started on this machine and stopped again."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx

#: How long a server may take until it answers; the migrations of Label Studio take a minute on a busy machine.
_START_SECONDS = 180.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


@contextlib.contextmanager
def running(
    command: Sequence[str | Path],
    url: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a server while the block runs.

    Args:
        command: how it is started; it must stay in the foreground.
        url: answers, whatever it answers, as soon as the server is ready.
        folder: where it runs, and writes ``server.log``.
        environment: variables besides our own.
    """
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait(process, url, log)
        yield
    finally:
        _stop(process)


def _wait(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    with httpx.Client(trust_env=False) as client:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                client.get(url)
                return
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError(
                    f"the server did not start:\n{log.read_text(errors='replace')}"
                )
            time.sleep(0.05)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the server and what it started: they are a process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
