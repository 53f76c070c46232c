import json
from typing import Any, Literal

import pytest
from tests.schema.conftest import (
    DIALECTS,
    accepts,
    check,
    composed,
    ref,
    rendered,
    rendering,
    shows,
)

from specfn import Options, load

Json = dict[str, Any]

TEXT = {"type": "string"}


def shown(node: Json, name: str = "p", dialect: Any = "3.0") -> Json:
    """What a model reads of a property."""
    schema = rendered({}, {"type": "object", "properties": {name: node}}, dialect=dialect)
    found: Json = schema["properties"][name]
    return found


#: A property's name, its title and description, and what is left of them.
WORDS: list[tuple[str, Json, Json]] = [
    ("page_size", {"title": "Page Size"}, {}),
    ("pageSize", {"title": "Page size", "description": "page-size"}, {}),
    ("id", {"description": "ID"}, {}),
    ("status", {"description": "Status."}, {}),
    ("userStatus", {"description": "User Status of the order"}, {"description": "User Status of the order"}),
    ("m", {"title": "Metadata", "description": "Metadata to add."}, {"description": "Metadata to add."}),
    ("m", {"title": "Meta", "description": "Metadata to add."}, {"title": "Meta", "description": "Metadata to add."}),
    ("m", {"title": "Title", "description": "Title"}, {"description": "Title"}),
    ("p", {"title": "T", "description": "D"}, {"title": "T", "description": "D"}),
    ("p", {"description": " spaced\n\n"}, {"description": "spaced"}),
    ("p", {"description": " \n", "title": " "}, {}),
    ("की", {"description": "का"}, {"description": "का"}),
    ("_", {"description": "-"}, {"description": "-"}),
]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_object_keeps_its_title(dialect: Any) -> None:
    """F12: an object's title is the name of a type, whatever its property is called; null beside it changes nothing."""
    thing = {"type": "object", "properties": {"a": TEXT}}
    for kind in (thing, {"anyOf": [thing, {"type": "null"}]}):
        found = shown({**kind, "title": "Thing"}, "thing", dialect)
        assert found["title"] == "Thing"


@pytest.mark.parametrize(("name", "said", "left"), WORDS)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "kind",
    [TEXT, {"type": "array", "items": TEXT}, {"anyOf": [TEXT, {"type": "integer"}]}],
    ids=["text", "list", "union"],
)
def test_words_that_repeat_are_not_said(
    name: str, said: Json, left: Json, dialect: Any, kind: Json
) -> None:
    """F12: a title or description that is the name again, or a title that begins the description, is left out."""
    found = shown({**kind, **said}, name, dialect)
    assert {key: found[key] for key in ("title", "description") if key in found} == left


#: A schema, and the one of its examples that is shown.
EXAMPLES: list[tuple[Json, list[Any]]] = [
    ({"type": "string", "examples": ["a", "b"]}, ["a"]),
    ({"type": "string", "enum": ["a", "b"], "examples": ["a"]}, []),
    ({"const": "a", "examples": ["a"]}, []),
    ({"type": "boolean", "examples": [True]}, []),
    ({"type": "integer", "examples": ["one", 1]}, [1]),
    ({"type": "array", "items": TEXT, "examples": ["a,b"]}, []),
    ({"type": ["string", "null"], "examples": [None, "a"]}, ["a"]),
    ({"type": "integer", "default": 20, "examples": [20, 30]}, [30]),
    ({"type": "string", "examples": ["a\u200b", "b"]}, []),
    ({"type": "number", "examples": [1]}, [1]),
    ({"examples": [{"a": 1}, "x"]}, ["x"]),
]


@pytest.mark.parametrize(("node", "expected"), EXAMPLES)
def test_an_example_says_what_the_rest_does_not(node: Json, expected: list[Any]) -> None:
    """F9: an example that is not of the type, is a constant or the default, or is null, teaches nothing."""
    assert shown(node, dialect="3.1").get("examples", []) == expected
    assert [*filter(None, [shown(node).get("example")])] == expected


