"""Limits of paging: repeated cursors, other hosts, hostile cursors, budgets and errors."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from tests.invocation.paging.servers import BASE, Paged, application, document

import specfn
from specfn import Connection, Options, load
from specfn.errors import HTTPStatusError, UsageError

ITEMS = [{"id": "i1", "text": ""}]


class Server:
    """A server that answers by a function of the number of requests before."""

    def __init__(self, body: Callable[[int], Any], **headers: str) -> None:
        self.requests: list[httpx.Request] = []
        self._body = body
        self._headers = headers

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        body = self._body(len(self.requests) - 1)
        status = body.pop("status", 200) if isinstance(body, dict) else 200
        return httpx.Response(status, json=body, headers=self._headers)

    def connection(self, **more: Any) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self.handle))
        return Connection(base_url=BASE, client=client, allow_insecure=True, **more)


def answer(kind: str, body: Any, sent: Any = None, **headers: str) -> Any:
    server = Server(lambda _: body, **headers)
    bound = application(kind).bind(server.connection())
    return bound["items_get"].outcome(sent or {})


# -- code -------------------------------------------------------------------------------------------


def test_a_repeated_cursor_stops() -> None:
    """X13: a server that repeats its cursor is asked twice."""
    server = Server(lambda index: {"items": [{"id": str(index)}], "next_cursor": "same"})
    pages = [*application("cursor").pages("items_get", {}, server.connection())]
    assert len(server.requests) == 2
    assert pages[-1].stopped == "repeated"


@pytest.mark.parametrize("item", [{"id": "i1", "text": ""}, {"text": "x"}, [1], "x"], ids=repr)
def test_a_page_with_the_same_items_stops(item: Any) -> None:
    """X13: a page with the items of the one before ends the iteration, whatever else it has; no item comes twice."""
    server = Server(lambda index: {"items": [item], "requested_at": index})
    pages = [*application("page").pages("items_get", {}, server.connection())]
    assert [page.items for page in pages] == [[item], []]
    assert (pages[-1].stopped, pages[-1].next, len(server.requests)) == ("repeated", None, 2)


def test_items_are_known_by_their_identifiers() -> None:
    """X13: a page whose items have the identifiers of the page before repeats it, whatever else changed in them."""
    server = Server(lambda index: {"items": [{"id": "i1", "text": str(index)}]})
    pages = [*application("page").pages("items_get", {}, server.connection())]
    assert [page.stopped for page in pages] == [None, "repeated"]


def test_empty_pages_are_limited() -> None:
    """X13: a server that sends empty pages with new cursors does not hold an iteration forever."""
    server = Server(lambda index: {"items": [], "next_cursor": f"c{index}"})
    pages = [*application("cursor").pages("items_get", {}, server.connection())]
    assert (pages[-1].stopped, len(server.requests)) == ("problem", 101)
    assert "101 empty pages" in (pages[-1].problem or "")


@pytest.mark.parametrize(
    ("status", "stopped"), [(404, "end"), (400, "unknown"), (416, "unknown"), (422, "unknown")]
)
def test_a_refused_page_after_a_counter_is_the_last(status: int, stopped: str) -> None:
    """X13: a page that nobody announced and the server refuses ends the iteration with its status and message."""
    bodies = [{"items": ITEMS}, {"status": status, "message": "no such page"}]
    server = Server(lambda index: bodies[index])
    pages = [*application("page").pages("items_get", {}, server.connection())]
    assert [page.items for page in pages] == [ITEMS, []]
    assert (pages[-1].stopped, pages[-1].result.status) == (stopped, status)
    assert str(status) in (pages[-1].problem or "")


def test_a_refused_page_that_was_announced_raises() -> None:
    """X13: a refused page raises if the response before announced it, or no page was received."""
    bodies = [{"items": ITEMS, "total": 9}, {"status": 404}]
    server = Server(lambda index: bodies[index])
    found = application("page_total").pages("items_get", {}, server.connection())
    assert next(found).items == ITEMS
    with pytest.raises(HTTPStatusError):
        next(found)
    refusing = Server(lambda _: {"status": 404})
    with pytest.raises(HTTPStatusError):
        next(application("page").pages("items_get", {}, refusing.connection()))


@pytest.mark.parametrize(
    ("kind", "body", "headers"),
    [
        ("url", {"items": ITEMS, "next_url": "http://evil.test/v1/items?from_item=1"}, {}),
        ("url", {"items": ITEMS, "next_url": "//evil.test/v1/items"}, {}),
        ("url", {"items": ITEMS, "next_url": "https://shop.test/v1/items"}, {}),
        ("url", {"items": ITEMS, "next_url": "http://shop.test/admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/../admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/%2e%2e/admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/%25252e%25252e/admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/..;a/admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/%2e%2e%3bx/admin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v1/..%5cadmin"}, {}),
        ("url", {"items": ITEMS, "next_url": "/v10/items"}, {}),
        ("url", {"items": ITEMS, "next_url": "http://u:p@shop.test/v1/items"}, {}),
        ("url", {"items": ITEMS, "next_url": ["x"]}, {}),
        ("url", {"items": ITEMS, "next_url": f"/v1/items?from_item={'1' * 9_000}"}, {}),
        ("pageable", {"items": ITEMS, "@odata.nextLink": "http://evil.test/v1/items"}, {}),
        ("link", {"items": ITEMS}, {"link": '<http://evil.test/v1/items?from_item=1>; rel="next"'}),
        ("link", {"items": ITEMS}, {"next-page": "http://evil.test/v1/items?from_item=1"}),
        ("link", {"items": ITEMS}, {"next-page": "//evil.test/v1/items?from_item=1"}),
        ("cursor", {"items": ITEMS, "next_cursor": "http://evil.test/v1/items?cursor=1"}, {}),
    ],
)
def test_other_places_are_not_followed(
    kind: str, body: dict[str, Any], headers: dict[str, str]
) -> None:
    """X13, T3: a URL on another origin, or one that only differs in its path, is refused, by code and in texts."""
    server = Server(lambda _: dict(body), **headers)
    pages = [*application(kind).pages("items_get", {}, server.connection())]
    assert len(server.requests) == 1
    assert pages[-1].stopped == "problem"
    assert pages[-1].problem is not None
    found = answer(kind, dict(body), **headers)
    assert found.next is None
    assert "There is a next page, but" in found.text
    assert "evil" not in found.text.split("\n", 1)[1]


@pytest.mark.parametrize("state", ["", "&state=xyz"], ids=["arguments", "request"])
@pytest.mark.parametrize(
    "path",
    [
        "/v1/admin/delete",
        "/admin",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/items/",
        "//shop.test/x",
        "/",
    ],
)
@pytest.mark.parametrize("kind", ["url", "link", "next-page"])
def test_the_path_of_a_next_url_is_not_requested(kind: str, path: str, state: str) -> None:
    """X13: only the query of a next URL is used, without the names of credentials, on the operation's own URL."""
    path = path.replace("//shop.test", "http://shop.test")
    onward = f"{path}?from_item=1{state}&tenant=theirs&key=theirs&%6bey=theirs"
    headers = {"link": {"link": f'<{onward}>; rel="next"'}, "next-page": {"next-page": onward}}

    def body(index: int) -> Any:
        items = [{"id": str(index)}]
        return (
            {"items": items, "next_url": onward}
            if kind == "url" and not index
            else {"items": items}
        )

    raw = document("url" if kind == "url" else "link")
    raw["components"] = {
        "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}
    }
    raw["security"] = [{"key": []}]
    server = Server(body, **headers.get(kind, {}))
    connection = server.connection(credentials={"key": "ours"}, query={"tenant": "ours"})
    pages = [*load(raw).pages("items_get", {}, connection)]
    assert len(pages) == 2
    assert {request.url.path for request in server.requests} == {"/v1/items"}
    assert dict(server.requests[1].url.params.multi_items()) == {
        "from_item": "1",
        **({"state": "xyz"} if state else {}),
        "tenant": "ours",
        "key": "ours",
    }
    assert len(server.requests[1].url.params.multi_items()) == 3 + bool(state)


