"""Functions without the parameters that a connection always sends, so that a model does not have to fill them in (rule R7)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from specfn.function.function import Function
from specfn.migrate.parameters.fixed import without_places
from specfn.tools.function_set import Catalog, Functions

if TYPE_CHECKING:
    from specfn.http.connection import Connection


T = TypeVar("T", bound=Functions)


def without_sent_parameters(
    functions: Catalog | T, connection: "Connection | None", *, max_length: int = 64
) -> Catalog | T:
    """Return functions without the parameters that their connections send; the same object if there are none.

    Args:
        functions: the functions of one or several documents.
        connection: the connection of functions without a connection of their own.
        max_length: the maximum number of characters of a name.
    """
    if isinstance(functions, Catalog):
        known = functions.parts
    else:  # ``Catalog.of`` refuses other objects
        known = (("", tuple(getattr(functions, "functions", ())), None),)
    parts = [
        (
            name,
            tuple(_without_sent_parameters(function, own or connection) for function in members),
            own,
        )
        for name, members, own in known
    ]
    if all(new[1] == old[1] for new, old in zip(parts, known, strict=True)):
        return functions
    return replace(Catalog.of(functions, max_length=max_length), parts=tuple(parts))


def _without_sent_parameters(function: Function, connection: "Connection | None") -> Function:
    """Return a function without the parameters that a connection sends; these are hidden, as credentials are."""
    route = function.route
    sent = [] if connection is None else [*_sent_places(function, connection)]
    if not sent:
        return function
    places = frozenset(sent)
    hidden = (
        parameter._replace(key=key, members=())
        for group in route.groups
        for parameter in group.parameters
        for key in parameter.members or (parameter.key,)
        if (group.key, key) in places
    )
    route = without_places(route, places)._replace(hidden=(*route.hidden, *hidden))
    keys = frozenset(function.undescribed_keys) | places
    schemas = function.schemas.without(places)
    return replace(function, route=route, schemas=schemas, undescribed_keys=keys)


def _sent_places(function: Function, connection: "Connection") -> Iterator[tuple[str, str]]:
    """Yield the groups and names of the parameters of a function that a connection sends."""
    headers = {name.lower() for name in connection.headers}
    names = {"query": connection.query, "cookies": connection.cookies}
    for group in function.route.groups:
        for parameter in group.parameters:
            for key in parameter.members or (parameter.key,):
                name = key if parameter.members else parameter.name
                is_header = parameter.location == "header"
                if name.lower() in headers if is_header else name in names[group.key]:
                    yield group.key, key
