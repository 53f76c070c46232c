"""Tools of a FastMCP server."""

from typing import Any, Final

from specfn.adapters.bound_functions import offered, schema
from specfn.adapters.framework import framework
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select

#: The hints about a function for the client, by its safety.
_HINTS: Final = {
    "read": {"readOnlyHint": True},
    "write": {"readOnlyHint": False, "destructiveHint": False},
    "destructive": {"readOnlyHint": False, "destructiveHint": True},
}


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``Tool`` for each function, for ``server.add_tool``.

    A call that waits for an approval tells the model that it waits: the framework cannot ask the users of all clients.

    Args:
        bound: the functions of ``Application.bind``, with ``profile="mcp"``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    kinds: Any = framework("fastmcp.tools.base", "fastmcp")

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
            annotations=_HINTS[function.safety],
        ).bind(function)
        for function in offered(bound, select)
    ]
