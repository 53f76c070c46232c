"""The verdict of two schemas, requests or requirements that a table of keywords alone would judge wrongly."""

from typing import Any

import pytest

import specfn

Json = dict[str, Any]


def document(schema: Json, **operation: Any) -> Json:
    content = {"application/json": {"schema": schema}}
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {
            "/pets": {"post": {"requestBody": {"content": content}, "responses": {}, **operation}}
        },
        "components": {
            "securitySchemes": schemes,
            "schemas": {"Name": {"type": "string", "description": "one"}},
        },
    }


def verdicts(old: Json, new: Json) -> set[str]:
    return {each.breaking for each in specfn.compare(specfn.load(old), specfn.load(new))}


CONSTANTS = [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]
LISTED = {"type": "string", "enum": ["a", "b"]}
NAME = {"$ref": "#/components/schemas/Name"}


#: Two schemas, and the verdicts of the first to the second and of the second to the first.
SCHEMAS: dict[str, tuple[Json, Json, str, str]] = {
    "another alternative accepts the values": (
        {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "string"}]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]},
        "no",
        "no",
    ),
    "listed values as constants": (LISTED, {"oneOf": CONSTANTS}, "no", "no"),
    "fewer constants": (LISTED, {"oneOf": CONSTANTS[:1]}, "yes", "no"),
    "constants beside a type": (LISTED, {"type": "string", "oneOf": CONSTANTS}, "no", "no"),
    "null beside listed values": (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        "no",
        "no",
    ),
    "const and enum": ({"const": "a"}, {"const": "a", "enum": ["b"]}, "yes", "no"),
    "const and an enum that contains it": (
        {"const": "a"},
        {"const": "a", "enum": ["a", "b"]},
        "no",
        "no",
    ),
    "no other properties": (
        {"type": "object", "additionalProperties": {"not": {}}},
        {"type": "object", "additionalProperties": False},
        "no",
        "no",
    ),
    "a property that was required and not declared": (
        {"type": "object", "required": ["a"]},
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
        "yes",
        "maybe",
    ),
    "a text within a condition": (
        {"not": {"const": "a", "description": "one"}},
        {"not": {"const": "a", "description": "two"}},
        "no",
        "no",
    ),
    "a text below unevaluatedProperties": (
        {"properties": {"a": {"title": "one"}}, "unevaluatedProperties": False, "allOf": [{}]},
        {"properties": {"a": {"title": "two"}}, "unevaluatedProperties": False, "allOf": [{}]},
        "no",
        "no",
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_compared_by_what_they_accept(name: str) -> None:
    """A schema in another form breaks nobody, and a keyword beside another one is not overlooked."""
    first, second, forward, backward = SCHEMAS[name]
    for old, new, expected in ((first, second, forward), (second, first, backward)):
        assert verdicts(document(old), document(new)) <= {expected, "no"}
        assert expected == "no" or expected in verdicts(document(old), document(new))


def test_a_text_behind_a_reference_within_a_condition_is_no_question() -> None:
    """A changed description of a component is not undecided where a condition refers to it."""
    old, new = document({"not": NAME}), document({"not": NAME})
    new["components"]["schemas"]["Name"]["description"] = "two"
    assert verdicts(old, new) <= {"no"}


def test_a_union_that_contains_itself_ends() -> None:
    """A schema that is its own alternative is undecided; its comparison takes no longer than others."""
    old, new = document(NAME), document(NAME)
    new["components"]["schemas"]["Name"] = {"oneOf": [NAME]}
    assert "yes" not in verdicts(old, new)
    new["components"]["schemas"]["Name"] = {"oneOf": [{"allOf": [NAME]}, {"type": "string"}]}
    assert "yes" not in verdicts(old, new)


@pytest.mark.parametrize(("kind", "expected"), [("string", set()), ("array", {"yes"})])
def test_explode_of_a_scalar_changes_nothing(kind: str, expected: set[str]) -> None:
    """``explode`` concerns arrays and objects only."""
    old, new = (
        document(
            {},
            parameters=[{"name": "a", "in": "query", "explode": explode, "schema": {"type": kind}}],
        )
        for explode in (True, False)
    )
    assert verdicts(old, new) == expected


def test_optional_security_breaks_nobody() -> None:
    """Credentials that are accepted and not needed are no break; a changed scheme is named as such."""
    assert verdicts(document({}), document({}, security=[{"key": []}, {}])) == {"no"}
    assert "yes" in verdicts(document({}), document({}, security=[{"key": []}]))
    old, new = (document({}, security=[{"key": []}]) for _ in range(2))
    new["components"]["securitySchemes"]["key"]["name"] = "X-Other"
    (change,) = specfn.compare(specfn.load(old), specfn.load(new))
    assert change.sentence.startswith("the security schemes changed from ")
