"""A toolset of Pydantic AI (``pydantic_ai``).

Its validator of arguments passes on the text that the model sent, so specfn parses, repairs and explains it. Feedback
is a normal result: ``ModelRetry`` would put it into a JSON object and end the run after a few calls.
"""

from typing import Any

from specfn.adapters.bound_functions import acall, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select


def tools(bound: Bound, select: Select | None = None) -> Any:
    """Return a toolset with all functions, for ``Agent(toolsets=[...])``.

    A call that waits for an approval ends the run with ``DeferredToolRequests``, which the ``output_type`` of the agent
    must allow. After its approval it is sent.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    ai = import_framework("pydantic_ai", "pydantic-ai-slim")
    toolsets: Any = import_framework("pydantic_ai.toolsets", "pydantic-ai-slim")
    functions = {function.name: function for function in select_functions(bound, select)}

    class BoundToolset(toolsets.AbstractToolset):  # type: ignore[misc]  # the framework may be missing
        """The tools of bound functions."""

        @property
        def id(self) -> None:
            """Return that the toolset has no identifier of its own."""

        async def get_tools(self, ctx: Any) -> dict[str, Any]:
            """Return all tools."""
            return {
                name: toolsets.ToolsetTool(
                    toolset=self,
                    tool_def=_definition(ai, function),
                    max_retries=1 if ctx.max_retries is None else ctx.max_retries,
                    args_validator=_Unchanged(),
                )
                for name, function in functions.items()
            }

        async def call_tool(self, name: str, tool_args: Any, ctx: Any, tool: Any) -> str:  # noqa: ARG002
            """Call a function."""
            approved = ctx.tool_call_approved or None
            answer = await acall(functions[name], tool_args["sent"], approved)
            if answer.pending is not None:
                raise ai.ApprovalRequired(metadata=answer.pending.as_json())
            return answer.text

    return BoundToolset()


def _definition(ai: Any, function: BoundFunction) -> Any:
    parameters = schema(function)
    return ai.ToolDefinition(
        name=function.name, description=function.description, parameters_json_schema=parameters
    )


class _Unchanged:
    """A validator of arguments that accepts any text or object."""

    def validate_json(self, sent: Any, **_: Any) -> dict[str, Any]:
        """Accept a text."""
        return {"sent": sent}

    validate_python = validate_json
