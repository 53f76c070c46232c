"""The agent of LangChain, run without an event loop."""

import asyncio
from collections.abc import Sequence

from tests.live.frameworks.langchain import CONFIG, QUESTION, agent, texts
from tests.live.frameworks.scripted import Call

from specfn.application.bound import Bound


async def drive(bound: Bound, calls: Sequence[Call]) -> list[str]:
    """Return the texts that the model receives for its calls."""
    return texts(await asyncio.to_thread(agent(bound, calls).invoke, QUESTION, CONFIG))
