"""Tools in the format of a provider, and the restoration of its model's arguments."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from specfn._internal.characters import shorten
from specfn._internal.digest import short_digest
from specfn._internal.json import JsonObject
from specfn._internal.pointer import input_path
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.records import Edit
from specfn.schema.profiles.fit import Fit
from specfn.schema.profiles.profile import (
    DEFERRED,
    DESCRIPTION,
    NAME,
    OUTPUT,
    SCHEMA,
    STRICT,
    TOOLS,
    Profile,
)
from specfn.schema.profiles.refusals import RefusalCode
from specfn.schema.profiles.restore import restore

if TYPE_CHECKING:
    from specfn.validation.outcome import Failure

#: The tokens of a list of tools beyond which most models choose badly.
MANY_TOKENS: Final = 32_000

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_-]")

#: The maximum number of characters of a namespace's name, and of its description.
_MAX_NAMESPACE_CHARACTERS: Final = 64
_MAX_DESCRIPTION_CHARACTERS: Final = 1_024


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """A function as it is sent to a provider.

    Attributes:
        function: the function.
        name: the name that the model reads.
        description: the description that the model reads.
        fit: the fitted schema.
        wire: the tool in the provider's format.
        tokens: an estimate of its tokens.
        changed: the edits of name and description.
        output: the schema of its result, if it is sent.
        deferred: whether its definition is loaded only when the model searches for it.
        namespace: the namespace in which it is listed; empty if there is none.
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

    def __repr__(self) -> str:
        return f"<Tool {self.name}, about {self.tokens:,} tokens>"

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The differences to the document; pointers begin with the part of the tool."""
        return (
            *self.changed,
            *(replace(edit, pointer=f"/parameters{edit.pointer}") for edit in self.fit.edits),
        )

    def restore(self, arguments: Any) -> Any:
        """Return a model's arguments, as parsed JSON, as arguments of the function, before validation.

        Replaced property names are restored. A null is removed if it was only accepted because every property had to
        be required. All other values are unchanged.
        """
        root = self.function.model_function.validator
        keyed = restore(root, arguments, names=self.fit.names, nulls=shows_null(self.fit))
        return keyed if self.function.keyword else _as_positions(self.function, keyed)

    def shown(self, failure: "Failure", arguments: Any) -> "Failure":
        """Return a failure whose paths have the names that the model reads, with the arguments as the model sent them.

        Args:
            failure: the failure of validating the restored arguments.
            arguments: the model's arguments.
        """
        paths = self._paths(arguments if isinstance(arguments, dict) else ())
        errors = tuple(each.rewritten(paths.translate) for each in failure.errors)
        return replace(failure, data=arguments, errors=errors)

    def path(self, path: str) -> str:
        """Return the path of a problem or a repair under the names that the model reads."""
        return self._paths().translate(path)

    def _paths(self, given: Iterable[str] = ()) -> "PathsForModel":
        """Return the translation of paths. By position, undeclared keys come after the declared ones."""
        if self.function.keyword:
            return PathsForModel(self.fit.names, None)
        return PathsForModel(self.fit.names, [*dict.fromkeys((*_keys(self.function), *given))])


#: The reasons for leaving out a function; ``docs/records.md`` describes each.
LeftOutCode: TypeAlias = Literal["budget", "count", "refused"] | RefusalCode


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A function that is left out of a list of tools.

    Attributes:
        function: the name of the function.
        code: ``count``, ``budget``, ``refused``, or the code of the provider's refusal.
        reason: the reason, one sentence.
    """

    function: str
    code: LeftOutCode
    reason: str


