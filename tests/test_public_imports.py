"""Tests of the pipeline of calls, of tools and of selections import what users import."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
DOCS: Final = TESTS.parent / "docs"

#: The modules whose names are public: those of the contract. The documentation names the other public names.
MODULES: Final = frozenset(
    "specfn specfn.answers specfn.bulk specfn.calling specfn.calling.choice specfn.cli.main specfn.connectors "
    "specfn.errors specfn.human specfn.mcp specfn.records".split()
)

#: The folders whose tests see no more than a user does.
FOLDERS: Final = tuple(
    "adapters application asgi calling comparison connectors invocation strict_shop tools".split()
)

#: The tests that need more, and why.
EXCEPTIONS: Final = {
    "application/test_outcome.py": "counts how often a step of a call runs; no result shows it",
    "calling/test_stored.py": "a log of any Python value is JSON; a server sends JSON only",
    "comparison/test_compare.py": "the type with all kinds, so that a new kind needs a test and a row of the page",
    "connectors/test_codecs.py": "names of a history become legal in one way; each vendor shows a part of it",
    "connectors/test_profiles.py": "what an own profile puts in the place of a name, a description and a schema",
    "tools/search/test_search.py": "words and edits of any text; a search shows those of a document",
    "tools/search/test_suppliers.py": "the text of results; a model reads it after a search of a conversation",
    "tools/test_tools.py": "a schema that a provider cut otherwise than any profile does",
}


def documented() -> set[str]:
    """Return the names that a page of the reference documents, or an example imports."""
    pages = [page.read_text("utf-8") for page in DOCS.rglob("*.md")]
    reference = {name for page in pages for name in re.findall(r"(?m)^::: ([\w.]+)$", page)}
    imports = {
        found for page in pages for found in re.findall(r"from (specfn[\w.]+) import (.+)", page)
    }
    return reference | {
        f"{module}.{name}" for module, names in imports for name in re.findall(r"\w+", names)
    }


def internal_imports(path: Path, public: set[str]) -> Iterator[str]:
    """Yield the names of specfn that a file imports and that are not public."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            yield from (
                name for name in modules if name.startswith("specfn.") and name not in MODULES
            )
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("specfn."):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            is_public = node.module in MODULES or str(node.module).startswith("specfn.adapters")
            yield from () if is_public else (name for name in names if name not in public)


@pytest.mark.parametrize("folder", FOLDERS)
def test_tests_import_public_names(folder: str) -> None:
    """A test imports what the documentation names; each exception is needed and has a reason."""
    public = documented()
    internal = {
        path.relative_to(TESTS).as_posix(): [*internal_imports(path, public)]
        for path in sorted((TESTS / folder).rglob("*.py"))
    }
    exceptions = {name for name in EXCEPTIONS if name.startswith(f"{folder}/")}
    assert {
        name: names for name, names in internal.items() if names and name not in exceptions
    } == {}
    assert {name for name in exceptions if not internal.get(name)} == set()
