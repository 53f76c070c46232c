import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps
from tests.schema.conftest import (
    accepts,
    check,
    composed,
    is_stub,
    place,
    ref,
    rendered,
    rendering,
    shows,
    subschemas,
)

Json = dict[str, Any]

TEXT = {"type": "string"}
NULL = {"type": "null"}
ONLY_NULL = {"type": "string", "nullable": True, "enum": [None]}
THING = {"type": "object", "properties": {"x": {"type": "integer"}}}
SCHEMAS: Json = {
    "Thing": THING,
    "Text": TEXT,
    "Maybe": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}}},
    "Choice": {"anyOf": [{"const": "a"}, {"const": 1}]},
}

VALUES: list[Any] = [
    None, True, False, 0, 1, 2, 3, 4, 10, -1, 0.5, 2.5, "", "a", "b", "ab", "abc", [], [1], ["a"], [None], ["a", 1], [1, "a"],
    ["a", 1, 2], [[]], [1, 1], {}, {"a": 1}, {"a": None}, {"a": "x"}, {"b": 1}, {"x": 1}, {"x": None}, {"x": "y"}, {"x-1": 1},
    {"x-1": "a"}, {"a": "x", "x-1": 1}, {"a": 1, "b": 2}, {"a": {"x": 1}}, {"a": []},
]  # fmt: skip

