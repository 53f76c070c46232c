"""T42: no regular expression of specfn takes more than linear time for a text of a document, a server or a model."""

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import pytest
from tests.regex_steps import worst_text

from specfn.http import masking

SRC: Final = Path(__file__).parent.parent.parent / "src"

#: The functions of ``re``, and how the expression is applied: to each position, or to one.
METHODS: Final = {
    **dict.fromkeys(("search", "sub", "subn", "split", "finditer", "findall"), "scan"),
    **dict.fromkeys(("match", "fullmatch"), "match"),
}

#: The expressions that are not linear for each text, with the reason why the texts that they are applied to are harmless.
EXCEPTIONS: Final = {
    "specfn.cli.errors:_MISSING": "the message of specfn ends as the expression does, so the first search succeeds",
    "specfn.cli.terminal:_MARK": "JSON that specfn wrote: each string ends",
    "specfn.document.read.duplicate_keys:_TOKEN": "JSON that was read before: each string ends",
    "specfn.inspector.page_files": "files of specfn",
    "specfn.calling.text_calls:_HEAD": "each part is optional, so the first try always matches",
}

#: The expressions that are made while specfn runs, and why each is linear.
MADE: Final = {
    "specfn._internal.characters:_replace": "the three constants of the module, which are in the table of all others",
    "specfn.tools.provider_limits": "the name of a tool, of a table of profiles",
    "specfn.tools.report": "the name of a tool, of a table of profiles",
    "specfn.schema.profiles.profile": "a name of at most 64 letters, of a table of profiles",
    "specfn.tools.tool_builder": "the name of a tool, of a table of profiles",
    "specfn.document.diagnose.explain": "tables of the module",
    "specfn.document.read.syntax_errors": "tables of the module",
    "specfn.document.read.not_openapi": "tables of the module",
    "specfn.http.response.file_signatures": "tables of the module",
    "specfn.http.masking": "secrets of a call; their expressions are below",
    "specfn.schema.compose.root_facts": "a pattern of a document is compiled for its errors and never run; _ecma is below",
    "specfn.schema.render.bounds_arrays_objects": "the table of profiles",
    "specfn.schema.profiles.refusals": "the table of profiles",
    "specfn.schema.profiles.legal_names": "the table of profiles",
    "specfn.validation.formats": "tables of the module",
    "specfn.validation.plain_types": "a separator of one character",
}


class Use(NamedTuple):
    """An expression and how it is applied."""

    name: str
    expression: "re.Pattern[Any]"
    way: str


def modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    """Each module of specfn with its syntax tree."""
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        if parts[-1] != "__main__":
            name = ".".join(parts).removesuffix(".__init__")
            yield importlib.import_module(name), ast.parse(path.read_text(encoding="utf-8"))


