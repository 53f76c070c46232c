"""Carry a conversation out: ``run`` and ``arun``.

There is one driver, a coroutine. ``run`` steps it by hand: with a ``send`` that does not wait, it never suspends. So
nothing is written twice, and filters have one form.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from specfn._internal.json import JsonObject, copied
from specfn._internal.keyword_arguments import known_keywords, known_keywords_async
from specfn.calling.calls.approval import Approver, AsyncApprover, Deny
from specfn.calling.calls.effects import Ask, Done, Effect, Invoke, Invoked, Send
from specfn.calling.calls.history import Messages
from specfn.calling.calls.invoke import CallContext, Filter, Performer, perform
from specfn.calling.choice.choice import Choice
from specfn.calling.choice.config import InvocationConfig
from specfn.calling.choice.prompt_files import Settings
from specfn.calling.events import Listener
from specfn.calling.names.catalog import Catalog, Entry, Functions
from specfn.calling.outcome import Outcome
from specfn.calling.replies import gathered
from specfn.calling.session import Session
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.http.connection import Connection

#: Sends a request's body to the model and returns its reply: a dict, an SDK's object, or an iterable of a stream's events.
Sender = Callable[[dict[str, Any]], Any]

Step = Callable[[], Coroutine[Any, Any, Any]]


@known_keywords
def run(  # noqa: PLR0913  # those of a conversation, and what carries it out
    functions: Session | Catalog | Functions,
    send: Sender,
    *,
    connection: "Connection | None" = None,
    approve: Approver | None = None,
    filters: Sequence[Filter] = (),
    connector: str | Codec | None = None,
    messages: Messages = (),
    model: str | None = None,
    choice: Choice | str | Mapping[str, Any] | None = None,
    config: InvocationConfig | None = None,
    profile: str | Profile | None = None,
    settings: Settings | None = None,
    extra: Mapping[str, Any] | None = None,
    before_request: Callable[[JsonObject], JsonObject] | None = None,
    on_event: Listener | None = None,
) -> Outcome:
    """Let a model call functions until the conversation ends.

    Args:
        functions: an application, a catalog, or a ``Session``. A session has its own settings: pass only
            ``connection``, ``approve`` and ``filters`` with it.
        send: sends a request's body to the model and returns its reply: an SDK's method behind a lambda, httpx, a fake.
        connection: where functions are called; a catalog may have others.
        approve: is asked to agree to calls; if ``None``, those that need it are declined.
        filters: ``async (context, next)``, each around every call; they may change arguments and results.
        connector: the wire format of requests and replies, by name or as a codec; required without a session.
        messages: the user's text, or the conversation so far.
        model: as ``Session``.
        choice: as ``Session``.
        config: as ``Session``.
        profile: as ``Session``.
        settings: as ``Session``.
        extra: as ``Session``.
        before_request: as ``Session``.
        on_event: as ``Session``.

    Returns:
        The outcome. It contains everything that the model did wrong; nothing of that is raised.

    Raises:
        UsageError: an argument is invalid or missing.
        Exception: whatever ``send`` raises.
    """
    begun = _session(
        functions,
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
    for name, given in (("send", send), ("approve", approve)):
        if _is_coroutine_function(given):
            raise UsageError(f"{name} is a coroutine function; use arun")
    if begun.choice.options.allow_concurrent_invocation:
        begun.degrade("concurrent_invocation")
    outcome: Outcome = _now(_drive(begun, _Sync(send, approve), connection, filters))
    return outcome


def _is_coroutine_function(given: Any) -> bool:
    return any(map(inspect.iscoroutinefunction, (given, getattr(given, "__call__", None))))  # noqa: B004  # not whether it can be called


@known_keywords_async
async def arun(  # noqa: PLR0913  # as run
    functions: Session | Catalog | Functions,
    send: Sender,
    *,
    connection: "Connection | None" = None,
    approve: AsyncApprover | None = None,
    filters: Sequence[Filter] = (),
    connector: str | Codec | None = None,
    messages: Messages = (),
    model: str | None = None,
    choice: Choice | str | Mapping[str, Any] | None = None,
    config: InvocationConfig | None = None,
    profile: str | Profile | None = None,
    settings: Settings | None = None,
    extra: Mapping[str, Any] | None = None,
    before_request: Callable[[JsonObject], JsonObject] | None = None,
    on_event: Listener | None = None,
) -> Outcome:
    """Like ``run``, asynchronously: ``send`` and ``approve`` may be coroutines, and calls may run at the same time.

    When it is cancelled, or something that it was given raises, every call of the last turn has a result, and the
    session can be looked at.
    """
    begun = _session(
        functions,
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
    return await _drive(begun, _Async(send, approve), connection, filters)


def _session(functions: Any, **given: Any) -> Session:
    """Return the caller's session, or one with the given settings.

    Raises:
        UsageError: there are a session and settings, or neither a session nor a connector.
    """
    if isinstance(functions, Session):
        both = [name for name, value in given.items() if value is not None and value != ()]
        if both:
            raise UsageError(
                f"a Session has its own settings: pass {', '.join(both)} to Session(...)"
            )
        return functions
    if given["connector"] is None:
        raise UsageError(
            "the connector is missing: pass connector=, the name of a wire format or a codec"
        )
    return Session(functions, **given)


async def _drive(
    session: Session,
    io: "_Sync | _Async",
    connection: "Connection | None",
    filters: Sequence[Filter],
) -> Outcome:
    session.require(connection)
    limit = session.config.deadline
    end = None if limit is None else time.monotonic() + limit
    while not isinstance(effect := session.next(), Done):
        try:
            fed = await io.within(end, _effected(effect, session, io, connection, filters))
        except _TimeIsOverError:
            return session.stop("deadline")
        except BaseException:
            session.abandon()  # whatever was raised: no call of the conversation stays without its result
            raise
        if isinstance(effect, Send) and _is_over(end):  # a send that blocks cannot be interrupted
            return session.stop("deadline")
        session.feed(fed)
    return effect.outcome


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() >= end


async def _effected(
    effect: Effect,
    session: Session,
    io: "_Sync | _Async",
    connection: "Connection | None",
    filters: Sequence[Filter],
) -> Any:
    """What comes of an effect."""
    if isinstance(effect, Send):
        return await io.reply(effect.request, session)
    if isinstance(effect, Ask):
        return [await io.agreed(request) for request in effect.requests]
    assert isinstance(effect, Invoke)
    steps = [
        partial(_made, session, context, io, entry.connection or connection, filters)
        for context, entry in _contexts(effect, session)
    ]
    return await io.all(steps, concurrent=effect.concurrent)


def _contexts(effect: Invoke, session: Session) -> Iterator[tuple[CallContext, Entry]]:
    for index, call in enumerate(effect.calls):
        assert call.entry is not None
        context = CallContext(
            id=call.call["id"],
            function=call.entry.function,
            arguments=copied(call.arguments),
            index=index,
            count=len(effect.calls),
            round=session.round,
            removed=call.removed,
        )
        yield context, call.entry


async def _made(
    session: Session,
    context: CallContext,
    io: "_Sync | _Async",
    connection: "Connection | None",
    filters: Sequence[Filter],
) -> Invoked:
    """A call's result; what was begun and what came of it is kept at once, should the conversation be cut off."""
    session.begin(context.id)
    result = await perform(context, io, connection, filters, session.config.result_limit)
    session.keep(context.id, result)
    return result


