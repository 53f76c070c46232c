from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specfn.records import ABSENT
from specfn.validation.validate import Validator

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "home": {"$ref": "#/$defs/Address"},
        "friends": {"type": "array", "items": {"$ref": "#/$defs/Person"}},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "zip": {"type": "string", "pattern": "^[0-9]+$"}},
    "required": ["street"],
}
SCHEMA = {"$ref": "#/$defs/Person", "$defs": {"Person": PERSON, "Address": ADDRESS}}


def paths(schema: Any, value: Any, **options: Any) -> list[str]:
    return [problem.path for problem in Validator(schema, **options).problems(value)]


def test_order_of_the_document() -> None:
    """Problems come in the order of the document's properties, then of the array, surplus ones last."""
    value = {
        "zz": 1,
        "friends": [{"age": "x"}, {"name": "b", "age": 2, "home": 5}],
        "home": {"zip": "a"},
        "yy": 1,
        "tags": ["a", 1, "b", 2],
        "age": "7",
    }
    assert paths(SCHEMA, value) == [
        "$input.name",
        "$input.age",
        "$input.tags[1]",
        "$input.tags[3]",
        "$input.home.street",
        "$input.home.zip",
        "$input.friends[0].name",
        "$input.friends[0].age",
        "$input.friends[1].home",
        "$input.zz",
        "$input.yy",
    ]


def test_order_follows_the_document_through_composition() -> None:
    """Parts of an allOf come one after the other, each in its own order."""
    schema = {
        "allOf": [
            {"properties": {"b": {"type": "string"}, "a": {"type": "string"}}},
            {"properties": {"d": {"type": "string"}, "c": {"type": "string"}}},
        ]
    }
    value = dict.fromkeys("abcd", 1)
    assert paths(schema, value) == ["$input.b", "$input.a", "$input.d", "$input.c"]


def test_the_object_before_its_members() -> None:
    """The problem of a container comes before those of its members."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 2}
    assert paths(schema, {"a": 5}) == ["$input", "$input.a"]


def test_one_problem_per_place() -> None:
    """However many keywords fail at one place, it is one problem that names all of them."""
    schema = {
        "type": "string",
        "minLength": 5,
        "pattern": "^a",
        "format": "uuid",
        "enum": ["abcde"],
    }
    (problem,) = Validator(schema).problems("x")
    assert problem.path == "$input"
    both = {"allOf": [{"properties": {"a": {"minimum": 5}}}, {"properties": {"a": {"maximum": 1}}}]}
    assert paths(both, {"a": 3}) == ["$input.a"]


def test_paths_of_strange_keys() -> None:
    """Keys that are not identifiers are written as JSON, empty ones and escapes included."""
    schema = {"additionalProperties": {"additionalProperties": {"type": "string"}}}
    value = {"": {"a b": 1}, 'q"': {"ü": 1}, "0": {"a.b": 1}, "[0]": {"\n": 1}}
    assert paths(schema, value) == [
        '$input[""]["a b"]',
        '$input["q\\""]["ü"]',
        '$input["0"]["a.b"]',
        '$input["[0]"]["\\n"]',
    ]


def test_paths_of_numbers_as_keys() -> None:
    """Keys that look like numbers, or are empty, are the keys that they are."""
    keys = ["7", "07", "+7", "-1", "", "٣"]
    maps = {"additionalProperties": {"type": "string"}}
    assert paths(maps, dict.fromkeys(keys, 1)) == [f'$input["{key}"]' for key in keys]
    declared = {"properties": dict.fromkeys(keys, maps), "required": [*keys, "0"]}
    value = {key: {"1": 5} for key in keys}
    assert paths(declared, value) == [*(f'$input["{key}"]["1"]' for key in keys), '$input["0"]']
    by_pattern = {"patternProperties": {"^0": {"type": "string"}, "^$": False}}
    assert paths(by_pattern, dict.fromkeys(keys, 1)) == ['$input["07"]', '$input[""]']
    closed = {"properties": {"0": True}, "additionalProperties": False}
    assert paths(closed, {"0": 1, "1": 1, "": 1}) == ['$input["1"]', '$input[""]']


def test_recursion() -> None:
    """A place is found however often the same component was passed on the way."""
    value: dict[str, Any] = {"name": "leaf", "age": "x"}
    for _ in range(20):
        value = {"name": "n", "age": 1, "friends": [value]}
    assert paths(SCHEMA, value) == ["$input" + ".friends[0]" * 20 + ".age"]


def test_required_by_a_sibling_is_not_optional() -> None:
    """A place is optional only if no schema that applies to its object requires it."""
    schema = {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "string"}}}]}
    (problem,) = Validator(schema).problems({"a": 5})
    assert problem.expected == "string"


def test_one_schema_in_two_places() -> None:
    """The same component is told with each place's own optionality."""
    schema = {
        "$defs": {"S": {"type": "string"}},
        "properties": {"a": {"$ref": "#/$defs/S"}, "b": {"$ref": "#/$defs/S"}},
        "required": ["a"],
    }
    assert [problem.expected for problem in Validator(schema).problems({"a": 1, "b": 2})] == [
        "S",
        "S | undefined",
    ]


def test_many_siblings_are_all_checked() -> None:
    """More conjoined schemas than one level takes are all explained."""
    parts = [
        {"required": [f"p{index}"], "properties": {f"p{index}": {"minimum": index}}}
        for index in range(100)
    ]
    assert paths({"allOf": parts}, {}) == [f"$input.p{index}" for index in range(100)]


def test_many_required() -> None:
    """More required properties than are told one by one are all told."""
    names = [f"p{index}" for index in range(100)]
    schema = {"properties": dict.fromkeys(names, True), "required": names}
    assert paths(schema, {"p7": 1}) == [f"$input.{name}" for name in names if name != "p7"]


