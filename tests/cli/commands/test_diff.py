import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.comparison.pairs import DOCUMENT, PAIRS, changed, prop, put

Ended = Any


def written(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def pair(tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    """Write the two documents of a change."""

    def write(name: str) -> tuple[Path, Path]:
        new = changed(PAIRS[name].change)
        return written(tmp_path / "old.json", DOCUMENT), written(tmp_path / "new.json", new)

    return write


def breaks(data: Any, *, strict: bool) -> bool:
    """Return whether a difference counts."""
    return any(
        each["breaking"] == "yes" or (strict and each["breaking"] == "maybe")
        for each in data["differences"]
    )


@pytest.mark.parametrize("name", PAIRS)
def test_the_exit_code_is_that_of_the_worst_change(
    name: str, specfn: Callable[..., Ended], pair: Callable[[str], tuple[Path, Path]]
) -> None:
    """Exit 1 if callers break, in both directions; an undecided change counts only with --strict."""
    old, new = pair(name)
    expected = {(old, new): PAIRS[name].forward, (new, old): PAIRS[name].backward}
    for files, verdict in expected.items():
        ended = specfn("diff", *files, "--json")
        assert ended.code == breaks(ended.data, strict=False)
        assert ended.code >= (verdict == "yes")
        strict = specfn("diff", *files, "--json", "--strict")
        assert strict.code == breaks(strict.data, strict=True)
        assert strict.code >= (verdict != "no")


def test_text_lists_breaking_changes_first(specfn: Callable[..., Ended], tmp_path: Path) -> None:
    """The text has a heading for each verdict, a line for each difference, and the counts."""
    old = written(tmp_path / "old.json", DOCUMENT)
    new = written(
        tmp_path / "new.json",
        changed(
            lambda d: prop("age")(d).update(maximum=30),
            lambda d: prop("code")(d).update(pattern="^b"),
            lambda d: prop("mark")(d).update(description="x"),
        ),
    )
    ended = specfn("diff", old, new)
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "Breaking:",
        "  pets_putById: $input.body.age: maximum 40 became 30 (bound)",
        "",
        "Maybe breaking:",
        '  pets_putById: $input.body.code: pattern "^[a-z]+$" became "^b" (pattern)',
        "",
        "Other:",
        "  pets_putById: $input.body.mark: the description changed (text)",
        "",
        "3 differences: 1 breaking, 1 maybe breaking, 1 other",
    ]


def test_equal_documents(specfn: Callable[..., Ended], tmp_path: Path) -> None:
    """Equal documents have no differences and exit 0, in every form."""
    old = written(tmp_path / "old.json", DOCUMENT)
    assert specfn("diff", old, old).out == "no differences\n"
    assert specfn("diff", old, old, "--markdown").out == "### API changes: none\n"
    ended = specfn("diff", old, old, "--json", "--strict")
    assert ended.code == 0
    assert ended.data == {"differences": [], "counts": {"yes": 0, "maybe": 0, "no": 0}}


def test_markdown_is_a_table_that_no_text_breaks(
    specfn: Callable[..., Ended], tmp_path: Path
) -> None:
    """Names of a document cannot form a cell, a link, a mention or HTML."""
    name = "a|b\n<img src=x onerror=alert(1)> [x](http://evil) @team `c`"
    old = written(tmp_path / "old.json", DOCUMENT)
    new = changed(
        lambda d: put(d)["parameters"].append(
            {"name": name, "in": "query", "required": True, "schema": {"type": "string"}}
        )
    )
    ended = specfn("diff", old, written(tmp_path / "new.json", new), "--markdown")
    rows = [line for line in ended.out.splitlines() if line.startswith("| pets")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 4
    for raw in ("<img", " [x]", "@team", " `c`", "http://"):
        assert raw not in ended.out
    assert ended.code == 1


@pytest.mark.parametrize("role", ["OLD", "NEW"])
@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_a_document_that_cannot_be_read_is_one_line(
    role: str, content: str, specfn: Callable[..., Ended], tmp_path: Path
) -> None:
    """The line names the argument; the exit code is 1 and stdout is empty."""
    good, bad = written(tmp_path / "good.json", DOCUMENT), tmp_path / "bad.json"
    bad.write_text(content)
    ended = specfn("diff", *((bad, good) if role == "OLD" else (good, bad)))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"specfn: {role}: ")
    assert ended.err.count("\n") == 1


def test_an_unreachable_url_is_one_line(specfn: Callable[..., Ended], tmp_path: Path) -> None:
    """A server that does not respond has the exit code of all subcommands."""
    good = written(tmp_path / "good.json", DOCUMENT)
    ended = specfn("diff", "http://127.0.0.1:9/openapi.json", good)
    assert ended.code == 3
    assert ended.err.startswith("specfn: OLD: ")


def test_one_document_may_come_from_stdin(specfn: Callable[..., Ended], tmp_path: Path) -> None:
    """Either argument may be stdin, but not both."""
    good = written(tmp_path / "good.json", DOCUMENT)
    assert specfn("diff", "-", good, stdin=json.dumps(DOCUMENT).encode()).code == 0
    assert specfn("diff", good, "-", stdin=json.dumps(DOCUMENT).encode()).code == 0
    assert specfn("diff", "-", "-").code == 2
    assert specfn("diff", good, good, "--json", "--markdown").code == 2
