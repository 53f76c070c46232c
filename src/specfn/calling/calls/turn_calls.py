"""The calls of one turn, on their way to results: every call gets exactly one, in its order (rule C7)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from specfn._internal.json import JsonObject, copied
from specfn.calling.calls import prompts
from specfn.calling.calls.approval import (
    ApprovalRequest,
    Approve,
    Decision,
    Deny,
    Needs,
    needs_approval,
)
from specfn.calling.calls.effects import Invoked
from specfn.calling.calls.human_part import complete, masked, models_part
from specfn.calling.calls.prepare import Prepared, prepare
from specfn.calling.calls.state import State, identity
from specfn.calling.choice.config import InvocationConfig
from specfn.calling.names.catalog import Catalog
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import Offer
from specfn.calling.outcome import CallRecord
from specfn.calling.storage import decode, encode, loaded_repair, storable, stored_repair
from specfn.connectors.turn import Call, Returned
from specfn.errors import UsageError
from specfn.function.separation.join import is_shared


@dataclass(slots=True, kw_only=True)
class Pending:
    """The calls of one turn.

    Attributes:
        calls: in the model's order.
        round: the request that they came with.
        results: what became of those that are done, by id.
        begun: the calls that are under way, by id.
        repeated: the calls that would repeat a write of this conversation, by id, with the text that the model reads
            if nobody approves them.
        held: the ids of calls that wait for the same write earlier in the turn.
        decided: whether those that needed somebody's agreement have got it or been declined.
    """

    calls: list[Prepared]
    round: int
    results: dict[str, Invoked] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    repeated: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    decided: bool = False

    @classmethod
    def of(cls, calls: Sequence[Call], catalog: Catalog, offered: Offer, round_: int) -> "Pending":
        """Look up and check the calls of a turn; those that cannot be made have their result at once."""
        prepared = [prepare(call, catalog, offered) for call in calls]
        made = cls(calls=prepared, round=round_)
        for each in prepared:
            if each.answer is not None:
                made.results[each.call["id"]] = Invoked(text=each.answer, error=True)
        return made

    @classmethod
    def unread(cls, calls: Sequence[Call], round_: int) -> "Pending":
        """Return the calls of a turn before they are looked up."""
        unknown = [Resolution(called=call["name"], status="unknown") for call in calls]
        found = [Prepared(call=c, resolution=r) for c, r in zip(calls, unknown, strict=True)]
        return cls(calls=found, round=round_)

    @property
    def faulty(self) -> bool:
        """Whether some call of the turn could not be made."""
        return any(call.answer is not None for call in self.calls)

    # -- before anything is sent -------------------------------------------------------------------

    def refuse(self, text: str) -> None:
        """Answer all calls with one text."""
        self.calls = [replace(call, answer=call.answer or text) for call in self.calls]
        for call in self.calls:
            self.results[call.call["id"]] = Invoked(text=text, error=True)

    def limit(self, most: int) -> None:
        """Answer the calls beyond a number."""
        for call in self.ready()[most:]:
            self.results[call.call["id"]] = Invoked(text=prompts.too_many(most), error=True)

    def decline(self, state: State) -> None:
        """Answer the calls that a person declined before: they are not asked again."""
        for call in self.ready():
            if state.was_declined(call.call):
                state.denied = True
                self.results[call.call["id"]] = Invoked(text=prompts.denied(), error=True)

    def close(self, why: str) -> None:
        """Give every call that has no result one: it was not made, or nobody knows."""
        for call in self.calls:
            key = call.call["id"]
            begun = key in self.begun
            text = prompts.cut_off(why) if begun else prompts.not_executed(why)
            self.results.setdefault(key, Invoked(text=text, error=True, executed=begun))

    def ready(self) -> tuple[Prepared, ...]:
        """The calls that can be made now and have no result yet."""
        return tuple(call for call in self._open() if call.call["id"] not in self.held)

    def _open(self) -> Iterator[Prepared]:
        return (call for call in self.calls if call.call["id"] not in self.results)

    # -- a person's agreement ------------------------------------------------------------------------

    def waiting(self, policy: Needs) -> tuple[ApprovalRequest, ...]:
        """What somebody has to agree to before anything of the turn is sent."""
        if self.decided:
            return ()
        return tuple(
            _request(call, repeated=call.call["id"] in self.repeated)
            for call in self._asking(policy)
        )

    def _asking(self, policy: Needs) -> list[Prepared]:
        return [
            call
            for call in self.ready()
            if call.call["id"] in self.repeated or (call.entry and _asks(policy, call))
        ]

    def find_repeated(self, state: State) -> None:
        """Find the calls that would repeat a write of this conversation; hold those that repeat one of the turn."""
        waiting: set[str] = set()
        self.held.clear()
        for call in [*filter(_is_write, self._open())]:
            key, write = call.call["id"], identity(call.name, call.arguments)
            text = state.repetition(call.name, write)
            if text is not None:
                self.repeated[key] = text
            elif write in waiting:
                self.held.add(key)
            waiting.add(write)

    def release(self, state: State) -> bool:
        """Release the calls that waited for the same write; return whether there were any."""
        if not self.held:
            return False
        self.remember(state)
        self.decline(state)
        self.find_repeated(state)
        self.decided = False
        return True

    def remember(self, state: State) -> None:
        """Remember the writes of the turn that succeeded, and those whose outcome is not known."""
        for call in filter(_is_write, self.calls):
            result = self.results.get(call.call["id"])
            if result is not None and result.executed:
                state.wrote(identity(call.name, models_part(call)), result)

    def decide(self, policy: Needs, decisions: Sequence[Decision]) -> bool:
        """Take the decisions, one for each call that waits; whether one of them was a no."""
        asked = dict(zip((c.call["id"] for c in self._asking(policy)), decisions, strict=True))
        calls = [_taken(call, asked.get(call.call["id"])) for call in self.calls]
        denied = {
            call.call["id"]
            for call, made in zip(calls, map(asked.get, self._ids), strict=True)
            if isinstance(made, Deny) and (made.asked or call.answer or self._agrees(policy, call))
        }
        refused = {
            call.call["id"]: call.answer or self._denial(call, asked[call.call["id"]])
            for call in calls
            if call.call["id"] in denied or (call.call["id"] in asked and call.answer is not None)
        }
        self.calls, self.decided = calls, True  # together: what was not decided is never sent
        for key, text in refused.items():
            self.results[key] = Invoked(text=text, error=True)
        return bool(denied)

    def _agrees(self, policy: Needs, call: Prepared) -> bool:
        """Return whether somebody has to agree to a call, whatever its arguments."""
        assert call.entry is not None
        return call.call["id"] in self.repeated or needs_approval(policy, call.entry.function)

    def _denial(self, call: Prepared, made: Decision | None) -> str:
        if isinstance(made, Deny) and made.asked:
            return prompts.denied(made.reason)
        assert call.entry is not None
        repeated = self.repeated.get(call.call["id"])
        return repeated or prompts.nobody_to_ask(call.name, call.entry.function.safety)

    def call(self, key: str) -> Call:
        """The call of an id."""
        return next(call.call for call in self.calls if call.call["id"] == key)

    @property
    def _ids(self) -> list[str]:
        return [call.call["id"] for call in self.calls]

    # -- afterwards ------------------------------------------------------------------------------------

    def returned(self, state: State, config: InvocationConfig) -> list[Returned]:
        """What the model is told, one for each call in order; the same faulty call again is told so."""
        found: list[Returned] = []
        state.fault([call.call for call in self.calls if call.answer is not None])
        for call in self.calls:
            result = self.results[call.call["id"]]
            text = result.text
            times = state.times(call.call)
            if call.answer is not None and times > 1:
                text = prompts.repeated(times, config.max_identical_failures)
            found.append(
                {
                    "id": call.call["id"],
                    "name": call.call["name"],
                    "text": text,
                    "error": result.error,
                }
            )
        return found

    def stubborn(self, state: State, config: InvocationConfig) -> bool:
        """Whether a faulty call came again although the model was told not to repeat it."""
        return any(
            state.times(call.call) > config.max_identical_failures
            for call in self.calls
            if call.answer is not None
        )

    def records(self, state: State) -> list[CallRecord]:
        """What became of the calls, for the outcome."""
        return [self._record(call, state) for call in self.calls]

    def _record(self, call: Prepared, state: State) -> CallRecord:
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
            arguments=masked(call),
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
        """The calls as plain JSON.

        Raises:
            UsageError: a person's values are among the arguments: they are not stored.
        """
        if self.decided and any(
            call.entry and is_shared(call.entry.function) for call in self.ready()
        ):
            raise UsageError(
                "a conversation is stored before a person fills in their part, or after"
            )
        return {
            "round": self.round,
            "decided": self.decided,
            "begun": sorted(self.begun),
            "repeated": dict(self.repeated),
            "held": sorted(self.held),
            "results": {
                key: {each.name: storable(getattr(result, each.name)) for each in fields(result)}
                for key, result in self.results.items()
            },
            "calls": [_dumped(call) for call in self.calls],
        }

    @classmethod
    def load(cls, stored: JsonObject, catalog: Catalog, allowed: Collection[str]) -> "Pending":
        """The calls that ``dump`` wrote; those under way then are not made again, nor those that are not allowed now."""
        made = cls(
            calls=[_loaded(item, catalog, allowed) for item in stored["calls"]],
            round=stored["round"],
            decided=stored["decided"],
            begun=set(stored["begun"]),
            repeated=dict(stored.get("repeated", {})),
            held=set(stored.get("held", ())),
            results={key: Invoked(**item) for key, item in stored["results"].items()},
        )
        for call in made.ready():
            key = call.call["id"]
            if key in made.begun:
                text = prompts.cut_off("the conversation was stored meanwhile")
                made.results[key] = Invoked(text=text, error=True, executed=True)
            elif call.answer is not None:
                made.results[key] = Invoked(text=call.answer, error=True)
        return made


def _is_write(call: Prepared) -> bool:
    """Return whether a call does more if it is sent twice."""
    return call.entry is not None and not call.entry.function.idempotent


def _taken(call: Prepared, made: Decision | None) -> Prepared:
    """Return a call with what a person changed and filled in; without their part if nobody can be asked."""
    if isinstance(made, Approve):
        return complete(call, made)
    is_asked = not isinstance(made, Deny) or made.asked
    if is_asked or call.entry is None or not is_shared(call.entry.function):
        return call
    return complete(call, Approve(), asked=False)


def _asks(policy: Needs, call: Prepared) -> bool:
    """A person is asked for their agreement, or for the part of the arguments that is theirs."""
    assert call.entry is not None
    function = call.entry.function
    return needs_approval(policy, function) or is_shared(function)


def _request(call: Prepared, *, repeated: bool) -> ApprovalRequest:
    assert call.entry is not None
    function = call.entry.function
    return ApprovalRequest(
        id=call.call["id"],
        function=call.name,
        method=function.method,
        path=function.path,
        safety=function.safety,
        arguments=copied(masked(call)),
        called=call.call["name"],
        how=call.resolution.how or "",
        repairs=call.repairs,
        human=None if function.separated is None else function.separated.human,
        repeated=repeated,
    )


def _dumped(call: Prepared) -> JsonObject:
    stored: dict[str, Any] = {
        "call": storable(call.call),
        "resolution": storable(asdict(call.resolution)),
        "entry": call.name or None,
        "arguments": encode(call.arguments),
        "repairs": [stored_repair(repair) for repair in call.repairs],
        "removed": list(call.removed),
        "errors": list(call.errors),
        "problems": list(call.problems),
        "answer": call.answer,
    }
    return stored


def _loaded(item: Mapping[str, Any], catalog: Catalog, allowed: Collection[str]) -> Prepared:
    resolution, name, answer = item["resolution"], item["entry"], item["answer"]
    if name is not None and name not in allowed:
        name, answer = None, answer or prompts.unknown(item["call"]["name"], (), ())
    return Prepared(
        call=item["call"],
        resolution=Resolution(**{**resolution, "candidates": tuple(resolution["candidates"])}),
        entry=None if name is None else catalog.by_name[name],
        arguments=decode(item["arguments"]),
        repairs=tuple(map(loaded_repair, item["repairs"])),
        removed=tuple(item.get("removed", ())),
        errors=tuple(item["errors"]),
        problems=tuple(item["problems"]),
        answer=answer,
    )
