"""Tools of the Microsoft Agent Framework (``agent_framework``).

The framework would check the first level of arguments by the schema of a tool. The tools skip that check, so that
specfn checks everything and the model still reads the whole schema.
"""

from typing import Any

from specfn.adapters.bound_functions import acall, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.tools.selection import Select


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return a ``FunctionTool`` for each function, for ``Agent(tools=...)``.

    A call of a function that needs an approval is a request for approval. After the approval it is sent.

    Args:
        bound: the functions of ``Application.bind``.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    base: Any = import_framework("agent_framework", "agent-framework-core").FunctionTool

    class AgentFrameworkTool(base):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function."""

        def __init__(self, function: BoundFunction) -> None:
            async def run(**arguments: Any) -> str:
                return await _answer(function, arguments)

            super().__init__(
                name=function.name,
                description=function.description,
                func=run,
                input_model=schema(function),
                approval_mode="always_require" if function.needs_approval else "never_require",
            )
            self._run = run

        def _prepare_arguments(self, arguments: Any) -> dict[str, Any]:
            return dict(arguments or {})

        def __call__(self, /, **arguments: Any) -> Any:
            """Call the function; an argument may have any name."""
            return self._run(**arguments)

    return [AgentFrameworkTool(function) for function in select_functions(bound, select)]


async def _answer(function: BoundFunction, arguments: dict[str, Any]) -> str:
    """Return the text of a call. The framework passes a text that is not a JSON object as ``raw``."""
    is_text = arguments.keys() == {"raw"} and "raw" not in schema(function).get("properties", {})
    sent = arguments["raw"] if is_text else arguments
    answer = await acall(function, sent, function.needs_approval or None)
    return answer.text