#: How a schema is said, whole.
SAID: dict[str, tuple[Json, Json]] = {
    # null types: beside a type, by a value, by nothing else
    "a nullable type": ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    "null first": ({"type": ["null", "string"]}, {"type": "string", "nullable": True}),
    "null alone": (NULL, ONLY_NULL),
    "null alone, in a list": ({"type": ["null"]}, ONLY_NULL),
    "one type in a list": ({"type": ["string"]}, TEXT),
    "a number that may be an integer": ({"type": ["number", "integer"]}, {"type": "number"}),
    "a nullable enum": (
        {"type": ["string", "null"], "enum": ["a", None]}, {"type": "string", "nullable": True, "enum": ["a", None]}
    ),
    "an enum of one type": ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    "an enum of one type and null": ({"enum": ["a", None]}, {"type": "string", "nullable": True, "enum": ["a", None]}),
    "an enum of several types": ({"enum": ["a", 1, None]}, {"enum": ["a", 1, None]}),
    "an enum of an integer and a fraction": ({"enum": [1, 0.5]}, {"enum": [1, 0.5]}),
    "a type that only some values have": ({"type": "string", "enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
    "a nullable list": (
        {"type": ["array", "null"], "items": TEXT}, {"type": "array", "nullable": True, "items": TEXT}
    ),
    "a nullable object": ({"type": ["object", "null"]}, {"type": "object", "nullable": True}),
    # unions: nullable on the first branch with a type, else a branch of its own
    "a nullable union": (
        {"anyOf": [TEXT, {"type": "integer"}, NULL]},
        {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]},
    ),
    "null before the others": (
        {"oneOf": [NULL, {"minimum": 1}, TEXT]}, {"anyOf": [{"minimum": 1}, {"type": "string", "nullable": True}]}
    ),
    "a nullable union without types": (
        {"anyOf": [{"minimum": 1}, {"required": ["a"]}, NULL]}, {"anyOf": [{"minimum": 1}, {"required": ["a"]}, ONLY_NULL]}
    ),
    "a union of one and null": ({"anyOf": [TEXT, NULL]}, {"type": "string", "nullable": True}),
    "a union of a component and null": (
        {"anyOf": [ref("Thing"), NULL]}, {"type": "object", "properties": {"x": {"type": "integer"}}, "nullable": True}
    ),
    "a union of a union and null": (
        {"anyOf": [ref("Choice"), NULL]},
        {"anyOf": [{"type": "string", "nullable": True, "enum": ["a", None]}, {"type": "integer", "enum": [1]}]},
    ),
    "a union whose branch is nullable": (
        {"anyOf": [{"type": ["string", "null"]}, {"type": "integer"}]},
        {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]},
    ),
    "a union of null": ({"anyOf": [NULL]}, {"anyOf": [ONLY_NULL]}),
    "a union of one": ({"oneOf": [TEXT], "description": "D"}, {"type": "string", "description": "D"}),
    "oneOf": ({"oneOf": [TEXT, {"type": "boolean"}]}, {"anyOf": [TEXT, {"type": "boolean"}]}),
    # one type per node
    "two types": ({"type": ["string", "integer"]}, {"anyOf": [TEXT, {"type": "integer"}]}),
    "two types and null": (
        {"type": ["string", "integer", "null"]}, {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]}
    ),
    "two types with their keywords": (
        {"type": ["string", "array"], "minLength": 1, "maxItems": 2, "items": TEXT, "description": "D"},
        {"description": "D", "anyOf": [{"type": "string", "minLength": 1},
                                       {"type": "array", "maxItems": 2, "items": TEXT}]},
    ),
    "two types with values": (
        {"type": ["string", "integer", "boolean"], "enum": ["a", 1]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}]},
    ),
    "a format among two types": (
        {"type": ["string", "integer"], "format": "int32"}, {"anyOf": [TEXT, {"type": "integer", "format": "int32"}]}
    ),
    # constants
    "a constant": ({"const": "a"}, {"type": "string", "enum": ["a"]}),
    "a constant with a type": ({"type": "integer", "const": 1}, {"type": "integer", "enum": [1]}),
    "a constant object": ({"const": {"a": [1]}}, {"type": "object", "enum": [{"a": [1]}]}),
    "a constant false": ({"const": False}, {"type": "boolean", "enum": [False]}),
    # items
    "a list of anything": ({"type": "array"}, {"type": "array", "items": {}}),
    "a list of true": ({"type": "array", "items": True}, {"type": "array", "items": {}}),
    "a list of nothing": ({"type": "array", "items": False}, {"type": "array", "items": {}, "maxItems": 0}),
    "a list of lists": (
        {"type": "array", "items": {"type": "array"}}, {"type": "array", "items": {"type": "array", "items": {}}}
    ),
    "a closed tuple": (
        {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False},
        {"type": "array", "description": '@prefixItems [{"type":"string"},{"type":"integer"}]',
         "items": {"anyOf": [TEXT, {"type": "integer"}]}, "maxItems": 2},
    ),
    "a closed tuple with a bound of its own": (
        {"type": "array", "prefixItems": [TEXT, TEXT, TEXT], "items": False, "maxItems": 2},
        {"type": "array", "description": '@prefixItems [{"type":"string"},{"type":"string"},{"type":"string"}]',
         "items": {"anyOf": [TEXT, TEXT, TEXT]}, "maxItems": 2},
    ),
    "a tuple with a rest": (
        {"type": "array", "prefixItems": [TEXT], "items": {"type": "integer"}},
        {"type": "array", "description": '@prefixItems [{"type":"string"}]',
         "items": {"anyOf": [TEXT, {"type": "integer"}]}},
    ),
    "an open tuple": (
        {"type": "array", "prefixItems": [TEXT]},
        {"type": "array", "description": '@prefixItems [{"type":"string"}]', "items": {}},
    ),
    # boolean schemas
    "properties of anything": ({"type": "object", "properties": {"a": True}}, {"type": "object", "properties": {"a": {}}}),
    "a property that is refused": (
        {"type": "object", "properties": {"a": False, "b": TEXT}, "required": ["b"]},
        {"type": "object", "properties": {"b": TEXT}, "required": ["b"]},
    ),
    "branches of anything": ({"anyOf": [TEXT, True]}, {"anyOf": [TEXT, {}]}),
    "branches of nothing": ({"anyOf": [TEXT, False, {"type": "boolean"}]}, {"anyOf": [TEXT, {"type": "boolean"}]}),
    "a closed object": (
        {"type": "object", "additionalProperties": False}, {"type": "object", "additionalProperties": False}
    ),
    "an object that says it is open": (
        {"type": "object", "additionalProperties": True}, {"type": "object", "additionalProperties": True}
    ),
    "a map": (
        {"type": "object", "additionalProperties": TEXT}, {"type": "object", "additionalProperties": TEXT}
    ),
    # exclusive bounds
    "exclusive bounds of integers": (
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}, {"type": "integer", "minimum": 1, "maximum": 9}
    ),
    "exclusive fractions of integers": (
        {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 9.5}, {"type": "integer", "minimum": 1, "maximum": 9}
    ),
    "negative exclusive bounds of integers": (
        {"type": "integer", "exclusiveMinimum": -1.5, "exclusiveMaximum": -0.5},
        {"type": "integer", "minimum": -1, "maximum": -1},
    ),
    "the tighter of two bounds": (
        {"type": "integer", "exclusiveMinimum": 0, "minimum": 5, "exclusiveMaximum": 3, "maximum": 9},
        {"type": "integer", "minimum": 5, "maximum": 2},
    ),
    "exclusive bounds of numbers": (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5},
        {"type": "number", "minimum": 0, "maximum": 1.5, "description": "@exclusiveMinimum 0\n@exclusiveMaximum 1.5"},
    ),
    # patterns of names
    "patterns in a closed object": (
        {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False},
        {"type": "object", "description": '@patternProperties {"^x-":{"type":"integer"}}',
         "additionalProperties": {"type": "integer"}},
    ),
    "two patterns and a rest": (
        {"type": "object", "patternProperties": {"^x-": {"type": "integer"}, "^y": TEXT},
         "additionalProperties": {"type": "boolean"}},
        {"type": "object",
         "description": '@patternProperties {"^x-":{"type":"integer"},"^y":{"type":"string"}}',
         "additionalProperties": {"anyOf": [{"type": "integer"}, TEXT, {"type": "boolean"}]}},
    ),
    "patterns in an open object": (
        {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}},
        {"type": "object", "description": '@patternProperties {"^x-":{"type":"integer"}}'},
    ),
    "nothing beyond what is declared": (
        {"type": "object", "properties": {"a": TEXT}, "unevaluatedProperties": False},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
    ),
    # annotations
    "annotations": (
        {"type": "string", "title": "T", "description": "D", "default": "d", "examples": ["e", "f"], "deprecated": True,
         "readOnly": False, "$comment": "c", "externalDocs": {"url": "u"}, "xml": {"name": "x"}, "x-own": 1},
        {"type": "string", "title": "T", "description": "D", "default": "d", "example": "e", "deprecated": True},
    ),
    "an empty description": ({"type": "string", "description": "", "title": ""}, TEXT),
    "a component with a description of its own": ({**ref("Text"), "description": "D"}, {"type": "string", "description": "D"}),
    "a pattern": ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a+$"}),
    "a pattern that few engines take": (
        {"type": "string", "pattern": "\\p{Letter}"}, {"type": "string", "description": '@pattern "\\\\p{Letter}"'}
    ),
    "nothing": ({}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_how_it_is_said(case: str) -> None:
    """F7: each keyword has one way to be said in OpenAPI 3.0, and what it says is still admitted."""
    node, expected = SAID[case]
    schema = rendered(SCHEMAS, node)
    check(schema, "3.0")
    assert schema == expected
    validator = composed(SCHEMAS, node)
    assert [
        value for value in VALUES if accepts(validator, value) and not shows(schema, value, "3.0")
    ] == []


#: What stands as ``@keyword`` in the description, and leaves the rest of the schema open.
DESCRIBED: dict[str, Json] = {
    "not": {"not": {"const": "a"}},
    "if": {"if": {"minLength": 1}, "then": {"pattern": "a"}, "else": {"const": ""}},
    "contains": {"type": "array", "contains": {"const": 1}, "minContains": 1, "maxContains": 2},
    "propertyNames": {"type": "object", "propertyNames": {"maxLength": 1}},
    "dependentSchemas": {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}},
    "dependentRequired": {"type": "object", "dependentRequired": {"a": ["b"]}},
    "contentMediaType": {"type": "string", "contentMediaType": "application/json", "contentEncoding": "base64"},
    "contentSchema": {"type": "string", "contentSchema": {"type": "integer"}},
    "unevaluatedItems": {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": False},
    "unevaluatedProperties": {
        "type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "unevaluatedProperties": False,
    },
    "allOf": {"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "b"}]},
}  # fmt: skip


@pytest.mark.parametrize("keyword", DESCRIBED)
def test_what_cannot_be_said_is_described(keyword: str) -> None:
    """F7, F8: a schema keyword without a word in OpenAPI 3.0 is described whole, and nothing is narrowed."""
    node = DESCRIBED[keyword]
    schema = rendered({}, node)
    check(schema, "3.0")
    for key in DESCRIBED[keyword].keys() - {"type", "anyOf", "items"}:
        told = f"@{key} {dumps(node[key]).decode()}"
        if key != "allOf":
            assert told in schema["description"].split("\n")
    assert f"@{keyword} " in schema["description"]
    assert [
        value for value in VALUES if accepts(node, value) and not shows(schema, value, "3.0")
    ] == []


#: What else moves into a description.
MOVED: dict[str, Json] = {
    "exclusiveMinimum": {"type": "number", "exclusiveMinimum": 1},
    "pattern": {"type": "string", "pattern": "\\p{Letter}"},
    "a second type beside a union": {
        "type": ["string", "integer"],
        "anyOf": [{"minimum": 1}, {"minLength": 1}],
    },
}


@pytest.mark.parametrize(
    "keyword",
    [pytest.param(key) for key in sorted(DESCRIBED | MOVED)],
)
def test_what_is_only_described_is_an_edit(keyword: str) -> None:
    """F9: every rule that moved into a description is in the edits, at the place where it was."""
    node = {"type": "object", "properties": {"p": (DESCRIBED | MOVED)[keyword]}}
    assert "@" in rendered({}, node)["properties"]["p"]["description"]
    assert any(edit.pointer == "/properties/p" for edit in rendering({}, node).edits)


def test_moved_constraints_are_edits() -> None:
    """F9: with ``constraint=False`` what moved into descriptions is in the edits."""
    assert rendering({}, {"type": "string", "minLength": 1}, constraint=False).edits


def test_a_schema_for_what_is_not_declared_is_said() -> None:
    """F7: ``unevaluatedProperties`` with a schema is said as additionalProperties, or described."""
    node = {
        "type": "object",
        "properties": {"a": TEXT},
        "unevaluatedProperties": {"type": "integer"},
    }
    schema = rendered({}, node)
    assert (
        schema.get("additionalProperties") == {"type": "integer"}
        or "@unevaluated" in schema["description"]
    )


def test_an_open_rest_leaves_nothing_unevaluated() -> None:
    """F7: ``additionalProperties: true`` evaluates every name, so ``unevaluatedProperties`` refuses none."""
    node = {"type": "object", "additionalProperties": True, "unevaluatedProperties": False}
    assert accepts(node, {"a": 1})
    assert shows(rendered({}, node), {"a": 1}, "3.0")


def test_descriptions_come_before_what_is_described() -> None:
    """F7: the document's words first, then a blank line, then the lines of the rules."""
    node = {
        "type": "string",
        "description": "Words.",
        "not": {"const": "a"},
        "contentEncoding": "base64",
    }
    said = rendered({}, node)["description"]
    assert said == 'Words.\n\n@contentEncoding "base64"\n@not {"const":"a"}'


def test_long_rules_are_shortened() -> None:
    """F7: a rule in a description is a hint of at most 300 characters, however large the rule is."""
    said = rendered(
        {}, {"type": "string", "not": {"enum": [f"value {index}" for index in range(1_000)]}}
    )["description"]
    assert len(said) < 320
    assert said.endswith("…")


#: Schemas that no value, or no value of the type, satisfies: what they are shown as must be a schema still.
EMPTY: dict[str, Json] = {
    "null in a type without it": {"type": "string", "enum": [None]},
    "constants of other types": {"type": ["string", "integer"], "enum": [True]},
    "no branch": {"anyOf": [False]},
    "no branch and null": {"anyOf": [False, NULL]},
    "two branches of nothing": {"oneOf": [False, False], "type": "object"},
    "a refused required property": {
        "type": "object",
        "properties": {"a": False},
        "required": ["a"],
    },
    "a refused list": {"type": "array", "items": False, "minItems": 1},
    "a tuple of nothing": {"type": "array", "prefixItems": [False]},
    "a closed tuple of nothing": {"type": "array", "prefixItems": [False, TEXT], "items": False},
}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
        )
        for case in EMPTY
    ],
)
def test_schemas_of_nothing_are_valid_schemas(case: str) -> None:
    """F7: also what nothing satisfies is shown as a schema of both standards."""
    schema = rendered({}, {"type": "object", "properties": {"p": EMPTY[case]}})
    check(schema, "3.0")


