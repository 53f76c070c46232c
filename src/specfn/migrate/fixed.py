"""Parameters whose value the caller has fixed: shown to nobody, and filled in when a request is made (rule S6)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from specfn._json import JsonObject
from specfn._near import near
from specfn.errors import UsageError
from specfn.migrate.route import Group, Parameter, Route


def fix(routes: Sequence[Route], values: Mapping[str, Any]) -> tuple[Route, ...]:
    """Routes that know the fixed values of their parameters.

    Args:
        routes: of the whole document.
        values: by ``LOCATION.NAME`` (``query.limit``), by the name of a parameter, or by a pattern of either
            with ``*``; the first of these goes before the others. Letter case does not count in headers.

    Raises:
        UsageError: a name that no operation has, or two patterns that fix one parameter differently.
    """
    if not values:
        return tuple(routes)
    used: set[str] = set()
    fixed = tuple(route._replace(fixed=dict(_values(route, values, used))) for route in routes)
    for name in values:
        if name not in used:
            raise UsageError(_unknown(name, routes))
    return fixed


def shown(route: Route) -> Route:
    """The route without the parameters that are fixed."""
    if not route.fixed:
        return route
    return route._replace(
        parameters=tuple(each for each in route.parameters if (each.key,) not in route.fixed),
        query=_without(route.query, route.fixed),
        headers=_without(route.headers, route.fixed),
        cookies=_without(route.cookies, route.fixed),
    )


def filled(route: Route, named: JsonObject) -> JsonObject:
    """Arguments by key with the fixed values among them, which go before any that are given."""
    if not route.fixed:
        return named
    out = dict(named)
    for place, value in route.fixed.items():
        if len(place) == 1:
            out[place[0]] = value
        else:
            group, name = place
            given = out.get(group)
            out[group] = {**(given if isinstance(given, dict) else {}), name: value}
    return out


def fixed_parameters(route: Route) -> Iterator[tuple[str, Parameter, Any]]:
    """Each fixed value with its parameter, and the property of it that is fixed, or its own key."""
    for place, parameter, key in _places(route):
        if place in route.fixed:
            yield key, parameter, route.fixed[place]


def _places(route: Route) -> Iterator[tuple[tuple[str, ...], Parameter, str]]:
    """Where each parameter is given: its keys from the root; the members of a spread one by themselves."""
    for parameter in route.parameters:
        yield (parameter.key,), parameter, parameter.key
    for group in route.groups:
        for parameter in group.parameters:
            for key in parameter.members or (parameter.key,):
                yield (group.key, key), parameter, key


def _values(
    route: Route, values: Mapping[str, Any], used: set[str]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for place, parameter, key in _places(route):
        ranks = _matching(parameter, key, values)
        used.update(each for rank in ranks for each in rank)
        found = next(filter(None, ranks), [])
        if len(found) > 1 and any(values[each] != values[found[0]] for each in found):
            where = f"{route.method.upper()} {route.path}"
            listed = " and ".join(map(repr, found))
            raise UsageError(f"Options.fixed gives {key!r} of {where} two values: by {listed}")
        if found:
            yield place, values[found[0]]


def _matching(parameter: Parameter, key: str, values: Collection[str]) -> tuple[list[str], ...]:
    """What means a parameter, by rank: names with its location, plain names, patterns."""
    own = {key} if parameter.members else {key, parameter.name}
    placed = {f"{parameter.location}.{name}" for name in own}
    spelled = {each: each for each in values}
    if parameter.location == "header":
        own, placed = ({name.lower() for name in names} for names in (own, placed))
        spelled = {each: each.lower() for each in values}
    ranks: tuple[list[str], ...] = ([], [], [])
    for each, name in spelled.items():
        if name in placed:
            ranks[0].append(each)
        elif name in own:
            ranks[1].append(each)
        elif any(fnmatchcase(one, name) for one in own | placed):
            ranks[2].append(each)
    return ranks


def _without(group: Group | None, fixed: Collection[tuple[str, ...]]) -> Group | None:
    if group is None:
        return None
    left = tuple(_left(group, fixed))
    if left == group.parameters:
        return group
    required = any(parameter.required for parameter in left)
    return group._replace(parameters=left, required=required) if left else None


def _left(group: Group, fixed: Collection[tuple[str, ...]]) -> Iterator[Parameter]:
    for parameter in group.parameters:
        if not parameter.members:
            if (group.key, parameter.key) not in fixed:
                yield parameter
            continue
        members = tuple(name for name in parameter.members if (group.key, name) not in fixed)
        if members:
            yield parameter._replace(members=members)


def _unknown(name: str, routes: Iterable[Route]) -> str:
    """Why a name fixes nothing: with what is nearest, or with what there is."""
    there = dict.fromkeys(
        key if parameter.members else parameter.name
        for route in routes
        for _, parameter, key in _places(route)
    )
    wanted = name.rpartition(".")[2] if name.partition(".")[0] in _LOCATIONS else name
    reason = f"Options.fixed names {name!r}, and no operation has such a parameter"
    return f"{reason}{near(wanted, there) or '; there is none'}"


_LOCATIONS = frozenset({"path", "query", "header", "cookie", "querystring"})