def test_the_human_part_is_not_in_the_next_arguments() -> None:
    """X13: a member of a next URL that belongs to the human is asked for again, and is in no text."""
    raw = document("link")
    pin = {"name": "pin", "in": "query", "schema": {"type": "string"}}
    raw["paths"]["/items"]["get"]["parameters"].append(pin)
    app = load(raw, options=Options(separate=lambda node: node.name == "pin"))
    link = '</v1/items?from_item=1&pin=SECRET>; rel="next"'
    server = Server(lambda _: {"items": ITEMS}, link=link)
    bound = app.bind(server.connection(), fill=lambda *_: {"query": {"pin": "SECRET"}})
    found = bound["items_get"].outcome({})
    assert found.next == {"query": {"from_item": 1}}
    assert "SECRET" not in found.text
    bound["items_get"].outcome(found.next)
    assert server.requests[1].url.query == b"from_item=1&pin=SECRET"


def test_a_number_of_a_page_in_a_header_is_no_url() -> None:
    """X13: ``Next-Page`` is read as a URL only."""
    found = answer("link", {"items": ITEMS}, **{"next-page": "2"})
    assert (found.next, found.text.count("\n")) == (None, 0)


def test_a_url_that_arguments_cannot_express_is_followed_by_code_only() -> None:
    """X13: an undeclared member of the query goes to code; the text says so."""

    def body(index: int) -> Any:
        onward = "/v1/items?from_item=1&state=xyz" if index == 0 else None
        return {"items": [{"id": str(index)}], "next_url": onward}

    server = Server(body)
    pages = [*application("url").pages("items_get", {}, server.connection())]
    assert [page.items for page in pages] == [[{"id": "0"}], [{"id": "1"}]]
    assert server.requests[1].url.query == b"from_item=1&state=xyz"
    found = answer("url", {"items": ITEMS, "next_url": "/v1/items?state=xyz"})
    assert found.next is None
    assert "code can follow it" in found.text


