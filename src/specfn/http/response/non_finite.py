"""NaN and infinities in JSON values, which strict JSON does not allow (rule X9)."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NonFinite:
    """The NaNs and infinities of a value.

    Attributes:
        count: the number of NaNs and infinities.
        places: the paths of the first ones, in the order of the value, each as keys and indices.
    """

    count: int
    places: tuple[tuple[str | int, ...], ...]


def find(value: Any, most: int) -> NonFinite:
    """Count the NaNs and infinities of a JSON value, and return the paths of the first ``most`` of them."""
    if _is_non_finite(value):
        return NonFinite(1, ((),))
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
    return NonFinite(count, tuple(places))


def nulled(value: Any) -> Any:
    """Return a JSON value with null in place of NaN and infinities; the same object if it contains only finite numbers."""
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
