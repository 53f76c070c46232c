"""Drivers of a conversation: ``run`` and ``arun``.

One coroutine drives both. ``run`` runs it without an event loop: with a synchronous ``send`` it never suspends.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from specfn._internal.caller_arguments import CONNECTION, require, require_callables
from specfn._internal.io import AsyncIO, SyncIO, TimeIsOverError, is_over, run_without_waiting
from specfn._internal.json import JsonObject, copy_json
from specfn._internal.tracebacks import without_locals, without_locals_async
from specfn.calling.choice import Choice
from specfn.calling.config import InvocationConfig
from specfn.calling.effects import Ask, CallResult, Done, Effect, Invoke, Send
from specfn.calling.events import Listener
from specfn.calling.filters import CallContext, Filter, perform
from specfn.calling.history import Messages
from specfn.calling.outcome import Outcome
from specfn.calling.prompt_files import Settings
from specfn.calling.replies import gather
from specfn.calling.session import Session
from specfn.connectors.registry import CODECS, ConnectorName, ProfileName
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.http.connection import Connection
from specfn.invocation.approval import Approver, AsyncApprover, Decision, Deny, decision
from specfn.invocation.call_settings import CallSettings
from specfn.schema.profiles.profile import Profile
from specfn.tools.function_set import AdvertisedFunction, Catalog, Functions
from specfn.tools.without_sent_parameters import without_sent_parameters


class _Dumps(Protocol):
    """A reply as an SDK's object."""

    def model_dump(self, **options: Any) -> Any:
        """Return the reply as JSON."""


class _ToDict(Protocol):
    """A reply as an object of an SDK with its own method."""

    def to_dict(self) -> Any:
        """Return the reply as JSON."""


#: A reply of a model: a dict, an SDK's object, or an iterable of stream events.
Reply: TypeAlias = Iterable[Any] | _Dumps | _ToDict

#: Sends the body of a request and returns the reply. A coroutine function is an ``AsyncSender``, for ``arun``.
Sender: TypeAlias = Callable[[dict[str, Any]], Reply]

#: Sends the body of a request and returns the reply, or an awaitable of it, or an async iterable of stream events.
AsyncSender: TypeAlias = Callable[[dict[str, Any]], Any]

#: The maximum number of functions that a note of an error names.
MAX_NAMED: Final = 10


@without_locals
def run(
    functions: Session | Catalog | Functions,
    send: Sender,
    *,
    connection: "Connection | None" = None,
    approve: Approver | None = None,
    filters: Sequence[Filter] = (),
    connector: ConnectorName | Codec | None = None,
    messages: Messages = (),
    model: str | None = None,
    choice: Choice | str | Mapping[str, Any] | None = None,
    config: InvocationConfig | None = None,
    profile: ProfileName | Profile | None = None,
    settings: Settings | None = None,
    extra: Mapping[str, Any] | None = None,
    before_request: Callable[[JsonObject], JsonObject] | None = None,
    on_event: Listener | None = None,
) -> Outcome:
    """Let a model call functions until the conversation ends.

    Args:
        functions: an application, a catalog, or a ``Session``. A session has its own settings: pass only
            ``connection``, ``approve`` and ``filters`` with it.
        send: sends the body of a request to the model and returns its reply, for example with an SDK or httpx.
        connection: the connection for calls; a catalog may have others.
        approve: decides about calls that need approval; if ``None``, they are declined.
        filters: ``async (context, next)`` functions around each call; they may change arguments and results.
        connector: the wire format of requests and replies, by name or as a codec; required without a session.
        messages: the user's text, or the conversation so far.
        model: see ``Session``.
        choice: see ``Session``.
        config: see ``Session``.
        profile: see ``Session``.
        settings: see ``Session``.
        extra: see ``Session``.
        before_request: see ``Session``.
        on_event: see ``Session``.

    Returns:
        The outcome. Mistakes of the model are recorded in it and never raised.

    Raises:
        UsageError: an argument is invalid or missing.
        Exception: ``send`` raised it. ``error.specfn_outcome`` is the outcome so far, and a note names what was
            executed. A session that is passed again sends its last request again.

    Examples:
        >>> from specfn import calling
        >>> outcome = calling.run(app, send, connector=connector, messages="Any lamps?", connection=connection)
        >>> outcome.text, [call.called for call in outcome.calls]
        ('There are no lamps.', ['products_get'])
    """
    _check_types(send=send, approve=approve, filters=filters, connection=connection)
    session = _session(
        functions,
        connection,
        connector=connector,
        messages=messages,
        model=model,
        choice=choice,
        config=config,
        profile=profile,
        settings=settings,
        extra=extra,
        before_request=before_request,
        on_event=on_event,
    )
    _refuse_coroutine_functions(send=send, approve=approve)
    if session.choice.options.allow_concurrent_invocation:
        session.degrade("concurrent_invocation")
    return run_without_waiting(
        _drive(
            session,
            send,
            approve,
            SyncIO("use arun()"),
            connection,
            filters,
            is_own=functions is session,
        ),
        "a filter or an approver waits for I/O, which run() does not support; use arun()",
    )


