"""Resolution of plain YAML scalars by the core schema (YAML 1.2.2, section 10.3)."""

import math
import re
from collections.abc import Callable
from typing import Any, Final

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_NUMBER: Final = re.compile(
    r"(?P<decimal>[-+]?[0-9]+)"
    r"|(?P<based>0o[0-7]+|0x[0-9a-fA-F]+)"
    r"|(?P<real>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)

#: The first characters of plain scalars that are not strings; an empty scalar is null.
SUSPECT: Final = frozenset(["", *"-+.0123456789~nNtTfF"])

#: Longer numbers are refused: Python refuses to read and write numbers of 4,300 digits or more.
_MAX_DIGITS: Final = 1000

_READ: Final[dict[str, Callable[[str], Any]]] = {
    "decimal": int,
    "based": lambda text: int(text, 0),
    "real": float,
    "special": lambda text: float(text.replace(".", "")),
}


def value(text: str) -> Any:
    """Return the value of a plain scalar.

    Raises:
        ValueError: JSON cannot express the value; the text contains the reason and the advice.
    """
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"found a number of {len(text)} characters; quote it if it is a string")
    number = _READ[str(match.lastgroup)](text)
    if number.__class__ is float and not math.isfinite(number):
        raise ValueError(f"{text} is not a JSON number; quote it if it is a string")
    return number
