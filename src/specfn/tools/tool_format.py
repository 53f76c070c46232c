"""The format of tools in a request, from the shapes in a profile: functions, namespaces and the provider's search tool."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from specfn._internal.digest import mark
from specfn._internal.json import JsonObject
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
from specfn.schema.safe_text import shorten

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_-]")

#: The maximum number of characters of a namespace's name, and of its description.
_NAME: Final = 64
_DESCRIPTION: Final = 1_024


class ListedTool(Protocol):
    """A tool of the request."""

    @property
    def name(self) -> str:
        """The name that the model calls."""

    @property
    def wire(self) -> JsonObject:
        """The tool in the provider's form."""

    @property
    def deferred(self) -> bool:
        """Return true if its definition is loaded only when the model searches for it."""

    @property
    def namespace(self) -> str:
        """The namespace in which the tool is listed; empty without one."""


def entries(profile: Profile, tools: Sequence[ListedTool]) -> Iterator[JsonObject]:
    """Yield the entries of a request; functions of one namespace are one entry, at the position of the first.

    Args:
        profile: the profile of the provider.
        tools: the tools, in order.
    """
    groups: dict[tuple[str, str], list[ListedTool]] = {}
    for tool in tools:
        key = (tool.namespace, "") if tool.namespace else ("", tool.name)
        groups.setdefault(key, []).append(tool)
    taken = {tool.name for tool in tools}
    for (namespace, _), members in groups.items():
        if namespace and profile.namespace is not None:
            name = _legal(namespace, taken)
            taken.add(name)
            yield _namespace(profile.namespace, name, members)
        else:
            yield from (tool.wire for tool in members)
    if profile.search is not None and any(tool.deferred for tool in tools):
        yield profile.search


def _namespace(shape: JsonObject, name: str, members: Sequence[ListedTool]) -> JsonObject:
    names = ", ".join(tool.name for tool in members)
    text = shorten(f"{len(members)} functions: {names}", _DESCRIPTION)
    found: JsonObject = fill(
        shape, {NAME: name, DESCRIPTION: text, TOOLS: [tool.wire for tool in members]}
    )
    return found


def _legal(name: str, taken: Collection[str]) -> str:
    """Return a name that the provider accepts and that is unique in the request."""
    legal = _ILLEGAL.sub("_", name)[:_NAME]
    if legal == name and legal not in taken:
        return legal
    marked = f"{legal[: _NAME - 7]}_{mark(name)}"
    while marked in taken:
        marked = f"{legal[: _NAME - 7]}_{mark(marked)}"
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
    tool: JsonObject = fill(profile.shape, parts)
    return tool


def fill(shape: Any, parts: Mapping[str, Any]) -> Any:
    """Return a shape with its placeholders replaced by parts; a member without a part is left out."""
    if isinstance(shape, dict):
        members = {key: fill(item, parts) for key, item in shape.items()}
        return {key: item for key, item in members.items() if item is not None}
    return parts.get(shape, shape) if isinstance(shape, str) else shape


def has_part(shape: Any, part: str) -> bool:
    """Return whether a shape has a placeholder for a part."""
    if isinstance(shape, dict):
        return any(has_part(item, part) for item in shape.values())
    return bool(shape == part)
