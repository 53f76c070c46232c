"""Malformed objects of an operation are an error or a note of it; nothing vanishes without a word (rules R1, N6)."""

from typing import Any

import pytest

from specfn import load

Json = dict[str, Any]
OK = {"200": {"description": "OK"}}
Q = {"name": "q", "in": "query", "schema": {"type": "string"}}


def document(paths: Json, **members: Any) -> Json:
    return {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths, **members}


def swagger(parameters: list[Json]) -> Json:
    operation = {"parameters": parameters, "responses": OK}
    return {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"post": operation}},
    }


def test_a_method_in_upper_case_is_a_method() -> None:
    """R1: ``GET`` is read as ``get``, with a note; next to ``get`` it is a member without a meaning."""
    [function] = load(document({"/a": {"GET": {"parameters": [Q], "responses": OK}}})).functions
    assert (function.method, "query" in function.parameters["properties"]) == ("get", True)
    assert any("'GET'" in note.text for note in function.notes)


def test_lists_of_parameters_in_a_list_are_flattened() -> None:
    """R4: ``parameters: [[...]]``, which YAML's aliases produce, has its parameters, with a note."""
    operation = {"parameters": [[Q, [{**Q, "name": "r"}]]], "responses": OK}
    [function] = load(document({"/a": {"get": operation}})).functions
    assert [*function.parameters["properties"]["query"]["properties"]] == ["q", "r"]
    assert any("contains a list" in note.text for note in function.notes)


@pytest.mark.parametrize("level", ["operation", "path item"])
def test_parameters_that_are_no_list_are_an_error(level: str) -> None:
    """R1: an object of parameters by name has no meaning, so the operation is an error."""
    wrong = {"q": {"in": "query", "schema": {"type": "string"}}}
    operation: Json = {"responses": OK}
    item: Json = {"get": operation}
    (operation if level == "operation" else item)["parameters"] = wrong
    application = load(document({"/a": item}))
    [error] = application.errors
    assert (application.functions, error.code) == ((), "malformed")


def test_one_parameter_without_its_list_is_read() -> None:
    """R4: a single Parameter Object instead of a list is a list of one."""
    [function] = load(document({"/a": {"get": {"parameters": Q, "responses": OK}}})).functions
    assert "query" in function.parameters["properties"]


@pytest.mark.parametrize(
    ("parameter", "words"),
    [({"in": "query"}, "''"), ({"name": "x", "in": "nowhere"}, "'nowhere'"), (5, "not an object")],
)
def test_a_parameter_that_is_ignored_has_a_note(parameter: Any, words: str) -> None:
    """R4: a parameter without a name, without a valid location, or of another type is named in a note."""
    operation = {"parameters": [parameter], "responses": OK}
    [function] = load(document({"/a": {"get": operation}})).functions
    assert any(words in note.text for note in function.notes)


def test_the_first_of_two_bodies_is_named_in_a_note() -> None:
    """N6: Swagger allows one body; of several, the last is used, and a note says so."""
    bodies = [
        {"name": name, "in": "body", "schema": {"type": "object", "title": name}} for name in "ab"
    ]
    [function] = load(swagger(bodies)).functions
    assert function.route.body is not None
    assert any("2 body parameters" in note.text for note in function.notes)


def test_form_parameters_next_to_a_body_are_named_in_a_note() -> None:
    """N6: a body excludes ``formData``; the note names the parameters that are ignored."""
    parameters = [
        {"name": "b", "in": "body", "schema": {"type": "object"}},
        {"name": "file", "in": "formData", "type": "string"},
    ]
    [function] = load(swagger(parameters)).functions
    assert any("'file'" in note.text for note in function.notes)


@pytest.mark.parametrize("level", ["operation", "document"])
@pytest.mark.parametrize(
    ("security", "names"),
    [
        ([{"k": None}], [["k"]]),
        ([{"k": "read"}, {"j": []}], [["k"], ["j"]]),
        ([{"k": {}, "j": []}], [["k", "j"]]),
        ({"k": []}, [["k"]]),
        (["k"], [["k"]]),
        ("k", [["k"]]),
        ([None, {"k": []}], [["k"]]),
    ],
)
def test_a_malformed_security_requirement_keeps_its_schemes(
    security: Any, names: list[list[str]], level: str
) -> None:
    """X6: a requirement whose scopes or list are missing (``- api_key:``) still needs its schemes, with a note."""
    operation: Json = {"responses": OK}
    members = {"security": security} if level == "document" else {}
    operation |= {} if level == "document" else {"security": security}
    [function] = load(document({"/a": {"get": operation}}, **members)).functions
    assert [[name for name, _ in schemes] for schemes in function.security] == names
    [note] = [note for note in function.notes if "required nevertheless" in note.text]
    assert note.pointer == ("/security" if level == "document" else "/paths/~1a/get/security")


@pytest.mark.parametrize("security", [None, [], [{}], [{"k": ["read"]}, {}]])
def test_a_security_requirement_that_is_right_has_no_note(security: Any) -> None:
    """X6: an empty list and an empty object mean that no credential is needed; there is nothing to note."""
    operation = {"responses": OK, "security": security}
    [function] = load(document({"/a": {"get": operation}})).functions
    assert not [note for note in function.notes if "required nevertheless" in note.text]
    assert all(name == "k" for schemes in function.security for name, _ in schemes)
