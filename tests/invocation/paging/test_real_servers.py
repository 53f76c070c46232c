"""X13: paging over sockets: each kind of paging, and the shop."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.http.conftest import Loopback, http_answer, listen
from tests.invocation.paging.servers import KINDS, Paged, application
from tests.invocation.paging.test_every_item import merged
from tests.strict_shop.server import Server, serve

import specfn
from specfn import Application

LENGTHS = {"whole": 0, "truncated": 200}


@pytest.fixture
def server() -> Iterator[Loopback]:
    """Return a server that answers over HTTP."""
    found, stop = listen()
    yield found
    stop()


def over_http(server: Loopback, kind: str, length: int) -> Paged:
    """Let a server answer with numbered items."""
    paged = Paged(kind, 8, 3, text="x" * length, base=f"{server.url}/v1")

    def respond(received: bytes) -> bytes:
        target = received.split(b" ", 2)[1].decode("ascii")
        response = paged.handle(httpx.Request("GET", f"{server.url}{target}"))
        link = {
            name: response.headers[name]
            for name in ("link", "next-page")
            if name in response.headers
        }
        return http_answer(
            response.content, **{name.replace("-", "_"): value for name, value in link.items()}
        )

    server.respond = respond
    return paged


def read_by_texts(
    app: Application, key: str, sent: dict[str, Any], connection: specfn.Connection, limit: int
) -> Iterator[Any]:
    """Yield the data of each text, and follow its first line with arguments, as a model would."""
    bound = app.bind(connection, limit=limit)[key]
    for _ in range(40):
        text, *lines = bound.outcome(sent).text.split("\n")
        yield json.loads(text)["data"]
        onward = [line.split(": ", 1)[1] for line in lines if ': {"' in line]
        if not onward:
            return
        sent = merged(sent, json.loads(onward[0]))
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_reaches_the_third_page(server: Loopback, kind: str, length: int) -> None:
    """X13: a model that copies the arguments of the texts sees each item once, also if the texts are truncated."""
    paged = over_http(server, kind, length)
    connection = specfn.Connection(base_url=paged.base)
    whole = paged.items()
    pages = [
        [item for item in data["items"] if item in whole]
        for data in read_by_texts(
            application(kind),
            "items_get",
            {"query": {"limit": 3}},
            connection,
            700 if length else 20_000,
        )
    ]
    seen = [item["id"] for page in pages for item in page]
    assert len(pages) >= 3
    assert list(dict.fromkeys(seen)) == [item["id"] for item in whole]
    assert length or len(seen) == len(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_code_reads_all_pages(server: Loopback, kind: str) -> None:
    """X13: ``app.pages`` has each item once."""
    paged = over_http(server, kind, 0)
    connection = specfn.Connection(base_url=paged.base)
    pages = [*application(kind).pages("items_get", {"query": {"limit": 3}}, connection)]
    assert [item for page in pages for item in page.items or ()] == paged.items()
    assert pages[-1].stopped == "end"


# -- the shop --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    """Return a shop with 23 products of one tag."""
    with serve() as found:
        app = specfn.load(found.document_url)
        connection = connection_of(found)
        for number in range(23):
            body = {"name": f"P{number:02}", "price": number + 1, "stock": 1, "tags": ["paged"]}
            app.execute("createProduct", {"body": body}, connection)
        yield found


def connection_of(shop: Server) -> specfn.Connection:
    return specfn.Connection(base_url=shop.base_url, credentials={"bearer": shop.token})


SENT = {"query": {"tag": ["paged"], "limit": 5, "sort": "price"}}
NAMES = [f"P{number:02}" for number in range(23)]


def test_the_shop_is_read_by_pages(shop: Server) -> None:
    """X13: ``app.pages`` has each product of the shop once, also from the middle on."""
    app = specfn.load(shop.document_url)
    pages = [*app.pages("listProducts", SENT, connection_of(shop))]
    assert [len(page.items or ()) for page in pages] == [5, 5, 5, 5, 3]
    assert [item["name"] for page in pages for item in page.items or ()] == NAMES
    rest = app.pages("listProducts", pages[1].next, connection_of(shop))
    assert [item["name"] for page in rest for item in page.items or ()] == NAMES[10:]


@pytest.mark.parametrize("limit", [20_000, 800])
def test_a_model_reads_the_shop_by_texts(shop: Server, limit: int) -> None:
    """X13: a model that copies the arguments of the texts sees each product of the shop completely."""
    app, connection = specfn.load(shop.document_url), connection_of(shop)
    (whole,) = app.pages("listProducts", {"query": {**SENT["query"], "limit": 50}}, connection)
    pages = [*read_by_texts(app, "listProducts", SENT, connection, limit)]
    complete = [item for page in pages for item in page["items"] if item in (whole.items or ())]
    assert list(dict.fromkeys(item["name"] for item in complete)) == NAMES
    assert limit == 800 or len(pages) == 5
