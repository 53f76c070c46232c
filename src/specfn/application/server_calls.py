"""Calls of the functions of a document, by any of their names."""

from typing import TYPE_CHECKING, Any, Literal, overload

from specfn._internal.caller_arguments import known_keywords_in, require
from specfn._internal.json import JsonObject
from specfn.application.lookup import FunctionLookup
from specfn.function.function import Function

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import httpx

    from specfn.calling.paging.pages import Page
    from specfn.http.connection import Connection
    from specfn.http.response.response import Result
    from specfn.http.transport.event_stream import AsyncEventStream, EventStream


@known_keywords_in
class ServerCalls(FunctionLookup):
    """The functions of a document, called by any of their names."""

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
        """Build the request that a call would send; see ``specfn.request``."""
        from specfn.http.request.request import request  # noqa: PLC0415  # httpx is imported on first use

        return request(self._function(function), arguments, connection, validate=validate)

    def dry_run(
        self, function: Function | str, arguments: Any, connection: "Connection"
    ) -> JsonObject:
        """Return the request of a call as JSON and as a curl line, with masked credentials; see ``specfn.http.dry_run``."""
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
        """Call a function and return the response with any status; see ``specfn.propagate``."""
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

        Each page has ``items``, ``result`` and ``next``, the arguments of the page after it. A next URL is followed
        only on the same origin and below the base path. The iteration stops if the server repeats a cursor or a page.

        Args:
            function: the function, or any of its names.
            arguments: the arguments of the first page, as for ``execute``.
            connection: the server, credentials and limits.
            max_items: no page is requested after so many items.
            max_bytes: no page is requested after so many bytes of JSON.

        Raises:
            UsageError: the function has no ``paging``, or its ``safety`` is not ``read``.
            SpecfnError: a page failed, as for ``execute``; ``next`` of the error has its arguments.
        """
        from specfn.calling.paging.pages import pages  # noqa: PLC0415  # httpx is imported on first use

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
        from specfn.calling.paging.pages import apages  # noqa: PLC0415  # httpx is imported on first use

        chosen_function = self._function(function)
        return apages(
            chosen_function, arguments, connection, max_items=max_items, max_bytes=max_bytes
        )
