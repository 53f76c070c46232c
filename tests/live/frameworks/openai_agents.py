"""An agent of the OpenAI Agents SDK with a scripted model."""

from collections.abc import AsyncIterator, Sequence
from itertools import count
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import openai_agents
from specfn.application.bound import Bound

set_tracing_disabled(True)


class Scripted(Model):
    """A model that makes its calls, then ends."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._turns = count()

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        number = next(self._turns)
        content = ResponseOutputText(text=END, annotations=[], type="output_text")
        output: Any = ResponseOutputMessage(
            id="m", role="assistant", status="completed", type="message", content=[content]
        )
        if number < len(self._calls):
            name, sent = self._calls[number]
            output = ResponseFunctionToolCall(
                arguments=sent, call_id=f"c{number}", name=name, type="function_call"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        made = await self.get_response()
        response = Response.model_construct(id="r", output=made.output, usage=None)
        yield ResponseCompletedEvent.model_construct(type="response.completed", response=response)


def agent(bound: Bound, calls: Sequence[Call]) -> Agent[None]:
    """Return an agent with the functions as its tools."""
    return Agent(name="shop", model=Scripted(calls), tools=[*openai_agents.tools(bound)])


def texts(ran: Any) -> list[str]:
    """Return the results of the calls of a run."""
    return [item.output for item in ran.new_items if item.type == "tool_call_output_item"]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    return texts(await Runner.run(agent(bound, calls), "Go."))


async def drive_stream(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts of ``drive`` of a run that streams."""
    ran = Runner.run_streamed(agent(bound, calls), "Go.")
    async for _ in ran.stream_events():
        pass
    return texts(ran)
