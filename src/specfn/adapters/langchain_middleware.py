"""Middleware of LangChain for arguments that are not valid JSON.

LangChain puts such calls into ``invalid_tool_calls`` and does not run them.
"""

from typing import Any

from specfn.adapters.bound_functions import acall, call, offered
from specfn.adapters.framework import framework
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select


def middleware(bound: Bound, select: Select | None = None) -> Any:
    """Return a middleware for ``create_agent`` that repairs or explains arguments that are not valid JSON.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    agents: Any = framework("langchain.agents.middleware", "langchain")
    functions = {each.name: each for each in offered(bound, select)}

    class ReadArguments(agents.AgentMiddleware):  # type: ignore[misc]  # the framework may be missing
        """A middleware that repairs calls with invalid JSON, or returns feedback for them."""

        @agents.hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
        def after_model(self, state: Any, runtime: Any) -> Any:  # noqa: ARG002
            message, broken = _read(state, functions)
            return _update(message, broken, [call(f, each["args"]).text for each, f in broken])

        @agents.hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
        async def aafter_model(self, state: Any, runtime: Any) -> Any:  # noqa: ARG002
            message, broken = _read(state, functions)
            return _update(
                message, broken, [(await acall(f, each["args"])).text for each, f in broken]
            )

    return ReadArguments()


def _read(state: Any, functions: dict[str, BoundFunction]) -> tuple[Any, list[Any]]:
    """Return the last message with its repaired calls, and the calls that cannot be repaired."""
    message = next(each for each in reversed(state["messages"]) if each.type == "ai")
    calls, rest, broken = [*message.tool_calls], [], []
    for each in message.invalid_tool_calls:
        function = functions.get(each["name"])
        read = function and function.function.parse(each["args"] or "")
        if read and isinstance(read.data, dict) and not read.incomplete:
            repaired = {"name": each["name"], "args": read.data, "id": each["id"]}
            calls.append({**repaired, "type": "tool_call"})
            continue
        rest.append(each)
        broken += [(each, function)] if function else []
    return message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": rest}), broken


def _update(message: Any, broken: list[Any], texts: list[str]) -> dict[str, Any]:
    """Return the changes of the messages; the model is called again if no tool is."""
    kind: Any = framework("langchain_core.messages", "langchain").ToolMessage
    answers = [
        kind(text, tool_call_id=each["id"], name=each["name"])
        for (each, _), text in zip(broken, texts, strict=True)
    ]
    jump = {"jump_to": "model"} if broken and not message.tool_calls else {}
    return {"messages": [message, *answers], **jump}
