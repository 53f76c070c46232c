"""Namespaces of bound functions by accessor, as in code: ``api.pets.getByPetId(petId=1)``."""

from collections.abc import Callable, Iterator, Mapping
from keyword import iskeyword
from typing import Any, Final, TypeAlias

from specfn.function.signatures.signature_names import python_names

#: The names of functions by the elements of their accessors.
_Tree: TypeAlias = Mapping[str, Any]


class Namespace:
    """Functions and further namespaces as attributes.

    An attribute has the name of an element of accessors. If the name is a keyword of Python or an attribute of every
    object, it has a trailing ``_`` (``api.global_``). ``getattr`` also finds the element itself.
    """

    __slots__ = ("_Namespace__find", "_Namespace__names", "_Namespace__tree")

    def __init__(self, tree: _Tree, find: Callable[[str], Any]) -> None:
        """Create the namespace of a place in the accessors.

        Args:
            tree: the name of a function, or a further tree, by element.
            find: returns the function of a name.
        """
        names = python_names(tree, _is_taken)
        object.__setattr__(self, "_Namespace__tree", tree)
        object.__setattr__(self, "_Namespace__find", find)
        object.__setattr__(
            self, "_Namespace__names", {name: element for element, name in names.items()}
        )

    def __getattr__(self, name: str) -> Any:
        if name in _OWN:
            raise AttributeError(name)
        element = name if name in self.__tree else self.__names.get(name)
        if element is None:
            shown = ", ".join([*self.__names][:10])
            raise AttributeError(f"there is no {name!r} here; there are {shown}", name=name)
        node = self.__tree[element]
        return self.__find(node) if isinstance(node, str) else Namespace(node, self.__find)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name!r} cannot be set: a namespace is read-only", name=name)

    def __dir__(self) -> list[str]:
        return sorted(self.__names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__names)

    def __repr__(self) -> str:
        return f"<Namespace {', '.join([*self.__names][:10])}>"


_OWN: Final = frozenset(dir(Namespace))


def _is_taken(name: str) -> bool:
    return iskeyword(name) or name in _OWN


def namespace(accessors: Mapping[str, tuple[str, ...]], find: Callable[[str], Any]) -> Namespace:
    """Return the namespace of functions; no accessor is the beginning of another (rule R12).

    Args:
        accessors: the accessors by the names of the functions.
        find: returns the function of a name.
    """
    tree: dict[str, Any] = {}
    for name, accessor in accessors.items():
        node = tree
        for element in accessor[:-1]:
            node = node.setdefault(element, {})
        node[accessor[-1]] = name
    return Namespace(tree, find)