def test_values_that_are_equal_are_said_once() -> None:
    """F7: OpenAPI 3.0 wants the values of an enum unique, and 1.0 is 1."""
    check(rendered({}, {"type": "number", "enum": [1, 1.0, 2]}), "3.0")


NULLS = [
    {"type": ["string", "null"]},
    {"anyOf": [TEXT, NULL]},
    {"oneOf": [NULL, TEXT, {"type": "integer"}]},
    {"anyOf": [ref("Thing"), NULL]},
    {"anyOf": [ref("Thing"), ref("Text"), NULL]},
    {"anyOf": [ref("Maybe")]},
    {"anyOf": [ref("Maybe"), TEXT]},
    ref("Maybe"),
    {"allOf": [ref("Maybe"), {"minProperties": 0}]},
    {"anyOf": [{"anyOf": [{"anyOf": [TEXT, NULL]}]}]},
    {"anyOf": [{"oneOf": [TEXT, {"type": "integer"}]}, NULL]},
    {"anyOf": [{"enum": ["a"]}, NULL]},
    {"anyOf": [{"enum": ["a", 1]}, NULL]},
    {"anyOf": [{"enum": ["a", 1]}, {"not": {"type": "null"}}, NULL]},
    {"anyOf": [ref("Choice"), ref("Thing"), NULL]},
    {"type": ["object", "null"], "anyOf": [{"required": ["a"]}, {"required": ["b"]}, NULL]},
    {
        "type": ["object", "null"],
        "properties": {"x": {"type": "integer"}},
        "oneOf": [ref("Thing"), NULL],
    },
    {"type": ["array", "object", "null"], "items": ref("Thing"), "properties": {"x": ref("Thing")}},
    {"type": ["array", "null"], "items": ref("Thing"), "enum": [None, [{"x": 1}]]},
    pytest.param(
        {"anyOf": [{"type": "array", "items": ref("Thing"), "enum": [[{"x": 1}]]}, NULL]},
    ),
    {"anyOf": [{"type": "array", "items": ref("Thing")}, NULL]},
    {"anyOf": [{"items": ref("Thing"), "minItems": 1}, NULL]},
    {"anyOf": [{"additionalProperties": ref("Thing"), "not": {"type": "null"}}, NULL]},
    {"const": None},
    {"enum": [None, "a", 1]},
    {"type": ["string", "null"], "enum": ["a", None], "minLength": 1},
    {"enum": [None]},
    {"type": ["string", "integer", "null"], "enum": ["a", None]},
    {"type": ["string", "integer", "null"], "enum": [None]},
    {},
    {"not": {"type": "string"}},
]


