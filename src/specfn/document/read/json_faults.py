"""Error texts for invalid JSON: what was found, what was expected, what to do, and where."""

import json
import re
from typing import Final

from specfn._internal.json import JSONDecodeError

#: A merge conflict in the text.
_CONFLICT: Final = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)

#: A comma before the position; it is matched from right to left.
_TRAILING: Final = re.compile(r"\s*,")

#: Older versions of Python report the bracket after such a comma, newer ones the comma.
_TRAILING_COMMA: Final = "found a comma behind the last member; remove it"

#: A better text for each message of the standard library's parser.
_PROBLEMS: Final = (
    ("trailing comma", _TRAILING_COMMA),
    ("Extra data", "found more text behind the end; remove it"),
    ("control character", r"found a line break or tab within a text; write \n or \t"),
    ("escape", r"found a \ that means nothing in JSON; write \\"),
    ("Unterminated string", "the text ends too early; it is cut off, or a quote is missing"),
    ("property name", "expected a property name in double quotes"),
    ("':' delimiter", "expected ':'"),
    ("',' delimiter", "expected ',' or a closing bracket"),
)

#: By the text at the position: the token that was found, and the advice.
_FOUND: Final = (
    (r"/[/*]|#", "found a comment; JSON has none, remove it"),
    (r"'", "found a single quote; use double quotes"),
    (r"NaN|-?Infinity|undefined|None|True|False", "found a word that JSON does not have"),
    (r"[^\W\d]", "found a word without quotes; use double quotes"),
    (r'"', "found a text; is a comma missing?"),
)


def explained(error: JSONDecodeError) -> str:
    """Return the expected text, the found text, a correction, and the line and column from 1."""
    conflict = _CONFLICT.search(error.doc)
    if conflict:
        line = error.doc.count("\n", 0, conflict.start()) + 1
        return f"the text contains a merge conflict; resolve it (line {line}, column 1)"
    standard = _standard(error)
    comma = _TRAILING.match(standard.doc[: standard.pos][::-1])
    if comma and standard.doc[standard.pos : standard.pos + 1] in ("]", "}"):
        at = JSONDecodeError(_TRAILING_COMMA, standard.doc, standard.pos - comma.end())
        return f"{at.msg} (line {at.lineno}, column {at.colno})"
    return f"{_reason(standard)} (line {standard.lineno}, column {standard.colno})"


def _standard(error: JSONDecodeError) -> JSONDecodeError:
    """Return the standard library's error for the same text: its messages are the same in all versions.

    The standard library reads a few texts that are not JSON, such as ``NaN``; for those the error is returned.
    """
    try:
        json.loads(error.doc)
    except JSONDecodeError as standard:
        return standard
    except (ValueError, RecursionError):
        return error
    return error


def _reason(error: JSONDecodeError) -> str:
    rest = error.doc[error.pos : error.pos + 20].lstrip()
    if error.pos >= len(error.doc.rstrip()):
        return "the text ends too early; it is cut off, or a bracket or quote is missing"
    expected = next(
        (text for message, text in _PROBLEMS if message in error.msg), "expected a value"
    )
    found = next((told for pattern, told in _FOUND if re.match(pattern, rest)), "")
    return f"{expected}, {found}" if expected.startswith("expected") and found else expected
