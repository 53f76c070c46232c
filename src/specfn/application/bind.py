"""Binding of the functions of an application to a connection."""

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from specfn._internal.caller_arguments import require, require_callables, require_whole_numbers
from specfn.application.bound import Bound
from specfn.errors import UsageError
from specfn.invocation.approval import AsyncApprover
from specfn.invocation.approval_token import ApprovalTokens
from specfn.invocation.response_fields import warn_of_unknown_drops
from specfn.invocation.settings import CallSettings, Fill, Find, permitted_names
from specfn.schema.profiles.profile import Profile
from specfn.tools.fit_cache import FitCache
from specfn.tools.function_keys import FunctionKeys
from specfn.tools.function_set import FunctionSet
from specfn.tools.tool_set import ToolSet

if TYPE_CHECKING:
    from specfn.http.connection import Connection


def bind(
    application: FunctionSet,
    find: Find,
    keys: FunctionKeys,
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

    ``find`` finds one of the functions, and ``keys`` names any function of the document, for ``allow``. ``fits`` keeps
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
    warn_of_unknown_drops(application)
    permitted = permitted_names(allow, keys)
    settings = CallSettings(
        functions=application,
        offered=ToolSet(application.entries, profile, fits),
        connection=connection,
        permitted=permitted,
        approve=approve,
        fill=fill,
        ask=ask,
        limit=limit,
        tokens=ApprovalTokens(key, clock),
        fields=fields,
    )
    return Bound(find, settings)
