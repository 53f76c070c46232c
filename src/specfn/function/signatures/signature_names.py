"""Names in signatures: identifiers that a language accepts, and names of declared types, also of objects without one."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from keyword import iskeyword
from typing import Final

from specfn.function.signatures.collect import Collection as Collected
from specfn.function.signatures.type_nodes import Array, Member, Named, Node, Object, parts_of

#: A longer name of an object begins with the key that has it, not with the name of the object around it.
_LONG = 48

_WORD: Final = re.compile(r"[A-Za-z0-9]+")


def pascal_case(*texts: str) -> str:
    """Return texts as one identifier with capital initials; ``Type`` if they contain no letter or digit."""
    words = [word for text in texts for word in _WORD.findall(text)]
    name = "".join(word[0].upper() + word[1:] for word in words) or "Type"
    return f"T{name}" if name[0].isdigit() else name


def is_identifier(name: str) -> bool:
    """Return whether a name is an ASCII identifier in Python and TypeScript. Both may reserve it as a keyword."""
    return name.isascii() and name.isidentifier()


def python_names(
    names: Iterable[str], is_taken: Callable[[str], bool] = iskeyword
) -> dict[str, str]:
    """Return a unique name in Python for each identifier: the identifier itself, or with a trailing ``_`` if it is taken."""
    known = [*dict.fromkeys(names)]
    used = set(known)
    unique: dict[str, str] = {}
    for name in known:
        free = name
        while is_taken(free) or (free != name and free in used):
            free += "_"
        used.add(free)
        unique[name] = free
    return unique


class UniqueNames:
    """The names used in one text; each is unique."""

    def __init__(self, taken: Collection[str]) -> None:
        self._used = set(taken)
        self._last: dict[str, int] = {}

    def add(self, name: str) -> str:
        """Add the name, with a number if it is used, and return it."""
        free, count = name, self._last.get(name, 1)
        while free in self._used:
            count += 1
            free = f"{name}{count}"
        self._last[name] = count
        self._used.add(free)
        return free


class TypeNames:
    """The names of the declarations of one text.

    Attributes:
        definitions: the names of definitions.
        objects: the names of further objects, in the order of their declarations.
    """

    def __init__(
        self, collected: Collected, taken: Collection[str], is_declared: Callable[[Object], bool]
    ) -> None:
        self.definitions: dict[Named, str] = {}
        self.objects: dict[Object, str] = {}
        self.names = UniqueNames(taken)
        for name in collected.definitions:
            own = pascal_case(name.name, "Output") if name.output else pascal_case(name.name)
            self.definitions[name] = self.names.add(own)
        for path, parts in _roots(collected, self.definitions):
            self._name_objects(path, parts, is_declared)

    def _name_objects(
        self, path: str, parts: Sequence[Node], is_declared: Callable[[Object], bool]
    ) -> None:
        """Name the objects in some types, whose names begin with a path."""
        waiting = [(path, part) for part in reversed(parts)]
        seen: set[Node] = set()
        while waiting:
            near, node = waiting.pop()
            if node in self.objects or node in seen:
                continue
            seen.add(node)
            near = _nearer(near, node)
            if isinstance(node, Object) and node.members and is_declared(node):
                near = self.objects[node] = self.names.add(near)
            waiting += [(near, part) for part in reversed(parts_of(node))]


def _roots(
    collected: Collected, definitions: dict[Named, str]
) -> Iterator[tuple[str, Sequence[Node]]]:
    """Yield the parts of definitions and functions, with the beginning of the names of their objects."""
    for name, declared in collected.definitions.items():
        yield definitions[name], parts_of(declared.type)
    for function in collected.functions:
        path = pascal_case(*function.accessor[-2:])
        yield path, function.arguments
        yield f"{path}Result", [function.result]


def _nearer(path: str, node: Node) -> str:
    """Return the path of a part; that of an item of an array ends with ``Item``."""
    if isinstance(node, Member):
        longer = path + pascal_case(node.key)
        return longer if len(longer) <= _LONG else pascal_case(node.key)[:_LONG]
    return path if not isinstance(node, Array) or path.endswith("Item") else f"{path}Item"
