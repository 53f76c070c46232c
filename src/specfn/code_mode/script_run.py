"""Runs of scripts: each call is checked like any other, and a write that is not allowed pauses its script (rule C12).

A script that waits for approvals is a sealed text (threat T36). The seal is an approval token over the code and the complete state. It is checked before a byte of the snapshot is
loaded.
"""

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol

import anyio

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps_sorted, loads
from specfn._internal.logs import calls_log as log
from specfn.code_mode.sandbox import (
    Failed,
    Finished,
    Raised,
    Returned,
    Sandbox,
    SandboxCall,
    ScriptLimits,
    Settled,
    Step,
    Waiting,
    sandbox,
)
from specfn.code_mode.script_functions import ScriptFunctions
from specfn.code_mode.script_prelude import PAGE
from specfn.code_mode.script_result import (
    Remark,
    ScriptPause,
    ScriptResult,
    call_line,
    describe_calls,
    failure_result,
    remark,
    remarks,
    success_result,
)
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer, PendingCall
from specfn.invocation.approval import MAX_REFUSALS, Approve, Deny, Refusals
from specfn.invocation.approval_form import MAX_CHARACTERS, CallToApprove, approval_form
from specfn.invocation.approval_token import ApprovalTokens, ApprovedCall
from specfn.invocation.check import PreparedCall
from specfn.invocation.next_page import items_of
from specfn.invocation.pages import AFTER_THE_END

#: An attribute that no namespace of functions has, in an error of the interpreter.
_NO_ATTRIBUTE: Final = re.compile(r"'Api' object has no attribute '(\w+)'")

#: The reason why a response is not a page.
_NO_ITEMS: Final = (
    "pages needs a response with one list, and nothing says which list of this response has the items; call the function "
    "itself, and request its next page with the arguments that the end of the output names"
)

#: The advice after an unknown key. The types of responses are those of the document, which its server may not follow.
_OTHER_KEYS: Final = (
    "; a response may have other keys than its documented type: print it, or use .get"
)

#: The maximum size of a snapshot that is compressed, as a multiple of the limit of its compressed form.
_MAX_RATIO: Final = 8


class WaitingCall(NamedTuple):
    """A call of a script that waits.

    Attributes:
        name: the name of the function.
        sent: its arguments, as the script sent them.
        token: the token of its approval; empty if the approval is not requested yet.
        as_page: the script reads its items, and continues with the arguments of the next page.
        may_be_after_the_end: it is a page that the page before did not announce.
    """

    name: str
    sent: Any
    token: str = ""
    as_page: bool = False
    may_be_after_the_end: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptState:
    """The state of a script that waits for approvals.

    Attributes:
        snapshot: the interpreter, compressed.
        waiting: the calls that wait, by their numbers.
        calls: the number of calls.
        seconds: the processor time that it took.
        printed: the texts that it printed.
        executed: a line for each executed call.
        remarks: the remarks on responses that a script cannot read completely from their data.
        refusals: the number of refusals in a row of each function.
    """

    snapshot: bytes = b""
    waiting: Mapping[int, WaitingCall] = field(default_factory=dict)
    calls: int = 0
    seconds: float = 0.0
    printed: str = ""
    executed: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    refusals: Mapping[str, int] = field(default_factory=dict)


def state_size(snapshot: bytes, waiting: Iterable[WaitingCall], limit: int) -> tuple[int, bytes]:
    """Return the number of bytes to store for a script, and its compressed snapshot.

    A snapshot that is much larger than the limit is not compressed, because that takes too long.
    """
    if len(snapshot) > _MAX_RATIO * limit:
        return len(snapshot), b""
    stored = zlib.compress(snapshot, 6)
    return len(stored) + sum(len(dumps_sorted(call.sent)) for call in waiting), stored


def seal(state: ScriptState, code: str, tokens: ApprovalTokens) -> str:
    """Return a state as a text with a seal, which expires like a token."""
    content = _as_json(state)
    token = tokens.issue(_content_of_seal(code, content)).token
    return dumps_sorted({"content": content, "seal": token}).decode()


def unseal(text: str, code: str, tokens: ApprovalTokens) -> ScriptState | str:
    """Return the state of a sealed text, or the reason to refuse it. A seal is accepted once."""
    try:
        stored = loads(text)
        content, token = stored["content"], stored["seal"]
        covered = _content_of_seal(code, content)
    except (ValueError, TypeError, KeyError):
        return "it is not the state of a script, or was altered"
    reason = tokens.refusal(token, covered)
    return reason if reason is not None else _from_json(content)


