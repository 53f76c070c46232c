"""The ASGI application of a server: it runs alone, or mounted in another application.

``GET /health`` is answered to everyone. Every other request passes the guard, before anything of it is read.
"""

import re
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp import types
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Router

from specfn.errors import UsageError
from specfn.http_server.guard import AsgiApp, Guard, Message, Receive, Send
from specfn.mcp.results import log

#: The headers of a request that a page in a browser may send, and those of a response that it may read.
_REQUEST_HEADERS: Final = (
    "Accept Authorization Content-Type Last-Event-ID Mcp-Method Mcp-Name Mcp-Protocol-Version Mcp-Session-Id"
).split()
_RESPONSE_HEADERS: Final = ("Mcp-Session-Id", "WWW-Authenticate")

_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@*]+")

_NOT_STARTED: Final = (
    "This MCP server was not started, because an application that mounts it must run its lifespan: pass "
    "lifespan=mcp_app.lifespan to FastAPI or Starlette, or enter `async with mcp_app.lifespan(app)` in your own lifespan."
)


class HttpApp:
    """An ASGI application that serves MCP over HTTP. Pass ``lifespan`` to an application that mounts it."""

    def __init__(
        self,
        build: Callable[[], Starlette],
        *,
        hosts: Collection[str] | None,
        origins: Collection[str],
        token: str | None,
    ) -> None:
        """Serve what ``build`` returns, which is called each time that the application starts.

        Args:
            build: returns the application of the SDK.
            hosts: the accepted names of the host; ``None`` for any name.
            origins: the origins of web pages that may call it, besides its own.
            token: the bearer token of clients; ``None`` if clients need no token.

        Raises:
            UsageError: an origin is not one.
        """
        listed = (origins,) if isinstance(origins, str) else origins
        origins = [_require_origin(origin) for origin in listed]
        app: AsgiApp = self._serve
        if (
            origins
        ):  # the browser asks without the token, so the guard of the token is behind the answer
            app = CORSMiddleware(
                Guard(app, hosts=hosts, origins=origins, token=token),
                allow_origins=origins,
                allow_methods=("GET", "POST", "DELETE"),
                allow_headers=_REQUEST_HEADERS,
                expose_headers=_RESPONSE_HEADERS,
            )
            token = None
        self._guard = Guard(app, hosts=hosts, origins=origins, token=token)
        self._build = build
        self._running: Starlette | None = None
        #: A coroutine function that runs while the server does.
        self.background: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._alone = Router(lifespan=self.lifespan)

    @asynccontextmanager
    async def lifespan(self, _: Any = None) -> AsyncIterator[None]:
        """Run the server, for example as ``FastAPI(lifespan=mcp_app.lifespan)``."""
        app = self._build()
        async with app.router.lifespan_context(app), anyio.create_task_group() as group:
            if self.background is not None:
                group.start_soon(self.background)
            self._running = app
            try:
                yield
            finally:
                self._running = None
                group.cancel_scope.cancel()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or run the lifespan of an application that is not mounted."""
        if scope["type"] == "lifespan":
            await self._alone(scope, receive, send)
        elif _path_of(scope) == "/health":
            health = PlainTextResponse("", status_code=503 if self._running is None else 200)
            await health(scope, receive, send)
        else:
            await self._guard(scope, receive, send)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        if self._running is not None:
            await self._running(scope, receive, send)
            return
        log.error("%s", _NOT_STARTED)
        error = types.ErrorData(code=types.INTERNAL_ERROR, message=_NOT_STARTED)
        body = types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
        text = body.model_dump_json(by_alias=True, exclude_unset=True)
        await Response(text, 503, media_type="application/json")(scope, receive, send)


def keep_streams() -> Callable[[], None]:
    """Keep the streams of the SDK open when the process gets a signal; return the function that ends them.

    Otherwise the SDK's library would cut the responses to calls in flight. This is a setting of the whole process.
    """
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]  # it has no annotations

    def end_streams() -> None:
        AppStatus.should_exit = True

    return end_streams


def _path_of(scope: Message) -> str | None:
    """Return the path of an HTTP request, relative to the path at which this application is mounted."""
    if scope["type"] != "http":
        return None
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _require_origin(origin: str) -> str:
    """Return an origin as browsers write it.

    Raises:
        UsageError: it has a path or is no origin; ``*`` and ``null`` would be those of any page.
    """
    text = origin.lower().rstrip("/")
    if _ORIGIN.fullmatch(text) is None:
        raise UsageError(
            f"origins must be origins of web pages, such as https://app.example.com, not {origin!r}"
        )
    return text
