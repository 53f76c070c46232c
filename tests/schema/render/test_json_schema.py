from typing import Any

import pytest
from orjson import dumps
from tests.schema.conftest import (
    accepts,
    check,
    composed,
    place,
    ref,
    rendered,
    rendering,
    subschemas,
)

Json = dict[str, Any]

TEXT = {"type": "string"}
NULL = {"type": "null"}
SCHEMAS: Json = {
    "Thing": {"type": "object", "properties": {"x": {"type": "integer"}}},
    "Text": TEXT,
    "Tree": {
        "type": "object",
        "properties": {"children": {"type": "array", "items": ref("Tree")}, "name": TEXT},
    },
}
VALUES: list[Any] = [
    None, True, 0, 1, 2, 3, -1, 0.5, "", "a", "ab", "abc", [], [1], ["a"], [1, 1], ["a", 1], [1, "a"], [1, 2, 3], [{"x": "y"}],
    {}, {"a": 1}, {"a": "x"}, {"b": 1}, {"x": 1}, {"x": "y"}, {"x-1": 1}, {"x-1": "a"}, {"a": 1, "b": 2}, {"a": {"x": "y"}},
    {"a": "x", "b": {"x": "y"}},
]  # fmt: skip

#: What is said as it is: everything that has no part that could be cut.
AS_IT_IS: dict[str, Json] = {
    "types": {"type": ["string", "integer", "null"], "minLength": 1, "minimum": 1},
    "constant": {"const": {"a": [1, None]}},
    "enum": {"enum": ["a", 1, None]},
    "bounds": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.5},
    "text": {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "^a", "format": "uuid"},
    "encoded": {"type": "string", "contentEncoding": "base64", "contentMediaType": "application/json"},
    "tuple": {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False, "minItems": 1},
    "list": {"type": "array", "items": TEXT, "uniqueItems": True},
    "contains": {"type": "array", "contains": {"const": 1}, "minContains": 0, "maxContains": 2},
    "object": {
        "type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False,
        "patternProperties": {"^x-": {"type": "integer"}}, "minProperties": 1, "maxProperties": 3,
        "propertyNames": {"maxLength": 3}, "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"required": ["a"]}},
    },
    "union": {"anyOf": [TEXT, NULL, {"type": "array", "items": {"type": "integer"}}]},
    "negation": {"type": "string", "not": {"enum": ["a"]}},
    "condition": {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}},
    "unevaluated": {"type": "object", "properties": {"a": TEXT}, "unevaluatedProperties": False},
    "annotations": {"title": "T", "description": "D", "default": 1, "examples": [2], "deprecated": True},
    "nothing": {},
}  # fmt: skip


@pytest.mark.parametrize("case", AS_IT_IS)
def test_what_has_no_parts_is_said_as_it_is(case: str) -> None:
    """F7: dialect 3.1 says everything that the validator says."""
    schema = rendered({}, AS_IT_IS[case], dialect="3.1")
    check(schema, "3.1")
    assert schema == AS_IT_IS[case]


