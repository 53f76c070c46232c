"""N3: a reference is resolved or reported wherever an object of the specification is expected, and never read as empty."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Application, Options, load

Json = dict[str, Any]

DOCUMENT: Json = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example"}],
    "paths": {
        "/pets/{id}": {
            "post": {
                "operationId": "rename",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "$ref": {"type": "string"},
                                },
                            }
                        }
                    },
                },
                "responses": {
                    "200": {
                        "description": "OK",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "properties": {"id": {"type": "integer"}},
                                }
                            }
                        },
                        "headers": {"X-Count": {"schema": {"type": "integer"}}},
                        "links": {"self": {"operationId": "rename"}},
                    }
                },
                "callbacks": {"done": {"{$request.body#/url}": {"post": {"responses": {}}}}},
            }
        }
    },
}

#: A valid call, and others with one problem each.
CALLS: list[Json] = [
    {"id": 1, "body": {"name": "Rex"}},
    {"id": "x", "body": {"name": "Rex"}},
    {"id": 1, "body": {"name": 1}},
    {"id": 1, "body": {"name": "Rex", "$ref": 1}},
    {"id": 1, "query": {"dry": 1}, "body": {"name": "Rex"}},
    {"id": 1},
]

_OPERATION = ("paths", "/pets/{id}", "post")
_BODY = (*_OPERATION, "requestBody", "content")
_RESPONSE = (*_OPERATION, "responses", "200")

#: Places of objects that a reference may replace, whether the specification allows it there or not.
REQUEST: list[tuple[str, ...]] = [
    ("paths",),
    ("paths", "/pets/{id}"),
    _OPERATION,
    (*_OPERATION, "parameters"),
    (*_OPERATION, "requestBody"),
    _BODY,
    (*_BODY, "application/json"),
    (*_BODY, "application/json", "schema"),
    (*_BODY, "application/json", "schema", "properties"),
]
OTHERS: list[tuple[str, ...]] = [
    (*_OPERATION, "responses"),
    _RESPONSE,
    (*_RESPONSE, "content"),
    (*_RESPONSE, "content", "application/json", "schema", "properties"),
    (*_RESPONSE, "headers"),
    (*_RESPONSE, "links"),
    (*_RESPONSE, "links", "self"),
    (*_OPERATION, "callbacks"),
    (*_OPERATION, "callbacks", "done"),
]


def replaced(document: Json, places: list[tuple[str, ...]], target: str) -> tuple[Json, Json]:
    """Return a document with references at some places, and what they replace, by number."""
    out = copy.deepcopy(document)
    parts: Json = {}
    for number, place in enumerate(sorted(places, key=len, reverse=True)):
        around = out
        for token in place[:-1]:
            around = around[token]
        parts[str(number)] = around[place[-1]]
        around[place[-1]] = {"$ref": target.format(number)}
    return out, parts


def facts(application: Application) -> list[Any]:
    assert not application.errors
    return [
        (
            function.name,
            function.parameters,
            function.output,
            [[problem.path for problem in function.problems(call)] for call in CALLS],
        )
        for function in application.functions
    ]


@given(st.lists(st.sampled_from(REQUEST + OTHERS), unique=True))
def test_a_reference_means_its_target(places: list[tuple[str, ...]]) -> None:
    """N3: with references to the same objects in any places, the functions are the same."""
    document, parts = replaced(DOCUMENT, places, "#/x-parts/{}")
    assert facts(load({**document, "x-parts": parts})) == facts(load(DOCUMENT))


@given(st.lists(st.sampled_from(REQUEST + OTHERS), unique=True, max_size=4))
def test_a_reference_to_a_file_means_its_target(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[str, ...]]
) -> None:
    """N4: the same in several files, with permission to read them."""
    folder = tmp_path_factory.mktemp("parts")
    document, parts = replaced(DOCUMENT, places, "part{}.json")
    for number, part in parts.items():
        (folder / f"part{number}.json").write_text(json.dumps({"it": part}))
    text = json.dumps(document).replace('.json"}', '.json#/it"}')
    (folder / "api.json").write_text(text)
    for number in parts:
        path = folder / f"part{number}.json"
        path.write_text(path.read_text().replace('.json"}', '.json#/it"}'))
    application = load(str(folder / "api.json"), options=Options(references=str(folder)))
    assert facts(application) == facts(load(DOCUMENT))


@pytest.mark.parametrize("reference", ["#/nowhere", "other.json", "#/x-self"])
@pytest.mark.parametrize("place", REQUEST, ids="/".join)
def test_a_dangling_reference_of_a_request_is_an_error(
    place: tuple[str, ...], reference: str
) -> None:
    """N3: the operation is an error that names the reference; it is never a function without arguments."""
    document, _ = replaced(DOCUMENT, [place], reference)
    application = load({**document, "x-self": {"$ref": "#/x-self"}})
    assert application.functions == ()
    [error] = application.errors
    assert error.code == ("external" if reference == "other.json" else "reference")
    assert repr(reference) in error.reason


@pytest.mark.parametrize("place", OTHERS[:4], ids="/".join)
def test_a_dangling_reference_of_a_response_is_a_note(place: tuple[str, ...]) -> None:
    """N3: the function has a note that names the reference, and any response is accepted."""
    document, _ = replaced(DOCUMENT, [place], "#/nowhere")
    [function] = load(document).functions
    assert any("'#/nowhere'" in note.text for note in function.notes)


def test_names_of_properties_are_no_references() -> None:
    """N3: a property may be called ``$ref`` or ``properties``, and ``$ref`` in values is data."""
    schema = {
        "type": "object",
        "properties": {
            "$ref": {"type": "string"},
            "properties": {"type": "object", "properties": {"$ref": {"type": "integer"}}},
            "any": {
                "enum": [{"$ref": "#/nowhere"}],
                "default": {"$ref": "#/nowhere"},
                "example": {"$ref": "#/nowhere"},
            },
        },
    }
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/pets/{id}"]["post"]["requestBody"]["content"]["application/json"]["schema"] = schema  # fmt: skip
    [function] = load(document).functions
    value = {"$ref": "a", "properties": {"$ref": 1}, "any": {"$ref": "#/nowhere"}}
    assert function.validate({"id": 1, "body": value})
    assert not function.validate({"id": 1, "body": {"$ref": 1}})


def test_an_operation_that_is_a_reference_has_a_note() -> None:
    """N3: a reference where OpenAPI allows none is resolved, and the function says so."""
    document, parts = replaced(DOCUMENT, [_OPERATION], "#/x-parts/{}")
    [function] = load({**document, "x-parts": parts}).functions
    assert "OpenAPI allows no reference in place of an operation" in function.notes[0].text


def test_the_number_of_documents_is_limited_by_an_option(tmp_path: Path) -> None:
    """N4: operations beyond ``Options.max_documents`` are errors with this reason; the option raises the limit."""
    operation = {"responses": {"200": {"description": "OK"}}}
    paths: Json = {}
    for number in range(6):
        (tmp_path / f"{number}.json").write_text(json.dumps(operation))
        paths[f"/p{number}"] = {"get": {"$ref": f"{number}.json"}}
    spec = tmp_path / "api.json"
    spec.write_text(json.dumps({**DOCUMENT, "paths": paths}))
    few = load(str(spec), options=Options(references=str(tmp_path), max_documents=4))
    assert (len(few), len(few.errors)) == (4, 2)
    assert all("more than 4 other documents" in error.reason for error in few.errors)
    assert len(load(str(spec), options=Options(references=str(tmp_path)))) == 6


def test_maps_that_contain_each_other_end() -> None:
    """N3: a map of properties that refers to itself is an error, in time linear in its size."""
    inner = {"type": "object", "properties": {"$ref": "#/x-map"}}
    document = copy.deepcopy(DOCUMENT)
    document["x-map"] = {f"p{number}": inner for number in range(20)}
    document["paths"]["/pets/{id}"]["post"]["requestBody"]["content"]["application/json"]["schema"] = inner  # fmt: skip
    [error] = load(document).errors
    assert "'#/x-map'" in error.reason
