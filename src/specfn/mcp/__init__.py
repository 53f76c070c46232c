"""A server of the Model Context Protocol over the functions of one or several documents.

``run`` serves stdin and stdout, ``asgi`` returns an application for ASGI workers, which can serve each ``Caller`` with a
connection of its own, and ``server`` returns a server of the official SDK. All need the extra ``specfn[mcp]``.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.mcp.build import asgi, server
    from specfn.mcp.callers import Caller
    from specfn.mcp.stdio import run
else:
    from specfn._internal.lazy_names import lazy_names

    __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "Caller": "specfn.mcp.callers",
            "asgi": "specfn.mcp.build",
            "run": "specfn.mcp.stdio",
            "server": "specfn.mcp.build",
        },
    )

__all__ = ["Caller", "asgi", "run", "server"]
