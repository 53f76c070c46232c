"""Standard parameters: every operation has them, and a model hardly ever needs them (rule F13)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from specfn.migrate.route import Parameter, Route

#: Standard parameters of queries by their sources (read in 2026-11). Frequency alone is no reason: a model needs the
#: ``units`` of a weather API.
_QUERY_SOURCES: Final = {
    "cloud.google.com/apis/docs/system-parameters; Discovery Documents": "alt prettyPrint quotaUser userIp $.xgafv "
    "callback upload_protocol uploadType",
    "kubernetes.io/docs/reference/kubernetes-api/common-parameters": "pretty fieldManager fieldValidation watch "
    "allowWatchBookmarks sendInitialEvents resourceVersion resourceVersionMatch",
    "developers.asana.com/docs/inputoutput-options": "opt_pretty",
}
_IN_QUERY: Final = frozenset(" ".join(_QUERY_SOURCES.values()).split())

#: Conditional headers of functions that read, in lower case (RFC 9110, 13.1.2 and 13.1.3): a model has no cache.
_IN_HEADERS: Final = frozenset({"if-none-match", "if-modified-since"})

#: The minimum number of functions that declare a standard parameter with the same schema.
MIN_FUNCTIONS: Final = 20

#: Schema keywords that do not change what is valid.
_ANNOTATIONS: Final = frozenset({"description", "example", "examples", "title"})

#: The maximum number of members of an enumeration of a standard parameter.
_MAX_MEMBERS: Final = 20


def mark_standard(routes: Sequence[Route], hidden: Mapping[str, bool]) -> Iterator[Route]:
    """Yield the routes with the places of their standard parameters.

    Args:
        routes: the routes of the whole document, with their safety.
        hidden: the parameters that the caller hides or, with ``False``, shows.
    """
    declared = [[*_candidates(route, hidden)] for route in routes]
    counts = Counter(key for candidates in declared for _, key in candidates)
    for route, candidates in zip(routes, declared, strict=True):
        places = frozenset(place for place, key in candidates if counts[key] >= MIN_FUNCTIONS)
        yield route._replace(standard=places) if places else route


def _candidates(
    route: Route, hidden: Mapping[str, bool]
) -> Iterator[tuple[tuple[str, str], tuple[Any, ...]]]:
    """Yield the optional parameters of the table: their places, and what must be equal in all functions."""
    for group in route.groups:
        for parameter in group.parameters:
            if _is_standard(parameter, route) and hidden.get(parameter.name) is not False:
                shape = _shape(parameter.schema)
                if shape is not None:
                    yield (group.key, parameter.key), (group.key, parameter.name.lower(), shape)


def _is_standard(parameter: Parameter, route: Route) -> bool:
    if parameter.required or parameter.members:
        return False
    if parameter.location == "header":
        return route.safety == "read" and parameter.name.lower() in _IN_HEADERS
    return parameter.location == "query" and parameter.name in _IN_QUERY


def _shape(schema: Any) -> tuple[Any, ...] | None:
    """Return what must be equal in two schemas of scalars; ``None`` for other schemas. Texts are compared, never copied."""
    shape = []
    for key in sorted(schema.keys() - _ANNOTATIONS) if isinstance(schema, dict) else ():
        value = schema[key]
        members = value if isinstance(value, list) else [value]
        if len(members) > _MAX_MEMBERS or any(isinstance(item, dict | list) for item in members):
            return None
        shape.append((key, *members))
    return tuple(shape)