def _content_of_seal(code: str, content: Any) -> ApprovedCall:
    """Return everything that a seal covers."""
    return ApprovedCall(
        function="run",
        fingerprint=digest(code),
        arguments=digest(dumps_sorted(content).decode()),
        human=None,
        target="script",
    )


def _as_json(state: ScriptState) -> JsonObject:
    return {
        "snapshot": b64encode(state.snapshot).decode("ascii"),
        "waiting": [[number, *call] for number, call in state.waiting.items()],
        "calls": state.calls,
        "seconds": state.seconds,
        "printed": state.printed,
        "executed": list(state.executed),
        "remarks": [list(remark) for remark in state.remarks],
        "refusals": dict(state.refusals),
    }


def _from_json(content: JsonObject) -> ScriptState:
    return ScriptState(
        snapshot=b64decode(content["snapshot"]),
        waiting={number: WaitingCall(*rest) for number, *rest in content["waiting"]},
        calls=content["calls"],
        seconds=content["seconds"],
        printed=content["printed"],
        executed=tuple(content["executed"]),
        remarks=tuple(Remark(*parts) for parts in content["remarks"]),
        refusals=content["refusals"],
    )


#: The maximum number of calls of a script that are made at the same time.
_MAX_TOGETHER: Final = 8

#: The minimum time that a script has after an approval, in seconds.
_MIN_SECONDS: Final = 1.0


