import io
import json
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from specfn import load
from specfn.cli.main import run

Command = Callable[..., Any]

DOCUMENTS = sorted(
    path
    for path in (Path(__file__).parents[3] / "fixtures").iterdir()
    if path.suffix in {".json", ".yaml"} and "expected" not in path.name
)

BROKEN = {"/a": {"get": {"summary": "Fine"}}, "b": {"put": {}}, "/c": {"trace": {}}}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_counts_add_up(specfn: Command, path: Path) -> None:
    """Operations are functions and errors, and every other count is that of what is listed."""
    report = specfn("inspect", path, "--json").data
    counts, functions = report["counts"], report["functions"]
    assert counts["operations"] == counts["functions"] + counts["errors"]
    for key in ("functions", "errors", "notes"):
        assert counts[key] == len(report[key])
    assert counts["edits"] == sum(len(function["edits"]) for function in functions)
    for key in ("parameters_bytes", "output_bytes"):
        assert counts[key] == sum(function[key] or 0 for function in functions)


def test_json_is_that_of_the_contract(specfn: Command, document: Command) -> None:
    """Errors and notes are records with a pointer; functions say how large they are."""
    report = specfn("inspect", document(BROKEN), "--json").data
    assert list(report) == ["functions", "errors", "notes", "counts"]
    assert [list(error) for error in report["errors"]] == [
        ["method", "path", "pointer", "code", "reason"]
    ] * 2
    assert [error["code"] for error in report["errors"]] == ["path", "method"]
    assert report["errors"][0]["pointer"] == "/paths/b"
    (function,) = report["functions"]
    assert (function["name"], function["method"], function["safety"]) == ("a_get", "get", "read")
    assert function["output_bytes"] is None


def test_sizes_are_those_of_compact_json(specfn: Command, products: Path) -> None:
    """The bytes are those that ``specfn tools`` writes for the same provider."""
    report = specfn("inspect", products, "--json", "--profile", "anthropic").data
    tools = load(products).tools("anthropic")
    assert [function["parameters_bytes"] for function in report["functions"]] == [
        len(json.dumps(tool["input_schema"], separators=(",", ":"), ensure_ascii=False).encode())
        for tool in tools
    ]


def test_the_table_shows_every_function(specfn: Command, products: Path) -> None:
    """Each function has a row with its method, path and name; nothing is cut without a terminal."""
    ended = specfn("inspect", products)
    rows = [line.split() for line in ended.out.splitlines()]
    for function in load(products).functions:
        assert any(
            row[:3] == [function.method.upper(), function.path, function.name] for row in rows
        )
    assert "21 operations = 21 functions + 0 errors" in ended.out
    assert ended.code == 0


@given(st.lists(st.text(st.sampled_from("aZ日本한👩‍🚀é\u0301\u200b"), min_size=1), min_size=1))
def test_columns_of_a_pipe_are_aligned_by_cells(names: list[str]) -> None:
    """A character is as wide in the table as in a terminal, so that all rows of a pipe are equally wide."""
    paths = {f"/{name}": {"get": {}} for name in names}
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        path = Path(folder, "document.json")
        path.write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
        stdout = io.StringIO()
        patch.setattr(sys, "stdout", stdout)
        assert run(["inspect", str(path)]) == 0
    table = stdout.getvalue().partition("\n\n")[0].split("\n")
    assert len(table) == 1 + len(paths)
    assert len({*map(cell_len, table)}) == 1


def test_errors_have_reasons_and_pointers(specfn: Command, document: Command) -> None:
    """What is no function says why, and where in the document."""
    lines = specfn("inspect", document(BROKEN)).out.splitlines()
    assert "Not functions (2)" in lines
    (line,) = (line for line in lines if line.startswith("  PUT b: "))
    assert "does not begin with '/'" in line
    assert line.endswith("(path, at #/paths/b)")


