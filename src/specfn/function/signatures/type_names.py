"""Names for the definitions of a text, and for the objects without a name that get a declaration."""

from collections.abc import Callable, Collection, Iterator, Sequence

from specfn.function.signatures.collect import Collection as Collected
from specfn.function.signatures.legal_names import Names, pascal_case
from specfn.function.signatures.type_nodes import Array, Member, Named, Node, Object, parts_of

#: A longer name of an object begins with the key that has it, not with the name of the object around it.
_LONG = 48


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
        self.names = Names(taken)
        for name in collected.definitions:
            own = pascal_case(name.name, "Output") if name.output else pascal_case(name.name)
            self.definitions[name] = self.names.new(own)
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
                near = self.objects[node] = self.names.new(near)
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
