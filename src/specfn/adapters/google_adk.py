"""Tools of the Google Agent Development Kit (``google.adk``)."""

from typing import Any

from specfn.adapters.bound_functions import acall, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select

_PACKAGE = "google-adk"


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``BaseTool`` for each function, for ``Agent(tools=...)``.

    A call that waits for an approval requests a confirmation of the framework. After the confirmation it is sent.

    Args:
        bound: the functions of ``Application.bind``, with ``profile="gemini-json-schema"``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    base: Any = import_framework("google.adk.tools", _PACKAGE).BaseTool
    types: Any = import_framework("google.genai.types", _PACKAGE)

    class AdkTool(base):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function."""

        def __init__(self, function: BoundFunction) -> None:
            super().__init__(name=function.name, description=function.description)
            self._function = function
            self._schema = schema(function)

        def _get_declaration(self) -> Any:
            return types.FunctionDeclaration(
                name=self.name,
                description=self.description,
                parameters_json_schema=self._schema,
            )

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            """Call the function."""
            given = tool_context.tool_confirmation
            answer = await acall(self._function, args, given and given.confirmed)
            if answer.pending is not None:
                tool_context.request_confirmation(payload=answer.pending.as_json())
                tool_context.actions.skip_summarization = True
            return answer.text

    return [AdkTool(function) for function in select_functions(bound, select)]
