"""Building of tools: fit schemas, shorten descriptions, and leave out functions that the provider refuses."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import add
from typing import Final, Literal, TypeAlias

from specfn._internal.caller_arguments import require_whole_numbers
from specfn._internal.characters import shorten
from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps, loads
from specfn.errors import UsageError
from specfn.function.description import with_method_and_path, within
from specfn.function.function import Function
from specfn.records import Edit
from specfn.schema.profiles.fit import Fit
from specfn.schema.profiles.profile import OUTPUT, Profile, longest_name
from specfn.schema.profiles.refusals import costs, refusals
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.token_estimate import beyond_budget, estimate
from specfn.tools.tool import LeftOut, Tool, Tools, has_part, tool_json
from specfn.tools.tool_description import provider_description

#: Receives the number of tools that were built, and the number of all.
Progress: TypeAlias = Callable[[int, int], None]

#: The value that an output schema describes.
OutputForm: TypeAlias = Literal["data", "answer"]

#: The steps of reducing a list to ``budget_tokens``: the maximum number of bytes of a schema, and of characters of a
#: description.
_STEPS: Final = ((16_384, 4_096), (8_192, 2_048), (4_096, 1_024), (2_048, 512), (1_024, 256))


def build_tools(
    entries: Iterable[AdvertisedFunction],
    profile: Profile,
    *,
    fits: FitCache | None = None,
    budget_tokens: int | None = None,
    deferred: Collection[str] = (),
    namespaces: bool = False,
    output_schema: OutputForm | None = None,
    progress: Progress | None = None,
) -> Tools:
    """Build the tools of functions in a provider's format; refused functions are left out with the reason.

    Args:
        entries: the functions, in the order in which they are sent.
        profile: the profile of the provider.
        fits: the cache of fitted schemas.
        budget_tokens: the maximum number of tokens of the list. A longer list is reduced: schemas over 16 KiB are
            truncated and the longest descriptions are shortened, then those over 8 KiB, and so on down to 1 KiB.
            Then functions are left out from the end, deprecated ones first.
        deferred: the names of the functions whose definitions are loaded when the model searches for them.
        namespaces: group the functions by application, or by the first element of their accessors if there is one.
        output_schema: send the schemas of documented results, if the provider accepts them: of their ``data``, or of
            the ``answer`` to a call in a conversation.
        progress: receives the number of built tools, and the number of all.

    Raises:
        UsageError: the budget is not positive.
    """
    require_whole_numbers(budget_tokens=budget_tokens)
    wanted = [*entries]
    deferred = frozenset(deferred).intersection(entry.name for entry in wanted)
    builder = ToolBuilder(profile, fits or FitCache(), output_schema=output_schema)
    tools, left_out = builder.all(wanted, deferred, namespaces=namespaces, progress=progress)
    if budget_tokens is not None:
        for schema, description in _STEPS:
            if sum(tool.tokens for tool in tools) <= budget_tokens:
                break
            tools = [builder.smaller(tool, schema, description) for tool in tools]
        tools, dropped = _within(tools, budget_tokens)
        left_out += dropped
    has_namespaces = namespaces and any(map(namespace_of, wanted))
    missing = ["defer_loading"] if profile.search is None and deferred else []
    missing += ["namespaces"] if profile.namespace is None and has_namespaces else []
    missing += _missing_outputs(profile, tools, output_schema)
    return Tools(profile, tools, left_out, missing)


def _missing_outputs(
    profile: Profile, tools: Sequence[Tool], output_schema: OutputForm | None
) -> Iterator[str]:
    """Yield ``output_schema NAME`` for each requested output schema that is not sent; without the name if none is."""
    if output_schema and not has_part(profile.shape, OUTPUT):
        yield "output_schema"
    elif output_schema:
        for tool in tools:
            if tool.output is None and is_documented(tool.function):
                yield f"output_schema {tool.function.name}"


def _within(tools: list[Tool], budget: int) -> tuple[list[Tool], list[LeftOut]]:
    """Return the tools within a budget, and those that are left out."""
    reason = f"the list would exceed {budget:,} tokens with it"
    dropped = {
        place: LeftOut(function=tools[place].function.name, code="budget", reason=reason)
        for place in beyond_budget(
            [tool.tokens for tool in tools], [tool.function.deprecated for tool in tools], budget
        )
    }
    kept = [tool for index, tool in enumerate(tools) if index not in dropped]
    return kept, [dropped[index] for index in sorted(dropped)]


def namespace_of(entry: AdvertisedFunction) -> str:
    """Return the application of a function, or the first element of its accessor; empty if there is neither."""
    accessor = entry.function.accessor
    return entry.namespace or (accessor[0] if len(accessor) > 1 else "")


class ToolBuilder:
    """A builder of the tools of one list."""

    def __init__(
        self, profile: Profile, fits: FitCache, *, output_schema: OutputForm | None = None
    ) -> None:
        """Build tools for a provider.

        Args:
            profile: the profile of the provider.
            fits: keeps the fitted schemas from one list to the next.
            output_schema: send the schemas of documented success responses.
        """
        self._profile = profile
        self._fits = fits
        #: The description of each tool before shortening, by tool name.
        self._texts: dict[str, str] = {}
        self._reserved: set[str] = set()
        self._room = _StrictToolCounter(profile)
        self._outputs: _OutputSchemas | None = None
        if output_schema and has_part(profile.shape, OUTPUT):
            self._outputs = _OutputSchemas(profile, fits, answer=output_schema == "answer")

    def all(
        self,
        entries: Sequence[AdvertisedFunction],
        deferred: Collection[str] = (),
        *,
        namespaces: bool = False,
        progress: Progress | None = None,
    ) -> tuple[list[Tool], list[LeftOut]]:
        """Return the tools that the provider accepts, and the functions that are left out; see ``build_tools``."""
        tools: list[Tool] = []
        left_out: list[LeftOut] = []
        can_defer = self._profile.search is not None and len(entries) > 1
        most = self._profile.tools
        if most is not None and can_defer and deferred:
            most -= 1  # the search tool
        for count, entry in enumerate(entries):
            if progress is not None:
                progress(count, len(entries))
            if most is not None and len(tools) >= most:
                reason = f"{self._profile.name} accepts {self._profile.tools} tools in one request"
                result: Tool | LeftOut = LeftOut(
                    function=entry.function.name, code="count", reason=reason
                )
            else:
                result = self.build(
                    entry,
                    is_deferred=can_defer and entry.name in deferred,
                    namespace=namespace_of(entry) if namespaces else "",
                )
            if isinstance(result, Tool):
                tools.append(result)
            else:
                left_out.append(result)
        return tools, left_out

    @property
    def is_ordered(self) -> bool:
        """Return whether a tool depends on the tools before it: the provider limits enforced tools of a request."""
        return self._room.is_limited

    def build(
        self,
        entry: AdvertisedFunction,
        name: str | None = None,
        *,
        is_deferred: bool = False,
        namespace: str = "",
    ) -> Tool | LeftOut:
        """Build one tool.

        Args:
            entry: the function.
            name: the name that ``reserve`` returned for it; reserved here if ``None``.
            is_deferred: whether its definition is loaded only when the model searches for it.
            namespace: the namespace in which it is listed, if the provider has namespaces.
        """
        function = entry.function
        if function.fault is not None:
            return LeftOut(function=function.name, code="refused", reason=str(function.fault))
        try:
            budget = function.schemas.settings.schema_budget
            fit = self._enforceable(function, budget)
            output = self._output(function, budget)
        except Exception as error:  # noqa: BLE001  # one bad function must not spoil the rest
            reason = f"its schema cannot be fitted: {type(error).__name__}: {error}"
            return LeftOut(function=function.name, code="refused", reason=reason[:300])
        fault = next(refusals(fit.schema, fit.profile), None)
        if fault is not None:
            reason = f"{fault.reason} (at #{fault.pointer})"
            return LeftOut(function=function.name, code=fault.code, reason=reason)
        name = self.reserve(entry.name) if name is None else name
        text = entry.full_description
        if name != entry.name:
            text = with_method_and_path(text, function.route)
        self._texts[name] = text
        if self._profile.namespace is None:
            namespace = ""
        return self._build_tool(
            function, name, text, fit, output, deferred=is_deferred, namespace=namespace
        )

    def _output(self, function: Function, budget: int | None) -> JsonObject | None:
        return None if self._outputs is None else self._outputs.schema(function, budget)

    def _fit(self, function: Function, budget: int | None) -> Fit:
        return self._fits.fit(function.model_function, self._profile, budget)

    def _enforceable(self, function: Function, budget: int | None) -> Fit:
        """Return the fit of a function; it is not enforced if the request would exceed the limits of enforced tools."""
        fit = self._fit(function, budget)
        reason = self._room.refusal(fit)
        return fit if reason is None else self._unenforced(function, budget, reason)

    def _unenforced(self, function: Function, budget: int | None, reason: str) -> Fit:
        return self._fits.unenforced(function.model_function, self._profile, budget, reason)

    def smaller(self, tool: Tool, schema: int, description: int) -> Tool:
        """Return a tool with at most this number of bytes of schema and characters of description."""
        fit = tool.fit
        if len(dumps(fit.schema)) > schema:
            fit = self._fit(tool.function, schema)
            if fit.strict and not tool.fit.strict:
                fit = self._unenforced(tool.function, schema, tool.fit.reason or "")
        elif len(tool.description) <= description and tool.output is None:
            return tool
        text = shorten(
            provider_description(self._texts[tool.name], fit, tool.function), description
        )
        output = None if tool.output is None else self._output(tool.function, schema)
        return self._build_tool(
            tool.function,
            tool.name,
            text,
            fit,
            output,
            deferred=tool.deferred,
            namespace=tool.namespace,
        )

    def _build_tool(
        self,
        function: Function,
        name: str,
        text: str,
        fit: Fit,
        output: JsonObject | None,
        *,
        deferred: bool,
        namespace: str,
    ) -> Tool:
        shown = provider_description(text, fit, function)
        description = self._description(function, shown)
        as_is = description == shown and text == function.full_description
        wire = tool_json(
            self._profile,
            name=name,
            description=description,
            schema=fit.schema,
            strict=fit.strict,
            output=output,
            deferred=deferred,
        )
        return Tool(
            function=function,
            name=name,
            description=description,
            fit=fit,
            wire=wire,
            tokens=estimate(len(dumps(wire))),
            output=output,
            deferred=deferred,
            namespace=namespace,
            changed=tuple(
                _tool_edits(function, name, fit, length=None if as_is else len(description))
            ),
        )

    def _description(self, function: Function, text: str) -> str:
        """Return the description for a model; it is never empty, because some providers refuse that."""
        limit = self._profile.description_limit
        text = text or with_method_and_path("", function.route)
        text = within(text, function.schemas.settings.description_limit)
        return text if limit is None else shorten(text, limit)

    def reserve(self, wanted: str) -> str:
        """Return a name that the provider accepts and that is unique in the list, and reserve it.

        Raises:
            UsageError: ``Profile.tool_name`` accepts no such name.
        """
        name = next(self._names(wanted), None)
        if name is None:
            pattern = self._profile.tool_name
            raise UsageError(
                f"the profile {self._profile.name} accepts no name for {wanted}: its tool_name is {pattern!r}"
            )
        self._reserved.add(name)
        return name

    def _names(self, wanted: str) -> Iterator[str]:
        """Yield the acceptable names: the wanted one, else its beginning with more and more of its digest."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", wanted)
        mark = digest(wanted)
        most = longest_name(self._profile.tool_name)
        marked = (
            f"{plain[: max(0, most - 1 - length)]}_{mark[:length]}"[-most:]
            for length in range(6, len(mark) + 1, 2)
        )
        begun = ((name, f"f{name}"[:most]) for name in marked)
        for name in chain((wanted,), chain.from_iterable(begun)):
            if name not in self._reserved and re.fullmatch(self._profile.tool_name, name):
                yield name