class Outcome(Protocol):
    """The execution of checked calls."""

    async def __call__(self, call: PreparedCall, *, ask: bool, granted: str | None) -> Answer:
        """Return the answer to a call.

        Args:
            call: the call.
            ask: a call that needs an approval waits for it; otherwise it is refused.
            granted: the token of an approval.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """The scripts of a server.

    Attributes:
        functions: the functions that scripts may call.
        outcome: executes calls.
        tokens: the tokens that seal scripts.
        limits: the limits of each script.
        together: ask once for all calls that a script starts together; otherwise once per call.
        running: the scripts that run now.
    """

    functions: ScriptFunctions
    outcome: Outcome
    tokens: ApprovalTokens = field(repr=False)
    limits: ScriptLimits = field(default_factory=ScriptLimits)
    together: bool = True
    running: set["_Run"] = field(default_factory=set, repr=False)

    async def run(self, code: str, *, ask: bool) -> ScriptResult | ScriptPause:
        """Run a script.

        Args:
            code: the script.
            ask: calls that need an approval pause the script; otherwise they are refused.
        """
        size = len(code.encode(errors="replace"))
        if size > self.limits.code:
            return _error(f"the code has {size:,} bytes; at most {self.limits.code:,} are allowed")
        if len(self.running) >= self.limits.together:
            return _error("too many scripts run at the same time; run this one again later")
        run = _Run(self, code, ask=ask)
        return await run.end(self._begin(run, code))

    async def _begin(self, run: "_Run", code: str) -> ScriptResult | ScriptPause:
        async with self._sandbox(run, code, self.limits.seconds) as box:
            return await run.advance(box, await box.start(self.functions.tree(code)))

    async def resume(self, code: str, state: str, *, approved: bool) -> ScriptResult | ScriptPause:
        """Continue a script from its sealed state after the decision of the user, who may refuse its calls."""
        paused = unseal(state, code, self.tokens)
        if isinstance(paused, str):
            return ScriptResult(
                f"Error: this script cannot be resumed: {paused}. Nothing more was executed, but the calls before the "
                "question were. Find out what they did before you run it again.",
                is_error=True,
            )
        run = _Run(self, code, ask=True, state=paused)
        return await run.end(self._continue(run, code, paused, approved=approved))

    async def _continue(
        self, run: "_Run", code: str, state: ScriptState, *, approved: bool
    ) -> ScriptResult | ScriptPause:
        left = max(self.limits.seconds - state.seconds, _MIN_SECONDS)
        async with self._sandbox(run, code, left) as box:
            step = await box.load(zlib.decompress(state.snapshot))
            if isinstance(step, Waiting):
                step = await box.resume(await run.settle_decision(approved=approved))
            return await run.advance(box, step)

    @asynccontextmanager
    async def _sandbox(self, run: "_Run", code: str, seconds: float) -> AsyncIterator[Sandbox]:
        self.running.add(run)
        try:
            async with sandbox(
                code,
                self.limits,
                seconds,
                on_call=run.begin_call,
                on_unknown=run.unknown_function,
                on_print=run.record_print,
            ) as box:
                yield box
        finally:
            self.running.discard(run)


def _error(problem: str) -> ScriptResult:
    return ScriptResult(f"Error: {problem}. {describe_calls(())}", is_error=True)


class _Run:
    """One run of a script, from its start or an approval to its end or the next approval."""

    def __init__(
        self, scripts: Scripts, code: str, *, ask: bool, state: ScriptState = ScriptState()
    ) -> None:
        self._scripts = scripts
        self._code = code
        self._ask = ask
        self._waiting = dict(state.waiting)
        self._pending: dict[int, PendingCall] = {}
        self._calls = state.calls
        self._seconds = state.seconds
        self._printed = state.printed
        self._executed = list(state.executed)
        self._remarks = list(state.remarks)
        self._refusals = Refusals(state.refusals)

    # -- from the sandbox -----------------------------------------------------------------------------

    def record_print(self, text: str) -> None:
        """Keep a printed text, up to the limit of the output."""
        room = self._scripts.limits.output + 1 - len(self._printed)
        self._printed += text[: max(room, 0)]

    def begin_call(self, call: SandboxCall) -> Raised | None:
        """Keep a call until the script waits for it; return an exception if it cannot be made."""
        functions = self._scripts.functions
        self._calls += 1
        if self._calls > self._scripts.limits.calls:
            return Raised(
                "RuntimeError", f"a script makes at most {self._scripts.limits.calls} calls"
            )
        page = call.kwargs.pop(PAGE, None)
        try:
            sent = functions.arguments_of(call.name, call.args, call.kwargs)
        except TypeError as error:
            return Raised("TypeError", str(error))
        self._waiting[call.id] = WaitingCall(
            call.name, sent, as_page=page is not None, may_be_after_the_end=page == "unannounced"
        )
        return None

    def unknown_function(self, name: str, is_attribute: bool) -> Raised:  # noqa: FBT001  # a callback of the sandbox
        """Return the exception for the call of a function that does not exist."""
        kind = "AttributeError" if is_attribute else "NameError"
        return Raised(kind, self._unknown(name, is_attribute=is_attribute))

    def _unknown(self, name: str, *, is_attribute: bool) -> str:
        return self._scripts.functions.unknown(name, self._code, is_attribute=is_attribute)

    # -- calls ----------------------------------------------------------------------------------------

    async def end(self, steps: Awaitable[ScriptResult | ScriptPause]) -> ScriptResult | ScriptPause:
        """Return the result of steps. A fault of this server ends the script, too, and the executed calls are listed."""
        try:
            return await steps
        except Exception as error:  # noqa: BLE001  # its text must not reach the model
            log.error(
                "a script ended by a fault of specfn: %s", type(error).__name__, exc_info=error
            )
            return self._end_result(
                Failed("the server could not continue the script; this is not an error of the code")
            )

    async def advance(self, box: Sandbox, step: Step) -> ScriptResult | ScriptPause:
        """Make the calls of a script until it ends or only waits for approvals."""
        while isinstance(step, Waiting):
            settled = await self._settle(step.ids)
            if not settled:
                pause = await self._pause(box)
                if isinstance(pause, ScriptPause):
                    return pause
                settled = pause
            step = await box.resume(settled)
        return self._end_result(step)

    async def settle_decision(self, *, approved: bool) -> Mapping[int, Settled]:
        """Return the results of the calls that the user decided about."""
        asked = {number: call for number, call in self._waiting.items() if call.token}
        self._waiting = {number: call._replace(token="") for number, call in self._waiting.items()}
        for name in {
            call.name for call in asked.values()
        }:  # one question, whatever the number of its calls
            self._refusals.note(name, Approve() if approved else Deny())
        if not approved:
            return {number: self._refuse(number, failure_texts.denial()) for number in asked}
        return await self._make(asked)

    async def _settle(self, ids: Sequence[int]) -> Mapping[int, Settled]:
        """Make all calls that do not wait for an approval, and return their results."""
        return await self._make(
            {number: self._waiting[number] for number in ids if number not in self._pending}
        )

    async def _make(self, calls: Mapping[int, WaitingCall]) -> Mapping[int, Settled]:
        answers: dict[int, Answer] = {}
        limiter = anyio.CapacityLimiter(_MAX_TOGETHER)

        async def make(number: int, call: WaitingCall) -> None:
            async with limiter:
                prepared = self._scripts.functions.prepare(call.name, call.sent)
                answers[number] = await self._scripts.outcome(
                    prepared, ask=self._ask, granted=call.token or None
                )

        try:
            async with anyio.create_task_group() as group:
                for number, call in calls.items():
                    group.start_soon(make, number, call)
        finally:  # after a fault, too: the executed calls are listed
            outcomes = {
                number: self._result(number, answers[number])
                for number in calls
                if number in answers
            }
        return {number: outcome for number, outcome in outcomes.items() if outcome is not None}

    def _result(self, number: int, answer: Answer) -> Settled | None:
        """Return the result of a call; ``None`` if it waits for an approval."""
        if answer.pending is not None:
            name = answer.pending.function
            if self._refusals.forbid(name):
                return self._refuse(
                    number, failure_texts.refused_without_asking(name, MAX_REFUSALS)
                )
            self._pending[number] = answer.pending
            return None
        call = self._waiting.pop(number)
        place = self._scripts.functions.place(call.name)
        line = call_line(place, call.sent, answer)
        self._executed += [] if line is None else [line]
        self._remarks = [item for item in self._remarks if not item.is_settled(place, call.sent)]
        note = remark(place, call.sent, answer)
        self._remarks += [] if note is None else [note]
        status = None if answer.result is None else answer.result.status
        if call.may_be_after_the_end and status in AFTER_THE_END:
            if AFTER_THE_END[status] != "end":
                unknown = f"{place}: the last page has the status {status}; there may be more items"
                self._remarks.append(Remark(unknown))
            return Returned({"items": [], "next": None, "is_announced": True})
        if not answer.ok or answer.result is None:
            return Raised("RuntimeError", answer.text)
        data = self._scripts.functions.data(call.name, answer.result)
        if not call.as_page:
            return Returned(data)
        paging = self._scripts.functions.function(call.name).paging_of(answer.result.data)
        items = data if paging is None else items_of(data, paging)
        if not isinstance(items, list):
            return Raised("RuntimeError", f"{place}: {_NO_ITEMS}")
        announced = answer.next_is_certain
        return Returned({"items": items, "next": answer.next, "is_announced": announced})

    def _refuse(self, number: int, text: str) -> Settled:
        self._waiting.pop(number)
        self._pending.pop(number, None)
        return Raised("RuntimeError", text)

    # -- the end --------------------------------------------------------------------------------------

    async def _pause(self, box: Sandbox) -> ScriptPause | Mapping[int, Settled]:
        """Return the paused script; refuse its calls if its state is too large to store, or a call to be shown.

        A form covers the first calls, as many as it shows completely. The others wait for the next form.
        """
        limit = self._scripts.limits.snapshot
        waiting = [*self._waiting.values()]
        size, snapshot = await anyio.to_thread.run_sync(state_size, box.snapshot(), waiting, limit)
        if size > limit:
            text = (
                f"this call needs the approval of the user, and the script holds too much data to wait for it "
                f"({size:,} bytes; at most {limit:,}). Nothing was sent. Write a script that keeps less."
            )
            return {number: self._refuse(number, text) for number in [*self._pending]}
        numbers = sorted(self._pending)
        numbers = numbers if self._scripts.together else numbers[:1]
        form = approval_form([self._to_approve(number) for number in numbers])
        if form.count == 0:
            text = failure_texts.too_large_to_approve(
                self._waiting[numbers[0]].name, MAX_CHARACTERS
            )
            return {numbers[0]: self._refuse(numbers[0], text)}
        numbers = numbers[: form.count]
        asked = {number: self._pending[number] for number in numbers}
        tokens = {n: self._waiting[n]._replace(token=pending.token) for n, pending in asked.items()}
        state = ScriptState(
            snapshot=snapshot,
            waiting={**self._waiting, **tokens},
            calls=self._calls,
            seconds=self._seconds + box.seconds,
            printed=self._printed,
            executed=tuple(self._executed),
            remarks=tuple(self._remarks),
            refusals=self._refusals,
        )
        text = seal(state, self._code, self._scripts.tokens)
        return ScriptPause(text, tuple(asked.values()), form.text)

    def _to_approve(self, number: int) -> CallToApprove:
        pending = self._pending[number]
        function = self._scripts.functions.function(pending.function)
        return CallToApprove(name=pending.function, function=function, arguments=pending.arguments)

    def _end_result(self, step: Finished | Failed) -> ScriptResult:
        lines = remarks([item.text for item in self._remarks])
        limit = self._scripts.limits.output - sum(len(line) + 1 for line in lines)
        if isinstance(step, Failed):
            unknown = _NO_ATTRIBUTE.search(step.error)
            if unknown is not None:
                text = self._unknown(unknown[1], is_attribute=True)
                step = replace(step, error=f"AttributeError: {text}")
            elif step.error.startswith("KeyError"):
                step = replace(step, error=f"{step.error}{_OTHER_KEYS}")
            result = failure_result(step, self._printed, self._executed, limit)
        else:
            lost = [self._scripts.functions.place(call.name) for call in self._waiting.values()]
            result = success_result(step, self._printed, self._executed, lost, limit)
        return replace(result, text="\n".join((result.text, *lines)))
