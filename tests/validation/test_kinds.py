"""One table row per schema keyword: what is wrong, where, and what is expected there."""

from typing import Any

import pytest

from specfn.records import ABSENT
from specfn.validation.validate import Validator

#: Schema, value, path, expected.
KINDS: list[tuple[str, Any, Any, str, str]] = [
    ("type", {"type": "string"}, 5, "$input", "string"),
    ("type list", {"type": ["string", "null"]}, 5, "$input", "string | null"),
    ("type integer", {"type": "integer"}, 1.5, "$input", "integer"),
    ("type not boolean", {"type": "integer"}, True, "$input", "integer"),
    ("enum", {"enum": ["a", "b"]}, "c", "$input", '"a" | "b"'),
    ("enum not true", {"enum": [1]}, True, "$input", "1"),
    (
        "long enum",
        {"enum": [f"v{index}" for index in range(17)]},
        "x",
        "$input",
        " | ".join(f'"v{index}"' for index in range(17)),
    ),
    ("enum of objects", {"enum": [{"a": 1}]}, {"a": 2}, "$input", '{"a":1}'),
    ("const", {"const": "a"}, "b", "$input", '"a"'),
    ("const object", {"const": {"a": 1}}, {"a": 2}, "$input", '{"a":1}'),
    (
        "multipleOf",
        {"type": "number", "multipleOf": 0.01},
        0.015,
        "$input",
        "number & MultipleOf<0.01>",
    ),
    ("minimum", {"type": "integer", "minimum": 1}, 0, "$input", "integer & Minimum<1>"),
    ("maximum", {"type": "integer", "maximum": 1}, 2, "$input", "integer & Maximum<1>"),
    (
        "exclusiveMinimum",
        {"type": "number", "exclusiveMinimum": 0},
        0,
        "$input",
        "number & ExclusiveMinimum<0>",
    ),
    (
        "exclusiveMaximum",
        {"type": "number", "exclusiveMaximum": 0},
        0,
        "$input",
        "number & ExclusiveMaximum<0>",
    ),
    (
        "numeric format",
        {"type": "integer", "format": "int32"},
        2**31,
        "$input",
        'number & Type<"int32">',
    ),
    ("minLength", {"type": "string", "minLength": 2}, "😀", "$input", "string & MinLength<2>"),
    ("maxLength", {"type": "string", "maxLength": 2}, "abc", "$input", "string & MaxLength<2>"),
    ("pattern", {"type": "string", "pattern": "^a"}, "b", "$input", 'string & Pattern<"^a">'),
    (
        "long pattern",
        {"type": "string", "pattern": "a" * 201},
        "b",
        "$input",
        "string & Pattern<...>",
    ),
    ("format", {"type": "string", "format": "uuid"}, "x", "$input", 'string & Format<"uuid">'),
    ("minItems", {"type": "array", "minItems": 1}, [], "$input", "Array<any> & MinItems<1>"),
    ("maxItems", {"type": "array", "maxItems": 1}, [1, 2], "$input", "Array<any> & MaxItems<1>"),
    (
        "uniqueItems",
        {"type": "array", "uniqueItems": True},
        [1, 1.0],
        "$input",
        "Array<any> & UniqueItems",
    ),
    (
        "contains",
        {"type": "array", "contains": {"const": 1}},
        [2],
        "$input",
        "Array<any> & Contains<1>",
    ),
    (
        "minContains",
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
        [1],
        "$input",
        "Array<any> & Contains<1>",
    ),
    (
        "maxContains",
        {"type": "array", "contains": {"const": 1}, "maxContains": 1},
        [1, 1],
        "$input",
        "Array<any> & Contains<1>",
    ),
    ("items", {"items": {"type": "string"}}, ["a", 5], "$input[1]", "string"),
    ("items reference", {"items": {"$ref": "#/$defs/D"}}, ["a", 5], "$input[1]", "D"),
    (
        "prefixItems",
        {"prefixItems": [{"type": "string"}, {"type": "null"}]},
        ["a", 5],
        "$input[1]",
        "null",
    ),
    ("items false", {"prefixItems": [True], "items": False}, [1, 2], "$input[1]", "undefined"),
    ("prefixItems false", {"prefixItems": [False]}, [1], "$input[0]", "undefined"),
    (
        "unevaluatedItems",
        {"prefixItems": [True], "unevaluatedItems": False},
        [1, 2],
        "$input[1]",
        "undefined",
    ),
    ("unevaluatedItems schema", {"unevaluatedItems": {"type": "null"}}, [1], "$input[0]", "null"),
    (
        "minProperties",
        {"type": "object", "minProperties": 1},
        {},
        "$input",
        "object & MinProperties<1>",
    ),
    (
        "maxProperties",
        {"type": "object", "maxProperties": 0},
        {"a": 1},
        "$input",
        "object & MaxProperties<0>",
    ),
    (
        "required",
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {},
        "$input.a",
        "string",
    ),
    ("required, undeclared", {"required": ["a"]}, {}, "$input.a", "any"),
    (
        "required, elsewhere",
        {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "string"}}}]},
        {},
        "$input.a",
        "string",
    ),
    (
        "dependentRequired",
        {"properties": {"b": {"type": "null"}}, "dependentRequired": {"a": ["b"]}},
        {"a": 1},
        "$input.b",
        "null",
    ),
    (
        "dependentSchemas",
        {"dependentSchemas": {"a": {"required": ["b"]}}},
        {"a": 1},
        "$input.b",
        "any",
    ),
    (
        "properties",
        {"properties": {"a": {"type": "string"}}},
        {"a": 5},
        "$input.a",
        "string | undefined",
    ),
    (
        "properties, required",
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"a": 5},
        "$input.a",
        "string",
    ),
    ("properties false", {"properties": {"id": False}}, {"id": 5}, "$input.id", "undefined"),
    (
        "patternProperties",
        {"patternProperties": {"^x": {"type": "string"}}},
        {"x1": 5},
        "$input.x1",
        "string | undefined",
    ),
    (
        "patternProperties false",
        {"patternProperties": {"^x": False}},
        {"x1": 5},
        "$input.x1",
        "undefined",
    ),
    (
        "additionalProperties",
        {"additionalProperties": {"type": "string"}},
        {"a": 5},
        "$input.a",
        "string | undefined",
    ),
    (
        "additionalProperties false",
        {"additionalProperties": False},
        {"a": 5},
        "$input.a",
        "undefined",
    ),
    (
        "closed",
        {"properties": {"b": True}, "additionalProperties": False},
        {"a": 5},
        "$input.a",
        "undefined",
    ),
    (
        "closed by reference",
        {"additionalProperties": {"$ref": "#/$defs/Nothing"}},
        {"a": 5},
        "$input.a",
        "undefined",
    ),
    (
        "unevaluatedProperties",
        {"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
        {"a": 1, "b": 2},
        "$input.b",
        "undefined",
    ),
    (
        "unevaluatedProperties schema",
        {"unevaluatedProperties": {"type": "string"}},
        {"b": 2},
        "$input.b",
        "string | undefined",
    ),
    (
        "unevaluatedProperties by branch",
        {
            "anyOf": [{"required": ["a"], "properties": {"a": True}}, {"properties": {"b": True}}],
            "unevaluatedProperties": False,
        },
        {"a": 1, "c": 2},
        "$input.c",
        "undefined",
    ),
    (
        "unevaluatedProperties, other branch",
        {
            "oneOf": [
                {"required": ["a"], "properties": {"a": True}},
                {"required": ["c"], "properties": {"b": True, "c": True}},
            ],
            "unevaluatedProperties": False,
        },
        {"a": 1, "b": 2},
        "$input.b",
        "undefined",
    ),
    ("propertyNames", {"propertyNames": {"maxLength": 1}}, {"ab": 1}, "$input.ab", "undefined"),
    ("propertyNames false", {"propertyNames": False}, {"ab": 1}, "$input.ab", "undefined"),
    (
        "allOf",
        {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        1,
        "$input",
        "integer & number & Minimum<3>",
    ),
    ("anyOf", {"anyOf": [{"type": "string"}, {"type": "null"}]}, 5, "$input", "string | null"),
    (
        "oneOf, none",
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
        5,
        "$input",
        "string | null",
    ),
    (
        "oneOf, two",
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        5,
        "$input",
        "integer | number",
    ),
    ("not", {"not": {"type": "string"}}, "a", "$input", "Not<string>"),
    ("then", {"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "$input.b", "any"),
    ("else", {"if": {"required": ["a"]}, "else": {"required": ["b"]}}, {}, "$input.b", "any"),
    ("then false", {"if": True, "then": False}, 5, "$input", "any"),
    ("$ref", {"$ref": "#/$defs/D"}, 5, "$input", "D"),
    (
        "$ref with siblings",
        {"$ref": "#/$defs/D", "minLength": 2},
        "a",
        "$input",
        "D & MinLength<2>",
    ),
    (
        "escaped name",
        {"properties": {"a-b": {"type": "string"}}},
        {"a-b": 5},
        '$input["a-b"]',
        "string | undefined",
    ),
    ("false", False, 5, "$input", "never"),
]
DEFINITIONS = {"D": {"type": "string"}, "Nothing": False}


@pytest.mark.parametrize(
    ("schema", "value", "path", "expected"),
    [row[1:] for row in KINDS],
    ids=[row[0] for row in KINDS],
)
def test_each_keyword(schema: Any, value: Any, path: str, expected: str) -> None:
    """Each schema keyword that is not satisfied is one problem at its place."""
    root = {**schema, "$defs": DEFINITIONS} if isinstance(schema, dict) else schema
    (problem,) = Validator(root, one_of="exactly").problems(value)
    assert (problem.path, problem.expected) == (path, expected)


@pytest.mark.parametrize("keyword", ["required", "dependentRequired"])
def test_what_is_missing_has_no_value(keyword: str) -> None:
    """The value of a missing property is absent, which null is not."""
    rows = [row for row in KINDS if row[0] == keyword]
    (problem,) = Validator(rows[0][1]).problems(rows[0][2])
    assert problem.value is ABSENT


@pytest.mark.parametrize(
    ("schema", "value", "description"),
    [
        ({"$ref": "#/$defs/D"}, 5, "It must be string."),
        ({"properties": {"id": False}}, {"id": 1}, "The server sets this property."),
        (
            {"properties": {"a": True, "b": False}, "additionalProperties": False},
            {"c": 1},
            "There is no such property; the only property is a.",
        ),
        (
            {"properties": {"a": True, "b": True}, "additionalProperties": False},
            {"c": 1},
            "There is no such property; the properties are a and b.",
        ),
        (
            {"additionalProperties": False},
            {"c": 1},
            "There is no such property; the object has none.",
        ),
        ({"items": False}, [1], "The array must not have an item here."),
        (
            {"propertyNames": {"maxLength": 1}},
            {"ab": 1},
            "The name of a property must be string of at most 1 character.",
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            5,
            "It must fit exactly one alternative, but it fits integer and number.",
        ),
        ({"if": True, "then": {"$ref": "#/$defs/D"}}, 5, "It must be string."),
        ({"type": "string"}, 5, None),
    ],
)
def test_descriptions(schema: Any, value: Any, description: str | None) -> None:
    """If the type text is not sufficient, a sentence describes the problem."""
    validator = Validator({**schema, "$defs": DEFINITIONS}, one_of="exactly")
    (problem,) = validator.problems(value)
    assert problem.description == description
