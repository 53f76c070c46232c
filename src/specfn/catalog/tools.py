"""The list of tools that is sent to a provider, and the way back from what its model writes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from specfn._digest import digest
from specfn._json import JsonObject, dumps
from specfn.catalog.enforced import Room, shows_null
from specfn.catalog.fits import Fits, tool_edits
from specfn.catalog.telling import told
from specfn.catalog.tokens import estimate
from specfn.catalog.wire import written
from specfn.errors import UsageError
from specfn.function.description import place, with_place, within
from specfn.function.function import Function
from specfn.records import Edit
from specfn.schema.fit import Fit
from specfn.schema.profile import Profile
from specfn.schema.refusals import RefusalCode, refusals
from specfn.schema.restore import restore
from specfn.schema.text import shorten

if TYPE_CHECKING:
    from specfn.catalog.places import Places
    from specfn.validation.outcome import Failure

#: Above how many tokens a list of tools is more than most models choose from well.
MANY_TOKENS: Final = 32_000

#: How a list is made to fit ``budget_tokens``: the most bytes of a schema and characters of a description.
_STEPS: Final = ((16_384, 4_096), (8_192, 2_048), (4_096, 1_024), (2_048, 512), (1_024, 256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A function as it is to be offered.

    Attributes:
        function: the function.
        name: what the model is to call it.
        description: what the model is to read of it, before lines are left out and it is truncated.
    """

    function: Function
    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """One function as it is sent.

    Attributes:
        function: the function.
        name: what the model calls it.
        description: what the model reads of it.
        fit: its fitted schema.
        wire: what is sent.
        tokens: an estimate of what it costs.
        changed: what differs in name and description.
    """

    function: Function
    name: str
    description: str
    fit: Fit
    wire: JsonObject
    tokens: int
    changed: tuple[Edit, ...]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What differs from what the document says; pointers begin with the part of the tool."""
        return (
            *self.changed,
            *(replace(edit, pointer=f"/parameters{edit.pointer}") for edit in self.fit.edits),
        )


#: Why a function is not sent; ``docs/records.md`` tells each.
LeftOutCode: TypeAlias = Literal["budget", "count", "refused"] | RefusalCode


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A function that is not sent.

    Attributes:
        function: its name.
        code: ``count``, ``budget`` or ``refused``, or what the provider would refuse.
        reason: one sentence.
    """

    function: str
    code: LeftOutCode
    reason: str


class Tools(list[JsonObject]):
    """What is sent to a provider, ready for its SDK or for JSON.

    Attributes:
        profile: whom it is for.
        tools: each tool with its function, its schema and what was changed.
        left_out: the functions that are not among them, and why.
    """

    def __init__(
        self, profile: Profile, tools: Sequence[Tool] = (), left_out: Sequence[LeftOut] = ()
    ) -> None:
        wires = [tool.wire for tool in tools]
        super().__init__(wires if profile.group is None or not wires else [{profile.group: wires}])
        self.profile = profile
        self.tools = tuple(tools)
        self.left_out = tuple(left_out)
        self._by_name = {tool.name: tool for tool in tools}

    @property
    def tokens(self) -> int:
        """An estimate of what all of them cost."""
        return sum(tool.tokens for tool in self.tools)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a caller should know before sending them."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        if self.tokens > MANY_TOKENS:
            largest = sorted(self.tools, key=lambda tool: -tool.tokens)[:10]
            named = ", ".join(f"{tool.name} ({tool.tokens:,})" for tool in largest)
            yield (
                f"{len(self.tools)} tools of about {self.tokens:,} tokens are more than {MANY_TOKENS:,}; "
                f"choose with select, or set budget_tokens; the largest are {named}"
            )
        for code in dict.fromkeys(item.code for item in self.left_out):
            found = [item for item in self.left_out if item.code == code]
            named = ", ".join(item.function for item in found[:10])
            yield f"{len(found)} functions are left out ({named}): {found[0].reason}"

    def tool(self, name: str) -> Tool:
        """The tool of the name that the model was shown.

        Raises:
            UsageError: there is none.
        """
        if name not in self._by_name:
            raise UsageError(f"there is no tool {name!r} among the {len(self.tools)}")
        return self._by_name[name]

    def restore(self, name: str, arguments: Any) -> Any:
        """What a model wrote for a tool, as arguments of its function, before they are checked.

        Property names that the provider refused are put back; null is taken out again where it was only
        shown because everything had to be required. Nothing else is changed, whatever the value.

        Args:
            name: the tool's name, as the model was shown it.
            arguments: what the model wrote, as parsed JSON.
        """
        tool = self.tool(name)
        fit = tool.fit
        root = offered(tool.function).validator
        keyed = restore(root, arguments, names=fit.names, nulls=shows_null(fit))
        return keyed if tool.function.keyword else _positional(tool.function, keyed)

    def shown(self, name: str, failure: "Failure", arguments: Any) -> "Failure":
        """A failure in the names that the model was shown, beside what it wrote.

        Args:
            name: the tool's name.
            failure: what checking the restored arguments came to.
            arguments: what the model wrote.
        """
        extra = arguments if isinstance(arguments, dict) else ()
        places = self._places(name, extra)
        errors = tuple(each.rewritten(places.shown) for each in failure.errors)
        return replace(failure, data=arguments, errors=errors)

    def path(self, name: str, path: str) -> str:
        """A path in a function's arguments, in the names that the model was shown.

        Args:
            name: the tool's name.
            path: the path, as problems and repairs have it.
        """
        return self._places(name).shown(path)

    def _places(self, name: str, given: Iterable[str] = ()) -> "Places":
        """How paths are shown; the keys that were given and are not declared are those behind all places."""
        from specfn.catalog.places import Places  # noqa: PLC0415  # for calls that were not right

        tool = self.tool(name)
        if tool.function.keyword:
            return Places(tool.fit.names, None)
        return Places(tool.fit.names, [*dict.fromkeys((*_keys(tool.function), *given))])


