"""Numbers of JSON text as Python numbers (RFC 8259, section 6; rule V6)."""

import re
from decimal import Decimal
from math import isinf
from typing import Final

#: Below this, a float holds every integer exactly (IEEE 754, binary64).
EXACT: Final = 2**53

_NONZERO: Final = re.compile(r"[^eE]*[1-9]")


def decimal(text: str) -> int | float:
    """Return the value of a number with a fraction or an exponent.

    An integer that no float represents stays an integer: ``9007199254740993.0`` and ``1e23``. Any other number becomes
    the nearest float; ``inf`` beyond all floats.
    """
    value = float(text)
    if abs(value) < EXACT or isinf(value):
        return value
    exact = Decimal(text)
    whole = int(exact)
    return whole if whole == exact and whole != value else value


def is_rounded(value: float, text: str) -> bool:
    """Return whether a number with a fraction became a whole float, because it has too many digits.

    Such a float would satisfy ``type: integer``, but the number does not. Beyond 2^53, each float is whole.
    """
    return abs(value) < EXACT and value.is_integer() and Decimal(text) != value


def is_nonzero(text: str) -> bool:
    """Return whether a number is not zero, even if its float is."""
    return _NONZERO.match(text) is not None