def _refuse_coroutine_functions(**callables: Any) -> None:
    for name, value in callables.items():
        if _is_coroutine_function(value):
            raise UsageError(
                f"{name} is a coroutine function, which run() does not support; use arun()"
            )


def _is_coroutine_function(value: Any) -> bool:
    return any(map(inspect.iscoroutinefunction, (value, getattr(value, "__call__", None))))  # noqa: B004  # not whether it can be called


@without_locals_async
async def arun(
    functions: Session | Catalog | Functions,
    send: AsyncSender,
    *,
    connection: "Connection | None" = None,
    approve: AsyncApprover | None = None,
    filters: Sequence[Filter] = (),
    connector: ConnectorName | Codec | None = None,
    messages: Messages = (),
    model: str | None = None,
    choice: Choice | str | Mapping[str, Any] | None = None,
    config: InvocationConfig | None = None,
    profile: ProfileName | Profile | None = None,
    settings: Settings | None = None,
    extra: Mapping[str, Any] | None = None,
    before_request: Callable[[JsonObject], JsonObject] | None = None,
    on_event: Listener | None = None,
) -> Outcome:
    """Let a model call functions until the conversation ends, asynchronously; see ``run`` for the arguments.

    ``send`` and ``approve`` may be coroutine functions, and calls may run concurrently. After cancellation or an
    exception of the caller's code, every call of the last turn has a result in the session.

    Examples:
        >>> import asyncio
        >>> from specfn import calling
        >>> waiting = calling.arun(app, send, connector=connector, messages="Any lamps?", connection=connection)
        >>> asyncio.run(waiting).text
        'There are no lamps.'
    """
    _check_types(send=send, approve=approve, filters=filters, connection=connection)
    session = _session(
        functions,
        connection,
        connector=connector,
        messages=messages,
        model=model,
        choice=choice,
        config=config,
        profile=profile,
        settings=settings,
        extra=extra,
        before_request=before_request,
        on_event=on_event,
    )
    return await _drive(
        session, send, approve, AsyncIO(), connection, filters, is_own=functions is session
    )


def _session(
    functions: Session | Catalog | Functions, connection: "Connection | None", **settings: Any
) -> Session:
    """Return the caller's session, or a new one with the settings among the arguments of ``run``.

    Raises:
        UsageError: settings are passed with a session, or neither a session nor a connector is passed.
    """
    if isinstance(functions, Session):
        both = [name for name, value in settings.items() if value is not None and value != ()]
        if both:
            raise UsageError(
                f"a Session has its own settings: pass {', '.join(both)} to Session(...)"
            )
        return functions
    if settings["connector"] is None:
        raise UsageError(
            f"missing argument connector: the wire format of your model's server, one of {', '.join(CODECS)}"
        )
    return Session(without_sent_parameters(functions, connection), **settings)


def _check_types(*, send: Any, approve: Any, filters: Any, connection: Any) -> None:
    """Check the arguments of ``run`` that a session does not check.

    Raises:
        UsageError: one of them has another type.
    """
    require("filters", filters, Sequence, "a list of functions")
    named = {f"filters[{index}]": filter_ for index, filter_ in enumerate(filters)}
    require_callables(send=send, approve=approve, **named)
    if connection is not None:
        require("connection", connection, Connection, CONNECTION)


async def _drive(
    session: Session,
    send: Sender | AsyncSender,
    approve: AsyncApprover | None,
    io: SyncIO,
    connection: "Connection | None",
    filters: Sequence[Filter],
    *,
    is_own: bool,
) -> Outcome:
    session.require(connection)
    try:
        return await _converse(session, send, approve, io, connection, filters)
    except BaseException as error:
        _attach_outcome(error, session, is_own=is_own)
        raise


def _attach_outcome(error: BaseException, session: Session, *, is_own: bool) -> None:
    """Attach the outcome so far to an error, and a note that names what was executed and how to continue."""
    outcome = session.outcome
    with suppress(AttributeError):  # an exception without a dict
        error.specfn_outcome = outcome  # type: ignore[attr-defined]
    if not outcome.executed:
        return
    names = [call.function or call.called for call in outcome.executed]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    how = "call run() or arun() with the same session again"
    if not is_own or outcome.stopped != "failed":
        how = "pass messages=error.specfn_outcome.messages to a new conversation"
    error.add_note(
        f"specfn: executed before this error: {', '.join(names[:MAX_NAMED])}{more}; error.specfn_outcome has the results. "
        f"To continue, {how}."
    )


