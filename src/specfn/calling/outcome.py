"""The outcome of a conversation: ``Outcome`` (rule C10)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.characters import escape_invisible
from specfn._internal.json import JsonObject
from specfn._internal.values import brief, with_count
from specfn.connectors.turn import Message
from specfn.records import Repair

Stopped: TypeAlias = Literal[
    "model_text",
    "truncated",
    "empty",
    "pending",
    "failed",
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

#: Limits of ``explain``: characters of all calls, characters of all degraded features, characters of a line, repairs
#: and reasons of a call, and lines of a result.
_MOST_OF_CALLS: Final = 64_000
_MOST_MISSING: Final = 16_000
_LINE: Final = 300
_LINES: Final = 20
_RESULT: Final = 3

#: The reason why calls were not made, by the reason why the conversation ended.
_UNDONE: Final[Mapping[str, str]] = {
    "cancelled": "the conversation was cancelled",
    "deadline": "the time for this conversation is over",
    "pending": "the reply was not finished",
    "planned": "it was only planned",
}


def reason_not_made(why: Stopped) -> str:
    """Return the reason for calls that were not made because the conversation ended."""
    return _UNDONE.get(why, "the conversation was ended")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """The record of one call of the model.

    Attributes:
        id: the id of the call.
        round: the number of the request that the call replied to, from 0.
        called: the name that the model sent.
        function: the resolved function, or ``None``.
        how: the repair of the name; ``exact`` if the name needed no repair, ``None`` if no function was found.
        arguments: the parsed arguments; ``None`` if they could not be parsed.
        repairs: the repairs of the arguments.
        errors: the errors, a sentence each.
        attempt: the number of earlier faulty calls of this function, plus one.
        executed: whether a request was sent.
        status: the HTTP status of the response; ``None`` if there was no response.
        result: the result as the model read it.
        data: the server's data without secrets that it repeated, if the call succeeded.
        error: whether the model received an error.
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

    def __repr__(self) -> str:
        return f"<CallRecord {brief(self.id)}: {_name(self)}, {_state(self)}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a conversation.

    Attributes:
        text: the last text of the model.
        calls: the records of all calls, in order.
        stopped: the reason why the conversation ended.
        degraded: the requested features that were not available, a short word each.
        messages: the whole conversation, which can be stored or continued.
        rounds: the number of requests made to the model.
        usage: the vendor's counts of tokens, summed.
    """

    text: str
    calls: tuple[CallRecord, ...]
    stopped: Stopped
    degraded: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    rounds: int = 0
    usage: JsonObject = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = f"{with_count(len(self.calls), 'call')}, {with_count(self.rounds, 'request')} to the model"
        return f"<Outcome {self.stopped}: {counts}, text {brief(self.text)}>"

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        rows = (
            (call.round + 1, _name(call), _state(call), "; ".join(call.errors[:_RESULT]))
            for call in self.calls
        )
        table = Table("Calls", ("round", "function", "state", "errors"), rows, len(self.calls))
        return html(repr(self), text=self.text, tables=(table,))

    @property
    def executed(self) -> tuple[CallRecord, ...]:
        """The calls for which a request was sent."""
        return tuple(call for call in self.calls if call.executed)

    def explain(self) -> str:
        """Describe the conversation for a human: each call, its errors, and the end of the conversation.

        The text is bounded; it gives the number of omitted lines.
        """
        head = (
            f"{with_count(self.rounds, 'request')} to the model, {with_count(len(self.calls), 'call')}; "
            f"ended: {self.stopped}"
        )
        calls = [line for call in self.calls for line in _describe(call)]
        missing = [_one_line(f"not available: {word}") for word in self.degraded]
        return "\n".join([head, *_within(calls, _MOST_OF_CALLS), *_within(missing, _MOST_MISSING)])


def _name(call: CallRecord) -> str:
    """Return the name of the function, and the name that the model sent if it differs."""
    meant = "no such function" if call.function is None else call.function
    how = f", {call.how}" if call.how else ""
    return meant if call.called == call.function else f"{brief(call.called)} ({meant}{how})"


def _state(call: CallRecord) -> str:
    """Return the status of the response, or whether the call was sent."""
    return f"HTTP {call.status}" if call.status else ("sent" if call.executed else "not sent")


def _describe(call: CallRecord) -> list[str]:
    repairs = [f"repaired {repair.path}: {repair.kind}" for repair in call.repairs]
    reasons = call.errors or (call.result.splitlines()[:_RESULT] if _is_unexplained(call) else ())
    more = [*_first(repairs), *_first(reasons)]
    return [
        f"round {call.round + 1}: {_name(call)}: {_state(call)}",
        *(f"   {_one_line(line)}" for line in more),
    ]


def _is_unexplained(call: CallRecord) -> bool:
    """Return whether only the result explains why a call failed or was not sent."""
    return (call.error or not call.executed) and not call.errors


def _first(lines: Sequence[str]) -> Sequence[str]:
    left = len(lines) - _LINES
    return lines if left <= 0 else [*lines[:_LINES], f"... and {left} more"]


def _one_line(text: str) -> str:
    shown = escape_invisible(" ".join(text[: _LINE + 1].split()))
    return shown if len(text) <= _LINE else f"{shown[:_LINE]}..."


def _within(lines: Sequence[str], most: int) -> Iterator[str]:
    """Yield lines up to a number of characters, then the number of omitted lines."""
    for index, line in enumerate(lines):
        most -= len(line) + 1
        if most < 0:
            yield f"... and {len(lines) - index} more lines"
            return
        yield line
