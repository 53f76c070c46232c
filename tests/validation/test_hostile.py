import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.validation.hostile import LOOKED_AT, SCHEMAS, VALUES

ROOT = Path(__file__).parents[2]

PAIRS = [
    *((s, v) for s in SCHEMAS for v in VALUES if "million" not in v or s in LOOKED_AT),
    *(
        (schema, f"{value}, far down")
        for schema in ("a tree", "a tree with hops")
        for value in ("objects at the limit", "objects at the limit, wrong at their end")
    ),
]


@pytest.fixture(scope="module")
def answers() -> Mapping[tuple[str, str], Any]:
    """The outcome of each pair, from a process of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.validation.hostile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, ""), (run.stdout[-300:], run.stderr[-2_000:])
    return {(s, v): said for s, v, said in map(json.loads, run.stdout.splitlines())}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_value_is_survived(answers: Any, schema: str) -> None:
    """V1: no value ends the process or raises: each is accepted, or has problems with their places."""
    for pair in PAIRS:
        if pair[0] == schema:
            said = answers[pair]
            if said not in (None, True):
                assert said, pair
                assert all(path.startswith("$input") for path, _, _ in said), pair


def test_what_is_within_the_limits_is_judged(answers: Any) -> None:
    """V1: depth within the limits is no fault, however many hops lie between its levels and however deep the caller is."""
    for schema in ("a tree", "a tree with hops"):
        for place in ("", ", far down"):
            assert answers[schema, f"objects at the limit{place}"] is True
            [[path, expected, _]] = answers[
                schema, f"objects at the limit, wrong at their end{place}"
            ]
            assert path.endswith(".c.c.v")
            assert "integer" in expected


def test_what_is_no_json_is_refused_before_any_schema(answers: Any) -> None:
    """V1: a value that is not JSON or exceeds the limits is a failure even for a schema without constraints."""
    fine = {kind for kind in VALUES if answers["anything", kind] is True}
    assert fine == {
        *("lists at the limit", "objects at the limit", "null in a text", "minus zero", "true"),
        *("objects at the limit, wrong at their end", "one list many times", "a long text"),
        *("an integer beyond floats", "an integer at the limit of digits", "a tiny number"),
        *("an integer between floats", "a large number", "a long text that ends badly"),
        *("a long text of letters beyond ASCII", "a long key", "keys with meaning elsewhere"),
        *("many items", "many different items", "many equal objects"),
    }
