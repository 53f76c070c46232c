"""Syntax tree of a regular expression."""

from typing import NamedTuple, TypeAlias

from specfn.schema.patterns.character_classes import Chars


class Seq(NamedTuple):
    """A sequence."""

    items: tuple["Node", ...]


class Alt(NamedTuple):
    """Alternatives."""

    options: tuple["Node", ...]


class Repeat(NamedTuple):
    """A repetition; ``most`` is ``None`` if it is unbounded."""

    node: "Node"
    least: int
    most: int | None


class Group(NamedTuple):
    """A capturing group with its number."""

    node: "Node"
    number: int


class Back(NamedTuple):
    """A backreference to a group."""

    number: int


class Look(NamedTuple):
    """A lookahead or lookbehind."""

    node: "Node"
    ahead: bool
    negated: bool


class At(NamedTuple):
    """An anchor: ``start``, ``end``, a word ``boundary``, or ``inside`` for the opposite of a boundary."""

    place: str


Node: TypeAlias = Chars | Seq | Alt | Repeat | Group | Back | Look | At


class Regex(NamedTuple):
    """A parsed regular expression.

    Attributes:
        node: its syntax tree.
        ignore_case: whether it ignores the case of letters.
    """

    node: Node
    ignore_case: bool
