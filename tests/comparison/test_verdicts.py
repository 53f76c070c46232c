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


def with_default(value: Any, *, required: bool) -> Json:
    """Return a document with defaults of a parameter, a property, an item, and below a reference."""
    node = {"type": "string", "default": value}
    names = ["a", "b", "c"] if required else []
    properties = {"a": node, "b": NAME, "c": {"allOf": [NAME, {"default": value}]}}
    parameters = [{"name": "p", "in": "query", "required": required, "schema": node}]
    schema = {"type": "object", "properties": properties, "required": names}
    found = document(schema, parameters=parameters)
    found["components"]["schemas"]["Name"]["default"] = value
    return found


@pytest.mark.parametrize("required", [False, True])
def test_another_default_counts_where_a_value_may_be_left_out(*, required: bool) -> None:
    """The server does something else with a call that leaves an argument out; a required one is always given."""
    old, new = with_default("x", required=required), with_default("y", required=required)
    found = specfn.compare(specfn.load(old), specfn.load(new))
    defaults = {each.place: each.breaking for each in found if each.kind == "default"}
    expected = "no" if required else "maybe"
    places = ("query.p", "body.a", "body.b", "body.c")
    assert defaults == {f"$input.{place}": expected for place in places}
    assert {each.breaking for each in found} == {expected}


def test_a_default_of_a_component_counts_if_one_of_its_places_is_optional() -> None:
    """A component that a required and an optional property share has the verdict of the optional one."""

    def sharing(value: str, names: list[str]) -> Json:
        properties = {"a": NAME, "b": NAME}
        found = document({"type": "object", "properties": properties, "required": names})
        found["components"]["schemas"]["Name"]["default"] = value
        return found

    for names in (["a"], ["b"]):
        assert verdicts(sharing("x", names), sharing("y", names)) == {"maybe"}
    assert verdicts(sharing("x", ["a", "b"]), sharing("y", ["a", "b"])) == {"no"}


@pytest.mark.parametrize("schema", [{"type": "array", "items": {}}, {"additionalProperties": {}}])
def test_a_default_of_an_item_has_no_effect(schema: Json) -> None:
    """An item or the value of a map cannot be left out."""
    key = "items" if "items" in schema else "additionalProperties"
    old, new = ({**schema, key: {"type": "string", "default": value}} for value in "ab")
    assert verdicts(document(old), document(new)) == {"no"}


@pytest.mark.parametrize("branch", [{"type": "string", "default": "a"}])
def test_a_default_does_not_choose_an_alternative(branch: Json) -> None:
    """Alternatives that differ in their default are the same alternative."""
    old, new = (
        document({"anyOf": [{"type": "integer"}, {**branch, "default": value}]}) for value in "ab"
    )
    found = specfn.compare(specfn.load(old), specfn.load(new))
    assert [(each.kind, each.breaking) for each in found] == [("default", "maybe")]


def one_sentence(old: Json, new: Json, version: str) -> str:
    """Return the sentence of the only difference of two schemas."""
    documents = ({**document(schema), "openapi": version} for schema in (old, new))
    (difference,) = specfn.compare(*map(specfn.load, documents))
    return difference.sentence.removeprefix("$input.body: ")


#: The keywords of two bounds in OpenAPI 3.0 and 3.1, and the sentences forward and backward.
BOUNDS: list[tuple[str, Json, Json, str, str]] = [
    (
        "3.0.3",
        {"maximum": 5, "exclusiveMaximum": False},
        {"maximum": 5, "exclusiveMaximum": True},
        "maximum 5 became exclusive",
        "maximum 5 is no longer exclusive",
    ),
    (
        "3.1.0",
        {"maximum": 5},
        {"exclusiveMaximum": 5},
        "maximum 5 became exclusive",
        "maximum 5 is no longer exclusive",
    ),
    (
        "3.0.3",
        {"minimum": 1},
        {"minimum": 1, "exclusiveMinimum": True},
        "minimum 1 became exclusive",
        "minimum 1 is no longer exclusive",
    ),
    (
        "3.1.0",
        {"minimum": 1},
        {"exclusiveMinimum": 2},
        "minimum 1 became exclusiveMinimum 2",
        "exclusiveMinimum 2 became minimum 1",
    ),
    (
        "3.1.0",
        {},
        {"minimum": 1, "exclusiveMinimum": 0},
        "minimum 1 and exclusiveMinimum 0 are new",
        "minimum 1 and exclusiveMinimum 0 are gone",
    ),
]


@pytest.mark.parametrize(("version", "before", "after", "forward", "backward"), BOUNDS)
def test_a_bound_that_becomes_exclusive_is_one_difference(
    version: str, before: Json, after: Json, forward: str, backward: str
) -> None:
    """A bound and its exclusive form are one difference, in each version of OpenAPI."""
    old, new = ({"type": "integer", **bounds} for bounds in (before, after))
    assert one_sentence(old, new, version) == forward
    assert one_sentence(new, old, version) == backward


EITHER = [{"properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["b"]}]

#: Schemas whose change concerns several keywords.
TOGETHER: list[tuple[Json, Json, str]] = [
    ({}, {"if": {"type": "string"}, "then": {"maxLength": 1}}, "the keywords if, then are new"),
    ({"contains": {}, "minContains": 1}, {}, "the keywords contains, minContains are gone"),
    ({"type": "string", "maxLength": 9}, {"type": "boolean"}, "the type string became boolean"),
    (
        {"type": "object", "properties": {"a": {}}},
        {"type": "string", "minLength": 1},
        "the type object became string",
    ),
    (
        {"type": "object", "anyOf": EITHER},
        {"type": "object", "anyOf": EITHER, "unevaluatedProperties": False},
        "the keyword unevaluatedProperties is new",
    ),
]


@pytest.mark.parametrize(("before", "after", "sentence"), TOGETHER)
def test_keywords_that_belong_together_are_one_difference(
    before: Json, after: Json, sentence: str
) -> None:
    """A condition is one difference, and a type that is gone stands for the bounds of its values."""
    assert one_sentence(before, after, "3.1.0") == sentence
