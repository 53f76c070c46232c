"""Applications: the functions of a document, offered and called."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from specfn._internal.caller_arguments import CONNECTION, require
from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals_in
from specfn.application.lock import changes, lock
from specfn.document.diagnose.check import diagnose
from specfn.errors import UsageError
from specfn.function.fingerprint import combine_fingerprints
from specfn.function.function import Function
from specfn.records import Note, OperationError
from specfn.settings import Settings
from specfn.tools.function_set import AdvertisedFunction, FunctionSet, NamedFunctions
from specfn.tools.without_sent_parameters import without_sent_parameters

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

    from specfn.application.bound import Bound
    from specfn.application.lock import Change
    from specfn.connectors.registry import ProfileName
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result
    from specfn.http.transport.event_stream import AsyncEventStream, EventStream
    from specfn.invocation.approval import AsyncApprover
    from specfn.invocation.call_settings import Fill
    from specfn.invocation.pages import Page
    from specfn.options import Options
    from specfn.schema.profiles.profile import Profile
    from specfn.tools.provider_limits import Finding
    from specfn.tools.report import Progress
    from specfn.tools.selection import Select, Switch
    from specfn.tools.tool import Tools


@without_locals_in
@dataclass(frozen=True, kw_only=True, eq=False)
class Application(FunctionSet):
    """The functions of a document. Every operation is in ``functions`` or in ``errors``.

    Attributes:
        functions: in the document's order; ``functions[key]`` also finds one by any of its names.
        errors: the operations that are not functions, and why.
        document: the normalized document.
        source: the URL or file URI that it was read from; ``None`` for text and dicts.
        settings: how it was converted.
        notes: faults of the document that belong to no single operation.
        raw: the document as it was read and changed by overlays, for its diagnostics.
        overlays: the names of the overlays.
    """

    functions: NamedFunctions
    errors: tuple[OperationError, ...]
    document: JsonObject = field(repr=False)
    source: str | None
    settings: Settings = field(repr=False)
    notes: tuple[Note, ...]
    raw: JsonObject = field(repr=False)
    overlays: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Application of {len(self.functions)} functions, {len(self.errors)} errors>"

    def _repr_html_(self) -> str:
        from specfn.notebook import Table, html  # noqa: PLC0415  # for notebooks only

        functions = Table(
            "Functions",
            ("name", "operation", "safety", "summary"),
            (
                (function.name, function.method_and_path, function.safety, function.summary)
                for function in self.functions
            ),
            len(self.functions),
        )
        errors = Table(
            "Not functions",
            ("operation", "reason", "pointer"),
            ((error.method_and_path, error.reason, error.pointer) for error in self.errors),
            len(self.errors),
        )
        return html(repr(self), tables=(functions, errors))

    def __iter__(self) -> Iterator[Function]:
        return iter(self.functions)

    @cached_property
    def entries(self) -> tuple[AdvertisedFunction, ...]:
        """Return the functions under the names that models call."""
        return tuple(
            AdvertisedFunction(name=function.name, function=function) for function in self.functions
        )

    @property
    def documents(self) -> tuple[tuple[JsonObject, int], ...]:
        """Return the normalized document with the number of its functions."""
        return ((self.document, len(self.functions)),)

    # -- offering -----------------------------------------------------------------------------------

    def tools(
        self,
        profile: "ProfileName | Profile" = "portable",
        *,
        select: "Select | None" = None,
        budget_tokens: int | None = None,
        defer_loading: "Switch" = False,
        namespaces: bool = False,
        output_schema: bool = False,
    ) -> "Tools":
        """Return the functions as tools of a provider, in the document's order.

        Keywords that the provider refuses move from the schemas to the descriptions. If that is not possible, the
        function is left out.
        ``warnings`` of the list reports a large list, functions that are left out, and ``degraded``.

        Args:
            profile: the profile of the provider, or its name; all providers accept ``portable``.
            select: the functions: as in ``Options.select``, or names and patterns of names; all if ``None``.
            budget_tokens: the maximum number of tokens of the list. Schemas are truncated first. Then functions are
                left out.
            defer_loading: true to load definitions only when the model searches for them; or the functions to which
                this applies, as in ``select``.
            namespaces: group the functions by the first element of their accessors.
            output_schema: send the schemas of documented success responses; they describe ``Result.data``.

        Raises:
            UsageError: there is no such profile or function; the text lists the known ones.

        Examples:
            >>> tools = app.tools(select=["read"])
            >>> len(tools), tools[0]["name"]
            (6, 'products_get')
        """
        from specfn.connectors import registry  # noqa: PLC0415  # 7 ms, only for tools
        from specfn.invocation.response_fields import refuse_filtered  # noqa: PLC0415  # only for tools
        from specfn.tools.tool_builder import build_tools  # noqa: PLC0415  # only for tools

        listed = self.choose(select)
        if output_schema:
            refuse_filtered(entry.function for entry in listed)
        deferred = (
            (listed if defer_loading else ())
            if isinstance(defer_loading, bool)
            else self.choose(defer_loading)
        )
        return build_tools(
            listed,
            registry.profile(profile),
            fits=self.fits,
            budget_tokens=budget_tokens,
            deferred=[entry.name for entry in deferred],
            namespaces=namespaces,
            output_schema="data" if output_schema else None,
        )

    def tool(
        self, name: Function | str, profile: "ProfileName | Profile" = "portable"
    ) -> JsonObject:
        """Return one function as a tool of a provider, without composing the others.

        Args:
            name: the function, or any of its names.
            profile: the provider's, by name.

        Raises:
            UsageError: there is no such profile, or the provider would refuse the function; with the reason.

        Examples:
            >>> app.tool("listOrders")["name"]
            'orders_get'
        """
        from specfn.connectors import registry  # noqa: PLC0415  # only for tools
        from specfn.tools.tool import LeftOut  # noqa: PLC0415  # only for tools
        from specfn.tools.tool_builder import ToolBuilder  # noqa: PLC0415  # only for tools

        function = self._function(name)
        chosen = registry.profile(profile)
        entry = AdvertisedFunction(name=function.name, function=function)
        tool = ToolBuilder(chosen, self.fits).build(entry)
        if isinstance(tool, LeftOut):
            raise UsageError(f"the profile {chosen.name} refuses {function.name}: {tool.reason}")
        return tool.wire

    def check(self, profile: "ProfileName | Profile" = "portable") -> "tuple[Finding, ...]":
        """Report everything in the functions that a provider would refuse.

        Args:
            profile: the provider's, by name.

        Returns:
            The findings. Each contains its function and place, and whether ``tools`` corrects it.

        Raises:
            UsageError: there is no such profile; with the names that exist.

        Examples:
            >>> finding = app.check()[0]
            >>> finding.function, finding.reason, finding.mended
            ('products_get', 'the keyword additionalProperties is not accepted', True)
        """
        from specfn.connectors import registry  # noqa: PLC0415  # only for tools
        from specfn.tools.provider_limits import check  # noqa: PLC0415  # only for reports

        return tuple(check(self.functions, registry.profile(profile), self.fits))

    # -- binding ------------------------------------------------------------------------------------

    def bind(
        self,
        connection: "Connection",
        *,
        allow: Collection[str] = (),
        approve: "AsyncApprover | None" = None,
        fill: "Fill | None" = None,
        profile: "ProfileName | Profile | None" = None,
        select: "Select | None" = None,
        ask: bool = True,
        key: bytes | str | None = None,
        limit: int | None = None,
        fields: bool = False,
    ) -> "Bound":
        """Return the functions as callables for any framework that calls tools.

        ``bound[name].outcome(sent)`` checks the arguments, asks for approval if it is needed, executes, and returns an
        ``Answer`` with a text for the model. ``bound.outcome(name, sent)`` also resolves the name. No input of a model
        raises an exception. The methods with ``a`` in front (``aoutcome``) are asynchronous.

        Args:
            connection: the server, credentials and limits.
            allow: what may be called without approval, besides functions that read: safeties (``write``,
                ``destructive``), and functions by any of their names; a key after ``!`` is excluded.
            approve: decides about every other call, as in conversations: it receives an ``ApprovalRequest`` and returns
                a ``Decision`` or a boolean. Without it, these calls wait, with a token in ``Answer.pending``.
            fill: asks for the human part (``Options.separate``): it receives the function and the model's part of the
                arguments, and returns the human part, or ``None``.
            profile: the profile of the tools that the model has, if their names and properties differ from those of
                the functions.
            select: the functions, as in ``tools``.
            ask: true if calls may wait for an approval; if false, they are refused.
            key: at least 16 bytes for the tokens, shared by several workers; random by default.
            limit: the maximum number of characters of a response; ``Options.answer_limit`` by default.
            fields: true to offer a reserved argument by which the model asks for fields of the response.

        Returns:
            A mapping by name, in the document's order.

        Raises:
            UsageError: an argument is invalid, or names no function.

        Examples:
            >>> functions = app.bind(connection)
            >>> functions["listProducts"].outcome('{"query": {"limit": "1"}}').data()["total"]
            1
        """
        from specfn.application.bound import bind  # noqa: PLC0415  # for callers who bind
        from specfn.connectors import registry  # noqa: PLC0415  # for callers who bind
        from specfn.http.connection import Connection  # noqa: PLC0415  # imports httpx, as the caller did

        functions = NamedFunctions(entry.function for entry in self.choose(select))
        part = self if select is None else replace(self, functions=functions)
        require("connection", connection, Connection, CONNECTION)
        longest = max(map(len, part.by_name), default=0)
        return bind(
            without_sent_parameters(part, connection, max_length=max(64, longest)),
            self.keys,
            connection,
            allow=allow,
            approve=approve,
            fill=fill,
            profile=None if profile is None else registry.profile(profile),
            fits=self.fits,
            ask=ask,
            key=key,
            limit=limit,
            fields=fields,
        )

    # -- calling ------------------------------------------------------------------------------------

    def _function(self, function: Function | str) -> Function:
        if isinstance(function, str):
            return self[function]
        require("function", function, Function, "a specfn.Function or a name of one")
        return function

    def request(
        self,
        function: Function | str,
        arguments: Any,
        connection: "Connection",
        *,
        validate: bool = True,
    ) -> "httpx.Request":
        """Build the request that a call would send; see ``specfn.request``.

        Examples:
            >>> app.request("listProducts", {"query": {"page": 2}}, connection).url.query
            b'page=2'
        """
        from specfn.http.request.request import request  # noqa: PLC0415  # httpx is imported on first use

        return request(self._function(function), arguments, connection, validate=validate)

    def dry_run(
        self, function: Function | str, arguments: Any, connection: "Connection"
    ) -> JsonObject:
        """Return the request of a call as JSON and as a curl line, with masked credentials; see ``specfn.http.dry_run``.

        Examples:
            >>> arguments = {"productId": "d290f1ee-6c54-4b01-90e6-d701748f0851"}
            >>> preview = app.dry_run("deleteProduct", arguments, connection)
            >>> preview["method"], preview["headers"]["Authorization"]
            ('DELETE', 'Bearer **********')
        """
        from specfn.http.dry_run import dry_run  # noqa: PLC0415  # httpx is imported on first use

        return dry_run(self._function(function), arguments, connection)

    @overload
    def execute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: Literal[False] = False,
    ) -> "Result": ...
    @overload
    def execute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: Literal[True],
    ) -> "EventStream": ...
    @overload
    def execute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: bool,
    ) -> "Result | EventStream": ...
    def execute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: bool = False,
    ) -> "Result | EventStream":
        """Call a function and return the response of the server; see ``specfn.execute``.

        With ``stream=True``, return an iterator over the events of the response while they arrive.

        Examples:
            >>> app.execute("listProducts", {"query": {"limit": 1}}, connection).data["total"]
            1
        """
        from specfn.http.transport import send  # noqa: PLC0415  # httpx is imported on first use

        called = self._function(function)
        if stream:
            return send.execute(called, arguments, connection, stream=True)
        return send.execute(called, arguments, connection)

    @overload
    async def aexecute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: Literal[False] = False,
    ) -> "Result": ...
    @overload
    async def aexecute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: Literal[True],
    ) -> "AsyncEventStream": ...
    @overload
    async def aexecute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: bool,
    ) -> "Result | AsyncEventStream": ...
    async def aexecute(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
        *,
        stream: bool = False,
    ) -> "Result | AsyncEventStream":
        """Call a function like ``execute``, asynchronously: ``async for event in await app.aexecute(..., stream=True)``."""
        from specfn.http.transport import send  # noqa: PLC0415  # httpx is imported on first use

        called = self._function(function)
        if stream:
            return await send.aexecute(called, arguments, connection, stream=True)
        return await send.aexecute(called, arguments, connection)

    def propagate(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
    ) -> "Result":
        """Call a function and return the response with any status; see ``specfn.propagate``.

        Examples:
            >>> app.propagate("getOrder", {"orderId": "00000000-0000-4000-8000-000000000000"}, connection).status
            404
        """
        from specfn.http.transport import send  # noqa: PLC0415  # httpx is imported on first use

        return send.propagate(self._function(function), arguments, connection)

    async def apropagate(
        self,
        function: Function | str,
        arguments: Any = None,
        connection: "Connection | None" = None,
    ) -> "Result":
        """Call a function like ``propagate``, asynchronously."""
        from specfn.http.transport import send  # noqa: PLC0415  # httpx is imported on first use

        return await send.apropagate(self._function(function), arguments, connection)

    def pages(
        self,
        function: Function | str,
        arguments: Any,
        connection: "Connection",
        *,
        max_items: int | None = None,
        max_bytes: int | None = None,
    ) -> "Iterator[Page]":
        """Iterate over the pages of a function that reads data.

        Each page has ``items``, ``result`` and ``next``, the arguments of the page after it. Of a next URL on the same
        host, only the query is used. The iteration stops if the server repeats a cursor, or the items of a page.

        Args:
            function: the function, or any of its names.
            arguments: the arguments of the first page, as for ``execute``.
            connection: the server, credentials and limits.
            max_items: no page is requested after so many items.
            max_bytes: no page is requested after so many bytes of JSON.

        Raises:
            UsageError: the function has no ``paging``, or its ``safety`` is not ``read``.
            SpecfnError: a page failed, as for ``execute``; ``next`` of the error has its arguments.

        Examples:
            >>> for page in app.pages("listProducts", {"query": {"limit": 50}}, connection):
            ...     print(len(page.items), page.stopped)
            1 end
        """
        from specfn.invocation.pages import pages  # noqa: PLC0415  # httpx is imported on first use

        chosen_function = self._function(function)
        return pages(
            chosen_function, arguments, connection, max_items=max_items, max_bytes=max_bytes
        )

    def apages(
        self,
        function: Function | str,
        arguments: Any,
        connection: "Connection",
        *,
        max_items: int | None = None,
        max_bytes: int | None = None,
    ) -> "AsyncIterator[Page]":
        """Iterate over the pages of a function like ``pages``, asynchronously."""
        from specfn.invocation.pages import apages  # noqa: PLC0415  # httpx is imported on first use

        chosen_function = self._function(function)
        return apages(
            chosen_function, arguments, connection, max_items=max_items, max_bytes=max_bytes
        )

    # -- about the document ---------------------------------------------------------------------------

    @cached_property
    def options(self) -> "Options":
        """Return the options of the conversion."""
        from specfn.options import Options  # noqa: PLC0415  # pydantic is imported on first use

        return Options.of(self.settings)

    @cached_property
    def diagnostics(self) -> tuple[Note, ...]:
        """Return the faults of the document as a whole, and those that the metaschema of its version finds."""
        return (*self.notes, *diagnose(self.raw))

    @cached_property
    def fingerprint(self) -> str:
        """Return a digest that changes when a function changes, is added or is removed."""
        return combine_fingerprints(function.fingerprint for function in self.functions)

    @property
    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each function by its name, for ``load(..., expect=...)``."""
        return {function.name: function.fingerprint for function in self.functions}

    def lock(self) -> str:
        """Return the fingerprints of functions and of their parts as JSON text, for a file next to the code.

        ``load`` then reports the parts that changed. The same document gives the same text.

        Examples:
            >>> locked = app.lock()
            >>> app.changes(locked)
            ()
        """
        return lock(self.functions, self.overlays)

    def changes(self, expected: str | Mapping[str, Any]) -> "tuple[Change, ...]":
        """Return the changes since ``lock()`` was written or ``fingerprints`` were stored.

        Raises:
            UsageError: ``expected`` is neither.

        Examples:
            >>> newer = specfn.load("openapi.json", options=specfn.Options(names={"listOrders": "read_orders"}))
            >>> [(change.name, change.kind) for change in newer.changes(app.lock())]
            [('read_orders', 'renamed')]
        """
        return changes(self.functions, expected)

    def report(
        self, profile: "ProfileName | Profile" = "portable", *, progress: "Progress | None" = None
    ) -> JsonObject:
        """Report the size of the functions for a model, exceeded limits, and counts.

        Every operation is a function, an error, or left out by ``Options.select``. Sizes are bytes of compact JSON;
        tokens are estimated from them. The fields are those of ``specfn inspect --json``; see ``docs/command.md``.

        Args:
            profile: whose limits are looked at, by name.
            progress: receives the number of functions that were measured before each one.

        Raises:
            UsageError: there is no such profile; with the names that exist.

        Examples:
            >>> figures = app.report()
            >>> figures["functions"], figures["safety"]["destructive"]
            (12, 1)
        """
        from specfn.connectors import registry  # noqa: PLC0415  # pydantic is imported on first use
        from specfn.tools.report import report  # noqa: PLC0415  # only for reports

        return report(
            self.functions,
            self.document,
            registry.profile(profile),
            errors=len(self.errors),
            notes=len(self.notes) + sum(len(function.notes) for function in self.functions),
            progress=progress or id,
        )
