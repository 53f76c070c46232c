"""T23: the texts of a document are data: no code, no template, no word of a shell is made of them."""

import ast
import inspect
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import specfn
from specfn import Connection, Options

SRC = Path(specfn.__file__).parent

#: What runs text as code, and modules that do or that make templates of it.
DYNAMIC = {"exec", "eval", "compile", "__import__"}
MODULES = {"pickle", "marshal", "shelve", "code", "codeop", "runpy", "jinja2", "mako", "subprocess"}

PAYLOADS = [
    '"""\nimport os; os.system("touch pwned")\n"""',
    "'; import os; os.abort(); '",
    "{0.__class__.__mro__}",
    "{self.__init__.__globals__}",
    "%(x)s %n",
    "${jndi:ldap://evil}",
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #",
    "' || touch pwned '",
    "\\' $(touch pwned) \\",
    "!!python/object/apply:os.system [touch pwned]",
    "__import__('os').abort()",
    "lambda: 0",
    "class",
    "*/ x = 1; /*",
    "</script><script>",
    "a\nb",
]


@pytest.fixture(scope="module")
def nodes() -> list[tuple[str, ast.AST]]:
    """Every call and every import in the library, with the module's path."""
    return [
        (path.relative_to(SRC).as_posix(), node)
        for path in sorted(SRC.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
    ]


def called(node: ast.AST) -> str:
    """The name of what a node calls; empty where it calls nothing by name."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def imported(node: ast.AST) -> list[str]:
    """The modules that a node imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [each.name for each in node.names] if isinstance(node, ast.Import) else []


def test_nothing_runs_text_as_code(nodes: list[tuple[str, ast.AST]]) -> None:
    """No module calls a builtin that executes text, and none imports what runs code or templates."""
    plain = [
        (name, node) for name, node in nodes if isinstance(getattr(node, "func", None), ast.Name)
    ]
    assert [(name, called(node)) for name, node in plain if called(node) in DYNAMIC] == []
    found = [(name, each) for name, node in nodes for each in imported(node)]
    # The other validator runs in an interpreter of its own, whose program is a constant; it reads JSON.
    assert [(name, each) for name, each in found if each.split(".")[0] in MODULES] == [
        ("document/diagnose/spec_validator.py", "subprocess")
    ]


def test_what_is_imported_by_name_is_the_librarys_own(nodes: list[tuple[str, ast.AST]]) -> None:
    """Only tables of the library's own modules are imported by a computed name."""
    found = {
        name
        for name, node in nodes
        if called(node) == "import_module" and not isinstance(node.args[0], ast.Constant)  # type: ignore[attr-defined]
    }
    assert found <= {
        "_internal/lazy_names.py",
        "adapters/bound_functions.py",
        "cli/group.py",
        "connectors/registry.py",
    }


def document(text: str) -> dict[str, Any]:
    """The text wherever a document has room for one."""
    schema = {
        "type": "object",
        "title": text,
        "description": text,
        "properties": {text: {"enum": [text]}},
    }
    operation = {
        "operationId": text,
        "summary": text,
        "description": text,
        "tags": [text],
        "x-code": text,
        "parameters": [
            {"name": text, "in": "query", "description": text, "schema": {"default": text}},
        ],
        "requestBody": {"description": text, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": text}},
    }
    key = "".join(each for each in text if each not in "{}/?#\n") or "x"
    return {
        "openapi": "3.1.0",
        "info": {"title": text, "version": text, "description": text},
        "servers": [{"url": f"https://api.example/{key}", "description": text}],
        "paths": {f"/{key}/{{{key}}}": {"post": operation}},
        "components": {
            "schemas": {text: schema},
            "securitySchemes": {text: {"type": "http", "scheme": "basic"}},
        },
    }


@pytest.mark.parametrize("text", PAYLOADS)
def test_a_name_is_a_name(text: str) -> None:
    """Names of functions and of arguments are identifiers, so that a signature is one in Python as well."""
    for options in ({}, {"keyword": False}, {"dialect": "3.1"}):
        bound = specfn.load(document(text), options=Options(**options)).bind(specfn.Connection())
        for function in bound.values():
            assert function.name.isidentifier()
            assert function.name.isascii()
            made = inspect.signature(function)
            written = ast.parse(f"def f{inspect.Signature(list(made.parameters.values()))}: pass")
            [definition] = written.body
            assert isinstance(definition, ast.FunctionDef)
            assert len(definition.body) == 1
            assert isinstance(definition.body[0], ast.Pass)


@pytest.mark.parametrize("text", PAYLOADS)
def test_a_text_arrives_as_it_is(text: str) -> None:
    """Nothing in a text is evaluated or formatted: what a schema says is the text, to the letter."""
    for function in specfn.load(document(text)):
        shown = json.dumps(function.parameters)
        assert json.dumps(text)[1:-1] in shown
        [key, *_] = function.route.parameters
        assert function.validate({key.key: "1", "body": {text: text}})


#: A shell in which ``curl`` writes its arguments, each with a NUL behind it.
SHELL = 'curl() { for word in "$@"; do printf "%s\\0" "$word"; done; }\n'


@pytest.mark.parametrize("text", PAYLOADS)
def test_a_word_of_a_shell_is_one_word(text: str, tmp_path: Path) -> None:
    """The line for a shell that a dry run gives runs curl and nothing else, whatever a document or a model says."""
    application = specfn.load(document(text))
    for function in application:
        [key, *_] = function.route.parameters
        given = {key.key: "1", "query": {text: text}, "body": {text: text}}
        run = application.dry_run(function, given, Connection(base_url="https://api.example"))
        line = SHELL + run["curl"]
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, check=True)
        words = done.stdout.decode().split("\0")[:-1]
        assert words[:3] == ["-X", "POST", run["url"]]
        assert set(words[3:-2:2]) == {"-H"}
        assert words[-2] == "--data-raw"
        assert json.loads(words[-1]) == {text: text}
        assert done.stderr == b""
        assert [*tmp_path.iterdir()] == []
