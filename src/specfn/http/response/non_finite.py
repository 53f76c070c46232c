"""NaN and infinities in JSON values, which JSON itself cannot write (rule X9)."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """The numbers of a value that are not finite.

    Attributes:
        count: the number of their places.
        places: the first places, in the order of the value, each as the keys and indices that lead there.
    """

    count: int
    places: tuple[tuple[str | int, ...], ...]


def find(value: Any, most: int) -> Found:
    """Count the NaNs and infinities of a JSON value, and return the first ``most`` places."""
    if _is_non_finite(value):
        return Found(1, ((),))
    count = 0
    places: list[tuple[str | int, ...]] = []
    tokens: list[str | int] = [""]
    levels = [_members(value)]
    while levels:
        for token, item in levels[-1]:
            tokens[-1] = token
            if item.__class__ is dict or item.__class__ is list:
                tokens.append("")
                levels.append(_members(item))
                break
            if _is_non_finite(item):
                count += 1
                if count <= most:
                    places.append(tuple(tokens))
        else:
            levels.pop()
            tokens.pop()
    return Found(count, tuple(places))


def nulled(value: Any) -> Any:
    """Return a JSON value with null in the places of NaN and infinities; the same object if it has none."""
    return _copied(value) if find(value, 0).count else value


def _copied(value: Any) -> Any:
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        container = waiting.pop()
        for token, item in [*_members(container)]:
            if item.__class__ is dict or item.__class__ is list:
                container[token] = item.copy()
                waiting.append(container[token])
            elif _is_non_finite(item):
                container[token] = None
    return root[0]


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    members: Iterable[tuple[Any, Any]] = ()
    if value.__class__ is dict:
        members = value.items()
    elif value.__class__ is list:
        members = enumerate(value)
    return iter(members)


def _is_non_finite(value: Any) -> bool:
    return value.__class__ is float and not math.isfinite(value)
