"""What a session remembers: plain data, so that a conversation can be stored while somebody makes up their mind."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted
from specfn.calling.calls import prompts
from specfn.calling.calls.effects import Invoked
from specfn.calling.outcome import CallRecord, Outcome, Stopped
from specfn.calling.storage import decode, encode, lasting, loaded_repair, storable, stored_repair
from specfn.connectors.turn import Call, Message
from specfn.http.response.non_finite import nulled


@dataclass(slots=True, kw_only=True)
class State:
    """The memory of a conversation.

    Attributes:
        messages: the conversation so far.
        records: what became of each call so far.
        round: how many requests were made.
        executed: how many calls were sent and answered.
        failed: how many rounds in a row had faulty calls and sent nothing.
        faults: how often each faulty call came, by its name and arguments.
        attempts: how many faulty calls each function had.
        declined: the calls that a person declined.
        succeeded: the results of non-idempotent calls that succeeded, by function and arguments; ``None`` if the
            outcome is not known.
        denied: whether a call was declined and none was made since.
        demanded: whether the model was told in words that it must call.
        final: whether the last answer was asked for.
        degraded: what could not be had, a short word each.
        usage: the vendor's counts, summed.
    """

    messages: list[Message]
    records: list[CallRecord] = field(default_factory=list)
    round: int = 0
    executed: int = 0
    failed: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    declined: list[str] = field(default_factory=list)
    succeeded: dict[str, str | None] = field(default_factory=dict)
    denied: bool = False
    demanded: bool = False
    final: bool = False
    degraded: list[str] = field(default_factory=list)
    usage: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over the messages as they can be sent: JSON has neither NaN nor infinities."""
        self.messages = nulled(self.messages)

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.messages.append(nulled(message))

    def degrade(self, word: str) -> None:
        """Remember that something could not be had."""
        if word not in self.degraded:
            self.degraded.append(word)

    def fault(self, calls: Iterable[Call]) -> None:
        """Count the faulty calls of a turn; the same one twice in it counts once."""
        self.faults.update({_identity(call) for call in calls})

    def decline(self, call: Call) -> None:
        """Remember that a person declined a call."""
        self.declined.append(_identity(call))

    def was_declined(self, call: Call) -> bool:
        """Whether a person declined this very call."""
        return _identity(call) in self.declined

    def wrote(self, write: str, result: Invoked) -> None:
        """Remember a non-idempotent call that was sent, unless the server refused it.

        Args:
            write: the ``identity`` of the call.
            result: its result.
        """
        if not result.error or 200 <= (result.status or 0) < 300:
            self.succeeded[write] = result.text
        elif result.status is None:
            self.succeeded.setdefault(write, None)

    def repetition(self, name: str, write: str) -> str | None:
        """Return the text for a call that would repeat a write; ``None`` if it repeats none.

        Args:
            name: the function's.
            write: the ``identity`` of the call.
        """
        if write not in self.succeeded:
            return None
        result = self.succeeded[write]
        if result is None:
            return prompts.may_have_succeeded(name)
        return prompts.already_succeeded(name, result)

    def times(self, call: Call) -> int:
        """How often this very call came and was faulty."""
        return self.faults[_identity(call)]

    def count(self, usage: JsonObject) -> None:
        """Add a reply's counts of tokens."""
        for name, value in usage.items():
            if isinstance(value, int) and not isinstance(value, bool):
                self.usage[name] = self.usage.get(name, 0) + value

    def outcome(self, stopped: Stopped) -> Outcome:
        """Return the outcome of a conversation that ended."""
        last = next((m for m in reversed(self.messages) if m["role"] == "assistant"), None)
        return Outcome(
            text=str(last.get("content") or "") if last else "",
            calls=tuple(self.records),
            stopped=stopped,
            degraded=tuple(self.degraded),
            messages=tuple(self.messages),
            rounds=self.round,
            usage=dict(self.usage),
        )

    def dump(self) -> JsonObject:
        """The state as plain JSON."""
        stored = {each.name: getattr(self, each.name) for each in fields(self)}
        records = [_stored(record) for record in self.records]
        counts = {"faults": dict(self.faults), "attempts": dict(self.attempts)}
        return {**stored, **counts, "records": records, "messages": encode(self.messages)}

    @classmethod
    def load(cls, stored: JsonObject) -> "State":
        """The state that ``dump`` wrote."""
        found: dict[str, Any] = {**stored}
        found["messages"] = decode(stored["messages"])
        found["records"] = [_record(item) for item in stored["records"]]
        found["faults"] = Counter(stored["faults"])
        found["attempts"] = Counter(stored["attempts"])
        return cls(**found)


def _identity(call: Call) -> str:
    return identity(call["name"], call["arguments"])


def identity(name: str, arguments: Any) -> str:
    """Return a digest of a call: a state must not hold what somebody put into the arguments."""
    return digest(dumps_sorted([name, _as_sent(lasting(arguments))]))


def _as_sent(value: Any) -> Any:
    """Return arguments with numbers as requests write them: ``1.0`` and ``1`` are one call."""
    if isinstance(value, dict):
        return {key: _as_sent(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_sent(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _stored(record: CallRecord) -> JsonObject:
    found = {each.name: storable(getattr(record, each.name)) for each in fields(record)}
    return {**found, "repairs": [stored_repair(repair) for repair in record.repairs]}


def _record(item: JsonObject) -> CallRecord:
    repairs = tuple(map(loaded_repair, item["repairs"]))
    return CallRecord(**{**item, "repairs": repairs, "errors": tuple(item["errors"])})
