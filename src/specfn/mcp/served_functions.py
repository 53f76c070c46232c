"""The functions that a server offers, under their qualified names, and calls of them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components

from specfn._internal.json import dumps
from specfn.application.binding.approval_token import ApprovalTokens
from specfn.application.binding.fields_argument import FieldsArgument, SentFields, with_fields
from specfn.application.binding.one_call import perform
from specfn.application.binding.policy import Awaiting, BindPolicy, read_permissions
from specfn.calling.call_answer import Answer
from specfn.calling.calls import prompts
from specfn.calling.calls.prepare import Prepared, prepare
from specfn.calling.names.catalog import Catalog, Entry
from specfn.calling.names.resolve import Resolution
from specfn.calling.offered_tools import OfferedFunctions
from specfn.calling.response_fields import refuse_filtered, warn_of_unknown_drops
from specfn.calling.responses.advertised import AdvertisedFunction
from specfn.catalog.search.search import Found
from specfn.catalog.tools.fit_cache import FitCache
from specfn.catalog.tools.tool_builder import OutputForm, ToolBuilder
from specfn.catalog.tools.tools import LeftOut, OfferedFunction, Tool
from specfn.connectors.registry import profile
from specfn.errors import UsageError
from specfn.http.request.security import require_declared
from specfn.schema.profiles.profile import OUTPUT, Profile
from specfn.validation.outcome import Failure

if TYPE_CHECKING:
    from specfn.connectors.turn import Call
    from specfn.http.connection import Connection

#: The maximum number of characters of a response.
_LIMIT: Final = 20_000


class ComposedTools:
    """The tools of functions by their names, each composed when it is read."""

    def __init__(self, entries: Mapping[str, Entry], *, output_schema: bool) -> None:
        """Take the functions.

        Args:
            entries: the functions by their names.
            output_schema: add the schemas of documented responses.
        """
        found = profile("mcp")
        form: OutputForm | None = "data" if output_schema else None
        shape: Any = {**found.shape, "outputSchema": OUTPUT} if output_schema else found.shape
        self._entries = entries
        self._builder = ToolBuilder(_shaped(found, shape), FitCache(), output_schema=form)
        self._made: dict[str, Tool | LeftOut] = {}
        self._lock = Lock()

    def __getitem__(self, name: str) -> Tool:
        """Compose a tool.

        Raises:
            UsageError: the document of the function is at fault; with the reason.
        """
        found = self.composed(name)
        if isinstance(found, LeftOut):
            raise UsageError(f"{found.function} cannot be called: {found.reason}")
        return found

    def composed(self, name: str) -> Tool | LeftOut:
        """Compose a tool, or return the reason why the function cannot be called."""
        if name not in self._made:
            with self._lock:
                if name not in self._made:
                    self._made[name] = self._builder.build(self._subject(name), name)
        return self._made[name]

    def _subject(self, name: str) -> OfferedFunction:
        entry = self._entries[name]
        return OfferedFunction(
            function=entry.function, name=name, description=entry.full_description
        )

    # -- the way back -------------------------------------------------------------------------------

    def restore(self, name: str, arguments: Any) -> Any:
        """Return arguments that a model sent for a tool as arguments of its function."""
        return self[name].restore(arguments)

    def shown(self, name: str, failure: Failure, arguments: Any) -> Failure:
        """Return a failure in the names that the model was shown."""
        return self[name].shown(failure, arguments)

    def path(self, name: str, path: str) -> str:
        """Return a path in a function's arguments, in the names that the model was shown."""
        return self[name].path(path)


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
        self.tools = ComposedTools(self.entries, output_schema=output_schema)
        self._fields = fields
        self._connection = connection
        self._permissions = read_permissions(
            allow, lambda key: [entry.name for entry in catalog.select([key])]
        )
        warn_of_unknown_drops(entry.function for entry in self.entries.values())
        self._tokens = ApprovalTokens(key)
        self._offered = OfferedFunctions(
            translation=self.tools, wire={name: name for name in self.offered}
        )
        for entry in self.entries.values():
            require_declared(entry.function.api, self._policy(entry).connection)

    # -- calls ----------------------------------------------------------------------------------------

    def prepare(self, name: str, sent: Any, fields: Any = None) -> Prepared:
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
        found = prepare(call, self.catalog, self._offered)
        if found.entry is not None and taken.problem is not None:
            found = replace(found, answer=prompts.unknown_fields(taken.problem), kind="invalid")
        return replace(found, repairs=(*taken.repairs, *found.repairs), fields=taken.fields)

    def _taken(self, called: str, sent: Any) -> SentFields:
        """Take the reserved argument out of the arguments that a model sent, if it is offered."""
        name = self.resolve(called).name if self._fields else None
        argument = None if name is None else self.fields_argument(name)
        return SentFields(sent) if argument is None else argument.taken_from(sent)

    def fields_argument(self, name: str) -> FieldsArgument | None:
        """Return the reserved argument of a function; ``None`` if it is not offered."""
        tool = self.tools.composed(name) if self._fields else None
        if not isinstance(tool, Tool):
            return None
        return FieldsArgument(tool.function, tool.fit.schema, strict=tool.fit.strict)

    def resolve(self, name: str) -> Resolution:
        """Return the function that a model called, after resolving its name."""
        return self.catalog.resolve(name, advertised=self.entries)

    async def outcome(
        self,
        call: Prepared,
        *,
        ask: bool,
        granted: str | None = None,
        human: Any = None,
        fills_later: bool = False,
        advertised: Callable[[], Iterable[AdvertisedFunction]] | None = None,
    ) -> Answer:
        """Call a function.

        Args:
            call: the function and its checked arguments.
            ask: calls that need an approval wait for it; otherwise they are refused.
            granted: the token of an approval.
            human: the human part, from the form that showed the call.
            fills_later: the form of a waiting call can ask for its human part.
            advertised: returns the functions as the model calls them, if it reads them as they are declared; ``None``
                if it calls the tools.
        """
        if call.entry is None:
            assert call.answer is not None
            return Answer(text=call.answer, kind=call.kind or "unknown_function")
        policy = replace(self._policy(call.entry), ask=ask, fills_later=fills_later)
        if human is not None:
            policy = replace(policy, fill=lambda *_: human)
        if advertised is not None:
            policy = replace(policy, advertised=advertised)
        tool = self.tools[call.entry.name] if advertised is None else None
        return await perform(call, policy, granted, Awaiting(), tool=tool)

    def _policy(self, entry: Entry) -> BindPolicy:
        connection = entry.connection or self._connection
        if connection is None:
            raise UsageError(
                f"{entry.name} has no connection: pass `connection`, or add its document with a connection"
            )
        return BindPolicy(
            connection=connection,
            permits=lambda function: self._permissions.permit(entry.name, function.safety),
            approve=None,
            fill=None,
            ask=False,
            limit=_LIMIT,
            tokens=self._tokens,
            fields=self._fields,
            audience=_caller(),
            advertised=self._advertised,
        )

    def _advertised(self) -> Iterator[AdvertisedFunction]:
        for name in self.offered:
            function = self.entries[name].function
            yield AdvertisedFunction(name, function, partial(self.tools.__getitem__, name))

    # -- search ---------------------------------------------------------------------------------------

    def search(self, query: str, limit: int, among: frozenset[str]) -> list[Found]:
        """Return the functions of these names that fit a query, best first."""
        return self.catalog.finder.find(query, limit, among=among)


def _shaped(found: Profile, shape: Any) -> Profile:
    return found if shape is found.shape else replace(found, shape=shape)


def _caller() -> str:
    """Return the authenticated client and user of the current request; empty if the server does not verify tokens."""
    token = get_access_token()
    return "" if token is None else dumps(principal_components(token)).decode()
