import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.validation.hostile import LOOKED_AT, SCHEMAS, VALUES

ROOT = Path(__file__).parents[2]
ENGINES = ("rust", "python")

PAIRS = [
    *((s, v) for s in SCHEMAS for v in VALUES if "million" not in v or s in LOOKED_AT),
    *(
        (schema, f"{value}, far down")
        for schema in ("a tree", "a tree with hops")
        for value in ("objects at the limit", "objects at the limit, wrong at their end")
    ),
]


@pytest.fixture(scope="module")
def answers() -> Mapping[str, dict[tuple[str, str], Any]]:
    """What each engine says of each pair, in a process of its own."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.validation.hostile", engine],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for engine in ENGINES
    ]
    found = {}
    for engine, run in zip(ENGINES, runs, strict=True):
        out, err = run.communicate(timeout=300)
        assert (run.returncode, err) == (0, ""), (engine, out[-300:], err[-2_000:])
        found[engine] = {(s, v): said for s, v, said in map(json.loads, out.splitlines())}
    return found


@pytest.mark.parametrize("schema", SCHEMAS)
def test_both_engines_survive_and_agree(answers: Any, schema: str) -> None:
    """V1, V5: no value ends the process or raises, and both engines say the same of it, with the same words."""
    pairs = [pair for pair in PAIRS if pair[0] == schema]
    rust, python = ([answers[engine][pair] for pair in pairs] for engine in ENGINES)
    differing = [
        (pair[1], *both)
        for pair, *both in zip(pairs, rust, python, strict=True)
        if None not in both and both[0] != both[1]
    ]
    assert differing == []


def test_what_is_within_the_limits_is_judged(answers: Any) -> None:
    """V1: depth within the limits is no fault, however many hops lie between its levels and however deep the caller is."""
    for engine in ENGINES:
        for schema in ("a tree", "a tree with hops"):
            for place in ("", ", far down"):
                assert answers[engine][schema, f"objects at the limit{place}"] is True
                [[path, expected, _]] = answers[engine][
                    schema, f"objects at the limit, wrong at their end{place}"
                ]
                assert path.endswith(".c.c.v")
                assert "integer" in expected


def test_what_is_no_json_is_refused_before_any_schema(answers: Any) -> None:
    """V1: what is not JSON, or too much of it, is a failure even where a schema asks for nothing."""
    for engine in ENGINES:
        fine = {kind for kind in VALUES if answers[engine]["anything", kind] is True}
        assert fine == {
            *("lists at the limit", "objects at the limit", "null in a text", "minus zero", "true"),
            *("objects at the limit, wrong at their end", "one list many times", "a long text"),
            *("an integer beyond floats", "an integer at the limit of digits", "a tiny number"),
            *("an integer between floats", "a large number", "a long text that ends badly"),
            *("a long text of letters beyond ASCII", "a long key", "keys with meaning elsewhere"),
            *("many items", "many different items", "many equal objects"),
        }
