"""Servers over stdin and stdout."""

import os
import signal
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from specfn._internal.caller_arguments import CONNECTION, require
from specfn.http.connection import Connection
from specfn.http_server.listen import MAX_GRACE_SECONDS
from specfn.mcp.build import server

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from specfn.tools.function_set import Catalog, Functions


def run(
    functions: "Catalog | Functions", connection: "Connection | None" = None, **options: Any
) -> None:
    """Serve MCP over stdin and stdout until stdin ends or a signal arrives, as hosts start a server.

    Args:
        functions: an application, or a catalog of several with their connections.
        connection: the server, credentials and limits of functions without an own connection.
        options: as for ``server``.

    Raises:
        UsageError: an argument is invalid.

    Examples:
        >>> import inspect
        >>> from specfn import mcp
        >>> list(inspect.signature(mcp.run).parameters)  # mcp.run(app, connection, allow=["write"])
        ['functions', 'connection', 'options']
    """
    require("connection", connection, Connection, CONNECTION)
    serve_stdio(server(functions, connection, **options), ())


def serve_stdio(
    server: Server[Any],
    connections: "Sequence[Connection]",
    background: "Callable[[], Coroutine[Any, Any, None]] | None" = None,
) -> None:
    """Serve stdin and stdout until stdin ends or a signal arrives, and close connections at the end.

    ``background`` is a coroutine function that runs while the server does.
    """
    running: set[int] = set()

    async def count(ctx: Any, call_next: Any) -> Any:
        running.add(id(ctx))
        try:
            return await call_next(ctx)
        finally:
            running.discard(id(ctx))

    server.middleware.append(count)

    async def serve() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_exit_at_signal, connections, running)
            if background is not None:
                group.start_soon(background)
            async with stdio_server() as (read, write):
                await server.run(read, write, server.create_initialization_options())
            await close_all(connections)
            group.cancel_scope.cancel()

    anyio.run(serve)


async def close_all(connections: "Sequence[Connection]") -> None:
    """Close connections."""
    for connection in connections:
        await connection.aclose()


async def _exit_at_signal(connections: "Sequence[Connection]", running: set[int]) -> NoReturn:
    """End the process at a signal, after SIGTERM when its calls have ended.

    The thread that reads stdin cannot be interrupted.
    """
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            with anyio.move_on_after(MAX_GRACE_SECONDS):
                while running and number == signal.SIGTERM:  # noqa: ASYNC110  # the end is rare
                    await anyio.sleep(0.05)
                await anyio.sleep(0.1)  # the last response is written
                await close_all(connections)
            os._exit(130 if number == signal.SIGINT else 0)
    raise AssertionError
