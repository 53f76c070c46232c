"""The namespaces of functions as a tree."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from specfn.function.signatures.collect import Signature

#: A function, or a further tree, by element of the accessors.
Tree: TypeAlias = "dict[str, Tree | Signature]"


#: The maximum number of namespaces around a function. Each is a level of indentation.
MAX_LEVELS: Final = 100


def _elements(function: Signature) -> tuple[str, ...]:
    """Return the accessor of a function. Beyond the limit, the last element joins the rest: accessors are unique when joined."""
    accessor = function.accessor
    if len(accessor) <= MAX_LEVELS + 1:
        return accessor
    return (*accessor[:MAX_LEVELS], "_".join(accessor[MAX_LEVELS:]))


def tree_of(functions: Iterable[Signature]) -> Tree:
    """Return the tree of accessors; no accessor is the beginning of another (rule R12)."""
    root: Tree = {}
    for function in functions:
        node = root
        *namespaces, last = _elements(function)
        for element in namespaces:
            below = node.setdefault(element, {})
            assert isinstance(below, dict)
            node = below
        node[last] = function
    return root


def elements_of(functions: Iterable[Signature]) -> set[str]:
    """Return every element of the accessors."""
    return {element for function in functions for element in _elements(function)}
