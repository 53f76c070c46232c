"""The event loop of an ASGI application, for blocking and asynchronous callers in any thread.

An application has resources of one event loop, such as a pool of database connections. So all its requests run in the
loop of its lifespan: that of ``async with``, or a loop in a thread of its own.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from specfn.errors import UsageError

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
        future = self._submitted(coroutine)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine in the loop, and await it."""
        if self._loop is _running():
            return await coroutine
        return await asyncio.wrap_future(self._submitted(coroutine))

    def stop(self) -> None:
        """End the thread, if there is one. Its tasks are cancelled. A later call starts a new one."""
        with self._lock:
            thread, loop, stopped = self._thread, self._loop, self._stopped
            self._thread = self._loop = self._stopped = None
        if thread is not None and loop is not None and stopped is not None:
            loop.call_soon_threadsafe(stopped.set)
            if thread is not threading.current_thread():
                thread.join()

    def _submitted(self, coroutine: Coroutine[Any, Any, _Result]) -> "Future[_Result]":
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
