"""The functions that a server offers, under their qualified names, and calls of them."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components

from specfn._internal.io import AsyncIO
from specfn._internal.json import dumps
from specfn.connectors.registry import profile
from specfn.errors import UsageError
from specfn.http.request.security import require_declared
from specfn.invocation import prompts
from specfn.invocation.answer import Answer
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.check import PreparedCall, prepare
from specfn.invocation.fields_argument import FieldsArgument, SentArguments, with_fields
from specfn.invocation.pipeline import perform
from specfn.invocation.response_fields import refuse_filtered, warn_of_unknown_drops
from specfn.invocation.settings import CallSettings, permitted_names
from specfn.schema.profiles.profile import OUTPUT, Profile
from specfn.tools.function_set import AdvertisedFunction, Catalog
from specfn.tools.resolve import Resolution
from specfn.tools.search.search import Found
from specfn.tools.tool import Tool
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.connectors.turn import Call
    from specfn.http.connection import Connection

#: The maximum number of characters of a response.
_LIMIT: Final = 20_000


class ServedFunctions:
    """The functions of a server: their names, their tools, their search, and calls of them.

    Attributes:
        catalog: the functions of all documents.
        entries: the functions that could be called, by their names.
        offered: the names of those that the server offers.
        tools: their tools.
    """

    def __init__(
        self,
        catalog: Catalog,
        connection: "Connection | None",
        *,
        allow: Collection[str],
        output_schema: bool = False,
        key: bytes | str | None = None,
        fields: bool = False,
        read_only: bool = False,
    ) -> None:
        """Take the functions and permissions.

        Args:
            catalog: the functions of all documents.
            connection: where functions are called whose document has no connection of its own.
            allow: the safeties and the names of functions that need no approval.
            output_schema: add the schemas of documented responses to the tools.
            key: the key of approval tokens; random if ``None``.
            fields: models may ask for fields of responses.
            read_only: offer only functions that read.

        Raises:
            UsageError: ``allow`` contains another word, or exclusions only; a document has no connection, or a connection has a credential
                for a security scheme that its document does not declare.
        """
        self.catalog = catalog
        self.entries = {e.name: e for e in catalog.entries if e.function.fault is None}
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
            require_declared(entry.function.api, self._settings(entry).connection)

    # -- calls ----------------------------------------------------------------------------------------

    def prepare(self, name: str, sent: Any, fields: Any = None) -> PreparedCall:
        """Look up the function that a model called, and check its arguments.

        Args:
            name: the function, as the model named it.
            sent: the arguments of the model, which may contain the reserved argument for fields.
            fields: the fields that the model asks for beside the arguments; ``None`` if it does not ask for fields.
        """
        taken = self._taken(name, sent)
        if fields is not None:
            taken = with_fields(taken, fields)
        call: Call = {"id": "", "name": name, "arguments": taken.arguments}
        found = prepare(call, self.catalog, self.tools)
        if found.entry is not None and taken.problem is not None:
            found = replace(found, answer=prompts.unknown_fields(taken.problem), kind="invalid")
        return replace(found, repairs=(*taken.repairs, *found.repairs), fields=taken.fields)

    def _taken(self, called: str, sent: Any) -> SentArguments:
        """Take the reserved argument out of the arguments that a model sent, if it is offered."""
        name = self.resolve(called).name if self._fields else None
        argument = None if name is None else self.fields_argument(name)
        return SentArguments(sent) if argument is None else argument.extract(sent)

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
            assert call.answer is not None
            return Answer(text=call.answer, kind=call.kind or "unknown_function")
        settings = replace(
            self._settings(call.entry),
            ask=ask,
            fills_later=fills_later,
            fill=None if human is None else lambda *_: human,
            offered=offered or self.tools,
        )
        return await perform(call, settings, granted)

    def _settings(self, entry: AdvertisedFunction) -> CallSettings:
        connection = entry.connection or self._connection
        if connection is None:
            raise UsageError(
                f"{entry.name} has no connection: pass `connection`, or add its document with a connection"
            )
        return CallSettings(
            functions=self.catalog,
            offered=self.tools,
            connection=connection,
            permitted=self._permitted,
            limit=_LIMIT,
            tokens=self._tokens,
            fields=self._fields,
            audience=_caller(),
            io=AsyncIO(),
        )

    # -- search ---------------------------------------------------------------------------------------

    def search(self, query: str, limit: int, among: frozenset[str]) -> list[Found]:
        """Return the functions of these names that fit a query, best first."""
        return self.catalog.finder.find(query, limit, among=among)


def _caller() -> str:
    """Return the authenticated client and user of the current request; empty if the server does not verify tokens."""
    token = get_access_token()
    return "" if token is None else dumps(principal_components(token)).decode()


def _profile(*, output_schema: bool) -> Profile:
    """Return the profile of tools, with a place for output schemas if they are sent."""
    plain = profile("mcp")
    shape: Any = {**plain.shape, "outputSchema": OUTPUT}
    return replace(plain, shape=shape) if output_schema else plain
