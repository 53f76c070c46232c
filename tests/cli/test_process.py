import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specfn import __version__

Process = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def large(document: Callable[..., Path]) -> Path:
    """A document whose functions do not fit into a pipe."""
    text = "long " * 200
    return document({f"/{'a' * 50}{index}": {"get": {"summary": text}} for index in range(700)})


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["tools"], ["inspect"], ["inspect", "--json"]])
def test_a_reader_who_leaves_is_no_drama(
    process: Process, large: Path, command: list[str], unbuffered: str
) -> None:
    """When the reader of a pipe has enough, the command ends quietly, and with 0 like other tools."""
    surroundings = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    running = process(command[0], large, *command[1:], env=surroundings)
    assert running.stdout is not None
    running.stdout.read(5)
    running.stdout.close()
    assert running.stderr is not None
    err = running.stderr.read()
    running.stderr.close()
    assert (running.wait(10), err) == (0, "")


def test_a_full_disk_is_told(process: Process, large: Path) -> None:
    """What could not be written is a fault in one line."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("w") as full:
        running = process("tools", large, stdout=full)
        _, err = running.communicate(timeout=120)
    assert running.returncode == 1
    assert err == "specfn: the output could not be written: No space left on device\n"


@pytest.mark.parametrize("command", [["tools"], ["inspect"], ["inspect", "--json"]])
def test_closed_streams_are_told(document: Callable[..., Path], command: list[str]) -> None:
    """Without stdout there is nowhere to write to, which is wrong use; without stdin likewise."""
    specfn, path = f'"{sys.executable}" -m specfn', document({"/a": {"get": {}}})
    for line, code in (
        (f'{specfn} {command[0]} "{path}" {" ".join(command[1:])} >&-', 2),
        (f"{specfn} {command[0]} - {' '.join(command[1:])} <&-", 2),
        (f'{specfn} {command[0]} "{path}" 2>&- >&-', 2),
    ):
        ended = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        assert ended.returncode == code
        assert ended.stderr.count("\n") <= 1


def test_the_demo_needs_somewhere_to_write_to() -> None:
    """Without stdout the demo is wrong use, said in one line, and nothing is started."""
    line = f'"{sys.executable}" -m specfn demo >&-'
    ended = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "specfn: stdout is closed; redirect it to a file\n"


def test_an_interrupt_is_130(process: Process) -> None:
    """Ctrl-C ends the command with 130 and no traceback."""
    running = process("tools", "-", stdin=subprocess.PIPE, preexec_fn=_interruptible)
    assert running.stdin is not None
    running.stdin.write(" " * 1_000_000)  # more than a pipe holds: now it waits for the rest
    while running.poll() is None:
        running.send_signal(signal.SIGINT)  # impatiently, as people do
        time.sleep(0.05)
    assert running.returncode == 130
    assert running.stderr is not None
    assert running.stderr.read().strip() in {"specfn: interrupted", ""}
    for stream in (running.stdin, running.stdout, running.stderr):
        assert stream is not None
        stream.close()


_INTERRUPTED_IMPORT = """
import os, signal, sys
from specfn.cli.main import run

class Finder:
    is_native = False

    def find_spec(self, name, *_):
        if Finder.is_native:  # an import by the initialization of orjson
            os.kill(os.getpid(), signal.SIGINT)
        Finder.is_native = name == "orjson.orjson"

sys.meta_path.insert(0, Finder())
os._exit(run(["--version"]))
"""


def test_an_interrupt_during_the_import_of_orjson_is_130() -> None:
    """Ctrl-C right after the start is no crash: orjson fails if its initialization is interrupted."""
    ended = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_IMPORT],
        capture_output=True,
        check=False,
        preexec_fn=_interruptible,
    )
    assert (ended.returncode, ended.stdout) == (130, b"")


def _interruptible() -> None:
    """What a shell starts in the background ignores interrupts, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_python_dash_m_is_the_command(process: Process) -> None:
    """``python -m specfn`` is ``specfn``."""
    running = process("--version")
    out, err = running.communicate(timeout=120)
    assert (out, err, running.returncode) == (f"specfn {__version__}\n", "", 0)


def test_the_demo_plays(process: Process) -> None:
    """``specfn demo`` needs no network, ends with 0 and shows the stored product."""
    surroundings: dict[str, Any] = {
        **os.environ,
        "HTTP_PROXY": "http://127.0.0.1:9",
        "COLUMNS": "80",
    }
    running = process("demo", env=surroundings)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (0, "")
    assert "Desk lamp" in out.partition("The product is in the shop")[2]
