"""Strict JSON, read at full speed: what it lets through elsewhere is not read here (RFC 8259; rule V6)."""

import re
from typing import Any, Final

from specfn._json import loads
from specfn.validation.guard import sound


class _Unread:
    """Stands for the value of a text that is not strict JSON."""


#: What ``strict`` returns for all that it does not read.
UNREAD: Final = _Unread()

#: A string, and the colon behind it if it is a key.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?', re.DOTALL)

#: What a number holds that is read as zero without being zero, or a text that looks like it.
_TINY: Final = re.compile(r"[eE]-[0-9]{3}|0{300}")


def strict(text: str) -> Any:
    """Read strict JSON in which every key stands once and every number is finite.

    Returns:
        The value; ``UNREAD`` where there is any doubt, and for what is beyond the limits of ``guard``.
    """
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return UNREAD
    if not sound(value):
        return UNREAD
    keys, has_zero = _census(value)
    if keys and _STRING.findall(text).count(":") != keys:
        return UNREAD
    return UNREAD if has_zero and _TINY.search(text) else value


def _census(value: Any) -> tuple[int, bool]:
    """How many members all objects have, and whether a number is a zero with a fraction."""
    boxes = [value]
    keys = 0
    for box in boxes:  # which grows as it goes
        kind = type(box)
        if kind is dict:
            keys += len(box)
            boxes.extend(box.values())
        elif kind is list:
            boxes.extend(box)
        elif kind is float and box == 0:
            return keys, True
    return keys, False
