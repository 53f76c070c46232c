"""Syntax tree of a regular expression, with its character classes as ranges of code points."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]

#: The last code point.
LAST: Final = 0x10FFFF

#: Surrogate code points, which do not occur alone in JSON text.
SURROGATES: Final = (0xD800, 0xDFFF)


class Property(NamedTuple):
    r"""A Unicode property, ``\p{...}``, or its complement, ``\P{...}``."""

    name: str
    negated: bool = False


class Chars(NamedTuple):
    """A set of characters.

    Attributes:
        ranges: pairs of first and last code points.
        properties: Unicode properties whose characters also belong to the set.
        negated: whether the set is the complement.
    """

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


#: ``\d``, ``\w`` and ``\s`` (ECMA-262, section 22.2.2.9). Only white space has characters beyond ASCII.
DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORDS: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACES: Final[Ranges] = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)

#: The characters that ``.`` does not match.
LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


def opposite(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    gaps = []
    following = 0
    for first, last in merge_ranges(ranges):
        if first > following:
            gaps.append((following, first - 1))
        following = last + 1
    if following <= LAST:
        gaps.append((following, LAST))
    return tuple(gaps)


def merge_ranges(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the same code points as sorted ranges without overlaps."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def without_surrogates(ranges: Ranges) -> Ranges:
    """Return merged ranges without surrogates, which are not characters of the engine."""
    first, last = SURROGATES
    if not any(low <= last and high >= first for low, high in ranges):
        return merge_ranges(ranges)
    return opposite((*opposite(ranges), SURROGATES))


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
