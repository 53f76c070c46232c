"""Read the lists of OpenAPI documents from servers that are made of their schemas, by code and by texts alone.

A server has 23 items and answers as the parameters and members of an operation suggest. It reads the documents as text and
shares no code with specfn. Usage: ``python bench/read_lists.py DIR [LISTS_OF_A_PROVIDER]``.
"""

import json
import re
import runpy
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

import specfn

_COUNT = runpy.run_path(str(Path(__file__).with_name("count_paging.py")))
NEXT, PAGES, OFFSETS, Document = (_COUNT[name] for name in ("NEXT", "PAGES", "OFFSETS", "Document"))

TOTAL = re.compile(
    r"^(total([-_]?(count|items|results|elements|records|entries))?)$", re.IGNORECASE
)
MORE = re.compile(r"^has[-_]?(more|next([-_]?page)?)$", re.IGNORECASE)
SIZE = re.compile(
    r"^(limit|per[-_]?page|page[-_]?size|max[-_]?results|size|rows|count|top)$", re.IGNORECASE
)
TOKEN = re.compile(
    r"(cursor|(page|next|continuation|skip)[-_]?token|marker|^after$|bookmark|^next|scroll|^token$)",
    re.IGNORECASE,
)
INNER = re.compile(r"^(href|url|uri|link|after|cursor|token|page_?token)$", re.IGNORECASE)
URL = re.compile(r"(url|uri|link|href)", re.IGNORECASE)
ITEMS = ("items", "data", "results", "value", "values", "records", "entries", "content", "list")
COUNT, CAP = 23, 5

Names = tuple[str, ...]


