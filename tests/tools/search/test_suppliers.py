"""Suppliers: which function lists the things that a path parameter identifies."""

from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.effort import calls

import specfn
from specfn import Application, Connection
from specfn.calling import Catalog
from specfn.tools.search.result_text import found_lines


def things(**properties: str) -> dict[str, Any]:
    """Return the schema of a list of objects with properties of these types."""
    members = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "array", "items": {"type": "object", "properties": members}}


def document(operations: dict[str, Any], **keywords: str) -> dict[str, Any]:
    """Return a document: for each operation, ``METHOD /path`` with the schema of its response; parameters are texts."""
    paths: dict[str, Any] = {}
    for place, schema in operations.items():
        method, path = place.split()
        names = [part.partition("{")[2][:-1] for part in path.split("/") if "{" in part]
        paths.setdefault(path, {})[method.lower()] = {
            "parameters": [
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", **keywords},
                }
                for name in names
            ],
            "responses": {
                "200": {"description": "ok", "content": {"application/json": {"schema": schema}}}
            },
        }
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}


def needs(operations: dict[str, Any], place: str) -> dict[str, str]:
    """Return the places of the functions that supply the parameters of a function."""
    return needs_of(specfn.load(document(operations)), place)


def needs_of(application: Application | Catalog, place: str) -> dict[str, str]:
    """Return the places of the functions that supply the parameters of a function."""
    by_name = {entry.name: entry.function.method_and_path for entry in application.entries}
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


COLLECTIONS: list[tuple[str, dict[str, Any], str, str | None]] = [
    # the collection of a path may have any name
    ("GET /task", things(id="string"), "GET /task/{task_id}", "GET /task"),
    ("GET /balancers", things(id="string"), "GET /balancers/{lb_id}", "GET /balancers"),
    ("GET /disks", things(name="string"), "POST /disks/{resource}/labels", "GET /disks"),
    ("GET /digests", things(digest="string"), "GET /digests/{manifest_digest}", "GET /digests"),
    ("GET /policies", things(riskPolicyId="string"), "GET /policies/{id}", "GET /policies"),
    ("GET /tasks", {"properties": {"_embedded": {"properties": {"tasks": things(id="string")}}}},
     "GET /tasks/{task_id}", "GET /tasks"),
    ("GET /tasks", {"type": "array", "items": {"allOf": [{"allOf": [things(id="string")["items"]]}]}},
     "GET /tasks/{task_id}", "GET /tasks"),
    # its items must have the value, and a part of a segment is no member
    ("GET /statistics", things(count="integer"), "GET /statistics/{actor_type}", None),
    ("GET /tasks", things(name="string"), "GET /tasks/icon-{size}", None),
    ("GET /", things(id="string"), "GET /{provider}", None),
]  # fmt: skip


@pytest.mark.parametrize(("collection", "items", "place", "expected"), COLLECTIONS)
def test_the_collection_of_a_path_has_the_values(
    collection: str, items: dict[str, Any], place: str, expected: str | None
) -> None:
    """The list before a parameter supplies its value under any name, if its objects have an identifier."""
    found = needs({collection: items, place: {"type": "object"}}, place)
    assert [*found.values()] == ([] if expected is None else [expected])


def test_names_of_parameters_do_not_distinguish_collections() -> None:
    """The collection of a path is preferred also if a parameter before it has another name there."""
    lists = {"/fees", "/refunds", "/fees/{id}/refunds"}
    place = "GET /fees/{fee}/refunds/{refund}"
    found = needs({**{f"GET {path}": things(id="string") for path in lists}, place: {}}, place)
    assert found == {"fee": "GET /fees", "refund": "GET /fees/{id}/refunds"}


def test_a_parameter_may_identify_other_things_than_the_collection() -> None:
    """If another list has the things of the parameter, the list before it does not supply them."""
    lists = {
        "GET /documents/translations": things(id="string", name="string"),
        "GET /languages": things(name="string"),
    }
    place = "GET /documents/translations/{language}"
    assert needs({**lists, place: {}}, place) == {"language": "GET /languages"}


def test_the_first_of_two_parameters_is_no_member_of_the_collection() -> None:
    """In `/repos/{owner}/{repo}`, the list has the values of the second parameter."""
    place = "GET /repos/{owner}/{repo}"
    lists = {"GET /repos": things(name="string")}
    assert needs({**lists, place: {}}, place) == {"repo": "GET /repos"}