class _TimeIsOverError(Exception):
    """The conversation's own deadline has passed; a vendor's time-out is another matter."""


class _Sync:
    """Does things one after the other, without waiting."""

    def __init__(self, send: Sender, approve: AsyncApprover | None) -> None:
        self._send = send
        self._approve = approve
        self._end: float | None = None

    async def reply(self, request: dict[str, Any], session: Session) -> Any:
        """The model's reply, whole."""
        reply = self._send(request)
        if inspect.isawaitable(reply):
            _close(reply)
            raise UsageError("send is a coroutine; use arun")
        return gathered(session.codec, reply) if _is_stream(reply) else reply

    async def agreed(self, request: Any) -> Any:
        """The approver's answer; a no where there is none."""
        return Deny(asked=False) if self._approve is None else self._approve(request)

    async def propagate(self, function: Any, arguments: Any, connection: Any) -> Any:
        """Return the response of a function's server; the call ends with the conversation's deadline."""
        from specfn.http.transport.send import propagate_within  # noqa: PLC0415 - httpx is imported on first use

        left = math.inf if self._end is None else self._end - time.monotonic()
        return propagate_within(function, arguments, connection, left)

    async def within(self, end: float | None, step: Awaitable[Any]) -> Any:
        """What comes of a step; a ``_TimeIsOverError`` where the time was over before it."""
        self._end = end
        if _is_over(end):
            _close(step)
            raise _TimeIsOverError
        return await step

    async def all(self, steps: Sequence[Step], *, concurrent: bool) -> list[Any]:  # noqa: ARG002
        """What comes of the steps, in order, as long as there is time."""
        found = []
        for step in steps:
            if _is_over(self._end):
                raise _TimeIsOverError
            found.append(await step())
        return found


class _Async(_Sync):
    """Waits for what has to be waited for."""

    async def reply(self, request: dict[str, Any], session: Session) -> Any:
        """The model's reply, whole."""
        reply = self._send(request)
        if inspect.isawaitable(reply):
            reply = await reply
        if hasattr(reply, "__aiter__"):
            reply = [event async for event in reply]
        return gathered(session.codec, reply) if _is_stream(reply) else reply

    async def agreed(self, request: Any) -> Any:
        """The approver's answer; a no where there is none."""
        answer = await super().agreed(request)
        return await answer if inspect.isawaitable(answer) else answer

    async def propagate(self, function: Any, arguments: Any, connection: Any) -> Any:
        """The answer of a function's server."""
        from specfn.http.transport.send import apropagate  # noqa: PLC0415 - httpx is imported on first use

        return await apropagate(function, arguments, connection)

    async def within(self, end: float | None, step: Awaitable[Any]) -> Any:
        """What comes of a step; a ``_TimeIsOverError`` where the time is over before or within it."""
        if end is None:
            return await step
        left = end - time.monotonic()
        try:
            async with asyncio.timeout(left) as timer:
                return await step
        except TimeoutError:
            if timer.expired():
                raise _TimeIsOverError from None
            raise

    async def all(self, steps: Sequence[Step], *, concurrent: bool) -> list[Any]:
        """What comes of the steps, in order; at the same time where they may."""
        if not concurrent:
            return [await step() for step in steps]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step()) for step in steps]
        return [task.result() for task in tasks]


_: type[Performer] = _Sync  # both are performers, and the type checker says so


def _is_stream(reply: Any) -> bool:
    """Whether a reply comes in pieces: an iterable that is neither a dict nor an SDK's object."""
    return (
        hasattr(reply, "__iter__")
        and not isinstance(reply, dict | str | bytes)
        and not hasattr(reply, "model_dump")
    )


def _now(step: Any) -> Any:
    """Run a coroutine that does not wait for anything."""
    try:
        step.send(None)
    except StopIteration as done:
        return done.value
    _close(step)
    raise UsageError("a filter or an approver waits for something; use arun")


def _close(step: Any) -> None:
    close = getattr(step, "close", None)
    if callable(close):
        close()
