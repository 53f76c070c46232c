"""Every public function has an example in its docstring, and all examples in docstrings run against the demo shop."""

import ast
import doctest
import inspect
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.typed.test_guides_run import given

import specfn
from specfn.demo.server import Server, serve

SOURCE = Path(specfn.__file__).parent
PACKAGES = ("specfn", "specfn.bulk", "specfn.calling", "specfn.connectors", "specfn.mcp")

#: Classes whose methods are public functions, too.
CLASSES = (specfn.Application, specfn.Failure, specfn.Function)

#: The predicates of ``specfn.human``, a module without ``__all__``.
PREDICATES = (specfn.human.any_of, specfn.human.files, specfn.human.secrets)

#: Calls in the file that examples check; the second is invalid.
CALLS = [
    {"name": "listProducts", "arguments": "{}"},
    {"name": "listProducts", "arguments": '{"query": {"limit": 0}}'},
]


def public_functions() -> Iterator[Callable[..., Any]]:
    """Yield the exported functions, and the methods of some classes without the asynchronous ones like another method."""
    for package in map(import_module, PACKAGES):
        exported = (getattr(package, name) for name in package.__all__)
        yield from filter(inspect.isfunction, exported)
    yield from PREDICATES
    for kind in CLASSES:
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            is_twin = name.startswith("a") and hasattr(kind, name[1:])
            if method.__module__.startswith("specfn.") and not name.startswith("_") and not is_twin:
                yield method


@pytest.mark.parametrize(
    "function", [*public_functions()], ids=lambda function: function.__qualname__
)
def test_every_public_function_has_an_example(function: Callable[..., Any]) -> None:
    """The docstring of each public function contains an example."""
    assert doctest.DocTestParser().get_examples(function.__doc__ or "")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and docstrings of a module with examples; that of the module has the name of the file."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = ast.get_docstring(node) if isinstance(node, kinds) else None
        if text and ">>> " in text:
            yield getattr(node, "name", path.name), text


EXAMPLES = [
    pytest.param(name, text, id=f"{path.relative_to(SOURCE).with_suffix('')}:{name}")
    for path in sorted(SOURCE.rglob("*.py"))
    for name, text in docstrings(path)
]


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serve() as server:
        lamp = {"name": "Desk lamp", "price": 29.5, "stock": 3}
        with given(server)["connection"] as connection:
            given(server)["app"].execute("createProduct", {"body": lamp}, connection)
        yield server


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_the_examples_of_a_docstring_run(
    name: str, text: str, shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example gives the result that it shows, with ``app`` and ``connection`` of the demo shop."""
    monkeypatch.chdir(tmp_path)
    names = {**given(shop), "connector": "openai"}
    Path("openapi.json").write_text(json.dumps(names["app"].document), encoding="utf-8")
    Path("calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in CALLS))
    report: list[str] = []
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    with names["connection"]:
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=report.append)
    assert not report, "".join(report)
