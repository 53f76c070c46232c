"""The list of tools that is sent to a provider, and the way back from what its model writes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from specfn._internal.json import JsonObject
from specfn.catalog.tools.namespaces import entries
from specfn.catalog.tools.strict_limits import shows_null
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.records import Edit
from specfn.schema.profiles.fit import Fit
from specfn.schema.profiles.lint import RefusalCode
from specfn.schema.profiles.profile import Profile
from specfn.schema.profiles.restore import restore

if TYPE_CHECKING:
    from specfn.catalog.tools.shown_paths import Places
    from specfn.validation.outcome import Failure

#: Above how many tokens a list of tools is more than most models choose from well.
MANY_TOKENS: Final = 32_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A function as it is to be offered.

    Attributes:
        function: the function.
        name: what the model is to call it.
        description: what the model is to read of it, before lines are left out and it is truncated.
        deferred: load its definition only when the model searches for it, if the provider can.
        namespace: the group that it is shown in, if the provider has groups; empty for none.
    """

    function: Function
    name: str
    description: str
    deferred: bool = False
    namespace: str = ""


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
        output: the schema of its result, if it is sent.
        deferred: whether its definition is loaded only when the model searches for it.
        namespace: the group that it is shown in; empty for none.
    """

    function: Function
    name: str
    description: str
    fit: Fit
    wire: JsonObject
    tokens: int
    changed: tuple[Edit, ...]
    output: JsonObject | None = None
    deferred: bool = False
    namespace: str = ""

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
        entries: what is sent, each function, namespace and search tool by itself.
        degraded: what was asked for and the provider does not have, a short word each.
    """

    def __init__(
        self,
        profile: Profile,
        tools: Sequence[Tool] = (),
        left_out: Sequence[LeftOut] = (),
        degraded: Sequence[str] = (),
    ) -> None:
        wires = [*entries(profile, tools)]
        super().__init__(wires if profile.group is None or not wires else [{profile.group: wires}])
        self.entries = tuple(wires)
        self.degraded = tuple(degraded)
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
        loaded = [tool for tool in self.tools if not tool.deferred]
        tokens = sum(tool.tokens for tool in loaded)
        if tokens > MANY_TOKENS:
            largest = sorted(loaded, key=lambda tool: -tool.tokens)[:10]
            named = ", ".join(f"{tool.name} ({tool.tokens:,})" for tool in largest)
            yield (
                f"{len(loaded)} tools of about {tokens:,} tokens are more than {MANY_TOKENS:,}; "
                f"choose with select, or set budget_tokens; the largest are {named}"
            )
        for code in dict.fromkeys(item.code for item in self.left_out):
            found = [item for item in self.left_out if item.code == code]
            named = ", ".join(item.function for item in found[:10])
            yield f"{len(found)} functions are left out ({named}): {found[0].reason}"
        if self.degraded:
            yield f"{self.profile.name} does not have what was asked for: {', '.join(self.degraded[:10])}"

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
        from specfn.catalog.tools.shown_paths import Places  # noqa: PLC0415  # for calls that were not right

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
