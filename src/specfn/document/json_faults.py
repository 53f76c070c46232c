"""What a JSON text has in place of what was expected, and what to do, in one line with the place."""

import re
from typing import Final

from specfn._json import JSONDecodeError

#: A merge conflict that was left in the text.
_CONFLICT: Final = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)

#: By the parser's words: what to say instead.
_PROBLEMS: Final = (
    ("trailing comma", "found a comma behind the last member; remove it"),
    ("end of data", "the text ends too early; it is cut off, or a bracket or quote is missing"),
    ("content after document|Extra data", "found more text behind the end; remove it"),
    ("control character", r"found a line break or tab within a text; write \n or \t"),
    ("escape", r"found a \ that means nothing in JSON; write \\"),
)

#: By what stands at the place: what to say besides what was expected.
_FOUND: Final = (
    (r"/[/*]|#", "found a comment; JSON has none, remove it"),
    (r"'", "found a single quote; use double quotes"),
    (r"NaN|-?Infinity|undefined|None|True|False", "found a word that JSON does not have"),
    (r"[^\W\d]", "found a word without quotes; use double quotes"),
    (r'"', "found a text; is a comma missing?"),
)


def explained(error: JSONDecodeError) -> str:
    """What was expected, what was found, what to do, and the line and column from 1."""
    conflict = _CONFLICT.search(error.doc)
    if conflict:
        line = error.doc.count("\n", 0, conflict.start()) + 1
        return f"a merge conflict stands in the text; resolve it (line {line}, column 1)"
    return f"{_reason(error)} (line {error.lineno}, column {error.colno})"


def _reason(error: JSONDecodeError) -> str:
    for pattern, told in _PROBLEMS:
        if re.search(pattern, error.msg):
            return told
    expected = error.msg.removeprefix("unexpected character, ")
    found = error.doc[error.pos : error.pos + 20]
    told = next((told for pattern, told in _FOUND if re.match(pattern, found)), "")
    return ", ".join(filter(None, (expected, told)))
