"""Sets of characters in patterns: ranges of code points, Unicode properties, and their opposite."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
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


def is_word(char: str) -> bool:
    r"""Whether a character is one of a word, as ``\b`` sees it."""
    return char.isascii() and (char.isalnum() or char == "_")


def holds(chars: Chars, char: str, *, ignore_case: bool = False) -> bool:
    """Whether a set holds a character."""
    found = _holds(chars, char) or (
        ignore_case and any(_holds(chars, other) for other in _cases(char))
    )
    return found is not chars.negated


def _holds(chars: Chars, char: str) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in chars.ranges) or any(
        has(char, one.name) is not one.negated for one in chars.properties
    )


@lru_cache(maxsize=1024)
def _cases(char: str) -> tuple[str, ...]:
    """The other cases of a character that are one character, too."""
    others = {char.lower(), char.upper(), char.casefold(), char.upper().lower()}
    return tuple(other for other in others if len(other) == 1 and other != char)


# -- Unicode properties ---------------------------------------------------------------------------

#: General categories by their long names (UAX 44, section 5.7.1), and the groups of them.
_LONG: Final[Mapping[str, str]] = dict(
    pair.split("=")
    for pair in (
        "Letter=L Cased_Letter=LC Mark=M Number=N Punctuation=P Symbol=S Separator=Z Other=C "
        "punct=P Combining_Mark=M Uppercase_Letter=Lu Lowercase_Letter=Ll Titlecase_Letter=Lt "
        "Modifier_Letter=Lm Other_Letter=Lo Nonspacing_Mark=Mn Spacing_Mark=Mc Enclosing_Mark=Me "
        "Decimal_Number=Nd digit=Nd Letter_Number=Nl Other_Number=No Connector_Punctuation=Pc "
        "Dash_Punctuation=Pd Open_Punctuation=Ps Close_Punctuation=Pe Initial_Punctuation=Pi "
        "Final_Punctuation=Pf Other_Punctuation=Po Math_Symbol=Sm Currency_Symbol=Sc "
        "Modifier_Symbol=Sk Other_Symbol=So Space_Separator=Zs Line_Separator=Zl "
        "Paragraph_Separator=Zp Control=Cc cntrl=Cc Format=Cf Surrogate=Cs Private_Use=Co "
        "Unassigned=Cn "
    ).split()
)
_SHORT: Final = frozenset((*_LONG.values(), "LC"))

_CASED: Final = frozenset(("Lu", "Ll", "Lt"))

#: Properties that are no categories, as far as Python knows them.
_OTHERS: Final[Mapping[str, Callable[[str], bool]]] = {
    "Any": lambda _: True,
    "ASCII": str.isascii,
    "Assigned": lambda char: unicodedata.category(char) != "Cn",
    "Lowercase": str.islower,
    "Lower": str.islower,
    "Uppercase": str.isupper,
    "Upper": str.isupper,
    "White_Space": lambda char: char.isspace() and not "\x1c" <= char <= "\x1f",
}


def is_known(name: str) -> bool:
    """Whether Python knows a property; it knows no scripts."""
    return name in _OTHERS or _category(name) is not None


def has(char: str, name: str) -> bool:
    """Whether a character has a property that is known."""
    other = _OTHERS.get(name)
    if other is not None:
        return other(char)
    category = _category(name)
    said = unicodedata.category(char)
    return said in _CASED if category == "LC" else said.startswith(category or "?")


def _category(name: str) -> str | None:
    """The short name of a general category."""
    for prefix in ("General_Category=", "gc="):
        name = name.removeprefix(prefix)
    short = _LONG.get(name, name)
    return short if short in _SHORT else None
