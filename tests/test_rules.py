import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import specfn

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "docs" / "rules").glob("*.md") if path.stem != "index")

#: A rule in a docstring or comment: `rule V7`, `rules F12, X9`, `threat T14`, `(C2, C3)`, `F1 to F6`.
NUMBER = r"[NRFSVXCT](?:[1-9]\d?|0)"
CITED = re.compile(
    rf"\b(?:rules?|threats?) {NUMBER}(?:(?:, | and | to |–){NUMBER})*|\({NUMBER}(?:, {NUMBER})*\)"
)


#: The text whose numbers are not rules: this one.
OWN_NUMBERS = {Path(__file__)}


class Rule(NamedTuple):
    """A rule of the documentation."""

    number: str
    module: str
    test: str


def _rules() -> Iterator[Rule]:
    for page in PAGES:
        for part in re.split(r"(?m)^## ", page.read_text(encoding="utf-8"))[1:]:
            number = part.partition(" ")[0]
            modules = re.findall(r"(?m)^- Module: `([\w.]+)`\.$", part)
            tests = re.findall(r"(?m)^- Tests: `([\w./]+)`\.$", part)
            assert len(modules) == len(tests) == 1, (
                f"{page.name}: {number} needs one module and one test"
            )
            assert re.search(r"(?m)^- Why: .", part), f"{page.name}: {number} has no reason"
            yield Rule(number, modules[0], tests[0])


RULES = {rule.number: rule for rule in _rules()}


def _cited(text: str) -> set[str]:
    """Return the numbers of the rules that a text cites."""
    found: set[str] = set()
    for citation in CITED.findall(text):
        for first, last in re.findall(rf"({NUMBER})(?:(?: to |–)({NUMBER}))?", citation):
            numbers = range(int(first[1:]), int((last or first)[1:]) + 1)
            found |= {f"{first[0]}{number}" for number in numbers}
    return found


def _docstrings(value: object) -> Iterator[str]:
    """Yield the docstring of a public name, and those of its public members."""
    members = (
        [each for name, each in vars(value).items() if not name.startswith("_")]
        if isinstance(value, type)
        else []
    )
    for each in (value, *members):
        yield getattr(each, "__doc__", None) or ""


def _texts(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES.values(), ids=str)
def test_each_rule_has_a_module_and_tests(rule: Rule) -> None:
    """A rule names a module that can be imported, and a file that contains tests."""
    assert import_module(rule.module)
    tree = ast.parse(_texts(ROOT / rule.test))
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [name for name in names if name.startswith("test_")]


def test_every_cited_rule_exists() -> None:
    """Code and tests cite only rules that the documentation contains."""
    unknown = {
        path.relative_to(ROOT).as_posix(): sorted(_cited(_texts(path)) - RULES.keys())
        for folder in ("src", "tests", "docs")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".md"} and path not in OWN_NUMBERS
    }
    assert {path: numbers for path, numbers in unknown.items() if numbers} == {}


def test_numbers_are_unique_and_in_order() -> None:
    """Each page contains the rules of one letter, in ascending order."""
    for page in PAGES:
        numbers = re.findall(r"(?m)^## ([A-Z])(\d+) ", _texts(page))
        assert len({letter for letter, _ in numbers}) == 1, page.name
        digits = [int(number) for _, number in numbers]
        assert digits == sorted(set(digits)), page.name


def test_public_docstrings_cite_no_rule() -> None:
    """A docstring of a public name can be understood without the rules."""
    citing = [
        f"{package.__name__}.{name}"
        for package in (specfn, specfn.calling, specfn.connectors)
        for name in package.__all__
        for docstring in _docstrings(getattr(package, name))
        if _cited(docstring)
    ]
    assert citing == []
