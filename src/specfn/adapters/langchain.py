"""Tools of LangChain and LangGraph; ``middleware`` is for arguments that are not valid JSON."""

from typing import Any

from specfn.adapters.bound_functions import acall, call, offered, schema
from specfn.adapters.framework import framework
from specfn.adapters.langchain_middleware import middleware
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select

__all__ = ["middleware", "tools"]


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``StructuredTool`` for each function, for ``create_agent(tools=...)`` or ``model.bind_tools``.

    A call that waits for an approval interrupts the graph. ``Command(resume=True)`` sends it.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    base: Any = framework("langchain_core.tools", "langchain").StructuredTool

    class LangchainTool(base):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function; its arguments may have any names."""

        def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: Any) -> Any:  # noqa: ARG002
            return (), {"sent": tool_input}

    return [_tool(LangchainTool, function) for function in offered(bound, select)]


def _tool(tool: Any, function: BoundFunction) -> Any:
    def run(sent: Any) -> str:
        return call(function, sent, _decision).text

    async def arun(sent: Any) -> str:
        answer = await acall(function, sent, _decision)
        return answer.text

    name, description, arguments = function.name, function.description, schema(function)
    return tool(name=name, description=description, args_schema=arguments, func=run, coroutine=arun)


def _decision(waiting: Any) -> bool:
    """Interrupt the graph; return the decision with which it continues."""
    return framework("langgraph.types", "langgraph").interrupt(waiting.as_json()) is True
