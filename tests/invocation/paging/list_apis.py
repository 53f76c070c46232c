"""Servers of one list whose items are all known, for each habit of paging, with their documents.

They share no code with specfn: each server computes the items of a request from the arguments alone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from specfn import Application, Connection, Options, load

BASE = "http://lists.test/v1"
PATH = "/items"

INTEGER = {"type": "integer"}
TEXT = {"type": "string"}
NULLABLE = {"type": ["string", "null"]}
BOOLEAN = {"type": "boolean"}


@dataclass(frozen=True)
class Slice:
    """The part of a list that one request asks for."""

    start: int
    end: int
    total: int
    size: int
    arguments: Mapping[str, Any]

    @property
    def has_more(self) -> bool:
        return self.end < self.total


def no_members(_: Slice) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class ListApi:
    """A habit of paging.

    Attributes:
        parameters: the schemas of the parameters, without the size.
        declared: the schemas of the members of the response, without the items.
        start: the index of the first item of a request, from its arguments and the size.
        members: the members of a response, without the items; a dotted name is nested.
        headers: the headers of a response.
        evident: whether the responses tell where the list ends, by a member, an empty page or a status of 404.
        beyond: the response after the end: an empty page, the last page again, or a status.
        items: the dotted name of the array of items; empty for the response itself.
        size: the name of the parameter for the size; ``None`` if there is none.
        method: the method; the arguments of a POST are its body.
        ids: the identifiers of the items.
    """

    parameters: Mapping[str, Any]
    start: Callable[[Mapping[str, Any], int], int]
    declared: Mapping[str, Any] = field(default_factory=dict)
    members: Callable[[Slice], dict[str, Any]] = no_members
    headers: Callable[[Slice], dict[str, str]] = no_members
    evident: bool = True
    beyond: str | int = "empty"
    items: str = "items"
    size: str | None = "limit"
    method: str = "get"
    ids: Callable[[int], Any] = lambda number: f"i{number}"

    def whole(self, total: int, text: str = "") -> list[dict[str, Any]]:
        return [{"id": self.ids(number), "text": text} for number in range(total)]

    def document(self) -> dict[str, Any]:
        item = {"type": "object", "properties": {"id": {}, "text": TEXT}}
        schema = nest({**self.declared, self.items: {"type": "array", "items": item}})
        sizes = {self.size: {"type": "integer", "minimum": 1}} if self.size else {}
        inputs = {"kind": TEXT, **self.parameters, **sizes}
        operation: dict[str, Any] = {
            "operationId": "list",
            "responses": {
                "200": {"description": "", "content": {"application/json": {"schema": schema}}}
            },
        }
        if self.method == "post":
            content = {"application/json": {"schema": nest(inputs)}}
            operation["requestBody"] = {"content": content, "required": True}
        else:
            operation["parameters"] = [parameter(name, each) for name, each in inputs.items()]
        if "link" in self.headers(Slice(0, 1, 2, 1, {})) and self.declared.get("#link") is None:
            operation["responses"]["200"]["headers"] = {"Link": {"schema": TEXT}}
        return {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {PATH: {self.method: operation}},
        }

    def load(self, **options: Any) -> Application:
        return load(self.document(), options=Options(safety={"*": "read"}, **options))


def parameter(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in schema.items() if key != "description"}
    return {
        "name": name,
        "in": "query",
        "schema": plain,
        **({"description": schema["description"]} if "description" in schema else {}),
    }


def nest(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object schema from dotted names."""
    if "" in schemas:
        return dict(schemas[""])
    root: dict[str, Any] = {"type": "object", "properties": {}}
    for name, schema in schemas.items():
        node = root
        *outer, last = name.split(".")
        for part in outer:
            node = node["properties"].setdefault(part, {"type": "object", "properties": {}})
        if not name.startswith("#"):
            node["properties"][last] = schema
    return root


def put(body: dict[str, Any], name: str, value: Any) -> None:
    *outer, last = name.split(".")
    for part in outer:
        body = body.setdefault(part, {})
    body[last] = value


@dataclass
class ListServer:
    """A server of one list that sends at most ``cap`` items in a page.

    ``total`` is the number of items, and ``text`` is in each of them.
    """

    api: ListApi
    total: int
    cap: int
    text: str = ""
    requests: list[httpx.Request] = field(default_factory=list)

    def whole(self) -> list[dict[str, Any]]:
        return self.api.whole(self.total, self.text)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        api = self.api
        sent = dict(request.url.params.multi_items())
        arguments = flat(json.loads(request.content)) if api.method == "post" else sent
        if arguments.get("kind") != "blue":
            return self.page([{"id": "wrong", "text": "the filter is lost"}], {}, {})
        size = min(int(arguments.get(api.size or "", self.cap)), self.cap)
        start = api.start(arguments, size)
        if start >= self.total and start > 0:
            if isinstance(api.beyond, int):
                return httpx.Response(api.beyond, json={"message": "there is no such page"})
            if api.beyond == "repeat":
                start = (self.total - 1) // size * size
        end = min(start + size, self.total)
        part = Slice(start, max(start, end), self.total, size, arguments)
        return self.page(self.whole()[start:end], api.members(part), api.headers(part))

    def page(self, items: Any, members: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
        body: Any = {"requested_at": len(self.requests)}
        for name, value in members.items():
            put(body, name, value)
        if self.api.items:
            put(body, self.api.items, items)
        return httpx.Response(200, json=body if self.api.items else items, headers=headers)

    def connection(self) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self.handle))
        return Connection(base_url=BASE, client=client, allow_insecure=True)

    def sent(self, **more: Any) -> dict[str, Any]:
        """Return the arguments of the first call: a filter that each page needs, and others."""
        return {"body" if self.api.method == "post" else "query": {"kind": "blue", **more}}


