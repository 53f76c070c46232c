"""Plain scalars of YAML to values: the core schema (YAML 1.2.2, section 10.3)."""

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

#: What a plain scalar that is not a string can begin with; nothing at all is a null.
SUSPECT: Final = frozenset(["", *"-+.0123456789~nNtTfF"])

#: Longer numbers are refused: Python itself refuses to read and write them from 4,300 digits on.
_MAX_DIGITS: Final = 1000

_READ: Final[dict[str, Callable[[str], Any]]] = {
    "decimal": int,
    "based": lambda text: int(text, 0),
    "real": float,
    "special": lambda text: float(text.replace(".", "")),
}


def value(text: str) -> Any:
    """The value of a plain scalar.

    Raises:
        ValueError: JSON cannot write it; the text says why and what to do.
    """
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"found a number of {len(text)} characters; quote it if it is a text")
    number = _READ[str(match.lastgroup)](text)
    if number.__class__ is float and not math.isfinite(number):
        raise ValueError(f"{text} is not a number that JSON can write; quote it if it is a text")
    return number