def held(value: Any, level: int = 0) -> Iterator["re.Pattern[Any]"]:
    """The expressions in a constant of a module."""
    if isinstance(value, re.Pattern):
        yield value
    elif level > 4:
        return
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from held(pair, level + 1)
    elif isinstance(value, tuple | list | frozenset | set):
        for item in value:
            yield from held(item, level + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from held(getattr(value, field.name, None), level + 1)


def ways(tree: ast.Module) -> dict[str, set[str]]:
    """How each name of an expression is applied in a module: ``NAME.search(…)``, or ``NAME.match(…, position)``."""
    applied: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in METHODS:
                applied.setdefault(node.value.id, set()).add(METHODS[node.attr])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.value
            if node.func.attr == "match" and len(node.args) > 1 and isinstance(name, ast.Name):
                applied.setdefault(name.id, set()).add("tokens")
    return applied


def is_call_of_re(node: ast.AST) -> bool:
    """Whether a node calls a function of ``re`` with an expression."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in {*METHODS, "compile"}
    )


def functions_of(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Each call of ``re`` within a function, with the name of the function."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if is_call_of_re(node):
                    assert isinstance(node, ast.Call)
                    yield function.name, node


@cache
def survey() -> tuple[tuple[Use, ...], frozenset[str]]:
    """All uses of expressions that are known before specfn runs, and the modules with others."""
    uses: dict[Use, None] = {}
    made: set[str] = set()
    known = [*modules()]
    imported = {
        alias.name
        for _, tree in known
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for module, tree in known:
        applied = ways(tree)
        for name, value in vars(module).items():
            for expression in held(value):
                for way in applied.get(name, set() if name in imported else {"scan"}):
                    uses[Use(f"{module.__name__}:{name}", expression, way)] = None
        for function, call in functions_of(tree):
            assert isinstance(call.func, ast.Attribute)
            try:
                source = ast.Expression(call.args[0])
                pattern = eval(compile(source, "", "eval"), {**vars(module)})  # specfn's own source
            except (NameError, AttributeError):
                made.add(f"{module.__name__}:{function}")
                continue
            name = ast.unparse(call.args[0])
            label = f"{module.__name__}:{name if name.isidentifier() else function}"
            uses[Use(label, re.compile(pattern), METHODS.get(call.func.attr, "match"))] = None
    return tuple(uses), frozenset(made)


def is_listed(name: str, table: Iterable[str]) -> bool:
    """Whether a name or its module is in a table."""
    return name in table or name.partition(":")[0] in table


def test_every_expression_is_linear() -> None:
    """T42: whatever repeats in a text, four times as much takes about four times the steps; the exceptions have reasons."""
    uses, _ = survey()
    assert len({use.expression for use in uses}) > 150
    bad = {
        (use.name, use.way): worst
        for use in uses
        if not is_listed(use.name, EXCEPTIONS) and (worst := worst_text(use.expression, use.way))
    }
    assert bad == {}


def test_no_expression_is_made_of_a_text_of_others() -> None:
    """T42: each expression that is made while specfn runs is listed with the reason why it is linear."""
    _, made = survey()
    assert {name for name in made if not is_listed(name, MADE)} == set()
    assert [name for name in MADE if not any(is_listed(each, [name]) for each in made)] == []


def test_the_exceptions_exist() -> None:
    """T42: an exception that is no longer needed leaves the list."""
    uses, _ = survey()
    for name in EXCEPTIONS:
        own = [use for use in uses if is_listed(use.name, [name])]
        assert own, name


def test_the_expression_of_shown_patterns_is_linear() -> None:
    """T42: the one expression that is built in a function, and applied to the patterns of a document."""
    from specfn.schema.compose.root_facts import _ecma  # noqa: PLC0415  # it is no constant of a module

    assert worst_text(_ecma(), "match") is None


@pytest.mark.parametrize("secret", ["aaaaaaaa", "a b", "%%"])
def test_the_expressions_of_secrets_are_linear(secret: str) -> None:
    """T42: the expressions that find the secrets of a call in any encoding, whatever the secret is."""
    needles = [*masking._words(secret)]
    assert needles
    for needle in needles:
        assert worst_text(re.compile(needle.pattern), "scan") is None


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"(a+)+$", "match"),
        (r"(?:a|a)*b", "match"),
        (r"a*a*c", "match"),
        (r"(\w+\s?)*$", "match"),
        (r"(.+?)-(.+?)-x", "match"),
        (r"x(?:ab|a|b)*y", "match"),
        (r"^a.*b.*c", "match"),
        (r"[ \t]*;[ \t]*(\w*)(?:[ \t]*=[ \t]*(\w+))?$", "match"),
        (r"a*b", "scan"),
        (r"\s*,", "scan"),
        (r"[ \t]+$", "scan"),
        (r"<[^>]*>", "scan"),
        (r"/\*.*?\*/", "scan"),
        (r'"(?:[^"\\]|\\.)*"', "scan"),
        (r"a(?:.*b)?", "tokens"),
    ],
)
def test_what_is_not_linear_is_noticed(pattern: str, way: str) -> None:
    """T42: the check of expressions notices nested, adjacent, overlapping and unanchored loops."""
    assert worst_text(re.compile(pattern), way) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"a+",
        r"\d+(?:\.\d+)?",
        r'"[^"]*"?',
        r"(?:ab|c)*",
        r"a{1,20}",
        r"(?:[^{}/]++|\{[^{}/]*+\})*+",
        r"(a|b)\1",
    ],
)
def test_what_is_linear_passes(pattern: str) -> None:
    """T42: the check of expressions accepts those that are linear wherever they are applied."""
    for way in ("match", "tokens", "scan"):
        assert worst_text(re.compile(pattern), way) is None
