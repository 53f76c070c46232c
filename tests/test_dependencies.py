import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

#: Declared although nothing here imports it. httpcore imports sniffio at every lock, and repeats a failing import;
#: openapi-spec-validator validates with jsonschema.
NOT_IMPORTED = {"jsonschema", "sniffio"}

#: What only the servers, code mode and overlays import, which are extras.
EXTRA = {
    "fastapi",
    "iregexp-check",
    "jsonpath-rfc9535",
    "mcp",
    "mcp-types",
    "opentelemetry-api",
    "sse-starlette",
    "starlette",
    "uvicorn",
    "pydantic-monty-client",
}


def _imported(root: Path) -> set[str]:
    """The packages that the sources import, wherever in a module."""
    found: set[str] = set()
    for path in (root / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"specfn"}


def _declared(root: Path) -> dict[str, str]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = (re.match(r"([\w.-]+)(.*)", each) for each in project["dependencies"])
    return {each[1].lower().replace("_", "-"): each[2] for each in found if each}


def test_what_is_imported_is_declared(root: Path) -> None:
    """Every package that the sources import is a dependency, and every dependency is imported."""
    names = packages_distributions()
    # several distributions may share the name of a package, such as the API and the SDK of opentelemetry
    distributions = [
        {name.lower().replace("_", "-") for name in names.get(each, [each])}
        for each in _imported(root)
    ]
    imported = {min(shared) for shared in distributions if not shared & EXTRA}
    assert imported | NOT_IMPORTED == set(_declared(root))


def test_extras_are_imported_by_their_integration_only(root: Path) -> None:
    """A package of an extra is imported by the servers, and by nothing else."""
    found = {
        path.relative_to(root).as_posix()
        for path in (root / "src").rglob("*.py")
        if re.search(
            r"(?m)^\s*(?:from|import) (?:mcp|mcp_types|sse_starlette|uvicorn|starlette)\b",
            path.read_text("utf-8"),
        )
    }
    servers = tuple(f"src/specfn/{name}/" for name in ("demo", "http_server", "inspector", "mcp"))
    outside = {path for path in found if not path.startswith(servers)}
    assert outside == set()


def test_the_sandbox_is_imported_by_one_module(root: Path) -> None:
    """The interpreter of code mode is imported by the module of the sandbox, and by nothing else."""
    found = {
        path.relative_to(root).as_posix()
        for path in (root / "src").rglob("*.py")
        if re.search(r"(?m)^\s*(?:from|import) pydantic_monty\b", path.read_text("utf-8"))
    }
    assert found == {"src/specfn/code_mode/sandbox.py"}


def test_what_is_not_promised_is_bounded(root: Path) -> None:
    """The clients below have an upper bound: the transports rely on how they use a network stream."""
    declared = _declared(root)
    assert declared["httpcore"].endswith(",<2")
    assert declared["httpx"].endswith(",<0.29")
