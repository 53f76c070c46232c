"""Functions of an ASGI application of this process, such as FastAPI or Starlette, and the connection that calls them."""

import weakref
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

import httpx
from pydantic import PrivateAttr

from specfn.api import load
from specfn.asgi.app_loop import AppLoop, Lifespan
from specfn.asgi.app_response import LONGEST, AppResponse
from specfn.errors import DocumentError, UsageError
from specfn.http.connection import Connection
from specfn.http_server.guard import AsgiApp, Message, Receive, Send
from specfn.network.sockets import remaining

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.options import Options

#: The origin of requests, which no socket is opened for.
ORIGIN: Final = "http://localhost"


class RunningApp:
    """An application with its event loop and its lifespan."""

    def __init__(self, app: AsgiApp) -> None:
        """Create the event loop of an application that is not started."""
        self._app = app
        self._lifespan = Lifespan(app)
        self.loop = AppLoop()
        weakref.finalize(self, self.loop.stop)  # copies of a connection share the application
        self.is_started = False

    async def _with_state(self, scope: Message, receive: Receive, send: Send) -> None:
        """Call the application with a copy of the state of its lifespan."""
        await self._app({**scope, "state": self._lifespan.state.copy()}, receive, send)

    async def start(self) -> None:
        """Start the lifespan, once."""
        if self.is_started:
            return
        self.is_started = True
        try:
            await self._lifespan.start()
        except BaseException:
            self.is_started = False
            raise

    async def end(self) -> None:
        """End the lifespan."""
        await self._lifespan.end()

    async def respond(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request: complete, or a stream of events that is still being sent.

        Raises:
            httpx.RemoteProtocolError: the application ended without a response.
        """
        return await AppResponse(self._with_state, request).respond(self.loop)


class BlockingTransport(httpx.BaseTransport):
    """The transport of blocking calls."""

    def __init__(self, app: RunningApp) -> None:
        """Send requests to an application."""
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and block until its response is complete, or a stream of events begins."""
        try:
            return self._app.loop.run(self._app.respond(request), min(remaining(None), LONGEST))
        except TimeoutError:
            raise httpx.ReadTimeout("") from None


class AwaitingTransport(httpx.AsyncBaseTransport):
    """The transport of asynchronous calls."""

    def __init__(self, app: RunningApp) -> None:
        """Send requests to an application."""
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and await its response."""
        return await self._app.loop.arun(self._app.respond(request))


class AppConnection(Connection):
    """A connection to an application of this process. ``with`` and ``async with`` start and end its lifespan."""

    _app: RunningApp = PrivateAttr()

    @classmethod
    def to(cls, app: RunningApp, base_path: str = "") -> Self:
        """Return a connection to an application."""
        connection = cls(
            base_url=f"{ORIGIN}{base_path}",
            client=httpx.Client(transport=BlockingTransport(app), trust_env=False),
            async_client=httpx.AsyncClient(transport=AwaitingTransport(app), trust_env=False),
        )
        connection._app = app
        return connection

    def close(self) -> None:
        """End the lifespan, if it was started; later calls raise ``UsageError``."""
        is_open = not self._closed
        super().close()
        if is_open:
            try:
                if self._app.is_started:
                    self._app.loop.run(self._app.end())
            finally:
                self._app.loop.stop()

    async def aclose(self) -> None:
        """End the lifespan like ``close``, asynchronously."""
        is_open = not self._closed
        await super().aclose()
        if is_open:
            try:
                if self._app.is_started:
                    await self._app.loop.arun(self._app.end())
            finally:
                self._app.loop.stop()

    def __enter__(self) -> Self:
        self.require_open()
        self._app.loop.run(self._app.start())
        return super().__enter__()

    async def __aenter__(self) -> Self:
        self.require_open()
        if not self._app.is_started:
            self._app.loop.adopt()
        await self._app.loop.arun(self._app.start())
        return await super().__aenter__()


def from_asgi(
    asgi_app: Any, *, path: str = "/openapi.json", options: "Options | None" = None
) -> "tuple[Application, Connection]":
    """Return the functions of an ASGI application, and a connection that calls them without a socket.

    ``with connection:`` or ``async with connection:`` starts and ends the lifespan of the application. All its requests
    run in one event loop: that of ``async with``, otherwise one in a thread of its own. Blocking and asynchronous calls
    work with both; but within the event loop of ``async with``, only asynchronous ones.

    Args:
        asgi_app: the application.
        path: the path of its OpenAPI document.
        options: how to convert; see ``specfn.Options``.

    Returns:
        The application of specfn, and the connection. Pass credentials with ``connection.model_copy(update=...)``.

    Raises:
        UsageError: the application has no document at this path.

    Examples:
        >>> import fastapi
        >>> pets = fastapi.FastAPI()
        >>> @pets.get("/pets")
        ... def list_pets() -> list[str]:
        ...     return ["Rex"]
        >>> app, connection = specfn.from_asgi(pets)
        >>> with connection:
        ...     app.execute("pets_get", {}, connection).data
        ['Rex']
    """
    if not callable(asgi_app):
        raise UsageError(f"asgi_app must be an ASGI application, not {type(asgi_app).__name__}")
    if not str(path).startswith("/"):
        raise UsageError(f"path must begin with '/', not {path!r}")
    running = RunningApp(asgi_app)
    try:
        content = _document(running, path)
    finally:
        running.loop.stop()
    try:
        application = load(content, options=options)
    except DocumentError as error:
        raise UsageError(
            f"the application has no OpenAPI document at {path!r}: {error}; pass path="
        ) from None
    return application, AppConnection.to(running, _base_path(application))


def _document(running: RunningApp, path: str) -> bytes:
    """Return the content at a path.

    Raises:
        UsageError: the application does not respond with status 200.
    """
    request = httpx.Request("GET", f"{ORIGIN}{path}", headers={"Accept": "application/json"})
    try:
        response = running.loop.run(running.respond(request))
    except httpx.RemoteProtocolError as error:
        raise UsageError(f"the application does not respond at {path!r}") from error
    if response.status_code != 200:
        raise UsageError(
            f"the application has no document at {path!r}: it responded {response.status_code}; pass path="
        )
    return response.read()


def _base_path(app: "Application") -> str:
    """Return the path of the first server that is relative to the application; others are elsewhere."""
    servers = app.document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url: Any = first.get("url") if isinstance(first, dict) else None
    if not isinstance(url, str) or not url.startswith("/") or url.startswith("//"):
        return ""
    return "" if "{" in url else urlsplit(url).path.rstrip("/")
