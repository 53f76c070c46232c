"""Suggestions for a name that no function has."""

from collections.abc import Collection, Sequence

from specfn.calling.names.nearest import nearest
from specfn.function.function import Function
from specfn.function.function_names import operation_ids


def suggestions(key: str, functions: Sequence[Function], known: Collection[str]) -> Sequence[str]:
    """Return at most three names of functions that a key may refer to.

    Args:
        key: the key.
        functions: the functions.
        known: the keys that refer to exactly one function.
    """
    meant = [each.name for each in functions if key in operation_ids(each)]
    if meant:  # an operationId of several functions: list their names
        return meant[:3]
    at_path = _at_path(key, functions)
    if at_path:
        return at_path[:3]
    names = (name for each in functions for name in (each.name, *operation_ids(each)))
    return nearest(key, [name for name in names if name in known])


def _at_path(key: str, functions: Sequence[Function]) -> list[str]:
    """Return the functions of a ``METHOD /path`` with values for its placeholders, or with another method."""
    method, _, path = key.partition(" ")
    segments = path.rstrip("/").split("/")
    found = [each for each in functions if _fits(each.path.rstrip("/").split("/"), segments)]
    same = [each.name for each in found if each.method == method.lower()]
    return same or [each.name for each in found]


def _fits(template: Sequence[str], segments: Sequence[str]) -> bool:
    """Return whether a path has the static segments of a template."""
    return len(template) == len(segments) > 1 and all(
        "{" in expected or expected == found
        for expected, found in zip(template, segments, strict=True)
    )
