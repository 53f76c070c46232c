"""The calls of one turn and their results: exactly one result for each call, in order (rule C7)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeAlias

from specfn._internal.json import JsonObject
from specfn.calling.config import InvocationConfig
from specfn.calling.effects import CallResult
from specfn.calling.outcome import CallRecord
from specfn.calling.state import State, identity
from specfn.connectors.turn import Call, Returned
from specfn.errors import UsageError
from specfn.function.separation.join import is_shared
from specfn.invocation import failure_texts
from specfn.invocation.approval import (
    MAX_REFUSALS,
    ApprovalRequest,
    Approve,
    Decision,
    Deny,
    Refusals,
)
from specfn.invocation.check import PreparedCall, prepare
from specfn.invocation.permit import approval_request, complete, mask_human_part, model_part
from specfn.invocation.storage import (
    decode,
    encode,
    repair_as_json,
    repair_from_json,
    summary_as_json,
)
from specfn.tools.function_set import AdvertisedFunction, Catalog
from specfn.tools.resolve import Resolution
from specfn.tools.tool_set import ToolSet
from specfn.validation.text.strict_json import read_strict

#: Returns whether the calls of a function need approval.
NeedsApproval: TypeAlias = Callable[[AdvertisedFunction], bool]


@dataclass(slots=True, kw_only=True)
class TurnCalls:
    """The calls of one turn and their state.

    Attributes:
        calls: in the model's order.
        round: the number of the request that the calls reply to.
        results: the results of finished calls, by id.
        begun: the ids of calls that have begun.
        repeated: the calls that would repeat a write of this conversation, by id, with the text for the model if they
            are not approved.
        held: the ids of calls that wait for the same write earlier in the turn.
        decided: whether the calls that needed approval were approved or declined.
    """

    calls: list[PreparedCall]
    round: int
    results: dict[str, CallResult] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    repeated: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    decided: bool = False

    @classmethod
    def of(
        cls, calls: Sequence[Call], catalog: Catalog, offered: ToolSet, round_: int
    ) -> "TurnCalls":
        """Resolve and validate the calls of a turn; calls that cannot be made get their result at once."""
        prepared = [prepare(call, catalog, offered) for call in calls]
        turn = cls(calls=prepared, round=round_)
        for prepared_call in prepared:
            if prepared_call.answer is not None:
                turn.results[prepared_call.call["id"]] = CallResult(
                    text=prepared_call.answer, error=True
                )
        return turn

    @classmethod
    def unresolved(cls, calls: Sequence[Call], round_: int) -> "TurnCalls":
        """Return the calls of a turn before their names are resolved."""
        unknown = [Resolution(called=call["name"], status="unknown") for call in calls]
        waiting = [PreparedCall(call=c, resolution=r) for c, r in zip(calls, unknown, strict=True)]
        return cls(calls=waiting, round=round_)

    @property
    def has_faults(self) -> bool:
        """Return true if a call of the turn could not be made."""
        return any(call.answer is not None for call in self.calls)

    # -- before anything is sent -------------------------------------------------------------------

    def refuse(self, text: str) -> None:
        """Give all calls the same error as their result."""
        self.calls = [replace(call, answer=call.answer or text) for call in self.calls]
        for call in self.calls:
            self.results[call.call["id"]] = CallResult(text=text, error=True)

    def refuse_incomplete(self, text: str) -> None:
        """Refuse the calls that may be incomplete, because the reply may have been cut; others only read data.

        A call is complete if its function reads and its arguments are an object, or the JSON text of one.
        """
        for index, call in enumerate(self.calls):
            if call.entry is None or call.answer is not None or _is_whole_read(call):
                continue
            self.calls[index] = replace(call, answer=text)
            self.results[call.call["id"]] = CallResult(text=text, error=True)

    def limit(self, most: int) -> None:
        """Give the calls beyond a number an error as their result."""
        for call in self.ready()[most:]:
            self.results[call.call["id"]] = CallResult(
                text=failure_texts.too_many(most), error=True
            )

    def calls_only(self, function: AdvertisedFunction | None) -> bool:
        """Return whether all calls of the turn are of one function."""
        return all(call.entry is not None and call.entry is function for call in self.calls)

    def answer(self, function: AdvertisedFunction | None, answer: Callable[[Any], str]) -> None:
        """Give the calls of a function the results for their arguments; nothing is sent for them."""
        for call in self.ready():
            if call.entry is not None and call.entry is function:
                self.results[call.call["id"]] = CallResult(text=answer(call.arguments))

    def decline(self, state: State) -> None:
        """Deny the calls that were declined earlier, without asking for approval again."""
        for call in self.ready():
            if state.was_declined(call.call):
                state.denied = True
                self.results[call.call["id"]] = CallResult(text=failure_texts.denial(), error=True)

    def close(self, why: str) -> None:
        """Give every call without a result one: it was not made, or its effect is unknown."""
        for call in self.calls:
            key = call.call["id"]
            begun = key in self.begun
            text = failure_texts.interrupted_call(why) if begun else failure_texts.not_executed(why)
            self.results.setdefault(key, CallResult(text=text, error=True, executed=begun))

    def ready(self) -> tuple[PreparedCall, ...]:
        """Return the calls that can be made now and have no result yet."""
        return tuple(call for call in self._open() if call.call["id"] not in self.held)

    def _open(self) -> Iterator[PreparedCall]:
        return (call for call in self.calls if call.call["id"] not in self.results)

    # -- approval --------------------------------------------------------------------------------------

    def approvals(self, needs_approval: NeedsApproval) -> tuple[ApprovalRequest, ...]:
        """Return the requests for approval that must be decided before any call of the turn is sent."""
        if self.decided:
            return ()
        return tuple(
            approval_request(call, repeated=call.call["id"] in self.repeated)
            for call in self._asking(needs_approval)
        )

    def _asking(self, needs_approval: NeedsApproval) -> list[PreparedCall]:
        return [
            call
            for call in self.ready()
            if call.call["id"] in self.repeated or (call.entry and _must_ask(needs_approval, call))
        ]

    def refuse_without_asking(self, state: State, needs_approval: NeedsApproval) -> None:
        """Refuse the calls of functions about which the user declined too many questions in a row."""
        if self.decided:
            return
        for call in self._asking(needs_approval):
            if state.refusals.forbid(call.name):
                state.denied = True
                text = failure_texts.refused_without_asking(call.name, MAX_REFUSALS)
                self.results[call.call["id"]] = CallResult(text=text, error=True)

    def remember_doubtful(self, state: State, catalog: Catalog, offered: ToolSet) -> None:
        """Record the writes of earlier conversations whose outcome is unknown, so that repeating them needs an approval."""
        for call in state.doubtful:
            earlier = prepare(call, catalog, offered)
            if earlier.answer is None and _is_write(earlier):
                state.doubt_write(identity(earlier.name, earlier.arguments))

    def find_repeated(self, state: State) -> None:
        """Mark the calls that repeat a write of this conversation; hold back those that repeat a write of the same turn."""
        waiting: set[str] = set()
        self.held.clear()
        for call in [*filter(_is_write, self._open())]:
            key, write = call.call["id"], identity(call.name, call.arguments)
            text = state.repeated_write(call.name, write)
            if text is not None:
                self.repeated[key] = text
            elif write in waiting:
                self.held.add(key)
            waiting.add(write)

    def release(self, state: State) -> bool:
        """Release the calls that were held back; return whether there were any."""
        if not self.held:
            return False
        self.remember(state)
        self.decline(state)
        self.find_repeated(state)
        self.decided = False
        return True

    def remember(self, state: State) -> None:
        """Record the writes of the turn that succeeded, and those with an unknown outcome."""
        for call in filter(_is_write, self.calls):
            result = self.results.get(call.call["id"])
            if result is not None and result.executed:
                state.remember_write(identity(call.name, model_part(call)), result)

    def decide(
        self, needs_approval: NeedsApproval, decisions: Sequence[Decision], refusals: Refusals
    ) -> bool:
        """Apply the decisions, one for each waiting call; return whether a call was denied.

        Args:
            needs_approval: returns whether the calls of a function need approval.
            decisions: the decisions, in the order of the calls.
            refusals: records the decisions.
        """
        waiting = self._asking(needs_approval)
        asked = dict(zip((c.call["id"] for c in waiting), decisions, strict=True))
        unasked = set()
        for call in waiting:
            if refusals.forbid(call.name):
                unasked.add(call.call["id"])
            refusals.note(call.name, asked[call.call["id"]])
        calls = [_apply(call, asked.get(call.call["id"])) for call in self.calls]
        denied = {
            call.call["id"]
            for call, decision in zip(calls, map(asked.get, self._ids), strict=True)
            if isinstance(decision, Deny)
            and (decision.asked or call.answer or self._is_asked(needs_approval, call))
        }
        refused = {
            call.call["id"]: call.answer
            or (
                failure_texts.refused_without_asking(call.name, MAX_REFUSALS)
                if call.call["id"] in unasked
                else self._denial(call, asked[call.call["id"]])
            )
            for call in calls
            if call.call["id"] in denied or (call.call["id"] in asked and call.answer is not None)
        }
        self.calls, self.decided = calls, True  # together: a call without a decision is never sent
        for key, text in refused.items():
            self.results[key] = CallResult(text=text, error=True)
        return bool(denied)

    def _is_asked(self, needs_approval: NeedsApproval, call: PreparedCall) -> bool:
        """Return whether a call needs approval, whatever its arguments."""
        assert call.entry is not None
        return call.call["id"] in self.repeated or needs_approval(call.entry)

    def _denial(self, call: PreparedCall, decision: Decision | None) -> str:
        if isinstance(decision, Deny) and decision.asked:
            return failure_texts.denial(decision.reason)
        assert call.entry is not None
        repeated = self.repeated.get(call.call["id"])
        return repeated or failure_texts.nobody_to_ask(call.name, call.entry.function.safety)

    def call(self, key: str) -> Call:
        """Return the call with an id."""
        return next(call.call for call in self.calls if call.call["id"] == key)

    @property
    def _ids(self) -> list[str]:
        return [call.call["id"] for call in self.calls]

    # -- results ---------------------------------------------------------------------------------------

    def results_for_model(self, state: State, config: InvocationConfig) -> list[Returned]:
        """Return the results for the model, in the order of the calls; a repeated faulty call is reported as repeated."""
        returned: list[Returned] = []
        state.count_faults([call.call for call in self.calls if call.answer is not None])
        for call in self.calls:
            result = self.results[call.call["id"]]
            text = result.text
            times = state.fault_count(call.call)
            if call.answer is not None and times > 1:
                text = failure_texts.repetition(times, config.max_identical_failures)
            returned.append(
                {
                    "id": call.call["id"],
                    "name": call.call["name"],
                    "text": text,
                    "error": result.error,
                }
            )
        return returned

    def repeats_failures(self, state: State, config: InvocationConfig) -> bool:
        """Return whether a faulty call was repeated too often."""
        return any(
            state.fault_count(call.call) > config.max_identical_failures
            for call in self.calls
            if call.answer is not None
        )

    def records(self, state: State) -> list[CallRecord]:
        """Return the records of the calls for the outcome."""
        return [self._record(call, state) for call in self.calls]

    def _record(self, call: PreparedCall, state: State) -> CallRecord:
        result = self.results[call.call["id"]]
        name = call.name or call.call["name"]
        if call.answer is not None:
            state.attempts[name] += 1
        return CallRecord(
            id=call.call["id"],
            round=self.round,
            called=call.call["name"],
            function=call.resolution.name,
            how=call.resolution.how,
            arguments=mask_human_part(call),
            repairs=call.repairs,
            errors=call.errors,
            attempt=max(1, state.attempts[name]),
            executed=result.executed,
            status=result.status,
            result=result.text,
            data=result.data,
            error=result.error,
        )

    # -- storing -----------------------------------------------------------------------------------------

    def dump(self) -> JsonObject:
        """Return the calls as plain JSON.

        Raises:
            UsageError: the arguments contain values of the human part, which are never stored.
        """
        if self.decided and any(
            call.entry and is_shared(call.entry.function) for call in self.ready()
        ):
            raise UsageError(
                "the conversation holds values of the human part, which are never stored: store it before they are "
                "filled in, or after the calls were made"
            )
        return {
            "round": self.round,
            "decided": self.decided,
            "begun": sorted(self.begun),
            "repeated": dict(self.repeated),
            "held": sorted(self.held),
            "results": {
                key: {
                    attribute.name: summary_as_json(getattr(result, attribute.name))
                    for attribute in fields(result)
                }
                for key, result in self.results.items()
            },
            "calls": [_dump_call(call) for call in self.calls],
        }

    @classmethod
    def load(cls, stored: JsonObject, catalog: Catalog, allowed: Collection[str]) -> "TurnCalls":
        """Return the calls that ``dump`` wrote.

        Calls that had begun are not made again. Calls of functions that are not allowed now are not made.
        """
        turn = cls(
            calls=[_load_call(item, catalog, allowed) for item in stored["calls"]],
            round=stored["round"],
            decided=stored["decided"],
            begun=set(stored["begun"]),
            repeated=dict(stored.get("repeated", {})),
            held=set(stored.get("held", ())),
            results={key: CallResult(**item) for key, item in stored["results"].items()},
        )
        for call in turn.ready():
            key = call.call["id"]
            if key in turn.begun:
                text = failure_texts.interrupted_call("the conversation was stored meanwhile")
                turn.results[key] = CallResult(text=text, error=True, executed=True)
            elif call.answer is not None:
                turn.results[key] = CallResult(text=call.answer, error=True)
        return turn


def _is_write(call: PreparedCall) -> bool:
    """Return whether a call of the function is not idempotent."""
    return call.entry is not None and not call.entry.function.idempotent


def _is_whole_read(call: PreparedCall) -> bool:
    """Return whether a call reads data, with arguments that are complete without a repair of their text."""
    assert call.entry is not None
    sent = call.call["arguments"]
    is_whole = isinstance(read_strict(sent) if isinstance(sent, str) else sent, dict)
    return call.entry.function.safety == "read" and is_whole


def _apply(call: PreparedCall, decision: Decision | None) -> PreparedCall:
    """Return a call with the changes and the human part of a decision; without a human part if approval is unavailable."""
    if isinstance(decision, Approve):
        return complete(call, decision)
    is_asked = not isinstance(decision, Deny) or decision.asked
    if is_asked or call.entry is None or not is_shared(call.entry.function):
        return call
    return complete(call, Approve(), asked=False)


def _must_ask(needs_approval: NeedsApproval, call: PreparedCall) -> bool:
    """Return whether a call needs approval or a human part."""
    assert call.entry is not None
    return needs_approval(call.entry) or is_shared(call.entry.function)


def _dump_call(call: PreparedCall) -> JsonObject:
    stored: dict[str, Any] = {
        "call": summary_as_json(call.call),
        "resolution": summary_as_json(asdict(call.resolution)),
        "entry": call.name or None,
        "arguments": encode(call.arguments),
        "repairs": [repair_as_json(repair) for repair in call.repairs],
        "removed": list(call.removed),
        "errors": list(call.errors),
        "problems": list(call.problems),
        "answer": call.answer,
    }
    return stored


def _load_call(item: Mapping[str, Any], catalog: Catalog, allowed: Collection[str]) -> PreparedCall:
    resolution, name, answer = item["resolution"], item["entry"], item["answer"]
    if name is not None and name not in allowed:
        name, answer = None, answer or failure_texts.unknown_function(item["call"]["name"], (), ())
    return PreparedCall(
        call=item["call"],
        resolution=Resolution(**{**resolution, "candidates": tuple(resolution["candidates"])}),
        entry=None if name is None else catalog.by_name[name],
        arguments=decode(item["arguments"]),
        repairs=tuple(map(repair_from_json, item["repairs"])),
        removed=tuple(item.get("removed", ())),
        errors=tuple(item["errors"]),
        problems=tuple(item["problems"]),
        answer=answer,
    )
