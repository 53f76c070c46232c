"""Which declared name was probably meant by one that is not: for a sentence, never for a repair."""

import re
from collections.abc import Sequence
from typing import Final

_SEPARATORS: Final = re.compile(r"[\W_]+")

#: The most names that are compared, and the longest.
_NAMES: Final = 100
_LENGTH: Final = 60


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The one name that differs in case, separators or one character; ``None`` if there is none, or several."""
    if not 2 < len(name) <= _LENGTH:
        return None
    plain = _plain(name)
    candidates = [(other, _plain(other)) for other in names[:_NAMES] if len(other) <= _LENGTH]
    for is_near in (str.__eq__, _is_one_off):
        found = [other for other, text in candidates if text and is_near(plain, text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


def _is_one_off(left: str, right: str) -> bool:
    """Whether one character more, less or otherwise, or two exchanged, make two texts one."""
    if abs(len(left) - len(right)) > 1 or min(len(left), len(right)) < 3:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    rest, other = left[start:], right[start:]
    exchanged = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return rest[1:] == other[1:] or rest[1:] == other or rest == other[1:] or exchanged
