import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from specfn import calling
from specfn.records import ArgumentProblem, EditKind, OperationCode
from specfn.tools.provider_limits import FindingCode

#: A type of words with the heading under which docs/records.md tells of them, and what makes records of them: the
#: name of a function or class, and which of its arguments the word is.
WORDS = [
    pytest.param(
        EditKind,
        "`function.edits`",
        {"Edit": "kind", "_record_edit": 0, "_tell": "kind", "_describe": "kind"},
        id="edits",
    ),
    pytest.param(FindingCode, "`application.check", {"Finding": "code", "LeftOut": "code", "Refusal": "code"}, id="findings"),
    pytest.param(OperationCode, "`application.errors`", {"Refused": 0, "without": 2}, id="errors"),
]  # fmt: skip


def members(words: Any) -> set[str]:
    """The words of a type of words, or of several such types."""
    found = get_args(words)
    return {each for item in found for each in ([item] if isinstance(item, str) else members(item))}


def listed(page: str, heading: str) -> list[str]:
    """The words of the first column of the table under a heading."""
    section = page.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize(("words", "heading", "_makers"), WORDS)
def test_the_page_tells_of_every_word_and_of_no_other(
    root: Path, words: Any, heading: str, _makers: Any
) -> None:
    """Each kind and code that a record may have stands once in docs/records.md, and nothing else does."""
    page = (root / "docs" / "records.md").read_text(encoding="utf-8")
    assert sorted(listed(page, heading)) == sorted(members(words))


@pytest.mark.parametrize(
    ("words", "page", "heading"),
    [
        (calling.AnswerKind, "binding.md", "| kind | meaning |"),
        (calling.Stopped, "conversations.md", "| value | reason |"),
    ],
)
def test_each_kind_of_answer_and_each_end_of_a_conversation_is_described(
    root: Path, words: Any, page: str, heading: str
) -> None:
    """Each word of the type has a row of the table with its meaning, and no other word has one."""
    table = (root / "docs" / page).read_text("utf-8").partition(heading)[2].partition("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", row)[1:-1] for row in table.splitlines()[2:]]
    described = [word for first, *_ in rows for word in re.findall(r"`([^`]+)`", first)]
    assert sorted(described) == sorted(get_args(words))
    assert all(cell.strip() for row in rows for cell in row)


@cache
def written(root: Path) -> list[ast.AST]:
    """Every node of the source."""
    paths = sorted((root / "src" / "specfn").rglob("*.py"))
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in paths)
    return [node for tree in trees for node in ast.walk(tree)]


def texts(node: ast.AST | None) -> Iterator[str]:
    """The texts that an expression may come to."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def candidates(node: ast.AST, makers: dict[str, Any]) -> Iterator[ast.AST | None]:
    """The expressions that may be a word: an argument of a maker, the first of a pair, a default, an annotated name."""
    if isinstance(node, ast.Call):
        place = makers.get(getattr(node.func, "id", getattr(node.func, "attr", "")))
        if isinstance(place, int):
            yield from node.args[place : place + 1]
        yield from (each.value for each in node.keywords if each.arg == place)
    elif isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
        yield node.value.elts[0]
    elif isinstance(node, ast.AnnAssign):
        yield node.value
    elif isinstance(node, ast.FunctionDef):
        yield from node.args.kw_defaults


@pytest.mark.parametrize(("words", "_heading", "makers"), WORDS)
def test_the_source_says_every_word(
    root: Path, words: Any, _heading: str, makers: dict[str, Any]
) -> None:
    """No kind and no code is left over: each is made somewhere in the source, and the type admits no other."""
    said = {
        text for node in written(root) for each in candidates(node, makers) for text in texts(each)
    }
    assert members(words) - said == set()


def test_what_is_missing_is_said_to_be() -> None:
    """The text of a problem tells a value that is missing from one that is wrong."""
    assert (
        str(ArgumentProblem(path="$input.a", expected="integer"))
        == "$input.a: expected integer (missing)"
    )
    assert (
        str(ArgumentProblem(path="$input.a", expected="integer", value="x"))
        == "$input.a: expected integer"
    )
    told = ArgumentProblem(
        path="$input.a", expected="undefined", value=1, description="There is no such property."
    )
    assert str(told) == "$input.a: there is no such property"
