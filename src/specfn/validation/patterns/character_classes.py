"""Sets of characters in patterns: ranges of code points, Unicode properties, and their opposite."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]

#: The last code point.
LAST: Final = 0x10FFFF

#: Code points that no text of JSON holds by themselves.
SURROGATES: Final = (0xD800, 0xDFFF)


class Property(NamedTuple):
    r"""A Unicode property, as ``\p{...}`` names it; or its opposite, ``\P{...}``."""

    name: str
    negated: bool = False


class Chars(NamedTuple):
    """A set of characters.

    Attributes:
        ranges: first and last code points.
        properties: what the set holds beside them.
        negated: whether it is everything else.
    """

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


#: ``\d``, ``\w`` and ``\s`` (ECMA-262, section 22.2.2.9): ASCII but for white space.
DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORDS: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACES: Final[Ranges] = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)

#: What ``.`` does not match.
LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


def opposite(ranges: Ranges) -> Ranges:
    """All other code points."""
    found = []
    following = 0
    for first, last in merged(ranges):
        if first > following:
            found.append((following, first - 1))
        following = last + 1
    if following <= LAST:
        found.append((following, LAST))
    return tuple(found)


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same code points in ascending order, each once."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)