@pytest.mark.parametrize(
    "cursor",
    ["a\r\nb", "\x00", "a\u202eb", "x" * 1_000_000, {"a": 1}, [1], True, 1.5],
    ids=lambda value: repr(value)[:12],
)
def test_hostile_cursors_are_one_sentence(cursor: Any) -> None:
    """X13, T13: an unusable cursor gives one sentence, and never appears in the line of the next page."""
    text = json.dumps({"items": ITEMS, "next_cursor": cursor})
    client = httpx.Client(
        transport=httpx.MockTransport(
            lambda _: httpx.Response(
                200, content=text, headers={"content-type": "application/json"}
            )
        )
    )
    connection = Connection(base_url=BASE, client=client, allow_insecure=True)
    found = application("cursor").bind(connection)["items_get"].outcome({})
    lines = found.text.split("\n")
    assert len(lines[-1]) < 200
    assert lines[-1].startswith("There is a next page, but its cursor")
    assert found.next is None


def test_a_long_cursor_is_not_printed() -> None:
    """X13: a cursor of over 2,000 characters is only in ``next``."""
    found = answer("cursor", {"items": ITEMS, "next_cursor": "x" * 2_001})
    assert "2,001 characters" in found.text.split("\n")[-1]
    assert found.next == {"query": {"cursor": "x" * 2_001}}


def test_a_budget_stops_with_the_next_arguments() -> None:
    """X13: after a budget, the last page has the arguments to continue with."""
    app, server = application("cursor"), Paged("cursor", 10, 3)
    pages = [*app.pages("items_get", {}, server.connection(), max_items=4)]
    assert (len(pages), pages[-1].stopped) == (2, "budget")
    rest = [*app.pages("items_get", pages[-1].next, server.connection())]
    assert [item for page in [*pages, *rest] for item in page.items or ()] == server.items()
    assert len([*app.pages("items_get", {}, server.connection(), max_bytes=1)]) == 1


def test_a_failed_page_raises_with_its_arguments() -> None:
    """X13: the pages before an error are delivered; the error has the arguments of the page that failed."""
    bodies = [{"items": ITEMS, "next_cursor": "b"}, {"status": 500}]
    server = Server(lambda index: bodies[index])
    found = application("cursor").pages("items_get", {}, server.connection())
    assert next(found).items == ITEMS
    with pytest.raises(HTTPStatusError) as raised:
        next(found)
    assert raised.value.next == {"query": {"cursor": "b"}}


def test_functions_without_pages_are_refused() -> None:
    """X13: no paging, another safety and wrong limits are mistakes of the caller."""
    connection = Paged("cursor", 1, 1).connection()
    plain = {**document("cursor"), "paths": {"/a": {"get": {}}}}
    with pytest.raises(UsageError, match="no paging"):
        load(plain).pages("a_get", {}, connection)
    writing = load(document("cursor"), options=Options(safety={"*": "write"}))
    with pytest.raises(UsageError, match="not read-only"):
        writing.pages("items_get", {}, connection)
    for wrong in (0, "9", 1.5, True):
        with pytest.raises(UsageError, match="max_items must be a whole number"):
            application("cursor").pages("items_get", {}, connection, max_items=wrong)  # type: ignore[arg-type]


# -- texts ------------------------------------------------------------------------------------------


