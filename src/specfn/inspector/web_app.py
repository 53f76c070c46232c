"""The served inspector: the page, and the data that it asks for (threats T30, T31)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

import anyio
import anyio.lowlevel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from specfn._internal.json import JsonObject, dumps, loads
from specfn._internal.logs import one_line_log
from specfn.application.application import Application
from specfn.connectors import registry
from specfn.errors import SpecfnError
from specfn.function.function import Function
from specfn.http.connection import Connection
from specfn.http.request.security import require_declared
from specfn.http_server.guard import LOOPBACK, AsgiApp, Guard
from specfn.inspector.document_places import value_at
from specfn.inspector.page_data import (
    changes,
    document_notes,
    function_details,
    function_figures,
    model_view,
    overview,
    profile_figures,
    total,
)
from specfn.inspector.page_files import SERVED_POLICY, read_page_file, render_page
from specfn.inspector.tried_calls import TriedCalls, text_member

#: The maximum number of bytes of a request.
MAX_BODY_BYTES: Final = 1_000_000

#: The maximum number of results of a search.
_MAX_RESULTS: Final = 200

_HEADERS: Final = {
    "Content-Security-Policy": SERVED_POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

_LOG: Final = one_line_log("specfn.inspector")

_Item = TypeVar("_Item")
_Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class RequestRefusedError(Exception):
    """A request that is refused, with its status."""

    def __init__(self, status: int, reason: str) -> None:
        """Set the status and the reason."""
        super().__init__(reason)
        self.status = status


def web_app(
    application: Application,
    connection: Connection | None,
    *,
    token: str,
    profile: str = "portable",
    old: Application | None = None,
    responses: bool = False,
) -> AsgiApp:
    """Return the inspector as an ASGI application. Its page has the path ``/TOKEN/``.

    Args:
        application: the application.
        connection: the connection of calls; ``None`` if calls cannot be sent.
        token: the secret first segment of each path.
        profile: the profile that is selected first.
        old: the previous version, whose differences are shown.
        responses: judge the differences of responses, too.

    Raises:
        UsageError: there is no such profile, or the connection has a credential for a security scheme that the document
            does not declare.
    """
    if connection is not None and application.functions:
        require_declared(application.functions[0].api, connection)
    handlers = _Handlers(
        application, connection, registry.profile(profile).name, old, responses=responses
    )
    routes = [
        Route(path, _safe(handler), methods=[method]) for method, path, handler in handlers.table()
    ]
    return Guard(
        Starlette(routes=[Mount(f"/{token}", routes=routes)]), hosts=LOOPBACK, secret_path=token
    )


def _safe(handler: _Handler) -> _Handler:
    """Return a handler that reports errors as JSON. An unexpected one is one neutral text."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefusedError as error:
            return _error(error.status, str(error))
        except SpecfnError as error:
            return _error(400, str(error))
        except Exception as error:  # noqa: BLE001  # its text may contain a secret
            _LOG.error("internal error in the inspector: %s", type(error).__name__)
            return _error(500, "internal error in specfn")

    return handle


def _error(status: int, reason: str) -> Response:
    return _json(dumps({"error": reason}), status)


def _json(text: bytes, status: int = 200) -> Response:
    return Response(text, status, _HEADERS, "application/json")


async def _one_by_one(items: Iterable[_Item]) -> AsyncIterator[_Item]:
    """Yield the items, and let other requests run between them."""
    for item in items:
        yield item
        await anyio.lowlevel.checkpoint()


