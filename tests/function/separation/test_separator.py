import copy
import json
from typing import Any

import pytest
from tests.schema.conftest import document, ref

import specfn
from specfn import Function, Options, load, merge
from specfn.errors import ArgumentError, UsageError
from specfn.function.separation.join import mask, split
from specfn.human import Node

Json = dict[str, Any]

TEXT = {"type": "string"}
SECRET = {"type": "string", "x-human": True}
NULL = {"type": "null"}


def is_marked(node: Node) -> bool:
    return "x-human" in node


def thing(required: tuple[str, ...] = (), **properties: Any) -> Json:
    """An object schema."""
    node: Json = {"type": "object", "properties": properties}
    return {**node, "required": list(required)} if required else node


def shut(required: tuple[str, ...] = (), **properties: Any) -> Json:
    """A closed object schema."""
    return {**thing(required, **properties), "additionalProperties": False}


def separated(body: Any, parts: Json | None = None, **options: Any) -> Function:
    made = load(document(body, parts), options=Options(separate=is_marked, **options))
    return made.functions[0]


def half(schemas: Any) -> Any:
    """What one side has of the body."""
    return None if schemas is None else schemas.root["properties"].get("body")


#: A body, the model's half of it and the person's, and a body that is split with its two halves.
CASES: dict[str, tuple[Any, Any, Any, tuple[Any, Any, Any]]] = {
    "nothing is a person's": (thing(a=TEXT), thing(a=TEXT), None, ({"a": "x"}, {"a": "x"}, None)),
    "everything is a person's": (
        thing(("a",), a=SECRET),
        None,
        thing(("a",), a=SECRET),
        ({"a": "x"}, None, {"a": "x"}),
    ),
    "a member is a person's": (
        thing(("a", "b"), a=TEXT, b=SECRET),
        thing(("a",), a=TEXT, b=False),
        shut(("b",), a=False, b=SECRET) | {"properties": {"b": SECRET}},
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "a closed object names nothing of the other side": (
        shut(a=TEXT, b=SECRET),
        shut(a=TEXT),
        shut(b=SECRET),
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "what is not declared is the model's": (
        thing(a=TEXT, b=SECRET),
        thing(a=TEXT, b=False),
        shut(b=SECRET),
        ({"c": 1, "b": "y"}, {"c": 1}, {"b": "y"}),
    ),
    "an open object of secrets is a person's": (
        thing(a=SECRET),
        None,
        thing(a=SECRET),
        ({"a": "x", "more": 1}, None, {"a": "x", "more": 1}),
    ),
    "nested objects": (
        thing(("o",), o=thing(("a", "b"), a=TEXT, b=SECRET), c=thing(d=SECRET)),
        thing(("o",), o=thing(("a",), a=TEXT, b=False), c=False),
        shut(("o",), o=shut(("b",), b=SECRET), c=thing(d=SECRET)),
        (
            {"o": {"a": "x", "b": "y"}, "c": {"d": "z"}},
            {"o": {"a": "x"}},
            {"o": {"b": "y"}, "c": {"d": "z"}},
        ),
    ),
    "an array of objects": (
        {"type": "array", "items": thing(("b",), a=TEXT, b=SECRET), "minItems": 1},
        {"type": "array", "items": thing(a=TEXT, b=False), "minItems": 1},
        {"type": "array", "items": shut(("b",), b=SECRET), "minItems": 1},
        (
            [{"a": "x", "b": "y"}, {"b": "z"}],
            [{"a": "x"}, {}],
            [{"b": "y"}, {"b": "z"}],
        ),
    ),
    "an array of files": (
        thing(("f",), a=TEXT, f={"type": "array", "items": SECRET}),
        thing(a=TEXT, f=False),
        shut(("f",), f={"type": "array", "items": SECRET}),
        ({"a": "x", "f": ["1", "2"]}, {"a": "x"}, {"f": ["1", "2"]}),
    ),
    "files in arrays in arrays": (
        {"type": "array", "items": {"type": "array", "items": thing(n=TEXT, f=SECRET)}},
        {"type": "array", "items": {"type": "array", "items": thing(n=TEXT, f=False)}},
        {"type": "array", "items": {"type": "array", "items": shut(f=SECRET)}},
        ([[{"n": "x", "f": "1"}], []], [[{"n": "x"}], []], [[{"f": "1"}], []]),
    ),
    "an array of texts and files": (
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, SECRET]}},
        {"type": "array", "items": {"anyOf": [{"anyOf": [{"type": "integer"}]}, NULL]}},
        {"type": "array", "items": {"anyOf": [{"anyOf": [SECRET]}, NULL]}},
        ([1, "f"], [1, None], [None, "f"]),
    ),
    "a tuple keeps its positions": (
        {"type": "array", "prefixItems": [TEXT, SECRET], "items": False},
        {"type": "array", "prefixItems": [TEXT, NULL], "items": False},
        {"type": "array", "prefixItems": [NULL, SECRET], "items": False},
        (["x", "y"], ["x", None], [None, "y"]),
    ),
    "distinct items may be alike in part": (
        {"type": "array", "items": thing(a=TEXT, b=SECRET), "uniqueItems": True},
        {"type": "array", "items": thing(a=TEXT, b=False)},
        {"type": "array", "items": shut(b=SECRET)},
        ([{"a": "x", "b": "1"}, {"a": "x", "b": "2"}], [{"a": "x"}] * 2, [{"b": "1"}, {"b": "2"}]),
    ),
    "a map of secrets": (
        {**thing(a=TEXT), "additionalProperties": SECRET},
        shut(a=TEXT),
        {**thing(a=False), "additionalProperties": SECRET},
        ({"a": "x", "k": "y"}, {"a": "x"}, {"k": "y"}),
    ),
    "a map of objects": (
        {"type": "object", "additionalProperties": thing(("b",), a=TEXT, b=SECRET)},
        {"type": "object", "additionalProperties": thing(a=TEXT, b=False)},
        {"type": "object", "additionalProperties": shut(("b",), b=SECRET)},
        ({"k": {"a": "x", "b": "y"}}, {"k": {"a": "x"}}, {"k": {"b": "y"}}),
    ),
    "a map by pattern": (
        {"type": "object", "patternProperties": {"^s_": SECRET, "^t_": TEXT}},
        {"type": "object", "patternProperties": {"^s_": False, "^t_": TEXT}},
        {"type": "object", "patternProperties": {"^s_": SECRET, "^t_": False}, "additionalProperties": False},
        ({"s_a": "x", "t_a": "y"}, {"t_a": "y"}, {"s_a": "x"}),
    ),
    "a required name of a map": (
        {**thing(("k",), a=TEXT), "additionalProperties": SECRET},
        shut(a=TEXT),
        {**thing(("k",), a=False), "additionalProperties": SECRET},
        ({"a": "x", "k": "y"}, {"a": "x"}, {"k": "y"}),
    ),
    "a secret that may be null": (
        thing(("b",), a=TEXT, b={"type": ["string", "null"], "x-human": True}),
        thing(a=TEXT, b=False),
        shut(("b",), b={"type": ["string", "null"], "x-human": True}),
        ({"a": "x", "b": None}, {"a": "x"}, {"b": None}),
    ),
    "a secret or null": (
        thing(a=TEXT, b={"anyOf": [SECRET, NULL]}),
        thing(a=TEXT, b=False),
        shut(b={"anyOf": [SECRET, NULL]}),
        ({"a": "x", "b": None}, {"a": "x"}, {"b": None}),
    ),
    "an object that may be null": (
        thing(("o",), o={**thing(("b",), a=TEXT, b=SECRET), "type": ["object", "null"]}),
        thing(("o",), o={**thing(a=TEXT, b=False), "type": ["object", "null"]}),
        shut(o=shut(("b",), b=SECRET)),
        ({"o": None}, {"o": None}, {}),
    ),
    "an object or null": (
        thing(("o",), o={"anyOf": [thing(a=TEXT, b=SECRET), NULL]}),
        thing(("o",), o={"anyOf": [thing(a=TEXT, b=False), NULL]}),
        shut(o={"anyOf": [shut(b=SECRET)]}),
        ({"o": {"a": "x", "b": "y"}}, {"o": {"a": "x"}}, {"o": {"b": "y"}}),
    ),
    "a union that is a person's": (
        thing(a=TEXT, u={"oneOf": [SECRET, thing(b=SECRET)]}),
        thing(a=TEXT, u=False),
        shut(u={"oneOf": [SECRET, thing(b=SECRET)]}),
        ({"a": "x", "u": {"b": "y"}}, {"a": "x"}, {"u": {"b": "y"}}),
    ),
    "a link or a file": (
        thing(("u",), u={"oneOf": [{"type": "integer"}, SECRET]}),
        thing(u={"anyOf": [{"type": "integer"}]}),
        shut(u={"anyOf": [SECRET]}),
        ({"u": "file"}, {}, {"u": "file"}),
    ),
    "a union of objects": (
        {
            "oneOf": [
                thing(("kind", "data"), kind={"const": "file"}, data=SECRET),
                thing(("kind", "data"), kind={"const": "text"}, data=TEXT),
            ],
        },
        {
            "anyOf": [
                thing(("kind",), kind={"const": "file"}, data=False),
                thing(("kind", "data"), kind={"const": "text"}, data=TEXT),
            ],
        },
        {"anyOf": [shut(("data",), data=SECRET)]},
        ({"kind": "file", "data": "x"}, {"kind": "file"}, {"data": "x"}),
    ),
    "a union beside members": (
        {**thing(("a",), a=TEXT), "oneOf": [thing(("b",), b=SECRET), thing(("c",), c=TEXT)]},
        {
            **thing(("a",), a=TEXT),
            "anyOf": [thing(b=False), thing(("c",), c=TEXT)],
        },
        {**thing(a=False), "anyOf": [thing(("b",), b=SECRET), True]},
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "a union of requirements": (
        {**thing(a=TEXT, b=SECRET), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {**thing(a=TEXT, b=False), "anyOf": [{"required": ["a"]}, {}]},
        {**thing(a=False, b=SECRET), "anyOf": [True, {"required": ["b"], "type": "object"}]},
        ({"b": "y"}, {}, {"b": "y"}),
    ),
    "two unions": (
        {
            "anyOf": [thing(("a",), a=SECRET), {"required": ["c"]}],
            "oneOf": [thing(b=TEXT), thing(d=TEXT)],
        },
        {
            "anyOf": [thing(a=False), {"required": ["c"]}],
            "allOf": [{"anyOf": [thing(b=TEXT), thing(d=TEXT)]}],
        },
        {"anyOf": [thing(("a",), a=SECRET), True]},
        ({"a": "x", "b": 1, "d": "z"}, {"b": 1, "d": "z"}, {"a": "x"}),
    ),
    "counts of members are of the whole": (
        {**thing(a=TEXT, b=SECRET), "minProperties": 2, "maxProperties": 2},
        {**thing(a=TEXT, b=False), "maxProperties": 2},
        {**shut(b=SECRET), "maxProperties": 2},
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "values of the whole are not shown": (
        {
            **thing(a=TEXT, b=SECRET),
            "default": {"b": "canary"},
            "examples": [{"b": "canary"}],
            "enum": [{"a": "x", "b": "canary"}],
        },
        thing(a=TEXT, b=False),
        shut(b=SECRET),
        ({"a": "x", "b": "canary"}, {"a": "x"}, {"b": "canary"}),
    ),
    "a condition on the model's members stays": (
        {**thing(a=TEXT, b=SECRET, c=TEXT), "not": {"required": ["a", "c"]}},
        {**thing(a=TEXT, b=False, c=TEXT), "not": {"required": ["a", "c"]}},
        shut(b=SECRET),
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "a condition on both sides goes": (
        {**thing(a=TEXT, b=SECRET), "if": {"required": ["a"]}, "then": {"required": ["b"]}},
        thing(a=TEXT, b=False),
        shut(b=SECRET),
        ({"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}),
    ),
    "what a condition declares cannot be taken apart": (
        {**thing(a=TEXT), "if": {"required": ["a"]}, "then": thing(b=SECRET)},
        None,
        {**thing(a=TEXT), "if": {"required": ["a"]}, "then": thing(b=SECRET)},
        ({"a": "x", "b": "y"}, None, {"a": "x", "b": "y"}),
    ),
    "requirements of requirements": (
        {**thing(a=TEXT, b=SECRET, c=TEXT), "dependentRequired": {"a": ["b", "c"], "b": ["a"]}},
        {**thing(a=TEXT, b=False, c=TEXT), "dependentRequired": {"a": ["c"]}},
        shut(b=SECRET),
        ({"a": "x", "b": "y", "c": "z"}, {"a": "x", "c": "z"}, {"b": "y"}),
    ),
    "a free object is the model's": (
        thing(free={"type": "object"}, b=SECRET),
        thing(free={"type": "object"}, b=False),
        shut(b=SECRET),
        ({"free": {"b": 1}, "b": "y"}, {"free": {"b": 1}}, {"b": "y"}),
    ),
    "an object that may be a text": (
        {"type": ["object", "string"], "properties": {"b": SECRET}},
        {"type": ["object", "string"], "properties": {"b": False}},
        shut(b=SECRET),
        ("text", "text", None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_halves(case: str) -> None:
    """S3: each side has its part of a schema, and what is required of that part."""
    body, llm, human, _ = CASES[case]
    before = copy.deepcopy(body)
    made = separated(body)
    sides = made.schemas.split_schemas
    assert sides is not None
    assert half(sides.model) == llm
    assert half(sides.human) == human
    assert body == before


@pytest.mark.parametrize("case", CASES)
def test_halves_of_values(case: str) -> None:
    """S4: a value is split as its schema is, the halves are valid, and they merge to what it was."""
    body, llm_half, _, (value, llm, human) = CASES[case]
    made = separated(body)
    assert made.validate({"body": value})
    left, right = split(made, {"body": value})
    assert left == ({} if llm_half is None or llm is None else {"body": llm})
    assert right == ({} if human is None else {"body": human})
    assert made.separated
    assert made.separated.validate(left)
    assert merge(made, llm=left, human=right) == {"body": value}


TREE = thing(
    ("name", "key"),
    name=TEXT,
    key=SECRET,
    children={"type": "array", "items": ref("Tree")},
)


def test_recursion_is_split_on_both_sides() -> None:
    """S3: a component that leads back to itself becomes one for each side, cycles and all."""
    made = separated(ref("Tree"), {"Tree": TREE})
    sides = made.schemas.split_schemas
    assert sides is not None
    assert sides.human is not None
    link = {"$ref": "#/$defs/Tree%3Cllm%3E"}
    array = {"type": "array", "items": link}
    assert half(sides.model) == link
    tree = thing(("name",), name=TEXT, key=False, children=array)
    assert sides.model.root["$defs"] == {"Tree<llm>": tree}
    (other,) = sides.human.root["$defs"].values()
    assert other["required"] == ["key"]
    assert set(other["properties"]) == {"key", "children"}
    body = {"name": "a", "key": "1", "children": [{"name": "b", "key": "2"}]}
    llm, human = split(made, {"body": body})
    assert llm == {"body": {"name": "a", "children": [{"name": "b"}]}}
    assert human == {"body": {"key": "1", "children": [{"key": "2"}]}}
    assert made.separated
    assert made.separated.validate(llm)


def test_recursion_among_components() -> None:
    """S3: components that lead to each other are split together; one without a secret stays as it is."""
    parts = {
        "A": thing(b=ref("B"), name=TEXT, plain=ref("Plain")),
        "B": thing(a=ref("A"), key=SECRET),
        "Plain": thing(again=ref("Plain"), x=TEXT),
    }
    made = separated(ref("A"), parts)
    sides = made.schemas.split_schemas
    assert sides is not None
    assert set(sides.model.root["$defs"]) == {"A<llm>", "B<llm>", "Plain"}
    assert sides.human is not None
    assert set(sides.human.root["$defs"]) == {"A<human>", "B<human>"}


def test_recursion_of_nothing_but_secrets_is_a_persons() -> None:
    """S3: where nothing but a person's part is found, however deep, the whole is theirs."""
    parts = {"Keys": thing(key=SECRET, more={"type": "array", "items": ref("Keys")})}
    made = separated(thing(a=TEXT, keys=ref("Keys")), parts)
    sides = made.schemas.split_schemas
    assert sides is not None
    assert half(sides.model) == thing(a=TEXT, keys=False)
    assert sides.human is not None
    assert set(sides.human.root["$defs"]) == {"Keys"}


def test_a_component_beside_members_knows_them() -> None:
    """S3: a branch may require what stands beside its union, and refer to a component for that."""
    parts = {"Keyed": {"required": ["key", "name"], "properties": {"more": TEXT}}}
    body = {**thing(name=TEXT, key=SECRET), "oneOf": [ref("Keyed"), thing(("other",), other=TEXT)]}
    made = separated(body, parts)
    llm, human = split(made, {"body": {"name": "n", "key": "k", "more": "m"}})
    assert llm == {"body": {"name": "n", "more": "m"}}
    assert human == {"body": {"key": "k"}}
    assert made.separated
    assert made.separated.validate(llm)
    assert not made.separated.validate({"body": {"name": "n", "key": "k"}})


def test_merged_parts_of_all_of() -> None:
    """F10, S3: what ``allOf`` puts together is split as the whole that it is."""
    parts = {"Base": thing(("key",), key=SECRET, base=TEXT)}
    made = separated({"allOf": [ref("Base"), thing(("own",), own=TEXT)]}, parts)
    llm, human = split(made, {"body": {"key": "k", "base": "b", "own": "o"}})
    assert llm == {"body": {"base": "b", "own": "o"}}
    assert human == {"body": {"key": "k"}}


# -- parameters, and both calling styles ---------------------------------------------------------------


def operation(**more: Any) -> Json:
    """A document of one operation with parameters in every place, some of them a person's."""

    def parameter(name: str, where: str, **rest: Any) -> Json:
        needed = {"required": True} if where == "path" else {}
        return {
            "name": name,
            "in": where,
            "schema": TEXT,
            "description": f"The {name}.",
            **needed,
            **rest,
        }

    declared = [
        parameter("tenant", "path", schema=SECRET, description="CANARY"),
        parameter("id", "path"),
        parameter("q", "query"),
        parameter("key", "query", schema=SECRET, required=True, description="CANARY"),
        parameter("X-Key", "header", schema=SECRET, description="CANARY"),
    ]
    body = thing(("a", "b"), a=TEXT, b=SECRET)
    made = document(body)
    made["paths"] = {
        "/{tenant}/{id}": {"post": {**made["paths"]["/x"]["post"], "parameters": declared, **more}}
    }
    return made


def test_parameters_by_key() -> None:
    """S2: a group that is a person's as a whole is gone from the model's side, and so is all that speaks of it."""
    made = load(operation(), options=Options(separate=is_marked)).functions[0]
    found = made.separated
    assert found
    assert list(found.llm["properties"]) == ["id", "query", "body"]
    assert found.llm["required"] == ["id", "body"]
    assert found.llm["properties"]["query"]["properties"] == {
        "q": {**TEXT, "description": "The q."}
    }
    assert list(found.human["properties"]) == ["tenant", "query", "body", "headers"]
    assert found.human["required"] == ["tenant", "query", "body"]
    assert made.description == "POST /{tenant}/{id}\n\n@param id The id.\n@param q The q."
    assert "CANARY" not in json.dumps([found.llm, found.function.validator, made.description])
    whole = {
        "tenant": "t",
        "id": "1",
        "query": {"key": "k"},
        "body": {"a": "x", "b": "y"},
        "headers": {"X-Key": "h"},
    }
    assert made.validate(whole)
    llm, human = split(made, whole)
    assert llm == {"id": "1", "query": {}, "body": {"a": "x"}}
    assert found.validate(llm)
    assert merge(made, llm=llm, human=human) == whole


def test_parameters_by_position() -> None:
    """S2: by position both sides have every place; ``None`` stands where nothing is theirs."""
    made = load(operation(), options=Options(separate=is_marked, keyword=False)).functions[0]
    found = made.separated
    assert found
    assert [part is None for part in found.llm] == [True, False, False, False, True]
    assert [part is None for part in found.human] == [False, True, False, False, False]
    whole = ["t", "1", {"key": "k", "q": "z"}, {"a": "x", "b": "y"}, {"X-Key": "h"}]
    assert made.validate(whole)
    llm, human = split(made, whole)
    assert llm == [None, "1", {"q": "z"}, {"a": "x"}, None]
    assert human == ["t", None, {"key": "k"}, {"b": "y"}, {"X-Key": "h"}]
    assert found.validate(llm)
    assert found.validate([None, "1", None, {"a": "x"}])
    assert merge(made, llm=llm, human=human) == whole
    assert merge(made, llm=llm[:4], human=human) == whole
    problems = found.function.problems(["t", "1", {"key": "k"}, {"a": 1}])
    assert sorted(each.path for each in problems) == [
        "$input[0]",
        "$input[2].key",
        "$input[3].a",
    ]


def test_nothing_is_a_persons_anywhere() -> None:
    """S2: ``human`` is ``None``, and the model's part is the whole."""
    made = separated(thing(a=TEXT))
    assert made.separated
    assert made.separated.human is None
    assert made.separated.llm == made.parameters
    assert merge(made, llm={"body": {"a": "x"}}, human=None) == {"body": {"a": "x"}}


@pytest.mark.parametrize("keyword", [True, False])
def test_everything_is_a_persons(*, keyword: bool) -> None:
    """S2: the model's part is an empty object, or nothing in every position; and it is valid."""
    made = load(operation(), options=Options(separate=lambda _: True, keyword=keyword)).functions[0]
    assert made.separated
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    assert made.separated.llm == (empty if keyword else [None] * 5)
    assert made.separated.human == made.parameters
    assert made.separated.validate({} if keyword else [])
    assert made.description == "POST /{tenant}/{id}"


def test_functions_are_not_separated_unasked() -> None:
    """S1: without ``Options.separate`` there is one set of parameters, and nothing to merge."""
    made = load(operation()).functions[0]
    assert made.separated is None
    assert merge(made, llm={"a": 1}, human=None) == {"a": 1}
    with pytest.raises(UsageError, match=r"is not separated.*Options\(separate"):
        merge(made, llm={}, human={})
    with pytest.raises(UsageError, match="is not separated"):
        split(made, {})


# -- merging ---------------------------------------------------------------------------------------


MERGES: list[tuple[Any, Any, Any]] = [
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
    ({"a": 1}, {"a": None}, {"a": None}),
    ({"a": None}, {"a": 1}, {"a": 1}),
    ({"a": 1}, {"a": 0}, {"a": 0}),
    ({"a": {"b": 1}}, {"a": "x"}, {"a": "x"}),
    ({"a": [1, 2]}, {"a": [3]}, {"a": [3, 2]}),
    ({"a": [1]}, {"a": [None, 2]}, {"a": [1, 2]}),
    ({"a": [None, {"b": 1}]}, {"a": [{"f": 1}, {"f": 2}]}, {"a": [{"f": 1}, {"b": 1, "f": 2}]}),
    ({"a": [[1], [2]]}, {"a": [[None, 3]]}, {"a": [[1, 3], [2]]}),
    ({"a": []}, {"a": [1]}, {"a": [1]}),
    ({"a": [None]}, {"a": [None]}, {"a": [None]}),
    ({}, {}, {}),
]


@pytest.mark.parametrize(("llm", "human", "whole"), MERGES)
def test_merging(llm: Any, human: Any, whole: Any) -> None:
    """S4: objects by key, arrays by element, else the person's value where it is given; an explicit null counts."""
    made = load(operation(), options=Options(separate=is_marked)).functions[0]
    before = copy.deepcopy((llm, human))
    assert merge(made, llm=llm, human=human) == whole
    assert (llm, human) == before


def test_arguments_are_merged_in_their_own_style() -> None:
    """S4: a list where an object belongs is a fault of the caller that says so."""
    made = load(operation(), options=Options(separate=is_marked)).functions[0]
    with pytest.raises(UsageError, match="argument human: expected an object by key, got list"):
        merge(made, llm={}, human=[])


def test_what_is_merged_is_validated_as_a_whole() -> None:
    """S4: a part that is missing on both sides is found before anything is sent."""
    made = load(operation(), options=Options(separate=is_marked)).functions[0]
    connection = specfn.Connection(base_url="http://localhost")
    whole = merge(made, llm={"id": "1", "body": {"a": "x"}}, human={"tenant": "t"})
    with pytest.raises(ArgumentError) as caught:
        specfn.request(made, whole, connection)
    assert [each.path for each in caught.value.problems] == ["$input.query", "$input.body.b"]


def test_merging_does_not_recurse() -> None:
    """S4: arguments may be nested deeper than Python's stack."""
    made = load(operation(), options=Options(separate=is_marked)).functions[0]
    deep: Any = {"a": 1}
    other: Any = {"b": 2}
    for _ in range(5000):
        deep, other = {"x": [deep]}, {"x": [other]}
    found = merge(made, llm=deep, human=other)
    for _ in range(5000):
        found = found["x"][0]
    assert found == {"a": 1, "b": 2}


def test_a_persons_values_are_masked() -> None:
    """S5: before the eyes of others every place that may be a person's shows ``***``."""
    body = thing(
        a=TEXT,
        b=SECRET,
        files={"type": "array", "items": SECRET},
        either={"anyOf": [TEXT, SECRET]},
        map={"type": "object", "additionalProperties": thing(k=SECRET, n=TEXT)},
    )
    made = separated(body)
    value = {
        "a": "x", "b": "CANARY", "files": ["CANARY"], "either": "CANARY",
        "map": {"m": {"k": "CANARY", "n": 1}}, "more": 1,
    }  # fmt: skip
    assert mask(made, {"body": value}) == {
        "body": {
            "a": "x", "b": "***", "files": "***", "either": "***",
            "map": {"m": {"k": "***", "n": 1}}, "more": 1,
        }
    }  # fmt: skip
    by_position = separated(body, keyword=False)
    assert mask(by_position, [{"b": "CANARY"}]) == [{"b": "***"}]


def test_feedback_for_a_model_speaks_of_its_own_part() -> None:
    """S5: what a model wrote where a person's part belongs is refused, and nothing of that part is told."""
    made = separated(
        thing(("a", "b"), a=TEXT, b={**SECRET, "description": "CANARY", "pattern": "CANARY"})
    )
    assert made.separated
    outcome = made.separated.validate({"body": {"b": 1, "c": {}}})
    assert not outcome
    told = outcome.feedback()  # type: ignore[union-attr]
    assert "CANARY" not in told
    assert [(e.path, e.expected) for e in outcome.errors] == [  # type: ignore[union-attr]
        ("$input.body.a", "string"),
        ("$input.body.b", "undefined"),
    ]


# -- predicates ------------------------------------------------------------------------------------


def test_a_predicate_sees_where_a_schema_is() -> None:
    """S1: location, pointer into the validator, property name, and what a reference leads to."""
    seen: dict[str, tuple[str, str | None, Any]] = {}

    def look(node: Node) -> bool:
        seen[node.pointer] = (node.location, node.name, node.get("title"))
        return False

    document_ = operation()
    document_["components"] = {"schemas": {"Named": {"type": "string", "title": "N"}}}
    post = document_["paths"]["/{tenant}/{id}"]["post"]
    post["requestBody"]["content"]["application/json"]["schema"]["properties"]["n"] = ref("Named")
    post["parameters"].append({"name": "c", "in": "cookie", "schema": TEXT})
    load(document_, options=Options(separate=look))
    assert seen["/properties/tenant"] == ("path", "tenant", None)
    assert seen["/properties/query/properties/q"] == ("query", "q", None)
    assert seen["/properties/headers/properties/X-Key"] == ("header", "X-Key", None)
    assert seen["/properties/cookies/properties/c"] == ("cookie", "c", None)
    assert seen["/properties/body"] == ("body", "body", None)
    assert seen["/properties/body/properties/n"] == ("body", "n", "N")


def test_a_predicate_cannot_change_what_it_sees() -> None:
    """S1: it gets a copy."""

    def spoil(node: Node) -> bool:
        node.clear()
        return False

    made = load(operation(), options=Options(separate=spoil)).functions[0]
    assert made.separated
    assert made.separated.llm == load(operation()).functions[0].parameters


def test_a_predicate_that_fails_is_the_callers_fault() -> None:
    """S1: loading says where it failed, and with what."""

    def fail(node: Node) -> bool:
        return 1 / (node.name != "b") < 0

    with pytest.raises(
        UsageError,
        match=r"Options.separate failed on the body schema at /properties/body/properties/b: ZeroDivisionError",
    ):
        load(operation(), options=Options(separate=fail))


def named(name: str, schema: Json | None = None) -> Node:
    return Node(schema or TEXT, location="body", pointer="/x", name=name)


@pytest.mark.parametrize(
    "name",
    [
        *("password", "newPassword", "user_password", "PASSWORD", "client_secret", "clientSecret"),
        *("api_key", "apiKey", "X-API-Key", "apikey", "accessToken", "refresh_token", "token"),
        *("private_key", "secret", "webhook-secret", "passphrase", "cvv", "password_confirmation"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    """S1: a text that is called a secret is one."""
    assert specfn.human.secrets(named(name))
    assert not specfn.human.secrets(named(name, {"type": "boolean"}))
    assert not specfn.human.secrets(named(name, {"type": "object", "properties": {}}))


@pytest.mark.parametrize(
    "name",
    [
        *("secret_name", "passwordPolicy", "pageToken", "next_token", "key", "author", "secretId"),
        *("max_tokens", "password_reset_required", "tokens", "name", "", "секрет"),
    ],
)
def test_names_of_no_secrets(name: str) -> None:
    """S1: what only talks about secrets is none."""
    assert not specfn.human.secrets(named(name))


@pytest.mark.parametrize(
    ("schema", "is_file"),
    [
        ({"type": "string", "format": "binary"}, True),
        ({"format": "binary"}, True),
        ({"type": "string", "contentMediaType": "image/png"}, True),
        ({"type": ["string", "null"], "contentMediaType": "image/png"}, True),
        ({"type": "object", "contentMediaType": "image/png"}, False),
        ({"type": "string", "format": "byte"}, False),
        ({"type": "string"}, False),
        ({"anyOf": [{"type": "string", "format": "binary"}]}, False),
    ],
)
def test_files(schema: Json, *, is_file: bool) -> None:
    """S1: bytes and contents with a media type are files; base64 in JSON may be anything."""
    assert specfn.human.files(named("f", schema)) is is_file


def test_ready_predicates_by_name() -> None:
    """S1: one or several, by name or as they are; any of them may hold."""
    body = thing(a=TEXT, f={"type": "string", "format": "binary"}, password=TEXT)
    found = {
        str(separate): list(
            load(document(body), options=Options(separate=separate)).functions[0].separated.llm[  # type: ignore[union-attr, index, arg-type]
                "properties"
            ]["body"]["properties"]
        )
        for separate in ("files", "secrets", ("files", "secrets"), specfn.human.any_of("files", specfn.human.secrets))
    }  # fmt: skip
    assert list(found.values()) == [["a", "password"], ["a", "f"], ["a"], ["a"]]


def test_an_unknown_name_is_the_callers_fault() -> None:
    """S1: a predicate that does not exist is told with those that do."""
    with pytest.raises(UsageError, match="unknown predicate 'fils': use 'files' and 'secrets'"):
        specfn.human.any_of("fils")
    with pytest.raises(UsageError, match="files"):
        Options(separate="fils")  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_files_of_a_multipart_body(version: str) -> None:
    """S1: what the Encoding Object or the version says is a file is one, in arrays, too."""
    schema = thing(
        ("title", "image"),
        title=TEXT,
        image=TEXT,
        pages={"type": "array", "items": {"type": "string", "format": "binary"}},
        note={"type": "string"},
        raw={},
    )
    encoding = {
        "image": {"contentType": "image/png, image/jpeg"},
        "note": {"contentType": "text/plain"},
    }
    made = document({})
    made["openapi"] = version
    content = {"multipart/form-data": {"schema": ref("Upload"), "encoding": encoding}}
    made["paths"]["/x"]["post"]["requestBody"]["content"] = content
    made["components"]["schemas"] = {"Upload": schema}
    found = load(made, options=Options(separate="files")).functions[0].separated
    assert found
    left = ["title", "note"] if version == "3.1.0" else ["title", "note", "raw"]
    assert list(found.llm["properties"]["body"]["properties"]) == left
    assert found.llm["properties"]["body"]["required"] == ["title"]


def test_a_body_of_bytes_is_a_persons() -> None:
    """S1: a body that is one file leaves nothing of it to the model."""
    made = document({})
    made["paths"]["/x"]["post"]["requestBody"]["content"] = {"image/png": {}}
    found = load(made, options=Options(separate="files")).functions[0].separated
    assert found
    assert found.llm["properties"] == {}
    assert list(found.human["properties"]) == ["body"]


def test_files_of_a_person_are_sent() -> None:
    """S4, X5: what a person hands over may be bytes; merging leaves them as they are."""
    upload = thing(("title", "pages"), title=TEXT, pages={"type": "array", "items": {"type": "string", "format": "binary"}})  # fmt: skip
    made = document({})
    content = {"multipart/form-data": {"schema": upload}}
    made["paths"]["/x"]["post"]["requestBody"]["content"] = content
    function = load(made, options=Options(separate="files")).functions[0]
    pages = [b"\x00CANARY", b"\x01"]
    whole = merge(function, llm={"body": {"title": "t"}}, human={"body": {"pages": pages}})
    assert whole == {"body": {"title": "t", "pages": pages}}
    assert function.validate(whole)
    request = specfn.request(function, whole, specfn.Connection(base_url="https://api.example"))
    assert b"\x00CANARY" in request.content
    assert mask(function, whole) == {"body": {"title": "t", "pages": "***"}}


def test_a_rest_that_is_held_against_the_whole_stays_open() -> None:
    """S3, V2: with ``equals`` the model's half of a branch takes what the whole branch takes."""
    branches = [{"properties": {"a": TEXT}, "additionalProperties": TEXT}, thing(a=SECRET)]
    made = separated({"properties": {"a": TEXT}, "anyOf": branches}, equals=True)
    assert made.validate({"body": {"b": "x"}})
    assert made.separated
    assert made.separated.validate({"body": {"b": "x"}})


@pytest.mark.parametrize("media_type", ["application/json", "multipart/form-data"])
@pytest.mark.parametrize("is_referenced", [False, True])
@pytest.mark.parametrize(
    ("required", "is_optional"), [(["password"], True), (["password", "name"], False), ([], False)]
)
def test_a_body_that_the_model_may_leave_empty_is_optional(
    media_type: str, is_referenced: object, required: list[str], is_optional: object
) -> None:
    """The model may leave out a required body if the human part requires it and the model's part requires nothing."""
    body = {
        "type": "object",
        "properties": {"password": {"type": "string"}, "name": {"type": "string"}},
        "required": required,
    }
    schema = {"$ref": "#/components/schemas/Body"} if is_referenced else body
    operation = {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}
    app = specfn.load(
        {
            "openapi": "3.1.0",
            "paths": {"/a": {"post": operation}},
            "components": {"schemas": {"Body": body}},
        },
        options=specfn.Options(separate="secrets"),
    )
    (function,) = app.functions
    assert function.separated is not None
    llm = function.separated.llm
    assert ("body" not in llm.get("required", [])) is is_optional
    merged = specfn.merge(function, llm={}, human={"body": {"password": "p"}})
    assert bool(function.validate(merged)) is ("name" not in required)
