"""Tools of LangChain and LangGraph; ``middleware`` is for arguments that are not valid JSON.

LangChain puts calls with such arguments into ``invalid_tool_calls`` and does not run them.
"""

from collections.abc import Collection
from typing import Any

from specfn.adapters.bound_functions import acall, call, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.function.arguments import integers_not_in_digits, source_texts
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
    base: Any = import_framework("langchain_core.tools", "langchain").StructuredTool

    class LangchainTool(base):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function; its arguments may have any names."""

        def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: Any) -> Any:  # noqa: ARG002
            return (), {"sent": tool_input}

    return [_tool(LangchainTool, function) for function in select_functions(bound, select)]


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
    return import_framework("langgraph.types", "langgraph").interrupt(waiting.as_json()) is True


def middleware(bound: Bound, select: Select | None = None) -> Any:
    """Return a middleware for ``create_agent`` that repairs or explains arguments that are not valid JSON.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    agents: Any = import_framework("langchain.agents.middleware", "langchain")
    functions = {function.name: function for function in select_functions(bound, select)}

    class ReadArguments(agents.AgentMiddleware):  # type: ignore[misc]  # the framework may be missing
        """A middleware that repairs calls with invalid JSON, or returns feedback for them."""

        @agents.hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
        def after_model(self, state: Any, runtime: Any) -> Any:  # noqa: ARG002
            message, broken = _repair(state, functions)
            texts = [call(function, request["args"]).text for request, function in broken]
            return _update(message, broken, texts)

        @agents.hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
        async def aafter_model(self, state: Any, runtime: Any) -> Any:  # noqa: ARG002
            message, broken = _repair(state, functions)
            answers = [await acall(function, request["args"]) for request, function in broken]
            return _update(message, broken, [answer.text for answer in answers])

    return ReadArguments()


def _repair(state: Any, functions: dict[str, BoundFunction]) -> tuple[Any, list[Any]]:
    """Return the last message with its repaired calls, and the calls that cannot be repaired."""
    message = next(message for message in reversed(state["messages"]) if message.type == "ai")
    calls, invalid, broken = [*message.tool_calls], [], []
    for request in message.invalid_tool_calls:
        function = functions.get(request["name"])
        text = request["args"] or ""
        outcome = function and function.function.parse(text)
        if (
            outcome
            and isinstance(outcome.data, dict)
            and not outcome.incomplete
            and not _has_integer(
                outcome.data, integers_not_in_digits(source_texts(text, outcome.repairs))
            )
        ):
            repaired = {"name": request["name"], "args": outcome.data, "id": request["id"]}
            calls.append({**repaired, "type": "tool_call"})
            continue
        invalid.append(request)
        broken += [(request, function)] if function else []
    return message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": invalid}), broken


def _has_integer(value: Any, integers: Collection[int]) -> bool:
    """Return whether plain JSON contains one of some integers."""
    waiting = [value] if integers else []
    for item in waiting:  # the loop appends to the list
        if type(item) is int and item in integers:
            return True
        if type(item) is dict:
            waiting.extend(item.values())
        elif type(item) is list:
            waiting.extend(item)
    return False


def _update(message: Any, broken: list[Any], texts: list[str]) -> dict[str, Any]:
    """Return the changes of the messages; the model is called again if no tool is."""
    kind: Any = import_framework("langchain_core.messages", "langchain").ToolMessage
    answers = [
        kind(text, tool_call_id=request["id"], name=request["name"])
        for (request, _), text in zip(broken, texts, strict=True)
    ]
    jump = {"jump_to": "model"} if broken and not message.tool_calls else {}
    return {"messages": [message, *answers], **jump}
