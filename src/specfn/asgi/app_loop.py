"""The event loop and the lifespan of an ASGI application, for blocking and asynchronous callers in any thread.

An application has resources of one event loop, such as a pool of database connections. So all its requests run in the
loop of its lifespan: that of ``async with``, or a loop in a thread of its own.
"""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from specfn.errors import UsageError
from specfn.http_server.guard import AsgiApp, Message

if TYPE_CHECKING:
    from concurrent.futures import Future

_Result = TypeVar("_Result")


class AppLoop:
    """The event loop in which an application runs."""

    def __init__(self) -> None:
        """Start no loop yet."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stopped: asyncio.Event | None = None

    def adopt(self) -> None:
        """Use the running event loop instead of a thread."""
        self.stop()
        self._loop = asyncio.get_running_loop()

    def run(self, coroutine: Coroutine[Any, Any, _Result], seconds: float | None = None) -> _Result:
        """Run a coroutine in the loop, and block until it ends.

        Raises:
            TimeoutError: it did not end in time; it is cancelled.
            UsageError: the caller runs in this loop, and would block it.
        """
        if self._loop is not None and self._loop is _running():
            coroutine.close()
            raise UsageError(
                "a blocking call cannot run in the event loop of its application: "
                "use the asynchronous method, such as aexecute"
            )
        future = self._submit(coroutine)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine in the loop, and await it.

        Before there is a loop, it runs in that of the caller: an application that calls itself is running there.
        """
        if self._loop is None or self._loop is _running():
            return await coroutine
        return await asyncio.wrap_future(self._submit(coroutine))

    def stop(self) -> None:
        """End the thread, if there is one. Its tasks are cancelled. A later call starts a new one."""
        with self._lock:
            thread, loop, stopped = self._thread, self._loop, self._stopped
            self._thread = self._loop = self._stopped = None
        if thread is not None and loop is not None and stopped is not None:
            loop.call_soon_threadsafe(stopped.set)
            if thread is not threading.current_thread():
                thread.join()

    def _submit(self, coroutine: Coroutine[Any, Any, _Result]) -> "Future[_Result]":
        with self._lock:
            if self._loop is None:
                self._start()
            assert self._loop is not None
            if self._loop.is_closed():
                coroutine.close()
                raise UsageError(
                    "the event loop of the application is closed: make all calls in one event loop"
                )
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _start(self) -> None:
        is_started = threading.Event()

        async def stay() -> None:
            self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
            stopped = self._stopped
            is_started.set()
            await stopped.wait()

        self._thread = threading.Thread(
            target=asyncio.run, args=(stay(),), name="specfn-asgi", daemon=True
        )
        self._thread.start()
        is_started.wait()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Lifespan:
    """The lifespan of an application, in a task of its own.

    Attributes:
        state: the state that the application sets at its start, and that each request gets a copy of.
    """

    def __init__(self, app: AsgiApp) -> None:
        """Prepare the lifespan of an application that is not started."""
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
        reply = await self._ask("lifespan.startup")
        if reply is None or reply["type"] == "lifespan.startup.failed":
            task, self._task = self._task, None
            await task
            if reply is not None:
                raise _failure("start", reply)

    async def end(self) -> None:
        """End the application, if it was started.

        Raises:
            UsageError: the end failed.
        """
        task, self._task = self._task, None
        if task is None:
            return
        reply = await self._ask("lifespan.shutdown", task)
        await task
        if reply is not None and reply["type"] == "lifespan.shutdown.failed":
            raise _failure("end", reply)

    async def _run(self, scope: Message) -> None:
        """Run the application. An exception means that it does not support the protocol, or was reported before."""
        with suppress(Exception):
            await self._app(scope, self._to_app.get, self._from_app.put)

    async def _ask(self, event: str, task: "asyncio.Task[None] | None" = None) -> Message | None:
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


def _failure(step: str, reply: Message) -> UsageError:
    lines = str(reply.get("message") or "").strip().splitlines()
    reason = f": {lines[-1][:300]}" if lines else ""
    return UsageError(f"the lifespan of the application failed at its {step}{reason}")
