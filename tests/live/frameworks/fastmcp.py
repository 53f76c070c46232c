"""A server of FastMCP with its own client in the place of a model."""

import json
from collections.abc import Sequence
from typing import Any

from fastmcp import Client, FastMCP
from tests.live.frameworks.scripted import Call

from specfn.adapters import fastmcp
from specfn.application.bound import Bound


def server(bound: Bound) -> FastMCP:
    """Return a server with the functions as its tools."""
    made = FastMCP("shop")
    for tool in fastmcp.tools(bound):
        made.add_tool(tool)
    return made


async def results(client: Any, calls: Sequence[Call]) -> list[Any]:
    """Return the results of calls."""
    return [
        await client.call_tool(name, json.loads(sent), raise_on_error=False) for name, sent in calls
    ]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the client receives for its calls."""
    async with Client(server(bound)) as client:
        found = await results(client, calls)
    assert [each.is_error for each in found] == [
        '{"status":2' not in each.content[0].text[:12] for each in found
    ]
    return [each.content[0].text for each in found]
