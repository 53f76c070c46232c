"""Binding of the functions of an application to a connection."""

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from specfn._internal.caller_arguments import require, require_callables, require_whole_numbers
from specfn.application.binding.approval_token import ApprovalTokens
from specfn.application.binding.bound import Bound
from specfn.application.binding.policy import BindPolicy, Fill, Find, read_permissions
from specfn.application.binding.shown_functions import ShownFunctions
from specfn.calling.calls.approval import AsyncApprover
from specfn.calling.names.catalog import Functions
from specfn.calling.response_fields import warn_of_unknown_drops
from specfn.catalog.tools.fit_cache import FitCache
from specfn.catalog.tools.tool_index import ToolIndex
from specfn.errors import UsageError
from specfn.schema.profiles.profile import Profile

if TYPE_CHECKING:
    from specfn.http.connection import Connection


def bind(
    application: Functions,
    find: Find,
    find_any: Find,
    connection: "Connection",
    *,
    allow: Collection[str],
    approve: AsyncApprover | None = None,
    fill: Fill | None = None,
    profile: Profile | None = None,
    fits: FitCache | None = None,
    ask: bool = True,
    key: bytes | str | None = None,
    limit: int = 20_000,
    fields: bool = False,
    clock: Callable[[], float] = time.time,
) -> Bound:
    """Bind functions to a connection; see ``Application.bind``.

    ``find`` finds one of the functions, and ``find_any`` any function of the document, for ``allow``. ``fits`` keeps
    what was fitted to profiles. ``clock`` returns the time in seconds since the epoch, for the expiry of tokens.

    Raises:
        UsageError: ``allow`` contains a word that is neither a safety nor a function, or exclusions only; the limit is
            too low, or the key is too short.
    """
    from specfn.http.connection import Connection  # noqa: PLC0415  # imports httpx, as the caller did

    require("connection", connection, Connection, "a specfn.Connection")
    require_callables(approve=approve, fill=fill)
    require_whole_numbers(limit=limit)
    if limit < 200:
        raise UsageError(f"limit must be at least 200 characters, not {limit}")
    warn_of_unknown_drops(application.functions)
    permissions = read_permissions(allow, lambda key: (find_any(key).name,))
    index = (
        None if profile is None else ToolIndex(application.functions, profile, fits or FitCache())
    )
    shown = ShownFunctions.of(application, index)
    policy = BindPolicy(
        connection=connection,
        permits=lambda function: permissions.permit(function.name, function.safety),
        approve=approve,
        fill=fill,
        ask=ask,
        limit=limit,
        tokens=ApprovalTokens(key, clock),
        fields=fields,
        advertised=shown.advertised,
    )
    return Bound(application.functions, find, policy, shown)
