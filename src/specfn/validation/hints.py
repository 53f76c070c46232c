"""What helps to correct a wrong place beyond its type text: how formats are written, and what a string should have been."""

import re
from collections.abc import Mapping
from typing import Final

from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.formats import has_format
from specfn.validation.prose import inner
from specfn.validation.unreadable import UnreadableError

_FORMAT: Final = re.compile(r'Format<"([a-z0-9-]+)">')
_WHOLE: Final = re.compile(r'\binteger\b|Type<"u?int\d+">')
_ONLY_TEXT: Final = re.compile(r"\bstring\b|\bany\b")

#: How a format is written, where its name does not say it. No examples of what identifies something: a model that
#: reads an address or an identifier may send it.
_FORMS: Final[Mapping[str, str]] = {
    "date": "It is written as in 2024-01-31.",
    "date-time": "It is written as in 2024-01-31T09:30:00Z, with the time zone.",
    "time": "It is written as in 09:30:00, or 09:30:00Z with the time zone.",
    "duration": "It is written as in P1DT2H, for a day and two hours.",
    "uuid": "It has 32 hexadecimal digits and 4 dashes.",
    "uri": "It is absolute, with a scheme such as https.",
    "byte": "It is base64.",
    "json-pointer": "It is written as in /a/b.",
}

#: The longest string that is looked into.
_LONGEST: Final = 100_000


#: What ends the description of a property that stands beside the object which declares it.
MOVE: Final = "Put it where it belongs."


def hint(problem: ArgumentProblem) -> str | None:
    """A sentence or two on how to correct a place; ``None`` where its type text says it all."""
    if problem.expected == "undefined":
        is_elsewhere = (problem.description or "").endswith(MOVE)
        return None if is_elsewhere else "Leave it out."
    if problem.value is ABSENT:
        return None
    if type(problem.value) is str and problem.value.lstrip()[:1] in ("{", "["):
        return _of_container(problem.value, problem.expected)
    if type(problem.value) is str:
        return _of_format(problem.expected, problem.value)
    if type(problem.value) is float and _WHOLE.search(problem.expected):
        return "It must be a whole number."
    return None


def _of_format(expected: str, text: str) -> str | None:
    """Return how the one format is written that a text should have and has not; a pattern decides instead of it."""
    found = _FORMAT.findall(expected)
    if len(found) != 1 or found[0] not in _FORMS or "Pattern<" in expected:
        return None
    return None if has_format(found[0], text) else _FORMS[found[0]]


def _of_container(text: str, expected: str) -> str | None:
    """What to do about an object or array that was written into a string."""
    if _ONLY_TEXT.match(expected) or len(text) > _LONGEST:
        return None
    kind = "an object" if text.lstrip().startswith("{") else "an array"
    try:
        inner(text, [])
    except UnreadableError as error:
        return f"This is a string, and no JSON either: {_lower(error.reason)} Send {kind} itself."
    return f"This is a string. Send {kind} itself, without quotation marks around it."


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"