@dataclass
class ListServer:
    """A server of one list, by one way of paging: ``url``, ``token``, ``link``, ``page`` or ``offset``."""

    way: str
    carrier: str
    source: Names
    items: Names
    identifier: str | None
    first: int
    facts: Mapping[Names, str] = field(default_factory=dict)
    counts: str = ""
    is_number: bool = False
    requests: int = 0

    def whole(self) -> list[Any]:
        name = self.identifier
        return [f"i{at}" if name is None else {name: f"i{at}"} for at in range(COUNT)]

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        query = dict(parse_qsl(request.url.query.decode(), keep_blank_values=True))
        sizes = [int(query[name]) for name in query if SIZE.match(name) and query[name].isdigit()]
        size = max(min([*sizes, CAP]), 1)
        start = self._start(query, size)
        end = min(start + size, COUNT)
        has_more = end < COUNT
        body: dict[str, Any] = {}
        facts = {"total": COUNT, "more": has_more, "page": self.first + start // size}
        for path, fact in self.facts.items():
            put(body, path, facts[fact])
        headers = {}
        count = {"page": self.first + start // size + 1, "offset": self.first + end}
        onward = {**query, self.carrier: count.get(self.counts, f"tok{end:06}")}
        target = f"{request.url.copy_with(query=None)}?{urlencode(onward)}"
        if self.way == "link" and has_more:
            headers["link"] = f'<{target}>; rel="next"'
        if self.way in {"url", "token"}:
            token = 100_000 + end if self.is_number else f"tok{end:06}"
            put(body, self.source, (target if self.way == "url" else token) if has_more else None)
        items = self.whole()[start:end]
        if self.items:
            put(body, self.items, items)
        return httpx.Response(200, json=body if self.items else items, headers=headers)

    def _start(self, query: Mapping[str, str], size: int) -> int:
        for value in query.values():
            if re.fullmatch(r"tok\d{6}|1\d{5}", value):
                return int(value[-6:]) % 100_000
        value = query.get(self.carrier, "")
        if self.counts == "page" and value.isdigit():
            return max(int(value) - self.first, 0) * size
        return int(value) - self.first if self.counts == "offset" and value.isdigit() else 0

    def connection(self) -> specfn.Connection:
        client = httpx.Client(transport=httpx.MockTransport(self.handle))
        return specfn.Connection(
            base_url="http://lists.test",
            client=client,
            allow_insecure=True,
        )

    @property
    def api(self) -> Any:
        return SimpleNamespace(items=".".join(self.items))


def put(body: dict[str, Any], path: Names, value: Any) -> None:
    for name in path[:-1]:
        body = body.setdefault(name, {})
    body[path[-1]] = value


def members(
    document: Any, schema: Any, path: Names = (), depth: int = 0
) -> Iterator[tuple[Names, Any]]:
    """Yield the members of a response outside of arrays, to a depth of three."""
    node = document.at(schema)
    if not isinstance(node, dict) or depth > 9:
        return
    if path or node.get("type") == "array":
        yield path, node
    for key in ("allOf", "anyOf", "oneOf"):
        for part in node.get(key, ())[:3]:
            yield from members(document, part, path, depth + 1)
    if len(path) < 3:
        for name, inner in list(node.get("properties", {}).items())[:60]:
            yield from members(document, inner, (*path, name), depth + 1)


def server_of(document: Any, path: str, operation: Any, parameters: list[Any]) -> ListServer | None:
    """Return the server of an operation that pages; ``None`` for others."""
    query = [one for one in parameters if isinstance(one, dict) and one.get("in") == "query"]
    names = [str(one["name"]) for one in query if isinstance(one.get("name"), str)]
    media, schema = document.answer(operation)
    known = dict(reversed([*members(document, schema)]))
    items = items_of(known)
    if items is None or ("json" not in media and media):
        return None
    item = document.at(known[items].get("items"))
    own = item.get("properties", {}) if isinstance(item, dict) else {}
    is_object = bool(own) or not isinstance(item, dict) or item.get("type") in {None, "object"}
    identifier = ("id" if "id" in own or not own else next(iter(own))) if is_object else None
    scalars = {
        at: node
        for at, node in known.items()
        if at and not node.get("properties") and node.get("type") != "array"
    }
    facts = {
        at: fact
        for at, node in scalars.items()
        for pattern, types, fact in ((TOTAL, "integer number", "total"), (MORE, "boolean", "more"), (PAGES, "integer", "page"))
        if pattern.match(at[-1]) and node.get("type") in types.split()
    }  # fmt: skip
    counters = [
        one["name"]
        for one in query
        if PAGES.match(str(one.get("name"))) or OFFSETS.match(str(one.get("name")))
    ]
    counters = [name for name in counters if is_whole(document, query, name)]
    tokens = [name for name in names if TOKEN.search(name) and not SIZE.match(name)]
    carrier = (tokens or counters or [""])[0]
    nexts = [
        (at, node)
        for at, node in scalars.items()
        if (NEXT.match(at[-1]) or (INNER.match(at[-1]) and any(map(NEXT.match, at))))
        and node.get("type") != "boolean"
    ]
    common: dict[str, Any] = {"items": items, "identifier": identifier, "facts": facts, "first": 0}
    if counters and carrier == counters[0]:
        shape = next(document.at(one.get("schema", one)) for one in query if one["name"] == carrier)
        documented = shape.get("default") if shape.get("default") in (0, 1) else None
        documented = 1 if documented is None and shape.get("minimum") == 1 else documented
        common["counts"] = "page" if PAGES.match(carrier) else "offset"
        unknown = zlib.crc32(path.encode()) % 2 if common["counts"] == "page" else 0
        common["first"] = unknown if documented is None else documented
    for at, node in nexts:
        is_number = node.get("type") in {"integer", "number"}
        text = f"{' '.join(at)} {node.get('format')} {node.get('description')}"
        if URL.search(text) and not is_number and carrier:
            return ListServer("url", carrier, at, **common)
        if tokens and not (is_number and counters):
            return ListServer("token", tokens[0], at, is_number=is_number, **common)
    headers = document.at(operation.get("responses", {}).get("200", {})).get("headers", {})
    if any(name.lower() == "link" for name in headers) and carrier:
        return ListServer("link", carrier, (), **common)
    if nexts or "counts" not in common:
        return None
    return ListServer(common["counts"], carrier, (), **common)


def is_whole(document: Any, query: list[Any], name: str) -> bool:
    shape = next(document.at(one.get("schema", one)) for one in query if one["name"] == name)
    return shape.get("type") in {"integer", "number"}


def items_of(known: Mapping[Names, Any]) -> Names | None:
    arrays = [
        at for at, node in known.items() if node.get("type") == "array" and "warning" not in at
    ]
    if () in arrays or len(arrays) == 1:
        return () if () in arrays else arrays[0]
    return next((at for name in ITEMS for at in arrays if at[-1].lower() == name), None)


def sample(document: Any, parameter: Any) -> Any:
    """Return a value of a parameter that is required."""
    shape = document.at(parameter.get("schema", parameter))
    for key in ("example", "default"):
        if key in parameter or key in shape:
            return parameter.get(key, shape.get(key))
    if shape.get("enum"):
        return shape["enum"][0]
    if shape.get("type") == "array":
        return [sample(document, {"schema": shape.get("items", {})})]
    formats = {
        "uuid": "00000000-0000-4000-8000-000000000000",
        "date": "2024-01-31",
        "date-time": "2024-01-31T00:00:00Z",
    }
    values = {
        "integer": max(shape.get("minimum", 2), 2),
        "number": 2,
        "boolean": True,
        "object": {},
    }
    return values.get(str(shape.get("type")), formats.get(str(shape.get("format")), "x"))


def operations(raw: Any) -> list[Any]:
    items = [item for item in raw.get("paths", {}).values() if isinstance(item, dict)]
    return [one for item in items for one in item.values() if isinstance(one, dict)]


def lists(file: Path) -> Iterator[tuple[Any, Any, ListServer, dict[str, Any]]]:
    """Yield the application, the function, the server and the first arguments of each list of a document that pages."""
    raw = json.loads(file.read_bytes())
    if not isinstance(raw, dict) or not {"openapi", "swagger"} & raw.keys():
        return
    for node in (raw, *raw.get("paths", {}).values(), *operations(raw)):
        node.pop("servers", None)
        node.pop("security", None)
    document = Document(json.dumps(raw).encode())
    app, functions = None, {}
    for path, operation, parameters in document.gets():
        server = server_of(document, path, operation, parameters)
        if server is None:
            continue
        if app is None:
            app = specfn.load(raw)
            functions = {one.path: one for one in app.functions if one.method == "get"}
        if path not in functions:
            continue
        sent: dict[str, Any] = {}
        required = [one for one in parameters if isinstance(one, dict) and one.get("required")]
        for one in required:
            if one["in"] == "path":
                sent[one["name"]] = sample(document, one)
            if one["in"] in {"query", "header"} and one["name"] != server.carrier:
                group = "query" if one["in"] == "query" else "headers"
                sent.setdefault(group, {})[one["name"]] = sample(document, one)
        yield app, functions[path], server, sent


def outcome_of(
    app: Any, function: Any, server: ListServer, sent: Any, read: Any
) -> tuple[str, str]:
    """Return how code and a reader of texts fared."""
    whole = server.whole()
    if not isinstance(function.validate(sent), specfn.Success):
        return "not called", "not called"
    results = []
    for reading in (
        lambda: by_code(app, function, server, sent),
        lambda: read(app, server, sent, 100_000, function.name),
    ):
        try:
            seen = reading()
        except specfn.UsageError as error:
            results.append("no paging" if "no paging" in str(error) else f"refused: {error}"[:80])
        except (specfn.SpecfnError, AssertionError, KeyError, TypeError) as error:
            results.append(f"failed: {type(error).__name__}")
        else:
            keys = [json.dumps(item) for item in seen]
            is_whole_list = seen == whole
            results.append(
                "complete"
                if is_whole_list
                else "duplicates"
                if len({*keys}) < len(keys)
                else "stuck"
            )
    return results[0], results[1]


def by_code(app: Any, function: Any, server: ListServer, sent: Any) -> list[Any]:
    seen: list[Any] = []
    for page in app.pages(function.name, sent, server.connection()):
        seen += page.items or ()
        if server.requests > 200:
            break
    return seen


def main(folder: str, most: str = "3") -> None:
    """Print how the lists of each document are read, and the counts."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.invocation.paging.test_list_apis import read  # noqa: PLC0415  # it needs the path

    counts: dict[str, Counter[str]] = {"code": Counter(), "texts": Counter()}
    for file in sorted(Path(folder).rglob("*.json")):
        try:
            for app, function, server, sent in islice(lists(file), int(most)):
                code, texts = outcome_of(app, function, server, sent, read)
                counts["code"][code] += 1
                counts["texts"][texts] += 1
                print(
                    f"{file.stem}: {function.path} ({server.way}): {code}, by texts {texts}",
                    flush=True,
                )
        except Exception as error:  # noqa: BLE001  # a damaged document does not end the census
            print(f"{file.stem}: {error!r}"[:200])
    for reader, outcomes in counts.items():
        print(reader, dict(outcomes))


if __name__ == "__main__":
    main(*sys.argv[1:])
