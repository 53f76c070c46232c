"""Mutation: small errors in the code, and whether the tests of an area notice them.

    python -m bench.mutate [AREA ...] [--mutants N]

A mutant changes one operator, constant, condition or result of a function. It runs in a fork with only the tests that
reach its line. The sample is the same each time. A mutant that no test notices is printed: it needs a law, or it means
the same.
"""

import argparse
import ast
import contextlib
import gc
import os
import pickle
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "specfn"

#: Processor time of a mutant: one that needs more does not end. Tracing all tests takes longer.
MAX_SECONDS, MAX_TRACED_SECONDS = 60, 1_200

#: The modules of each area, and its tests.
AREAS: dict[str, tuple[str, str]] = {
    "requests": (
        "http/request/*.py",
        (
            "http/request http/test_wire_parameters.py http/test_wire_bodies.py http/test_dry_run.py"
            " security/test_t01*.py security/test_t02*.py security/test_t03*.py security/test_t08*.py"
        ),
    ),
    "reserved names": (
        "migrate/parameters/reserved.py network/headers.py",
        (
            "migrate/parameters security/test_t09*.py security/test_t20*.py security/test_t21*.py"
            " http/test_hidden.py properties/test_override_laws.py"
        ),
    ),
    "approvals": (
        "invocation/permit.py invocation/approval*.py invocation/accepted_call.py",
        (
            "invocation security/test_t22*.py security/test_t32*.py security/test_t39*.py"
            " security/test_t40*.py application calling/test_repeated_writes.py"
        ),
    ),
    "masking": (
        "http/masking.py http/redacted_request.py _internal/tracebacks.py",
        "security/test_t11*.py security/test_t38*.py http/test_dry_run.py http/response corpus/test_masking_census.py",
    ),
    "names": (
        "tools/resolve.py tools/spelling.py invocation/resolve.py _internal/did_you_mean.py",
        "calling/test_resolve_laws.py tools calling/test_scripted_models.py calling/test_text_calls.py application/test_outcome.py test_models.py test_selection.py test_api.py",
    ),
    "texts": (
        "validation/text/*.py validation/parse.py",
        "validation/text validation/test_parse.py validation/test_brackets.py security/test_t19*.py",
    ),
    "paging": (
        "migrate/paging/*.py invocation/next_page.py invocation/pages.py",
        "invocation/paging",
    ),
}

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


class Mutant(NamedTuple):
    """A changed module: its path, the function and the line that changed, and how."""

    path: Path
    function: int
    line: int
    change: str
    tree: ast.Module


def mutants(path: Path) -> list[Callable[[], Mutant]]:
    """Return all mutants of the functions of a module."""
    text = path.read_text()

    def build(at: int, variant: int) -> Mutant:
        tree = ast.parse(text)
        node, function = list(places(tree))[at]
        before = ast.unparse(node)
        changes(node)[variant]()
        line = getattr(node, "lineno", function.lineno)
        change = f"{before[:70]} → {ast.unparse(node)[:70]}"
        first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
        return Mutant(path, first, line, change, ast.fix_missing_locations(tree))

    return [
        lambda at=at, variant=variant: build(at, variant)
        for at, (node, _) in enumerate(places(ast.parse(text)))
        for variant in range(len(changes(node)))
    ]


def places(node: ast.AST, function: Any = None) -> Iterator[tuple[Any, Any]]:
    """Yield the nodes in functions, each with its outermost function, without docstrings and texts for people."""
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        outermost = function or (child if is_function else None)
        if isinstance(child, ast.Raise | ast.JoinedStr | ast.Assert | ast.arguments):
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if child in getattr(node, "decorator_list", ()) or child is getattr(node, "returns", None):
            continue
        if outermost is not None:
            yield child, outermost
        yield from places(child, outermost)


def changes(node: Any) -> list[Callable[[], None]]:
    """Return the ways in which a node is changed."""

    def put(name: str, value: Any) -> Callable[[], None]:
        return lambda: setattr(node, name, value)

    negated = lambda test: ast.UnaryOp(op=ast.Not(), operand=test)  # noqa: E731
    match node:
        case ast.Compare(ops=[operator, *rest]) if type(operator) in OPERATORS:
            return [put("ops", [OPERATORS[type(operator)](), *rest])]
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in OPERATORS:
            return [put("op", OPERATORS[type(operator)]())]
        case ast.Constant(value=bool() as value):
            return [put("value", not value)]
        case ast.Constant(value=int() as value):
            return [put("value", value + 1)]
        case ast.Constant(value=str() as value) if value and len(value) < 20:
            return [put("value", f"{value}x")]
        case ast.Return(value=value) if (
            value is not None and getattr(value, "value", 0) is not None
        ):
            return [put("value", ast.Constant(value=None))]
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            inner = test.operand if isinstance(test, ast.UnaryOp) else negated(test)
            return [] if isinstance(test, ast.Compare) else [put("test", inner)]
    return []


def codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def apply(mutant: Mutant) -> None:
    """Give the live functions the code of the mutant."""
    file = str(mutant.path)
    code = next(
        code
        for code in codes(compile(mutant.tree, file, "exec", dont_inherit=True))
        if code.co_firstlineno == mutant.function
    )
    for item in gc.get_objects():
        if isinstance(item, FunctionType) and item.__code__.co_filename == file:
            old = item.__code__
            if (old.co_firstlineno, old.co_name) == (mutant.function, code.co_name):
                item.__code__ = code


class Lines:
    """A plugin of pytest that notes which lines of the modules each test runs."""

    def __init__(self, files: set[str]) -> None:
        self.tests: dict[str, set[tuple[str, int]]] = {}
        self._files, self._lines = files, set[tuple[str, int]]()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:  # a test that counts steps notices that it is traced
            self.tests.pop(report.nodeid, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        self._lines = self.tests.setdefault(item.nodeid, set())
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(before)

    def _trace(self, frame: FrameType, *_: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace


def fork(work: Callable[[], Any], seconds: int = MAX_SECONDS) -> tuple[int, Any]:
    """Return the exit status of work in a fork, and its result."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            code = 99
            with contextlib.suppress(BaseException):
                code, result = work()
                pickle.dump(result, file)
                file.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        file.seek(0)
        return status, pickle.load(file) if status == 0 else None


def run(arguments: list[str], plugin: Any = None) -> int:
    quiet = "ignore::pytest.PytestAssertRewriteWarning"  # specfn is imported before pytest
    options = ["-x", "-q", "-p", "no:cacheprovider", "-W", quiet, *arguments]
    return int(pytest.main(options, plugins=[plugin] if plugin else []))


def measure(area: str, count: int) -> None:
    patterns, tests = AREAS[area]
    paths = sorted(path for each in patterns.split() for path in SOURCE.glob(each))
    for path in paths:
        import_module(".".join(("specfn", *path.relative_to(SOURCE).with_suffix("").parts)))
    files = [str(path) for each in tests.split() for path in sorted((ROOT / "tests").glob(each))]

    def cover() -> tuple[int, Any]:
        lines = Lines({str(path) for path in paths})
        return run(["--maxfail=1000", *files], lines) // 2, lines.tests

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    status, reached = fork(cover, MAX_TRACED_SECONDS)
    assert status == 0, (
        f"the tests of {area} do not run without a mutant, or need more than {MAX_TRACED_SECONDS} s"
    )
    every = [build for path in paths for build in mutants(path)]
    chosen = random.Random(0).sample(every, min(count, len(every)))
    killed = survived = unreached = 0
    for build in chosen:
        mutant = build()
        place = f"{mutant.path.relative_to(SOURCE)}:{mutant.line}: {mutant.change}"
        tests_of = [
            test for test, lines in reached.items() if (str(mutant.path), mutant.line) in lines
        ]
        tests_of.sort(key=lambda test: len(reached[test]))
        if not tests_of:
            unreached += 1
            print(f"  unreached {place}", flush=True)
            continue

        def judge(mutant: Mutant = mutant, tests_of: list[str] = tests_of) -> tuple[int, Any]:
            apply(mutant)
            return run(tests_of), None

        status, _ = fork(judge)
        survived += status == 0
        killed += status != 0
        if status == 0 or os.waitstatus_to_exitcode(status) not in {1, -24}:
            print(f"  {'survived' if status == 0 else f'status {status}'} {place}", flush=True)
    print(
        f"{area}: {len(every)} mutants, {len(chosen)} tried, {killed} killed, {survived} survived, {unreached} not reached",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("areas", nargs="*", default=list(AREAS), metavar="AREA")
    parser.add_argument("--mutants", type=int, default=60)
    given = parser.parse_args()
    os.chdir(ROOT)
    os.environ.setdefault("HYPOTHESIS_PROFILE", "fast")
    for area in given.areas:
        measure(area, given.mutants)


if __name__ == "__main__":
    main()
