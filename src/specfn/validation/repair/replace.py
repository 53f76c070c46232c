"""Values with some places changed, without changing the values: copies are made along the way."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from specfn.records import ABSENT

#: A place in a value, as keys and indexes from the root.
Place: TypeAlias = tuple[str | int, ...]


def changed(value: Any, changes: Mapping[Place, Any]) -> Any:
    """A value in which some places hold something else.

    Args:
        value: the value, which stays as it is; what is not on the way to a change is shared.
        changes: what each place is to hold; ``ABSENT`` takes a property out. No place is within another.
    """
    copies: dict[Place, Any] = {}
    root = value
    for place, new in changes.items():
        if not place:
            return new
        box = copies.get(())
        if box is None:
            box = root = copies[()] = value.copy()
        for depth in range(1, len(place)):
            above, inner = box, copies.get(place[:depth])
            if inner is None:
                inner = copies[place[:depth]] = above[place[depth - 1]].copy()
                above[place[depth - 1]] = inner
            box = inner
        if new is ABSENT:
            del box[place[-1]]
        else:
            box[place[-1]] = new
    return root


def at(value: Any, place: Place) -> Any:
    """What a place holds; ``ABSENT`` if there is no such place."""
    for token in place:
        if type(value) is dict:
            value = value.get(token, ABSENT)
        elif type(value) is list and type(token) is int and token < len(value):
            value = value[token]
        else:
            return ABSENT
    return value
