"""Servers of the official SDK, and ASGI applications, over functions."""

from collections.abc import Collection, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from specfn._internal.caller_arguments import (
    CONNECTION,
    missing_extra,
    require,
    require_texts,
    require_whole_numbers,
)
from specfn.errors import UsageError
from specfn.http.connection import Connection

try:
    from mcp.server.lowlevel import Server
    from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
    from mcp.server.transport_security import TransportSecuritySettings
except ImportError as error:
    raise missing_extra("the MCP server", "mcp") from error

from specfn.calling.function_search import titles as titles_of
from specfn.http_server.guard import LOOPBACK
from specfn.mcp import search_tools
from specfn.mcp.callers import CallerConnections
from specfn.mcp.handlers import Handlers
from specfn.mcp.http_app import HttpApp
from specfn.mcp.live import LiveServer
from specfn.mcp.saved_files import SavedFiles
from specfn.mcp.served_functions import ServedFunctions
from specfn.tools.function_set import Catalog, Functions
from specfn.tools.without_sent_parameters import without_sent_parameters

if TYPE_CHECKING:
    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.auth.settings import AuthSettings

    from specfn._internal.json import JsonObject
    from specfn.mcp.callers import Connect

Mode: TypeAlias = Literal["auto", "all", "search", "code"]
Approval: TypeAlias = Literal["ask", "refuse", "allow"]
Questions: TypeAlias = Literal["together", "each"]

#: The maximum number of sessions that are open at once.
MAX_SESSIONS: Final = 1_000

_EVERYTHING: Final = ("read", "write", "destructive")


def server(
    functions: Catalog | Functions,
    connection: "Connection | Connect | None" = None,
    *,
    mode: Mode = "auto",
    allow: Collection[str] = ("read",),
    approve: Approval = "ask",
    questions: Questions = "together",
    read_only: bool = False,
    page_size: int | None = None,
    output_schema: bool = False,
    files: str | PathLike[str] | None = None,
    key: bytes | str | None = None,
    fields: bool = False,
) -> Server[Any]:
    """Return an MCP server over functions; run it with the transports of the SDK.

    Args:
        functions: an application, or a catalog of several with their connections.
        connection: the server, credentials and limits of functions without an own connection, or a function that
            returns them for a ``Caller``; see ``asgi``.
        mode: ``all`` lists one tool per function, ``search`` lists tools that find and call functions, and
            ``code`` tools that find functions and run code that calls them. ``auto`` chooses ``search`` above 100 tools
            or 32,000 tokens.
        allow: the calls that need no approval: safeties (``read``, ``write``, ``destructive``), and functions by any
            name or pattern. A leading ``!`` excludes from the others of the list.
        approve: ``ask`` shows other calls to the user if the client can, and refuses them otherwise; ``refuse`` always
            refuses them; ``allow`` makes all calls.
        questions: ask once for all calls that a script starts ``together``, or once for ``each`` call, in mode
            ``code``.
        read_only: offer only functions that read, and refuse all others.
        page_size: the maximum number of tools of a page; ``None`` for one page, because many clients read only the
            first.
        output_schema: add the schemas of documented responses to the tools.
        files: an existing directory in which binary responses are saved; by default, they are part of the results.
        key: at least 32 bytes that several workers share, for calls that wait for an approval; random by default.
        fields: models may ask for fields of responses, by the argument ``fields`` of tools.

    Raises:
        UsageError: an argument is invalid, two functions have the same name, or the package of mode ``code`` is
        missing.

    Examples:
        >>> from specfn import mcp
        >>> mcp.server(app, connection, allow=["read", "createProduct"]).name
        'specfn'
    """
    _check_options(mode, approve, questions, page_size, key)
    callers = CallerConnections(connection) if callable(connection) else None
    fixed = None if callable(connection) else connection
    require("connection", fixed, Connection, CONNECTION)
    require("files", files, str | PathLike, "the path of a directory")
    require_texts("allow", allow, "safeties and names of functions")
    allow = (allow,) if isinstance(allow, str) else tuple(allow)
    if read_only and ({*allow} - {"read"} or approve == "allow"):
        raise UsageError("read_only contradicts allow and approve: they cannot be combined")
    _check_fields(mode, fields=fields, output_schema=output_schema)
    security = RequestStateSecurity.ephemeral() if key is None else RequestStateSecurity(keys=[key])

    catalog = Catalog.of(without_sent_parameters(functions, fixed))
    served = ServedFunctions(
        catalog,
        callers or fixed,
        allow=(*_EVERYTHING, *allow) if approve == "allow" else allow,
        output_schema=output_schema,
        key=key,
        fields=fields,
        read_only=read_only,
    )
    searches = mode == "search" or (mode == "auto" and served.is_large())
    titles = titles_of(catalog)
    tools: Sequence[JsonObject] = ()
    if searches:
        count = len(served.offered)
        standard = any(entry.function.route.standard for entry in served.entries.values())
        tools = search_tools.tools(
            titles, count=count, read_only=read_only, fields=fields, standard=standard
        )
    asks = approve == "ask" and not read_only
    scripts = None
    if mode == "code":
        from specfn.mcp.script_tools import ScriptTools  # noqa: PLC0415  # an extra

        together = questions == "together"
        scripts = ScriptTools(
            served, titles, key=key, asks=asks, read_only=read_only, together=together
        )
        tools = scripts.tools
    handlers = Handlers(
        served=served,
        search_tools=tuple(tools),
        scripts=scripts,
        asks=asks,
        page_size=page_size,
        output_schema=output_schema and not searches and scripts is None,
        files=None if files is None else SavedFiles(files),
        fields=fields,
    )
    return LiveServer(
        handlers,
        RequestStateBoundary(security, default_audience="specfn"),
        title=titles,
        instructions=_instructions(handlers, titles),
    )


