"""Plans of requests: offered tools and tool choice, within the limits of the operator and the vendor (C2, C3, C13)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.calling.choice import Choice, Plan, Round
from specfn.calling.config import InvocationConfig
from specfn.calling.function_search import FunctionSearch, called_before, result
from specfn.calling.history import with_legal_names
from specfn.calling.state import State
from specfn.calling.turn_calls import TurnCalls
from specfn.connectors.registry import ProfileName, conversation_profile
from specfn.connectors.turn import Demand, Message, Mode, Prompt
from specfn.connectors.wire_format import FORMAT_ERRORS, Codec
from specfn.errors import UsageError, wrong_result
from specfn.invocation import failure_texts
from specfn.invocation.response_fields import refuse_filtered, warn_of_unknown_drops
from specfn.schema.profiles.profile import Profile
from specfn.tools.function_set import AdvertisedFunction, Catalog
from specfn.tools.tool import Tools
from specfn.tools.tool_builder import build_tools
from specfn.tools.tool_set import ToolSet


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    """The plan of one request.

    Attributes:
        mode: the mode of the choice: the model may, must or must not call.
        offered: the tools.
        demand: the demand that is sent; weaker than ``mode`` if the vendor cannot force a call.
        missing: the features that the vendor does not support, a short word each.
    """

    mode: Mode
    offered: ToolSet
    demand: Demand
    missing: tuple[str, ...] = ()


class Planner:
    """A planner of requests; it builds the tools once for each set of functions."""

    def __init__(
        self,
        catalog: Catalog,
        codec: Codec,
        choice: Choice,
        config: InvocationConfig,
        extra: Mapping[str, Any],
        profile: ProfileName | Profile | None = None,
    ) -> None:
        warn_of_unknown_drops(entry.function for entry in catalog.entries)
        self._catalog: Final = catalog
        self._codec: Final = codec
        self._choice: Final = choice
        self._config: Final = config
        #: Members of the request's body: those of the prompt, replaced by those of the caller.
        self.extra: Final = {**_provider_members(choice, codec), **extra}
        #: The functions that may be offered at all.
        self.selected = frozenset(
            entry.name for entry in catalog.choose(config.select, option="config.select")
        )
        strict = choice.options.allow_strict_schema_adherence
        self._profile: Final = conversation_profile(codec, profile, strict=strict)
        self._offers: Final[dict[tuple[str, ...], ToolSet]] = {}
        self._search: FunctionSearch | None = None
        self._latest: ToolSet | None = None
        first = _plan_of(choice, Round(index=0, executed=0))
        #: Whether calls are only reported: the choice forbids them from the first request on.
        self.dry: Final = first.mode == "none"
        self._first: Final = first.functions
        self._offer(self._first)  # raises now for an unknown name

    @property
    def catalog(self) -> Catalog:
        """The functions, and the search if there is one."""
        return self._catalog if self._search is None else self._search.catalog

    @property
    def loadable(self) -> frozenset[str]:
        """The functions whose stored calls may be continued."""
        return self.selected if self._search is None else self.selected | {self._search.entry.name}

    @property
    def search(self) -> AdvertisedFunction | None:
        """The search; ``None`` if one request can offer all functions."""
        return None if self._search is None else self._search.entry

    @property
    def plans_only(self) -> bool:
        """Return whether the conversation reports calls without executing them."""
        return self.dry or not self._config.auto_invoke or self._config.max_rounds == 0

    def begin(self, state: State) -> None:
        """Offer the functions that the history of a conversation calls, if there is a search."""
        if self._search is not None:
            state.offer(called_before(state.messages, self._catalog))

    def find(self, arguments: Mapping[str, Any], state: State) -> str:
        """Search functions, offer them from the next request on, and return the result for the model.

        Args:
            arguments: the valid arguments of the search.
            state: the state of the conversation.
        """
        assert self._search is not None
        keys = self._plan(state).functions
        among = {entry.name for entry in self._entries(keys)}
        results = self._search.find(arguments, among)
        state.offer(self._search.names(results, among))
        if not results:
            return self._search.nothing_found(among)
        return result(results, self._offer(keys, state.found).tool_names)

    def continues(self, turn: TurnCalls, state: State) -> bool:
        """Return whether a conversation that executes no calls continues after a turn: it only searched."""
        may_ask = not self.dry and state.round < self._config.max_rounds
        return may_ask and turn.calls_only(self.search)

    @property
    def candidates(self) -> tuple[AdvertisedFunction, ...]:
        """The functions of the first request."""
        return tuple(self._entries(self._first))

    def withhold(self, names: Collection[str]) -> None:
        """Stop offering some functions."""
        self.selected = self.selected.difference(names)

    def plan(self, state: State) -> PlannedRequest:
        """Return the plan of the next request.

        Raises:
            UnknownFunctionError: the choice names an unknown function.
        """
        plan = self._plan(state)
        offered = self._latest = self._offer(plan.functions, state.found)
        mode: Mode = "none" if state.final or not offered.names else plan.mode
        options, missing = self._choice.options, []
        asked: Mode = mode
        if mode == "required" and not self._can_force(offered):
            missing.append("forced_choice")
            asked = "auto"
        if options.allow_parallel_calls is not None and not self._codec.parallel:
            missing.append("parallel_calls")
        if options.allow_strict_schema_adherence and not self._profile.validated:
            missing += self._unenforced(offered)
        missing += _tools_of(offered).degraded
        missing += [f"function {left.function}" for left in _tools_of(offered).left_out]
        demand = Demand(
            mode=asked,
            parallel=options.allow_parallel_calls,
            strict=options.allow_strict_schema_adherence and self._profile.validated,
        )
        return PlannedRequest(mode=mode, offered=offered, demand=demand, missing=tuple(missing))

    def offered(self, state: State) -> ToolSet:
        """Return the tools of the latest request; those of the next one in a conversation that was stored."""
        return self._latest or self.plan(state).offered

    def _plan(self, state: State) -> Plan:
        round_ = Round(index=state.round, executed=state.executed, denied=state.denied)
        return _plan_of(self._choice, round_)

    def body(
        self, asked: PlannedRequest, messages: Sequence[Message], model: str | None
    ) -> JsonObject:
        """Return the body of a request; a demand that the vendor does not support becomes a user message.

        Raises:
            UsageError: a message is in another format.
        """
        if asked.mode != asked.demand.mode:
            names = asked.offered.to_tool_names(asked.offered.names)
            messages = [*messages, {"role": "user", "content": failure_texts.must_call(names)}]
        taken = {*self._catalog.by_name, *asked.offered.tool_names.values()}
        try:
            prompt = Prompt(
                messages=with_legal_names(messages, taken),
                tools=_tools_of(asked.offered).entries or self._tools_for_history(messages),
                demand=asked.demand,
                model=model,
                extra=self.extra,
            )
            return self._codec.encode(prompt)
        except FORMAT_ERRORS as error:
            name, kind = self._codec.name, type(error).__name__
            raise UsageError(
                f"a message of the conversation is not in the format of {name}: {kind} in writing it"
            ) from error

    def _unenforced(self, offered: ToolSet) -> list[str]:
        """Return the words for schemas that should be enforced and are not."""
        if self._profile.strict is None:
            return ["strict"]
        return [
            f"strict {tool.function.name}"
            for tool in _tools_of(offered).tools
            if not tool.fit.strict
        ]

    def _tools_for_history(self, messages: Sequence[Message]) -> tuple[JsonObject, ...]:
        """Return tools for a request that offers no function, if the vendor needs them for calls in the history."""
        called = {call["name"] for message in messages for call in message.get("calls", ())}
        if not called or not getattr(self._codec, "keeps_tools", False):
            return ()
        known = tuple(sorted(called & self._catalog.by_name.keys()))
        return _tools_of(self._offer(self._first)).entries or _tools_of(self._offer(known)).entries

    def _can_force(self, offered: ToolSet) -> bool:
        """Return whether the vendor can force a call."""
        configured = self._config.forced_choice
        if configured is not None:
            return configured
        several = len(offered.names) > 1 and getattr(self._codec, "forces_one", False)
        return self._codec.forced(self.extra) and not several

    def _with_search(
        self, entries: Sequence[AdvertisedFunction], found: Sequence[str]
    ) -> list[AdvertisedFunction]:
        if self._search is None:
            self._search = FunctionSearch(self._catalog, len(entries))
        named = {entry.name: entry for entry in entries}
        return [self._search.entry, *(named[name] for name in found if name in named)]

    def _deferred_names(self, names: Collection[str]) -> Collection[str]:
        """Return the advertised names of the functions whose loading is deferred."""
        keys = self._choice.options.defer_loading
        if self._search is not None and self._search.entry.name in names:
            return ()
        if isinstance(keys, bool):
            return names if keys else ()
        return {entry.name for entry in self._catalog.choose(keys, option="choice.functions")}

    def _entries(self, keys: Sequence[str] | None) -> list[AdvertisedFunction]:
        """Return the functions that a plan names and the operator selects."""
        return [
            e
            for e in self._catalog.choose(keys, option="choice.functions")
            if e.name in self.selected
        ]

    def _offer(self, keys: Sequence[str] | None, found: Sequence[str] = ()) -> ToolSet:
        """Return the tools of a request.

        Args:
            keys: the functions of the plan; all if ``None``.
            found: the functions to offer if one request cannot offer all, best last.
        """
        entries = self._entries(keys)
        most = self._profile.tools
        if most is not None and len(entries) > most:
            entries = self._with_search(entries, found[-most + 1 :] if most > 1 else ())
        names = tuple(entry.name for entry in entries)
        if names not in self._offers:
            options = self._choice.options
            if options.output_schema:
                refuse_filtered(entry.function for entry in entries)
            tools = build_tools(
                entries,
                self._profile,
                fits=self._catalog.fits,
                deferred=self._deferred_names(names),
                namespaces=options.namespaces,
                output_schema="answer" if options.output_schema else None,
            )
            self._offers[names] = ToolSet.of(entries, tools)
        return self._offers[names]


def _tools_of(offered: ToolSet) -> Tools:
    assert offered.listed is not None
    return offered.listed


#: Members of a body that hold the conversation, the model and the functions: a prompt cannot set them.
_OURS: Final = frozenset(
    "contents function_call functions input instructions messages model modelId stream system systemInstruction "
    "toolConfig tool_choice tools".split()
)


def _provider_members(choice: Choice, codec: Codec) -> Mapping[str, Any]:
    """Return the members that a prompt adds to the body of a vendor's requests.

    Raises:
        UsageError: a member would replace the conversation, the model or the functions.
    """
    members = choice.options.provider.get(codec.name, {})
    for key in members:
        if key in _OURS:
            raise UsageError(f"a prompt cannot set {key!r} of a request; pass it as extra={{...}}")
    return members


def _plan_of(choice: Choice, round_: Round) -> Plan:
    """Return the plan of a choice, which may be of a class of the caller.

    Raises:
        UsageError: ``plan`` of the choice returned something else.
    """
    plan = choice.plan(round_)
    if not isinstance(plan, Plan):
        raise wrong_result(f"{type(choice).__name__}.plan", plan, "a Plan")
    return plan
