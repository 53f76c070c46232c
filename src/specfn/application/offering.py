"""The functions of an application as tools of a provider."""

from collections.abc import Sequence

from specfn._internal.json import JsonObject
from specfn.calling.response_fields import refuse_filtered
from specfn.catalog import selection
from specfn.catalog.selection import Find, Select, Switch
from specfn.catalog.tools import tool_builder
from specfn.catalog.tools.fit_cache import FitCache
from specfn.catalog.tools.tools import LeftOut, Tools
from specfn.connectors import registry
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.schema.profiles.profile import Profile


def tools(
    functions: Sequence[Function],
    find: Find,
    profile: str | Profile,
    *,
    fits: FitCache,
    select: Select | None,
    budget_tokens: int | None,
    defer_loading: Switch,
    namespaces: bool,
    output_schema: bool,
) -> Tools:
    """Return functions as tools; see ``Application.tools``."""
    listed = selection.chosen(functions, find, select)
    if output_schema:
        refuse_filtered(listed)
    deferred = selection.switched(listed, functions, find, defer_loading)
    return tool_builder.tools(
        tool_builder.offered_functions(listed, deferred=deferred, namespaces=namespaces),
        registry.profile(profile),
        fits=fits,
        budget_tokens=budget_tokens,
        output_schema="data" if output_schema else None,
    )


def tool(function: Function, profile: str | Profile, fits: FitCache) -> JsonObject:
    """Return one function as a tool; see ``Application.tool``."""
    found = registry.profile(profile)
    (subject,) = tool_builder.offered_functions([function])
    made = tool_builder.ToolBuilder(found, fits).build(subject)
    if isinstance(made, LeftOut):
        raise UsageError(f"the profile {found.name} refuses {function.name}: {made.reason}")
    return made.wire