@pytest.mark.parametrize(
    ("required", "expected"),
    [("dag_id", {"job_id": "GET /jobs"}), ("id", {}), ("job_id", {}), ("ids", {})],
)
def test_a_list_may_require_other_values(required: str, expected: dict[str, str]) -> None:
    """A list that requires the value itself as a filter does not supply it; other required filters do not matter."""
    place = "GET /jobs/{job_id}"
    whole = document(operations={"GET /jobs": things(id="string"), place: {}})
    query = {"name": required, "in": "query", "required": True, "schema": {"type": "string"}}
    whole["paths"]["/jobs"]["get"]["parameters"].append(query)
    assert needs_of(specfn.load(whole), place) == expected


def test_the_list_of_the_own_document_is_preferred() -> None:
    """Functions of a catalog name lists of their own API where there are any."""
    own = {"GET /v1/users": things(id="string"), "GET /users/{user_id}": {}}
    other = {"GET /users": things(id="string")}
    catalog = Catalog()
    for name, operations in (("other", other), ("own", own)):
        catalog = catalog.add(specfn.load(document(operations)), namespace=name)
    assert needs_of(catalog, "GET /users/{user_id}") == {"user_id": "GET /v1/users"}


# -- feedback ------------------------------------------------------------------------------------

UUID = "123e4567-e89b-42d3-a456-426614174000"
TICKETS = document(
    operations={
        "GET /v2/tks": {"type": "object", "properties": {"tickets": things(id="string")}},
        "GET /v2/tks/{tk_id}": {},
        "GET /v2/tks/{id}/logs": things(id="string"),
        "GET /v2/tks/{tk_id}/logs/{log_id}": {},
        "GET /state": {"type": "object", "properties": {"key": {"type": "string"}}},
        "GET /state/{key}": {},
    },
    format="uuid",
)


def answer(app: Application, name: str, status: int, **arguments: Any) -> str:
    """Return the text of a call whose response has this status."""
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json={"error": "not found"}))
    client = httpx.Client(transport=transport)
    connection = Connection(base_url="https://api.example.com", client=client)
    return app.bind(connection).outcome(name, arguments).text


def test_a_wrong_page_is_not_a_wrong_identifier() -> None:
    """A 404 of a later page, and a 400 with other arguments, do not name suppliers of path parameters."""
    numbers = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    pages = document(
        {"GET /tks": things(id="string"), "GET /tks/{tk_id}/logs": things(id="string")}
    )
    pages["paths"]["/tks/{tk_id}/logs"]["get"]["parameters"].append(numbers)
    app = specfn.load(pages)
    name = "tks_logs_getByTk_id"
    for status, query, is_named in [
        (404, {}, True),
        (404, {"page": 2}, False),
        (400, {"page": 2}, False),
    ]:
        text = answer(app, name, status, tk_id="1", **({"query": query} if query else {}))
        assert ("tk_id comes from tks_get." in text) is is_named


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_wrong_identifier_names_its_supplier(status: int) -> None:
    """A 404 or 400 ends with the functions that list the values of the path parameters, in their order."""
    app = specfn.load(TICKETS)
    text = answer(app, "v2_tks_logs_getByTk_idAndLog_id", status, tk_id=UUID, log_id=UUID)
    line = "tk_id comes from v2_tks_get. log_id comes from v2_tks_logs_getById."
    assert text.endswith(f"\n{line}") is (status < 500)


def test_only_a_list_is_a_supplier() -> None:
    """A function whose response is not a list of objects supplies nothing."""
    app = specfn.load(TICKETS)
    assert "comes from" not in answer(app, "state_getByKey", 404, key=UUID)


def test_feedback_names_the_supplier_of_a_wrong_argument() -> None:
    """A missing or malformed path parameter is not to be invented; its supplier is named."""
    app = specfn.load(TICKETS)
    text = answer(app, "v2_tks_logs_getByTk_idAndLog_id", 200, tk_id="x", log_id=UUID)
    assert "A uuid has 32 hexadecimal digits and 4 dashes; never invent one" in text
    assert text.endswith("Nothing was executed.\ntk_id comes from v2_tks_get.")


def test_layers_of_lists_cost_a_limited_number_of_tries() -> None:
    """T41: lists that need values of other lists, which need values of further lists, are tried a limited number of times."""
    layers = ["apple", "banana", "cherry", "date", "elder", "fig", "grape"]
    operations = {
        f"GET /{layer}x{number}/{{{below}_id}}/{layer}s": things(id="string")
        for layer, below in pairwise(layers)
        for number in range(20)
    }
    app = specfn.load(document({**operations, "GET /zoo/{apple_id}": things(id="string")}))
    app.search("nothing", 1)  # builds the index
    assert calls(lambda: app.search("zoo", 1)) < 200_000
