"""Tools of LlamaIndex (``llama_index``); ``function_agent`` is for arguments that are not valid JSON.

The model classes of LlamaIndex complete truncated JSON, and replace other broken JSON by no arguments. Such a call must
not be sent, because it is not the call of the model. So the tools of ``function_agent`` receive its text.
"""

import json
from typing import Any, Final

from specfn.adapters.bound_functions import acall, call, import_framework, schema, select_functions
from specfn.application.bound import Bound, BoundFunction
from specfn.invocation.answer import Answer
from specfn.tools.selection import Select

__all__ = ["function_agent", "tools"]

_PACKAGE: Final = "llama-index-core"

#: The maximum number of characters of a description; the framework refuses longer ones.
_MAX_DESCRIPTION: Final = 1024

#: The only argument of a call whose arguments are not valid JSON: their text.
_TEXT: Final = "$text"


def tools(bound: Bound, select: Select | None = None) -> list[Any]:
    """Return an ``AsyncBaseTool`` for each function, for ``function_agent(tools=...)``.

    Args:
        bound: the functions of ``Application.bind``. Calls that wait for an approval tell the model that they wait.
        select: as for ``Application.tools``; ``None`` for all.

    Raises:
        UsageError: the framework is not installed, or the selection is invalid.
    """
    types: Any = import_framework("llama_index.core.tools.types", _PACKAGE)

    class Metadata(types.ToolMetadata):  # type: ignore[misc]  # the framework may be missing
        """The metadata of a tool with its schema."""

        def get_parameters_dict(self) -> Any:
            return self.parameters

    class LlamaIndexTool(types.AsyncBaseTool):  # type: ignore[misc]  # the framework may be missing
        """The tool of a bound function."""

        def __init__(self, function: BoundFunction) -> None:
            self.bound_function = function
            description = function.description
            if len(description) > _MAX_DESCRIPTION:
                description = f"{description[: _MAX_DESCRIPTION - 1]}…"
            self._metadata = Metadata(description, function.name, fn_schema=None)
            self._metadata.parameters = schema(function)

        @property
        def metadata(self) -> Any:
            """Return the metadata."""
            return self._metadata

        def call(self, /, **sent: Any) -> Any:
            """Call the function."""
            return self._output(call(self.bound_function, sent.get(_TEXT, sent)), sent)

        async def acall(self, /, **sent: Any) -> Any:
            """Call the function, asynchronously."""
            return self._output(await acall(self.bound_function, sent.get(_TEXT, sent)), sent)

        def _output(self, answer: Answer, sent: Any) -> Any:
            return types.ToolOutput(
                tool_name=self.bound_function.name,
                content=answer.text,
                raw_input=sent,
                raw_output=answer,
                is_error=not answer.ok,
            )

    return [LlamaIndexTool(function) for function in select_functions(bound, select)]


def function_agent(**settings: Any) -> Any:
    """Return a ``FunctionAgent`` with its settings, for the tools of this adapter and all others.

    Raises:
        UsageError: the framework is not installed.
    """
    base: Any = import_framework("llama_index.core.agent.workflow", _PACKAGE).FunctionAgent

    class TextAgent(base):  # type: ignore[misc]  # the framework may be missing
        """An agent that passes on the text of the model."""

        async def take_step(self, ctx: Any, llm_input: Any, tools: Any, memory: Any) -> Any:
            """Perform one turn of the model."""
            output = await super().take_step(ctx, llm_input, tools, memory)
            bound = {tool.metadata.name for tool in tools if hasattr(tool, "bound_function")}
            blocks = [block for block in output.response.blocks if block.block_type == "tool_call"]
            for block, selected in zip(blocks, output.tool_calls, strict=False):
                if selected.tool_name in bound and not _is_object(block.tool_kwargs):
                    selected.tool_kwargs = {_TEXT: block.tool_kwargs}
            return output

    return TextAgent(**settings)


def _is_object(sent: Any) -> bool:
    """Return whether arguments are an object, or a text that is a JSON object."""
    try:
        return isinstance(json.loads(sent) if isinstance(sent, str) else sent, dict)
    except ValueError:
        return False
