"""The functions that a server offers, under their qualified names: the list of their tools, and calls of them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mcp import types
from mcp.shared.exceptions import MCPError

from specfn._internal.digest import digest
from specfn._internal.io import AsyncIO
from specfn._internal.json import JsonObject, dumps
from specfn.connectors.mcp import SAFETY_HINTS
from specfn.connectors.registry import profile
from specfn.document.garbage_collection import gc_paused
from specfn.errors import UsageError
from specfn.http.request.security import require_declared
from specfn.invocation import failure_texts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.call_settings import CallSettings, permitted_names
from specfn.invocation.check import PreparedCall, prepare
from specfn.invocation.fields_argument import FieldsArgument, SentArguments, with_fields
from specfn.invocation.permit import answer_unsent
from specfn.invocation.pipeline import perform
from specfn.invocation.response_fields import refuse_filtered, warn_of_unknown_drops
from specfn.mcp.callers import CallerConnections, caller_id
from specfn.mcp.results import log
from specfn.schema.profiles.profile import OUTPUT, Profile
from specfn.tools.function_set import AdvertisedFunction, Catalog
from specfn.tools.resolve import Resolution
from specfn.tools.search.search import Found
from specfn.tools.token_estimate import estimate
from specfn.tools.tool import MANY_TOKENS, Tool
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.connectors.turn import Call
    from specfn.http.connection import Connection

#: The maximum number of functions that are listed one by one.
MAX_LISTED_TOOLS: Final = 100

_CURSOR: Final = re.compile(r"([0-9a-f]{8})-([1-9][0-9]{0,8})")


class ServedFunctions:
    """The functions of a server: their names, the list of their tools, their search, and calls of them.

    Attributes:
        catalog: the functions of all documents.
        entries: the functions that could be called, by their names.
        offered: the names of those that the server offers.
        tools: their tools.
    """

    def __init__(
        self,
        catalog: Catalog,
        connection: "Connection | CallerConnections | None",
        *,
        allow: Collection[str],
        output_schema: bool = False,
        key: bytes | str | None = None,
        fields: bool = False,
        read_only: bool = False,
    ) -> None:
        """Check the functions, the permissions and the connections.

        Args:
            catalog: the functions of all documents.
            connection: where functions are called whose document has no connection of its own, or the connections
                of callers.
            allow: the safeties and the names of functions that need no approval.
            output_schema: add the schemas of documented responses to the tools.
            key: the key of approval tokens; random if ``None``.
            fields: models may ask for fields of responses.
            read_only: offer only functions that read.

        Raises:
            UsageError: ``allow`` contains another word, or exclusions only; a document has no connection; or a
                connection has a credential for a security scheme that its document does not declare.
        """
        self.catalog = catalog
        self.entries = {
            entry.name: entry for entry in catalog.entries if entry.function.fault is None
        }
        self.offered = tuple(
            name
            for name, entry in self.entries.items()
            if not read_only or entry.function.safety == "read"
        )
        if output_schema:
            refuse_filtered(entry.function for entry in self.entries.values())
        self.tools = ToolSet(
            (self.entries[name] for name in self.offered),
            _profile(output_schema=output_schema),
            output_schema="data" if output_schema else None,
        )
        self._fields = fields
        self._connection = connection
        self._permitted = permitted_names(allow, catalog.keys)
        warn_of_unknown_drops(entry.function for entry in self.entries.values())
        self._tokens = ApprovalTokens(key)
        for entry in self.entries.values():
            fixed = self._fixed_connection(entry)
            if not isinstance(fixed, CallerConnections):
                require_declared(entry.function.api, fixed)

    # -- the list -------------------------------------------------------------------------------------

    @cached_property
    def _list_id(self) -> str:
        return digest("\n".join(self.offered))[:8]

    @cached_property
    def _whole_list(self) -> list[JsonObject]:
        with gc_paused():  # each tool is kept: the collector would find nothing
            return list(self._tools_of(self.offered))

    def is_large(self) -> bool:
        """Return whether the tools are too many, or too long, for most models."""
        if len(self.offered) > MAX_LISTED_TOOLS:
            return True
        tools = (self.tools.compose(name) for name in self.offered)
        tokens = (self._with_fields(tool).tokens for tool in tools if isinstance(tool, Tool))
        return sum(tokens) > MANY_TOKENS

    def page(self, cursor: str | None, size: int | None) -> JsonObject:
        """Return a page of the list of tools.

        Args:
            cursor: the cursor of the page before; ``None`` for the first page.
            size: the maximum number of tools of a page; ``None`` for one page.

        Raises:
            MCPError: the cursor is not one of this list.
        """
        start = 0
        if cursor is not None:
            match = _CURSOR.fullmatch(cursor)
            if match is None or match[1] != self._list_id or int(match[2]) >= len(self.offered):
                raise unknown_cursor()
            start = int(match[2])
        if size is None:
            return {"tools": self._whole_list[start:]}
        end = start + size
        page: JsonObject = {"tools": list(self._tools_of(self.offered[start:end]))}
        if end < len(self.offered):
            page["nextCursor"] = f"{self._list_id}-{end}"
        return page

    def _tools_of(self, names: Sequence[str]) -> Iterator[JsonObject]:
        """Yield the tools of functions with their titles and annotations; a refused one is only logged."""
        for name in names:
            tool = self.tools.compose(name)
            if not isinstance(tool, Tool):
                log.warning("%s is not listed: %s", name, tool and tool.reason)
                continue
            function = self.entries[name].function
            head = {"name": tool.name} | ({"title": function.summary} if function.summary else {})
            hints = dict(SAFETY_HINTS[function.safety])
            if function.safety != "read":
                hints["idempotentHint"] = function.idempotent
            wire = self._with_fields(tool).wire
            rest = {key: value for key, value in wire.items() if key != "name"}
            yield {**head, **rest, "annotations": {**hints, "openWorldHint": True}}

    def _with_fields(self, tool: Tool) -> Tool:
        """Return a tool with the reserved argument for fields, if it is offered."""
        argument = self.fields_argument(tool.name)
        if argument is None:
            return tool
        schema, text = argument.parameters(), tool.description + argument.line()
        wire = {**tool.wire, "description": text, "inputSchema": schema}
        return replace(tool, wire=wire, description=text, tokens=estimate(len(dumps(wire))))

    # -- search ---------------------------------------------------------------------------------------

    def search(self, query: str, limit: int) -> list[Found]:
        """Return the offered functions that fit a query, best first."""
        return self.catalog.finder.find(query, limit, among=frozenset(self.offered))

    # -- calls ----------------------------------------------------------------------------------------

    def prepare(self, name: str, sent: Any, fields: Any = None) -> PreparedCall:
        """Look up the function that a model called, and check its arguments.

        Args:
            name: the function, as the model named it.
            sent: the arguments of the model, which may contain the reserved argument for fields.
            fields: the fields that the model asks for next to the arguments; ``None`` if it does not ask for fields.
        """
        resolved = self.resolve(name).name if self._fields else None
        argument = None if resolved is None else self.fields_argument(resolved)
        split = SentArguments(sent) if argument is None else argument.extract(sent)
        if fields is not None:
            split = with_fields(split, fields)
        request: Call = {"id": "", "name": name, "arguments": split.arguments}
        call = prepare(request, self.catalog, self.tools)
        if call.entry is not None and split.problem is not None:
            call = replace(call, answer=failure_texts.unknown_fields(split.problem), kind="invalid")
        return replace(call, repairs=(*split.repairs, *call.repairs), fields=split.fields)

    def fields_argument(self, name: str) -> FieldsArgument | None:
        """Return the reserved argument of a function; ``None`` if it is not offered."""
        tool = self.tools.compose(name) if self._fields else None
        if not isinstance(tool, Tool):
            return None
        return FieldsArgument(tool.function, tool.fit.schema, strict=tool.fit.strict)

    def resolve(self, name: str) -> Resolution:
        """Return the function that a model called, after resolving its name."""
        return self.catalog.resolve(name, advertised=self.entries)

    async def outcome(
        self,
        call: PreparedCall,
        *,
        ask: bool,
        granted: str | None = None,
        human: Any = None,
        fills_later: bool = False,
        offered: ToolSet | None = None,
    ) -> Answer:
        """Call a function.

        Args:
            call: the function and its checked arguments.
            ask: calls that need an approval wait for it; otherwise they are refused.
            granted: the token of an approval.
            human: the human part, from the form that showed the call.
            fills_later: the form of a waiting call can ask for its human part.
            offered: the functions as the model calls them; ``None`` if it calls the tools.
        """
        if call.entry is None:
            return answer_unsent(call)
        settings = replace(
            await self._settings(call.entry),
            ask=ask,
            fills_later=fills_later,
            fill=None if human is None else lambda *_: human,
            offered=offered or self.tools,
        )
        return await perform(call, settings, granted)

    def _fixed_connection(self, entry: AdvertisedFunction) -> "Connection | CallerConnections":
        connection = entry.connection or self._connection
        if connection is None:
            raise UsageError(
                f"{entry.name} has no connection: pass `connection`, or add its document with a connection"
            )
        return connection

    async def _settings(self, entry: AdvertisedFunction) -> CallSettings:
        connection = self._fixed_connection(entry)
        if isinstance(connection, CallerConnections):
            connection = await connection.connection()
            require_declared(entry.function.api, connection)
        return CallSettings(
            functions=self.catalog,
            offered=self.tools,
            connection=connection,
            permitted=self._permitted,
            tokens=self._tokens,
            fields=self._fields,
            audience=caller_id(),
            io=AsyncIO(),
        )


def unknown_cursor() -> MCPError:
    """Return the error for a cursor that is not one of the list."""
    text = "unknown cursor: list the tools again, without a cursor"
    return MCPError(types.INVALID_PARAMS, text)


def _profile(*, output_schema: bool) -> Profile:
    """Return the profile of tools, with a place for output schemas if they are sent."""
    plain = profile("mcp")
    shape: Any = {**plain.shape, "outputSchema": OUTPUT}
    return replace(plain, shape=shape) if output_schema else plain
