"""The namespaces of functions as a tree."""

from collections.abc import Iterable
from typing import TypeAlias

from specfn.function.signatures.collect import Signature

#: A function, or a further tree, by element of the accessors.
Tree: TypeAlias = "dict[str, Tree | Signature]"


def tree_of(functions: Iterable[Signature]) -> Tree:
    """Return the tree of accessors; no accessor is the beginning of another (rule R12)."""
    root: Tree = {}
    for function in functions:
        node = root
        for element in function.accessor[:-1]:
            below = node.setdefault(element, {})
            assert isinstance(below, dict)
            node = below
        node[function.accessor[-1]] = function
    return root


def elements_of(functions: Iterable[Signature]) -> set[str]:
    """Return every element of the accessors."""
    return {element for function in functions for element in function.accessor}
