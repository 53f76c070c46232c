"""The cost of an MCP server over a large document, beside FastMCP's, with the official client over stdio.

Ready: from the start of the process to the end of the handshake. List: all pages of the tools. Memory: the peak of the
server. The columns of one run were measured one after another on the same machine.

    python bench/bench_mcp.py [CORPUS] [PYTHON_WITH_FASTMCP]
"""

import asyncio
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = Path(__file__).parent.parent
DEFAULT = ROOT.parent / "shared" / "corpus"
URL = "http://127.0.0.1:9"

FASTMCP = """
import json, sys
import httpx2
from fastmcp import FastMCP
document = json.load(open(sys.argv[1]))
client = httpx2.AsyncClient(base_url=sys.argv[2])
FastMCP.from_openapi(openapi_spec=document, client=client).run(show_banner=False)
"""


async def measure(command: list[str]) -> tuple[float, float, int, int, int]:
    """Return the seconds until ready, the seconds of the list, its tools and bytes, and the peak memory in MB."""
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], env={"PYTHONPATH": str(ROOT / "src")}
    )
    started = perf_counter()
    async with Client(stdio_client(parameters), mode="legacy") as client:
        ready = perf_counter()
        tools: list[Any] = []
        cursor = None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        listed = perf_counter()
        peak = _peak(command)
    size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
    return ready - started, listed - ready, len(tools), size, peak


def _peak(command: list[str]) -> int:
    """Return the peak memory of the process with a command line, in MB."""
    wanted = "\0".join(command).encode() + b"\0"
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes() == wanted:
                status = (folder / "status").read_text().split("VmHWM:")[1]
                return int(status.split()[0]) // 1024
        except (OSError, IndexError):
            continue
    return 0


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    document = str(corpus / "dev" / "octokit__api.github.com.json")
    serve = [sys.executable, "-m", "specfn", "serve", document, "--base-url", URL]
    servers = {
        "specfn, mode all": [*serve, "--mode", "all"],
        "specfn, pages of 100": [*serve, "--mode", "all", "--page-size", "100"],
        "specfn, mode search": [*serve, "--mode", "search"],
    }
    if len(sys.argv) > 2:
        servers["FastMCP"] = [sys.argv[2], "-c", FASTMCP, document, URL]
    print("| server | ready | list | tools | bytes | memory |\n|---|---|---|---|---|---|")
    for name, command in servers.items():
        ready, listed, tools, size, peak = asyncio.run(measure(command))
        print(
            f"| {name} | {ready:.2f} s | {listed:.2f} s | {tools:,} | {size:,} | {peak} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
