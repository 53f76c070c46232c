"""What a conversation came to: ``Outcome`` (rule C10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from specfn._json import JsonObject
from specfn.connectors.turn import Message
from specfn.records import Repair

Stopped: TypeAlias = Literal[
    "model_text",
    "limit",
    "repair_limit",
    "denied",
    "deferred",
    "deadline",
    "cancelled",
    "terminated",
    "refused",
    "planned",
    "returned",
]

#: Why calls were not made, by why the conversation ended.
_UNDONE: Final[Mapping[str, str]] = {
    "cancelled": "the conversation was cancelled",
    "deadline": "the time for this conversation is over",
    "planned": "it was only planned",
}


def undone(why: Stopped) -> str:
    """Return the reason for calls that were not made because the conversation ended."""
    return _UNDONE.get(why, "the conversation was ended")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call of the model, and what became of it.

    Attributes:
        id: the call's.
        round: the request that it came with, from 0.
        called: the name that the model used.
        function: the function that was meant; ``None`` where none was found.
        how: what repaired the name; ``exact`` where nothing had to, ``None`` where no function was found.
        arguments: as they were understood; ``None`` where they could not be read.
        repairs: what was repaired in the arguments.
        errors: what was wrong, a sentence each.
        attempt: how often this function was called with faults before, plus one.
        executed: whether a request was sent.
        status: the HTTP status of the answer.
        result: what the model was told.
        data: the server's data, where the call succeeded.
        error: whether the model was told of an error.
    """

    id: str
    round: int
    called: str
    function: str | None = None
    how: str | None = None
    arguments: Any = None
    repairs: tuple[Repair, ...] = ()
    errors: tuple[str, ...] = ()
    attempt: int = 1
    executed: bool = False
    status: int | None = None
    result: str = ""
    data: Any = None
    error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a conversation.

    Attributes:
        text: the model's last words.
        calls: every call, in order.
        stopped: why it ended.
        degraded: what could not be had as it was asked for, a short word each.
        messages: the whole conversation, to be stored or continued.
        rounds: how many requests were made to the model.
        usage: the vendor's counts of tokens, summed.
    """

    text: str
    calls: tuple[CallRecord, ...]
    stopped: Stopped
    degraded: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    rounds: int = 0
    usage: JsonObject = field(default_factory=dict)

    @property
    def executed(self) -> tuple[CallRecord, ...]:
        """The calls for which a request was sent."""
        return tuple(call for call in self.calls if call.executed)

    def explain(self) -> str:
        """The trail, for a person: each call with what was wrong with it, and how it ended."""
        lines = [
            f"{self.rounds} requests to the model, {len(self.calls)} calls; ended: {self.stopped}"
        ]
        for call in self.calls:
            lines += _told(call)
        lines += [f"could not be had: {word}" for word in self.degraded]
        return "\n".join(lines)


def _told(call: CallRecord) -> Sequence[str]:
    meant = "no such function" if call.function is None else call.function
    how = f", {call.how}" if call.how else ""
    name = meant if call.called == call.function else f"{call.called!r} ({meant}{how})"
    state = f"HTTP {call.status}" if call.status else ("sent" if call.executed else "not sent")
    return [
        f"{call.round + 1}. {name}: {state}",
        *(f"   repaired {repair.path}: {repair.kind}" for repair in call.repairs),
        *(f"   {error}" for error in call.errors),
        *(f"   {line}" for line in call.result.splitlines()[:1] if _is_unexplained(call)),
    ]


def _is_unexplained(call: CallRecord) -> bool:
    """Whether only what the model was told says why a call came to nothing: declined, or without an answer."""
    return call.error and not call.errors and call.status is None
