"""Growth of time and memory with the size of the input: linear time, and memory that stays the same.

A column per unit (operation, turn, KB of text) that grows with the size is a regression. A size is measured in its
own process, so that no cache of a smaller one helps.

    python -m bench.growth [SERIES ...] [--sizes N ...] [--write]
"""

import argparse
import gc
import json
import multiprocessing
import platform
import resource
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench.compare import plot, table
from tests.hostile_documents import FAMILIES

import specfn
from specfn import mcp
from specfn._internal.json import dumps
from specfn.calling.effects import CallResult
from specfn.calling.session import Session
from specfn.tools.function_set import Catalog

PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"

INTRODUCTION = (
    "`python -m bench.growth --write` writes this page. Each size runs in its own process. Figures are processor time\n"
    "for each unit, so bars of the same length mean linear growth."
)

#: The entities that refer to each other, in cycles.
_GROUP = 20

#: Operations for each entity of the document.
_METHODS = ("get", "patch", "delete", "post", "put")


def document(operations: int) -> str:
    """Return a document with a number of operations, five for each entity."""
    count = -(-operations // len(_METHODS))
    schemas = {f"entity{index}": _entity(index, count) for index in range(count)}
    paths: dict[str, Any] = {}
    for index in range(operations):
        number, method = divmod(index, len(_METHODS))
        paths.setdefault(f"/groups/{{id}}/entity{number}", {})[_METHODS[method]] = _operation(
            number, _METHODS[method]
        )
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Large", "version": "1"},
            "paths": paths,
            "components": {"schemas": schemas},
        }
    )


def _entity(index: int, count: int) -> dict[str, Any]:
    """Return an object with texts, numbers and constants, and references to others of its group."""
    first = index // _GROUP * _GROUP
    size = min(_GROUP, count - first)
    near = {
        f"to{step}": {"$ref": f"#/components/schemas/entity{first + (index + step) % size}"}
        for step in (1, 2)
    }
    texts = {
        f"text{each}": {"type": "string", "description": f"Text {each} of {index}."}
        for each in range(6)
    }
    own = {
        "count": {"type": "integer", "format": "int32", "nullable": True},
        "kind": {"enum": [f"kind{index}", "other"], "type": "string"},
    }
    return {"type": "object", "properties": {**texts, **own, **near}, "required": ["text0"]}


def _operation(number: int, method: str) -> dict[str, Any]:
    reference = {"application/json": {"schema": {"$ref": f"#/components/schemas/entity{number}"}}}
    operation: dict[str, Any] = {
        "operationId": f"entity{number}.{method}",
        "description": f"The {method} of entity {number}.",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "$top", "in": "query", "schema": {"type": "integer", "minimum": 0}},
        ],
        "responses": {"200": {"description": "Done.", "content": reference}},
    }
    if method not in ("get", "delete"):
        operation["requestBody"] = {"required": True, "content": reference}
    return operation


