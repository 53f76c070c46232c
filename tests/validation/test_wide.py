"""Wide objects: every wrong place is reported, and the work grows with the width and no faster."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import calls, examples

from specfn.records import ABSENT
from specfn.validation.validate import Validator

#: The most calls, of Python's functions and of C's, that one wrong property may take; 90 are needed.
_CALLS = 150


class Wide(NamedTuple):
    """A wide object schema and its properties in the document's order."""

    schema: Any
    names: list[str]


def wide(width: int, members: int = 1, wrappers: str = "") -> Wide:
    """Return an object with that many required integers, divided between members and wrapped by references."""
    names = [f"p{index}" for index in range(width)]
    size = -(-width // members)
    parts = [
        {
            "type": "object",
            "properties": {name: {"type": "integer"} for name in names[start : start + size]},
            "required": names[start : start + size],
        }
        for start in range(0, width, size)
    ]
    definitions: dict[str, Any] = {f"Part{index}": part for index, part in enumerate(parts)}
    references = [{"$ref": f"#/$defs/{name}"} for name in definitions]
    node: Any = references[0] if len(references) == 1 else {"allOf": references}
    for index, kind in enumerate(wrappers):
        definitions[f"Wrapper{index}"] = node
        reference = {"$ref": f"#/$defs/Wrapper{index}"}
        node = {
            "r": reference,
            "a": {"allOf": [reference]},
            "t": {"type": "object", "allOf": [reference]},
            "s": {"allOf": [reference, {"minProperties": 0}, reference]},
        }[kind]
    root = {"properties": {"body": node}, "required": ["body"], "$defs": definitions}
    return Wide(root, names)


def work(schema: Any, value: Any) -> int:
    """Return how many calls it takes to explain a value once all is compiled."""
    validator = Validator(schema)
    validator.problems(value)
    return calls(lambda: validator.problems(value), of_c=True)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(1, 300),
    st.integers(1, 40),
    st.text("rats", max_size=5),
    st.data(),
)
def test_every_wrong_property_is_reported(
    width: int, members: int, wrappers: str, data: st.DataObject
) -> None:
    """V2: of a wide object behind references each missing and each wrong property is one problem, in document order."""
    schema, names = wide(width, members, wrappers)
    given = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from([1, "x", None])))
    wrong = [name for name in names if given.get(name) != 1]
    found = Validator(schema).problems({"body": given})
    assert sorted(problem.path for problem in found) == sorted(
        f"$input.body.{name}" for name in wrong
    )
    assert {problem.value for problem in found} <= {ABSENT, "x", None}
    assert {problem.expected for problem in found} <= {"integer"}
    if members == 1:
        assert [problem.path for problem in found] == [f"$input.body.{name}" for name in wrong]


@pytest.mark.parametrize("wrappers", ["", "r", "a", "rr", "rat", "rats", "ratsr", "aaaaa", "sssss"])
@pytest.mark.parametrize("members", [1, 7, 1_000])
@pytest.mark.parametrize("body", [{}, {"p0": "x"}, {"other": 1}, 5])
def test_work_grows_with_the_width(wrappers: str, members: int, body: Any) -> None:
    """V4: the work to explain a wide object is linear in its width, for any number of references to it."""
    for width in (22, 400):
        schema, _ = wide(width, min(members, width), wrappers)
        assert work(schema, {"body": body}) < _CALLS * (width + 20)


@pytest.mark.parametrize("wrappers", ["", "r", "ratsr"])
@pytest.mark.parametrize("members", [1, 500])
def test_compiling_grows_with_the_width(wrappers: str, members: int) -> None:
    """V4: so is what it takes the first time, when the parts are compiled."""
    schemas = [wide(width, min(members, width), wrappers).schema for width in (500, 1_000)]
    small, large = (
        calls(lambda s=schema: Validator(s).problems({"body": {}}), of_c=True) for schema in schemas
    )
    assert large < 2.5 * small


def test_members_that_refer_to_each_other() -> None:
    """V2: members that refer to one another, each too wide for one level, are explained once each."""
    names = [f"p{index}" for index in range(40)]
    heavy = {"properties": {name: {} for name in names}, "required": names}
    definitions: dict[str, Any] = {
        "A": {**heavy, "type": "object", "maxProperties": 9},
        "B": {"required": [f"q{index}" for index in range(16)], "minProperties": 1},
        **{
            f"C{index}": {
                "allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
                "required": [f"r{index}"],
            }
            for index in range(60)
        },
    }
    schema = {"allOf": [{"$ref": f"#/$defs/{name}"} for name in definitions], "$defs": definitions}
    found = Validator(schema).problems({})
    wanted = [*names, *(f"q{index}" for index in range(16)), *(f"r{index}" for index in range(60))]
    assert sorted(problem.path for problem in found) == sorted(
        ["$input", *(f"$input.{name}" for name in wanted)]
    )
    assert work(schema, {}) < _CALLS * 200


@pytest.mark.parametrize("count", [100, 1_000])
@pytest.mark.parametrize("parts", [1, 100])
def test_properties_that_are_declared_apart(count: int, parts: int) -> None:
    """V2: if one member requires properties that others declare, the work is linear in the names, too."""
    names = [f"p{index}" for index in range(count)]
    declared = [
        {"properties": {name: {"type": "string"} for name in names[start::parts]}}
        for start in range(parts)
    ]
    schema = {"allOf": [{"required": names}, *declared]}
    found = Validator(schema).problems({})
    assert {problem.path: problem.expected for problem in found} == {
        f"$input.{name}": "string" for name in names
    }
    assert work(schema, {}) < _CALLS * count


@pytest.mark.parametrize("count", [50, 400])
@pytest.mark.parametrize("keyword", ["properties", "dependentSchemas"])
def test_properties_that_are_looked_at_one_by_one(keyword: str, count: int) -> None:
    """V2: names that begin with a digit and dependent schemas are explained at linear cost, too."""
    names = [str(index) for index in range(count)]
    members = {name: {"type": "string"} for name in names}
    if keyword == "dependentSchemas":
        members = {name: {"properties": {name: inner}} for name, inner in members.items()}
    schema = {keyword: members}
    value = dict.fromkeys(names, 1)
    paths = [problem.path for problem in Validator(schema).problems(value)]
    assert paths == [f'$input["{name}"]' for name in names]
    assert work(schema, value) < _CALLS * count
