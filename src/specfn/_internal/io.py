"""Coroutines that run with or without an event loop, so that sync and async calls share one implementation.

Calls and conversations are coroutines that are written once, with one pair of input and output. Without an event loop
nothing here suspends, so that ``run_without_waiting`` runs them.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, ClassVar, TypeVar

from specfn.errors import UsageError

_Result = TypeVar("_Result")


def run_without_waiting(
    coroutine: Coroutine[Any, Any, _Result],
    advice: str = "this call needs a running event loop; use the async function, such as aexecute",
) -> _Result:
    """Run a coroutine that never suspends, and return its result.

    Raises:
        UsageError: the coroutine suspends; the text is ``advice``.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _Result = done.value
        return result
    coroutine.close()
    raise UsageError(advice)


Step = Callable[[], Coroutine[Any, Any, Any]]


class TimeIsOverError(Exception):
    """The deadline of a conversation passed; time-outs of servers have their own errors."""


class SyncIO:
    """Input and output without an event loop.

    Attributes:
        streams: true if the response is a stream of events that the caller iterates over.
        advice: what to do instead of an asynchronous function of the caller.
        end: the time on the monotonic clock at which a conversation must end; ``None`` without a deadline.
    """

    streams: ClassVar = False

    def __init__(self, advice: str = "use aexecute or apropagate") -> None:
        """Set the advice."""
        self.advice = advice
        self.end: float | None = None

    def seconds_left(self) -> float:
        """Return the seconds until the deadline."""
        return math.inf if self.end is None else self.end - time.monotonic()

    async def result_of(self, source: Callable[[], Any], name: str) -> Any:
        """Call a function of the caller.

        Raises:
            UsageError: its result has to be awaited; the text contains ``name``.
        """
        value = source()
        if inspect.isawaitable(value):
            getattr(value, "close", bool)()  # a dropped coroutine would issue a warning
            raise UsageError(f"{name} is asynchronous: {self.advice}")
        return value

    async def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)  # noqa: ASYNC251  # there is no event loop

    async def send(self, attempt: Any) -> Any:
        """Send one request, an ``Attempt`` of the transport."""
        return attempt.send()

    async def within(self, end: float | None, step: Awaitable[Any]) -> Any:
        """Return the result of a step of a conversation.

        Raises:
            TimeIsOverError: the deadline has passed before the step.
        """
        self.end = end
        if is_over(end):
            getattr(step, "close", bool)()
            raise TimeIsOverError
        return await step

    async def run_all(self, steps: Sequence[Step], *, concurrent: bool) -> list[Any]:  # noqa: ARG002
        """Return the results of steps in order.

        Raises:
            TimeIsOverError: the deadline passes between them.
        """
        results = []
        for step in steps:
            if is_over(self.end):
                raise TimeIsOverError
            results.append(await step())
        return results


class AsyncIO(SyncIO):
    """Input and output in an event loop."""

    async def result_of(self, source: Callable[[], Any], name: str) -> Any:  # noqa: ARG002
        """Call a function of the caller, which may be asynchronous."""
        value = source()
        return await value if inspect.isawaitable(value) else value

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def send(self, attempt: Any) -> Any:
        """Send one request, an ``Attempt`` of the transport."""
        return await attempt.asend()

    async def within(self, end: float | None, step: Awaitable[Any]) -> Any:
        """Return the result of a step of a conversation.

        Raises:
            TimeIsOverError: the deadline passes before the end of the step.
        """
        if end is None:
            return await step
        try:
            async with asyncio.timeout(end - time.monotonic()) as timer:
                return await step
        except TimeoutError:
            if timer.expired():
                raise TimeIsOverError from None
            raise

    async def run_all(self, steps: Sequence[Step], *, concurrent: bool) -> list[Any]:
        """Return the results of steps in order; run them concurrently if this is allowed."""
        if not concurrent:
            return [await step() for step in steps]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step()) for step in steps]
        return [task.result() for task in tasks]


def is_over(end: float | None) -> bool:
    """Return whether a deadline has passed."""
    return end is not None and time.monotonic() >= end