#: What is said otherwise.
OTHERWISE: dict[str, tuple[Json, Json]] = {
    "what stays behind": (
        {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}, {"not": {"const": "ab"}}]},
        {"type": "string", "pattern": "a", "not": {"const": "ab"}, "allOf": [{"pattern": "b"}]},
    ),
    "oneOf": ({"oneOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}),
    "boolean schemas": (
        {"properties": {"a": True, "b": False}, "required": ["a", "b"], "items": True},
        {"properties": {"a": {}}, "required": ["a"], "items": True},
    ),
    "only refused names": ({"properties": {"b": False}, "required": ["b"]}, {"properties": {}}),
    "boolean branches": ({"anyOf": [True, TEXT]}, {"anyOf": [{}, TEXT]}),
    "annotations": (
        {"type": "string", "$comment": "c", "xml": {}, "externalDocs": {}, "x-own": 1, "readOnly": True, "examples": ["a", "b"],
         "title": "", "description": "", "deprecated": False},
        {"type": "string", "examples": ["a"]},
    ),
    "two unions": (
        {"anyOf": [TEXT, NULL], "oneOf": [{"maxLength": 1}, {"minLength": 2}]},
        {"anyOf": [TEXT, NULL], "description": '@oneOf [{"maxLength":1},{"minLength":2}]'},
    ),
    "a pattern that few engines take": ({"pattern": "\\p{L}"}, {"description": '@pattern "\\\\p{L}"'}),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERWISE)
def test_how_it_is_said(case: str) -> None:
    """F7, F8: unions are ``anyOf``, refused properties are absent, what is no reader's business is left out."""
    node, expected = OTHERWISE[case]
    schema = rendered({}, node, dialect="3.1")
    check(schema, "3.1")
    assert schema == expected


def test_components_are_definitions_once_and_recursion_is_kept() -> None:
    """F7: a component stands in ``$defs`` once, refers to itself, and only the reachable ones are there."""
    node = {
        "type": "object",
        "properties": {
            "a": ref("Tree"),
            "b": {"type": "array", "items": ref("Tree")},
            "t": ref("Text"),
        },
    }
    schema = rendered(SCHEMAS, node, dialect="3.1")
    check(schema, "3.1")
    assert [*schema["$defs"]] == ["Tree", "Text"]
    assert (
        schema["properties"]["a"] == schema["properties"]["b"]["items"] == {"$ref": "#/$defs/Tree"}
    )
    assert schema["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    deep: Any = {"name": 1}
    for _ in range(20):
        deep = {"children": [deep]}
    assert not accepts(schema, {"a": deep})


@pytest.mark.parametrize("recursive", [0, 3])
def test_recursion_is_no_reason_to_cut(recursive: int) -> None:
    """F7: where recursion can be said, ``Options.recursive`` cuts nothing."""
    found = rendering(SCHEMAS, ref("Tree"), dialect="3.1", recursive=recursive)
    assert found.edits == ()
    assert found.schema == {"$ref": "#/$defs/Tree", "$defs": found.schema["$defs"]}


def test_annotations_stand_beside_a_reference() -> None:
    """F7: what a place says of its component stands beside the reference, in 2020-12 as good as anywhere."""
    node = {
        "type": "object",
        "properties": {"t": ref("Text", description="which", default="x", deprecated=True)},
    }
    schema = rendered(SCHEMAS, node, dialect="3.1")
    expected = {"$ref": "#/$defs/Text", "description": "which", "default": "x", "deprecated": True}
    assert schema["properties"]["t"] == expected


#: Schema keywords below which a wider schema makes the whole narrower.
RIGID: dict[str, tuple[Json, Json]] = {
    "not": ({"not": ref("Thing")}, {}),
    "if": ({"if": ref("Thing"), "then": {"minProperties": 1}}, {}),
    "then": ({"if": {"type": "object"}, "then": ref("Thing")}, {}),
    "else": ({"if": {"type": "string"}, "else": ref("Thing")}, {}),
    "maxContains": ({"type": "array", "contains": ref("Thing"), "maxContains": 2}, {"type": "array"}),
    "contains": ({"type": "array", "contains": ref("Thing")}, {"type": "array"}),
    "propertyNames": ({"type": "object", "propertyNames": ref("Text")}, {"type": "object"}),
    "dependentSchemas": ({"type": "object", "dependentSchemas": {"a": ref("Thing")}}, {"type": "object"}),
    "contentSchema": ({"type": "string", "contentSchema": ref("Thing")}, {"type": "string"}),
    "unevaluatedProperties": (
        {"type": "object", "anyOf": [ref("Thing"), NULL], "unevaluatedProperties": False},
        {"type": "object", "anyOf": [{"$ref": "#/$defs/Thing"}, NULL]},
    ),
    "unevaluatedItems": ({"type": "array", "unevaluatedItems": ref("Thing")}, {"type": "array"}),
}  # fmt: skip


@pytest.mark.parametrize("keyword", RIGID)
def test_what_must_not_be_widened_is_described(keyword: str) -> None:
    """F8: below ``not``, ``if``, ... a component might be cut, so the whole schema keyword is described."""
    node, expected = RIGID[keyword]
    found = rendering(SCHEMAS, {"type": "object", "properties": {"p": node}}, dialect="3.1")
    check(found.schema, "3.1")
    shown = found.schema["properties"]["p"]
    told = shown.pop("description")
    assert all(f"@{key} " in told for key in node.keys() - expected.keys() - {"anyOf"})
    assert shown == expected
    assert ("constraint", "/properties/p") in [(edit.kind, edit.pointer) for edit in found.edits]


@pytest.mark.parametrize("keyword", RIGID)
@pytest.mark.parametrize("budget", [1024, 32_768])
def test_the_model_may_say_whatever_is_valid(keyword: str, budget: int) -> None:
    """F8: with room or without, what the validator accepts is admitted."""
    node, _ = RIGID[keyword]
    validator = composed(SCHEMAS, node)
    for options in ({}, {"constraint": False}):
        schema = rendered(SCHEMAS, node, dialect="3.1", budget=budget, **options)
        assert [
            value for value in VALUES if accepts(validator, value) and not accepts(schema, value)
        ] == []


#: Keywords of which one without the other means less, or more.
PAIRS: list[Any] = [
    {"contains": {"const": 1}, "minContains": 2, "maxContains": 3},
    {"contains": ref("Thing"), "minContains": 0},
    {"if": {"minLength": 2}, "then": {"maxLength": 2}, "else": {"const": "a"}},
    {"if": {"minLength": 2}, "then": {"maxLength": 2}, "else": ref("Text")},
    {"not": {"minLength": 2}},
    {"not": {"oneOf": [{"minimum": 1}, {"maximum": 2}]}},
    {"not": {"not": {"minLength": 2}}},
    {"type": "object", "properties": {"a": {"minimum": 2}}, "unevaluatedProperties": False},
    {"type": "object", "oneOf": [{"properties": {"a": {"minimum": 1}}}, {"required": ["b"]}], "unevaluatedProperties": False},
    {"type": "object", "patternProperties": {"\\p{L}": {}}, "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "object", "properties": {"x": ref("Thing")}}},
     "unevaluatedProperties": {"type": "integer"}},
    {"type": "array", "prefixItems": [{"const": 1}], "items": {"minLength": 1}},
    {"type": "array", "prefixItems": [True], "unevaluatedItems": {"minimum": 2}},
    {"allOf": [{"pattern": "a"}, {"pattern": "b"}, {"contains": {"const": 1}, "minContains": 2}]},
    {"propertyNames": {"pattern": "\\p{L}"}},
    {"dependentSchemas": {"a": {"properties": {"b": {"minimum": 2}}}}},
]  # fmt: skip


@pytest.mark.parametrize("node", PAIRS, ids=lambda node: dumps(node).decode()[:50])
@pytest.mark.parametrize("constraint", [True, False])
def test_moving_constraints_never_narrows(node: Json, constraint: bool) -> None:  # noqa: FBT001
    """F8: whatever moves into descriptions, what the validator accepts is admitted."""
    validator = composed(SCHEMAS, node)
    schema = rendered(SCHEMAS, node, dialect="3.1", constraint=constraint)
    check(schema, "3.1")
    values = [*VALUES, {"é": 1}, {"é": 1, "a": 1}, [2, "", "x"], "abb"]
    assert [
        value for value in values if accepts(validator, value) and not accepts(schema, value)
    ] == []


def test_a_count_of_zero_is_not_lost() -> None:
    """F8: where ``minContains: 0`` moves into the description, so does the ``contains`` that it takes back."""
    node = {"type": "array", "contains": {"const": 1}, "minContains": 0}
    assert accepts(rendered({}, node, dialect="3.1", constraint=False), [])


WORDS = {
    "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "minContains", "maxContains",
}  # fmt: skip


@pytest.mark.parametrize(
    "node",
    [
        {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "a", "format": "uuid"},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 2, "multipleOf": 0.5},
        {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "integer", "minimum": 1}},
        {"type": "object", "minProperties": 1, "additionalProperties": {"maxLength": 1}},
        {"allOf": [{"pattern": "a"}, {"pattern": "b"}]},
        {"type": "string", "not": {"maxLength": 1}},
        {"type": "array", "contains": {"minimum": 1}},
        {"type": "object", "propertyNames": {"maxLength": 1}},
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
        {"type": "object", "dependentSchemas": {"a": {"not": {"minProperties": 2}}}},
    ],
    ids=lambda node: dumps(node).decode()[:50],
)  # fmt: skip
def test_constraints_move_into_descriptions(node: Json) -> None:
    """F8: ``constraint=False`` leaves no constraint anywhere, below a negation neither, and says each."""
    schema = rendered({}, node, dialect="3.1", constraint=False)
    check(schema, "3.1")
    assert all(WORDS.isdisjoint(inner) for inner in subschemas(schema))
    assert "@" in dumps(schema).decode()


