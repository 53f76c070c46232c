"""The lifespan protocol of ASGI: start and end of an application."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from specfn.errors import UsageError

Message: TypeAlias = MutableMapping[str, Any]
AsgiApp: TypeAlias = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


class Lifespan:
    """The lifespan of an application, in a task of its own.

    Attributes:
        state: the state that the application sets at its start, and that each request gets a copy of.
    """

    def __init__(self, app: AsgiApp) -> None:
        """Take an application that is not started."""
        self.state: dict[str, Any] = {}
        self._app = app
        self._task: asyncio.Task[None] | None = None
        self._to_app: asyncio.Queue[Message]
        self._from_app: asyncio.Queue[Message]

    async def start(self) -> None:
        """Start the application. One without support for the protocol needs no start.

        Raises:
            UsageError: the start failed.
        """
        self._to_app, self._from_app = asyncio.Queue(), asyncio.Queue()
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        self._task = asyncio.create_task(self._run(scope))
        reply = await self._asked("lifespan.startup")
        if reply is None or reply["type"] == "lifespan.startup.failed":
            task, self._task = self._task, None
            await task
            if reply is not None:
                raise _failed("start", reply)

    async def end(self) -> None:
        """End the application, if it was started.

        Raises:
            UsageError: the end failed.
        """
        task, self._task = self._task, None
        if task is None:
            return
        reply = await self._asked("lifespan.shutdown", task)
        await task
        if reply is not None and reply["type"] == "lifespan.shutdown.failed":
            raise _failed("end", reply)

    async def _run(self, scope: Message) -> None:
        """Run the application. An exception means that it does not support the protocol, or was reported before."""
        with suppress(Exception):
            await self._app(scope, self._to_app.get, self._from_app.put)

    async def _asked(self, event: str, task: "asyncio.Task[None] | None" = None) -> Message | None:
        """Send an event, and return the reply; ``None`` if the application ended without one."""
        task = task or self._task
        assert task is not None
        await self._to_app.put({"type": event})
        reply = asyncio.create_task(self._from_app.get())
        try:
            await asyncio.wait({reply, task}, return_when=asyncio.FIRST_COMPLETED)
            if not self._from_app.empty() or reply.done():
                return await reply
        finally:
            reply.cancel()
        return None


def _failed(step: str, reply: Message) -> UsageError:
    lines = str(reply.get("message") or "").strip().splitlines()
    reason = f": {lines[-1][:300]}" if lines else ""
    return UsageError(f"the lifespan of the application failed at its {step}{reason}")