def asgi(  # each is a decision of the operator
    functions: Catalog | Functions,
    connection: "Connection | Connect | None" = None,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    origins: Collection[str] = (),
    client_token: str | None = None,
    token_verifier: "TokenVerifier | None" = None,
    auth: "AuthSettings | None" = None,
    path: str = "/mcp",
    sessions: bool = False,
    forward_token: str | None = None,
    **options: Any,
) -> HttpApp:
    """Return an ASGI application that serves MCP over HTTP. Without sessions, any number of workers can run it.

    An application that mounts it must run its lifespan: ``FastAPI(lifespan=mcp_app.lifespan)``.

    Args:
        functions: an application, or a catalog of several with their connections.
        connection: the server, credentials and limits of functions without an own connection. With
            ``token_verifier``, an async function that returns the connection of a ``Caller``.
        hosts: the names that clients call the server by (``Host``), without a port; ``None`` for any name.
        origins: the origins of web pages that may call it, besides its own.
        client_token: the bearer token that clients send; it is never sent to an API.
        token_verifier: verifies the tokens of clients; see the documentation of the SDK.
        auth: the settings of the authorization; see the documentation of the SDK.
        path: the path of the endpoint.
        sessions: keep a session for each client of a protocol before 2026-07-28, so that it can approve and cancel
            calls. All requests of a session must reach the same process.
        forward_token: the security scheme of the document (bearer or OAuth 2) whose credential is the client's token.
            Only for tokens that were issued for the API itself: ``auth`` must check that their audience is
            ``resource_server_url``, which has the origin of ``base_url``. The connection has no credentials. A function
            that returns the connection of each caller is better, because MCP forbids to pass other tokens on.
        options: as for ``server``.

    Raises:
        UsageError: an argument is invalid.

    Examples:
        >>> from specfn import mcp
        >>> asgi_app = mcp.asgi(app, connection)  # run it with ``uvicorn module:asgi_app``
    """
    if client_token is not None and len(client_token) < 16:
        raise UsageError("client_token must have at least 16 characters")
    if (token_verifier is None) != (auth is None):
        raise UsageError("token_verifier and auth belong together: pass both or none of them")
    if callable(connection) and token_verifier is None:
        raise UsageError(
            "a function that returns the connection of each caller needs token_verifier, which identifies callers"
        )
    if forward_token is not None:
        from specfn.mcp.forwarding import connect_with_token  # noqa: PLC0415  # imports httpx

        connection = connect_with_token(functions, connection, forward_token, auth)
    return http_app(
        server(functions, connection, **options),
        hosts=hosts,
        origins=origins,
        client_token=client_token,
        path=path,
        sessions=sessions,
        token_verifier=token_verifier,
        auth=auth,
    )


def http_app(
    server: Server[Any],
    *,
    hosts: Collection[str] | None = LOOPBACK,
    origins: Collection[str] = (),
    client_token: str | None = None,
    path: str = "/mcp",
    sessions: bool = False,
    **verification: Any,
) -> HttpApp:
    """Return the ASGI application of a server. The arguments are those of ``asgi``."""
    build = partial(
        server.streamable_http_app,
        streamable_http_path=path,
        stateless_http=not sessions,
        max_sessions=MAX_SESSIONS,
        # the guard checks hosts and origins, before anything is read
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        **verification,
    )
    return HttpApp(build, hosts=hosts, origins=origins, token=client_token)


def _check_options(
    mode: str, approve: str, questions: str, page_size: int | None, key: bytes | str | None
) -> None:
    for name, value, known in (
        ("mode", mode, Mode),
        ("approve", approve, Approval),
        ("questions", questions, Questions),
    ):
        if value not in get_args(known):
            words = ", ".join(get_args(known))
            raise UsageError(f"{name} must be one of {words}, not {value!r}")
    require_whole_numbers(page_size=page_size)
    require("key", key, str | bytes, "bytes or a text")
    if key is not None and len(key) < 32:
        raise UsageError(
            f"key must have at least 32 bytes, not {len(key)}; make one with secrets.token_bytes(32)"
        )


def _check_fields(mode: str, *, fields: bool, output_schema: bool) -> None:
    if fields and output_schema:
        raise UsageError(
            "fields=True and output_schema=True exclude each other: a response without some fields does not match its schema"
        )
    if fields and mode == "code":
        raise UsageError(
            'fields=True and mode="code" exclude each other: a script reads whole responses and returns what it needs'
        )


def _instructions(handlers: Handlers, titles: str) -> str:
    if handlers.scripts is not None:
        return (
            f"Functions of {titles}. Find functions and their signatures with {search_tools.SEARCH}, and call them in code "
            "with run."
        )
    if not handlers.search_tools:
        return f"Functions of {titles}."
    names = [tool["name"] for tool in handlers.search_tools]
    calls = [name for name in (search_tools.READ, search_tools.CHANGE) if name in names]
    return (
        f"Functions of {titles}. Find functions with {search_tools.SEARCH}, read their schemas with "
        f"{search_tools.DESCRIBE}, and call them with {' or '.join(calls)}."
    )
