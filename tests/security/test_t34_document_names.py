"""T34: a function of one document does not take the place of a function of another document."""

from typing import Any

import pytest
from tests.mcp.server_support import DOCUMENT, ERAS, Api, application, call, talk, text

from specfn import mcp
from specfn.calling import Catalog, NamePolicy
from specfn.errors import UsageError


def tools(server: Any, era: str) -> dict[str, Any]:
    listed = talk(server, era, lambda client: client.list_tools())
    return {tool.name: tool for tool in listed.tools}


@pytest.mark.parametrize("era", ERAS)
def test_documents_have_qualified_names(era: str) -> None:
    """Equal names of two documents stay apart, and each function is called at its own server."""
    cats, dogs = Api(), Api()
    catalog = (
        Catalog(policy=NamePolicy(qualify="always"))
        .add(application(), namespace="cats", connection=cats.connection())
        .add(application(), namespace="dogs", connection=dogs.connection())
    )
    server = mcp.server(catalog, mode="all")
    assert {"cats_pets_get", "dogs_pets_get"} <= tools(server, era).keys()
    call(server, era, "dogs_pets_get")
    assert (cats.received, dogs.received) == ([], ["GET /v1/pets"])
    result = call(server, era, "pets_get")
    assert result.is_error
    assert "cats_pets_get" in text(result)


@pytest.mark.parametrize("path", ["/pets", "/Pets", "/PETS/"])
@pytest.mark.parametrize("qualify", ["always", "never", "on_conflict", "all_on_conflict"])
def test_equal_names_are_refused(path: str, qualify: Any) -> None:
    """A document is not added under the namespace of another one, if names would be equal but for their case."""
    catalog = Catalog(policy=NamePolicy(qualify=qualify)).add(application(), namespace="pets")
    paths = {path: {"get": {"responses": {}}}}
    with pytest.raises(UsageError, match="have the same name"):
        catalog.add(application({**DOCUMENT, "paths": paths}), namespace="pets")


@pytest.mark.parametrize(
    "called", ["pets_get", "Pets.get", "listPets", "GET /pets", "functions.pets_get"]
)
def test_a_name_of_two_functions_is_ambiguous(called: str) -> None:
    """A model that leaves out the document calls no function, under any spelling."""
    paths = {"/pets": {"get": {"operationId": "listPets", "responses": {}}}}
    apis = {"cats": Api(), "dogs": Api()}
    catalog = Catalog(policy=NamePolicy(qualify="always"))
    for name, api in apis.items():
        app = application({**DOCUMENT, "paths": paths})
        catalog = catalog.add(app, namespace=name, connection=api.connection())
    result = call(mcp.server(catalog), "auto", called)
    assert result.is_error
    assert all(name in text(result) for name in ("cats_pets_get", "dogs_pets_get"))
    assert [api.requests for api in apis.values()] == [[], []]
