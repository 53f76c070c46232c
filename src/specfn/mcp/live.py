"""A server whose functions are replaced while it runs: calls in flight end with the old ones, and clients are told."""

from collections import deque
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from specfn.mcp.forms import Context
from specfn.mcp.handlers import Handlers, Result

if TYPE_CHECKING:
    from mcp.server.request_state import RequestStateBoundary


#: The milliseconds that a client may keep the list of tools.
_TTL: Final = 300_000

#: The maximum number of clients of protocols before 2026 that are told of a change, and the seconds for each.
_MAX_SESSIONS: Final = 1_000
_MAX_SECONDS: Final = 5.0


class LiveServer(Server[Any]):
    """A server of the SDK with the functions of the moment."""

    def __init__(
        self,
        handlers: Handlers,
        boundary: "RequestStateBoundary",
        *,
        title: str,
        instructions: str,
    ) -> None:
        """Serve functions.

        Args:
            handlers: the handlers of the functions.
            boundary: seals the state of calls that wait.
            title: the title for people.
            instructions: what a model reads of the server.
        """
        self._handlers = handlers
        self._announces = False
        self._bus = InMemorySubscriptionBus()
        self._sessions: deque[ServerSession] = deque(maxlen=_MAX_SESSIONS)
        super().__init__(
            "specfn",
            version=version("specfn"),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            # no schema of ours declares headers; without this, each call would list all tools
            get_tool_input_schema=lambda _: None,
            cache_hints={"tools/list": CacheHint(ttl_ms=_TTL, scope="private")},
            title=title,
            instructions=instructions,
        )
        self.middleware.append(boundary)

    async def _list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return await self._handlers.list_tools(ctx, params)

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        return await self._handlers.call_tool(ctx, params)

    def announce_changes(self) -> None:
        """Let clients ask to be told of changes. Call it before the server runs."""
        self._announces = True
        self.middleware.append(self._keep_session)
        self.add_request_handler(
            "subscriptions/listen",
            types.SubscriptionsListenRequestParams,
            ListenHandler(self._bus),
        )

    async def _keep_session(self, ctx: Any, call_next: Any) -> Any:
        if ctx.method == "initialize":
            self._sessions.append(ctx.session)
        return await call_next(ctx)

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> Any:
        """Return what the server says of itself."""
        given = notification_options or NotificationOptions(tools_changed=self._announces)
        return super().create_initialization_options(given, *more, **named)

    async def become(self, other: "LiveServer") -> None:
        """Serve what another server serves from now on. A call that waits for an approval must be made again."""
        self._handlers = other._handlers  # noqa: SLF001  # of this class
        self.title, self.instructions = other.title, other.instructions
        await self._bus.publish(ToolsListChanged())
        async with anyio.create_task_group() as group:
            for session in self._sessions:
                group.start_soon(_tell, session)


async def _tell(session: ServerSession) -> None:
    try:
        with anyio.move_on_after(_MAX_SECONDS):
            await session.send_tool_list_changed()
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        pass  # the client is gone
