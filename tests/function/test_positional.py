from typing import Any

import pytest

from specfn import Function, Options, load
from specfn.errors import ArgumentError
from specfn.records import ABSENT

INTEGER = {"type": "integer"}
LIMIT = {"type": "integer", "maximum": 10}
BODY = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def parameter(name: str, where: str, schema: Any, **rest: Any) -> dict[str, Any]:
    needed = {"required": True} if where == "path" else {}
    return {"name": name, "in": where, "schema": schema, **needed, **rest}


def made(
    *parameters: dict[str, Any], path: str = "/x", body: Any = None, required: bool = False
) -> Function:
    """The positional function of a document with one operation."""
    operation: dict[str, Any] = {"parameters": list(parameters)}
    if body is not None:
        content = {"application/json": {"schema": body}}
        operation["requestBody"] = {"content": content, "required": required}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {path: {"post": operation}},
    }
    return load(document, options=Options(keyword=False)).functions[0]


@pytest.fixture
def full() -> Function:
    """A function that has every position: two path parameters, query, body, headers, cookies."""
    return made(
        parameter("c", "cookie", INTEGER),
        parameter("h", "header", INTEGER),
        parameter("limit", "query", LIMIT),
        parameter("b", "path", INTEGER),
        parameter("a", "path", INTEGER),
        path="/{a}/{b}",
        body=BODY,
    )


def faults(function: Function, arguments: Any) -> list[tuple[str, str]]:
    return [(each.path, each.expected) for each in function.problems(arguments)]


def test_positions_are_path_query_body_headers_cookies(full: Function) -> None:
    """F4: ``[...path, query?, body?, headers?, cookies?]``, each the schema of its place."""
    assert [key for key, _ in full.route.keys] == ["a", "b", "query", "body", "headers", "cookies"]
    a, b, query, body, headers, cookies = full.parameters
    assert a == b == INTEGER
    assert query["properties"] == {"limit": LIMIT}
    assert body == BODY
    assert (headers["properties"], cookies["properties"]) == ({"h": INTEGER}, {"c": INTEGER})
    assert {group["additionalProperties"] for group in (query, headers, cookies)} == {False}


