"""The command in a real terminal of three widths, with and without color, compared with golden files.

`SPECFN_WRITE_GOLDEN=1` writes the golden files anew. Read them before a commit.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

HOME: Final = Path(__file__).parent / "terminals"
WIDTHS: Final = (60, 80, 140)
CALL: Final = (
    """specfn call shop.yaml orders_get '{"query": {"limit": 5}}' --dry-run """
    "--base-url https://shop.example.com/v1 --auth bearer=secret"
)
CHAT: Final = "specfn chat shop.yaml Hi --model m --model-url https://llm.example.com"

#: The command lines of each golden file; every subcommand has one.
SHOWN: Final = {
    "help": ["specfn", "specfn tols", "specfn tools shop.yaml --profile gemni"],
    "inspect": ["specfn inspect shop.yaml", "specfn inspect faulty.yaml"],
    "ui": ["specfn ui --help", "specfn ui shop.yaml --auth key=value"],
    "tools": [
        "specfn tools shop.yaml --profile openai --select 'DELETE *'",
        "specfn tools shop.yaml --search 'delete address' --limit 1 -o /dev/null",
        "specfn tools missing.yaml",
    ],
    "show": ["specfn show shop.yaml orders_post"],
    "search": ["specfn search shop.yaml 'delete the address of an order'"],
    "diff": ["specfn diff old.yaml shop.yaml", "specfn diff shop.yaml shop.yaml"],
    "check": ["specfn check shop.yaml", "specfn check faulty.yaml"],
    "convert": ["specfn convert faulty.yaml --to 3.0"],
    "validate": [
        "specfn validate shop.yaml orders_post repaired.json",
        "specfn validate shop.yaml orders_post wrong.json",
    ],
    "check-calls": ["specfn check-calls shop.yaml calls.jsonl -j 1"],
    "call": [
        "specfn call shop.yaml orders_get",
        CALL,
    ],
    "chat": [CHAT],
    "serve": ["specfn serve shop.yaml"],
    "login": ["specfn login --help", "specfn login shop.yaml --base-url https://shop.example.com"],
    "logout": ["specfn logout --base-url https://shop.example.com --scheme none"],
    "demo": ["specfn demo"],
    "completion": ["specfn completion", "specfn completion bsh"],
}

#: What differs from run to run, with the text of the golden file.
CHANGING: Final = {
    r"127\.0\.0\.1:\d+": "127.0.0.1:PORT",
    r"\b\d+ ms": "N ms",
    r"[0-9a-f]{8}-[0-9a-f-]{27}": "UUID",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|\+00:00)": "TIME",
}


class Terminal:
    """A terminal of tmux with a server of its own."""

    def __init__(self, folder: Path, width: int, *, color: bool) -> None:
        (folder / "specfn").write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m specfn "$@"\n'
        )
        (folder / "specfn").chmod(0o755)
        self.socket = str(folder / "socket")
        self.environment = {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            **({} if color else {"NO_COLOR": "1"}),
        }
        self.size = ("-x", str(width), "-y", "50")

    def tmux(self, *arguments: str) -> str:
        """Run a command of tmux and return its output."""
        ended = subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, *arguments],
            env=self.environment,
            cwd=HOME / "documents",
            capture_output=True,
            text=True,
            check=True,
        )
        return ended.stdout

    def start(self, line: str) -> None:
        """Start a command line; the terminal stays open after its end."""
        waiting = f"{line}; tmux wait-for -S ended; sleep 600"
        self.tmux("new-session", "-d", *self.size, "sh", "-c", waiting)

    def wait(self) -> None:
        """Wait until the command line ended."""
        self.tmux("wait-for", "ended")

    def screen(self) -> str:
        """Return the visible text with its colors; an escape character is shown as ␛."""
        text = self.tmux("capture-pane", "-p", "-e", "-S", "-").replace("\x1b", "␛")
        text = text.replace("␛[49m", "")  # the background, which some versions of tmux repeat
        lines = [re.sub(r"\s+(␛\[[0-9;]*m)*$", r"", line) for line in text.split("\n")]
        return "\n".join(lines).strip("\n")

    def close(self) -> None:
        """End the server of this terminal."""
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """A list of terminals, which are closed in the end."""
    opened: list[Terminal] = []
    yield opened
    for each in opened:
        each.close()


def captured(terminals: list[Terminal], folder: Path, line: str, width: int, *, color: bool) -> str:
    """Return what a command line shows in a terminal."""
    place = folder / f"t{len(terminals)}"
    place.mkdir()
    terminal = Terminal(place, width, color=color)
    terminals.append(terminal)
    terminal.start(line)
    terminal.wait()
    shown = terminal.screen()
    for pattern, text in CHANGING.items():
        shown = re.sub(pattern, text, shown)
    return shown


def test_every_subcommand_has_a_golden_file() -> None:
    """Each subcommand is captured."""
    from specfn.cli.group import group  # noqa: PLC0415  # for this test

    assert set(SHOWN) == {"help", *group.list_commands(click.Context(group))}


@pytest.mark.parametrize("color", [1, 0], ids=["color", "plain"])
@pytest.mark.parametrize("name", SHOWN)
def test_the_terminal_shows_the_golden_file(
    terminals: list[Terminal], tmp_path: Path, name: str, color: int
) -> None:
    """A subcommand shows the golden text at 60, 80 and 140 columns; without color it has no escape sequence."""
    parts = []
    for width in WIDTHS:
        for line in SHOWN[name]:
            shown = captured(terminals, tmp_path, line, width, color=bool(color))
            parts.append(f"=== {width} columns: {line}\n\n{shown}\n")
    text = "\n".join(parts)
    assert color or "␛" not in text
    golden = HOME / f"{name}.{'color' if color else 'plain'}.txt"
    if os.environ.get("SPECFN_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def until(terminal: Terminal, text: str) -> str:
    """Return the screen as soon as it contains a text."""
    end = time.monotonic() + 60
    while text not in (shown := terminal.screen()):
        assert time.monotonic() < end, shown
        time.sleep(0.05)
    return shown


def test_stdin_of_a_terminal_is_announced(terminals: list[Terminal], tmp_path: Path) -> None:
    """A subcommand that waits for text from the terminal says so, and ends with Ctrl-D."""
    terminal = Terminal(tmp_path, 80, color=False)
    terminals.append(terminal)
    terminal.start("specfn validate shop.yaml orders_get")
    until(terminal, "reading from the terminal; end the text with Ctrl-D")
    terminal.tmux("send-keys", "{}", "Enter", "C-d")
    assert "The arguments are valid." in until(terminal, "valid")


def test_reading_shows_a_bar_with_a_rate(terminals: list[Terminal], tmp_path: Path) -> None:
    """While a document arrives, a bar shows the size and the rate; the result replaces it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    terminal = Terminal(tmp_path, 60, color=False)
    terminals.append(terminal)
    terminal.start(f"specfn check - < {pipe}")
    with pipe.open("w") as stream:
        stream.write('{"openapi": "3.1.0", "info": {"title": "A", "version": "1"},' + " " * 60_000)
        stream.flush()
        line = until(terminal, "specfn: reading [")
        assert re.search(r"specfn: reading \[[.#]+\] 0\.1 MB, [\d.]+/s", line)
        stream.write('"paths": {}}')
    terminal.wait()
    assert terminal.screen() == "0 functions can be sent (profile portable); nothing to do"


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("specfn conv", "specfn convert "),
        ("specfn show shop.yaml orders_po", "specfn show shop.yaml orders_post "),
        ("specfn tools sho", "specfn tools shop.yaml "),
        ("specfn tools shop.yaml --profile gemini-", "specfn tools shop.yaml --profile gemini-json-schema "),
        ("specfn tools shop.yaml --select orders_ship", "orders_shipping_addresses_eraseByOrderIdAndShippingAddressId"),
        ("specfn serve shop.yaml --read", "specfn serve shop.yaml --read-only "),
    ],
)  # fmt: skip
def test_bash_completes_words(
    terminals: list[Terminal], tmp_path: Path, typed: str, completed: str
) -> None:
    """In bash, the tab key completes subcommands, files, options, values and names of functions."""
    terminal = Terminal(tmp_path, 140, color=False)
    terminals.append(terminal)
    terminal.start("PS1='$ ' bash --norc --noprofile")
    terminal.tmux("send-keys", 'eval "$(specfn completion bash)"; clear; echo ready', "Enter")
    until(terminal, "ready\n$")
    terminal.tmux("send-keys", typed, "Tab")
    until(terminal, completed.strip())
