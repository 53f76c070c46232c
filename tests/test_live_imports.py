"""The tests that only ``.ci/live`` runs follow the modules of the library."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def test_live_tests_and_benches_import_names_that_exist(root: Path) -> None:
    """Each name that a live test or a bench imports from specfn is a name of that module, or a module."""
    missing = []
    for path in sorted([*(root / "tests" / "live").rglob("*.py"), *(root / "bench").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("specfn"):
                missing += [
                    f"{path.name}: {node.module}.{alias.name}"
                    for alias in node.names
                    if not _exists(str(node.module), alias.name)
                ]
    assert missing == []


def _exists(module: str, name: str) -> bool:
    found = import_module(module)
    return hasattr(found, name) or (
        hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None
    )