def test_the_text_ends_with_the_arguments_to_change() -> None:
    """X13: the last line and ``next`` have the complete arguments."""
    found = answer("cursor", {"items": ITEMS, "next_cursor": "abc"}, {"query": {"limit": 5}})
    assert found.text.split("\n")[-1] == 'next page: {"query":{"limit":5,"cursor":"abc"}}'
    assert found.next == {"query": {"limit": 5, "cursor": "abc"}}


@pytest.mark.parametrize("body", [{"items": []}, {"items": ITEMS, "total": 1}])
def test_an_empty_page_and_a_total_end_a_counter(body: dict[str, Any]) -> None:
    """X13: no further page is named after an empty page, or after a documented total."""
    found = answer("page_total", body)
    assert found.next is None
    assert "\n" not in found.text


def test_a_counter_with_unknown_start_has_two_values() -> None:
    """X13: if the first page may have the number 0 or 1, the text has both continuations."""
    raw = document("page")
    del raw["paths"]["/items"]["get"]["parameters"][0]["schema"]["default"]
    server = Server(lambda _: {"items": ITEMS})
    found = load(raw).bind(server.connection())["items_get"].outcome({"query": {"limit": 1}})
    assert found.next == {"query": {"limit": 1, "page": 1}}
    assert found.text.split("\n")[1:] == [
        'next page, if there is one: {"query":{"limit":1,"page":1}}',
        'if that page repeats these items, next page: {"query":{"limit":1,"page":2}}',
    ]
    found = load(raw).bind(server.connection())["items_get"].outcome({"query": {"page": 4}})
    assert found.next == {"query": {"page": 5}}


@pytest.mark.parametrize(
    ("kind", "body", "line"),
    [
        ("page", {"items": ITEMS}, 'next page, if there is one: {"query":{"page":2}}'),
        ("page_total", {"items": ITEMS, "total": 2}, 'next page: {"query":{"page":2}}'),
        ("offset", {"items": ITEMS, "count": 9}, 'next page: {"query":{"offset":1}}'),
        ("offset", {"items": ITEMS, "count": 1}, 'next page, if there is one: {"query":{"offset":1}}'),
        ("offset", {"items": ITEMS, "limit": 9}, ""),
        ("page", {"items": ITEMS, "has_more": True, "total": 1}, 'next page: {"query":{"page":2}}'),
        ("cursor", {"items": ITEMS}, ""),
        ("next_page_header", {"items": ITEMS}, "The response does not say whether there is a next page."),
        ("next_page_header", {"items": ITEMS, "next_cursor": None}, ""),
        ("cursor", {"items": ITEMS, "next_cursor": None, "has_more": True},
         "There is a next page, but the response does not say how to request it."),
    ],
)  # fmt: skip
def test_texts_say_only_what_is_known(kind: str, body: dict[str, Any], line: str) -> None:
    """X13: a next page is announced with evidence, doubted without it, and not mentioned if there is none."""
    assert answer(kind, body).text.partition("\n")[2] == line


def test_a_link_is_followed_without_being_declared() -> None:
    """X13: a ``Link`` header names the next page of any function that reads."""
    header = f'<{BASE}/items?offset=1&limit=1>; rel="next"'
    found = answer("offset", {"items": ITEMS}, {"query": {"limit": 1}}, link=header)
    assert found.next == {"query": {"offset": 1, "limit": 1}}
    last = answer("offset", {"items": ITEMS}, link=f'<{BASE}/items?offset=0>; rel="first"')
    assert last.next is None


def test_values_of_the_connection_are_not_arguments() -> None:
    """X13, T9: a next URL that repeats a credential or a value of the connection gives neither to the model."""
    raw = document("url")
    raw["components"] = {
        "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}
    }
    raw["security"] = [{"key": []}]
    onward = "/v1/items?from_item=1&api_key=SECRET&tenant=7"
    server = Server(lambda _: {"items": ITEMS, "next_url": onward})
    connection = server.connection(credentials={"key": "SECRET"}, query={"tenant": "7"})
    found = load(raw).bind(connection)["items_get"].outcome({})
    assert found.next == {"query": {"from_item": 1}}
    assert "SECRET" not in found.text.split("\n")[-1]


def test_fixed_values_and_human_parts_are_not_paging() -> None:
    """X13, S5: a fixed or human parameter is not changed for a model."""
    fixed = load(document("cursor"), options=Options(fixed={"cursor": "abc"}))
    assert fixed["items_get"].paging is None
    human = load(
        document("cursor"), options=Options(separate=lambda node: node.get("type") == "string")
    )
    assert human["items_get"].paging is None