def test_deep_schemas_take_more_levels() -> None:
    """Faults below what one level takes in are found all the same, beside those above."""
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string"}}}
    value: dict[str, Any] = {"x": 1}
    for _ in range(30):
        schema = {"type": "object", "properties": {"a": schema, "x": {"type": "string"}}}
        value = {"a": value, "x": 1}
    assert len(paths(schema, value)) == 31


def test_wide_schemas_take_more_levels() -> None:
    """Faults in more objects than one level takes in are all found, in order."""
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = {"properties": {f"p{index}": inner for index in range(200)}}
    value = {f"p{index}": {"x": 1} for index in reversed(range(200))}
    assert paths(schema, value) == [f"$input.p{index}.x" for index in range(200)]


# -- independent damages -----------------------------------------------------------------------------

LEAVES: list[tuple[Any, Any, Any]] = [
    ({"type": "string"}, "a", 5),
    ({"type": "integer", "format": "int32"}, 1, 2**40),
    ({"type": "number", "multipleOf": 0.1}, 0.3, 0.35),
    ({"enum": ["x", "y"]}, "x", "z"),
    ({"const": 1}, 1, 2),
    ({"type": "boolean"}, True, "true"),
    ({"type": ["string", "null"]}, None, 1.5),
    ({"type": "string", "format": "date"}, "2026-01-31", "2026-02-30"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, "x"),
    ({"type": "array", "minItems": 1}, [1], []),
    ({"$ref": "#/$defs/Leaf"}, "leaf", ""),
]
DEFINITIONS = {"Leaf": {"type": "string", "minLength": 1}}

Damage = Callable[[], str]


class Tree:
    """A schema, a value that fits it, and every way to damage the value in one place."""

    def __init__(self, schema: Any, value: Any, spoiled: Any) -> None:
        self.schema = schema
        self.value = value
        self.spoiled = spoiled


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Tree:
    kind = draw(st.sampled_from(["leaf", "object", "array", "union", "all"] if depth else ["leaf"]))
    if kind == "leaf":
        return Tree(*draw(st.sampled_from(LEAVES)))
    if kind == "array":
        item = draw(trees(depth - 1))
        count = draw(st.integers(1, 3))
        return Tree({"type": "array", "items": item.schema}, [item] * count, "no array")
    inner = draw(st.lists(trees(depth - 1), min_size=1, max_size=3))
    members = {f"p{index}": tree for index, tree in enumerate(inner)}
    schema = {
        "type": "object",
        "properties": {name: tree.schema for name, tree in members.items()},
        "required": list(members),
        "additionalProperties": False,
    }
    if kind == "union":
        tag = {"const": "this"}
        tagged = {
            **schema,
            "properties": {"tag": tag, **schema["properties"]},
            "required": ["tag", *members],
        }
        other = {"type": "object", "properties": {"tag": {"const": "that"}}, "required": ["tag"]}
        schema = {"oneOf": [other, tagged]}
        members = {"tag": Tree(tag, "this", None), **members}
    elif kind == "all":
        schema = {"allOf": [schema, {"type": "object", "maxProperties": 50}]}
    return Tree(schema, members, 5)


def plain(tree: Tree) -> Any:
    """The value that fits."""
    if isinstance(tree.value, dict):
        return {name: plain(inner) for name, inner in tree.value.items()}
    if isinstance(tree.value, list) and tree.value and isinstance(tree.value[0], Tree):
        return [plain(inner) for inner in tree.value]
    return tree.value


def damaged(draw: st.DrawFn, tree: Tree, path: str, places: list[str]) -> Any:
    """The value with damages, each noted at its place; none lies inside another."""
    composite = isinstance(tree.value, dict) or plain(tree) is not tree.value
    if draw(st.integers(0, 3)) == 0:
        places.append(path)
        return tree.spoiled
    if not composite:
        return tree.value
    if isinstance(tree.value, list):
        return [
            damaged(draw, inner, f"{path}[{index}]", places)
            for index, inner in enumerate(tree.value)
        ]
    value = {}
    for name, inner in tree.value.items():
        if name == "tag":
            value[name] = plain(inner)
        elif draw(st.integers(0, 4)) == 0:
            places.append(f"{path}.{name}")
        else:
            value[name] = damaged(draw, inner, f"{path}.{name}", places)
    if draw(st.integers(0, 4)) == 0:
        value["surplus"] = 1
        places.append(f"{path}.surplus")
    return value


@settings(deadline=None)
@given(st.data())
def test_independent_damages_are_exactly_the_problems(data: st.DataObject) -> None:
    """V2: k independent damages are k problems, at exactly those places."""
    tree = data.draw(trees())
    validator = Validator({"$defs": DEFINITIONS, "properties": {"it": tree.schema}})
    assert validator.is_valid({"it": plain(tree)})
    places: list[str] = []
    value = {"it": damaged(data.draw, tree, "$input.it", places)}
    problems = validator.problems(value)
    assert sorted(problem.path for problem in problems) == sorted(places)
    for problem in problems:
        if problem.path.endswith("surplus"):
            assert problem.expected == "undefined"
        elif problem.value is ABSENT:
            assert "undefined" not in problem.expected


@pytest.mark.parametrize(
    "value", [None, 5, "x", [], {}, {"name": 1}, {"name": "a", "age": 1, "home": {}}]
)
def test_the_three_faces_agree(value: Any) -> None:
    """``validate``, ``problems`` and ``is_valid`` say the same of a value, which stays the same object."""
    validator = Validator(SCHEMA)
    outcome = validator.validate(value)
    assert outcome.data is value
    assert bool(outcome) is validator.is_valid(value)
    assert bool(outcome) is (validator.problems(value) == ())