async def _converse(
    session: Session,
    send: Sender | AsyncSender,
    approve: AsyncApprover | None,
    io: SyncIO,
    connection: "Connection | None",
    filters: Sequence[Filter],
) -> Outcome:
    """Carry out the effects of a session until the conversation ends."""
    limit = session.config.deadline
    end = None if limit is None else time.monotonic() + limit
    carry_out = partial(
        _carry_out,
        session=session,
        send=send,
        approve=approve,
        io=io,
        end=end,
        connection=connection,
        filters=filters,
    )
    while not isinstance(effect := session.next(), Done):
        try:
            result = await io.within(end, carry_out(effect))
        except TimeIsOverError:
            return session.stop("deadline")
        except BaseException:
            if not isinstance(effect, Send):  # a request can be sent again
                session.abandon()  # so that every call of the conversation has a result
            raise
        if isinstance(effect, Send) and is_over(end):  # a send that blocks cannot be interrupted
            return session.stop("deadline")
        session.feed(result)
    return effect.outcome


async def _carry_out(
    effect: Effect,
    *,
    session: Session,
    send: Sender | AsyncSender,
    approve: AsyncApprover | None,
    io: SyncIO,
    end: float | None,
    connection: "Connection | None",
    filters: Sequence[Filter],
) -> Any:
    if isinstance(effect, Send):
        reply = await io.result_of(partial(send, effect.request), "send")
        if hasattr(reply, "__aiter__") or _is_stream(reply):
            return gather(session.codec, await _read_events(reply, end))
        return reply
    if isinstance(effect, Ask):
        return await _decide(effect, session, approve, io)
    assert isinstance(effect, Invoke)
    steps = []
    for context, entry in _contexts(effect, session):
        target = entry.connection or connection
        settings = None
        if target is not None:
            settings = CallSettings(
                functions=session.catalog,
                offered=session.offered,
                connection=target,
                limit=session.config.result_limit,
                shows_bytes=True,
                matches_output=True,
                io=io,
            )
        steps.append(partial(_make_call, session, context, settings, filters))
    return await io.run_all(steps, concurrent=effect.concurrent)


async def _decide(
    effect: Ask, session: Session, approve: AsyncApprover | None, io: SyncIO
) -> list[Decision]:
    """Ask about each call, but not about a function that the user declined too often in a row."""
    refusals, decisions = session.refusals, list[Decision]()
    for request in effect.requests:
        if approve is None:
            decisions.append(Deny(asked=False))
        elif refusals.forbid(request.function):
            decisions.append(Deny())
        else:
            decisions.append(decision(await io.result_of(partial(approve, request), "approve")))
        refusals.note(request.function, decisions[-1])
    return decisions


def _contexts(effect: Invoke, session: Session) -> Iterator[tuple[CallContext, AdvertisedFunction]]:
    """Yield the context of each call, and the function that it calls."""
    for index, call in enumerate(effect.calls):
        assert call.entry is not None
        context = CallContext(
            id=call.call["id"],
            function=call.entry.function,
            arguments=copy_json(call.arguments),
            index=index,
            count=len(effect.calls),
            round=session.round,
            removed=call.removed,
        )
        yield context, call.entry


async def _make_call(
    session: Session,
    context: CallContext,
    settings: CallSettings | None,
    filters: Sequence[Filter],
) -> CallResult:
    """Make a call and return its result; the session records its begin and its result at once."""
    session.begin(context.id)
    result = await perform(context, settings, filters)
    session.keep(context.id, result)
    return result


async def _read_events(reply: Any, end: float | None) -> list[Any]:
    """Return the events of a stream.

    Raises:
        TimeIsOverError: the deadline passes between two events; the stream is closed.
    """
    received: list[Any] = []
    if hasattr(reply, "__aiter__"):
        async for event in reply:
            received.append(event)
            if is_over(end):
                closed = getattr(reply, "aclose", getattr(reply, "close", bool))()
                if inspect.isawaitable(closed):
                    await closed
                raise TimeIsOverError
        return received
    for event in reply:
        received.append(event)
        if is_over(end):
            getattr(reply, "close", bool)()
            raise TimeIsOverError
    return received


def _is_stream(reply: Any) -> bool:
    """Return whether a reply is a stream: an iterable that is neither a dict nor an SDK's object."""
    return (
        hasattr(reply, "__iter__")
        and not isinstance(reply, dict | str | bytes)
        and not hasattr(reply, "model_dump")
    )