def test_a_definition_that_is_cut_is_a_stub() -> None:
    """F8: a definition without room stays referred to, and says its types, with null as a type."""
    fields = {f"field_{index}": {"type": "string", "description": "x" * 60} for index in range(40)}
    schemas = {
        "Wide": {"type": ["object", "null"], "properties": fields, "required": [*fields]},
        "Union": {"anyOf": [ref("Wide"), {"type": "array", "items": ref("Wide")}]},
    }
    node = {"type": "object", "properties": {"w": ref("Wide"), "u": ref("Union")}}
    found = rendering(schemas, node, dialect="3.1", budget=1024)
    check(found.schema, "3.1")
    stub = found.schema["$defs"]["Wide"]
    assert stub == {
        "description": "Wide (nested deeper than shown)",
        "anyOf": [{"type": "object"}, {"type": "null"}],
    }
    assert any(
        edit.kind == "cut" and place(found.schema, edit.pointer) is stub for edit in found.edits
    )


@pytest.mark.parametrize("keyword", ["not", "if", "contains", "propertyNames"])
def test_what_is_handed_on_whole_has_no_annotations(keyword: str) -> None:
    """F7, F12: below ``not``, ``if``, ... texts are cleaned like any, and extensions are left out."""
    below = {
        "const": "a",
        "description": "a\u202eb",
        "title": "<|im_start|>",
        "x-own": {"y": 1},
        "xml": {"name": "z"},
    }
    shown = rendered({}, {keyword: below}, dialect="3.1")[keyword]
    assert shown["const"] == "a"
    assert shown.keys() <= {"const", "description", "title"}
    assert shown.get("description", "ab") == "ab"
    assert "<|" not in shown.get("title", "")


