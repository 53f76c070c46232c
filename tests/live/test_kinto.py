"""Kinto: JSON documents in collections, with a Swagger 2.0 document that the server makes of itself."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.live.conftest import Caller

import specfn
from specfn import Application, Connection
from specfn.errors import ArgumentError, HTTPStatusError, UsageError

RECORDS = "/buckets/{bucket_id}/collections/{collection_id}/records"


@pytest.fixture(scope="session")
def app(kinto: str) -> Application:
    return specfn.load(f"{kinto}/v1/__api__")


@pytest.fixture
def connection(kinto: str, connect: Callable[..., Connection]) -> Connection:
    return connect(f"{kinto}/v1", credentials={"basicauth": ("alice", "her password")})


@pytest.fixture
def call(app: Application, caller: Callable[[Application], Caller]) -> Caller:
    return caller(app)


@pytest.fixture
def place(call: Caller, connection: Connection, request: pytest.FixtureRequest) -> dict[str, str]:
    """A bucket of the test's own with an empty collection in it."""
    bucket = "".join(each for each in request.node.name if each.isalnum())[:60]
    call.execute("POST /buckets", {"body": {"data": {"id": bucket}}}, connection)
    given = {"bucket_id": bucket, "body": {"data": {"id": "books", "cache_expires": 60}}}
    made = call.execute("POST /buckets/{bucket_id}/collections", given, connection)
    assert (made.status, made.data["data"]["cache_expires"]) == (201, 60)
    return {"bucket_id": bucket, "collection_id": "books"}


def test_every_operation_becomes_a_function(app: Application) -> None:
    """Nothing of the served document is lost: every operation is a function that asks for the user."""
    counts = app.report()
    assert counts["functions"] == counts["operations"] > 30
    assert app.errors == ()
    assert app[f"PATCH {RECORDS}/{{id}}"].security == ((("basicauth", ()),),)