class _Handlers:
    """The handlers of requests. All of them run in one thread."""

    def __init__(
        self,
        application: Application,
        connection: Connection | None,
        profile: str,
        old: Application | None,
        *,
        responses: bool,
    ) -> None:
        self._application = application
        self._connection = connection
        self._profile = profile
        self._old, self._responses = old, responses
        self._calls = TriedCalls(application, connection)
        self._known: dict[str, bytes] = {}
        self._computing = anyio.Lock()

    def table(self) -> Iterable[tuple[str, str, _Handler]]:
        """Return the routes: method, path and handler."""
        return (
            ("GET", "/", self._page),
            ("GET", "/page/{name}", self._file),
            ("GET", "/api/overview", self._overview),
            ("GET", "/api/figures", self._figures),
            ("GET", "/api/total", self._total),
            ("GET", "/api/details", self._details),
            ("GET", "/api/view", self._view),
            ("GET", "/api/part", self._part),
            ("GET", "/api/search", self._search),
            ("GET", "/api/changes", self._changes),
            ("POST", "/api/check", self._check),
            ("POST", "/api/send", self._send),
        )

    # -- the page ---------------------------------------------------------------------------------

    async def _page(self, _: Request) -> Response:
        title = overview(self._application, self._profile, ())["title"]
        return Response(render_page(f"{title} – specfn"), 200, _HEADERS, "text/html; charset=utf-8")

    async def _file(self, request: Request) -> Response:
        file = read_page_file(request.path_params["name"])
        if file is None:
            raise RequestRefusedError(404, "there is no such file")
        return Response(file[0], 200, _HEADERS, file[1])

    # -- the document -----------------------------------------------------------------------------

    async def _overview(self, _: Request) -> Response:
        data = overview(self._application, self._profile, registry.NAMES)
        live = {
            "baseUrl": None if self._connection is None else self._connection.base_url,
            "compares": self._old is not None,
        }
        return _json(dumps({**data, "live": live}))

    async def _figures(self, _: Request) -> Response:
        async with self._computing:
            if "figures" not in self._known:
                profile = registry.profile(self._profile)
                measured = function_figures(self._application.functions, profile)
                functions = [figures async for figures in _one_by_one(measured)]
                notes = document_notes(self._application)
                self._known["figures"] = dumps({"functions": functions, "notes": notes})
        return _json(self._known["figures"])

    async def _total(self, request: Request) -> Response:
        profile = request.query_params.get("profile", self._profile)
        key = f"total {profile}"
        tools = self._calls.tools(profile)
        async with self._computing:
            if key not in self._known:
                figures = profile_figures(self._application.functions, tools)
                self._known[key] = dumps(total([row async for row in _one_by_one(figures)]))
        return _json(self._known[key])

    async def _details(self, request: Request) -> Response:
        return _json(dumps(function_details(self._application, self._function(request))))

    async def _view(self, request: Request) -> Response:
        tools = self._calls.tools(request.query_params.get("profile", self._profile))
        return _json(dumps(model_view(self._application, self._function(request), tools)))

    async def _part(self, request: Request) -> Response:
        pointer = request.query_params.get("pointer", "")
        return _json(dumps(value_at(self._application.document, pointer)))

    async def _search(self, request: Request) -> Response:
        results = self._application.search(request.query_params.get("query", ""), _MAX_RESULTS)
        return _json(
            dumps(
                [
                    {"name": result.name, "why": result.why, "needs": dict(result.needs)}
                    for result in results
                ]
            )
        )

    async def _changes(self, _: Request) -> Response:
        if self._old is None:
            raise RequestRefusedError(404, "there is no document to compare with")
        if "changes" not in self._known:
            self._known["changes"] = dumps(
                changes(self._old, self._application, responses=self._responses)
            )
        return _json(self._known["changes"])

    def _function(self, request: Request) -> Function:
        return self._application[request.query_params.get("name", "")]

    # -- calls ------------------------------------------------------------------------------------

    async def _check(self, request: Request) -> Response:
        name, profile, text, body = await _call(request)
        return _json(
            self._calls.safe_json(self._calls.check(name, profile, text, body.get("human")))
        )

    async def _send(self, request: Request) -> Response:
        name, profile, text, body = await _call(request)
        token = text_member(body, "token") if body.get("token") is not None else None
        result = await self._calls.send(name, profile, text, body.get("human"), token)
        return _json(self._calls.safe_json(result))


async def _call(request: Request) -> tuple[str, str, str, JsonObject]:
    """Return the function, the profile and the text of a call, and the whole request."""
    body = await _body(request)
    name, profile, text = (text_member(body, member) for member in ("name", "profile", "text"))
    return name, profile, text, body


async def _body(request: Request) -> JsonObject:
    """Read the JSON object of a request.

    Raises:
        RequestRefusedError: it is too large, or not a JSON object.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RequestRefusedError(415, "the request must be JSON")
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY_BYTES:
            raise RequestRefusedError(413, f"the request is larger than {MAX_BODY_BYTES:,} bytes")
    try:
        body: Any = loads(bytes(content))
    except ValueError:
        raise RequestRefusedError(400, "the request is not JSON") from None
    if not isinstance(body, dict):
        raise RequestRefusedError(400, "the request must be a JSON object")
    return body
