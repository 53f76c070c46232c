"""Execution of one call: filters, request, and the result for the model."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from specfn._internal.logs import calls_log as log
from specfn.calling.effects import CallResult
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.invocation import failure_texts
from specfn.invocation.call_settings import CallSettings
from specfn.invocation.pipeline import PermittedCall, answer_of_error, send
from specfn.invocation.response_fields import ResponseFields


@dataclass(slots=True, kw_only=True)
class CallContext:
    """The context of a call, which filters read and may change.

    Attributes:
        id: the id of the call.
        function: the function; replacing it has no effect.
        arguments: a copy of the arguments that will be sent. Changed arguments are validated again. A change affects
            neither the call record nor the check of repeated writes.
        index: the position among the calls that are made in this turn, from 0.
        count: the number of calls that are made in this turn.
        round: the number of requests made to the model.
        removed: the values removed from the model's arguments; the model reads them with the result, unless a filter
            replaces the arguments.
        result: the result, once ``next`` was awaited; a filter may replace it.
        terminate: set to true to end the conversation with this turn.
    """

    id: str
    function: Function
    arguments: Any = field(repr=False)
    index: int
    count: int
    round: int
    removed: tuple[str, ...] = ()
    result: CallResult | None = None
    terminate: bool = False


Next: TypeAlias = Callable[[CallContext], Awaitable[None]]
Filter: TypeAlias = Callable[[CallContext, Next], Awaitable[None]]


async def perform(
    context: CallContext, settings: CallSettings | None, filters: Sequence[Filter]
) -> CallResult:
    """Make one call and return its result; errors of the call become results for the model.

    Args:
        context: the call.
        settings: the settings of the call; ``None`` without a connection.
        filters: the filters of the caller.
    """
    chain = _innermost_step(context, settings)
    for filter_ in reversed(filters):
        chain = _wrap_filter(filter_, chain)
    try:
        await chain(context)
    except _FilterError:
        raise
    except Exception as error:
        if "no running event loop" in str(error):
            raise UsageError(
                "a filter waits for I/O, which run() does not support; use arun()"
            ) from error
        log.error(
            "a filter failed in a call of %s: %s", context.function.name, type(error).__name__
        )
        text = failure_texts.failure(f"{type(error).__name__} in a filter.")
        return context.result or CallResult(text=text, error=True)
    result = context.result
    if result is None:
        result = CallResult(text=failure_texts.not_executed("a filter blocked it"))
    if not isinstance(result, CallResult):
        kind = type(result).__name__
        raise UsageError(
            f"a filter set context.result to {kind}; set a CallResult or None", sent=True
        )
    return replace(result, terminate=context.terminate or result.terminate)


class _FilterError(UsageError):
    """The error of a filter that is not a coroutine function."""


def _wrap_filter(filter_: Filter, inner: Next) -> Next:
    """Return the step that runs a filter, which may call the step inside it."""

    async def step(context: CallContext) -> None:
        waited = filter_(context, inner)
        if not inspect.isawaitable(waited):
            raise _FilterError("a filter must be a coroutine function: define it with async def")
        await waited

    return step


def _innermost_step(approved: CallContext, settings: CallSettings | None) -> Next:
    """Return the step that all filters surround: it sends the call of the approved function."""
    function, arguments = approved.function, approved.arguments

    async def step(context: CallContext) -> None:  # the function is the approved one
        if settings is None:
            text = failure_texts.failure("no connection was given.")
            context.result = CallResult(text=text, error=True)
            return
        call = PermittedCall(
            function=function,
            arguments=context.arguments,
            tool=settings.offered.tool_of(function),
            fields=ResponseFields.of(function),
            removed=context.removed if context.arguments is arguments else (),
        )
        context.result = await _send(call, settings)

    return step


async def _send(call: PermittedCall, settings: CallSettings) -> CallResult:
    """Send a call. The faults of the caller's connection and hooks are results, too."""
    function = call.function
    try:
        answer = await send(call, settings)
    except UsageError as error:
        # the text of a UsageError holds no argument
        log.error("%s cannot be called: %s", function.name, error)
        if not error.sent:
            text = failure_texts.failure("the application is not configured for this function.")
            return CallResult(text=text, error=True)
        answer = answer_of_error(function, error, call.arguments)
    except Exception as error:  # noqa: BLE001  # of the connection's own hooks
        answer = answer_of_error(function, error, call.arguments)
    result, text = answer.result, answer.text
    if result is not None and not result.ok:
        text = failure_texts.http_error(function.method_and_path, result.status, text)
    return CallResult(
        text=text,
        error=not answer.ok,
        executed=answer.kind not in ("invalid", "needs_human", "unreachable"),
        status=None if result is None else result.status,
        data=result.without_secrets().data if result is not None and answer.ok else None,
    )
