"""The tokens and round trips of six tasks on the shop: as code, beside tool calls of mode ``search``.

Tokens are estimated. They contain the listed tools once, and what the model sent and received. A round trip is a request
of the model to the server.

    PYTHONPATH=src:. python bench/code_tasks.py
"""

import json
from collections.abc import Callable
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from tests.live.renamed_shop import RenamedShop, renamed_shop
from tests.live.tasks import do_tasks
from tests.live.test_code_tasks import Coder
from tests.live.test_code_tasks import do_tasks as do_in_code
from tests.live.test_mcp_tasks import OverMcp, User

import specfn
from specfn import mcp
from specfn.tools.token_estimate import estimate


class Counted:
    """A client that counts.

    Attributes:
        round_trips: its calls.
        characters: the characters of the tools, and of all that was sent and received.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.round_trips = 0
        self.characters = 0

    async def list_tools(self) -> None:
        """List the tools, as a host does once."""
        found = await self._client.list_tools()
        self.characters += sum(len(tool.model_dump_json(exclude_none=True)) for tool in found.tools)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool."""
        result = await self._client.call_tool(name, arguments)
        self.round_trips += 1
        self.characters += len(json.dumps(arguments)) + len(result.content[0].text)
        return result


def measured(mode: Any, do: Callable[[Any, Any, RenamedShop], None]) -> str:
    """Return a row: the mode, its round trips and its tokens."""
    with renamed_shop(0) as found:
        connection = specfn.Connection(base_url=found.base_url, credentials={"bearer": found.token})
        app = specfn.load(found.document)
        server = mcp.server(app, connection, mode=mode, allow=("read", "write"))
        client = Client(server, elicitation_callback=User())
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
            counted = Counted(client)
            portal.call(counted.list_tools)
            do(portal, counted, found)
    return f"| {mode} | {counted.round_trips} | {estimate(counted.characters):,} |"


def main() -> None:
    """Print the table."""
    print("| mode | round trips | tokens |\n|---|---|---|")
    print(measured("search", lambda portal, client, shop: do_tasks(OverMcp(portal, client), shop)))
    print(measured("code", lambda portal, client, shop: do_in_code(Coder(portal, client), shop)))


if __name__ == "__main__":
    main()
