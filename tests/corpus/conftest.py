from pathlib import Path

import pytest

from specfn import Application, load


@pytest.fixture(scope="session")
def folder(corpus: Path) -> Path:
    """The directory of the documents that may be looked at."""
    return corpus / "dev"


@pytest.fixture(scope="session")
def loaded(folder: Path) -> dict[Path, Application]:
    """Every document, read once for all tests that take it as it is."""
    return {path: load(path) for path in sorted(folder.glob("*.json"))}
