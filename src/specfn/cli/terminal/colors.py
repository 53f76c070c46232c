"""Colors of a terminal by meaning."""

import os
from collections.abc import Mapping
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


def is_colored(stream: Any) -> bool:
    """Return true for a terminal, unless ``NO_COLOR`` is set (https://no-color.org) or ``TERM`` is ``dumb``."""
    is_terminal = bool(getattr(stream, "isatty", bool)())
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, meaning: Meaning) -> str:
    """Return a text with the color of a meaning; line by line, so that no color crosses a line end."""
    code = _CODES.get(meaning)
    return text if code is None else "\n".join(coded(each, code) for each in text.split("\n"))


def coded(text: str, code: str) -> str:
    """Return a text with a code before it and a reset after it."""
    return f"\x1b[{code}m{text}\x1b[0m" if text else text
