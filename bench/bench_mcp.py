"""The cost of an MCP server over a large document, beside FastMCP's, with the official client over stdio.

Ready: from the start of the process to the end of the handshake. First: the first page of the tools. List: all pages.
Each time is that of the clock, and the processor time of the server, which depends less on other work of the machine.
Memory: the peak of the server. The row of the SDK is a server without tools. The rows were measured one after another on
the same machine.

    python bench/bench_mcp.py [CORPUS] [PYTHON_WITH_FASTMCP]
"""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

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


#: A server of the SDK alone, which every server pays for.
SDK = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp import types
async def tools(ctx, params):
    return types.ListToolsResult(tools=[])
async def main():
    server = Server("empty", on_list_tools=tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
anyio.run(main)
"""


class Times(NamedTuple):
    """Seconds of the clock, and of the processor in the server."""

    clock: float
    processor: float

    def since(self, other: "Times") -> str:
        """Return the seconds since other times."""
        return f"{self.clock - other.clock:.2f} s ({self.processor - other.processor:.2f} s)"


async def measure(command: list[str]) -> str:
    """Return the columns of a server."""
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], env={"PYTHONPATH": str(ROOT / "src")}
    )
    started = Times(perf_counter(), 0)
    async with Client(stdio_client(parameters), mode="legacy") as client:
        process = _process(command)
        ready = _times(process)
        page = await client.list_tools()
        first, tools = _times(process), page.tools
        while page.next_cursor is not None:
            page = await client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        listed = _times(process)
        peak = int((process / "status").read_text().split("VmHWM:")[1].split()[0]) // 1024
    size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
    times = f"{ready.since(started)} | {first.since(ready)} | {listed.since(ready)}"
    return f"{times} | {len(tools):,} | {size:,} | {peak} MB"


def _process(command: list[str]) -> Path:
    """Return the folder in ``/proc`` of the process with a command line."""
    wanted = "\0".join(command).encode() + b"\0"
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if (folder / "cmdline").read_bytes() == wanted:
                return folder
    raise AssertionError(f"no process of {command}")


def _times(process: Path) -> Times:
    user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
    return Times(perf_counter(), (int(user) + int(system)) / os.sysconf("SC_CLK_TCK"))


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    document = str(corpus / "dev" / "octokit__api.github.com.json")
    serve = [sys.executable, "-m", "specfn", "serve", document, "--base-url", URL]
    servers = {
        "the SDK alone": [sys.executable, "-c", SDK],
        "specfn, mode all": [*serve, "--mode", "all"],
        "specfn, pages of 100": [*serve, "--mode", "all", "--page-size", "100"],
        "specfn, mode search": [*serve, "--mode", "search"],
    }
    if len(sys.argv) > 2:
        servers["FastMCP"] = [sys.argv[2], "-c", FASTMCP, document, URL]
    print(
        "| server | ready | first | list | tools | bytes | memory |\n|---|---|---|---|---|---|---|"
    )
    for name, command in servers.items():
        print(f"| {name} | {asyncio.run(measure(command))} |", flush=True)


if __name__ == "__main__":
    main()
