"""A server of the Model Context Protocol over the functions of one or several documents.

``server`` returns a server of the official SDK, and ``asgi`` an application for ASGI workers. Both need the extra
``specfn[mcp]``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specfn.mcp.build import asgi, server

__all__ = ["asgi", "server"]


def __getattr__(name: str) -> Any:
    """Import the SDK on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("specfn.mcp.build"), name)
