"""A conversation in which a model calls functions, without input or output: ``Session``.

``next()`` returns the next effect, and ``feed()`` takes its result. The caller carries effects out with any client,
sync or async: the session does no input or output, never waits, and reads no clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals_in
from specfn.calling import effects, events
from specfn.calling.choice import Auto, Choice, parse_choice
from specfn.calling.config import InvocationConfig
from specfn.calling.effects import Ask, CallResult, Done, Effect, Invoke, Send
from specfn.calling.history import (
    Messages,
    answer_open_calls,
    called_names,
    doubtful_calls,
    opening_messages,
    with_names,
)
from specfn.calling.outcome import Outcome, Stopped, reason_not_made
from specfn.calling.planning import PlannedRequest, Planner
from specfn.calling.prompt_files import Settings
from specfn.calling.readiness import obstacles, require_settings
from specfn.calling.replies import read, with_text_calls
from specfn.calling.state import State
from specfn.calling.text_calls import find_calls
from specfn.calling.turn_calls import TurnCalls
from specfn.connectors.registry import ConnectorName, ProfileName, codec
from specfn.connectors.turn import Message, Turn
from specfn.connectors.wire_format import FORMAT_ERRORS, Codec, require_one_reply
from specfn.errors import UsageError
from specfn.invocation import failure_texts
from specfn.invocation.approval import Decision, Defer, Deny, Refusals, decision
from specfn.invocation.call_settings import permitted_names
from specfn.schema.profiles.profile import Profile
from specfn.tools.function_set import AdvertisedFunction, Catalog, Functions
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection

#: The maximum number of characters of a vendor's word in ``degraded``.
_MAX_REASON: Final = 80


@without_locals_in
class Session:
    """A conversation from its first request to its outcome."""

    def __init__(
        self,
        functions: Catalog | Functions,
        *,
        connector: ConnectorName | Codec,
        messages: Messages,
        model: str | None = None,
        choice: Choice | str | Mapping[str, Any] | None = None,
        config: InvocationConfig | None = None,
        profile: ProfileName | Profile | None = None,
        settings: Settings | None = None,
        extra: Mapping[str, Any] | None = None,
        before_request: Callable[[JsonObject], JsonObject] | None = None,
        on_event: events.Listener | None = None,
    ) -> None:
        """Begin a conversation.

        Args:
            functions: an application, or a catalog of several.
            connector: the wire format of requests and replies, by name or as a codec.
            messages: the user's text, or messages in specfn's own form (``specfn.connectors.turn``) or the connector's.
            model: the vendor's name of the model; left out of requests if ``None``.
            choice: whether the model may, must or must not call; ``Auto()`` if ``None``.
            config: the limits that the operator sets.
            profile: the profile of the tools, if it is not the connector's own.
            settings: the settings of a prompt (``PromptSettings.of``); ``choice``, ``model`` and ``extra`` win.
            extra: members of the request's body; they replace members of the same names.
            before_request: changes and returns the body of each request just before it is sent.
            on_event: receives the events of the conversation; events contain no values.

        Raises:
            UsageError: an argument is invalid, or the choice or the config names no function.
        """
        require_settings(config, settings, extra, model, before_request, on_event)
        self.catalog: Final = Catalog.of(functions)
        self.codec: Final = codec(connector)
        prompt = Settings() if settings is None else settings
        self.model: Final = prompt.model if model is None else model
        asked = prompt.choice if choice is None else choice
        self.choice: Final = Auto() if asked is None else parse_choice(asked)
        most = self.choice.maximum_auto_invoke_attempts
        self.config: Final = (config or InvocationConfig()).with_at_most(most)
        self.extra: Final = prompt.extra | dict(extra or {})
        self._before: Final = before_request
        self._listener: Final = on_event
        self._direct: Final = {
            e.name
            for e in self.catalog.choose(self.config.return_direct, option="config.return_direct")
        }
        self._permitted: Final = permitted_names(self.config.allow, self.catalog.keys)
        hint = self.config.recovery_hint
        self._state = State(messages=opening_messages(messages, self.codec, hint=hint))
        self._turn_calls: TurnCalls | None = None
        self._effect: Effect | None = None
        parts = (self.catalog, self.codec, self.choice, self.config, self.extra)
        self._planner: Final = Planner(*parts, profile)
        self._planner.begin(self._state)
        self._complete_history()

    def _complete_history(self) -> None:
        """Give the calls of the caller's messages that have no result one, and remember those of unknown outcome."""
        state = self._state
        if not any("calls" in message for message in state.messages):
            return
        offered = self._planner.offered(state)

        def safety_of(name: str) -> str | None:
            known = self.catalog.resolve(offered.function_name(name)).name
            return None if known is None else self.catalog.by_name[known].function.safety

        try:
            state.messages = answer_open_calls(state.messages, safety_of)
            state.doubtful = doubtful_calls(state.messages)
        except FORMAT_ERRORS as error:
            raise UsageError(
                f"a call or a result of `messages` is malformed: {type(error).__name__} in reading it"
            ) from error

    # -- effects and their results ---------------------------------------------------------------

    def next(self) -> Effect:
        """Return the next effect. Repeated calls return the same one until its result is fed.

        If a callable of the caller raises, the conversation ends, and each call has its result.
        """
        if self._effect is None:
            with self._closing():
                self._effect = self._advance()
        return self._effect

    def feed(self, answer: Any) -> None:
        """Continue with the result of the effect that ``next`` returned.

        Args:
            answer: the reply for ``Send``; a list of decisions for ``Ask``, or of ``CallResult`` for ``Invoke``, in order.

        Raises:
            UsageError: it does not fit the effect, or the reply is not in this vendor's format.
        """
        effect = self.next()
        if isinstance(effect, Ask | Invoke):
            answer = effects.require_answers(answer, effect)
        if isinstance(effect, Send):
            answer = read(self.codec, answer, self._state)
        with self._closing():
            self._receive(effect, answer)
        if not isinstance(self._effect, Done):
            self._effect = None

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """End the conversation if a function of the caller raises an exception."""
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    def _receive(self, effect: Effect, answer: Any) -> None:
        turn = self._turn_calls
        if isinstance(effect, Send):
            self._receive_reply(answer)
        elif isinstance(effect, Ask) and turn:
            self._receive_decisions(turn, answer)
        elif isinstance(effect, Invoke) and turn:
            for prepared, invoked in zip(effect.calls, answer, strict=True):
                self._receive_result(turn, prepared.call["id"], prepared.name, invoked)
        else:
            raise UsageError("the conversation has ended; pass its messages to a new Session")

    def stop(self, why: Stopped) -> Outcome:
        """End the conversation now; each call of its last turn still gets a result."""
        if self._turn_calls is not None:
            self._turn_calls.close(reason_not_made(why))
            self._close_turn(self._turn_calls)
        return self._end(why).outcome

    def begin(self, call: str) -> None:
        """Record that a call has begun: if it is interrupted, its effect is unknown."""
        if self._turn_calls is not None:
            self._turn_calls.begun.add(call)

    def keep(self, call: str, invoked: CallResult) -> None:
        """Record the result of one call before the other calls of its turn are finished."""
        if self._turn_calls is not None:
            self._turn_calls.results[call] = invoked

    def abandon(self) -> None:
        """Close the last turn after an exception; the results of begun calls are reported as unknown."""
        if not isinstance(self._effect, Done):
            self.stop("cancelled")

    def require(self, connection: "Connection | None") -> None:
        """Check that the offered functions can be called, and withhold those that lack a credential.

        Args:
            connection: used for functions without a connection of their own.

        Raises:
            UsageError: no offered function can be called: there is no connection, base URL or credential.
        """
        if self._planner.plans_only:
            return
        reasons = obstacles(self._planner.candidates, connection)
        self._planner.withhold(reasons)
        for name, reason in reasons.items():
            self.degrade(f"function {name}: {reason}")

    def degrade(self, word: str) -> None:
        """Record a requested feature that is not available."""
        self._state.record_unavailable(word)

    @property
    def round(self) -> int:
        """The number of requests made to the model."""
        return self._state.round

    @property
    def offered(self) -> ToolSet:
        """The tools that the model can call."""
        return self._planner.offered(self._state)

    @property
    def refusals(self) -> Refusals:
        """The number of questions in a row about each function that the user declined."""
        return Refusals(self._state.refusals)

    @property
    def outcome(self) -> Outcome:
        """The outcome; of a conversation that has not ended, the outcome so far, with ``stopped="failed"``."""
        if isinstance(self._effect, Done):
            return self._effect.outcome
        return self._state.outcome("failed")

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return tuple(self._state.messages)

    def __reduce__(self) -> Any:
        """Refuse pickling.

        Raises:
            UsageError: always; it names ``dump`` and ``load``.
        """
        raise UsageError(
            "a Session cannot be pickled: store session.dump(), and pass it to load() of a Session with the same arguments"
        )

    # -- storing -----------------------------------------------------------------------------------

    def dump(self) -> JsonObject:
        """Return the conversation as plain JSON, from which ``load`` continues it.

        Raises:
            UsageError: it contains values of the human part, which are never stored; or a message holds an object
                that is neither JSON nor bytes nor an SDK's object.
        """
        return {
            "state": self._state.dump(),
            "pending": self._turn_calls and self._turn_calls.dump(),
        }

    def load(self, stored: JsonObject) -> None:
        """Continue a conversation that another session with the same arguments dumped.

        A conversation that had ended sends another request, unless it waits for a decision. This session's
        configuration decides which calls are allowed, whatever was stored.

        Raises:
            UsageError: the value was not written by ``dump``.
        """
        try:
            state, turn = State.load(stored["state"]), stored["pending"]
            waiting = turn and TurnCalls.load(turn, self._planner.catalog, self._planner.loadable)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError("invalid stored conversation; pass the result of dump()") from error
        self._state, self._turn_calls, self._effect = state, waiting or None, None

    def _emit(self, event: events.Event) -> None:
        events.emit(self._listener, event)

    # -- the next step -----------------------------------------------------------------------------

    def _advance(self) -> Effect:
        """Return the next effect: questions, calls, the next request to the model, or the end."""
        while self._turn_calls is not None:
            turn = self._turn_calls
            turn.refuse_without_asking(self._state, self._needs_approval)
            if asked := turn.approvals(self._needs_approval):
                return Ask(requests=asked)
            if ready := turn.ready():
                return Invoke(calls=ready, concurrent=self._runs_concurrently(ready))
            if turn.release(self._state):
                continue
            if (ended := self._close_turn(turn)) is not None:
                return self._end(ended)
        return self._plan_request()

    def _needs_approval(self, entry: AdvertisedFunction) -> bool:
        approval = self.config.approval
        if callable(approval):
            return approval(entry.function) is not False
        return approval == "always" or (approval == "unsafe" and entry.name not in self._permitted)

    def _runs_concurrently(self, ready: Sequence[Any]) -> bool:
        allowed = self.choice.options.allow_concurrent_invocation
        return bool(allowed) and (
            allowed != "safe" or all(c.entry.function.safety == "read" for c in ready)
        )

    def _plan_request(self) -> Effect:
        """Return the next request to the model, or the end if there were too many."""
        state, config = self._state, self.config
        if state.round >= max(1, config.max_rounds):
            if config.on_limit == "stop" or state.final:
                return self._end("limit")
            state.final = True
        asked = self._planner.plan(state)
        for word in asked.missing:
            state.record_unavailable(word)
        mode, count = asked.demand.mode, len(asked.offered.names)
        self._emit(events.Requested(round=state.round, mode=mode, functions=count))
        body = self._planner.body(asked, state.messages, self.model)
        if self._before:
            body = effects.require_body(self._before(body))
        require_one_reply(body, self.codec)
        return Send(request=body)

    # -- a reply -----------------------------------------------------------------------------------

    def _receive_reply(self, reply: Turn) -> None:
        state, planned = self._state, self._planner.plan(self._state)
        reply = self._read_text_calls(reply, planned)
        self._emit(events.Replied(round=state.round, stop=reply.stop, calls=len(reply.calls)))
        if reply.stop == "unknown" and reply.detail in self.config.finished_reasons:
            reply = replace(reply, stop="calls" if reply.calls else "text")
        if reply.stop == "unknown":
            state.record_unavailable(f"stop_reason {reply.detail[:_MAX_REASON]}")
        state.add_usage(reply.usage)
        state.add_message(reply.message(self.codec.name))
        state.round += 1
        if reply.calls:
            self._receive_calls(reply, planned)
            return
        if (ended := self._without_calls(reply, planned)) is not None:
            self._effect = self._end(ended)

    def _read_text_calls(self, reply: Turn, planned: PlannedRequest) -> Turn:
        """Report the calls that the model wrote into its text; return the turn with them if they are to be read."""
        names = planned.offered.tool_names.values()
        written = None if reply.calls else find_calls(reply.text, names)
        if written is None:
            return reply
        is_whole = written.complete and reply.stop in ("text", "unknown")
        may_call = planned.mode != "none" or self._planner.plans_only
        is_read = self.config.text_calls == "read" and is_whole and may_call and bool(names)
        for name, _ in written.calls:
            self._emit(events.TextCall(round=self._state.round, function=name, read=is_read))
        return with_text_calls(reply, written, self._state) if is_read else reply

    def _receive_calls(self, reply: Turn, planned: PlannedRequest) -> None:
        """Resolve and check the calls of a reply. Calls that cannot be made get their result at once."""
        self._turn_calls = TurnCalls.unresolved(reply.calls, self._state.round - 1)
        turn = TurnCalls.of(
            reply.calls, self._planner.catalog, planned.offered, self._state.round - 1
        )
        self._turn_calls = turn
        if self.config.history_names == "resolved":
            names = {
                c.call["id"]: planned.offered.tool_names[c.name] for c in turn.calls if c.entry
            }
            self._state.messages[-1] = with_names(self._state.messages[-1], names)
        for prepared in turn.calls:
            self._emit(events.resolved_event(prepared))
            if prepared.entry is not None:
                self._emit(events.checked_event(prepared))
        if self._planner.plans_only and not self._planner.continues(turn, self._state):
            self.stop("planned")
        elif reply.stop == "refused":
            turn.refuse(failure_texts.provider_refusal())
            self.stop("refused")
        elif reply.stop == "pending":
            self.stop("pending")
        elif reply.stop == "truncated":
            turn.refuse(failure_texts.truncation())
        elif reply.stop == "malformed":
            turn.refuse(failure_texts.malformed_reply(reply.detail))
        elif planned.mode == "none":
            turn.refuse(failure_texts.no_calls())
        else:
            if reply.stop == "unknown":
                turn.refuse_incomplete(failure_texts.unknown_stop(reply.detail))
            turn.decline(self._state)
            turn.limit(self.config.max_calls_per_round)
            turn.answer(self._planner.search, partial(self._planner.find, state=self._state))
            if self.config.repeat_writes == "ask":
                turn.remember_doubtful(self._state, self._planner.catalog, planned.offered)
                turn.find_repeated(self._state)

    def _without_calls(self, reply: Turn, planned: PlannedRequest) -> Stopped | None:
        """Return the reason why a reply without calls ends the conversation; ``None`` if it continues."""
        state = self._state
        if reply.stop == "refused":
            return "refused"
        if reply.stop == "paused":
            return None
        if reply.stop == "malformed":
            return self._again(failure_texts.malformed_call(reply.detail))
        if reply.stop == "pending":
            return "pending"
        if reply.stop == "truncated":
            state.record_unavailable("truncated")
        if state.final:
            return "limit"
        if planned.mode == "required" and not state.demanded:
            state.demanded = True
            state.record_unavailable("forced_choice")
            return self._again(
                failure_texts.must_call(planned.offered.to_tool_names(planned.offered.names))
            )
        if reply.stop == "truncated":
            return "truncated"
        if not reply.text.strip():
            return "empty"
        return "denied" if state.denied else "model_text"

    def _again(self, text: str) -> Stopped | None:
        """Add a correcting user message; return ``repair_limit`` if too many were added."""
        state = self._state
        state.failed += 1
        if state.failed > self.config.max_repair_rounds:
            return "repair_limit"
        state.messages.append({"role": "user", "content": text})
        return None

    # -- decisions and results -----------------------------------------------------------------------

    def _receive_decisions(self, turn: TurnCalls, answers: Sequence[Any]) -> None:
        decisions: list[Decision] = [decision(answer) for answer in answers]
        for asked, given in zip(turn.approvals(self._needs_approval), decisions, strict=True):
            if isinstance(given, Deny) and given.asked:
                self._state.decline(turn.call(asked.id))
            word = type(given).__name__.lower()
            self._emit(events.Decided(id=asked.id, function=asked.function, decision=word))
        if any(isinstance(given, Defer) for given in decisions):
            self._effect = self._end("deferred")
            return
        self._state.denied |= turn.decide(self._needs_approval, decisions, self._state.refusals)

    def _receive_result(self, turn: TurnCalls, call: str, function: str, invoked: Any) -> None:
        turn.results[call] = invoked
        if invoked.executed:
            self._emit(events.Executed(id=call, function=function, status=invoked.status))

    def _close_turn(self, turn: TurnCalls) -> Stopped | None:
        """Add the results of a turn to the conversation; return why it ends, if it does."""
        state, config = self._state, self.config
        self._turn_calls = None
        results: Message = {"role": "tool", "results": turn.results_for_model(state, config)}
        state.messages.append(with_names(results, called_names(state.messages[-1])))
        state.records += turn.records(state)
        turn.remember(state)
        sent = [call for call in turn.calls if turn.results[call.call["id"]].executed]
        state.executed += len(sent)
        if sent:
            state.denied = False
        state.failed = 0 if sent or not turn.has_faults else state.failed + 1
        if any(result.terminate for result in turn.results.values()):
            return "terminated"
        if sent and (config.after_result == "return" or self._direct & {c.name for c in sent}):
            return "returned"
        if turn.repeats_failures(state, config) or state.failed > config.max_repair_rounds:
            return "repair_limit"
        return "limit" if state.final else None

    def _end(self, stopped: Stopped) -> Done:
        outcome = self._state.outcome(stopped)
        self._emit(events.Ended(stopped=stopped, rounds=self.round, calls=len(outcome.calls)))
        self._effect = Done(outcome=outcome)
        return self._effect