def flat(body: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in body.items():
        if isinstance(value, dict):
            members |= flat(value, f"{prefix}{name}.")
        else:
            members[f"{prefix}{name}"] = value
    return members


# -- habits ----------------------------------------------------------------------------------------


def offset(name: str = "offset", schema: Any = INTEGER, first: int = 0, **more: Any) -> ListApi:
    return ListApi({name: schema}, lambda sent, _: int(sent.get(name, first)) - first, **more)


def page(first: int, name: str = "page", schema: Any = INTEGER, **more: Any) -> ListApi:
    def start(sent: Mapping[str, Any], size: int) -> int:
        return max(int(sent.get(name, first)) - first, 0) * size

    return ListApi({name: schema}, start, **more)


def cursor(
    source: str, name: str = "cursor", *, end: Any = None, is_declared: bool = True, **more: Any
) -> ListApi:
    """Return a habit with a cursor; it ends with ``end``, or without the member if ``end`` is ``...``."""
    schema = more.pop("schema", TEXT)
    members = more.pop("members", no_members)

    def named(part: Slice) -> dict[str, Any]:
        value = f"opaque{part.end:06}" if part.has_more else end
        return {**members(part), **({} if value is ... else {source: value})}

    declared = {**more.pop("declared", {}), **({source: NULLABLE} if is_declared else {})}
    return ListApi(
        {name: schema},
        lambda sent, _: int(sent.get(name, "opaque0")[6:]),
        declared=declared,
        members=named,
        **more,
    )


def next_url(source: str, url: str, end: Any = None, **more: Any) -> ListApi:
    """Return a habit with a URL, which is ``url`` with a query."""

    def named(part: Slice) -> dict[str, Any]:
        value = f"{url}?{rest(part)}" if part.has_more else end
        return {} if value is ... else {source: value}

    return offset("from_item", declared={source: NULLABLE}, members=named, **more)


def rest(part: Slice, name: str = "from_item") -> str:
    kind = quote(str(part.arguments.get("kind", "")))
    return f"kind={kind}&{name}={part.end}&limit={part.size}"


def link(name: str, last: str = "") -> Callable[[Slice], dict[str, str]]:
    def headers(part: Slice) -> dict[str, str]:
        if part.has_more:
            return {"link": f'<{BASE}{PATH}?{rest(part, name)}>; rel="next"'}
        return {"link": last} if last else {}

    return headers


def number_of(part: Slice, first: int) -> int:
    return first + part.start // part.size


def spring(part: Slice) -> dict[str, Any]:
    pages = -(-part.total // part.size)
    number = number_of(part, 0)
    return {"number": number, "size": part.size, "totalPages": pages, "totalElements": part.total}


MORE = {"has_more": BOOLEAN}
TOTAL = {"total": INTEGER}


def more(part: Slice) -> dict[str, Any]:
    return {"has_more": part.has_more}


def total(part: Slice) -> dict[str, Any]:
    return {"total": part.total}


def echo(name: str, first: int) -> Callable[[Slice], dict[str, Any]]:
    return lambda part: {name: number_of(part, first)}


def after_id(sent: Mapping[str, Any], name: str) -> int:
    return int(str(sent[name]).removeprefix("i")) + 1 if name in sent else 0


APIS: dict[str, ListApi] = {
    "offset": offset(),
    "offset that repeats its last page": offset(beyond="repeat", evident=False),
    "offset with a total": offset(declared=TOTAL, members=total),
    "offset with an undeclared total": offset(members=total),
    "offset with a count of all items": offset(
        declared={"count": INTEGER}, members=lambda part: {"count": part.total}
    ),
    "offset with a count of this page": offset(
        declared={"count": INTEGER},
        members=lambda part: {"count": part.end - part.start},
    ),
    "offset with has_more": offset(declared=MORE, members=more),
    "offset with has_more and a total of this page": offset(
        declared={**MORE, **TOTAL},
        members=lambda part: {**more(part), "total": part.end - part.start},
    ),
    "offset with 404 at the end": offset(beyond=404),
    "offset with 400 at the end": offset(beyond=400, evident=False),
    "offset with an echoed size": offset(
        declared={"limit": INTEGER}, members=lambda part: {"limit": part.size}
    ),
    "skip": offset("skip"),
    "offset of a bare array": offset(items=""),
    "startIndex of SCIM": offset(
        "startIndex",
        first=1,
        size="count",
        items="Resources",
        declared={"totalResults": INTEGER, "startIndex": INTEGER, "itemsPerPage": INTEGER},
        members=lambda part: {
            "totalResults": part.total,
            "startIndex": part.start + 1,
            "itemsPerPage": part.end - part.start,
        },
    ),
    "offset from 1": offset(schema={**INTEGER, "minimum": 1}, first=1),
    "from and size of Elastic": offset(
        "from",
        size="size",
        items="hits.hits",
        declared={"hits.total.value": INTEGER, "hits.total.relation": TEXT},
        members=lambda part: {"hits.total.value": part.total, "hits.total.relation": "eq"},
    ),
    "page from 0": page(0),
    "page from 1": page(1),
    "page from 1 that repeats its last page": page(1, beyond="repeat", evident=False),
    "page from 1 with 404 at the end": page(1, beyond=404),
    "page from 0 with its number": page(0, declared={"page": INTEGER}, members=echo("page", 0)),
    "page from 1 with its undeclared number": page(1, members=echo("current_page", 1)),
    "page from 1 with a total": page(1, declared=TOTAL, members=total),
    "page from 0 with a total": page(0, declared=TOTAL, members=total),
    "page with a minimum": page(1, schema={**INTEGER, "minimum": 1}),
    "page whose default is its size": page(1, schema={**INTEGER, "default": 10}),
    "page with has_more": page(1, declared=MORE, members=more),
    "p": page(1, "p", schema={**INTEGER, "description": "The number of the page."}),
    "Page of Spring": page(
        0,
        items="content",
        size="size",
        declared=dict.fromkeys(spring(Slice(0, 1, 1, 1, {})), INTEGER),
        members=spring,
    ),
    "undeclared Page of Spring": page(0, items="content", size="size", members=spring),
    "page in a container": page(
        0,
        declared={"page.number": INTEGER, "page.totalElements": INTEGER},
        members=lambda part: {"page.number": number_of(part, 0), "page.totalElements": part.total},
    ),
    "cursor": cursor("next_cursor"),
    "cursor that ends empty": cursor("next_cursor", end=""),
    "cursor that ends absent": cursor("nextPageToken", "pageToken", end=...),
    "cursor in response_metadata": cursor(
        "response_metadata.next_cursor", end="", is_declared=False
    ),
    "cursor in meta": cursor("meta.next", end=None, is_declared=False),
    "cursor in paging": cursor("paging.next_cursor", end=None, is_declared=False),
    "cursor with the name of its parameter": cursor("position", "position", end=...),
    "undeclared cursor with the name of its parameter": cursor(
        "position", "position", end=None, is_declared=False
    ),
    "undeclared cursor with has_more": cursor(
        "next_cursor", end=..., is_declared=False, declared=MORE, members=more
    ),
    "cursor that ends absent without being declared": cursor(
        "next_cursor", end=..., is_declared=False, evident=False
    ),
    "cursor with has_more": cursor("next_cursor", end=..., declared=MORE, members=more),
    "described cursor cur": cursor(
        "cur", "cur", schema={**TEXT, "description": "The cursor of the next page."}
    ),
    "described cursor c": cursor(
        "next_cursor", "c", schema={**TEXT, "description": "Cursor for the next page of results."}
    ),
    "described cursor from": cursor(
        "next", "from", schema={**TEXT, "description": "A cursor from the response before."}
    ),
    "bookmark": cursor("bookmark", "bookmark"),
    "cursor in a body": cursor("next_cursor", method="post"),
    "nested cursor in a body": cursor("page.next", "page.cursor", method="post"),
    "offset in a body": offset(method="post", declared=TOTAL, members=total),
    "next URL": next_url("next", f"{BASE}{PATH}"),
    "next URL without a host": next_url("links.next", f"/v1{PATH}", end=...),
    "next URL of Django behind a proxy": next_url("next", f"https://lists.test/v1{PATH}"),
    "next URL with a port": next_url("next", f"http://lists.test:8000{PATH}"),
    "next URL with another path": next_url("next", "http://lists.test/lists/77"),
    "Link": offset("from_item", headers=link("from_item")),
    "undeclared Link": offset(headers=link("offset", '</>; rel="first"'), declared={"#link": {}}),
    "undeclared Link that ends absent": offset(headers=link("offset"), declared={"#link": {}}),
    "last identifier": ListApi(
        {"starting_after": TEXT},
        lambda sent, _: after_id(sent, "starting_after"),
        declared=MORE,
        members=more,
    ),
    "since_id": ListApi(
        {"since_id": INTEGER},
        lambda sent, _: after_id(sent, "since_id"),
        items="",
        ids=lambda number: number,
    ),
    "after an identifier": ListApi(
        {"after": {**TEXT, "description": "Return the items after this ID."}},
        lambda sent, _: after_id(sent, "after"),
    ),
}