def test_equal_notes_are_said_once(specfn: Command, document: Command) -> None:
    """A note that many operations have is one line with its count and first places; as JSON it is all of them."""
    header = {"name": "Accept", "in": "header", "schema": {"type": "string"}}
    paths = {
        f"/p{n}": {"get": {"parameters": [header], "responses": {"200": {"description": "OK"}}}}
        for n in range(5)
    }
    path = document({**paths, "/a/{id}": {"get": {"responses": {"200": {"description": "OK"}}}}})
    lines = specfn("inspect", path).out.partition("Notes (6)\n")[2].splitlines()
    assert lines[2] == ""
    shared, own = lines[:2]
    assert "'Accept'" in shared
    assert "(5 times, at #/paths/~1p0/" in shared
    assert shared.endswith(" and 2 more)")
    assert own.endswith("(at #/paths/~1a~1{id}/get)")
    assert len(specfn("inspect", path, "--json").data["notes"]) == 6


@pytest.mark.parametrize("terminal", [{}, {"TERM": "dumb", "FORCE_COLOR": "1"}, {"COLUMNS": "40"}])
def test_nothing_is_folded_in_a_pipe(
    specfn: Command, document: Command, terminal: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where stdout is no terminal every row and line is one, whatever the environment says."""
    for name, value in terminal.items():
        monkeypatch.setenv(name, value)
    name = "/".join(["a" * 50] * 4)
    path = document({f"/{name}": {"get": {}}, f"/{name}/b": {"trace": {}}})
    lines = specfn("inspect", path).out.splitlines()
    assert any(f"/{name} " in line and line.rstrip().endswith("read") for line in lines)
    assert any(
        f"/{name}/b: " in line and f"~1{name.replace('/', '~1')}~1b" in line for line in lines
    )


def test_notes_have_pointers(specfn: Command, document: Command) -> None:
    """A placeholder that is not declared is a note on the operation."""
    out = specfn("inspect", document({"/a/{id}": {"get": {}}})).out
    assert "Notes (" in out
    assert "{id}" in out.partition("Notes (")[2]
    assert "(at #/paths/~1a~1{id}" in out


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("width", "titles"), [(70, 4), (80, 5), (100, 7), (140, 10)])
def test_numbers_give_way_to_names(
    specfn: Command, document: Command, monkeypatch: pytest.MonkeyPatch, width: int, titles: int
) -> None:
    """A terminal that has no room for all columns shows fewer numbers, and every path and name on one line."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    stdout = _Terminal(io.BytesIO(), encoding="utf-8")
    path = document({"/pets/{petId}/photos": {"get": {}, "delete": {}}})
    monkeypatch.setattr(sys, "stdout", stdout)
    assert specfn("inspect", path).code == 0
    shown = re.sub(r"\x1b\[[0-9;]*m", "", stdout.buffer.getvalue().decode())  # type: ignore[attr-defined]
    lines = shown.splitlines()
    head, row = next((line, after) for line, after in pairwise(lines) if line.startswith("method"))
    assert head.split()[:3] == ["method", "path", "name"]
    assert len(head.split()) == len(row.split()) == titles
    assert row.split()[:3] == ["GET", "/pets/{petId}/photos", "pets_photos_getByPetId"]
    assert row.split()[-1] == "read"


# -- the page ---------------------------------------------------------------------------------------------


def test_a_page_is_written(specfn: Command, products: Path, tmp_path: Path) -> None:
    """``--html`` writes one page with all functions, and nothing else."""
    target = tmp_path / "report.html"
    ended = specfn("inspect", products, "--html", target)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    page = target.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    blocks = re.findall(r'<script type="\S+" id="f[^"]*"', page)
    assert len(blocks) == 21 + 1  # and the figures


def test_a_page_goes_to_stdout(specfn: Command, products: Path) -> None:
    """``--html -`` writes the page to stdout."""
    assert specfn("inspect", products, "--html", "-").out.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["--compare", "{spec}"], 2, "--compare needs --html FILE"),
        (["--html", "x.html", "--responses"], 2, "--responses needs --compare FILE"),
        (["--html", "x.html", "--json"], 2, "--html and --json cannot be combined"),
        (["--html", "{folder}", "--compare", "no.json"], 1, "--compare: "),
        (["--html", "{folder}"], 2, "pass another path to --html"),
        (["--html", "x.html", "--profile", "x"], 2, "'x' is not one of anthropic"),
    ],
)
def test_invalid_pages_are_one_line(
    specfn: Command,
    products: Path,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    reason: str,
) -> None:
    """A previous version that cannot be read, and a file that cannot be written, are one line."""
    given = [each.format(spec=products, folder=tmp_path) for each in arguments]
    ended = specfn("inspect", products, *given)
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert reason in ended.err