def _tool_edits(function: Function, name: str, fit: Fit, *, length: int | None) -> Iterator[Edit]:
    """Yield the edits of a tool; ``length`` is the length of a changed description."""
    if name != function.name:
        reason = f"the name {function.name!r} is replaced: the provider refuses it, or another tool has it"
        yield Edit(pointer="/name", kind="name", reason=reason)
    if length is not None and function.full_description:
        reason = f"the description is replaced by another of {length} characters"
        yield Edit(pointer="/description", kind="description", reason=reason)
    if fit.reason is not None:
        reason = f"the schema is not enforced: {fit.reason}"
        yield Edit(pointer="/parameters", kind="strict", reason=reason)


class _StrictToolCounter:
    """A counter of the enforced tools of one request, their optional properties and their unions."""

    def __init__(self, profile: Profile) -> None:
        limits = profile.strict
        self._name = profile.name
        self._most = {
            "tools": limits and limits.tools,
            "optional properties": limits and limits.optional,
            "unions": limits and limits.unions,
        }
        self._spent = (0, 0, 0)

    @property
    def is_limited(self) -> bool:
        """Return whether the provider limits the enforced tools of a request."""
        return any(self._most.values())

    def refusal(self, fit: Fit) -> str | None:
        """Count a tool and return ``None``, or return the reason why the tool exceeds a limit."""
        if not fit.strict or not self.is_limited:
            return None
        spent = tuple(map(add, self._spent, (1, *costs(fit.schema))))
        for count, (what, limit) in zip(spent, self._most.items(), strict=True):
            if limit is not None and count > limit:
                return f"{self._name} enforces at most {limit} {what} of one request"
        self._spent = spent
        return None


