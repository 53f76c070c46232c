"""Benchmark of calls, compared with requests by httpx.

    python bench/bench_request.py [--rounds N]

A server in its own process responds at once, over kept connections. The same request is sent by httpx
(``client.request`` and ``response.json()``), by ``specfn.execute`` and by a bound function that receives a text
(``outcome``), in turns: one after another, and a hundred at once. The script prints the medians for one request and
their ratio to httpx, for elapsed time and processor time. Elapsed time also depends on other processes. The requests
are a read with a path, a query and a bearer token, and a write with a JSON body of 1 KB.
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, Final, NamedTuple

import httpx

import specfn
from specfn.application.bound import BoundFunction

TOKEN: Final = "token"
HEADERS: Final = {"Authorization": f"Bearer {TOKEN}"}

DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {"title": "orders", "version": "1"},
    "security": [{"bearer": []}],
    "paths": {
        "/shops/{shop}/orders/{id}": {
            "get": {
                "parameters": [
                    {"name": "shop", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
                    {"name": "fields", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {}}}}},
            }
        },
        "/orders": {
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                },
                "responses": {"200": {"content": {"application/json": {"schema": {}}}}},
            }
        },
    },
    "components": {
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["customer", "lines"],
                "properties": {
                    "customer": {"type": "string", "format": "uuid"},
                    "note": {"type": ["string", "null"], "maxLength": 200},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                },
                "additionalProperties": False,
            },
            "Line": {
                "type": "object",
                "required": ["sku", "count"],
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
                    "count": {"type": "integer", "minimum": 1},
                    "price": {"type": "number", "minimum": 0},
                    "tags": {"type": "array", "items": {"enum": ["new", "sale", "gift"]}},
                },
            },
        },
    },
}  # fmt: skip

ORDER: Final[dict[str, Any]] = {
    "customer": "123e4567-e89b-42d3-a456-426614174000",
    "note": None,
    "lines": [
        {"sku": f"ABC-{n:04}", "count": n, "price": 9.75, "tags": ["new", "gift"]} for n in range(1, 13)
    ],
}  # fmt: skip

#: By name: a function with its arguments, and the same request for httpx.
CALLS: Final[dict[str, tuple[str, dict[str, Any], tuple[str, str, dict[str, Any]]]]] = {
    "read": (
        "GET /shops/{shop}/orders/{id}",
        {"shop": "north", "id": 12, "query": {"limit": 10, "fields": ["id", "total"]}},
        ("GET", "/shops/north/orders/12", {"params": {"limit": 10, "fields": ["id", "total"]}}),
    ),
    "write": ("POST /orders", {"body": ORDER}, ("POST", "/orders", {"json": ORDER})),
}

ANSWER: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n"
    b'{"id": 12, "total": 9.5}'
)


class Answering(asyncio.Protocol):
    """A server that responds to each request without parsing it."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, mark, body = self.received.partition(b"\r\n\r\n")
        if not mark:
            return
        _, found, length = head.lower().partition(b"content-length: ")
        if len(body) >= (int(length.split(b"\r\n")[0]) if found else 0):
            self.received = b""
            self.transport.write(ANSWER)


def serve(port: Any) -> None:
    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


class Cost(NamedTuple):
    """The median cost of a call in seconds: elapsed time and processor time."""

    clock: float
    processor: float


class Stopwatch:
    """A measurement of calls in turns, so that other processes affect all alike."""

    def __init__(self, count: int) -> None:
        self._found: list[list[Cost]] = [[] for _ in range(count)]

    def medians(self) -> list[Cost]:
        return [
            Cost(median(each.clock for each in costs), median(each.processor for each in costs))
            for costs in self._found
        ]

    @contextmanager
    def turn(self, index: int) -> Iterator[None]:
        clock, processor = time.perf_counter(), time.thread_time()
        yield
        cost = Cost(time.perf_counter() - clock, time.thread_time() - processor)
        self._found[index].append(cost)


def timed(rounds: int, *calls: Callable[[], Any]) -> list[Cost]:
    watch = Stopwatch(len(calls))
    for _ in range(rounds):
        for index, call in enumerate(calls):
            with watch.turn(index):
                call()
    return watch.medians()


async def atimed(rounds: int, *calls: Callable[[], Awaitable[Any]]) -> list[Cost]:
    watch = Stopwatch(len(calls))
    for _ in range(rounds):
        for index, call in enumerate(calls):
            with watch.turn(index):
                await call()
    return watch.medians()


class Measured(NamedTuple):
    """The function of a row, its arguments as an object and as a text, and the connection."""

    function: specfn.Function
    arguments: dict[str, Any]
    text: str
    connection: specfn.Connection
    bound: BoundFunction


def measured(name: str, url: str) -> Measured:
    app = specfn.load(DOCUMENT)
    connection = specfn.Connection(base_url=url, credentials={"bearer": TOKEN})
    key, arguments, _ = CALLS[name]
    bound = app.bind(connection, allow=["*"])[key]
    return Measured(app[key], arguments, json.dumps(arguments), connection, bound)


def compare(name: str, url: str, rounds: int) -> None:
    """Measure a request by httpx, by ``execute`` and by a bound function, in turns."""
    row, (method, path, more) = measured(name, url), CALLS[name][2]
    with httpx.Client(base_url=url, headers=HEADERS) as client:

        def by_hand() -> Any:
            return client.request(method, path, **more).raise_for_status().json()

        def executed() -> Any:
            return specfn.execute(row.function, row.arguments, row.connection).data

        def bound() -> Any:
            return row.bound.outcome(row.text).data()

        assert by_hand() == executed() == bound()
        timed(rounds // 10, by_hand, executed, bound)
        tell(f"{name}, sync", *timed(rounds, by_hand, executed, bound))


async def acompare(name: str, url: str, rounds: int, at_once: int) -> None:
    """Measure async requests like ``compare``, of which a number is sent at once."""
    row, (method, path, more) = measured(name, url), CALLS[name][2]
    async with httpx.AsyncClient(base_url=url, headers=HEADERS) as client:

        async def by_hand() -> Any:
            return (await client.request(method, path, **more)).raise_for_status().json()

        async def executed() -> Any:
            return (await specfn.aexecute(row.function, row.arguments, row.connection)).data

        async def bound() -> Any:
            return (await row.bound.aoutcome(row.text)).data()

        def together(call: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
            async def calls() -> Any:
                return await asyncio.gather(*(call() for _ in range(at_once)))

            return call if at_once == 1 else calls

        calls = [together(call) for call in (by_hand, executed, bound)]
        first, *others = [await call() for call in calls]
        assert all(other == first for other in others)
        rounds //= at_once
        await atimed(max(rounds // 10, 2), *calls)
        costs = await atimed(max(rounds, 9), *calls)
        each = [Cost(clock / at_once, processor / at_once) for clock, processor in costs]
        tell(f"{name}, async, {at_once} at once", *each)


def tell(name: str, by_hand: Cost, *ours: Cost) -> None:
    cells = [
        f"{kind} {getattr(by_hand, kind) * 1e6:.0f} µs"
        + "".join(
            f", {getattr(cost, kind) * 1e6:.0f} ({getattr(cost, kind) / getattr(by_hand, kind):.2f} ×)"
            for cost in ours
        )
        for kind in Cost._fields
    ]
    print(f"{name:<25} httpx, execute, outcome: {' | '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3_000)
    rounds = parser.parse_args().rounds
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{here.recv()}"
        for name in CALLS:
            compare(name, url, rounds)
            for at_once in (1, 100):
                asyncio.run(acompare(name, url, rounds, at_once))
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
