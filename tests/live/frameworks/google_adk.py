"""An agent of the Google Agent Development Kit with a scripted model."""

import json
from collections.abc import AsyncGenerator, Sequence
from itertools import count
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import google_adk
from specfn.application.bound import Bound


class Scripted(BaseLlm):
    """A model that makes its calls, then ends. The framework passes arguments as objects only."""

    calls: Any
    turns: Any

    async def generate_content_async(self, *_: Any, **__: Any) -> AsyncGenerator[LlmResponse]:
        number = next(self.turns)
        part = types.Part(text=END)
        if number < len(self.calls):
            name, sent = self.calls[number]
            part = types.Part(
                function_call=types.FunctionCall(id=f"c{number}", name=name, args=json.loads(sent))
            )
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def runner(bound: Bound, calls: Sequence[Call]) -> InMemoryRunner:
    """Return the runner of an agent with the functions as its tools."""
    model = Scripted(model="scripted", calls=calls, turns=count())
    agent = LlmAgent(name="shop", model=model, tools=[*google_adk.tools(bound)])
    return InMemoryRunner(agent=agent, app_name="shop")


async def events(runner: InMemoryRunner, session: str, part: types.Part) -> list[Any]:
    """Return the events of a turn of the user."""
    content = types.Content(role="user", parts=[part])
    ran = runner.run_async(user_id="user", session_id=session, new_message=content)
    return [event async for event in ran]


def texts(found: Sequence[Any]) -> list[str]:
    """Return the results of the calls."""
    responses = [each for event in found for each in event.get_function_responses()]
    return [
        each.response["result"] for each in responses if each.name != "adk_request_confirmation"
    ]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    running = runner(bound, calls)
    session = await running.session_service.create_session(app_name="shop", user_id="user")
    return texts(await events(running, session.id, types.Part(text="Go.")))
