"""Events of a conversation: typed records without values of arguments or credentials."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from specfn._internal.logs import calls_log as log


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request is sent to the model.

    Attributes:
        round: the number of the request, from 0.
        mode: whether the model may, must or must not call.
        functions: the number of offered functions.
    """

    round: int
    mode: str
    functions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The model replied.

    Attributes:
        round: the number of the request.
        stop: the reason why the model stopped.
        calls: the number of calls in the reply.
    """

    round: int
    stop: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCall:
    """The model wrote a call into its text, which ``InvocationConfig.text_calls="read"`` reads.

    Attributes:
        round: the number of the request.
        function: the name as the model wrote it.
        read: whether it was read as a call.
    """

    round: int
    function: str
    read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The name of a call was resolved.

    Attributes:
        id: the id of the call.
        status: the status of the resolution.
        function: the resolved function, or an empty text.
        how: the repair of the name; empty if no function was found.
    """

    id: str
    status: str
    function: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The arguments of a call were parsed and validated.

    Attributes:
        id: the id of the call.
        function: the name of the function.
        valid: whether the arguments are valid.
        repairs: the kinds of the repairs.
        problems: the paths of the invalid arguments, without values.
    """

    id: str
    function: str
    valid: bool
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A call was approved, denied or deferred.

    Attributes:
        id: the id of the call.
        function: the name of the function.
        decision: ``approve``, ``deny`` or ``defer``.
    """

    id: str
    function: str
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A call was made.

    Attributes:
        id: the id of the call.
        function: the name of the function.
        status: the HTTP status; ``None`` if there was no response.
    """

    id: str
    function: str
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The conversation ended.

    Attributes:
        stopped: the reason.
        rounds: the number of requests.
        calls: the number of calls that the model sent.
    """

    stopped: str
    rounds: int
    calls: int


Event: TypeAlias = Requested | Replied | TextCall | Resolved | Checked | Decided | Executed | Ended
Listener: TypeAlias = Callable[[Event], None]


def emit(listener: Listener | None, event: Event) -> None:
    """Log an event and pass it to the listener; exceptions of the listener are logged and suppressed."""
    log.debug("%r", event)
    if listener is None:
        return
    try:
        listener(event)
    except Exception:  # noqa: BLE001  # it is logged
        log.exception("a listener failed")


def resolved_event(prepared: Any) -> Resolved:
    """Return the event of a resolved name."""
    resolution = prepared.resolution
    return Resolved(
        id=prepared.call["id"],
        status=resolution.status,
        function=resolution.name or "",
        how=resolution.how or "",
    )


def checked_event(prepared: Any) -> Checked:
    """Return the event of checked arguments."""
    return Checked(
        id=prepared.call["id"],
        function=prepared.name,
        valid=prepared.answer is None,
        repairs=tuple(repair.kind for repair in prepared.repairs),
        problems=prepared.problems,
    )