def test_a_record_is_made_read_changed_and_deleted(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """What a call says arrives: nested values, nulls, falsy values, text of any script, ids in the path."""
    book = {
        "title": "Ὀδύσσεια / 100%",
        "pages": 0,
        "tags": [],
        "lent": None,
        "of": {"a": [1.5, False]},
    }
    made = call.execute(f"POST {RECORDS}", {**place, "body": {"data": book}}, connection).data[
        "data"
    ]
    assert {key: made[key] for key in book} == book
    one = {**place, "id": made["id"]}
    read = call.execute(f"GET {RECORDS}/{{id}}", one, connection)
    assert read.data["data"] == made
    changed = call.execute(
        f"PATCH {RECORDS}/{{id}}",
        {
            **one,
            "body": {"data": {"pages": 541}},
            "headers": {"If-Match": read.headers["etag"], "Response-Behavior": "light"},
        },
        connection,
    )
    assert changed.data["data"]["pages"] == 541
    body = {"data": {"title": "Odyssey"}}
    replaced = call.execute(f"PUT {RECORDS}/{{id}}", {**one, "body": body}, connection)
    assert "pages" not in replaced.data["data"]
    assert call.execute(f"DELETE {RECORDS}/{{id}}", one, connection).data["data"]["deleted"] is True
    gone = call.propagate(f"GET {RECORDS}/{{id}}", one, connection)
    assert (gone.status, gone.ok) == (404, False)


def token_of(url: str | None) -> str | None:
    return None if url is None else parse_qs(urlsplit(url).query)["_token"][0]


def test_a_list_is_read_page_by_page(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """The token of one page, handed back as an argument, leads to the next, in the order asked for."""
    for pages in (300, 100, 500, 200, 400):
        given = {**place, "body": {"data": {"pages": pages, "title": f"No {pages}"}}}
        call.execute(f"POST {RECORDS}", given, connection)
    query: dict[str, Any] = {"_limit": 2, "_sort": ["-pages", "title"], "_fields": ["pages"]}
    seen, requests = [], 0
    while True:
        page = call.execute(f"GET {RECORDS}", {**place, "query": query}, connection)
        requests += 1
        seen += [record["pages"] for record in page.data["data"]]
        assert all("title" not in record for record in page.data["data"])
        token = token_of(page.headers.get("next-page"))
        if token is None:
            break
        query = {**query, "_token": token}
    assert (seen, requests) == ([500, 400, 300, 200, 100], 3)


@pytest.fixture
def books(call: Caller, connection: Connection, place: dict[str, str]) -> list[int]:
    """The numbers of seven records, in the order of a list sorted by them."""
    for pages in (300, 100, 700, 500, 200, 600, 400):
        given = {**place, "body": {"data": {"pages": pages, "title": "t" * 200}}}
        call.execute(f"POST {RECORDS}", given, connection)
    return [100, 200, 300, 400, 500, 600, 700]


def test_pages_have_every_record_once(
    app: Application, connection: Connection, place: dict[str, str], books: list[int]
) -> None:
    """``app.pages`` follows the header ``Next-Page``, which the document does not declare, to the end."""
    sent = {**place, "query": {"_limit": 3, "_sort": ["pages"]}}
    pages = [*app.pages(f"GET {RECORDS}", sent, connection)]
    assert [record["pages"] for page in pages for record in page.items or ()] == books
    assert [len(page.items or ()) for page in pages] == [3, 3, 1]
    assert (pages[-1].stopped, pages[-1].next) == ("end", None)
    few = [*app.pages(f"GET {RECORDS}", sent, connection, max_items=3)]
    assert (len(few), few[0].stopped) == (1, "budget")
    rest = [*app.pages(f"GET {RECORDS}", few[0].next, connection)]
    assert [record["pages"] for page in rest for record in page.items or ()] == books[3:]


@pytest.mark.parametrize("limit", [20_000, 900])
def test_a_model_reaches_every_page_by_the_texts(
    app: Application, connection: Connection, place: dict[str, str], books: list[int], limit: int
) -> None:
    """A model that only copies the arguments of the texts sees each record, also if the texts are truncated."""
    bound = app.bind(connection, limit=limit)[f"GET {RECORDS}"]
    sent: dict[str, Any] = {**place, "query": {"_limit": 3, "_sort": ["pages"]}}
    seen, requests = [], 0
    while True:
        text, *lines = bound.outcome(sent).text.split("\n")
        requests += 1
        shown = json.loads(text)["data"]["data"]
        seen += [each["pages"] for each in shown if isinstance(each, dict) and "title" in each]
        onward = [json.loads(line.split(": ", 1)[1]) for line in lines if ': {"' in line]
        if not onward:
            break
        assert requests < 30
        sent = {**sent, "query": {**sent["query"], **onward[0]["query"]}}
    assert sorted(set(seen)) == books
    assert limit == 900 or (seen, requests) == (books, 3)


def test_what_the_server_refuses_reaches_the_model(
    call: Caller, connection: Connection, place: dict[str, str]
) -> None:
    """A stale ``If-Match`` is the server's refusal, and a model reads it in the server's own words."""
    made = call.execute(f"POST {RECORDS}", {**place, "body": {"data": {"n": 1}}}, connection)
    given = {
        **place,
        "id": made.data["data"]["id"],
        "body": {"data": {"n": 2}},
        "headers": {"If-Match": '"1"'},
    }
    with pytest.raises(HTTPStatusError) as caught:
        call.execute(f"PATCH {RECORDS}/{{id}}", given, connection)
    told = json.loads(caught.value.result.for_model())
    assert told["status"] == 412
    assert told["data"]["error"] == "Precondition Failed"
    assert "meanwhile" in told["data"]["message"]


def test_what_the_document_refuses_is_not_sent(
    call: Caller, app: Application, connection: Connection, place: dict[str, str]
) -> None:
    """Arguments that the document does not admit are explained line by line, and nothing is sent."""
    given = {**place, "query": {"_limit": "many", "_since": -1, "page": 2}}
    with pytest.raises(ArgumentError) as caught:
        call.execute(f"GET {RECORDS}", given, connection)
    paths = [problem.path for problem in caught.value.problems]
    assert paths == ["$input.query._limit", "$input.query._since", "$input.query.page"]
    feedback = app[f"GET {RECORDS}"].validate(given).feedback()
    assert feedback.count("❌") == 3


def test_who_calls_is_what_the_connection_says(
    call: Caller, connection: Connection, kinto: str, connect: Any, place: dict[str, str]
) -> None:
    """Another user is refused by the server; no user at all is a mistake that is found before."""
    other = connect(f"{kinto}/v1", credentials={"basicauth": ("mallory", "x")})
    refused = call.propagate(f"GET {RECORDS}", place, other)
    assert (refused.status, refused.data["error"]) == (403, "Forbidden")
    assert "her password" not in refused.for_model()
    with pytest.raises(UsageError, match="basicauth"):
        call.propagate(f"GET {RECORDS}", place, connect(f"{kinto}/v1"))
    assert call.propagate(f"GET {RECORDS}", place, connection).ok
