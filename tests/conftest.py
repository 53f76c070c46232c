"""Shared set-up of the tests: profiles of Hypothesis, the corpus of real documents, and the selection of fast tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("SPECFN_CORPUS") or ROOT.parent / "shared" / "corpus")

#: A busy machine is slow: no deadline. The same tree has the same result, except in the profile "thorough".
#: CONTRIBUTING.md describes when each profile is used.
COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.filter_too_much, HealthCheck.too_slow],
}
settings.register_profile("fast", derandomize=True, max_examples=20, **COMMON)
settings.register_profile("specfn", derandomize=True, max_examples=25, **COMMON)
settings.register_profile("thorough", max_examples=1_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "specfn"))

#: Tests of real servers, run by ``.ci/live``. They need the network and minutes.
collect_ignore = ["live"]

#: Directories and files that take most of the time. The fast tests leave them out (CONTRIBUTING.md).
LONG = (
    *("bulk", "cli", "mcp", "properties", "security", "seeds"),
    *("calling/test_deadline.py", "calling/test_driving.py", "calling/test_hook_results.py"),
    *("calling/test_hostile.py", "http/test_kept.py", "http/test_leftovers.py"),
    *("http/test_rooms.py", "http/transport/test_send.py"),
    *("schema/compose/test_inheritance.py", "schema/render/test_budget.py"),
    *("schema/render/test_fragments.py", "test_exports.py", "test_import.py", "test_layers.py"),
    *(
        "validation/test_any_value.py",
        "validation/test_plain_json.py",
        "validation/test_hostile.py",
    ),
    *("validation/test_limits.py", "validation/test_many.py", "validation/test_wide.py"),
)

#: How many tests were not run because there is no corpus, by worker of pytest-xdist.
NOT_RUN = pytest.StashKey[dict[str, int]]()


@pytest.fixture
def frozen_heap() -> Iterator[None]:
    """Exclude all objects that exist from garbage collections, so that a full one takes microseconds.

    ``gc.get_objects`` lists the later objects only.
    """
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the directory of the project."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the directory of the real documents. Tests that use it are selected only if it exists."""
    return CORPUS


def part_of_corpus(corpus: Path, name: str) -> Path:
    """Return a file or folder of the corpus; skip the test if this corpus, such as the public one, does not have it."""
    if not (corpus / name).exists():
        pytest.skip(f"{corpus} has no {name}")
    return corpus / name


def documents() -> list[Path]:
    """Return the documents of the corpus; none if there is no corpus."""
    return sorted((CORPUS / "dev").glob("*.json"))


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the count of tests that are not run, and keep the order of the files.

    pytest-xdist would begin with the files of many tests, and end with the few that take long.
    """
    config.stash[NOT_RUN] = {}
    config.option.loadscopereorder = False
    gc.disable()  # the modules and items that are collected stay until the end


def pytest_collection_finish() -> None:
    """Let full garbage collections be rare: each would visit all tests and the loaded documents."""
    gc.set_threshold(20_000, 50, 20)
    gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test of ``LONG``, and every test that uses the corpus, directly or through another fixture."""
    if "corpus" in getattr(item, "fixturenames", ()):
        item.add_marker("corpus")
    place = item.path.relative_to(ROOT / "tests").as_posix()
    if any(place == each or place.startswith(f"{each}/") for each in LONG):
        item.add_marker("long")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take long first. Without a corpus, leave out the tests that need it, and count them."""
    long = {item.path for item in items if any(map(item.get_closest_marker, ("long", "corpus")))}
    items.sort(key=lambda item: item.path not in long)
    if documents():
        return
    left_out = [item for item in items if item.get_closest_marker("corpus")]
    items[:] = [item for item in items if not item.get_closest_marker("corpus")]
    config.hook.pytest_deselected(items=left_out)
    config.stash[NOT_RUN]["here"] = len(left_out)
    if hasattr(config, "workeroutput"):
        config.workeroutput["specfn_not_run"] = len(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use one worker more than processors: tests of timeouts wait for seconds without any work."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the count of a worker of pytest-xdist."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[NOT_RUN][node.gateway.id] = output.get("specfn_not_run", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say in one line what the corpus is and where it is looked for."""
    found = documents()
    if found:
        state = f"{len(found)} real API documents in {CORPUS}"
    else:
        not_run = max(config.stash[NOT_RUN].values(), default=0)
        state = (
            f"no real API documents in {CORPUS} (set SPECFN_CORPUS to their directory): "
            f"{not_run} tests were not run"
        )
    terminalreporter.write_line(f"corpus: {state}")
