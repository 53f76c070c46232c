import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn._internal.json import dumps, dumps_indented
from specfn.cli import output
from specfn.cli.progress import Progress, ProgressState, line
from specfn.cli.terminal import indent_json, is_colored, paint_json, wrap

Command = Callable[..., Any]

#: Clears a screen, ends a line, renames a window, turns a text around, and hides one.
HOSTILE = "\x1b[2J\r\x9b31m\x1b]0;x\x07\x7f\u202e\u200b\U000e0041"


@given(st.text())
def test_texts_have_no_control_characters(text: str) -> None:
    """What is printed holds no control character but line ends and tabs, and nothing else is lost."""
    shown = output.printable(text)
    kinds = {unicodedata.category(character) for character in shown if character not in "\n\t"}
    assert not kinds & {"Cc", "Cs"}
    shown.encode()
    if text.isprintable():
        assert shown == text


@pytest.mark.parametrize("text", ["naïve – 日本語 ✓ 👩‍👩‍👧 שלום\u00a0x", "two\nlines\t"])
def test_ordinary_texts_stay(text: str) -> None:
    """Scripts, emoji and line ends are shown as they are."""
    assert output.printable(text) == text


@given(st.text())
def test_json_means_the_same_without_control_characters(text: str) -> None:
    """JSON is written without raw control characters and read as the same value."""
    written = output.json_printable(dumps({"value": text})).decode()
    assert json.loads(written) == {"value": text}
    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in written)


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "-"],
        ["inspect", "-", "--json"],
        ["tools", "-"],
        ["tools", "-", "--select", HOSTILE],
        ["show", "-", "GET /a"],
        ["show", "-", "GET /a", "--json"],
        ["show", "-", HOSTILE],
        ["show", "-", f"GET /{HOSTILE}"],
        ["tools", HOSTILE],
        [HOSTILE],
    ],
    ids=repr,
)
def test_nothing_hostile_reaches_the_terminal(specfn: Command, arguments: list[str]) -> None:
    """Names, enums, paths, descriptions and arguments never arrive raw on either stream."""
    enum = {"type": "string", "enum": [HOSTILE], "title": HOSTILE, "description": HOSTILE}
    operation = {
        "summary": HOSTILE,
        "operationId": HOSTILE,
        "tags": [HOSTILE],
        "parameters": [{"name": HOSTILE, "in": "query", "schema": enum}],
        "responses": {
            "200": {"content": {"application/json": {"schema": {"properties": {HOSTILE: enum}}}}}
        },
    }
    paths = {"/a": {"get": operation}, f"/{HOSTILE}": {"get": operation}}
    ended = specfn(*arguments, stdin=json.dumps({"openapi": "3.1.0", "paths": paths}).encode())
    for text in (ended.out, ended.err):
        assert not set(HOSTILE) - set("[2J31m]0;x") & set(text)


def test_an_encoding_that_lacks_a_letter_is_no_fault(
    specfn: Command, document: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal without a letter gets its escape."""
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    path = document({"/a": {"get": {"summary": "naïve"}}})
    assert specfn("show", path, "a_get").code == 0
    assert b"na\\xefve" in stdout.buffer.getvalue()  # type: ignore[attr-defined]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [_Terminal, io.StringIO])
def test_progress_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]
) -> None:
    """Long work is told on a terminal only, also without counts, and the line is taken away in the end."""
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("specfn.cli.progress._DELAY", 0)
    with Progress() as progress:
        progress.begin("comparing")
        while isinstance(stderr, _Terminal) and "comparing" not in stderr.getvalue():
            pass
    told = stderr.getvalue()
    assert told == "" if stream is io.StringIO else told.endswith("\r\x1b[K")


def test_only_the_outermost_work_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work within other work shows no line of its own, and the next work shows one again."""
    stderr = _Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("specfn.cli.progress._DELAY", 0)
    for outer, inner in (("comparing", "hidden"), ("searching", "hidden")):
        with Progress() as progress, Progress() as nested:
            nested.begin(inner)
            progress.begin(outer)
            while outer not in stderr.getvalue():
                pass
    assert "hidden" not in stderr.getvalue()


def test_progress_is_silent_for_short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is done at once is not told."""
    stderr = _Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("specfn.cli.progress._DELAY", 60)
    with Progress() as progress:
        progress.read(1, None)
    assert stderr.getvalue() == ""


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (
            ProgressState("reading", "MB", 0, 3_000_000, 12_000_000),
            "reading [#####...............] 3.0 of 12.0 MB, 1.5/s",
        ),
        (
            ProgressState("reading", "MB", 0, 3_000_000),
            "reading [...####.............] 3.0 MB, 1.5/s",
        ),
        (
            ProgressState("composing", "functions", 0, 1_200, 1_200),
            "composing [####################] 1,200 of 1,200 functions, 600/s",
        ),
        (ProgressState("comparing", "", 0), "comparing [...####.............] 2 s"),
    ],
)
def test_a_line_has_a_bar_and_a_rate(state: ProgressState, text: str) -> None:
    """A state with counts has a rate, and any other one the elapsed time; the bar is filled if the end is known."""
    told = line(state, 2.0, 80)
    assert re.sub(r"\.+####\.+", "...####.............", told) == text


@given(st.integers(0, 10**12), st.one_of(st.none(), st.integers(1, 10**12)), st.integers(1, 100))
def test_a_line_fits_into_the_terminal(done: int, whole: int | None, width: int) -> None:
    """Whatever the counts, the line has at most the columns of the terminal."""
    assert len(line(ProgressState("composing", "functions", 0, done, whole), 3.0, width)) <= width


@given(st.text(st.sampled_from("abcXY /_.-"), max_size=60), st.integers(10, 40))
def test_wrapping_keeps_every_word(text: str, width: int) -> None:
    """Lines hold the same characters in the same order, and a line ends between words only."""
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for before, after in pairwise(lines):
        left, right = before.rstrip()[-1:], after.strip()[:1]
        is_inside = left.isalpha() and right.isalpha() and left.islower() == right.islower()
        assert not is_inside or f"{left} " in text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_colors_change_no_json(value: Any) -> None:
    """JSON with colors is the same text without them, and line breaks are those of indented JSON."""
    text = output.json_printable(dumps(value)).decode()
    assert indent_json(text) == output.json_printable(dumps_indented(value)).decode()
    assert re.sub(r"\x1b\[[0-9;]*m", "", paint_json(text)) == text


@pytest.mark.parametrize(
    ("environment", "colors"),
    [
        ({}, 1),
        ({"NO_COLOR": "1"}, 0),
        ({"NO_COLOR": ""}, 1),
        ({"TERM": "dumb"}, 0),
    ],
)
def test_colors_are_for_terminals(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], colors: int
) -> None:
    """A terminal has colors, unless NO_COLOR has a value or the terminal has none; a pipe has none."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_colored(_Terminal()) == colors
    assert not is_colored(io.StringIO())
