"""One call: through the filters, to the server, and back as what the model is told."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from specfn.calling.calls import prompts
from specfn.calling.calls.call_errors import mishap
from specfn.calling.calls.effects import Invoked
from specfn.calling.events import log
from specfn.errors import ArgumentError, UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, split

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result


@dataclass(slots=True, kw_only=True)
class CallContext:
    """What a filter sees of a call, and may change.

    Attributes:
        id: the call's.
        function: the function; another one here changes nothing.
        arguments: a copy of what the model asked for, and what will be sent; what a filter puts or changes here is
            validated again, and changes neither the trail nor the check of repeated writes.
        index: its place among the calls that are made in this turn, from 0.
        count: how many calls are made in this turn.
        round: how many requests were made to the model.
        removed: what was taken out of the model's arguments; the model reads it with the result, unless a filter
            puts other arguments here.
        result: what it came to, once ``next`` was awaited; what a filter puts here is what the model is told.
        terminate: set it to end the conversation with this turn.
    """

    id: str
    function: Function
    arguments: Any = field(repr=False)
    index: int
    count: int
    round: int
    removed: tuple[str, ...] = ()
    result: Invoked | None = None
    terminate: bool = False


Next: TypeAlias = Callable[[CallContext], Awaitable[None]]
Filter: TypeAlias = Callable[[CallContext, Next], Awaitable[None]]


class Performer(Protocol):
    """What reaches the server of a function."""

    async def propagate(self, function: Any, arguments: Any, connection: Any) -> Any:
        """The server's answer, whatever its status."""


async def perform(
    context: CallContext,
    io: Performer,
    connection: "Connection | None",
    filters: Sequence[Filter],
    limit: int,
) -> Invoked:
    """Make one call. Nothing that goes wrong is raised: the model is told."""
    chain = _innermost(io, context, connection, limit)
    for each in reversed(filters):
        chain = _around(each, chain)
    try:
        await chain(context)
    except _FilterError:
        raise
    except Exception as error:
        if "no running event loop" in str(error):
            raise UsageError("a filter waits for something; use arun") from error
        log.error(
            "a filter failed in a call of %s: %s", context.function.name, type(error).__name__
        )
        text = prompts.failed(f"{type(error).__name__} in a filter.")
        return context.result or Invoked(text=text, error=True)
    result = context.result
    if result is None:
        result = Invoked(text=prompts.not_executed("a filter held it back"))
    if not isinstance(result, Invoked):
        kind = type(result).__name__
        raise UsageError(
            f"a filter set context.result to {kind}; set an Invoked, or None", sent=True
        )
    return replace(result, terminate=context.terminate or result.terminate)


class _FilterError(UsageError):
    """A filter that is not one."""


def _around(each: Filter, inner: Next) -> Next:
    async def step(context: CallContext) -> None:
        waited = each(context, inner)
        if not inspect.isawaitable(waited):
            raise _FilterError("a filter is no coroutine function; write async def")
        await waited

    return step


def _innermost(
    io: Performer, agreed: CallContext, connection: "Connection | None", limit: int
) -> Next:
    function, arguments = agreed.function, agreed.arguments

    async def step(context: CallContext) -> None:  # the function is the one that was agreed to
        removed = context.removed if context.arguments is arguments else ()
        show = partial(_shown, function, limit, removed)
        context.result = await _sent(io, function, context.arguments, connection, show)

    return step


async def _sent(
    io: Performer,
    function: Function,
    arguments: Any,
    connection: "Connection | None",
    show: Callable[["Result"], str],
) -> Invoked:
    if connection is None:
        return Invoked(text=prompts.failed("no connection was given."), error=True)
    try:
        result: Result = await io.propagate(function, arguments, connection)
    except UsageError as error:
        log.error("%s cannot be called: %s", function.name, error)  # its text says it
        if error.sent:
            return mishap(function, error, arguments)
        return Invoked(text=prompts.failed("it is not set up for this."), error=True)
    except Exception as error:  # noqa: BLE001  # the server's, or of the connection's own hooks
        shared = is_shared(function) and isinstance(error, ArgumentError)
        return mishap(function, error, split(function, arguments)[0] if shared else arguments)
    return Invoked(
        text=show(result),
        error=not result.ok,
        executed=True,
        status=result.status,
        data=result.data if result.ok else None,
    )


def _shown(function: Function, limit: int, removed: Sequence[str], result: "Result") -> str:
    """The answer as the model reads it, with what was taken out of its arguments."""
    text = result.for_model(limit, sent_without=removed)
    if result.ok:
        return text
    return prompts.answered(f"{function.method.upper()} {function.path}", result.status, text)
