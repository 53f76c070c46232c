import copy
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
    ended = specfn("diff", old, new, "--all")
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


def two_functions(*, is_new: bool) -> Any:
    """Return a document with two functions that use the same component, in one of two versions."""
    document = changed(lambda d: d["paths"].update({"/b": {"put": copy.deepcopy(put(d))}}))
    document["paths"]["/b"]["put"]["parameters"].pop(0)
    if is_new:
        prop("age")(document).update(maximum=30)
        prop("mark")(document).update(description="x", default="b")
        document["components"]["schemas"]["Seen"]["properties"]["at"].update(type="integer")
    return document


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Write two versions of a document with two functions that use the same component."""
    old, new = two_functions(is_new=False), two_functions(is_new=True)
    return written(tmp_path / "old.json", old), written(tmp_path / "new.json", new)


def test_equal_differences_are_one_line(
    two: tuple[Path, Path], specfn: Callable[..., Ended]
) -> None:
    """A difference that several functions have is one line; those that break nobody are counted by kind."""
    assert specfn("diff", *two).out.splitlines() == [
        "Breaking:",
        "  2 functions (pets_putById, b_put): $input.body.age: maximum 40 became 30 (bound)",
        "",
        "Maybe breaking:",
        '  2 functions (pets_putById, b_put): $input.body.mark: the default "a" became "b" (default)',
        "",
        "Other (--all lists them):",
        "  2 text",
        "  2 type",
        "",
        "8 differences: 2 breaking, 2 maybe breaking, 4 other",
    ]
    table = specfn("diff", *two, "--markdown").out.partition("**Maybe breaking**\n\n")[2]
    assert table.splitlines() == [
        "| function | kind | difference |",
        "|---|---|---|",
        '| 2 functions (pets\\_putById, b\\_put) | default | \\$input.body.mark: the default "a" became "b" |',
        "",
        "**Other**",
        "",
        "| kind | number |",
        "|---|---|",
        "| text | 2 |",
        "| type | 2 |",
    ]


def test_all_lists_every_difference(two: tuple[Path, Path], specfn: Callable[..., Ended]) -> None:
    """With --all, each difference of each function has its line; JSON is complete without it."""
    differences = specfn("diff", *two, "--json").data["differences"]
    lines = [line for line in specfn("diff", *two, "--all").out.splitlines() if line[:2] == "  "]
    assert len(lines) == len(differences) == 8
    assert {line.strip() for line in lines} == {
        f"{each['name']}: {each['sentence']} ({each['kind']})" for each in differences
    }
    rows = specfn("diff", *two, "--all", "--markdown").out.splitlines()
    assert len([row for row in rows if row.startswith(("| pets", "| b"))]) == 8
    assert specfn("diff", *two, "--all", "--json").data["differences"] == differences


def test_many_functions_are_counted(specfn: Callable[..., Ended], tmp_path: Path) -> None:
    """The first names stand for many."""
    old = changed(
        lambda d: d["paths"].update(
            {f"/{name}": {"get": {"parameters": [], "responses": {}}} for name in "abcde"}
        )
    )
    new = copy.deepcopy(old)
    for name in "abcde":
        new["paths"][f"/{name}"]["get"]["parameters"].append(
            {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}}
        )
    files = written(tmp_path / "old.json", old), written(tmp_path / "new.json", new)
    line = specfn("diff", *files).out.splitlines()[1]
    assert line.startswith("  5 functions (a_get, b_get, c_get, ...): ")


def test_responses_are_judged_on_request(
    two: tuple[Path, Path], specfn: Callable[..., Ended]
) -> None:
    """With --responses, what clients cannot read any more breaks them and counts for the exit code."""
    old = two[0]
    document = two_functions(is_new=False)
    document["components"]["schemas"]["Seen"]["properties"]["at"].update(type="integer")
    new = written(two[1], document)
    assert specfn("diff", old, new).code == 0
    ended = specfn("diff", old, new, "--responses")
    assert ended.code == 1
    assert "$output.at: the type string became integer (type)" in ended.out.splitlines()[1]
    assert specfn("diff", old, new, "--responses", "--json").data["counts"]["yes"] == 2


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
