"""A conversation in which a model calls functions, without input or output: ``Session``.

``next()`` says what has to be done, ``feed()`` takes what came of it. Whoever does it may do it with any client, sync
or async, or not at all: the session neither sends nor waits nor looks at a clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import JsonObject
from specfn._internal.keyword_arguments import known_keywords_in
from specfn.calling import events
from specfn.calling.calls import prompts
from specfn.calling.calls.approval import Decision, Defer, Deny, decision
from specfn.calling.calls.effects import Ask, Done, Effect, Invoke, Invoked, Send, as_body, as_many
from specfn.calling.calls.history import Messages, called_names, opening, with_names
from specfn.calling.calls.planning import Asked, Planner
from specfn.calling.calls.state import State
from specfn.calling.calls.turn_calls import Pending
from specfn.calling.choice.choice import Auto, Choice, parse_choice
from specfn.calling.choice.config import InvocationConfig
from specfn.calling.choice.prompt_files import Settings
from specfn.calling.names.catalog import Catalog, Functions
from specfn.calling.outcome import Outcome, Stopped, undone
from specfn.calling.readiness import obstacles
from specfn.calling.replies import read
from specfn.connectors.registry import codec
from specfn.connectors.turn import Message, Turn
from specfn.connectors.wire_format import Codec
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.http.connection import Connection


@known_keywords_in
class Session:
    """One conversation, from its first request to its outcome."""

    def __init__(  # noqa: PLR0913  # a conversation has as many parts as it has
        self,
        functions: Catalog | Functions,
        *,
        connector: str | Codec,
        messages: Messages,
        model: str | None = None,
        choice: Choice | str | Mapping[str, Any] | None = None,
        config: InvocationConfig | None = None,
        profile: str | Profile | None = None,
        settings: Settings | None = None,
        extra: Mapping[str, Any] | None = None,
        before_request: Callable[[JsonObject], JsonObject] | None = None,
        on_event: events.Listener | None = None,
    ) -> None:
        """Begin a conversation.

        Args:
            functions: an application, or a catalog of several.
            connector: whose wire format requests and replies have, by name or as a codec.
            messages: the user's text, or messages of no vendor's form (``specfn.connectors.turn``) or the connector's own.
            model: the vendor's name of the model; left out of requests where ``None``.
            choice: may, must or must not the model call; ``Auto()`` where ``None``.
            config: what the operator allows.
            profile: the profile of the tools, if it is not the connector's own.
            settings: the settings of a prompt (``PromptSettings.of``); ``choice``, ``model`` and ``extra`` win.
            extra: more members for the request's body; they win.
            before_request: changes a request's body in whatever way; the last word before it is sent.
            on_event: is told what happens, without values.

        Raises:
            UsageError: an argument is invalid, or the choice or the config names no function.
        """
        self.catalog: Final = Catalog.of(functions)
        self.codec: Final = codec(connector) if isinstance(connector, str) else connector
        prompt = Settings() if settings is None else settings
        self.model: Final = prompt.model if model is None else model
        asked = prompt.choice if choice is None else choice
        self.choice: Final = Auto() if asked is None else parse_choice(asked)
        most = self.choice.maximum_auto_invoke_attempts
        self.config: Final = (config or InvocationConfig()).with_at_most(most)
        self.extra: Final = prompt.extra | dict(extra or {})
        self._before: Final = before_request
        self._listener: Final = on_event
        direct = self.catalog.select(self.config.return_direct)
        self._direct: Final = frozenset(entry.name for entry in direct)
        self._state = State(messages=opening(messages, self.codec, hint=self.config.recovery_hint))
        self._pending: Pending | None = None
        self._effect: Effect | None = None
        self._planner: Final = Planner(
            self.catalog, self.codec, self.choice, self.config, self.extra, profile
        )

    # -- what to do, and what came of it ---------------------------------------------------------

    def next(self) -> Effect:
        """Return the next effect; the same until it is fed.

        If a hook or a policy of the caller raises, the conversation ends, and each call has its result.
        """
        if self._effect is None:
            with self._closing():
                self._effect = self._advance()
        return self._effect

    def feed(self, answer: Any) -> None:
        """Take what came of the effect that ``next`` returned.

        Args:
            answer: the reply for ``Send``; decisions for ``Ask`` and ``Invoked`` for ``Invoke``, one for
                each in order.

        Raises:
            UsageError: it does not fit the effect, or the reply is none of this vendor.
        """
        effect = self.next()
        if isinstance(effect, Ask | Invoke):
            answer = as_many(answer, effect)
        if isinstance(effect, Send):
            answer = read(self.codec, answer, self._state)
        with self._closing():
            self._take(effect, answer)
        if not isinstance(self._effect, Done):
            self._effect = None

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """End the conversation if something of the caller raises."""
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    def _take(self, effect: Effect, answer: Any) -> None:
        pending = self._pending
        if isinstance(effect, Send):
            self._replied(answer)
        elif isinstance(effect, Ask) and pending:
            self._decided(pending, answer)
        elif isinstance(effect, Invoke) and pending:
            for prepared, invoked in zip(effect.calls, answer, strict=True):
                self._invoked(pending, prepared.call["id"], prepared.name, invoked)
        else:
            raise UsageError("the conversation has ended; begin another one with its messages")

    def stop(self, why: Stopped) -> Outcome:
        """End the conversation now; every call of its last turn gets a result all the same."""
        if self._pending is not None:
            self._pending.close(undone(why))
            self._close_turn(self._pending)
        return self._end(why).outcome

    def begin(self, call: str) -> None:
        """Remember that a call is under way: should it be cut off, nobody knows what it did."""
        if self._pending is not None:
            self._pending.begun.add(call)

    def keep(self, call: str, invoked: Invoked) -> None:
        """Remember what a call came to before all of its turn are done."""
        if self._pending is not None:
            self._pending.results[call] = invoked

    def abandon(self) -> None:
        """Close the last turn after something was raised: what was begun is told as not known."""
        if not isinstance(self._effect, Done):
            self.stop("cancelled")

    def require(self, connection: "Connection | None") -> None:
        """Check that the offered functions can be called, and withhold those that lack a credential.

        Args:
            connection: used for functions without a connection of their own.

        Raises:
            UsageError: no offered function can be called: there is no connection, base URL or credential.
        """
        if self._plans_only:
            return
        found = obstacles(self._planner.candidates, connection)
        self._planner.withhold(found)
        for name, reason in found.items():
            self.degrade(f"function {name}: {reason}")

    @property
    def _plans_only(self) -> bool:
        """The conversation executes nothing."""
        return self._planner.dry or not self.config.auto_invoke or self.config.max_rounds == 0

    def degrade(self, word: str) -> None:
        """Record something that was asked for and is not available."""
        self._state.degrade(word)

    @property
    def round(self) -> int:
        """How many requests were made to the model."""
        return self._state.round

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
        """Return what ``load`` needs to continue the conversation: plain JSON.

        Raises:
            UsageError: a person's values are in it, which are not stored; or a message holds an object that is
                neither JSON nor bytes nor an SDK's object.
        """
        pending = None if self._pending is None else self._pending.dump()
        return {"state": self._state.dump(), "pending": pending}

    def load(self, stored: JsonObject) -> None:
        """Continue a conversation that another session, made with the same arguments, has dumped.

        A conversation that had ended asks the model once more, unless it waits for a decision.
        What this session's configuration does not allow is not called, whatever was stored.

        Raises:
            UsageError: it is nothing that ``dump`` wrote.
        """
        try:
            state, pending = State.load(stored["state"]), stored["pending"]
            waiting = pending and Pending.load(pending, self.catalog, self._planner.allowed)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError("this is no conversation that was stored") from error
        self._state, self._pending, self._effect = state, waiting or None, None

    def _tell(self, event: events.Event) -> None:
        events.tell(self._listener, event)

    # -- the next step -----------------------------------------------------------------------------

    def _advance(self) -> Effect:
        while self._pending is not None:
            pending = self._pending
            asked = pending.waiting(self.config.approval)
            if asked:
                return Ask(requests=asked)
            ready = pending.ready()
            if ready:
                return Invoke(calls=ready, concurrent=self._concurrent(ready))
            if pending.release(self._state):
                continue
            ended = self._close_turn(pending)
            if ended is not None:
                return self._end(ended)
        return self._request()

    def _concurrent(self, ready: Sequence[Any]) -> bool:
        allowed = self.choice.options.allow_concurrent_invocation
        if allowed == "safe":
            return all(prepared.entry.function.safety == "read" for prepared in ready)
        return bool(allowed)

    def _request(self) -> Effect:
        state, config = self._state, self.config
        if state.round >= max(1, config.max_rounds):
            if config.on_limit == "stop" or state.final:
                return self._end("limit")
            state.final = True
        asked = self._planner.plan(state)
        for word in asked.missing:
            state.degrade(word)
        offered = len(asked.offer.names)
        self._tell(events.Requested(round=state.round, mode=asked.demand.mode, functions=offered))
        body = self._planner.body(asked, state.messages, self.model)
        return Send(request=body if self._before is None else as_body(self._before(body)))

    # -- a reply -----------------------------------------------------------------------------------

    def _replied(self, turn: Turn) -> None:
        state, asked = self._state, self._planner.plan(self._state)
        self._tell(events.Replied(round=state.round, stop=turn.stop, calls=len(turn.calls)))
        state.count(turn.usage)
        state.say(turn.message(self.codec.name))
        state.round += 1
        if turn.calls:
            self._called(turn, asked)
            return
        ended = self._without_calls(turn, asked)
        if ended is not None:
            self._effect = self._end(ended)

    def _called(self, turn: Turn, asked: Asked) -> None:
        self._pending = Pending.unread(turn.calls, self._state.round - 1)
        pending = Pending.of(turn.calls, self.catalog, asked.offer, self._state.round - 1)
        self._pending = pending
        if self.config.history_names == "resolved":
            names = {c.call["id"]: asked.offer.wire[c.name] for c in pending.calls if c.entry}
            self._state.messages[-1] = with_names(self._state.messages[-1], names)
        for prepared in pending.calls:
            self._tell(events.resolved(prepared))
            if prepared.entry is not None:
                self._tell(events.checked(prepared))
        if self._plans_only:
            self.stop("planned")
        elif turn.stop == "refused":
            pending.refuse(prompts.filtered())
            self.stop("refused")
        elif turn.stop in ("truncated", "malformed"):
            pending.refuse(prompts.truncated())
        elif asked.mode == "none":
            pending.refuse(prompts.no_calls())
        else:
            pending.decline(self._state)
            pending.limit(self.config.max_calls_per_round)
            if self.config.repeat_writes == "ask":
                pending.find_repeated(self._state)

    def _without_calls(self, turn: Turn, asked: Asked) -> Stopped | None:
        """Why a reply without calls ends the conversation; ``None`` where it goes on."""
        state = self._state
        if turn.stop == "refused":
            return "refused"
        if turn.stop == "paused":
            return None
        if turn.stop == "malformed":
            return self._again(prompts.malformed(turn.detail))
        if turn.stop == "truncated":
            state.degrade("truncated")
        if state.final:
            return "limit"
        if asked.mode == "required" and not state.demanded:
            state.demanded = True
            state.degrade("forced_choice")
            return self._again(prompts.must_call(asked.offer.told(asked.offer.names)))
        return "denied" if state.denied else "model_text"

    def _again(self, text: str) -> Stopped | None:
        """Ask the model once more, in words; ``repair_limit`` where that was done too often."""
        state = self._state
        state.failed += 1
        if state.failed > self.config.max_repair_rounds:
            return "repair_limit"
        state.messages.append({"role": "user", "content": text})
        return None

    # -- decisions and results -----------------------------------------------------------------------

    def _decided(self, pending: Pending, answers: Sequence[Any]) -> None:
        decisions: list[Decision] = [decision(answer) for answer in answers]
        for asked, made in zip(pending.waiting(self.config.approval), decisions, strict=True):
            if isinstance(made, Deny) and made.asked:
                self._state.decline(pending.call(asked.id))
            word = type(made).__name__.lower()
            self._tell(events.Decided(id=asked.id, function=asked.function, decision=word))
        if any(isinstance(made, Defer) for made in decisions):
            self._effect = self._end("deferred")
            return
        self._state.denied |= pending.decide(self.config.approval, decisions)

    def _invoked(self, pending: Pending, call: str, function: str, invoked: Any) -> None:
        pending.results[call] = invoked
        if invoked.executed:
            self._tell(events.Executed(id=call, function=function, status=invoked.status))

    def _close_turn(self, pending: Pending) -> Stopped | None:
        """Hand the results of a turn to the conversation; why it ends with them, if it does."""
        state, config = self._state, self.config
        self._pending = None
        results: Message = {"role": "tool", "results": pending.returned(state, config)}
        state.messages.append(with_names(results, called_names(state.messages[-1])))
        state.records += pending.records(state)
        pending.remember(state)
        sent = [call for call in pending.calls if pending.results[call.call["id"]].executed]
        state.executed += len(sent)
        if sent:
            state.denied = False
        state.failed = 0 if sent or not pending.faulty else state.failed + 1
        if any(result.terminate for result in pending.results.values()):
            return "terminated"
        if sent and (config.after_result == "return" or self._direct & {c.name for c in sent}):
            return "returned"
        if pending.stubborn(state, config) or state.failed > config.max_repair_rounds:
            return "repair_limit"
        return "limit" if state.final else None

    def _end(self, stopped: Stopped) -> Done:
        state = self._state
        outcome = state.outcome(stopped)
        self._tell(events.Ended(stopped=stopped, rounds=state.round, calls=len(state.records)))
        self._effect = Done(outcome=outcome)
        return self._effect
