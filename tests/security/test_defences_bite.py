"""Every defence against the threats of calls is noticed when it is gone: its tests can fail."""

import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest
from tests.security.defences import DEFENCES, Defence, files

#: The threats that are defended here. Each has files of tests and at least one row of the table.
THREATS = tuple(f"T{number}" for number in (*range(1, 46), 47, 49, 52))

#: How pytest says that tests ran, and that some of them failed; a broken table would end otherwise.
FAILED = 1


@pytest.fixture(scope="session")
def codes(root: Path) -> Mapping[str, int]:
    """How the tests of each row ended without its defence, all in one process of their own."""
    command = [sys.executable, "-m", "tests.security.defences"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    return {name: int(code) for code, _, name in lines}


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda each: each.name)
def test_a_defence_that_is_gone_is_missed(codes: Mapping[str, int], defence: Defence) -> None:
    """Without the defence, tests of its threat fail; that they pass with it is theirs to say."""
    assert codes[defence.name] == FAILED


def test_every_threat_has_its_tests_and_its_defences() -> None:
    """No threat is without a file that is named after it, nor without a defence that can be taken away."""
    assert [threat for threat in THREATS if not files(threat)] == []
    assert {defence.threat for defence in DEFENCES} == set(THREATS)
    assert len({defence.name for defence in DEFENCES}) == len(DEFENCES)


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda each: each.name)
def test_a_defence_is_a_function_of_the_library(defence: Defence) -> None:
    """What is switched off is a function of specfn, at the place where it is looked up."""
    module, _, path = defence.function.partition(":")
    found: object = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    assert callable(found)
