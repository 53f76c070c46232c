"""Parameters with a fixed value: the model does not see them; the request contains them (rules S6, X11)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from specfn._internal.did_you_mean import ask_or_list
from specfn._internal.json import JsonObject
from specfn.errors import UsageError
from specfn.migrate.bodies.media_types import SchemaResolver
from specfn.migrate.parameters.parameters import GROUPS
from specfn.migrate.parameters.reserved import overrides
from specfn.migrate.route import Parameter, ParameterGroup, Route
from specfn.records import ABSENT, Note


def fix(
    routes: Sequence[Route], values: Mapping[str, Any], resolve: SchemaResolver
) -> tuple[Route, ...]:
    """Return the routes with the fixed values of their parameters.

    A hidden parameter that overrides the method or the path can have a fixed value as well. If it is required and the
    caller fixes no value, it gets the only value that the document allows (rule X11).

    Args:
        routes: the routes of the whole document.
        values: by ``LOCATION.NAME`` (``query.limit``), by the name of a parameter, or by a pattern of either with
            ``*``. An earlier form has priority over a later one. Header names ignore case. A pattern sets no
            override.
        resolve: returns the composed schema of a normalized one.

    Raises:
        UsageError: no operation has such a parameter, or two patterns give one parameter different values.
    """
    used: set[str] = set()
    fixed = tuple(
        _fix_route(route, values, used, resolve) if values or route.hidden else route
        for route in routes
    )
    for name in values:
        if name not in used:
            raise UsageError(_unknown(name, routes))
    return fixed


def _fix_route(
    route: Route, values: Mapping[str, Any], used: set[str], resolve: SchemaResolver
) -> Route:
    """Return a route with its fixed values, including those of its overrides."""
    fixed = dict(_values(route, values, used))
    only: set[tuple[str, ...]] = set()
    notes = [*route.notes]
    shown: list[Parameter] = []
    for parameter in _overrides(route):
        place = (GROUPS[parameter.location], parameter.key)
        given = _value_for(route, parameter, parameter.key, values, used, ranks=2)
        value = given if given is not ABSENT else _only_value(parameter, resolve)
        if value is ABSENT:
            continue
        fixed[place] = value
        shown.append(parameter)
        if given is ABSENT:
            only.add(place)
            text = f"{parameter.name!r} is sent with {value!r}, the only value that the document allows"
            notes.append(Note(pointer=parameter.pointer, text=text))
    return _show_hidden(route, shown)._replace(
        fixed=fixed, only=frozenset(only), notes=tuple(notes)
    )


def _overrides(route: Route) -> Iterator[Parameter]:
    """Yield the hidden parameters that override the method or the path."""
    for parameter in route.hidden:
        if overrides(parameter.name, parameter.location) is not None:
            yield parameter


def _only_value(parameter: Parameter, resolve: SchemaResolver) -> Any:
    """Return the only value that a required parameter allows; ``ABSENT`` if there are several."""
    schema = resolve(parameter.schema) if parameter.required else None
    if not isinstance(schema, dict):
        return ABSENT
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    return allowed[0] if isinstance(allowed, list) and len(allowed) == 1 else ABSENT


def _show_hidden(route: Route, shown: Sequence[Parameter]) -> Route:
    """Return a route that sends parameters which were hidden."""
    for parameter in shown:
        key = GROUPS[parameter.location]
        group: ParameterGroup = getattr(route, key) or ParameterGroup(
            key=key, parameters=(), required=False
        )
        group = group._replace(
            parameters=(*group.parameters, parameter), required=group.required or parameter.required
        )
        hidden = tuple(other for other in route.hidden if other is not parameter)
        changed: dict[str, Any] = {key: group, "hidden": hidden}
        route = route._replace(**changed)
    return route


def without_fixed_parameters(route: Route) -> Route:
    """Return the route without its fixed parameters."""
    return without_places(route, route.fixed) if route.fixed else route


def without_places(route: Route, places: Collection[tuple[str, ...]]) -> Route:
    """Return the route without the parameters whose keys from the root are given."""
    return route._replace(
        parameters=tuple(
            parameter for parameter in route.parameters if (parameter.key,) not in places
        ),
        query=_without_members(route.query, places),
        headers=_without_members(route.headers, places),
        cookies=_without_members(route.cookies, places),
    )


def with_fixed_values(route: Route, named: JsonObject) -> JsonObject:
    """Return the arguments by key with the fixed values, which replace passed values."""
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


def fixed_values(route: Route) -> Iterator[tuple[str, Parameter, Any]]:
    """Yield each fixed value as ``(name, parameter, value)``. A fixed property of a spread parameter has its own name."""
    for place, parameter, key in _places(route):
        if place in route.fixed:
            yield key, parameter, route.fixed[place]


def _places(route: Route) -> Iterator[tuple[tuple[str, ...], Parameter, str]]:
    """Yield each parameter as ``(keys from the root, parameter, last key)``; a spread parameter once for each property."""
    for parameter in route.parameters:
        yield (parameter.key,), parameter, parameter.key
    for group in route.groups:
        for parameter in group.parameters:
            for key in parameter.members or (parameter.key,):
                yield (group.key, key), parameter, key


def _values(
    route: Route, values: Mapping[str, Any], used: set[str]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for place, parameter, key in _places(route) if values else ():
        value = _value_for(route, parameter, key, values, used)
        if value is not ABSENT:
            yield place, value


def _value_for(
    route: Route,
    parameter: Parameter,
    key: str,
    values: Mapping[str, Any],
    used: set[str],
    *,
    ranks: int = 3,
) -> Any:
    """Return the value that the caller fixes, by the first ranks of ``_matching``; ``ABSENT`` by default."""
    matched = _matching(parameter, key, values)[:ranks]
    used.update(entry for rank in matched for entry in rank)
    entries = next(filter(None, matched), [])
    if len(entries) > 1 and any(values[entry] != values[entries[0]] for entry in entries):
        where = route.method_and_path
        listed = " and ".join(map(repr, entries))
        raise UsageError(
            f"Options.fixed has different values for the parameter {key!r} of {where}: by {listed}; keep one of them"
        )
    return values[entries[0]] if entries else ABSENT


def _matching(parameter: Parameter, key: str, values: Collection[str]) -> tuple[list[str], ...]:
    """Return the entries that match a parameter, by rank: names with location, plain names, patterns."""
    own = {key} if parameter.members else {key, parameter.name}
    group = GROUPS.get(parameter.location, parameter.location)
    placed = {f"{where}.{name}" for where in (parameter.location, group) for name in own}
    spelled = {entry: entry for entry in values}
    if parameter.location == "header":
        own, placed = ({name.lower() for name in names} for names in (own, placed))
        spelled = {entry: entry.lower() for entry in values}
    ranks: tuple[list[str], ...] = ([], [], [])
    for entry, name in spelled.items():
        if name in placed:
            ranks[0].append(entry)
        elif name in own:
            ranks[1].append(entry)
        elif any(fnmatchcase(one, name) for one in own | placed):
            ranks[2].append(entry)
    return ranks


def _without_members(
    group: ParameterGroup | None, fixed: Collection[tuple[str, ...]]
) -> ParameterGroup | None:
    if group is None:
        return None
    left = tuple(_parameters_left(group, fixed))
    if left == group.parameters:
        return group
    required = any(parameter.required for parameter in left)
    return group._replace(parameters=left, required=required) if left else None


def _parameters_left(
    group: ParameterGroup, fixed: Collection[tuple[str, ...]]
) -> Iterator[Parameter]:
    for parameter in group.parameters:
        if not parameter.members:
            if (group.key, parameter.key) not in fixed:
                yield parameter
            continue
        members = tuple(name for name in parameter.members if (group.key, name) not in fixed)
        if members:
            yield parameter._replace(members=members)


def _unknown(name: str, routes: Iterable[Route]) -> str:
    """Return the error text for a name that matches no parameter, with the nearest name or all names."""
    there = dict.fromkeys(
        key if parameter.members else parameter.name
        for route in routes
        for _, parameter, key in (*_places(route), *(((), p, p.key) for p in _overrides(route)))
    )
    wanted = name.rpartition(".")[2] if name.partition(".")[0] in _LOCATIONS else name
    reason = f"Options.fixed has the key {name!r}, but no operation has such a parameter"
    return f"{reason}{ask_or_list(wanted, there) or '; no operation has parameters'}"


_LOCATIONS = frozenset({"path", *GROUPS, *GROUPS.values()})