@pytest.mark.parametrize("keyword", ["not", "if", "contains", "propertyNames", "dependentSchemas"])
def test_what_must_not_be_widened_is_described_where_there_is_no_room(keyword: str) -> None:
    """F8, F9: a negation that is larger than the budget goes into the description, whole."""
    below: Json = {"enum": [f"value number {index}" for index in range(200)]}
    node = {keyword: {"a": below} if keyword == "dependentSchemas" else below}
    schema = rendered({}, {"type": "object", "properties": {"p": node}}, dialect="3.1", budget=1024)
    assert len(dumps(schema)) <= 1024
    assert f"@{keyword} " in schema["properties"]["p"]["description"]


@pytest.mark.parametrize("pattern", ["[", r"^\p{L}", "(?i)x"])
@pytest.mark.parametrize("around", ["alone", "closed", "unevaluated", "not"])
def test_every_reader_can_compile_the_patterns_of_names(pattern: str, around: str) -> None:
    """F7: names whose pattern not every reader knows are described, and none of them is refused."""
    node: Json = {"type": "object", "patternProperties": {pattern: TEXT, "^x-": TEXT}}
    node = {
        "alone": node,
        "closed": {**node, "additionalProperties": False},
        "unevaluated": {"allOf": [node], "unevaluatedProperties": False},
        "not": {"not": node},
    }[around]
    shown = rendered({}, node, dialect="3.1")
    check(shown, "3.1")
    for inner in subschemas(shown):
        assert {"", "^x-"}.issuperset(inner.get("patternProperties", ()))
    assert any("@" in inner.get("description", "") for inner in subschemas(shown))
    objects: list[Any] = [{}, {"a": "b"}, {"[": "b"}, {"x-a": "b"}, {"é": 1}]
    for value in objects if around != "not" else [1]:
        assert accepts(shown, value)