def offered(function: Function) -> Function:
    """The function whose arguments a model fills in: without a person's part, where there is one (rule S2)."""
    separated = getattr(function, "separated", None)
    found: Function = function if separated is None else separated.function
    return found


def _keys(function: Function) -> list[str]:
    return [*offered(function).validator["properties"]]


def _positional(function: Function, arguments: Any) -> Any:
    """Arguments by key as the list that a positional function takes; trailing ones that are absent end it.

    A value of an undeclared key goes behind all places, where it is refused: no place may take it for its own.
    """
    if not isinstance(arguments, dict):
        return arguments
    keys = _keys(function)
    extra = [value for key, value in arguments.items() if key not in keys]
    given = [index for index, key in enumerate(keys) if key in arguments]
    count = len(keys) if extra else max(given, default=-1) + 1
    return [*(arguments.get(key) for key in keys[:count]), *extra]


# -- making ------------------------------------------------------------------------------------------


def subjects(functions: Iterable[Function]) -> Iterator[Subject]:
    """Functions under their own names."""
    for function in functions:
        yield Subject(function=function, name=function.name, description=function.full_description)


def tools(
    wanted: Iterable[Subject],
    profile: Profile,
    *,
    fits: Fits | None = None,
    budget_tokens: int | None = None,
) -> Tools:
    """The tools of functions, as a provider takes them; what it would refuse is left out with its reason.

    Args:
        wanted: the functions, in the order in which they are sent.
        profile: whom they are for.
        fits: keeps what was fitted from one list to the next.
        budget_tokens: the most tokens of the list. Where they are more, the schemas over 16 KiB are cut and the
            longest descriptions shortened, then those over 8 KiB, and so on down to 1 KiB; then functions are
            left out, deprecated ones first, from the end.

    Raises:
        UsageError: the budget is no positive number.
    """
    if budget_tokens is not None and budget_tokens < 1:
        raise UsageError(f"budget_tokens must be at least 1, not {budget_tokens}")
    maker = _Maker(profile, fits or Fits())
    made, left_out = maker.all([*wanted])
    if budget_tokens is not None:
        for schema, description in _STEPS:
            if sum(tool.tokens for tool in made) <= budget_tokens:
                break
            made = [maker.smaller(tool, schema, description) for tool in made]
        made, dropped = _within(made, budget_tokens)
        left_out += dropped
    return Tools(profile, made, left_out)


def _within(made: list[Tool], budget: int) -> tuple[list[Tool], list[LeftOut]]:
    """As many tools as a budget has room for."""
    total = sum(tool.tokens for tool in made)
    order = sorted(range(len(made)), key=lambda i: (not made[i].function.deprecated, -i))
    dropped: dict[int, LeftOut] = {}
    for index in order:
        if total <= budget:
            break
        total -= made[index].tokens
        reason = f"there is no room for it within {budget:,} tokens"
        dropped[index] = LeftOut(function=made[index].function.name, code="budget", reason=reason)
    kept = [tool for index, tool in enumerate(made) if index not in dropped]
    return kept, [dropped[index] for index in sorted(dropped)]


