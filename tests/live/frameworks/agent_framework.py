"""An agent of the Microsoft Agent Framework with a scripted model."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import agent_framework
from specfn.application.bound import Bound


class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A client whose model makes its calls, then ends."""

    def __init__(self, calls: Sequence[Call]) -> None:
        super().__init__()
        self._calls = calls
        self._turns = count()

    async def _inner_get_response(self, **_: Any) -> ChatResponse:  # type: ignore[override]
        number = next(self._turns)
        content = Content.from_text(END)
        if number < len(self._calls):
            name, sent = self._calls[number]
            content = Content.from_function_call(f"c{number}", name, arguments=sent)
        return ChatResponse(messages=[Message("assistant", [content])], response_id="r")


def agent(bound: Bound, calls: Sequence[Call]) -> Any:
    """Return an agent with the functions as its tools."""
    return Agent(Scripted(calls), tools=agent_framework.tools(bound))


def texts(ran: Any) -> list[str]:
    """Return the results of the calls of a run."""
    contents = [each for message in ran.messages for each in message.contents]
    return [each.result for each in contents if each.type == "function_result"]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    return texts(await agent(bound, calls).run("Go."))
