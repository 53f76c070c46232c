"""Schemas and values that must neither crash nor block the process; a subprocess runs those that might crash it."""

import subprocess
import sys
from typing import Any

import pytest

from specfn.errors import DocumentError
from specfn.validation.compile.limits import depth_limit
from specfn.validation.compile.prepare import prepare
from specfn.validation.compile.references import survey
from specfn.validation.plain_json import MAX_DEPTH
from specfn.validation.validate import Validator


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def chain(hops: int, link: str = "allOf") -> dict[str, Any]:
    """A recursive schema with that many links in place between two levels."""
    definitions: dict[str, Any] = {
        f"D{index}": {link: [ref(f"D{index + 1}"), {"type": "object"}]} for index in range(hops)
    }
    definitions[f"D{hops}"] = {"type": "object", "properties": {"a": ref("D0")}}
    return {**ref("D0"), "$defs": definitions}


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"a": leaf}
    return leaf


def limit(schema: Any) -> int:
    return depth_limit(prepare(survey(schema), formats=True, equals=False))


@pytest.mark.parametrize("link", ["allOf", "anyOf"])
def test_depth_times_hops_is_bounded(link: str) -> None:
    """V1: the more hops in place, the less depth; ordinary schemas have all of it."""
    limits = [limit(chain(hops, link)) for hops in (0, 1, 4, 8, 32, 100)]
    assert limits[:3] == [MAX_DEPTH] * 3
    assert limits == sorted(limits, reverse=True)
    assert limits[-1] >= 6


def test_too_many_hops_are_refused() -> None:
    """V1: a chain that leaves no depth worth having is the document's fault."""
    with pytest.raises(DocumentError, match="in a row"):
        Validator(chain(200)).validate({})


def test_less_depth_is_said() -> None:
    """Arguments deeper than a schema allows are refused with the depth that it does."""
    validator = Validator(chain(100))
    assert validator.is_valid(nested(4, {}))
    (problem,) = validator.problems(nested(40, {}))
    assert problem.description is not None
    assert problem.description.startswith("Nested deeper than")


SCRIPT = """
import threading
from specfn.validation.validate import Validator
from specfn.errors import DocumentError

def ref(name):
    return {"$ref": f"#/$defs/{name}"}

def go():
    for link in ("allOf", "anyOf", "oneOf"):
        for hops in (0, 1, 3, 7, 12, 40, 120):
            other = {"type": "object"} if link == "allOf" else {"type": "null"}
            definitions = {f"D{i}": {link: [other, ref(f"D{i + 1}")]} for i in range(hops)}
            definitions[f"D{hops}"] = {"type": "object", "properties": {"a": ref("D0")}}
            validator = Validator({**ref("D0"), "$defs": definitions})
            for depth in (3, 11, 23, 62, 1_000, 100_000):
                for leaf in ({}, 5):
                    value = leaf
                    for _ in range(depth):
                        value = {"a": value}
                    outcome = validator.validate(value)
                    assert outcome or outcome.feedback()

threading.stack_size(256 * 1024)
thread = threading.Thread(target=go)
thread.start()
thread.join()
print("alive")
"""


def test_the_process_survives() -> None:
    """V1: on a stack of 256 KiB no depth of arguments and no chain of schemas ends the process."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == "alive", run.stderr[-500:]
    assert not run.stderr


def test_binary_graph_of_references() -> None:
    """T17: forty levels of the same reference twice are looked at once each."""
    definitions = {f"D{index}": {"allOf": [ref(f"D{index + 1}")] * 2} for index in range(40)}
    definitions["D40"] = {"type": "object", "required": ["x"]}
    validator = Validator({**ref("D0"), "$defs": definitions})
    assert validator.is_valid({"x": 1})
    assert [problem.path for problem in validator.problems({})] == ["$input.x"]
    wide = {
        f"D{index}": {"properties": {"a": ref(f"D{index + 1}"), "b": ref(f"D{index + 1}")}}
        for index in range(40)
    }
    wide["D40"] = {"type": "integer"}
    validator = Validator({**ref("D0"), "$defs": wide})
    assert [problem.path for problem in validator.problems(nested(40, "x"))] == [
        "$input" + ".a" * 40
    ]


@pytest.mark.parametrize("form", ["in place", "by levels"])
def test_graphs_beyond_measure_are_refused(form: str) -> None:
    """T17: what would look at one value millions of times is the document's fault, said at once."""
    definitions: dict[str, Any] = {}
    for index in range(40):
        follow = ref(f"D{index + 1}")
        once, again = (
            (follow, {**follow, "minProperties": 0})
            if form == "in place"
            else ({"properties": {"a": follow}},) * 2
        )
        definitions[f"D{index}"] = {"allOf": [once, again]}
    definitions["D40"] = {"type": "integer"}
    with pytest.raises(DocumentError, match="more than"):
        Validator({**ref("D0"), "$defs": definitions}).validate(5)


def test_recursion_by_two_ways_takes_time_of_its_size() -> None:
    """A recursive property that two parts describe is not looked at twice as often on each level."""
    schema = {
        "$defs": {"T": {"type": "object", "allOf": [{"properties": {"a": ref("T")}}] * 2}},
        **ref("T"),
    }
    assert [problem.path for problem in Validator(schema).problems(nested(60, 5))] == [
        "$input" + ".a" * 60
    ]


@pytest.mark.parametrize("kind", ["deep", "self-containing", "shared"])
def test_schemas_beyond_measure_are_refused(kind: str) -> None:
    """A schema that is nested too deeply, or endless as Python has it, is refused."""
    schema: dict[str, Any] = {"type": "string"}
    if kind == "deep":
        for _ in range(5_000):
            schema = {"items": schema}
    elif kind == "self-containing":
        schema["properties"] = {"a": schema}
    else:
        for _ in range(30):
            schema = {"properties": {"a": schema, "b": schema}}
    with pytest.raises(DocumentError, match="too large or nested too deeply"):
        Validator(schema).validate({})


def test_large_enums() -> None:
    """T17: an enum of a hundred thousand values is decided and told without copying it for each fault."""
    schema = {"items": {"enum": [f"value {index}" for index in range(100_000)]}}
    validator = Validator(schema)
    assert validator.is_valid(["value 99999"] * 1_000)
    problems = validator.problems(["x"] * 2_000)
    assert len(problems) == 2_000
    assert len(problems[0].expected) <= 300


def test_large_objects_with_much_missing() -> None:
    """The object is not copied for each property that it lacks."""
    names = [f"p{index}" for index in range(20_000)]
    schema = {
        "required": names,
        "propertyNames": {"maxLength": 3},
        "dependentRequired": {"x0": names},
    }
    problems = Validator(schema).problems({f"x{index}": 1 for index in range(20_000)})
    assert len(problems) == 20_000 + 20_000 - 100
