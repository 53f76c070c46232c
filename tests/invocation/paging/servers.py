"""Servers of numbered items with each kind of paging, and their documents. They share no code with specfn."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import httpx

from specfn import Application, Connection, load

BASE = "http://shop.test/v1"

#: The query parameters and the members of the response of each kind, beside ``items``.
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cursor": ({"cursor": {"type": "string"}}, {"next_cursor": {"type": ["string", "null"]}}),
    "last_item": ({"starting_after": {"type": "string"}}, {"has_more": {"type": "boolean"}}),
    "page": ({"page": {"type": "integer", "default": 1}}, {}),
    "page_total": ({"page": {"type": "integer", "default": 1}}, {"total": {"type": "integer"}}),
    "offset": ({"offset": {"type": "integer", "default": 0}}, {}),
    "offset_total": (
        {"offset": {"type": "integer", "default": 0}},
        {"total": {"type": "integer"}},
    ),
    "url": ({"from_item": {"type": "integer"}}, {"next_url": {"type": ["string", "null"]}}),
    "pageable": ({"from_item": {"type": "integer"}}, {"@odata.nextLink": {"type": "string"}}),
    "link": ({"from_item": {"type": "integer"}}, {}),
    "next_page_header": ({"cursor": {"type": "string"}}, {}),
}


def document(kind: str) -> dict[str, Any]:
    parameters, members = deepcopy(KINDS[kind])
    item = {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}, **members},
    }
    operation: dict[str, Any] = {
        "operationId": "list",
        "parameters": [
            {"name": name, "in": "query", "schema": each}
            for name, each in {**parameters, "limit": {"type": "integer", "minimum": 1}}.items()
        ],
        "responses": {
            "200": {"description": "", "content": {"application/json": {"schema": schema}}}
        },
    }
    if kind == "link":
        operation["responses"]["200"]["headers"] = {"Link": {"schema": {"type": "string"}}}
    if kind == "pageable":
        operation["x-ms-pageable"] = {"nextLinkName": "@odata.nextLink", "itemName": "items"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/items": {"get": operation}},
    }


def application(kind: str) -> Application:
    return load(document(kind))


@dataclass
class Paged:
    """A server of ``total`` items that sends at most ``cap`` of them in a page."""

    kind: str
    total: int
    cap: int
    text: str = ""
    base: str = BASE
    requests: list[httpx.Request] = field(default_factory=list)

    def items(self) -> list[dict[str, str]]:
        return [{"id": f"i{number}", "text": self.text} for number in range(self.total)]

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        query = request.url.params
        size = min(int(query.get("limit", self.cap)), self.cap)
        start = self._start(query, size)
        end = min(start + size, self.total)
        body: dict[str, Any] = {"items": self.items()[start:end]}
        headers = {"content-type": "application/json"}
        onward = f"{self.base}/items?from_item={end}&limit={size}"
        has_more = end < self.total
        if self.kind == "cursor":
            body["next_cursor"] = f"c{end}" if has_more else None
        if self.kind == "last_item":
            body["has_more"] = has_more
        if self.kind.endswith("_total"):
            body["total"] = self.total
        if self.kind == "url":
            body["next_url"] = onward if has_more else None
        if self.kind == "pageable" and has_more:
            body["@odata.nextLink"] = onward
        if self.kind == "link" and has_more:
            headers["link"] = f'<{onward}>; rel="next"'
        if self.kind == "next_page_header" and has_more:
            headers["next-page"] = f"{self.base}/items?cursor=c{end}&limit={size}"
        return httpx.Response(200, headers=headers, content=json.dumps(body).encode())

    def _start(self, query: httpx.QueryParams, size: int) -> int:
        if "cursor" in query:
            return int(query["cursor"][1:])
        if "starting_after" in query:
            return int(query["starting_after"][1:]) + 1
        if "page" in query:
            return (int(query["page"]) - 1) * size
        return int(query.get("offset", query.get("from_item", 0)))

    def connection(self, **more: Any) -> Connection:
        client = httpx.Client(transport=httpx.MockTransport(self.handle))
        return Connection(base_url=self.base, client=client, allow_insecure=True, **more)

    def aconnection(self) -> Connection:
        client = httpx.AsyncClient(transport=httpx.MockTransport(self.handle))
        return Connection(base_url=self.base, async_client=client, allow_insecure=True)