@pytest.mark.parametrize("node", NULLS, ids=lambda node: dumps(node).decode()[:50])
def test_null_is_never_lost(node: Json) -> None:
    """F7: where null is valid a model is shown that it is: at the root, in a property, in a list, in a union."""
    assert accepts(composed(SCHEMAS, node), None)
    for wrap, value in (
        (node, None),
        ({"type": "object", "properties": {"p": node}}, {"p": None}),
        ({"type": "array", "items": node}, [None]),
        ({"type": "object", "additionalProperties": node}, {"p": None}),
        ({"anyOf": [{"type": "integer"}, node]}, None),
        ({"type": "array", "prefixItems": [node, TEXT], "items": False}, [None]),
    ):
        for options in ({}, {"constraint": False}, {"recursive": 0, "budget": 1024}):
            schema = rendered(SCHEMAS, wrap, **options)
            check(schema, "3.0")
            assert shows(schema, value, "3.0"), schema


@pytest.mark.parametrize("node", [
    {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "a", "format": "uuid"},
    {"type": "number", "minimum": 1, "maximum": 2, "multipleOf": 0.5, "format": "double"},
    {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 2, "uniqueItems": True},
    {"type": "object", "minProperties": 1, "maxProperties": 2},
    {"type": ["string", "integer"], "minLength": 1, "minimum": 1},
    pytest.param({"type": "array", "prefixItems": [TEXT], "items": False}),
    pytest.param({"type": "array", "items": False}),
], ids=lambda node: dumps(node).decode()[:40])  # fmt: skip
def test_constraints_move_into_descriptions(node: Json) -> None:
    """F8: ``constraint=False`` leaves no bound, length, pattern or format as a schema keyword, and says each."""
    words = {"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems",
             "uniqueItems", "minProperties", "maxProperties"}  # fmt: skip
    schema = rendered({}, {"type": "object", "properties": {"p": node}}, constraint=False)
    check(schema, "3.0")
    said = "\n".join(inner.get("description", "") for inner in subschemas(schema))
    for inner in subschemas(schema):
        assert words.isdisjoint(inner)
    assert all(f"@{key} {dumps(node[key]).decode()}" in said for key in words & node.keys())
    assert "@" in said


