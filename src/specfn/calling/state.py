"""State of a session: plain data, so that a conversation can be stored while a decision is pending."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted
from specfn.calling.effects import CallResult
from specfn.calling.outcome import CallRecord, Outcome, Stopped
from specfn.connectors.turn import Call, Message
from specfn.http.response.tolerant_json import replace_non_finite
from specfn.invocation import failure_texts
from specfn.invocation.approval import Refusals
from specfn.invocation.storage import (
    content_as_json,
    decode,
    encode,
    repair_as_json,
    repair_from_json,
    summary_as_json,
)


@dataclass(slots=True, kw_only=True)
class State:
    """The state of a conversation.

    Attributes:
        messages: the conversation so far.
        records: the records of all finished calls.
        round: the number of requests made.
        executed: the number of calls that were sent.
        failed: the number of rounds in a row that had faulty calls and sent nothing.
        faults: the number of times each faulty call occurred, by the digest of its name and arguments.
        attempts: the number of faulty calls of each function.
        declined: the digests of declined calls.
        refusals: the number of refusals in a row of each function.
        succeeded: the results of non-idempotent calls that succeeded, by function and arguments; ``None`` if the
            outcome is not known.
        doubtful: the calls of earlier conversations of which nobody knows whether they were executed.
        denied: whether a call was declined and no call was made since.
        demanded: whether a message demanded a call.
        final: whether the final answer was requested.
        degraded: the requested features that were not available, a short word each.
        usage: the vendor's counts of tokens, summed.
        found: the advertised names of the functions that searches found, the latest last.
    """

    messages: list[Message]
    records: list[CallRecord] = field(default_factory=list)
    round: int = 0
    executed: int = 0
    failed: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    declined: list[str] = field(default_factory=list)
    refusals: Refusals = field(default_factory=Refusals)
    succeeded: dict[str, str | None] = field(default_factory=dict)
    doubtful: list[Call] = field(default_factory=list)
    denied: bool = False
    demanded: bool = False
    final: bool = False
    degraded: list[str] = field(default_factory=list)
    usage: JsonObject = field(default_factory=dict)
    found: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Replace NaN and infinities in the messages: JSON has neither."""
        self.messages = replace_non_finite(self.messages)

    def add_message(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.messages.append(replace_non_finite(message))

    def offer(self, names: Sequence[str]) -> None:
        """Record functions that a search found; those that were found before become the latest."""
        self.found = [*(name for name in self.found if name not in names), *names]

    def record_unavailable(self, word: str) -> None:
        """Record a requested feature that is not available."""
        if word not in self.degraded:
            self.degraded.append(word)

    def count_faults(self, calls: Iterable[Call]) -> None:
        """Count the faulty calls of a turn; equal calls in one turn count once."""
        self.faults.update({_identity(call) for call in calls})

    def decline(self, call: Call) -> None:
        """Record a declined call."""
        self.declined.append(_identity(call))

    def was_declined(self, call: Call) -> bool:
        """Return whether an equal call was declined."""
        return _identity(call) in self.declined

    def remember_write(self, write: str, result: CallResult) -> None:
        """Record the ``identity`` of a non-idempotent call that was sent, unless the server refused it."""
        if not result.error or 200 <= (result.status or 0) < 300:
            self.succeeded[write] = result.text
        elif result.status is None:
            self.succeeded.setdefault(write, None)

    def doubt_write(self, write: str) -> None:
        """Record the ``identity`` of a non-idempotent call of an earlier conversation whose outcome is not known."""
        self.succeeded.setdefault(write, None)

    def repeated_write(self, name: str, write: str) -> str | None:
        """Return the text for a call whose ``identity`` would repeat a write; ``None`` for any other call."""
        if write not in self.succeeded:
            return None
        result = self.succeeded[write]
        if result is None:
            return failure_texts.may_have_succeeded(name)
        return failure_texts.earlier_success(name, result)

    def fault_count(self, call: Call) -> int:
        """Return the number of times that an equal call was faulty."""
        return self.faults[_identity(call)]

    def add_usage(self, usage: JsonObject) -> None:
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
        """Return the state as plain JSON."""
        stored = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        records = [_dump_record(record) for record in self.records]
        counts = {name: dict(getattr(self, name)) for name in ("faults", "attempts", "refusals")}
        lasting_values = {"messages": encode(self.messages), "doubtful": encode(self.doubtful)}
        return {**stored, **counts, "records": records, **lasting_values}

    @classmethod
    def load(cls, stored: JsonObject) -> "State":
        """Return the state that ``dump`` wrote."""
        values: dict[str, Any] = {**stored}
        values["messages"] = decode(stored["messages"])
        values["doubtful"] = decode(stored.get("doubtful", []))
        values["records"] = [_load_record(item) for item in stored["records"]]
        values["faults"] = Counter(stored["faults"])
        values["attempts"] = Counter(stored["attempts"])
        values["refusals"] = Refusals(stored.get("refusals", {}))
        return cls(**values)


def _identity(call: Call) -> str:
    return identity(call["name"], call["arguments"])


def identity(name: str, arguments: Any) -> str:
    """Return the digest of a call: the state must not hold values that a filter or the human part added."""
    return digest(dumps_sorted([name, _as_sent(content_as_json(arguments))]))


def _as_sent(value: Any) -> Any:
    """Return arguments with numbers as requests serialize them: ``1.0`` and ``1`` are equal."""
    if isinstance(value, dict):
        return {key: _as_sent(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_sent(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _dump_record(record: CallRecord) -> JsonObject:
    values = {
        attribute.name: summary_as_json(getattr(record, attribute.name))
        for attribute in fields(record)
    }
    return {**values, "repairs": [repair_as_json(repair) for repair in record.repairs]}


def _load_record(item: JsonObject) -> CallRecord:
    repairs = tuple(map(repair_from_json, item["repairs"]))
    return CallRecord(**{**item, "repairs": repairs, "errors": tuple(item["errors"])})
