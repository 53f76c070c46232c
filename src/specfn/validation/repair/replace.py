"""Replacement of places in a value, by copies along their paths."""

from collections.abc import Mapping
from typing import Any

from specfn._internal.pointer import Tokens
from specfn.records import ABSENT


def replace_places(value: Any, changes: Mapping[Tokens, Any]) -> Any:
    """Return a value with some places replaced.

    Args:
        value: the value, which is not changed. The result shares all parts without a change.
        changes: the new value of each place; ``ABSENT`` removes a property. No place is inside another.
    """
    copies: dict[Tokens, Any] = {}
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


def value_at(value: Any, place: Tokens) -> Any:
    """Return the value at a place; ``ABSENT`` if the place does not exist."""
    for token in place:
        if type(value) is dict:
            value = value.get(token, ABSENT)
        elif type(value) is list and type(token) is int and token < len(value):
            value = value[token]
        else:
            return ABSENT
    return value
