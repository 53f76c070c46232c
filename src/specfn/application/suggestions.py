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
    names = (name for each in functions for name in (each.name, *operation_ids(each)))
    return nearest(key, [name for name in names if name in known])