@pytest.mark.parametrize("recursive", [0, 1, 2, 3, 7])
def test_recursion_is_shown_so_many_times_more(recursive: int) -> None:
    """F8: ``n`` shows a component n more times within itself; ``0`` cuts at the first repetition."""
    schemas = {
        "Category": {"type": "object", "properties": {"id": TEXT, "parent": ref("Category")}}
    }
    schema = rendered(schemas, ref("Category"), recursive=recursive)
    depth = 0
    while not is_stub(schema):
        depth += 1
        schema = schema["properties"]["parent"]
    assert depth == recursive + 1
    assert schema == {"type": "object", "description": "Category (nested deeper than shown)"}


def test_recursion_is_counted_on_the_path_and_by_component() -> None:
    """F8: siblings do not count for each other, and neither do other components of the circle."""
    schemas = {
        "A": {
            "type": "object",
            "properties": {"b": ref("B"), "c": {"type": "array", "items": ref("B")}},
        },
        "B": {"type": "object", "properties": {"a": ref("A")}},
    }
    schema = rendered(
        schemas, {"type": "object", "properties": {"x": ref("A"), "y": ref("A")}}, recursive=0
    )
    for key in ("x", "y"):
        for pointer in ("b", "c/items"):
            found = place(schema, f"/properties/{key}/properties/{pointer}")
            assert is_stub(found["properties"]["a"])
    assert sum(map(is_stub, subschemas(schema))) == 4


