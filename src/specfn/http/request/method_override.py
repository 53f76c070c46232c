"""Properties of a body that override the method in some frameworks (rule X11)."""

from collections.abc import Mapping
from typing import Any

from specfn.http.unserializable import SerializationFaults, Unserializable
from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Route
from specfn.migrate.safety import exceeds, method_in, safety_of


def refuse_override(route: Route, named: Mapping[str, Any], faults: SerializationFaults) -> None:
    """Refuse a property such as ``_method`` whose method exceeds the safety of the route.

    A body follows its own schema, so a method within the safety of the route stays. An example is ``_method=PUT`` in a
    POST that writes, which some frameworks require for uploads.

    Args:
        route: the operation, with the safety that the caller read.
        named: the arguments by key.
        faults: receives the refusals.
    """
    body = named.get("body")
    for name, item in body.items() if isinstance(body, dict) else ():
        if isinstance(name, str) and overrides(name, "body") and _exceeds(item, route):
            reason = f"it would override the method of a call whose safety is {route.safety!r}"
            faults.found.append(
                Unserializable("undefined", reason, value=item, tokens=("body", name))
            )


def _exceeds(item: Any, route: Route) -> bool:
    """Return whether a value, or an item of a list, is a method that exceeds the safety of the route."""
    values = item if isinstance(item, list) else [item]
    methods = [method_in(value) for value in values if isinstance(value, str)]
    return any(method and exceeds(safety_of(method), route.safety) for method in methods)
