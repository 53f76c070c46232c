"""Building of tools: fit schemas, shorten descriptions, and leave out functions that the provider refuses."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from specfn._internal.caller_arguments import require_whole_numbers
from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps
from specfn.catalog.token_estimate import beyond_budget, estimate
from specfn.catalog.tools.fit_cache import FitCache, tool_edits
from specfn.catalog.tools.namespaces import namespace_of
from specfn.catalog.tools.output_schema import OutputSchemas, is_documented
from specfn.catalog.tools.strict_limits import StrictToolCounter
from specfn.catalog.tools.tool_description import provider_description
from specfn.catalog.tools.tool_format import has_part, tool_json
from specfn.catalog.tools.tools import LeftOut, OfferedFunction, Tool, Tools, offered
from specfn.function.description import place, with_place, within
from specfn.function.function import Function
from specfn.schema.profiles.fit import Fit
from specfn.schema.profiles.lint import refusals
from specfn.schema.profiles.profile import OUTPUT, Profile
from specfn.schema.safe_text import shorten

#: Receives the number of tools that were built, and the number of all.
Progress: TypeAlias = Callable[[int, int], None]

#: The value that an output schema describes.
OutputForm: TypeAlias = Literal["data", "answer"]

#: The steps of reducing a list to ``budget_tokens``: the maximum number of bytes of a schema, and of characters of a
#: description.
_STEPS: Final = ((16_384, 4_096), (8_192, 2_048), (4_096, 1_024), (2_048, 512), (1_024, 256))


def offered_functions(
    functions: Iterable[Function], *, deferred: Iterable[Function] = (), namespaces: bool = False
) -> Iterator[OfferedFunction]:
    """Yield the functions to offer, under their own names.

    Args:
        functions: the functions.
        deferred: the functions whose definitions are loaded when the model searches for them.
        namespaces: whether to group the functions by the first element of their accessors.
    """
    later = {id(function) for function in deferred}
    for function in functions:
        yield OfferedFunction(
            function=function,
            name=function.name,
            description=function.full_description,
            deferred=id(function) in later,
            namespace=namespace_of(function) if namespaces else "",
        )


def tools(
    wanted: Iterable[OfferedFunction],
    profile: Profile,
    *,
    fits: FitCache | None = None,
    budget_tokens: int | None = None,
    output_schema: OutputForm | None = None,
    progress: Progress | None = None,
) -> Tools:
    """Build the tools of functions in a provider's format; refused functions are left out with the reason.

    Args:
        wanted: the functions, in the order in which they are sent.
        profile: the profile of the provider.
        fits: the cache of fitted schemas.
        budget_tokens: the maximum number of tokens of the list. A longer list is reduced: schemas over 16 KiB are
            truncated and the longest descriptions are shortened, then those over 8 KiB, and so on down to 1 KiB.
            Then functions are left out from the end, deprecated ones first.
        output_schema: send the schemas of documented results, if the provider accepts them: of their ``data``, or of
            the ``answer`` to a call in a conversation.
        progress: receives the number of built tools, and the number of all.

    Raises:
        UsageError: the budget is not positive.
    """
    require_whole_numbers(budget_tokens=budget_tokens)
    asked = [*wanted]
    maker = ToolBuilder(profile, fits or FitCache(), output_schema=output_schema)
    made, left_out = maker.all(asked, progress)
    if budget_tokens is not None:
        for schema, description in _STEPS:
            if sum(tool.tokens for tool in made) <= budget_tokens:
                break
            made = [maker.smaller(tool, schema, description) for tool in made]
        made, dropped = _within(made, budget_tokens)
        left_out += dropped
    missing = [*_missing(profile, asked, made, output_schema=output_schema)]
    return Tools(profile, made, left_out, missing)


def _missing(
    profile: Profile,
    asked: Sequence[OfferedFunction],
    made: Sequence[Tool],
    *,
    output_schema: OutputForm | None,
) -> Iterator[str]:
    """Yield the requested features that are not sent, a short word each."""
    if profile.search is None and any(subject.deferred for subject in asked):
        yield "defer_loading"
    if profile.namespace is None and any(subject.namespace for subject in asked):
        yield "namespaces"
    if output_schema and not has_part(profile.shape, OUTPUT):
        yield "output_schema"
    elif output_schema:
        for tool in made:
            if tool.output is None and is_documented(tool.function):
                yield f"output_schema {tool.function.name}"


def _within(made: list[Tool], budget: int) -> tuple[list[Tool], list[LeftOut]]:
    """Return the tools within a budget, and those that are left out."""
    reason = f"the list would exceed {budget:,} tokens with it"
    dropped = {
        place: LeftOut(function=made[place].function.name, code="budget", reason=reason)
        for place in beyond_budget(
            [tool.tokens for tool in made], [tool.function.deprecated for tool in made], budget
        )
    }
    kept = [tool for index, tool in enumerate(made) if index not in dropped]
    return kept, [dropped[index] for index in sorted(dropped)]


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
        self._room = StrictToolCounter(profile)
        self._outputs: OutputSchemas | None = None
        if output_schema and has_part(profile.shape, OUTPUT):
            self._outputs = OutputSchemas(profile, fits, answer=output_schema == "answer")
        self._defers = False

    def all(
        self, wanted: Sequence[OfferedFunction], progress: Progress | None = None
    ) -> tuple[list[Tool], list[LeftOut]]:
        """Return the tools that the provider accepts, and the functions that are left out."""
        made: list[Tool] = []
        left_out: list[LeftOut] = []
        self._defers = self._profile.search is not None and len(wanted) > 1
        most = self._profile.tools
        if most is not None and self._defers and any(subject.deferred for subject in wanted):
            most -= 1  # the search tool
        for count, subject in enumerate(wanted):
            if progress is not None:
                progress(count, len(wanted))
            if most is not None and len(made) >= most:
                reason = f"{self._profile.name} accepts {self._profile.tools} tools in one request"
                found: Tool | LeftOut = LeftOut(
                    function=subject.function.name, code="count", reason=reason
                )
            else:
                found = self.build(subject)
            if isinstance(found, Tool):
                made.append(found)
            else:
                left_out.append(found)
        return made, left_out

    @property
    def is_ordered(self) -> bool:
        """Return whether a tool depends on the tools before it: the provider limits enforced tools of a request."""
        return self._room.is_limited

    def build(self, subject: OfferedFunction, name: str | None = None) -> Tool | LeftOut:
        """Build one tool.

        Args:
            subject: the function.
            name: the name that ``reserve`` returned for it; reserved here if ``None``.
        """
        function = subject.function
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
        name = self.reserve(subject.name) if name is None else name
        text = subject.description
        if name != subject.name:
            text = with_place(text, place(function.route))
        self._texts[name] = text
        named = replace(subject, name=name, description=text)
        return self._tool(named, fit, output)

    def _output(self, function: Function, budget: int | None) -> JsonObject | None:
        return None if self._outputs is None else self._outputs.schema(function, budget)

    def _fit(self, function: Function, budget: int | None) -> Fit:
        return self._fits.fit(offered(function), self._profile, budget)

    def _enforceable(self, function: Function, budget: int | None) -> Fit:
        """Return the fit of a function; it is not enforced if the request would exceed the limits of enforced tools."""
        fit = self._fit(function, budget)
        reason = self._room.refusal(fit)
        return fit if reason is None else self._unenforced(function, budget, reason)

    def _unenforced(self, function: Function, budget: int | None, reason: str) -> Fit:
        return self._fits.unenforced(offered(function), self._profile, budget, reason)

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
        subject = OfferedFunction(
            function=tool.function,
            name=tool.name,
            description=text,
            deferred=tool.deferred,
            namespace=tool.namespace,
        )
        output = None if tool.output is None else self._output(tool.function, schema)
        return self._tool(subject, fit, output)

    def _tool(self, subject: OfferedFunction, fit: Fit, output: JsonObject | None) -> Tool:
        function, name, text = subject.function, subject.name, subject.description
        deferred = subject.deferred and self._defers
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
            namespace=subject.namespace if self._profile.namespace is not None else "",
            changed=tuple(
                tool_edits(function, name, fit, length=None if as_is else len(description))
            ),
        )

    def _description(self, function: Function, text: str) -> str:
        """Return the description for a model; it is never empty, because some providers refuse that."""
        limit = self._profile.description_limit
        text = within(text or place(function.route), function.schemas.settings.description_limit)
        return text if limit is None else shorten(text, limit)

    def reserve(self, wanted: str) -> str:
        """Return a name that the provider accepts and that is unique in the list, and reserve it."""
        name = wanted
        legal = re.compile(self._profile.tool_name)
        mark = digest(name)
        length = 6
        while name in self._reserved or not legal.fullmatch(name):
            plain = re.sub(r"[^A-Za-z0-9_]", "_", wanted)
            name = f"{plain[: 63 - length]}_{mark[:length]}"
            name = name if legal.fullmatch(name) else f"f{name}"[:64]
            length += 2
        self._reserved.add(name)
        return name