#: What is cut, and what stands for it: types and nullability as declared, the union of stubs, never less.
STUBS: dict[str, tuple[Json, Json]] = {
    "an object": ({"type": "object"}, {"type": "object"}),
    "a nullable object": ({"type": ["object", "null"]}, {"type": "object", "nullable": True}),
    "a list": ({"type": "array", "items": ref("R")}, {"type": "array", "items": {}}),
    "no type": ({}, {}),
    "a union": (
        {"anyOf": [{"type": "object", "properties": {"r": ref("R")}}, {"type": "array", "items": ref("R")}, TEXT]},
        {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}, TEXT]},
    ),
    "a nullable union": (
        {"oneOf": [{"type": "object", "properties": {"r": ref("R")}}, TEXT, NULL]},
        {"anyOf": [{"type": "object", "nullable": True}, TEXT]},
    ),
    "a union with an open branch": ({"anyOf": [{"properties": {"r": ref("R")}}, TEXT]}, {}),
    "a union behind references": ({"anyOf": [ref("Thing"), ref("Maybe"), ref("R")]}, {"type": "object", "nullable": True}),
    "several types": (
        {"type": ["object", "array", "null"], "items": ref("R")},
        {"anyOf": [{"type": "object", "nullable": True}, {"type": "array", "items": {}}]},
    ),
    "values": ({"enum": ["a", None], "anyOf": [ref("R"), TEXT]}, {"type": "string", "nullable": True}),
}  # fmt: skip