class Tools(list[JsonObject]):
    """A list of tools in a provider's format, ready for its SDK or for JSON.

    Attributes:
        profile: the profile of the provider.
        tools: each tool with its function, its schema and its edits.
        left_out: the functions that are left out, with the reasons.
        entries: the functions, namespaces and search tool that are sent, one by one.
        degraded: the requested features that the provider does not have, a short word each.
    """

    def __init__(
        self,
        profile: Profile,
        tools: Sequence[Tool] = (),
        left_out: Sequence[LeftOut] = (),
        degraded: Sequence[str] = (),
    ) -> None:
        wires = [*_entries(profile, tools)]
        super().__init__(wires if profile.group is None or not wires else [{profile.group: wires}])
        self.entries = tuple(wires)
        self.degraded = tuple(degraded)
        self.profile = profile
        self.tools = tuple(tools)
        self.left_out = tuple(left_out)
        self._by_name = {tool.name: tool for tool in tools}

    def __repr__(self) -> str:
        left_out = f", {len(self.left_out)} left out" if self.left_out else ""
        tokens = f"about {self.tokens:,} tokens"
        return f"<Tools of {len(self.tools)} functions for {self.profile.name}, {tokens}{left_out}>"

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        rows = ((tool.name, tool.tokens, tool.description) for tool in self.tools)
        listed = Table("Tools", ("name", "tokens", "description"), rows, len(self.tools))
        reasons = ((item.function, item.code, item.reason) for item in self.left_out)
        columns = ("function", "code", "reason")
        left_out = Table("Left out", columns, reasons, len(self.left_out))
        return html(repr(self), tables=(listed, left_out))

    @property
    def tokens(self) -> int:
        """An estimate of the tokens of all tools."""
        return sum(tool.tokens for tool in self.tools)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the caller before sending the list."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        """Yield warnings about a large list, functions that are left out, and what the provider does not support."""
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
            items = [item for item in self.left_out if item.code == code]
            named = ", ".join(item.function for item in items[:10])
            yield f"{len(items)} functions are left out ({named}): {items[0].reason}"
        if self.degraded:
            yield f"{self.profile.name} does not support: {', '.join(self.degraded[:10])}"

    def tool(self, name: str) -> Tool:
        """Return the tool with a name that the model reads.

        Raises:
            UsageError: no tool has this name.
        """
        if name not in self._by_name:
            raise UsageError(
                f"unknown tool {name!r}: use the name of one of the {len(self.tools)} tools of this list"
            )
        return self._by_name[name]

    def restore(self, name: str, arguments: Any) -> Any:
        """Return a model's arguments for a tool as arguments of its function; see ``Tool.restore``."""
        return self.tool(name).restore(arguments)

    def shown(self, name: str, failure: "Failure", arguments: Any) -> "Failure":
        """Return a failure under the names that the model reads; see ``Tool.shown``."""
        return self.tool(name).shown(failure, arguments)

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments under the names that the model reads."""
        return self.tool(name).path(path)


# -- the format of a request ---------------------------------------------------------------------------------


def _entries(profile: Profile, tools: Sequence[Tool]) -> Iterator[JsonObject]:
    """Yield the entries of a request; functions of one namespace are one entry, at the position of the first."""
    groups: dict[tuple[str, str], list[Tool]] = {}
    for tool in tools:
        key = (tool.namespace, "") if tool.namespace else ("", tool.name)
        groups.setdefault(key, []).append(tool)
    taken = {tool.name for tool in tools}
    for (namespace, _), members in groups.items():
        if namespace and profile.namespace is not None:
            name = _unique_legal_name(namespace, taken)
            taken.add(name)
            yield _namespace(profile.namespace, name, members)
        else:
            yield from (tool.wire for tool in members)
    if profile.search is not None and any(tool.deferred for tool in tools):
        yield profile.search


def _namespace(shape: JsonObject, name: str, members: Sequence[Tool]) -> JsonObject:
    names = ", ".join(tool.name for tool in members)
    text = shorten(f"{len(members)} functions: {names}", _MAX_DESCRIPTION_CHARACTERS)
    entry: JsonObject = _fill(
        shape, {NAME: name, DESCRIPTION: text, TOOLS: [tool.wire for tool in members]}
    )
    return entry


def _unique_legal_name(name: str, taken: Collection[str]) -> str:
    """Return a name that the provider accepts and that is unique in the request."""
    legal = _ILLEGAL.sub("_", name)[:_MAX_NAMESPACE_CHARACTERS]
    if legal == name and legal not in taken:
        return legal
    marked = f"{legal[: _MAX_NAMESPACE_CHARACTERS - 7]}_{short_digest(name)}"
    while marked in taken:
        marked = f"{legal[: _MAX_NAMESPACE_CHARACTERS - 7]}_{short_digest(marked)}"
    return marked


def tool_json(
    profile: Profile,
    *,
    name: str,
    description: str,
    schema: JsonObject,
    strict: bool,
    output: JsonObject | None = None,
    deferred: bool = False,
) -> JsonObject:
    """Return one tool in the provider's format."""
    parts: dict[str, Any] = {
        NAME: name,
        DESCRIPTION: description,
        SCHEMA: schema if schema.get("properties") or profile.empty_root else None,
        STRICT: strict,
        OUTPUT: output,
        DEFERRED: deferred or None,
    }
    tool: JsonObject = _fill(profile.shape, parts)
    return tool


