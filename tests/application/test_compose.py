import copy
import json
import random
from typing import Any

import pytest

from specfn import Application, Options, load

REF = {"$ref": "#/components/schemas/Node"}
NODE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "value": {"type": "string", "description": "words " * 30},
        "left": REF,
        "right": REF,
        **{f"more{index}": {"type": "string", "description": "words " * 20} for index in range(20)},
    },
    "required": ["value"],
}


def answer(schema: Any) -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def operation(schema: Any) -> dict[str, Any]:
    return {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": answer(schema),
    }


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/a/b": {"get": {}},
        "/a-b": {"get": {}},
        "/a_b": {"get": {}, "delete": {}},
        "/A/b": {"get": {}},
        "/nodes": {"post": operation(REF), "put": operation({"type": "array", "items": REF})},
        "/nodes/{id}": {"get": {"responses": answer(REF)}, "head": {}},
        "/pair": {"post": operation({"type": "object", "properties": {"a": REF, "b": REF}})},
        f"/{'/'.join(['long'] * 20)}/x": {"get": {}},
        f"/{'/'.join(['long'] * 21)}/x": {"get": {}},
        "/lost": {"get": {"parameters": [{"$ref": "#/nowhere"}]}},
    },
    "components": {"schemas": {"Node": NODE}},
}


def converted(document: Any, **options: Any) -> Application:
    return load(document, options=Options(**options))


def shown(application: Application) -> dict[str, Any]:
    return {
        f"{function.method} {function.path}": [
            function.name,
            function.accessor,
            function.description,
            function.schemas.as_json,
            json.dumps(function.validator),
            function.edits,
            function.fingerprint,
        ]
        for function in application
    }


def shuffled(document: dict[str, Any], seed: int) -> dict[str, Any]:
    paths = [*document["paths"].items()]
    random.Random(seed).shuffle(paths)
    return {**document, "paths": dict(paths)}


@pytest.mark.parametrize(
    "options",
    [{}, {"schema_budget": 4096}, {"dialect": "3.1"}, {"keyword": False, "schema_budget": 2048}],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_nothing_depends_on_the_order_of_paths(options: dict[str, Any], seed: int) -> None:
    """R12, F2, F9: names, descriptions, schemas to the byte and fingerprints survive a shuffle."""
    found = converted(DOCUMENT, **options)
    other = converted(shuffled(DOCUMENT, seed), **options)
    assert shown(other) == shown(found)
    assert other.fingerprint == found.fingerprint
    assert set(other.errors) == set(found.errors)


@pytest.mark.parametrize("options", [{}, {"schema_budget": 4096}, {"dialect": "3.1"}], ids=str)
def test_nothing_depends_on_which_function_is_asked_first(options: dict[str, Any]) -> None:
    """F9: what functions share is the same whoever composed it."""
    found = shown(converted(DOCUMENT, **options))
    backwards = converted(DOCUMENT, **options)
    for function in reversed(backwards.functions):
        assert function.output is None or function.output
        assert function.edits is not None
    assert shown(backwards) == found


def test_the_document_is_not_changed() -> None:
    """N8: neither converting nor composing touches what was handed over."""
    document = copy.deepcopy(DOCUMENT)
    shown(converted(document))
    assert document == DOCUMENT


def test_converting_composes_nothing() -> None:
    """F10: an application is ready before any schema was composed."""
    application = converted(DOCUMENT)
    assert not any({"as_json", "root"} & vars(function.schemas).keys() for function in application)


def test_functions_and_errors_are_all_operations() -> None:
    """R1: every operation is in exactly one of the two."""
    application = converted(DOCUMENT)
    declared = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}
    found = [(each.method, each.path) for each in (*application, *application.errors)]
    assert sorted(found) == sorted(declared)
    assert [(error.path, error.code) for error in application.errors] == [("/lost", "reference")]


def test_an_error_does_not_rename_a_function() -> None:
    """R12: an operation that is no function keeps its accessor, so mending it renames nothing."""
    broken = {"get": {"parameters": [{"$ref": "#/nowhere"}]}}
    names = []
    for item in (broken, {"get": {}}):
        application = converted({**DOCUMENT, "paths": {"/a-b": {"get": {}}, "/a_b": item}})
        names.append(application["GET /a-b"].name)
    assert names[0] == names[1]


