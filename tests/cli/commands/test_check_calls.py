"""``specfn check-calls``."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Ended

ROWS = [
    {"name": "pets_get", "arguments": '{"query": {"limit": "3"}}', "id": 1},
    {"name": "pets.get", "arguments": {"query": {"limit": "many"}}, "id": "\u202e"},
    {"name": "nothing", "arguments": "{}"},
]
SUMMARY = "specfn: 3 rows: 1 valid (1 of them repaired), 2 invalid (1 of them without a function)\n"


@pytest.fixture
def spec(document: Callable[..., Path]) -> Path:
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    return document({"/pets": {"get": {"parameters": [limit], "responses": {}}}})


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return path


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("way", ["stdin", "stdout", "file"])
def test_each_way_gives_the_same_rows(
    specfn: Callable[..., Ended], spec: Path, calls: Path, way: str, jobs: str
) -> None:
    """From a file or stdin to a file or stdout, the rows and the counts are the same."""
    target = calls.parent / "out.jsonl.gz"
    given = {"stdin": ["-", "-o", target], "stdout": [calls], "file": [calls, "-o", target]}[way]
    done = specfn("check-calls", spec, *given, "-j", jobs, stdin=calls.read_bytes())
    assert (done.code, done.err) == (0, SUMMARY)
    text = done.out if way == "stdout" else gzip.decompress(target.read_bytes()).decode()
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["valid"] for row in rows] == [True, False, False]
    assert [row["function"] for row in rows] == ["pets_get", "pets_get", None]
    assert [row.get("id") for row in rows] == [1, "\u202e", None]
    assert "\u202e" not in text or way != "stdout"


def test_strict_is_an_exit_code(specfn: Callable[..., Ended], spec: Path, calls: Path) -> None:
    """With ``--strict``, the exit code is 1 if a row is not valid."""
    assert specfn("check-calls", spec, calls, "--strict", "-j", "1").code == 1
    calls.write_text(json.dumps(ROWS[0]))
    assert specfn("check-calls", spec, calls, "--strict", "-j", "1").code == 0


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["-", "-"], "stdin cannot be both the document and the calls; name a file"),
        (["SPEC", "a.parquet"], "Parquet needs two files: pass FILE and -o FILE"),
        (["SPEC", "a", "-j", "0"], "invalid value for '-j'"),
    ],
)
def test_mistakes_are_one_line(
    specfn: Callable[..., Ended], spec: Path, given: list[str], line: str
) -> None:
    """A wrong use is one line, with exit code 2."""
    done = specfn("check-calls", *(str(spec) if each == "SPEC" else each for each in given))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert line in done.err