class _OutputSchemas:
    """Output schemas of functions, fitted to one profile.

    Names of properties are never changed, because responses have the names of the document. A schema that the provider
    would refuse is not sent.
    """

    def __init__(self, profile: Profile, fits: FitCache, *, answer: bool) -> None:
        """Fit the schemas of data, or of results of a conversation, which contain the data."""
        self._fits = fits
        self._answer = answer
        self._checked_profile = replace(profile, strict=None, fallback=None)
        self._profile = replace(
            self._checked_profile, name=f"{profile.name} output", root_key=None, nested_key=None
        )

    def schema(self, function: Function, budget: int | None) -> JsonObject | None:
        """Return the schema of a function's result within a budget; ``None`` if the provider accepts no such schema.

        Binary data has no schema, because it is not JSON.
        """
        if not is_documented(function) or (not self._answer and _is_binary(function)):
            return None
        schema = self._fits.output(function, self._profile, budget, answer=self._answer).schema
        faults = (
            fault for fault in refusals(schema, self._checked_profile) if fault.code != "root"
        )
        return None if next(faults, None) is not None else schema


def _is_binary(function: Function) -> bool:
    success = function.route.success
    return success is not None and success.kind == "binary"


def is_documented(function: Function) -> bool:
    """Return whether the document describes the JSON of a success response."""
    return isinstance(loads(function.schemas.response_schema), dict)
