"""JSON text for a terminal: with line breaks and colors."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from specfn.cli.terminal.colors import coded

#: The tokens of JSON text: strings, brackets, commas and colons, numbers and literals.
_MARK: Final = r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+'

#: A string with the colon of a key, or a literal, or a number.
_PIECE: Final = (
    r'(?P<string>"(?:[^"\\]|\\.)*")(?P<colon>\s*:)?'
    r"|(?P<literal>\b(?:true|false|null)\b)"
    r"|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"
)

_CODES: Final[Mapping[str, str]] = {"key": "36", "string": "32", "literal": "35", "number": "33"}

_CLOSING: Final = frozenset("]}")


def indented(text: str) -> str:
    """Return JSON text with a member per line. Every token stays as it is."""
    return "".join(_spaced(re.findall(_MARK, text)))


def _spaced(marks: list[str]) -> Iterator[str]:
    """Yield the tokens with the white space between them."""
    depth = 0
    for place, mark in enumerate(marks):
        if mark in _CLOSING:
            depth -= 1
            if marks[place - 1] not in ("[", "{"):
                yield f"\n{'  ' * depth}"
        yield mark
        if mark in ("[", "{"):
            depth += 1
            if marks[place + 1 : place + 2] and marks[place + 1] not in _CLOSING:
                yield f"\n{'  ' * depth}"
        elif mark == ",":
            yield f"\n{'  ' * depth}"
        elif mark == ":":
            yield " "


def paint_json(text: str) -> str:
    """Return JSON text with colors. Without the colors, it is the same text."""
    return re.sub(_PIECE, _painted, text)


def _painted(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "colon":
        return coded(match["string"], _CODES["key"]) + match["colon"]
    return coded(match[0], _CODES[kind])