@pytest.mark.parametrize(
    ("node", "value"),
    [
        ({"type": "integer"}, "inf"),
        ({"type": "string"}, None),
        ({"type": "array", "items": TEXT}, "a"),
        ({"type": "string", "enum": ["1"]}, 1),
        ({"type": "string", "enum": ["a"]}, "b"),
        ({"type": "string"}, "x" * 300),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_default_that_would_be_refused_is_not_shown(node: Json, value: Any, dialect: Any) -> None:
    """F9: what a model may copy is valid, and does not take the room of the rest; an edit says so."""
    node = {**node, "default": value}
    assert "default" not in shown(node, dialect=dialect)
    edits = rendering({}, {"type": "object", "properties": {"p": node}}, dialect=dialect).edits
    assert [(edit.kind, edit.pointer) for edit in edits] == [("default", "/properties/p")]


@pytest.mark.parametrize(
    ("node", "value"),
    [
        ({"type": ["string", "null"]}, None),
        ({"type": "number"}, 1),
        ({"type": "integer"}, 1.0),
        ({"anyOf": [TEXT, {"type": "null"}]}, None),
        ({}, {"a": 1}),
        ({"enum": ["a", None]}, None),
    ],
)
def test_a_default_that_is_valid_is_shown(node: Json, value: Any) -> None:
    """F9: null where it is admitted, an integer for a number, anything for anything."""
    for dialect in DIALECTS:
        assert shown({**node, "default": value}, dialect=dialect)["default"] == value


#: Keywords that say nothing of the type beside them.
IDLE: list[tuple[Json, Json]] = [
    ({"type": "integer", "minLength": 3, "pattern": "a", "format": "int32"}, {"type": "integer", "format": "int32"}),
    ({"type": "string", "minimum": 1, "items": {}, "minItems": 1}, {"type": "string"}),
    ({"type": "string", "properties": {"a": {}}, "required": ["a"], "maxLength": 2}, {"type": "string", "maxLength": 2}),
    ({"type": "boolean", "maximum": 1, "format": "flag"}, {"type": "boolean", "format": "flag"}),
    ({"type": "array", "items": TEXT, "additionalProperties": False, "multipleOf": 2}, {"type": "array", "items": TEXT}),
    ({"type": "object", "exclusiveMinimum": 1, "contains": {}, "maxItems": 1}, {"type": "object"}),
    ({"type": ["integer", "null"], "maxLength": 1, "minimum": 1}, {"type": ["integer", "null"], "minimum": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("node", "expected"), IDLE, ids=str)
def test_what_says_nothing_of_a_type_is_not_shown(node: Json, expected: Json) -> None:
    """F7: a length of an integer or a bound of a text binds nothing, and so misleads."""
    assert shown(node, dialect="3.1") == expected
    found = shown(node)
    check(found, "3.0")
    nullable = found.pop("nullable", False)
    kind = [found.pop("type"), "null"] if nullable else found.pop("type")
    assert {"type": kind, **found} == expected
    assert not rendering({}, node).edits


#: Unions of constants, and the one enum that they are; ``None`` where they are not.
UNIONS: list[tuple[Json, list[Any] | None]] = [
    ({"anyOf": [{"const": "a"}, {"const": "b"}]}, ["a", "b"]),
    ({"oneOf": [{"type": "string", "enum": ["a"]}, {"enum": ["b", "a"]}, {"const": "c"}]}, ["a", "b", "c"]),
    ({"type": "string", "oneOf": [{"const": str(index)} for index in range(9)]}, [str(index) for index in range(9)]),
    ({"anyOf": [{"const": 1}, {"type": "integer", "enum": [2]}]}, [1, 2]),
    ({"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}, ["a", "b", None]),
    ({"type": ["string", "null"], "anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}, ["a", "b", None]),
    ({"type": "string", "anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}, ["a", "b"]),
    ({"type": ["string", "null"], "anyOf": [{"const": "a"}, {"const": "b"}]}, ["a", "b"]),
    ({"anyOf": [{"const": "a", "description": "first"}, {"const": "b"}]}, None),
    ({"anyOf": [{"const": "a"}, {"const": 1}]}, None),
    ({"anyOf": [{"const": "a"}, {"type": "string"}]}, None),
    ({"anyOf": [{"type": "integer", "const": "a"}, {"const": "b"}]}, None),
    ({"type": "integer", "anyOf": [{"const": "a"}, {"const": "b"}]}, None),
    ({"anyOf": [{"const": "a"}, {"const": "b"}], "oneOf": [{"const": "a"}, {"const": "c"}]}, None),
]  # fmt: skip


@pytest.mark.parametrize(("node", "values"), UNIONS, ids=str)
def test_a_union_of_constants_is_one_enum(node: Json, values: list[Any] | None) -> None:
    """F7: alternatives that are only constants of one type are read as a list of them, wherever they stand."""
    schemas = {"U": node}
    for use in (node, ref("U"), {"allOf": [ref("U")], "description": "D"}):
        whole = {"type": "object", "properties": {"p": use, "q": {"type": "array", "items": use}}}
        validator = composed(schemas, whole)
        for dialect in DIALECTS:
            schema = rendered(schemas, whole, dialect=dialect)
            check(schema, dialect)
            found = schema["properties"]["p"]
            if "$ref" in found:
                found = schema["$defs"]["U"]
            assert found.get("enum") == values
            assert ("anyOf" in found) is (values is None)
            for value in ("a", "b", "c", 1, 2, None, "8", True):
                given = {"p": value}
                assert shows(schema, given, dialect) or not accepts(validator, given)


def test_a_tuple_without_room_for_more_is_closed() -> None:
    """F7: where a list may be no longer than its tuple, every item is one of the tuple's."""
    node = {
        "type": "array",
        "prefixItems": [TEXT, {"type": "integer"}],
        "minItems": 2,
        "maxItems": 2,
    }
    assert shown(node)["items"] == {"anyOf": [TEXT, {"type": "integer"}]}
    assert shown({**node, "maxItems": 3})["items"] == {}


@pytest.mark.parametrize("mark", ["x-specfn-never", "x-specfn-contradiction", "x-specfn-more"])
def test_a_document_does_not_speak_for_us(mark: str) -> None:
    """T12: what composing says of a schema is not taken from the document."""
    schema = {
        "type": "object",
        "properties": {"a": {**TEXT, mark: "obey"}},
        mark: "obey",
        "required": ["a"],
    }
    content = {"content": {"application/json": {"schema": schema}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {"required": True, **content},
                    "responses": {"200": content},
                }
            }
        },
    }
    [function] = load(document)
    assert not any(
        "obey" in str(part) for part in (function.parameters, function.output, function.edits)
    )
    assert function.edits == ()
    [problem] = function.validate({"body": {}}).errors
    assert problem.expected == "string"


@pytest.mark.parametrize("component", ["", "the type", "more of the use"])
@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("properties", [{}, {"x": {"type": "string"}}])
def test_a_description_beside_a_reference_takes_no_other_away_in_silence(
    component: str, dialect: Literal["3.0", "3.1"], properties: Json
) -> None:
    """The description of a component is shown, part of the one next to its reference, or an edit says that it is left out."""
    reference = {"$ref": "#/components/schemas/C", "description": "more of the use of it"}
    kind: Json = {"type": "object", "properties": properties} if properties else {"type": "string"}
    body = {"type": "object", "properties": {"p": reference}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/a": {"post": {"requestBody": {"content": {"application/json": {"schema": body}}}}}
        },
        "components": {"schemas": {"C": {**kind, "description": component}}},
    }
    (function,) = load(document, options=Options(dialect=dialect))
    shown = json.dumps(function.parameters)
    edits = [edit.pointer for edit in function.edits if edit.kind == "description"]
    lost = f'"{component}"' not in shown and component not in reference["description"]
    assert edits == (["/parameters/properties/body/properties/p"] if lost else [])
    assert lost == (component == "the type" and dialect == "3.0")
