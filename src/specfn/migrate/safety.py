"""Safety, idempotence and purpose of a route (rules F6, V7, X11).

They follow the method that the server executes. A verb of the operation can raise the safety (``verbs``).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Placeholder, Route
from specfn.settings import Safety

#: The safety of methods (RFC 9110, section 9.2.1); an unknown method may do anything.
_SAFETY: Final[dict[str, Safety]] = {
    "get": "read",
    "head": "read",
    "options": "read",
    "query": "read",
    "patch": "write",
    "post": "write",
    "put": "write",
}

#: The safety levels, the most harmless first.
_ORDER: Final[tuple[Safety, ...]] = ("read", "write", "destructive")

_IDEMPOTENT: Final = frozenset({"delete", "get", "head", "options", "put", "query", "trace"})


def safety_of(method: str) -> Safety:
    """Return the safety of a method, before ``Options.safety`` applies."""
    return _SAFETY.get(method, "destructive")


def is_idempotent(method: str) -> bool:
    """Return whether a method is idempotent (RFC 9110, section 9.2.2)."""
    return method in _IDEMPOTENT


def exceeds(safety: Safety, limit: Safety) -> bool:
    """Return whether one safety level allows more than another."""
    return _ORDER.index(safety) > _ORDER.index(limit)


def method_in(value: Any) -> str:
    """Return the method that an override names, in lower case."""
    return str(value).strip().lower()


def method_safety(route: Route) -> Safety:
    """Return the safety of the method of a route, with its method overrides.

    A value of ``Options.fixed`` replaces the method. A value that only the document declares can raise the level but
    not lower it: a server may ignore the header and execute the method of the request line.
    """
    if not (route.fixed or route.template.query):  # the most common case
        return safety_of(route.method)
    chosen = [*_named(route, by_caller=True)] or [route.method]
    return max(
        (safety_of(method) for method in (*chosen, *_named(route, by_caller=False))),
        key=_ORDER.index,
    )


def is_repeatable(route: Route) -> bool:
    """Return whether a call may be repeated: its method and all its overrides are idempotent.

    A method that reads is not true if the safety of the route is higher. Then the call may not be repeated.
    """
    safety = method_safety(route)
    is_true = safety != "read" or route.safety == "read"
    return is_true and all(map(is_idempotent, _methods(route)))


def is_update(route: Route) -> bool:
    """Return whether a call changes an existing resource; null may then clear a value (rule V7).

    Updates are PUT, PATCH, a merge patch (RFC 7396), and POST to an item.
    """
    methods = _methods(route)
    merges = route.body is not None and "merge-patch" in route.body.media_type.lower()
    return merges or bool(methods & {"put", "patch"}) or ("post" in methods and _is_item(route))


def is_creation(route: Route) -> bool:
    """Return whether a call only creates a resource; null in its body then means absence (rule V7)."""
    return _methods(route) == {"post"} and not is_update(route)


def _is_item(route: Route) -> bool:
    """Return whether the last segment of the path has a parameter. A trailing slash is not a segment."""
    last = next((pieces for pieces in reversed(route.template.segments) if pieces), ())
    return any(isinstance(piece, Placeholder) for piece in last)


def _methods(route: Route) -> set[str]:
    """Return every method that a server may execute: the route's own and those of its overrides."""
    return {
        route.method,
        *_named(route, by_caller=True),
        *_named(route, by_caller=False),
    }


def _named(route: Route, *, by_caller: bool) -> Iterator[str]:
    """Yield the methods of fixed overrides, set by the caller or by the document."""
    for place, value in route.fixed.items():
        location = "header" if place[0] == "headers" else "query"
        is_override = len(place) > 1 and overrides(place[1], location) == "method"
        if is_override and (place not in route.only) is by_caller:
            yield method_in(value)
    if not by_caller:
        yield from _in_path_key(route)


def _in_path_key(route: Route) -> Iterable[str]:
    """Yield the methods in the query of the path key; an empty text is a placeholder, which may be any method."""
    for name, pieces in route.template.query:
        if pieces and overrides(name, "query"):
            literal = [piece for piece in pieces if not isinstance(piece, Placeholder)]
            yield method_in("".join(literal)) if len(literal) == len(pieces) else ""
