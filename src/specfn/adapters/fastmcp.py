"""Tools of a FastMCP server."""

from typing import Any

from specfn.adapters.bound_functions import import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.connectors.mcp import SAFETY_HINTS
from specfn.tools.selection import Select


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``Tool`` for each function, for ``server.add_tool``.

    A call that waits for an approval tells the model that it waits: the framework cannot ask the users of all clients.

    Args:
        bound: the functions of ``Application.bind``, with ``profile="mcp"``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    kinds: Any = import_framework("fastmcp.tools.base", "fastmcp")

    class FastMcpTool(kinds.Tool):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function."""

        def bind(self, function: BoundFunction) -> Any:
            """Return the tool with its function."""
            object.__setattr__(self, "_function", function)
            return self

        async def run(self, arguments: Any) -> Any:
            """Call the function."""
            answer = await self._function.aoutcome(arguments)
            return kinds.ToolResult(content=answer.text, is_error=not answer.ok)

    return [
        FastMcpTool(
            name=function.name,
            title=function.function.summary,
            description=function.description,
            parameters=schema(function),
            annotations=SAFETY_HINTS[function.safety],
        ).bind(function)
        for function in select_functions(bound, select)
    ]
