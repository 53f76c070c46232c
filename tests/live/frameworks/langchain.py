"""An agent of LangChain with a scripted model."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from tests.live.frameworks.scripted import END, Call

from specfn.adapters import langchain
from specfn.application.bound import Bound

CONFIG: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 100}
QUESTION: Any = {"messages": [{"role": "user", "content": "Go."}]}


class Scripted(BaseChatModel):
    """A model that makes its calls, then ends; it parses arguments as the packages of the vendors do."""

    calls: Any
    turns: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        number = next(self.turns)
        message = AIMessage(END)
        if number < len(self.calls):
            message = called(number, self.calls[number])
        return ChatResult(generations=[ChatGeneration(message=message)])


def called(number: int, call: Call) -> AIMessage:
    """Return the message of a call."""
    raw = {"id": f"c{number}", "function": {"name": call.name, "arguments": call.sent}}
    try:
        return AIMessage("", tool_calls=[parse_tool_call(raw, return_id=True)])
    except Exception as error:  # noqa: BLE001  # as the packages of the vendors
        return AIMessage("", invalid_tool_calls=[make_invalid_tool_call(raw, str(error))])


def agent(bound: Bound, calls: Sequence[Call]) -> Any:
    """Return an agent with the functions as its tools."""
    return create_agent(
        Scripted(calls=calls, turns=count()),
        tools=langchain.tools(bound),
        middleware=[langchain.middleware(bound)],
        checkpointer=InMemorySaver(),
    )


def texts(state: Any) -> list[str]:
    """Return the results of the calls."""
    return [each.content for each in state["messages"] if each.type == "tool"]


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    return texts(await agent(bound, calls).ainvoke(QUESTION, CONFIG))
