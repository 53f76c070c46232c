import io
import json
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn._internal.json import dumps
from specfn.cli import output
from specfn.cli.progress import Progress

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
    """Long work is told on a terminal only, and the line is taken away in the end."""
    stderr = stream()
    clock = iter(range(100))
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr("specfn.cli.progress.monotonic", lambda: next(clock))
    with Progress() as progress:
        progress.downloaded(3_000_000, 12_000_000)
        progress.composed(2, 9)
    told = stderr.getvalue()
    if stream is io.StringIO:
        assert told == ""
    else:
        assert "3.0 of 12.0 MB" in told
        assert "2 of 9 functions" in told
        assert told.endswith("\r\x1b[K")


def test_progress_is_silent_for_short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is done at once is not told."""
    stderr = _Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with Progress() as progress:
        progress.downloaded(1, None)
    assert stderr.getvalue() == ""
