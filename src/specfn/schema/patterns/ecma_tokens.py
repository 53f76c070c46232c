"""Tokens of ECMA-262 regular expressions, as tables for the parser."""

import re
from collections.abc import Mapping
from typing import Final

from specfn.schema.patterns.character_classes import DIGITS, SPACES, WORDS, Ranges, opposite

#: Literal characters that no quantifier follows.
RUN: Final = re.compile(r"[^\\^$.|?*+()\[\]{}]+(?![*+?{])")

FLAGS: Final = re.compile(r"\(\?([isu]+)\)")
COUNT: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
PARTS: Final = re.compile(
    r"\\.|\[(?:[^\]\\]|\\.)*+(?:\]|\Z)|(?P<group>\((?:(?!\?)|\?P?<(?![=!])))", re.DOTALL
)
NUMBER: Final = re.compile(r"\d+", re.ASCII)
NAME: Final = re.compile(r"((?:[^\W\d]|\$)[\w$]*)>")
OPEN: Final = re.compile(r"\((?:\?(?:(:)|(<?[=!])|P?<((?:[^\W\d]|\$)[\w$]*)>))?")
HEX: Final = re.compile(
    r"u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})"
    r"|u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})"
)
PROPERTY: Final = re.compile(r"[pP]\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}|[pP]([A-Z])")

SETS: Final[Mapping[str, Ranges]] = {
    "d": DIGITS,
    "D": opposite(DIGITS),
    "w": WORDS,
    "W": opposite(WORDS),
    "s": SPACES,
    "S": opposite(SPACES),
}
CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
PLACES: Final = {"b": "boundary", "B": "inside"}
ANCHORS: Final = {"A": "start", "z": "end", "Z": "end"}

#: Characters that may follow a backslash as themselves, with the flag ``u``.
SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")

HIGH: Final = ((0xD800, 0xDBFF),)
LOW: Final = ((0xDC00, 0xDFFF),)
