"""Tools of LlamaIndex (``llama_index``); ``function_agent`` is for arguments that are not valid JSON."""

from typing import Any, Final

from specfn.adapters.bound_functions import acall, call, offered, schema
from specfn.adapters.framework import framework
from specfn.adapters.llama_index_agent import TEXT, function_agent
from specfn.application.bound import Bound, BoundFunction
from specfn.invocation.answer import Answer
from specfn.tools.selection import Select

_PACKAGE: Final = "llama-index-core"

#: The maximum number of characters of a description; the framework refuses longer ones.
_DESCRIPTION: Final = 1024

__all__ = ["function_agent", "tools"]


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return an ``AsyncBaseTool`` for each function, for ``function_agent(tools=...)``.

    Args:
        bound: the functions of ``Application.bind``. Calls that wait for an approval tell the model that they wait.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    types: Any = framework("llama_index.core.tools.types", _PACKAGE)

    class Metadata(types.ToolMetadata):  # type: ignore[misc]  # the framework may be missing
        """The metadata of a tool with its schema."""

        def get_parameters_dict(self) -> Any:
            return self.parameters

    class LlamaIndexTool(types.AsyncBaseTool):  # type: ignore[misc]  # likewise
        """The tool of a bound function."""

        def __init__(self, function: BoundFunction) -> None:
            self.bound_function = function
            description = function.description
            if len(description) > _DESCRIPTION:
                description = f"{description[: _DESCRIPTION - 1]}…"
            self._metadata = Metadata(description, function.name, fn_schema=None)
            self._metadata.parameters = schema(function)

        @property
        def metadata(self) -> Any:
            """Return the metadata."""
            return self._metadata

        def call(self, /, **sent: Any) -> Any:
            """Call the function."""
            return self._output(call(self.bound_function, sent.get(TEXT, sent)), sent)

        async def acall(self, /, **sent: Any) -> Any:
            """Call the function, asynchronously."""
            return self._output(await acall(self.bound_function, sent.get(TEXT, sent)), sent)

        def _output(self, answer: Answer, sent: Any) -> Any:
            return types.ToolOutput(
                tool_name=self.bound_function.name,
                content=answer.text,
                raw_input=sent,
                raw_output=answer,
                is_error=not answer.ok,
            )

    return [LlamaIndexTool(function) for function in offered(bound, select)]
