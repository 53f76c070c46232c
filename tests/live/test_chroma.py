"""Chroma: a vector database with an OpenAPI 3.1 document and answers that are not always JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.live.conftest import Caller

import specfn
from specfn import Application, Connection
from specfn.errors import ArgumentError, HTTPStatusError

COLLECTIONS = "/api/v2/tenants/{tenant}/databases/{database}/collections"
ONE = f"{COLLECTIONS}/{{collection_id}}"
TENANT = {"tenant": "default_tenant"}


@pytest.fixture(scope="session")
def app(chroma: str) -> Application:
    return specfn.load(f"{chroma}/openapi.json")


@pytest.fixture
def connection(chroma: str, connect: Callable[..., Connection]) -> Connection:
    """The document demands a key; a server that is not told to look takes any."""
    return connect(chroma, credentials={"ApiKeyAuth": "any"})


@pytest.fixture
def call(app: Application, caller: Callable[[Application], Caller]) -> Caller:
    return caller(app)


@pytest.fixture
def place(call: Caller, connection: Connection, request: pytest.FixtureRequest) -> dict[str, str]:
    """A database of the test's own."""
    name = "".join(each for each in request.node.name if each.isalnum())[:60]
    path = "POST /api/v2/tenants/{tenant}/databases"
    call.execute(path, {**TENANT, "body": {"name": name}}, connection)
    return {**TENANT, "database": name}


def made(call: Caller, connection: Connection, place: dict[str, str], name: str) -> Any:
    given = {**place, "body": {"name": name, "metadata": {"of": name}}}
    return call.execute(f"POST {COLLECTIONS}", given, connection).data


def test_every_operation_becomes_a_function(app: Application) -> None:
    """Nothing of the served document is lost."""
    counts = app.report()
    assert counts["functions"] == counts["operations"] > 30
    assert app.errors == ()


def test_records_are_made_read_changed_and_deleted(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """Vectors, nulls, unions of values and filters arrive as they were given."""
    collection = made(call, connection, place, "books")
    one = {**place, "collection_id": collection["id"]}
    body = {
        "ids": ["a", "b"],
        "embeddings": [[0.0, 1.0, 2.5], [3.0, 4.0, 5.0]],
        "documents": ["Ὀδύσσεια", None],
        "metadatas": [{"shelf": "A", "lent": False, "price": 1.5}, None],
    }
    assert call.execute(f"POST {ONE}/add", {**one, "body": body}, connection).status == 201
    wanted = {"ids": ["a"], "include": ["documents", "metadatas", "embeddings"]}
    read = call.execute(f"POST {ONE}/get", {**one, "body": wanted}, connection).data
    assert read["documents"] == ["Ὀδύσσεια"]
    assert read["metadatas"] == [{"shelf": "A", "lent": False, "price": 1.5}]
    assert read["embeddings"] == [[0.0, 1.0, 2.5]]
    change = {"ids": ["a"], "metadatas": [{"price": 2.5}]}
    call.execute(f"POST {ONE}/update", {**one, "body": change}, connection)
    query = {
        "query_embeddings": [[0.0, 1.0, 2.0]],
        "n_results": 1,
        "where": {"price": {"$gte": 2}},
        "include": ["metadatas"],
    }
    near = call.execute(f"POST {ONE}/query", {**one, "body": query}, connection).data
    assert (near["ids"], near["metadatas"][0][0]["price"]) == ([["a"]], 2.5)
    call.execute(f"POST {ONE}/delete", {**one, "body": {"ids": ["a"]}}, connection)
    assert call.execute(f"GET {ONE}/count", one, connection).data == 1


def test_collections_are_listed_page_by_page_renamed_and_deleted(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """Limit and offset walk the whole list without gaps; a change and a deletion show in it."""
    names = [f"collection-{n}" for n in range(5)]
    ids = [made(call, connection, place, name)["id"] for name in names]
    change = {**place, "collection_id": ids[4], "body": {"new_name": "renamed"}}
    call.execute(f"PUT {ONE}", change, connection)
    call.execute(f"DELETE {ONE}", {**place, "collection_id": names[0]}, connection)
    pages = []
    for offset in (0, 2, 4):
        query = {"limit": 2, "offset": offset}
        page = call.execute(f"GET {COLLECTIONS}", {**place, "query": query}, connection)
        pages.append([each["name"] for each in page.data])
    assert [len(page) for page in pages] == [2, 2, 0]
    assert sorted(name for page in pages for name in page) == [*names[1:4], "renamed"]
    gone = call.propagate(f"GET {ONE}", {**place, "collection_id": names[0]}, connection)
    assert gone.status == 404


def test_what_the_server_refuses_reaches_the_model(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """A vector of another size satisfies the document and not the server: a model reads why."""
    collection = made(call, connection, place, "books")
    one = {**place, "collection_id": collection["id"]}
    body = {"ids": ["a"], "embeddings": [[1.0, 2.0]]}
    call.execute(f"POST {ONE}/add", {**one, "body": body}, connection)
    wrong = {"ids": ["b"], "embeddings": [[1.0, 2.0, 3.0]]}
    with pytest.raises(HTTPStatusError) as caught:
        call.execute(f"POST {ONE}/add", {**one, "body": wrong}, connection)
    told = json.loads(caught.value.result.for_model())
    assert 400 <= told["status"] < 500
    assert "dimension" in json.dumps(told["data"])


def test_what_the_document_refuses_is_not_sent(
    call: Caller, app: Application, connection: Connection, place: dict[str, str]
) -> None:
    """A missing name and a limit below one are found before the server hears of them."""
    for path, given, where in (
        (f"POST {COLLECTIONS}", {"body": {"get_or_create": True}}, "$input.body.name"),
        (f"GET {COLLECTIONS}", {"query": {"limit": 0}}, "$input.query.limit"),
    ):
        with pytest.raises(ArgumentError) as caught:
            call.execute(path, {**place, **given}, connection)
        assert [problem.path for problem in caught.value.problems] == [where]
        assert app[path].validate({**place, **given}).feedback().count("❌") == 1


def test_a_whole_number_is_taken_where_the_server_takes_it(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """V5: a document that says ``oneOf`` and means ``anyOf`` does not keep a model from giving a number."""
    given = {**place, "body": {"name": "books", "metadata": {"pages": 541, "price": 1.5}}}
    collection = call.execute(f"POST {COLLECTIONS}", given, connection).data
    assert collection["metadata"] == {"pages": 541, "price": 1.5}


def test_alternatives_that_overlap_are_refused_by_the_letter(app: Application, chroma: str) -> None:
    """V5: with ``one_of="exactly"`` a whole number fits two alternatives of that document and is refused."""
    given = {**TENANT, "database": "d", "body": {"name": "books", "metadata": {"pages": 541}}}
    path = f"POST {COLLECTIONS}"
    exact = specfn.load(f"{chroma}/openapi.json", options=specfn.Options(one_of="exactly"))
    assert app[path].validate(given)
    assert not exact[path].validate(given)
    assert "union" in {edit.kind for edit in app[path].edits}
