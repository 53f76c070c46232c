"""Coroutines that run without an event loop, so that sync and async calls share one implementation."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from specfn.errors import UsageError

_Result = TypeVar("_Result")


def run_without_waiting(
    coroutine: Coroutine[Any, Any, _Result], advice: str = "a blocking call must not wait"
) -> _Result:
    """Run a coroutine that never suspends, and return its result.

    Args:
        coroutine: the coroutine.
        advice: the message of the error if it suspends.

    Raises:
        UsageError: the coroutine suspends.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _Result = done.value
        return result
    coroutine.close()
    raise UsageError(advice)
