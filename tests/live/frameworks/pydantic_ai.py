"""An agent of Pydantic AI with a scripted model."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import pydantic_ai
from specfn.application.bound import Bound


def agent(bound: Bound, calls: Sequence[Call]) -> Agent[None, Any]:
    """Return an agent with the functions as its tools."""
    turns = count()

    def reply(*_: Any) -> ModelResponse:
        number = next(turns)
        if number >= len(calls):
            return ModelResponse(parts=[TextPart(END)])
        name, sent = calls[number]
        return ModelResponse(parts=[ToolCallPart(name, sent, tool_call_id=f"c{number}")])

    return Agent(
        FunctionModel(reply),
        output_type=[str, DeferredToolRequests],
        toolsets=[pydantic_ai.tools(bound)],
    )


def texts(ran: Any) -> list[str]:
    """Return the results of the calls of a run, as a provider sends them."""
    parts = [part for message in ran.all_messages() for part in message.parts]
    return [part.model_response_str() for part in parts if part.part_kind == "tool-return"]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    return texts(await agent(bound, calls).run("Go."))
