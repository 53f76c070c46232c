"""Members of a body that frameworks obey instead of the method (rule X11)."""

from collections.abc import Mapping
from typing import Any

from specfn.http.unserializable import Faults, Unfit
from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Route
from specfn.migrate.safety import exceeds, method_in, safety_of


def refuse_override(route: Route, named: Mapping[str, Any], faults: Faults) -> None:
    """Refuse a member such as ``_method`` that names a method which does more than the route may.

    A body follows its own schema, so a method that does no more than the route stays: ``_method=PUT`` in a POST that
    writes, as frameworks ask for it beside uploads.

    Args:
        route: the operation, with the safety that its caller was shown.
        named: the arguments by key.
        faults: where a refusal is collected.
    """
    body = named.get("body")
    for name, item in body.items() if isinstance(body, dict) else ():
        if isinstance(name, str) and overrides(name, "body") and _exceeds(item, route):
            reason = f"it would override the method of a call whose safety is {route.safety!r}"
            faults.found.append(Unfit("undefined", reason, value=item, tokens=("body", name)))


def _exceeds(item: Any, route: Route) -> bool:
    """Return whether a value, or one of several, names a method that does more than the route may."""
    values = item if isinstance(item, list) else [item]
    methods = [method_in(value) for value in values if isinstance(value, str)]
    return any(method and exceeds(safety_of(method), route.safety) for method in methods)
