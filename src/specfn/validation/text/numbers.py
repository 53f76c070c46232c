"""Numbers of JSON text as Python numbers (RFC 8259, section 6; rule V6)."""

import re
from decimal import Decimal
from math import isinf
from typing import Final

#: Below this, a float holds every integer exactly (IEEE 754, binary64).
EXACT: Final = 2**53

_NONZERO: Final = re.compile(r"[^eE]*[1-9]")


def decimal(text: str) -> int | float:
    """Return the value of a number that has a fraction or an exponent.

    An integral number that no float holds is that integer: ``9007199254740993.0`` and ``1e23``. Every
    other number is the nearest float; ``inf`` is one that is beyond all floats.
    """
    value = float(text)
    if abs(value) < EXACT or isinf(value):
        return value
    exact = Decimal(text)
    whole = int(exact)
    return whole if whole == exact and whole != value else value


def is_rounded(value: float, text: str) -> bool:
    """Return whether a float is whole only because the number that it was read from has more digits than it holds.

    Such a float would satisfy ``type: integer``, and the number does not. Beyond 2^53, each float is whole.
    """
    return abs(value) < EXACT and value.is_integer() and Decimal(text) != value


def is_nonzero(text: str) -> bool:
    """Whether a number has a digit other than zero before its exponent, whatever a float makes of it."""
    return _NONZERO.match(text) is not None
