"""Listening on an address of this machine until a signal arrives (extras ``mcp`` and ``ui``)."""

import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from specfn.errors import UsageError
from specfn.http_server.guard import AsgiApp, Message, Receive, Send

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol


#: Seconds in which calls may end after a signal.
MAX_GRACE_SECONDS: Final = 10


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


def build_server(app: AsgiApp, end_streams: Callable[[], None] = lambda: None) -> "uvicorn.Server":
    """Return a server whose clients are limited in number and time (threat T44).

    ``end_streams`` is called when all calls are complete, to end the streams that clients only listen to.
    """
    import uvicorn  # noqa: PLC0415  # slow import

    limits = ClientLimits(app)

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending = asyncio.ensure_future(limits.end_calls(end_streams))
            await super().shutdown(sockets)
            ending.cancel()

    config = uvicorn.Config(
        limits,
        http=protocol_with_limits(limits),
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        backlog=MAX_ACCEPTED_AT_ONCE,
        timeout_keep_alive=MAX_IDLE_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=MAX_GRACE_SECONDS,
    )
    return Server(config)


def serve(
    app: AsgiApp,
    bound: socket.socket,
    *,
    ready: Callable[[], None],
    close: Callable[[], Awaitable[None]],
    end_streams: Callable[[], None] = lambda: None,
) -> bool:
    """Serve an application until a signal arrives, and finish the calls in flight. Requests are not logged: paths may contain secrets.

    Args:
        app: the application.
        bound: a bound socket.
        ready: is called when a signal would end the server.
        close: is awaited at the end.
        end_streams: as for ``build_server``.

    Returns:
        True after an interrupt (SIGINT), false after SIGTERM.
    """
    import anyio  # noqa: PLC0415  # slow import

    running = build_server(app, end_streams)

    async def run() -> None:
        with limit_logs():
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
def gc_while_serving(formatter: logging.Formatter | None = None) -> Iterator[None]:
    """Collect garbage while serving, except the documents, and log to stderr, because a server runs for long."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="specfn: %(levelname)s: %(message)s"
    )
    if formatter is not None:
        logging.getLogger().handlers[0].setFormatter(formatter)
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.unfreeze()


#: The maximum number of open connections, if the process may have twice as many descriptors.
MAX_CONNECTIONS: Final = 100

#: The maximum number of connections that are accepted at once, and that wait to be accepted.
MAX_ACCEPTED_AT_ONCE: Final = 16

#: The seconds in which the headers of a request must arrive, and then its body.
MAX_HEADER_SECONDS: Final = 10
MAX_BODY_SECONDS: Final = 60

#: The seconds for which a connection may be idle after a response.
MAX_IDLE_SECONDS: Final = 5

#: The maximum number of bytes of the headers of a request.
MAX_HEADER_BYTES: Final = 64 * 1024

#: The seconds in which the same warning is logged once.
_QUIET_SECONDS: Final = 60

#: Errors of the operating system that mean that no connection can be accepted at present.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_log = logging.getLogger("specfn.http_server")

#: The address of a client, which has one connection.
_Client: TypeAlias = tuple[str, int] | None


class ClientLimits:
    """An ASGI application that limits the connections of a server and the time of each request.

    A connection waits from its beginning until the headers of a request are complete, and again after each response. If
    there are too many connections, the one that has waited longest is closed, so that slow clients do not keep others
    out.
    """

    def __init__(self, app: AsgiApp) -> None:
        """Limit the clients of an application."""
        self._app = app
        self._limit = _connection_limit()
        self._open: dict[_Client, asyncio.Transport] = {}
        self._waiting: dict[_Client, asyncio.TimerHandle] = {}
        self._requests: Counter[_Client] = Counter()
        self._calls = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on: its headers are complete, and its body must arrive in time."""
        client = tuple(scope.get("client") or ()) or None
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        is_call = scope.get("method") != "GET"
        self._calls += is_call
        self._begin_request(client)
        try:
            await self._app(scope, self._in_time(client, receive), send)
        finally:
            self._calls -= is_call
            self._end_request(client)

    async def end_calls(self, end_streams: Callable[[], None]) -> None:
        """Wait until no request except streams is in progress, and then end those."""
        while self._calls:  # noqa: ASYNC110  # an event would be set after each call
            await asyncio.sleep(0.05)
        end_streams()

    def add(self, transport: asyncio.Transport) -> None:
        """Add a new connection. Its client has to send a request in time."""
        client = _client_of(transport)
        if len(self._open) >= self._limit:
            _log.warning("too many connections: those that waited longest are closed")
            oldest = next(iter(self._waiting), client)
            self._open.get(oldest, transport).abort()
            self.remove(oldest)
            if oldest == client:
                return
        self._open[client] = transport
        self._wait(client)

    def remove(self, client: _Client) -> None:
        """Remove a connection that is closed."""
        self._open.pop(client, None)
        self._stop_waiting(client)

    def _begin_request(self, client: _Client) -> None:
        self._requests[client] += 1
        self._stop_waiting(client)

    def _end_request(self, client: _Client) -> None:
        self._requests[client] -= 1
        if not self._requests[client]:  # otherwise the client sent the next request already
            del self._requests[client]
            if client in self._open:
                self._wait(client)

    def _wait(self, client: _Client) -> None:
        loop = asyncio.get_running_loop()
        self._waiting[client] = loop.call_later(MAX_HEADER_SECONDS, self._end_waiting, client)

    def _stop_waiting(self, client: _Client) -> None:
        timer = self._waiting.pop(client, None)
        if timer is not None:
            timer.cancel()

    def _end_waiting(self, client: _Client) -> None:
        _log.warning(
            "a client sent no complete request within %d s: it is disconnected", MAX_HEADER_SECONDS
        )
        self._waiting.pop(client)
        self._open[client].close()

    def _in_time(self, client: _Client, receive: Receive) -> Receive:
        """Return a function that receives the body of a request and closes the connection of a client that is late."""
        until = asyncio.get_running_loop().time() + MAX_BODY_SECONDS
        is_complete = False

        async def receive_in_time() -> Any:
            nonlocal is_complete
            if is_complete:  # the end of the connection, for which an application may wait
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                _log.warning("the body of a request was not complete within %d s", MAX_BODY_SECONDS)
                if client in self._open:
                    self._open[client].abort()
                message = {"type": "http.disconnect"}
            is_complete = not message.get("more_body", False)
            return message

        return receive_in_time