@pytest.mark.parametrize("case", STUBS)
def test_a_stub_keeps_types_and_nullability(case: str) -> None:
    """F8: a cut subtree says what it was, of which types, and whether null; it claims no type of its own."""
    node, expected = STUBS[case]
    below = {"properties": {"r": ref("R")}} if "anyOf" not in node and "oneOf" not in node else {}
    schemas = SCHEMAS | {"R": {**below, **node}}
    schema = rendered(schemas, ref("R"), recursive=0)
    stubs = [inner for inner in subschemas(schema) if is_stub(inner)]
    assert stubs
    for found in stubs:
        assert {key: value for key, value in found.items() if key != "description"} == expected
        assert found["description"] == "R (nested deeper than shown)"
    check(schema, "3.0")


def test_a_stub_takes_null_from_its_place() -> None:
    """F8: a place that admits null still does where what filled it was cut."""
    schemas = {
        "R": {
            "type": "object",
            "properties": {
                "next": {"anyOf": [ref("R"), NULL]},
                "any": {"oneOf": [NULL, ref("R"), TEXT]},
            },
        }
    }
    schema = rendered(schemas, ref("R"), recursive=0)
    assert schema["properties"]["next"]["nullable"] is True
    assert is_stub(schema["properties"]["next"])
    assert schema["properties"]["any"]["anyOf"][0]["nullable"] is True


@pytest.mark.parametrize(
    "keyword", ["not", "if", "then", "else", "contains", "propertyNames", "contentSchema"]
)
def test_nothing_below_a_negation_is_cut(keyword: str) -> None:
    """F8: below ``not``, ``if``, ``contains``, ... nothing is widened: the whole schema keyword is described."""
    recursive = {"type": "object", "properties": {"r": {keyword: ref("Thing")}}}
    schema = rendered(
        SCHEMAS, {"type": "object", "properties": {"p": recursive}}, recursive=0, budget=1024
    )
    inner = place(schema, "/properties/p/properties/r")
    assert keyword not in inner
    assert f"@{keyword} " in inner["description"]
    check(schema, "3.0")


def test_edits_lead_to_what_is_shown() -> None:
    """F9: an open tuple shows none of its items, and so no edit of them."""
    node = {"type": "array", "prefixItems": [{"type": "string", "not": {"const": "a"}}]}
    found = rendering({}, node)
    for edit in found.edits:
        place(found.schema, edit.pointer)


def test_edits_lead_to_the_branch_that_is_shown() -> None:
    """F9: where types are taken apart, an edit's pointer counts the branches that are there."""
    node = {
        "type": ["string", "array"],
        "enum": [["x"]],
        "items": {"type": "string", "not": {"const": "y"}},
    }
    found = rendering({}, node)
    for edit in found.edits:
        assert "not" in place(found.schema, edit.pointer)["description"]


@given(st.integers(-(10**25), 10**25), st.floats(-1e300, 1e300))
def test_exclusive_bounds_of_integers_are_exact(low: int, high: float) -> None:
    """F7: the inclusive bounds of an integer admit exactly what the exclusive ones did, at any size."""
    schema = rendered({}, {"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": high})
    assert schema["minimum"] - 1 == low
    assert schema["maximum"] < high <= schema["maximum"] + 1
    json.dumps(schema)


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "object", "anyOf": [THING, ref("Thing")]},
        {"type": "object", "anyOf": [THING, {**THING, "required": ["x"]}]},
        {"type": "object", "anyOf": [{"anyOf": [THING, {"const": [1]}]}]},
        {
            "type": "object",
            "anyOf": [{"properties": {"z": TEXT}, "oneOf": [THING, {"required": ["y"]}]}],
        },
    ],
)
@pytest.mark.parametrize("beside", [[], [TEXT]])
def test_null_beside_a_union_with_a_type_is_admitted(inner: Json, beside: list[Json]) -> None:
    """F7: where a type stands beside a union, null is admitted by both of them, however deep the union is."""
    node = {"anyOf": [inner, *beside, NULL]}
    schema = rendered(SCHEMAS, {"type": "object", "properties": {"p": node}})
    check(schema, "3.0")
    assert shows(schema, {"p": None}, "3.0")
    assert shows(schema, {"p": {"x": 1}}, "3.0")