def _spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of a call in seconds, and its result."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def _memory() -> float:
    """Return the resident memory in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def operations_row(count: int) -> list[float]:
    """Return the costs of a document with a number of operations."""
    text = document(count)
    load, app = _spent(lambda: specfn.loads(text))
    write, _ = _spent(lambda: [dumps(each.parameters) for each in app.functions])
    inspect, _ = _spent(app.report)
    some = app.functions[:: max(1, count // 20)]
    check, _ = _spent(lambda: [each.check('{"id": 5, "body": {"count": "x"}}') for each in some])
    return [*(seconds / count * 1e6 for seconds in (load, write, inspect)), check / len(some) * 1e6]


def family_row(count: int, name: str) -> list[float]:
    """Return the costs of a document of a family: loading, all schemas, and a check."""
    text = FAMILIES[name].text(count)
    load, app = _spent(lambda: specfn.loads(text))
    write, _ = _spent(lambda: [(dumps(each.parameters), each.output) for each in app.functions])
    check, _ = _spent(lambda: [each.check('{"body": {"x": "y"}}') for each in app.functions])
    return [seconds / count * 1e6 for seconds in (load, write, check)]


def turns_row(count: int) -> list[float]:
    """Return the cost of a conversation with a number of turns, each with one call; its requests repeat all turns."""
    session = Session(
        specfn.loads(document(20)),
        connector="openai",
        messages="x",
        config=specfn.InvocationConfig(max_rounds=count, approval="never", repeat_writes="allow"),
    )
    name = session.next().request["tools"][0]["function"]["name"]
    seconds, _ = _spent(lambda: [_turn(session, name, index) for index in range(count)])
    return [seconds / (count * (count + 1) / 2) * 1e6, len(dumps(session.dump())) / count]


def _turn(session: Session, name: str, index: int) -> None:
    call = {"name": name, "arguments": json.dumps({"id": f"a{index}"})}
    calls = [{"id": f"c{index}", "type": "function", "function": call}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    session.next()
    session.feed({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    session.next()
    session.feed([CallResult(text="{}", executed=True, status=200)])


def documents_row(count: int) -> list[float]:
    """Return the costs of a server of a number of documents of 50 operations: its start, and the first search."""
    text = document(50)
    connection = specfn.Connection("https://api.example.com")

    def start() -> Catalog:
        catalog = Catalog()
        for index in range(count):
            catalog = catalog.add(specfn.loads(text), namespace=f"api{index}")
        mcp.server(catalog, connection, mode="search")
        return catalog

    build, catalog = _spent(start)
    search, _ = _spent(lambda: catalog.search("patch entity 7"))
    return [build / count * 1e6, search / count * 1e6]


def _function() -> Any:
    """Return a function that takes a list of objects and a text."""
    item = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
        "required": ["name"],
        "additionalProperties": False,
    }
    properties = {"items": {"type": "array", "items": item}, "text": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    content = {"application/json": {"schema": schema}}
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": "ok"}}}
    paths = {"/x": {"post": operation}}
    info = {"title": "t", "version": "1"}
    source = {"openapi": "3.1.0", "info": info, "paths": paths}
    return specfn.loads(json.dumps(source)).functions[0]


def members_row(count: int) -> list[float]:
    """Return the costs of values with a number of members: valid, repaired and invalid ones."""
    function = _function()
    cells = []
    for good, bad in ((1, 1), (1, "2"), ("x", "x")):
        items = [{"name": "n", "count": bad if index % 3 else good} for index in range(count // 3)]
        text = json.dumps({"body": {"items": items}})
        function.check(text[:50])
        seconds, outcome = _spent(lambda text=text: function.check(text))
        told, _ = _spent(lambda outcome=outcome: outcome or outcome.feedback())
        cells.append((seconds + told) / count * 1e6)
    return cells


def kilobytes_row(count: int) -> list[float]:
    """Return the costs of texts of a number of kilobytes: one long string, as JSON and in a code fence."""
    function = _function()
    plain = json.dumps({"body": {"text": "word " * (count * 200)}})
    cells = []
    for text in (plain, f"Here it is:\n```json\n{plain}\n```\n", plain[:-2]):
        function.check("{}")
        seconds, _ = _spent(lambda text=text: function.check(text))
        cells.append(seconds / count * 1e6)
    return cells


def memory_row(work: Callable[[int], Any], count: int) -> list[float]:
    """Return the memory in MB after each quarter of repeated calls."""
    cells = []
    for index in range(count):
        work(index)
        if (index + 1) % max(1, count // 4) == 0:
            gc.collect()
            cells.append(_memory())
    return cells[:4]


def checks_row(count: int) -> list[float]:
    """Return the memory over checks of different texts, valid and invalid."""
    function = _function()

    def check(index: int) -> None:
        value = index if index % 2 else f"x{index}"
        items = [{"name": f"n{index}", "count": value}]
        outcome = function.check(json.dumps({"body": {"items": items}}))
        if not outcome:
            outcome.feedback()

    return memory_row(check, count)


def loads_row(count: int) -> list[float]:
    """Return the memory over documents that differ: loaded, used and dropped."""

    def load(index: int) -> None:
        text = document(10).replace("Large", f"Large {index}").replace("text1", f"text{index}")
        for function in specfn.loads(text):
            assert function.parameters
            assert not function.check('{"id": []}')

    return memory_row(load, count)


class Series(NamedTuple):
    """What grows: its title, a row of figures for a size, the sizes, and the names of the figures."""

    title: str
    row: Callable[[int], list[float]]
    sizes: tuple[int, ...]
    names: tuple[str, ...]


USES = ("load", "schemas", "check")
QUARTERS = ("first quarter", "second", "third", "last")
SERIES = {
    "operations": Series("µs for each operation of a document", operations_row, (10, 100, 1_000, 5_000, 20_000), ("load", "schemas", "report", "first check")),
    "depth": Series("µs for each level of objects in objects", partial(family_row, name="chain of properties"), (50, 200, 800), USES),
    "unions": Series("µs for each branch of a union with tags", partial(family_row, name="union with tags"), (50, 200, 800), USES),
    "inheritance": Series("µs for each level of allOf", partial(family_row, name="chain of inheritance, the last one used"), (50, 200, 800), USES),
    "members": Series("µs for each member of the arguments", members_row, (100, 1_000, 10_000, 100_000), ("valid", "repaired", "invalid")),
    "kilobytes": Series("µs for each KB of a text", kilobytes_row, (1, 16, 256, 4_096), ("JSON", "in a fence", "truncated")),
    "turns": Series("costs of each turn of a conversation", turns_row, (10, 100, 1_000), ("µs in a request", "bytes stored")),
    "documents": Series("µs for each document of a server, 50 operations each", documents_row, (1, 10, 100), ("start", "first search")),
    "checks": Series("MB during checks of different texts", checks_row, (1_000_000,), QUARTERS),
    "loads": Series("MB while different documents are loaded, used and dropped", loads_row, (10_000,), QUARTERS),
}  # fmt: skip


def measure(work: tuple[str, int]) -> tuple[list[float], float]:
    """Return the figures of a size, and the peak of the memory in MB."""
    name, size = work
    if SERIES[name].names is not QUARTERS:
        SERIES[name].row(SERIES[name].sizes[0])  # imports what is used
    figures = SERIES[name].row(size)
    return figures, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def section(name: str, chosen: Sequence[int]) -> tuple[str, str]:
    """Return the table of a series, and its plot: bars of the same length mean linear growth."""
    series = SERIES[name]
    sizes = chosen or series.sizes
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = list(pool.imap(measure, [(name, size) for size in sizes], chunksize=1))
    cells = [
        [f"{size:,}", *(f"{figure:,.4g}" for figure in figures), f"{peak:,.0f}"]
        for size, (figures, peak) in zip(sizes, rows, strict=True)
    ]
    bars = [
        (f"{title}, {size:,} {name}", figures[at], f"{figures[at]:,.4g}")
        for at, title in enumerate(series.names)
        for size, (figures, _) in zip(sizes, rows, strict=True)
    ]
    text = table([name, *series.names, "peak MB"], cells)
    return f"## {name.capitalize()}: {series.title}\n\n{text}\n", plot(series.title, bars)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("series", nargs="*", choices=[*SERIES, []], metavar="SERIES")
    parser.add_argument("--sizes", type=int, nargs="*", default=())
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks/growth.md and its plots"
    )
    given = parser.parse_args()
    where = f"{platform.machine()}, Python {platform.python_version()}, specfn {specfn.__version__}"
    page = f"# Growth\n\n{INTRODUCTION}\n\nMeasured on {date.today():%Y-%m-%d}: {where}.\n"  # noqa: DTZ011  # the day here
    for name in given.series or SERIES:
        text, svg = section(name, given.sizes)
        print(text, flush=True)
        page += f"\n{text}\n![{SERIES[name].title}](growth-{name}.svg)\n"
        if given.write:  # after each series, so that an interrupted run keeps what it has
            (PAGES / f"growth-{name}.svg").write_text(svg)
            (PAGES / "growth.md").write_text(page)


if __name__ == "__main__":
    main()
