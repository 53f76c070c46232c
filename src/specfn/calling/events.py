"""What a conversation tells those who watch it: typed records, without a value of an argument or credential."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

log = logging.getLogger("specfn.calling")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request goes to the model.

    Attributes:
        round: from 0.
        mode: may, must or must not the model call.
        functions: how many are offered.
    """

    round: int
    mode: str
    functions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The model replied.

    Attributes:
        round: the request's.
        stop: why it stopped.
        calls: how many calls it wants.
    """

    round: int
    stop: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A name was looked up.

    Attributes:
        id: the call's.
        status: what became of the name.
        function: the function that was meant; empty where there is none.
        how: what repaired it; empty where nothing did.
    """

    id: str
    status: str
    function: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Arguments were read and validated.

    Attributes:
        id: the call's.
        function: the function's name.
        valid: whether they are valid.
        repairs: the kinds of what was repaired.
        problems: the places that are wrong, without their values.
    """

    id: str
    function: str
    valid: bool
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Somebody was asked to agree to a call.

    Attributes:
        id: the call's.
        function: the function's name.
        decision: ``approve``, ``deny`` or ``defer``.
    """

    id: str
    function: str
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A call was made.

    Attributes:
        id: the call's.
        function: the function's name.
        status: the HTTP status; ``None`` where there was no answer.
    """

    id: str
    function: str
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The conversation ended.

    Attributes:
        stopped: why.
        rounds: how many requests were made.
        calls: how many calls the model wanted.
    """

    stopped: str
    rounds: int
    calls: int


Event: TypeAlias = Requested | Replied | Resolved | Checked | Decided | Executed | Ended
Listener: TypeAlias = Callable[[Event], None]


def tell(listener: Listener | None, event: Event) -> None:
    """Log an event, and hand it to who listens; what a listener raises is logged and goes no further."""
    log.debug("%r", event)
    if listener is None:
        return
    try:
        listener(event)
    except Exception:
        log.exception("a listener failed")


def resolved(prepared: Any) -> Resolved:
    """Return the event of a resolved name."""
    found = prepared.resolution
    return Resolved(
        id=prepared.call["id"],
        status=found.status,
        function=found.name or "",
        how=found.how or "",
    )


def checked(prepared: Any) -> Checked:
    """Return the event of checked arguments."""
    return Checked(
        id=prepared.call["id"],
        function=prepared.name,
        valid=prepared.answer is None,
        repairs=tuple(repair.kind for repair in prepared.repairs),
        problems=prepared.problems,
    )
