"""An agent of LlamaIndex with its own scripted model, which parses arguments as the packages of the vendors do."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from llama_index.core.agent.workflow import ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms import MockFunctionCallingLLM
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import llama_index
from specfn.application.bound import Bound


def agent(bound: Bound, calls: Sequence[Call]) -> Any:
    """Return an agent with the functions as its tools."""
    turns = count()

    def reply(*_: Any, **__: Any) -> ChatMessage:
        number = next(turns)
        if number >= len(calls):
            return ChatMessage(role="assistant", content=END)
        name, sent = calls[number]
        block = ToolCallBlock(tool_call_id=f"c{number}", tool_name=name, tool_kwargs=sent)
        return ChatMessage(role="assistant", blocks=[block])

    model = MockFunctionCallingLLM(response_generator=reply)
    return llama_index.function_agent(tools=llama_index.tools(bound), llm=model, timeout=60)


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    running = agent(bound, calls).run(user_msg="Go.", max_iterations=50)
    events = [each async for each in running.stream_events() if isinstance(each, ToolCallResult)]
    await running
    return [each.tool_output.content for each in events]
