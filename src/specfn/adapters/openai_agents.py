"""Tools of the OpenAI Agents SDK.

The SDK passes the arguments as the text that the model sent, so specfn parses, repairs and explains them.
"""

from typing import Any

from specfn.adapters.bound_functions import acall, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``FunctionTool`` for each function, for ``Agent(tools=...)``.

    A call that waits for an approval interrupts the run. After ``RunState.approve`` it is sent.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the SDK is not installed, or the selection is invalid.
    """
    sdk = import_framework("agents", "openai-agents")
    return [_tool(sdk, function) for function in select_functions(bound, select)]


def _tool(sdk: Any, function: BoundFunction) -> Any:
    async def invoke(context: Any, sent: str) -> str:
        approved = context.is_tool_approved(function.name, context.tool_call_id)
        answer = await acall(function, sent, approved)
        return answer.text

    async def needs_approval(_context: Any, sent: Any, _call_id: str) -> bool:
        return (await function.aoutcome(sent)).kind == "needs_approval"

    return sdk.FunctionTool(
        name=function.name,
        description=function.description,
        params_json_schema=schema(function),
        on_invoke_tool=invoke,
        strict_json_schema=False,
        needs_approval=needs_approval if function.needs_approval else False,
    )
