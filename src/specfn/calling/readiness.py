"""Checks before the first request: the types of settings, and a connection that can call the functions (rule C10)."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from specfn._internal.caller_arguments import require, require_callables
from specfn.calling.config import InvocationConfig
from specfn.calling.prompt_files import Settings
from specfn.errors import UsageError
from specfn.tools.function_set import AdvertisedFunction

if TYPE_CHECKING:
    from specfn.http.connection import Connection


def require_settings(
    config: Any, settings: Any, extra: Any, model: Any, before_request: Any, on_event: Any
) -> None:
    """Check the types of settings of a session.

    Raises:
        UsageError: one of them has another type.
    """
    require_callables(before_request=before_request, on_event=on_event)
    require("config", config, InvocationConfig, "a specfn.InvocationConfig")
    require("settings", settings, Settings, "a specfn.calling.PromptSettings")
    require("extra", extra, Mapping, "a mapping of members of the request")
    require("model", model, str, "the name of a model")


def obstacles(
    entries: Iterable[AdvertisedFunction], connection: "Connection | None"
) -> Mapping[str, str]:
    """Return the reasons why functions cannot be called, by function name.

    Args:
        entries: the offered functions.
        connection: used for functions without a connection of their own.

    Raises:
        UsageError: no function can be called, so the caller made a mistake.
    """
    checked = [
        (entry.name, obstacle(entry.function, entry.connection or connection)) for entry in entries
    ]
    obstacles = {name: error for name, error in checked if error is not None}
    if obstacles and len(obstacles) == len(checked):
        raise next(iter(obstacles.values()))
    return {name: str(error) for name, error in obstacles.items()}


def obstacle(function: Any, connection: "Connection | None") -> UsageError | None:
    """Return the error of a call that lacks a base URL or a credential; ``None`` if nothing is missing."""
    from specfn.http.request.base_url import choose  # noqa: PLC0415  # imports httpx
    from specfn.http.request.security import choose_schemes  # noqa: PLC0415  # httpx is imported on first use

    if connection is None:
        return UsageError("missing argument connection: pass connection=Connection(base_url=...)")
    route, api = function.route, function.api
    try:
        choose_schemes(route, api, choose(route, api, connection), connection)
    except UsageError as error:
        return error
    return None
