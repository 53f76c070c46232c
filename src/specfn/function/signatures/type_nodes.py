"""Types of values, independent of a language. Equal types are one object."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A type without parts: a scalar type of JSON Schema, ``bytes``, ``any`` or ``never``."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Literals:
    """Constants. Each is its type and its value: ``True`` and ``1`` are equal in Python."""

    values: tuple[tuple[type, Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array: a type for each of the first items, and one for all others.

    Attributes:
        first: the types of the first items.
        needed: how many of the first items every value has.
        rest: the type of all other items; ``never`` if no other items are allowed.
    """

    first: tuple["Type", ...]
    needed: int
    rest: "Type"


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A property of an object."""

    key: str
    type: "Type"
    required: bool
    comment: str


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object: properties, and a type for the values of all other properties.

    ``rest`` is ``None`` if the schema does not describe the other properties.
    """

    members: tuple[Member, ...]
    rest: "Type | None"


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """One of several types."""

    parts: tuple["Type", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A reference to a definition.

    Attributes:
        name: the name of the definition.
        output: true for the definition of responses, if it differs from that of requests.
    """

    name: str
    output: bool


Type: TypeAlias = Scalar | Literals | Array | Object | Union | Named
Node: TypeAlias = Type | Member
_Node = TypeVar("_Node", bound=Node)

#: The classes of types and their parts.
NODES: Final = (Scalar, Literals, Array, Object, Union, Named, Member)


class Types:
    """A factory of types that returns the same object for equal types."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def of(self, kind: type[_Node], *fields: Any) -> _Node:
        """Return a type of a class with the fields, which are types of this factory or plain values."""
        key = (kind, *map(_identity, fields))
        if key not in self._known:
            self._known[key] = kind(*fields)
        node: _Node = self._known[key]
        return node

    def scalar(self, kind: str) -> Scalar:
        """Return a type without parts."""
        return self.of(Scalar, kind)

    def union(self, parts: list[Type]) -> Type:
        """Return one of several types: ``any`` if one is ``any``, without repeated types."""
        flat: dict[int, Type] = {}
        for part in parts:
            for alternative in part.parts if isinstance(part, Union) else (part,):
                flat[id(alternative)] = alternative
        alternatives = [node for node in flat.values() if not is_kind(node, "never")]
        if any(is_kind(node, "any") for node in alternatives):
            return self.scalar("any")
        alternatives = self._merge_literals(alternatives)
        if len(alternatives) == 1:
            return alternatives[0]
        return self.of(Union, tuple(alternatives)) if alternatives else self.scalar("never")

    def _merge_literals(self, parts: list[Type]) -> list[Type]:
        """Return the parts with all constants in one."""
        constants = [part for part in parts if isinstance(part, Literals)]
        if len(constants) < 2:
            return parts
        values = dict.fromkeys(value for part in constants for value in part.values)
        one = self.of(Literals, tuple(values))
        place = parts.index(constants[0])
        rest = [part for part in parts if not isinstance(part, Literals)]
        return [*rest[:place], one, *rest[place:]]


def is_kind(node: Type, kind: str) -> bool:
    """Return whether a type is this type without parts."""
    return isinstance(node, Scalar) and node.kind == kind


def is_bare(node: Type) -> bool:
    """Return whether a type is ``any`` or ``never``."""
    return is_kind(node, "any") or is_kind(node, "never")


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a type."""
    if isinstance(node, Array):
        return (*node.first, node.rest)
    if isinstance(node, Object):
        return node.members if node.rest is None else (*node.members, node.rest)
    if isinstance(node, Union):
        return node.parts
    return (node.type,) if isinstance(node, Member) else ()


def _identity(field: Any) -> Any:
    """Return a key of a field that is equal for the same types and plain values only."""
    if isinstance(field, tuple):
        return tuple(map(_identity, field))
    return id(field) if isinstance(field, NODES) else field
