"""The list of tools: annotations, pages and cursors."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from mcp import types
from mcp.shared.exceptions import MCPError

from specfn._internal.digest import digest
from specfn._internal.json import JsonObject, dumps
from specfn.document.collector import paused
from specfn.function.function import Function
from specfn.mcp.results import log
from specfn.mcp.served_functions import ServedFunctions
from specfn.tools.function_set import AdvertisedFunction
from specfn.tools.token_estimate import estimate
from specfn.tools.tool import MANY_TOKENS, Tool

#: The maximum number of functions that are listed one by one.
MANY_TOOLS: Final = 100

_CURSOR: Final = re.compile(r"([0-9a-f]{8})-([1-9][0-9]{0,8})")

#: The annotations of each safety.
HINTS: Final[Mapping[str, JsonObject]] = {
    "read": {"readOnlyHint": True},
    "write": {"readOnlyHint": False, "destructiveHint": False},
    "destructive": {"readOnlyHint": False, "destructiveHint": True},
}


class ToolList:
    """The tools of functions as they are listed.

    Attributes:
        names: the names of the functions.
    """

    def __init__(self, served: ServedFunctions, names: Sequence[str]) -> None:
        """Take the functions and the names of those that are listed."""
        self._served = served
        self._names = tuple(names)
        self.names = frozenset(names)

    @cached_property
    def _id(self) -> str:
        return digest("\n".join(self._names))[:8]

    @cached_property
    def _all(self) -> list[JsonObject]:
        with paused():  # each tool is kept: the collector would find nothing
            return list(self._listed(self._names))

    def is_large(self) -> bool:
        """Return whether the tools are too many, or too long, for most models."""
        if len(self._names) > MANY_TOOLS:
            return True
        found = (self._served.tools.compose(name) for name in self._names)
        tools = (self._offered(each) for each in found if isinstance(each, Tool))
        return sum(each.tokens for each in tools) > MANY_TOKENS

    def page(self, cursor: str | None, size: int | None) -> JsonObject:
        """Return a page of the list.

        Args:
            cursor: the cursor of the page before; ``None`` for the first page.
            size: the maximum number of tools of a page; ``None`` for one page.

        Raises:
            MCPError: the cursor is not one of this list.
        """
        start = self._start(cursor)
        if size is None:
            return {"tools": self._all[start:]}
        end = start + size
        page: JsonObject = {"tools": list(self._listed(self._names[start:end]))}
        if end < len(self._names):
            page["nextCursor"] = f"{self._id}-{end}"
        return page

    def _start(self, cursor: str | None) -> int:
        if cursor is None:
            return 0
        found = _CURSOR.fullmatch(cursor)
        if found is None or found[1] != self._id or int(found[2]) >= len(self._names):
            raise unknown_cursor()
        return int(found[2])

    def _listed(self, names: Sequence[str]) -> Iterator[JsonObject]:
        for name in names:
            made = self._served.tools.compose(name)
            if not isinstance(made, Tool):
                log.warning("%s is not listed: %s", name, made and made.reason)
            else:
                yield listed(self._served.entries[name], self._offered(made))

    def _offered(self, tool: Tool) -> Tool:
        """Return a tool with the reserved argument for fields, if it is offered."""
        argument = self._served.fields_argument(tool.name)
        if argument is None:
            return tool
        schema, text = argument.parameters(), tool.description + argument.line()
        wire = {**tool.wire, "description": text, "inputSchema": schema}
        return replace(tool, wire=wire, description=text, tokens=estimate(len(dumps(wire))))


def unknown_cursor() -> MCPError:
    """Return the error for a cursor that is not one of the list."""
    text = "unknown cursor: list the tools again, without a cursor"
    return MCPError(types.INVALID_PARAMS, text)


def listed(entry: AdvertisedFunction, tool: Tool) -> JsonObject:
    """Return a tool with its title and annotations."""
    function = entry.function
    title = function.summary
    head = {"name": tool.name} | ({"title": title} if title else {})
    return {**head, **_rest(tool.wire), "annotations": _annotations(function)}


def _annotations(function: Function) -> JsonObject:
    """Return hints about the effects of a function."""
    found = dict(HINTS[function.safety])
    if function.safety != "read":
        found["idempotentHint"] = function.idempotent
    return {**found, "openWorldHint": True}


def _rest(wire: JsonObject) -> dict[str, Any]:
    return {key: value for key, value in wire.items() if key != "name"}
