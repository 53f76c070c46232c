"""The approvals of agent frameworks: a call that waits is sent after its approval, and only then."""

import asyncio
from typing import Any

import pytest
from tests.live.frameworks.scripted import Call
from tests.live.test_adapters import bind, shop
from tests.strict_shop.server import Server

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the frameworks

__all__ = ["shop"]

PLAIN = Call("categories_post", '{"body": {"slug": "SLUG", "name": "Lamps"}}')
BAD = Call("categories_post", '{"body": {"slug": 7}}')


def new(slug: str) -> Call:
    return Call(PLAIN.name, PLAIN.sent.replace("SLUG", slug))


def changes(shop: Server) -> int:
    """Return how many requests changed data."""
    return sum(each.method != "GET" for each in shop.received)


@pytest.mark.parametrize("approved", [True, False])
def test_openai_agents(shop: Server, *, approved: bool) -> None:
    """The run is interrupted before the call, and continues after the decision."""
    from agents import Runner
    from tests.live.frameworks import openai_agents

    async def run() -> Any:
        agent = openai_agents.agent(bind(shop), [BAD, new("openai")])
        before = changes(shop)
        ran = await Runner.run(agent, "Go.")
        [waiting] = ran.interruptions
        assert waiting.name == PLAIN.name
        [feedback] = openai_agents.texts(ran)
        assert feedback == bind(shop)[BAD.name].outcome(BAD.sent).text
        assert changes(shop) == before
        state = ran.to_state()
        (state.approve if approved else state.reject)(waiting)
        ran = await Runner.run(agent, state)
        assert changes(shop) == before + approved
        return openai_agents.texts(ran)[-1]

    assert ('"status":201' in asyncio.run(run())) is approved


@pytest.mark.parametrize("approved", [True, False])
def test_pydantic_ai(shop: Server, *, approved: bool) -> None:
    """The run ends with deferred requests, and another run continues with the decision."""
    from pydantic_ai import DeferredToolRequests, DeferredToolResults
    from tests.live.frameworks import pydantic_ai

    async def run() -> str:
        agent = pydantic_ai.agent(bind(shop), [BAD, new("pydantic")])
        before = changes(shop)
        ran = await agent.run("Go.")
        assert isinstance(ran.output, DeferredToolRequests)
        [waiting] = ran.output.approvals
        assert ran.output.metadata[waiting.tool_call_id]["safety"] == "write"
        [feedback] = pydantic_ai.texts(ran)
        assert feedback == bind(shop)[BAD.name].outcome(BAD.sent).text
        assert changes(shop) == before
        decided = DeferredToolResults(approvals={waiting.tool_call_id: approved})
        ran = await agent.run(message_history=ran.all_messages(), deferred_tool_results=decided)
        assert changes(shop) == before + approved
        return pydantic_ai.texts(ran)[-1]

    assert ('"status":201' in asyncio.run(run())) is approved


@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("asynchronous", [True, False])
@pytest.mark.parametrize("broken", ["", "'"])
def test_langchain(shop: Server, *, approved: bool, asynchronous: bool, broken: str) -> None:
    """The graph is interrupted before the call, and continues after the decision."""
    from langgraph.types import Command
    from tests.live.frameworks import langchain

    call = new(f"langchain-{asynchronous:d}-{len(broken)}".lower())
    sent = call.sent.replace('"', broken or '"')
    agent = langchain.agent(bind(shop), [BAD, Call(call.name, sent)])

    def run(given: Any) -> Any:
        if asynchronous:
            return asyncio.run(agent.ainvoke(given, langchain.CONFIG))
        return agent.invoke(given, langchain.CONFIG)

    before = changes(shop)
    state = run(langchain.QUESTION)
    [waiting] = state["__interrupt__"]
    assert (waiting.value["function"], waiting.value["safety"]) == (PLAIN.name, "write")
    assert langchain.texts(state) == [bind(shop)[BAD.name].outcome(BAD.sent).text]
    assert changes(shop) == before
    state = run(Command(resume=approved))
    assert changes(shop) == before + approved
    assert ('"status":201' in langchain.texts(state)[-1]) is approved
    assert ("The user declined" in langchain.texts(state)[-1]) is not approved


@pytest.mark.parametrize("approved", [True, False])
def test_google_adk(shop: Server, *, approved: bool) -> None:
    """The run ends with a request for confirmation, and the answer of the user continues it."""
    from google.genai import types
    from tests.live.frameworks import google_adk

    async def run() -> str:
        runner = google_adk.runner(bind(shop), [BAD, new("google")])
        session = await runner.session_service.create_session(app_name="shop", user_id="user")
        before = changes(shop)
        found = await google_adk.events(runner, session.id, types.Part(text="Go."))
        [asked] = [
            each
            for event in found
            for each in event.get_function_calls()
            if each.name == "adk_request_confirmation"
        ]
        assert asked.args["toolConfirmation"]["payload"]["safety"] == "write"
        assert google_adk.texts(found)[0] == bind(shop)[BAD.name].outcome(BAD.sent).text
        assert changes(shop) == before
        decided = types.FunctionResponse(
            id=asked.id, name=asked.name, response={"confirmed": approved}
        )
        answer = types.Part(function_response=decided)
        found = await google_adk.events(runner, session.id, answer)
        assert changes(shop) == before + approved
        return google_adk.texts(found)[-1]

    text = asyncio.run(run())
    assert ('"status":201' in text) is approved
    assert ("The user declined" in text) is not approved


def test_fastmcp_tools_have_hints(shop: Server) -> None:
    """The client reads the schema, and hints about the safety of each function."""
    from fastmcp import Client
    from tests.live.frameworks import fastmcp

    async def run() -> Any:
        async with Client(fastmcp.server(bind(shop))) as client:
            return {tool.name: tool for tool in await client.list_tools()}

    listed, bound = asyncio.run(run()), bind(shop)
    for name, function in bound.items():
        tool = listed[name]
        hints = (tool.annotations.read_only_hint, bool(tool.annotations.destructive_hint))
        assert hints == (function.safety == "read", function.safety == "destructive")
        assert tool.input_schema == function.parameters


@pytest.mark.parametrize("approved", [True, False])
def test_agent_framework(shop: Server, *, approved: bool) -> None:
    """The run ends with a request, and the response of the user continues it."""
    from agent_framework import Message
    from tests.live.frameworks import agent_framework

    async def run() -> str:
        agent = agent_framework.agent(bind(shop), [new("microsoft")])
        session = agent.create_session()
        before = changes(shop)
        ran = await agent.run("Go.", session=session)
        [asked] = ran.user_input_requests
        assert asked.function_call.name == PLAIN.name
        assert changes(shop) == before
        decided = asked.to_function_approval_response(approved=approved)
        ran = await agent.run(Message("user", [decided]), session=session)
        assert changes(shop) == before + approved
        return agent_framework.texts(ran)[-1]

    assert ('"status":201' in asyncio.run(run())) is approved