@pytest.mark.parametrize("keyword", [True, False])
def test_both_forms_say_the_same(keyword: bool) -> None:  # noqa: FBT001
    """F4: the list is the object's properties in order."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/{a}": {"get": {"parameters": [parameter("q", "query", LIMIT)]}}},
    }
    found = load(document, options=Options(keyword=keyword)).functions[0].parameters
    schemas = list(found["properties"].values()) if keyword else found
    assert [schema["type"] for schema in schemas] == ["string", "object"]


def test_without_parameters_the_list_is_empty() -> None:
    """F4: an operation that takes nothing takes an empty list."""
    function = made()
    assert function.parameters == []
    assert function.validate([])
    assert faults(function, [None]) == [("$input[0]", "undefined")]


@pytest.mark.parametrize(
    "arguments",
    [
        [1, 2],
        [1, 2, None],
        [1, 2, None, None, None, None],
        [1, 2, {"limit": 10}],
        [1, 2, {}, {"a": "x"}, {}, {}],
        [1, 2, None, {"a": "x"}],
        [1, 2, None, None, None, {"c": 1}],
        (1, 2, None),
    ],
)
def test_what_is_optional_may_be_none_or_missing_at_the_end(full: Function, arguments: Any) -> None:
    """F4: an omitted optional group is ``None``, and trailing ones may be missing."""
    outcome = full.validate(arguments)
    assert outcome
    assert outcome.data is arguments


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], [("$input[0]", "integer"), ("$input[1]", "integer")]),
        ([1], [("$input[1]", "integer")]),
        ([None, 2], [("$input[0]", "integer")]),
        ([1, "2"], [("$input[1]", "integer")]),
        ([1, 2, {"limit": 11}], [("$input[2].limit", "integer & Maximum<10> | undefined")]),
        ([1, 2, {"limits": 1}], [("$input[2].limits", "undefined")]),
        ([1, 2, None, {}], [("$input[3].a", "string")]),
        ([1, 2, None, {"a": 1}], [("$input[3].a", "string")]),
        ([1, 2, None, None, {"h": "x"}], [("$input[4].h", "integer | undefined")]),
        ([1, 2, None, None, None, {"c": "x"}], [("$input[5].c", "integer | undefined")]),
        ([1, 2, None, None, None, None, None], [("$input[6]", "undefined")]),
        ([1, 2, None, None, None, None, 7, 8], [("$input[6]", "undefined"), ("$input[7]", "undefined")]),
    ],
)  # fmt: skip
def test_errors_are_told_by_position(
    full: Function, arguments: Any, expected: list[tuple[str, str]]
) -> None:
    """F4: the path of every error begins with the position, and goes on inside of it."""
    assert faults(full, arguments) == expected
    assert not full.validate(arguments)


def test_what_is_missing_has_no_value(full: Function) -> None:
    """V2, F4: an argument that is missing at the end is absent, one that is ``None`` was given."""
    missing, given = full.problems([])[0], full.problems([None, 1])[0]
    assert missing.value is ABSENT
    assert given.value is None


def test_places_inside_of_a_position() -> None:
    """F4: members with odd names and items are written as in any other path."""
    schema = {"type": "object", "properties": {"a-b": {"type": "array", "items": INTEGER}}}
    assert faults(made(body=schema), [{"a-b": [1, "x"]}]) == [('$input[0]["a-b"][1]', "integer")]
    assert faults(made(body={"type": "array", "items": INTEGER}), [[1, "x"]]) == [
        ("$input[0][1]", "integer")
    ]


def test_places_of_like_names_are_not_confused() -> None:
    """F4: ``idx`` is not the place ``id``."""
    function = made(
        parameter("id", "path", INTEGER), parameter("idx", "path", INTEGER), path="/{id}/{idx}"
    )
    assert faults(function, [1, "x"]) == [("$input[1]", "integer")]
    assert faults(function, ["x", 1]) == [("$input[0]", "integer")]


def test_nothing_but_a_list_is_a_list(full: Function) -> None:
    """F4: an object, a text or nothing is refused as a whole, with the arity."""
    for arguments in ({"a": 1}, "x", None, 5, iter([1, 2])):
        ((path, expected),) = faults(full, arguments)
        assert path == "$input"
        assert "Array" in expected
        with pytest.raises(ArgumentError):
            full.arguments_by_key(arguments)


NULLABLE = {"type": ["object", "null"], "properties": {"a": INTEGER}}


@pytest.mark.parametrize(
    ("schema", "takes_null"),
    [
        (NULLABLE, True),
        ({}, True),
        (True, True),
        ({"type": "null"}, True),
        ({"anyOf": [{"type": "null"}, INTEGER]}, True),
        ({"enum": [1, None]}, True),
        (BODY, False),
        ({"not": {"type": "null"}}, False),
    ],
)
@pytest.mark.parametrize("required", [True, False])
def test_none_means_null_where_null_is_valid(
    schema: Any,
    takes_null: bool,  # noqa: FBT001
    required: bool,  # noqa: FBT001
) -> None:
    """F4: ``None`` is null where null is itself valid; else it is an omitted argument, if that may be."""
    function = made(body=schema, required=required)
    assert bool(function.validate([None])) is (takes_null or not required)
    assert bool(function.validate([])) is not required
    assert function.arguments_by_key([None]) == ({"body": None} if takes_null or required else {})


def test_named_gives_the_arguments_by_key(full: Function) -> None:
    """F4: what is sent goes by key; omitted groups are not in it."""
    assert full.arguments_by_key([1, 2, None, {"a": "x"}]) == {"a": 1, "b": 2, "body": {"a": "x"}}
    assert full.arguments_by_key([1]) == {"a": 1}
    with pytest.raises(ArgumentError) as refused:
        full.arguments_by_key([1] * 7)
    assert refused.value.problems[0].path == "$input[6]"


def test_feedback_speaks_of_positions(full: Function) -> None:
    """F4, V8: the text for a model shows the list and its faulty places."""
    text = full.validate([1, 2, {"limit": 11}]).feedback()
    assert "of at most 10" in text
    assert "limit" in text


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), object(), b"x", {1: 2}, {"x": {3}}, "\ud800"]
)
def test_no_value_breaks_a_list(full: Function, value: Any) -> None:
    """V1: what is no JSON is a failure at its position, never an exception."""
    for arguments in ([1, 2, value], [value, 2], [1, 2, None, value]):
        outcome = full.validate(arguments)
        assert not outcome
        assert all(each.path.startswith("$input") for each in outcome.errors)
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    assert not full.validate([1, 2, deep])
