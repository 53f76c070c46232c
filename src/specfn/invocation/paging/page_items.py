"""The members of a response that a paging record names."""

from typing import Any

from specfn.migrate.paging.record import Names, Paging


def value_at(data: Any, path: Names | None) -> Any:
    """Return the member of a response at a path; ``None`` if there is no such member."""
    if path is None:
        return None
    for name in path:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def integer_at(data: Any, path: Names | None) -> int | None:
    """Return the integer at a path; ``None`` if there is no integer."""
    value = value_at(data, path)
    return value if type(value) is int else None


def items_path(data: Any, paging: Paging) -> Names | None:
    """Return the path of the array of items; ``None`` if it is not known.

    An undocumented array is found if it is the response itself, or the only array among its members.
    """
    if paging.items is not None:
        return paging.items if isinstance(value_at(data, paging.items), list) else None
    if isinstance(data, list):
        return ()
    if not isinstance(data, dict):
        return None
    arrays = [name for name, value in data.items() if isinstance(value, list)]
    return (arrays[0],) if len(arrays) == 1 else None


def items_of(data: Any, paging: Paging) -> list[Any] | None:
    """Return the items of a page; ``None`` if they are not known."""
    path = items_path(data, paging)
    if path is None:
        return None
    found: list[Any] = value_at(data, path)
    return found
