"""What a regular expression is made of: a tree of frozen nodes, whoever reads or runs it."""

from typing import NamedTuple, TypeAlias

from specfn.validation.patterns.character_classes import Chars


class Seq(NamedTuple):
    """One after the other."""

    items: tuple["Node", ...]


class Alt(NamedTuple):
    """One of several."""

    options: tuple["Node", ...]


class Repeat(NamedTuple):
    """So many times; ``most`` is ``None`` without end."""

    node: "Node"
    least: int
    most: int | None


class Group(NamedTuple):
    """What a backreference may name, by number."""

    node: "Node"
    number: int


class Back(NamedTuple):
    """The text of a group again."""

    number: int


class Look(NamedTuple):
    """A look ahead or behind."""

    node: "Node"
    ahead: bool
    negated: bool


class At(NamedTuple):
    """A place: ``start``, ``end``, ``boundary`` of a word or ``inside`` none."""

    place: str


Node: TypeAlias = Chars | Seq | Alt | Repeat | Group | Back | Look | At


class Regex(NamedTuple):
    """A regular expression that was read.

    Attributes:
        node: what it matches.
        ignore_case: whether letter case does not count.
    """

    node: Node
    ignore_case: bool
