"""What tests of several rooms share: where real documents are."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

#: A machine may be busy; and the same tree has the same verdict, unless one looks for more.
_EXPLORE = bool(os.environ.get("SPECFN_EXPLORE"))
settings.register_profile(
    "specfn",
    deadline=None,
    derandomize=not _EXPLORE,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("specfn")

ROOT = Path(__file__).parent.parent

#: They need servers, the network and minutes: ``.ci/live`` runs them, by name.
collect_ignore = ["live"]


@pytest.fixture(scope="session")
def root() -> Path:
    """The directory of the project."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The directory of real documents; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not (folder / "dev").is_dir():
        pytest.skip(f"there are no documents in {folder}; set SPECFN_CORPUS")
    return folder
