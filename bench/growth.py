"""Growth of time and memory with the size of the input: linear time, and memory that stays the same.

A column per unit (operation, member, KB of text) that grows with the size is a regression. A size is measured in its
own process, so that no cache of a smaller one helps.

    python bench/growth.py [--operations N ...] [--members N ...] [--kilobytes N ...] [--checks N] [--loads N]
"""

import argparse
import gc
import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import specfn
from specfn._internal.json import dumps

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


def operations_row(count: int) -> str:
    """Return the costs of a document with a number of operations."""
    text = document(count)
    load, app = _spent(lambda: specfn.loads(text))
    write, _ = _spent(lambda: [dumps(each.parameters) for each in app.functions])
    inspect, _ = _spent(app.report)
    some = app.functions[:: max(1, count // 20)]
    check, _ = _spent(lambda: [each.check('{"id": 5, "body": {"count": "x"}}') for each in some])
    each = "".join(f"{seconds / count * 1e6:12.0f}" for seconds in (load, write, inspect))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{count:>10,}{each}{check / len(some) * 1e6:12.0f}{peak:12.0f}"


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


def members_row(count: int) -> str:
    """Return the costs of values with a number of members: valid, repaired and invalid ones."""
    function = _function()
    cells = []
    for good, bad in ((1, 1), (1, "2"), ("x", "x")):
        items = [{"name": "n", "count": bad if index % 3 else good} for index in range(count // 3)]
        text = json.dumps({"body": {"items": items}})
        function.check(text[:50])
        seconds, outcome = _spent(lambda text=text: function.check(text))
        told, _ = _spent(lambda outcome=outcome: outcome or outcome.feedback())
        cells.append(f"{(seconds + told) / count * 1e6:12.2f}")
    return f"{count:>10,}{''.join(cells)}"


def kilobytes_row(count: int) -> str:
    """Return the costs of texts of a number of kilobytes: one long string, as JSON and in a code fence."""
    function = _function()
    plain = json.dumps({"body": {"text": "word " * (count * 200)}})
    cells = []
    for text in (plain, f"Here it is:\n```json\n{plain}\n```\n", plain[:-2]):
        function.check("{}")
        seconds, _ = _spent(lambda text=text: function.check(text))
        cells.append(f"{seconds / count * 1e6:12.2f}")
    return f"{count:>10,}{''.join(cells)}"


def memory_rows(work: Callable[[int], Any], count: int) -> str:
    """Return the memory in MB after each quarter of repeated calls."""
    cells = []
    for index in range(count):
        work(index)
        if (index + 1) % max(1, count // 4) == 0:
            gc.collect()
            cells.append(f"{_memory():.0f}")
    return " ".join(cells)


def checks_row(count: int) -> str:
    """Return the memory over checks of different texts, valid and invalid."""
    function = _function()

    def check(index: int) -> None:
        value = index if index % 2 else f"x{index}"
        items = [{"name": f"n{index}", "count": value}]
        outcome = function.check(json.dumps({"body": {"items": items}}))
        if not outcome:
            outcome.feedback()

    return memory_rows(check, count)


def loads_row(count: int) -> str:
    """Return the memory over conversions of one document."""
    text = document(50)
    return memory_rows(lambda _: [each.parameters for each in specfn.loads(text).functions], count)


def _alone(row: Callable[[int], str], sizes: Sequence[int], head: str) -> None:
    """Print a table with a row per size, each from its own process."""
    print(head)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for line in pool.imap(row, sizes, chunksize=1):
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    several = {"type": int, "nargs": "*"}
    parser.add_argument("--operations", **several, default=[10, 100, 1_000, 5_000, 20_000])
    parser.add_argument("--members", **several, default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--kilobytes", **several, default=[1, 16, 256, 4_096])
    parser.add_argument("--checks", type=int, default=200_000)
    parser.add_argument("--loads", type=int, default=1_000)
    chosen = parser.parse_args()
    head = "".join(f"{name:>12}" for name in ("load", "tools", "inspect", "first check", "MB"))
    _alone(operations_row, chosen.operations, f"µs for each operation\n{'operations':>10}{head}")
    head = "".join(f"{name:>12}" for name in ("valid", "repaired", "invalid"))
    _alone(members_row, chosen.members, f"µs for each member\n{'members':>10}{head}")
    head = "".join(f"{name:>12}" for name in ("JSON", "in a fence", "truncated"))
    _alone(kilobytes_row, chosen.kilobytes, f"µs for each KB of text\n{'KB':>10}{head}")
    _alone(checks_row, [chosen.checks], f"MB after each quarter of {chosen.checks:,} checks")
    _alone(loads_row, [chosen.loads], f"MB after each quarter of {chosen.loads:,} conversions")


if __name__ == "__main__":
    main()