def _fill(shape: Any, parts: Mapping[str, Any]) -> Any:
    """Return a shape with its placeholders replaced by parts; a member without a part is left out."""
    if isinstance(shape, dict):
        members = {key: _fill(item, parts) for key, item in shape.items()}
        return {key: item for key, item in members.items() if item is not None}
    return parts.get(shape, shape) if isinstance(shape, str) else shape


def has_part(shape: Any, part: str) -> bool:
    """Return whether a shape has a placeholder for a part."""
    if isinstance(shape, dict):
        return any(has_part(item, part) for item in shape.values())
    return bool(shape == part)


# -- arguments -----------------------------------------------------------------------------------------------


def shows_null(fit: Fit) -> bool:
    """Return whether optional properties were rendered as required ones that accept null."""
    return fit.strict and fit.profile.strict is not None and fit.profile.strict.required


def _keys(function: Function) -> list[str]:
    return [*function.model_function.validator["properties"]]


def _as_positions(function: Function, arguments: Any) -> Any:
    """Return arguments by key as the list of a positional function; absent trailing arguments are left out.

    A value of an undeclared key is appended after all declared positions, where validation refuses it.
    """
    if not isinstance(arguments, dict):
        return arguments
    keys = _keys(function)
    extra = [value for key, value in arguments.items() if key not in keys]
    given = [index for index, key in enumerate(keys) if key in arguments]
    count = len(keys) if extra else max(given, default=-1) + 1
    return [*(arguments.get(key) for key in keys[:count]), *extra]


#: The steps of a path: a name, an index, or a quoted name.
_STEP: Final = re.compile(r'\.([A-Za-z_$][A-Za-z0-9_$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


class PathsForModel:
    """Translation of paths in a function's arguments to the names and positions that a model reads."""

    def __init__(self, names: Mapping[str, str], keys: Sequence[str] | None) -> None:
        """Create the translation from the replaced names and the keys of positions.

        Args:
            names: the function's own names by the names that the model reads.
            keys: the keys that replace positions; ``None`` for arguments by key.
        """
        self._shown = {own: shown for shown, own in names.items()}
        self._keys = keys

    def translate(self, path: str) -> str:
        """Return a path under the names that the model reads."""
        steps: list[str | int] = []
        for name, position, quoted in _STEP.findall(path):
            own: str | int = int(position) if position else name or json.loads(quoted)
            steps.append(self._shown.get(own, own) if isinstance(own, str) else own)
        if self._keys is not None and steps and isinstance(steps[0], int):
            steps[0] = self._keys[steps[0]] if steps[0] < len(self._keys) else steps[0]
        return input_path(steps)
