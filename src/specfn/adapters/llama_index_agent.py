"""Agent of LlamaIndex (``llama_index``) whose tools receive arguments that are not valid JSON as a text.

The model classes of LlamaIndex complete truncated JSON, and replace other broken JSON by no arguments. Such a call must
not be sent: it is not the call of the model.
"""

import json
from typing import Any, Final

from specfn.adapters.framework import framework

#: The only argument of a call whose arguments are not valid JSON: their text.
TEXT: Final = "$text"


def function_agent(**settings: Any) -> Any:
    """Return a ``FunctionAgent`` with its settings, for the tools of this adapter and all others.

    Raises:
        UsageError: the framework is not installed.
    """
    base: Any = framework("llama_index.core.agent.workflow", "llama-index-core").FunctionAgent

    class TextAgent(base):  # type: ignore[misc]  # the framework may be missing
        """An agent that passes on the text of the model."""

        async def take_step(self, ctx: Any, llm_input: Any, tools: Any, memory: Any) -> Any:
            """Perform one turn of the model."""
            output = await super().take_step(ctx, llm_input, tools, memory)
            bound = {each.metadata.name for each in tools if hasattr(each, "bound_function")}
            blocks = [each for each in output.response.blocks if each.block_type == "tool_call"]
            for block, selected in zip(blocks, output.tool_calls, strict=False):
                if selected.tool_name in bound and not _is_object(block.tool_kwargs):
                    selected.tool_kwargs = {TEXT: block.tool_kwargs}
            return output

    return TextAgent(**settings)


def _is_object(sent: Any) -> bool:
    """Return whether arguments are an object, or a text that is a JSON object."""
    try:
        return isinstance(json.loads(sent) if isinstance(sent, str) else sent, dict)
    except ValueError:
        return False
