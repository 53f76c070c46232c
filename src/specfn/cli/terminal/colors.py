"""Colors of a terminal by meaning, and of JSON."""

import os
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

#: The meaning of a text. ``bad`` is also the color of what destroys data.
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


def is_colored(stream: Any) -> bool:
    """Return true for a terminal, unless ``NO_COLOR`` is set (https://no-color.org) or ``TERM`` is ``dumb``."""
    is_terminal = bool(getattr(stream, "isatty", bool)())
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, meaning: Meaning) -> str:
    """Return a text with the color of a meaning; line by line, so that no color crosses a line end."""
    code = _CODES.get(meaning)
    return text if code is None else "\n".join(_line(each, code) for each in text.split("\n"))


def _line(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else text


def paint_json(text: str) -> str:
    """Return a JSON text with colors. Without the colors, it is the same text."""
    return re.sub(_PIECE, _painted, text)


def _painted(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "colon":
        return _line(match["string"], _JSON_CODES["key"]) + match["colon"]
    return _line(match[0], _JSON_CODES[kind])