def test_names_fit_the_length() -> None:
    """F1: ``Options.max_length`` bounds every name; names that fit are not changed by it."""
    whole = {each.path + each.method: each.name for each in converted(DOCUMENT)}
    short = {each.path + each.method: each.name for each in converted(DOCUMENT, max_length=16)}
    assert all(len(name) <= 16 for name in short.values())
    assert len({name.lower() for name in short.values()}) == len(short)
    assert all(short[key] == name for key, name in whole.items() if len(name) <= 16)


def test_both_forms_have_the_same_functions() -> None:
    """F4: the form of the arguments changes neither names nor descriptions nor verdicts."""
    keyword, positional = converted(DOCUMENT), converted(DOCUMENT, keyword=False)
    for one, other in zip(keyword, positional, strict=True):
        assert (one.name, one.description, one.route.keys) == (
            other.name,
            other.description,
            other.route.keys,
        )
        assert one.validator == other.validator


def test_select_sees_functions() -> None:
    """Options: the predicate is asked once for each function, in the document's order."""
    asked: list[str] = []
    application = converted(DOCUMENT, select=lambda function: asked.append(function.name))
    assert len(application) == 0
    assert asked == [function.name for function in converted(DOCUMENT)]
    assert len(application.errors) == 1


def test_notes_of_the_reading_are_the_applications() -> None:
    """N3: faults that belong to no operation are kept, in ``notes`` and in the report."""
    operation = {"parameters": {"$ref": "#/x-list"}}
    document = {**DOCUMENT, "x-list": [], "paths": {"/a": {"get": {}, "trace": operation}}}
    application = converted(document)
    assert [note.pointer for note in application.notes] == ["/paths/~1a/trace"]
    assert application.report()["notes"] == 1


def test_a_long_way_between_levels_is_known_at_load() -> None:
    """V1, F10: a schema that the engine could not survive is flattened or refused before it is used."""
    hops = 400
    schemas: dict[str, Any] = {
        f"S{index}": {"allOf": [{"$ref": f"#/components/schemas/S{index + 1}"}]}
        for index in range(hops)
    }
    schemas[f"S{hops}"] = {
        "type": "object",
        "properties": {"a": {"$ref": "#/components/schemas/S0"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation({"$ref": "#/components/schemas/S0"})}},
        "components": {"schemas": schemas},
    }
    application = converted(document)
    if application.errors:
        assert [error.code for error in application.errors] == ["chain"]
        return
    value: Any = {}
    for _ in range(60):
        value = {"a": value}
    assert application.functions[0].validate({"body": value})
    assert not application.functions[0].validate({"body": {"a": {"a": 5}}})


NAMED: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/pets": {"get": {"operationId": "list-pets"}, "post": {"operationId": "addPet"}},
        "/people": {"get": {"operationId": "find"}, "post": {"operationId": "Find"}, "put": {}},
    },
}


def test_names_by_operation_id() -> None:
    """F1: names are operationIds where they are unique, accessors never change, and each other name has a note."""
    path, by_id = converted(NAMED), converted(NAMED, naming="operationId")
    assert [each.name for each in by_id] == [
        "list_pets",
        "addPet",
        "people_get",
        "people_post",
        "people_put",
    ]
    assert [each.accessor for each in by_id] == [each.accessor for each in path]
    noted = {each.name: [note.pointer for note in each.notes] for each in by_id if each.notes}
    assert noted == {
        "people_get": ["/paths/~1people/get/operationId"],
        "people_post": ["/paths/~1people/post/operationId"],
        "people_put": ["/paths/~1people/put"],
    }
    assert not any(each.notes for each in path)
    assert [each.description for each in by_id] == [each.description for each in path]


def test_given_names_win_over_operation_ids() -> None:
    """F1: a name of Options.names is the name, also where operationIds are names."""
    application = converted(
        NAMED, naming="operationId", names={"addPet": "create", "pets.get": "every_pet"}
    )
    assert [each.name for each in application][:2] == ["every_pet", "create"]
    assert application["addPet"].name == "create"
