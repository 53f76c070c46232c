"""Execution of one call: filters, request, and the result for the model."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from specfn.calling.calls import prompts
from specfn.calling.calls.call_errors import error_result
from specfn.calling.calls.effects import Invoked
from specfn.calling.events import log
from specfn.calling.offered_tools import OfferedTools
from specfn.calling.response_fields import ResponseFields
from specfn.errors import ArgumentError, UsageError
from specfn.function.function import Function
from specfn.function.separation.join import is_shared, split

if TYPE_CHECKING:
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result


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
    result: Invoked | None = None
    terminate: bool = False


Next: TypeAlias = Callable[[CallContext], Awaitable[None]]
Filter: TypeAlias = Callable[[CallContext, Next], Awaitable[None]]


class CallTransport(Protocol):
    """The connection of a driver to the servers of functions."""

    async def propagate(self, function: Any, arguments: Any, connection: Any) -> Any:
        """Call a function and return the response, whatever its status."""


async def perform(
    context: CallContext,
    io: CallTransport,
    connection: "Connection | None",
    filters: Sequence[Filter],
    limit: int,
    offered: OfferedTools,
) -> Invoked:
    """Make one call and return its result; errors of the call become results for the model.

    Args:
        context: the call.
        io: sends the request.
        connection: the connection of the call.
        filters: the filters of the caller.
        limit: the maximum number of characters of a response.
        offered: the tools that the model can call.
    """
    chain = _innermost(io, context, connection, partial(_shown, offered, limit))
    for each in reversed(filters):
        chain = _around(each, chain)
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
        text = prompts.failed(f"{type(error).__name__} in a filter.")
        return context.result or Invoked(text=text, error=True)
    result = context.result
    if result is None:
        result = Invoked(text=prompts.not_executed("a filter held it back"))
    if not isinstance(result, Invoked):
        kind = type(result).__name__
        raise UsageError(
            f"a filter set context.result to {kind}; set an Invoked or None", sent=True
        )
    return replace(result, terminate=context.terminate or result.terminate)


class _FilterError(UsageError):
    """The error of a filter that is not a coroutine function."""


def _around(each: Filter, inner: Next) -> Next:
    async def step(context: CallContext) -> None:
        waited = each(context, inner)
        if not inspect.isawaitable(waited):
            raise _FilterError("a filter must be a coroutine function: define it with async def")
        await waited

    return step


#: Returns the text of a response for the model: takes the call, its response and its connection.
_Show: TypeAlias = Callable[["_SentCall", "Result", "Connection"], str]


@dataclass(frozen=True, slots=True)
class _SentCall:
    """A call as it is sent, with the values that were removed from the model's arguments."""

    function: Function
    arguments: Any
    removed: Sequence[str]

    @property
    def models_part(self) -> Any:
        """Return the model's part of the arguments."""
        if not is_shared(self.function):
            return self.arguments
        return split(self.function, self.arguments)[0]


def _innermost(
    io: CallTransport, approved: CallContext, connection: "Connection | None", show: _Show
) -> Next:
    function, arguments = approved.function, approved.arguments

    async def step(context: CallContext) -> None:  # the function is the approved one
        removed = context.removed if context.arguments is arguments else ()
        call = _SentCall(function, context.arguments, removed)
        context.result = await _sent(io, call, connection, show)

    return step


async def _sent(
    io: CallTransport, call: _SentCall, connection: "Connection | None", show: _Show
) -> Invoked:
    if connection is None:
        return Invoked(text=prompts.failed("no connection was given."), error=True)
    function = call.function
    try:
        result: Result = await io.propagate(function, call.arguments, connection)
    except UsageError as error:
        log.error(
            "%s cannot be called: %s", function.name, error
        )  # the text of a UsageError holds no argument
        if error.sent:
            return error_result(function, error, call.arguments)
        return Invoked(
            text=prompts.failed("the application is not configured for this function."), error=True
        )
    except Exception as error:  # noqa: BLE001  # the server's, or of the connection's own hooks
        is_invalid = isinstance(error, ArgumentError)
        return error_result(function, error, call.models_part if is_invalid else call.arguments)
    result = result.for_writer_of(call.models_part)
    return Invoked(
        text=show(call, result, connection),
        error=not result.ok,
        executed=True,
        status=result.status,
        data=result.without_secrets().data if result.ok else None,
    )


def _shown(
    offered: OfferedTools, limit: int, call: _SentCall, result: "Result", connection: "Connection"
) -> str:
    """Return the response as the model reads it, with the values removed from its arguments."""
    function = call.function
    if not result.ok:
        text = result.for_model(limit, sent_without=call.removed)
        return prompts.answered(f"{function.method.upper()} {function.path}", result.status, text)
    tool, fields = offered.tool_of(function), ResponseFields.of(function)
    if tool is not None and tool.output is not None:  # the text must match the schema of the result
        shown = fields.view(function, result).result
        return shown.for_model(limit, sent_without=call.removed)
    from specfn.calling.responses.answer_text import answer_text  # noqa: PLC0415  # httpx is imported on first use

    return answer_text(
        function,
        call.models_part,
        result,
        connection,
        limit=limit,
        sent_without=call.removed,
        tool=tool,
        fields=fields,
        advertised=offered.advertised_functions,
        shows_bytes=True,
    ).text
