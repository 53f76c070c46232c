"""Lengths of the texts that a simple pattern matches (ECMA-262, section 22.2)."""

import re
from functools import lru_cache
from typing import Final

#: One character of ASCII: itself, escaped punctuation, a digit or word character, or a class of them.
_ATOM: Final = r"(?:[\w \-@#%&~=:;,<>!/'\"]|\\[dw\-./+*?^$|(){}\[\]\\]|\[(?!\^)(?:[\w \-.:/+*@#&=,]|\\[dw\-./])+\])"

#: A quantifier.
_COUNT: Final = r"(?:\{(\d{1,6})(,)?(\d{1,6})?\}|([*+?]))?(?!\?)"

_PART: Final = re.compile(f"{_ATOM}{_COUNT}", re.ASCII)

_COUNTS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@lru_cache(maxsize=1024)
def lengths(pattern: str) -> tuple[int, int | None] | None:
    """Return the minimum and maximum number of characters that a pattern matches from end to end.

    Returns:
        The maximum is ``None`` if there is no limit. ``None`` for a pattern with anything but a sequence of ASCII
        characters and classes between ``^`` and ``$``.
    """
    if not (pattern.startswith("^") and pattern.endswith("$")) or pattern.endswith("\\$"):
        return None
    least, most, at, end = 0, 0, 1, len(pattern) - 1
    bounded = True
    while at < end:
        found = _PART.match(pattern, at, end)
        if found is None:
            return None
        low, high = _count(found)
        least += low
        most += high or 0
        bounded = bounded and high is not None
        at = found.end()
    return least, most if bounded else None


def _count(found: re.Match[str]) -> tuple[int, int | None]:
    low, comma, high, sign = found.groups()
    if sign:
        return _COUNTS[sign]
    if low is None:
        return 1, 1
    if not comma:
        return int(low), int(low)
    return int(low), int(high) if high else None
