"""Texts on a terminal: line breaks between words, colors by meaning, and JSON with both."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

#: The meaning of a text. ``bad`` is also the color of calls that destroy data.
Meaning: TypeAlias = Literal["plain", "bad", "good", "warning", "heading", "name", "faint"]

#: The codes of Select Graphic Rendition (ECMA-48, section 8.3.117).
_CODES: Final[Mapping[Meaning, str]] = {
    "bad": "31",
    "good": "32",
    "warning": "33",
    "heading": "1",
    "name": "36",
    "faint": "2",
}

#: The meaning of each ``Function.safety``.
SAFETY: Final[Mapping[str, Meaning]] = {
    "read": "good",
    "write": "warning",
    "destructive": "bad",
}


def is_terminal(stream: Any) -> bool:
    """Return whether a stream is open and a terminal."""
    return bool(getattr(stream, "isatty", bool)())


def is_colored(stream: Any) -> bool:
    """Return true for a terminal, unless ``NO_COLOR`` is set (https://no-color.org) or ``TERM`` is ``dumb``."""
    return (
        is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, meaning: Meaning) -> str:
    """Return a text with the color of a meaning; line by line, so that no color crosses a line end."""
    code = _CODES.get(meaning)
    return text if code is None else "\n".join(_color(line, code) for line in text.split("\n"))


def _color(text: str, code: str) -> str:
    """Return a text with a code before it and a reset after it."""
    return f"\x1b[{code}m{text}\x1b[0m" if text else text


#: The places between the parts of a name, after separators; and between the words of a part, before capitals.
_PARTS: Final = r"(?<=[/_.,:;|~#=-])(?![/_.,:;|~#=-])"
_WORDS: Final = r"(?<=[a-z0-9])(?=[A-Z])"

#: The indent of a continued line, beyond that of the line.
_INDENT: Final = 2


def terminal_width() -> int:
    """Return the columns of the terminal, or of ``COLUMNS``."""
    import shutil  # noqa: PLC0415  # 3 ms, for terminals only

    return shutil.get_terminal_size().columns


def cells(text: str) -> int:
    """Return the number of columns that a text needs."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  # most texts are ASCII; 35 ms

    return cell_len(text)


def wrap(text: str, width: int, *, hanging: int = _INDENT) -> list[str]:
    """Return a line of text as lines of a width.

    A line ends at a space if possible. A longer name is broken after separators such as ``/`` and ``_``, and a longer
    part of a name before capitals. A word that is longer than the width is not broken.

    Args:
        text: the text, without line ends.
        width: the maximum number of columns of a line.
        hanging: the indent of continued lines, beyond that of the text.
    """
    if cells(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    following = indent + " " * hanging
    lines, line, has_word = [], indent, False
    for word in text.split():
        if has_word and cells(f"{line} {word}") <= width:
            line = f"{line} {word}"
            continue
        if has_word:
            lines.append(line)
            line = following
        for piece in _pieces(word, width - len(following)):
            if line.strip() and cells(line + piece) > width:
                lines.append(line)
                line = following
            line += piece
        has_word = True
    return [*lines, line]


def _pieces(word: str, width: int) -> Iterator[str]:
    """Yield a word that fits into a line; of a longer name, its parts or their words."""
    for part in [word] if cells(word) <= width else re.split(_PARTS, word):
        yield from [part] if cells(part) <= width else re.split(_WORDS, part)


#: The tokens of JSON text: strings, brackets, commas and colons, numbers and literals.
_MARK: Final = r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+'

#: A string with the colon of a key, or a literal, or a number.
_PIECE: Final = (
    r'(?P<string>"(?:[^"\\]|\\.)*")(?P<colon>\s*:)?'
    r"|(?P<literal>\b(?:true|false|null)\b)"
    r"|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"
)

_JSON_CODES: Final[Mapping[str, str]] = {
    "key": "36",
    "string": "32",
    "literal": "35",
    "number": "33",
}

_CLOSING: Final = frozenset("]}")


def indent_json(text: str) -> str:
    """Return JSON text with a member per line. Every token stays as it is."""
    return "".join(_add_spaces(re.findall(_MARK, text)))


def _add_spaces(marks: list[str]) -> Iterator[str]:
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
    return re.sub(_PIECE, _paint_token, text)


def _paint_token(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "colon":
        return _color(match["string"], _JSON_CODES["key"]) + match["colon"]
    return _color(match[0], _JSON_CODES[kind])
