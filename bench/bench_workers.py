"""An MCP server of many documents behind 1, 2 and 4 workers: requests, processor time of each, and memory.

One process sends requests of a stateless client, so many at once, to a server of uvicorn; the API behind it answers at
once. Only processor time is comparable on a busy machine. The workers share nothing, so their time says what more
processors would bring.

    python -m bench.bench_workers [--documents N] [--requests N] [--workers N ...]
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from bench.bench_scale import children, memory
from bench.compare import Recorder
from bench.growth import document

from specfn._internal.json import dumps

SERVER = """
import os
import specfn
from specfn import calling, mcp
catalog = calling.Catalog()
for index in range(int(os.environ["DOCUMENTS"])):
    catalog = catalog.add(specfn.load("document.json"), namespace=f"api{index}")
app = mcp.asgi(catalog, specfn.Connection(os.environ["API"], anonymous=True), mode="search", key="k" * 32)
"""

PORT = 8765
URL = f"http://127.0.0.1:{PORT}/mcp"
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
}
AT_ONCE = 8


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


#: What clients ask for.
REQUESTS = {
    "list of tools": {"method": "tools/list", "params": {}},
    "search": call("search_functions", {"query": "get the entity 7"}),
    "call": call(
        "read_function", {"name": "api3_groups_entity3_getById", "arguments": {"id": "a"}}
    ),
}


def processor_time(processes: list[int]) -> float:
    """Return the processor time of processes in seconds (Linux)."""
    fields = [
        Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in processes
    ]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


async def send(request: dict[str, Any], count: int) -> str:
    """Send a request many times; return the text of one answer."""
    turns = iter(range(count))
    answers: list[str] = []
    # A new connection for each request, so that all workers get some.
    limits = httpx.Limits(max_keepalive_connections=0)

    async def client() -> None:
        async with httpx.AsyncClient(headers=HEADERS, limits=limits, timeout=60) as http:
            for index in turns:
                body = {"jsonrpc": "2.0", "id": index, **request}
                answers.append((await http.post(URL, content=dumps(body))).raise_for_status().text)

    await asyncio.gather(*(client() for _ in range(AT_ONCE)))
    return answers[-1]


def measure(folder: str, workers: int, given: argparse.Namespace, api: str) -> None:
    options = (
        "--port",
        str(PORT),
        "--workers",
        str(workers),
        "--log-level",
        "error",
        "--no-access-log",
    )
    environment = os.environ | {"DOCUMENTS": str(given.documents), "API": api}
    command = [sys.executable, "-m", "uvicorn", "server:app", *options]
    with subprocess.Popen(command, cwd=folder, env=environment) as server:
        try:
            while len(ready(server.pid, workers)) < workers:
                time.sleep(0.2)
            for name, request in REQUESTS.items():
                asyncio.run(send(request, 20 * workers))
                processes = ready(server.pid, workers)
                before, started = processor_time(processes), time.perf_counter()
                answer = asyncio.run(send(request, given.requests))
                seconds, spent = time.perf_counter() - started, processor_time(processes) - before
                assert '"isError":false' in answer or '"tools":' in answer, answer
                megabytes = max(map(memory, processes))
                print(
                    f"| {workers} | {name} | {given.requests / seconds:,.0f} | {spent / given.requests * 1e3:.1f} ms "
                    f"| {len(answer):,} | {megabytes:.0f} MB |",
                    flush=True,
                )
        finally:
            server.terminate()


def ready(server: int, workers: int) -> list[int]:
    """Return the processes that serve, once one of them answers."""
    try:
        httpx.get(f"http://127.0.0.1:{PORT}/health").raise_for_status()
    except httpx.HTTPError:
        return []
    if workers == 1:
        return [server]
    return [each for each in children(server) if memory(each) > 50]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    given = parser.parse_args()
    api = Recorder()
    print(
        "| workers | request | a second | processor time | bytes | memory of a worker |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "document.json").write_text(document(50))
        (Path(folder) / "server.py").write_text(SERVER)
        for workers in given.workers:
            measure(folder, workers, given, f"{api.base_url}/1/v1")
    api.close()


if __name__ == "__main__":
    main()