def protocol_with_limits(limits: ClientLimits) -> "type[H11Protocol]":
    """Return the protocol of uvicorn whose connections are limited."""
    from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415  # slow import

    class LimitedProtocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
            super().connection_made(transport)
            limits.add(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            limits.remove(_client_of(self.transport))
            super().connection_lost(exc)

    return LimitedProtocol


def _client_of(transport: asyncio.BaseTransport) -> _Client:
    address = transport.get_extra_info("peername")
    return None if address is None else (str(address[0]), int(address[1]))


def _connection_limit() -> int:
    """Return the number of connections that leaves half of the descriptors of the process to others."""
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ImportError:
        return MAX_CONNECTIONS
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_unlimited = descriptors == resource.RLIM_INFINITY
    return MAX_CONNECTIONS if is_unlimited else max(1, min(MAX_CONNECTIONS, descriptors // 2))


class _OncePerMinute(logging.Filter):
    """Drops a warning that was logged within the last minute, because a client could fill the log."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
        if record.levelno != logging.WARNING:
            return True
        now, last = time.monotonic(), self._last.get(record.msg, -float(_QUIET_SECONDS))
        if now - last < _QUIET_SECONDS:
            return False
        self._last[record.msg] = now
        return True


@contextmanager
def limit_logs() -> Iterator[None]:
    """Log what clients of the running loop cause as one line per minute, also if no descriptor is left for them."""
    once = _OncePerMinute()
    loggers = [_log, logging.getLogger("uvicorn.error")]
    for logger in loggers:
        logger.addFilter(once)
    asyncio.get_running_loop().set_exception_handler(_report)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if getattr(context.get("exception"), "errno", None) in _EXHAUSTED:
        _log.warning("a new connection waits, because all file descriptors are in use")
    else:
        loop.default_exception_handler(context)
