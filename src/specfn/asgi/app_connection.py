"""Connections to an ASGI application of this process."""

import weakref
from collections.abc import Awaitable, Callable
from typing import Final, Self

import httpx
from pydantic import PrivateAttr

from specfn.asgi.app_loop import AppLoop
from specfn.asgi.app_response import LONGEST, AppResponse
from specfn.asgi.lifespan import AsgiApp, Lifespan, Message
from specfn.http.connection import Connection
from specfn.network.sockets import remaining

#: The origin of requests, which no socket is opened for.
ORIGIN: Final = "http://localhost"


class RunningApp:
    """An application with its event loop and its lifespan."""

    def __init__(self, app: AsgiApp) -> None:
        """Take an application that is not started."""
        self._app = app
        self._lifespan = Lifespan(app)
        self.loop = AppLoop()
        weakref.finalize(self, self.loop.stop)  # copies of a connection share the application
        self.is_started = False

    async def _with_state(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
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
        """Take the application."""
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
        """Take the application."""
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
        made = cls(
            base_url=f"{ORIGIN}{base_path}",
            client=httpx.Client(transport=BlockingTransport(app), trust_env=False),
            async_client=httpx.AsyncClient(transport=AwaitingTransport(app), trust_env=False),
        )
        made._app = app
        return made

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
