"""What a model reads and sends on the awkward server: a person, or a model, decides each call from the texts alone.

FILE has a call per line: the name of a tool, a space and its arguments as JSON. The calls run on a new server over MCP,
and the results after the first N are printed, so the next calls can be appended to the file. The end counts the calls,
those that were refused or answered with a status above 399, the characters of the list of tools, of the arguments and
of the results, and the tasks that are done.

    PYTHONPATH=src:bench python bench/awkward_tasks.py MODE FILE [N]    # MODE: search, all, code or fastmcp
"""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
from awkward_server import BASE_URL, DOCUMENT, TASKS, Tracker, done


def server_of(mode: str, tracker: Tracker) -> Any:
    """Return a server of the functions, and the client class."""
    client = httpx.AsyncClient(base_url=BASE_URL, transport=httpx.MockTransport(tracker))
    if mode == "fastmcp":
        from fastmcp import Client, FastMCP  # noqa: PLC0415  # only this server needs it

        return Client(FastMCP.from_openapi(openapi_spec=DOCUMENT, client=client))
    from mcp.client.client import Client as McpClient  # noqa: PLC0415  # only this server needs it

    import specfn  # noqa: PLC0415  # only this server needs it
    from specfn import mcp  # noqa: PLC0415  # only this server needs it

    connection = specfn.Connection(base_url=BASE_URL, async_client=client)
    allow = ("read", "write", "destructive")
    server = mcp.server(specfn.load(DOCUMENT), connection, mode=mode, allow=allow)
    return McpClient(server)


async def act(mode: str, calls: list[tuple[str, Any]], skip: int) -> None:
    """Make the calls, and print the results after the first ones."""
    tracker = Tracker()
    refused = size = 0
    async with server_of(mode, tracker) as client:
        tools = await client.list_tools()
        tools = getattr(tools, "tools", tools)
        listed = [tool.model_dump(mode="json", exclude_none=True) for tool in tools]
        listed = [
            {
                k: v
                for k, v in t.items()
                if k in {"name", "description", "input_schema", "inputSchema"}
            }
            for t in listed
        ]
        if not calls:
            for tool in listed:
                print(json.dumps(tool, ensure_ascii=False))
        for number, (name, arguments) in enumerate(calls, 1):
            before = len(tracker.received)
            options = {"raise_on_error": False} if mode == "fastmcp" else {}
            result = await client.call_tool(name, arguments, **options)
            text = "\n".join(getattr(part, "text", "") for part in result.content)
            sent = tracker.received[before:]
            is_wrong = getattr(result, "is_error", False) or any(
                int(line[-3:]) > 399 for line in sent
            )
            refused += is_wrong
            size += len(json.dumps(arguments, ensure_ascii=False)) + len(text)
            if number > skip:
                print(
                    f"--- {number} {name} {json.dumps(arguments, ensure_ascii=False)} {'WRONG' if is_wrong else ''}\n{text}"
                )
    print("=" * 40)
    print("\n".join(tracker.received) if not skip else "")
    for task, is_done in zip(TASKS, done(tracker), strict=True):
        print("done " if is_done else "     ", task)
    listing = len(json.dumps(listed, ensure_ascii=False))
    print(
        f"{len(calls)} calls, {refused} wrong, {listing} characters of tools, {size} of calls; {sum(done(tracker))} tasks done"
    )


def main() -> None:
    """Read the calls and make them."""
    mode, file, *rest = sys.argv[1:]
    lines = filter(None, map(str.strip, Path(file).read_text("utf-8").splitlines()))
    calls = [(line.split(" ", 1)[0], json.loads(line.split(" ", 1)[1])) for line in lines]
    anyio.run(act, mode, calls, int(rest[0]) if rest else 0)


if __name__ == "__main__":
    main()