def test_names_are_those_of_the_tool() -> None:
    """X13: the line and ``next`` have the names that a profile shows."""
    raw = document("page")
    raw["paths"]["/items"]["get"]["parameters"][0]["name"] = "page[number]"
    app = load(raw)
    bound = app.bind(Server(lambda _: {"items": ITEMS}).connection(), profile="portable")
    found = bound["items_get"].outcome({})
    (name,) = found.next["query"]
    assert name in app.tool("items_get")["parameters"]["properties"]["query"]["properties"]
    assert bound["items_get"].outcome(found.next).next["query"][name] == 3


def test_positional_functions_have_positional_arguments() -> None:
    """X13, F4: ``next`` has the calling style of the function."""
    app = load(document("cursor"), options=Options(keyword=False))
    server = Paged("cursor", 3, 2)
    found = app.bind(server.connection())["items_get"].outcome([None])
    assert found.next == [{"cursor": "c2"}]
    pages = [*app.pages("items_get", [], server.connection())]
    assert [item for page in pages for item in page.items or ()] == server.items()


def list_with(parameter: str, kind: str = "string") -> specfn.Application:
    """Return an API with one list and one query parameter; its responses are not described."""
    given = {"name": parameter, "in": "query", "schema": {"type": kind}}
    listed = {"parameters": [given], "responses": {"200": {"description": ""}}}
    info = {"title": "A", "version": "1"}
    return specfn.load({"openapi": "3.1.0", "info": info, "paths": {"/a": {"get": listed}}})


def answer_of(
    app: specfn.Application, data: Any, headers: Mapping[str, str], sent_arguments: Any = None
) -> Any:
    """Return the arguments of the next page of a response, by the text that a model reads."""
    sent = httpx.MockTransport(lambda _: httpx.Response(200, json=data, headers=headers))
    client = httpx.Client(transport=sent)
    connection = specfn.Connection(base_url="https://a.example", client=client)
    return app.bind(connection).outcome("a_get", sent_arguments or {}).next


@pytest.mark.parametrize(
    ("parameter", "header", "value"),
    [
        ("cursor", "X-Next-Cursor", "b"),
        ("pg_token", "x-next-pg-token", "b"),
        ("pageToken", "Next-Page-Token", "b"),
        ("page", "opc-next-page", "b"),
        ("continuation", "x-ms-continuation", "b"),
        ("continuationToken", "x-continuation-token", "b"),
    ],
)
def test_a_header_names_the_cursor_of_the_next_page(
    parameter: str, header: str, value: str
) -> None:
    """X13: the value of a header that means the next page goes into the parameter that the header names."""
    expected = {"query": {parameter: value}}
    assert answer_of(list_with(parameter), [1], {header: value}) == expected


@pytest.mark.parametrize(
    ("parameter", "kind", "header", "value"),
    [
        ("page", "integer", "X-Next-Page", "b"),
        ("page", "integer", "X-Next-Page", ""),
        ("name", "string", "X-Next-Cursor", "b"),
        ("reset", "string", "X-Next-Key", "b"),
        ("token", "string", "X-Request-Token", "b"),
        ("cursor", "string", "X-RateLimit-Next", "1700000000"),
        ("cursor", "string", "Retry-Next", "b"),
    ],
)
def test_other_headers_are_not_cursors(parameter: str, kind: str, header: str, value: str) -> None:
    """X13: a header without a parameter, or with an invalid value, says nothing of the next page."""
    assert answer_of(list_with(parameter, kind), [1], {header: value}) is None


def test_an_empty_header_of_the_next_page_means_the_last_page() -> None:
    """X13: a header without a value ends the pages of a counter; a cursor in the body counts more."""
    body = {"items": ITEMS}
    assert "page" in answer("page", body).text.partition("\n")[2]
    assert answer("page", body, **{"X-Next-Page": ""}).text.partition("\n")[2] == ""
    cursor = {"data": [1], "next_cursor": "b"}
    expected = {"query": {"cursor": "b"}}
    assert answer_of(list_with("cursor"), cursor, {"X-Next-Cursor": ""}) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"data": [1], "meta": {"_token": "b"}}, {"query": {"_token": "b"}}),
        ({"data": [1], "paging": {"token": "b"}}, {"query": {"_token": "b"}}),
        ({"data": [1], "token": "b"}, None),
        ({"data": [1], "user": {"token": "b"}}, None),
    ],
)
def test_a_token_among_facts_on_pages_is_a_cursor(data: Any, expected: Any) -> None:
    """X13: a token of the parameter's name is a cursor if it is in an object that only describes pages."""
    assert answer_of(list_with("_token"), data, {}) == expected
