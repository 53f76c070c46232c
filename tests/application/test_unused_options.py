from typing import Any

import pytest

from specfn import Application, Options, load
from specfn.errors import UsageError

Json = dict[str, Any]

STRING = {"type": "string"}
BODY = {"content": {"application/json": {"schema": STRING}, "text/plain": {"schema": STRING}}}
PAGE = {"type": "object", "properties": {"cursor": STRING}, "additionalProperties": False}


def converted(**options: Any) -> Application:
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": STRING},
        {"name": "X-Tenant", "in": "header", "schema": STRING},
        {"name": "Authorization", "in": "header", "schema": STRING},
        {"name": "limit", "in": "query", "schema": STRING},
        {"name": "page", "in": "query", "schema": PAGE},
    ]
    paths: Json = {
        "/pets/{id}": {"get": {"operationId": "findPet", "parameters": parameters}},
        "/pets": {"post": {"operationId": "addPet", "requestBody": BODY}},
        "/broken": {"get": {"parameters": [{"$ref": "#/components/parameters/none"}]}},
    }
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    return load(document, options=Options(**options))


WRONG = [
    ({"safety": {"pets.psot": "read"}}, r"Options\.safety: 'pets\.psot' matches no function; did you mean .*pets\.post"),
    ({"safety": {"users.*": "read"}}, r"Options\.safety: 'users\.\*' matches no function; there is 'pets"),
    ({"safety": {"*": "read", "nothing": "write"}}, "'nothing' matches no function"),
    ({"media_types": {"pets.getById": "text/plain"}}, "matches no function with a request body"),
    ({"media_types": {"addPets": "text/plain"}}, "Options.media_types: 'addPets'.* did you mean 'addPet'"),
    ({"hidden": {"tennant": True}}, "Options.hidden: 'tennant' is not a parameter in the query, headers or cookies of any operation; did you mean 'X-Tenant'"),
    ({"hidden": {"LIMIT": True}}, "Options.hidden: 'LIMIT'"),
    ({"hidden": {"id": True}}, "Options.hidden: 'id'"),
    ({"hidden": {"limit": True, "limits": False}}, "Options.hidden: 'limits'.* did you mean 'limit'"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "told"), WRONG, ids=lambda item: str(item)[:60])
def test_what_matches_nothing_is_refused(options: Json, told: str) -> None:
    """An option that names no function or parameter of the document is told, with what is nearest."""
    with pytest.raises(UsageError, match=told):
        converted(**options)


RIGHT = [
    {"safety": {"*": "read"}},
    {"safety": {"pets.*": "read"}},
    {"safety": {"pets_post": "read"}},
    {"safety": {"POST /pets": "read"}},
    {"media_types": {"*": "text/plain"}},
    {"media_types": {"addPet": "text/plain"}},
    {"media_types": {"pets.*": "text/plain"}},
    {"hidden": {"limit": True, "x-tenant": True, "Authorization": True, "cursor": True}},
]


@pytest.mark.parametrize("options", RIGHT, ids=lambda item: str(item)[:60])
def test_what_matches_something_is_taken(options: Json) -> None:
    """One function or parameter is enough, by any of its names."""
    assert len(converted(**options)) == 2


def test_a_document_without_operations_refuses_no_pattern_that_means_all() -> None:
    """``*`` means whatever there is."""
    options = Options(safety={"*": "read"}, media_types={"*": "text/plain"})
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}}
    assert len(load(document, options=options)) == 0


def test_headers_are_hidden_in_any_letter_case() -> None:
    """What an option says of a header holds however either writes it (RFC 9110, section 5.1)."""
    shown = converted(hidden={"x-TENANT": True})["findPet"].parameters["properties"]
    assert "headers" not in shown
    assert "headers" in converted()["findPet"].parameters["properties"]


def test_safety_goes_by_the_name_that_a_model_is_told() -> None:
    """The accessor is known with dots and with underscores."""
    assert converted(safety={"pets_post": "destructive"})["addPet"].safety == "destructive"