class _Maker:
    """Makes the tools of one list."""

    def __init__(self, profile: Profile, fits: Fits) -> None:
        self._profile = profile
        self._fits = fits
        #: What each tool is described with before anything is shortened, by the names that are taken.
        self._texts: dict[str, str] = {}
        self._room = Room(profile)

    def all(self, wanted: Sequence[Subject]) -> tuple[list[Tool], list[LeftOut]]:
        """All tools that the provider takes, and the functions that are left out."""
        made: list[Tool] = []
        left_out: list[LeftOut] = []
        most = self._profile.tools
        for subject in wanted:
            if most is not None and len(made) >= most:
                reason = f"{self._profile.name} takes {most} tools in one request"
                found: Tool | LeftOut = LeftOut(
                    function=subject.function.name, code="count", reason=reason
                )
            else:
                found = self._one(subject)
            if isinstance(found, Tool):
                made.append(found)
            else:
                left_out.append(found)
        return made, left_out

    def _one(self, subject: Subject) -> Tool | LeftOut:
        function = subject.function
        if function.fault is not None:
            return LeftOut(function=function.name, code="refused", reason=str(function.fault))
        try:
            fit = self._enforceable(function, function.schemas.settings.schema_budget)
        except Exception as error:  # noqa: BLE001  # one bad function must not spoil the rest
            reason = f"its schema cannot be fitted: {type(error).__name__}: {error}"
            return LeftOut(function=function.name, code="refused", reason=reason[:300])
        fault = next(refusals(fit.schema, fit.profile), None)
        if fault is not None:
            reason = f"{fault.reason} (at #{fault.pointer})"
            return LeftOut(function=function.name, code=fault.code, reason=reason)
        name = self._name(subject)
        text = subject.description
        if name != subject.name:
            text = with_place(text, place(function.route))
        self._texts[name] = text
        return self._tool(function, name, text, fit)

    def _fit(self, function: Function, budget: int | None) -> Fit:
        return self._fits.fit(offered(function), self._profile, budget)

    def _enforceable(self, function: Function, budget: int | None) -> Fit:
        """Return a fit that is enforced only where the request has room for another enforced tool."""
        fit = self._fit(function, budget)
        reason = self._room.refusal(fit)
        return fit if reason is None else self._unenforced(function, budget, reason)

    def _unenforced(self, function: Function, budget: int | None, reason: str) -> Fit:
        return self._fits.unenforced(offered(function), self._profile, budget, reason)

    def smaller(self, tool: Tool, schema: int, description: int) -> Tool:
        """A tool within so many bytes of schema and characters of description."""
        fit = tool.fit
        if len(dumps(fit.schema)) > schema:
            fit = self._fit(tool.function, schema)
            if fit.strict and not tool.fit.strict:
                fit = self._unenforced(tool.function, schema, tool.fit.reason or "")
        elif len(tool.description) <= description:
            return tool
        text = shorten(told(self._texts[tool.name], fit, tool.function), description)
        return self._tool(tool.function, tool.name, text, fit)

    def _tool(self, function: Function, name: str, text: str, fit: Fit) -> Tool:
        shown = told(text, fit, function)
        description = self._description(function, shown)
        as_is = description == shown and text == function.full_description
        wire = written(
            self._profile, name=name, description=description, schema=fit.schema, strict=fit.strict
        )
        return Tool(
            function=function,
            name=name,
            description=description,
            fit=fit,
            wire=wire,
            tokens=estimate(len(dumps(wire))),
            changed=tuple(
                tool_edits(function, name, fit, length=None if as_is else len(description))
            ),
        )

    def _description(self, function: Function, text: str) -> str:
        """What a model reads; never empty, for some providers refuse that."""
        limit = self._profile.description_limit
        text = within(text or place(function.route), function.schemas.settings.description_limit)
        return text if limit is None else shorten(text, limit)

    def _name(self, subject: Subject) -> str:
        """A name that the provider takes and no other tool has."""
        name = subject.name
        legal = re.compile(self._profile.tool_name)
        told = digest(name)
        length = 6
        while name in self._texts or not legal.fullmatch(name):
            plain = re.sub(r"[^A-Za-z0-9_]", "_", subject.name)
            name = f"{plain[: 63 - length]}_{told[:length]}"
            name = name if legal.fullmatch(name) else f"f{name}"[:64]
            length += 2
        return name
