"""T41: hostile documents cost what their size costs, in every operation."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.effort import calls
from tests.hostile_documents import FAMILIES, api, record, whole

import specfn
from specfn.document.diagnose import spec_validator

#: Operations that cost more than the size at the short sizes of a family, where the schema for a model is not yet as
#: large as its budget. From 160 to 640 subtypes, the ratio is 1.5.
FILLING = ("tools: ", "signature: ")
KNOWN = {
    "chain of inheritance under a discriminator": FILLING,
    "chain of discriminators": FILLING,
}


@pytest.fixture(scope="module")
def faults(root: Path) -> Mapping[str, list[str]]:
    """What is wrong with each family: measured by calls of functions, in processes with limits."""
    command = [sys.executable, "-m", "bench.hostile", "--count", "--json", "--seconds", "30"]
    path = os.pathsep.join([str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        command,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["family"] for each in told] == [*FAMILIES], ran.stderr[-2_000:]
    return {each["family"]: each["faults"] for each in told}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_costs_at_most_five_times_as_much_at_four_times_the_size(
    faults: Mapping[str, list[str]], family: str
) -> None:
    """Every operation ends within its limits, with at most five times the calls for four times the size."""
    found = [fault for fault in faults[family] if not fault.startswith(KNOWN.get(family, ()))]
    assert found == []


def test_there_are_enough_families() -> None:
    """There are at least 60 families, and each grows: a document of 4n is larger than one of n, and another text."""
    assert len(FAMILIES) >= 60
    for family in FAMILIES.values():
        sizes = [len(family.text(family.size * times)) for times in (1, 4)]
        assert sizes[0] < sizes[1], family.name
    assert len({family.text(27) for family in FAMILIES.values()}) == len(FAMILIES)


def test_many_parameters_are_composed_once_for_a_comparison() -> None:
    """The comparison of four times as many parameters that differ in letter case takes four times the calls."""
    counts = []
    for count in (4, 16):
        text = FAMILIES["query parameters that differ in letter case"].text(count)
        old, new = specfn.loads(text), specfn.loads(text.replace('"string"', '"boolean"', 3))
        counts.append(calls(lambda old=old, new=new: specfn.compare(old, new)))
    assert counts[1] < 5 * counts[0]


def test_too_many_alternatives_are_undecided_and_not_equal() -> None:
    """Unions with too many nested alternatives are a change that may break callers, never none."""
    text = FAMILIES["nested unions, two levels"].text(200)
    old, new = specfn.loads(text), specfn.loads(text.replace('"string"', '"boolean"', 100))
    found = specfn.compare(old, new)
    assert {"maybe"} <= {difference.breaking for difference in found} <= {"maybe", "yes", "no"}
    assert specfn.compare(old, specfn.loads(text)) == ()


#: A default that openapi-spec-validator matches by backtracking: each further letter
#: doubles the time.
HANGING: dict[str, Any] = api(
    record({"a": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 26 + "!"}})
)


def test_the_strict_check_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document that makes openapi-spec-validator hang is refused with a note that says so, and the process ends."""
    monkeypatch.setattr(spec_validator, "MAX_SECONDS", 0.5)
    with pytest.raises(
        specfn.DocumentError, match=r"was stopped after 0\.5 s, so its findings are missing"
    ):
        specfn.load(HANGING, check="strict")


def test_the_strict_check_finds_the_same_in_another_process() -> None:
    """Findings of openapi-spec-validator arrive from the other process with their pointers."""
    operation = {"operationId": "same", "responses": {"200": {"description": "ok"}}}
    with pytest.raises(specfn.DocumentError, match="same"):
        specfn.load(whole({"/a": {"get": operation}, "/b": {"get": operation}}), check="strict")


def test_the_strict_check_says_that_it_could_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an interpreter to start, as in a frozen program, the check is refused in words and starts nothing."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(specfn.DocumentError, match="could not be run"):
        specfn.load(
            whole({"/a": {"get": {"responses": {"200": {"description": "ok"}}}}}), check="strict"
        )


def test_signatures_of_long_paths_end() -> None:
    """A path of 100,000 segments has signatures of its size: namespaces nest to a limit, and names stay unique."""
    operation = {"get": {"responses": {"200": {"description": "ok"}}}}
    app = specfn.load(whole({"/a" * 100_000: operation, "/a" * 99_999 + "/b": operation}))
    for language, name in (("typescript", r"(a_)+get\("), ("python", r"def (a_)+get\(")):
        texts = [function.signature(language) for function in app]
        assert all(len(text) < 1_000_000 for text in texts)
        assert all(re.search(name.replace("get", "[ab_]*get"), text) for text in texts)
