"""The approvals of agent frameworks: a call that waits is sent after its approval, and only then."""

import asyncio
from typing import Any

import pytest
from tests.live.frameworks.scripted import Call
from tests.live.test_adapters import bind, shop

from specfn.demo.server import Server

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
