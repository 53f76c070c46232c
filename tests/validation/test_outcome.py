import dataclasses
import pickle
import subprocess
import sys

import pytest

from specfn import Failure, Success
from specfn.records import ArgumentProblem, Repair
from specfn.validation.outcome import success

PROBLEM = ArgumentProblem(path="$input.a", expected="string", value=5)


def test_truth_is_success() -> None:
    """A success is true, a failure is not."""
    assert Success(data=None)
    assert not Failure(data=1, errors=())


def test_quick_success_is_a_success() -> None:
    """The short way of making one leaves nothing out."""
    data = {"a": 1}
    made = success(data)
    assert made == Success(data=data)
    assert made.data is data
    assert repr(made) == repr(Success(data=data))
    assert pickle.loads(pickle.dumps(made)) == made


def test_outcomes_are_frozen() -> None:
    """Nobody changes an outcome."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        success(1).data = 2  # type: ignore[misc]


def test_failure_keeps_what_was_done() -> None:
    """Repairs and incompleteness stay with a failure, which can be pickled."""
    repair = Repair(path="$input", kind="fence", before="```", after="")
    failure = Failure(data={"a": 5}, errors=(PROBLEM,), repairs=(repair,), incomplete=True)
    assert pickle.loads(pickle.dumps(failure)) == failure
    assert "❌ expected string" in failure.feedback()


def test_what_is_deep_or_long_is_shown_in_short() -> None:
    """The ``repr`` of an outcome is bounded, however deep and long what a model wrote is."""
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    for value in (deep, "x" * 1_000_000, list(range(100_000))):
        problem = ArgumentProblem(path="$input", expected="string", value=value)
        for shown in (repr(problem), repr(Failure(data=value, errors=(problem,)))):
            assert len(shown) < 1_000
            assert "path='$input'" in shown


LOADED = """
import sys
from specfn.validation.formats import _pattern
from specfn.validation.validate import Validator
validator = Validator({"type": "string", "format": "date"})
assert validator.validate("2024-01-31")
assert not any(name.startswith("specfn.validation.explain.") for name in sys.modules)
assert _pattern.cache_info().currsize == 0
assert validator.problems("x")[0].expected == 'string & Format<"date">'
"""


def test_valid_arguments_load_no_explanation() -> None:
    """The first validation of valid arguments imports no module of explanation and compiles only the patterns of its formats."""
    subprocess.run([sys.executable, "-c", LOADED], check=True, timeout=60)
