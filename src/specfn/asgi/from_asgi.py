"""Functions of an ASGI application of this process, such as FastAPI or Starlette."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from specfn.api import load
from specfn.asgi.app_connection import ORIGIN, AppConnection, RunningApp
from specfn.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from specfn.application.application import Application
    from specfn.http.connection import Connection
    from specfn.options import Options


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
        found = load(content, options=options)
    except DocumentError as error:
        raise UsageError(
            f"the application has no OpenAPI document at {path!r}: {error}; pass path="
        ) from None
    return found, AppConnection.to(running, _base_path(found))


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
