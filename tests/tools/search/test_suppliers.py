"""Suppliers: which function lists the things that a path parameter identifies."""

from typing import Any

import pytest

import specfn
from specfn.tools.search.result_text import found_lines


def things(**properties: str) -> dict[str, Any]:
    """Return the schema of a list of objects with properties of these types."""
    members = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "array", "items": {"type": "object", "properties": members}}


def document(**responses: Any) -> dict[str, Any]:
    """Return a document: for each operation, ``METHOD /path`` with the schema of its response; parameters are texts."""
    paths: dict[str, Any] = {}
    for place, schema in responses["operations"].items():
        method, path = place.split()
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        paths.setdefault(path, {})[method.lower()] = {
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in names
            ],
            "responses": {
                "200": {"description": "ok", "content": {"application/json": {"schema": schema}}}
            },
        }
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}


def needs(operations: dict[str, Any], place: str) -> dict[str, str]:
    """Return the places of the functions that supply the parameters of a function."""
    application = specfn.load(document(operations=operations))
    by_name = {function.name: function.method_and_path for function in application}
    found = application.search(" ".join(place.replace("/", " ").split()), 50)
    own = next(each for each in found if each.function.method_and_path == place)
    return {parameter: by_name[name] for parameter, name in own.needs.items()}


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ({"GET /tasks": things(id="string")}, "GET /tasks"),
        ({"GET /tasks": {"type": "object", "properties": {"data": things(id="string")}}}, "GET /tasks"),
        ({"GET /projects/{project_id}/tasks": things(id="string"), "GET /projects": things(id="string")},
         "GET /projects/{project_id}/tasks"),
        ({"GET /search/task": things(id="string")}, "GET /search/task"),
        ({"GET /tasks": things(id="string"), "GET /admin/tasks": things(id="string")}, "GET /tasks"),
        # the value has another type, or is no property of the items
        ({"GET /tasks": things(title="string")}, None),
        ({"GET /tasks": {"type": "array", "items": {"type": "string"}}}, None),
        ({"GET /users": things(task_id="string")}, None),
        # the list needs the value, itself or through its own suppliers
        ({"GET /tasks/{task_id}/tasks": things(id="string")}, None),
        ({"GET /projects/{project_id}/tasks": things(id="string"),
          "GET /tasks/{task_id}/projects": things(id="string")}, None),
        # a singular name is one thing; a list below another collection is a part of it
        ({"GET /me/task": things(id="string")}, None),
        ({"GET /attestations/tasks": things(id="string")}, None),
    ],
)  # fmt: skip
def test_a_supplier_lists_things_with_the_value(
    operations: dict[str, Any], expected: str | None
) -> None:
    """A supplier lists objects with a property of the type and the meaning, and never needs what it supplies."""
    found = needs(
        {**operations, "GET /tasks/{task_id}": {"type": "object"}}, "GET /tasks/{task_id}"
    )
    assert found.get("task_id") == expected


def test_a_name_has_the_type_of_the_parameter() -> None:
    """A parameter that is named like its thing takes the property of its type: the name, not the number."""
    lists = {"GET /user/repos": things(id="integer", name="string")}
    assert needs({**lists, "GET /repos/{repo}": {}}, "GET /repos/{repo}") == {
        "repo": "GET /user/repos"
    }
    numbers = {"GET /user/repos": things(id="integer", stars="integer")}
    assert needs({**numbers, "GET /repos/{repo}": {}}, "GET /repos/{repo}") == {}


def test_a_put_that_adds_a_thing_has_no_supplier() -> None:
    """If nothing else adds a thing to the list, a PUT does, and its value is not in the list yet."""
    lists = {"GET /blocks": things(username="string"), "DELETE /blocks/{username}": {}}
    assert needs({**lists, "PUT /blocks/{username}": {}}, "PUT /blocks/{username}") == {}
    assert needs(lists, "DELETE /blocks/{username}") == {"username": "GET /blocks"}


def test_a_name_that_the_list_needs_is_not_supplied_by_it() -> None:
    """Two parameters of one name hold the same kind of value, unless they are called `id`."""
    lists = {"GET /users/{username}/following": things(username="string")}
    place = "DELETE /user/following/{username}"
    assert needs({**lists, place: {}}, place) == {}
    ids = things(id="string")
    numbers = {"GET /orders": ids, "GET /orders/{id}/comments": ids}
    assert needs({**numbers, "GET /comments/{id}": {}}, "GET /comments/{id}") == {
        "id": "GET /orders/{id}/comments"
    }


def test_suppliers_are_written_once_and_take_no_place() -> None:
    """A search returns as many functions as asked; each supplier is named once, at the end."""
    application = specfn.load(
        document(
            operations={
                "GET /tasks": things(id="string"),
                **{f"POST /tasks/{{task_id}}/{verb}": {} for verb in ("close", "open", "move")},
            }
        )
    )
    found = application.search("close open move", 3)
    assert len(found) == 3
    assert all(each.function.method == "post" for each in found)
    lines = found_lines(found).splitlines()
    assert lines[3:] == ["Values: task_id from tasks_get."]
