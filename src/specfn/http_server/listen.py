"""Listening on an address of this machine until a signal arrives (extras ``mcp`` and ``ui``)."""

import gc
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from specfn.errors import UsageError
from specfn.http_server import client_limits
from specfn.http_server.guard import AsgiApp

if TYPE_CHECKING:
    import uvicorn


#: Seconds for open requests after an interrupt.
MAX_GRACE_SECONDS: Final = 5


def bind_socket(host: str, port: int, option: str) -> socket.socket:
    """Return a socket that is bound to an address.

    Args:
        host: the address without brackets.
        port: the port; 0 for a free one.
        option: the option of the command that names the address, for the error.

    Raises:
        UsageError: the address is in use, or not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with protocol 0, asyncio does not turn off Nagle's algorithm, and each answer takes 40 ms longer
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()  # so that another server on this port is noticed now
    except OSError as error:
        bound.close()
        raise UsageError(f"{option} cannot be used: {error.strerror}") from None
    return bound


def origin_of(bound: socket.socket, host: str) -> str:
    """Return the origin of a server on a bound socket."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


def limited_server(app: AsgiApp) -> "uvicorn.Server":
    """Return a server whose clients are limited in number and time (threat T44)."""
    import uvicorn  # noqa: PLC0415  # slow import

    limits = client_limits.ClientLimits(app)
    config = uvicorn.Config(
        limits,
        http=client_limits.limited_protocol(limits),
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        backlog=client_limits.MAX_ACCEPTED_AT_ONCE,
        timeout_keep_alive=client_limits.MAX_IDLE_SECONDS,
        h11_max_incomplete_event_size=client_limits.MAX_HEADER_BYTES,
        timeout_graceful_shutdown=MAX_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def serve(
    app: AsgiApp,
    bound: socket.socket,
    *,
    ready: Callable[[], None],
    close: Callable[[], Awaitable[None]],
) -> bool:
    """Serve an application until a signal arrives. Requests are not logged: paths may contain secrets.

    Args:
        app: the application.
        bound: a bound socket.
        ready: is called when a signal would end the server.
        close: is awaited at the end.

    Returns:
        True after an interrupt (SIGINT), false after SIGTERM.
    """
    import anyio  # noqa: PLC0415  # slow import

    running = limited_server(app)

    async def run() -> None:
        with client_limits.limited_logs():
            await running.serve(sockets=[bound])
        await close()

    stopped: list[int] = []

    def stop(number: int, _: Any) -> None:  # uvicorn raises the signal again after its shutdown
        running.should_exit = True
        stopped.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    ready()
    anyio.run(run)
    return signal.SIGINT in stopped


@contextmanager
def gc_while_serving() -> Iterator[None]:
    """Collect garbage while serving, except the documents, and log to stderr, because a server runs for long."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="specfn: %(levelname)s: %(message)s"
    )
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.unfreeze()
