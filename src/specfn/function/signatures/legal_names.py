"""Names of types, and names that a language accepts."""

import re
from collections.abc import Callable, Collection, Iterable
from keyword import iskeyword
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z0-9]+")


def pascal_case(*texts: str) -> str:
    """Return texts as one identifier with capital initials; ``Type`` if they contain no letter or digit."""
    words = [word for text in texts for word in _WORD.findall(text)]
    name = "".join(word[0].upper() + word[1:] for word in words) or "Type"
    return f"T{name}" if name[0].isdigit() else name


def is_identifier(name: str) -> bool:
    """Return whether a name is an ASCII identifier in Python and TypeScript. Both may reserve it as a keyword."""
    return name.isascii() and name.isidentifier()


def python_names(
    names: Iterable[str], is_taken: Callable[[str], bool] = iskeyword
) -> dict[str, str]:
    """Return a unique name in Python for each identifier: the identifier itself, or with a trailing ``_`` if it is taken."""
    known = [*dict.fromkeys(names)]
    used = set(known)
    unique: dict[str, str] = {}
    for name in known:
        free = name
        while is_taken(free) or (free != name and free in used):
            free += "_"
        used.add(free)
        unique[name] = free
    return unique


class Names:
    """The names used in one text; each is unique."""

    def __init__(self, taken: Collection[str]) -> None:
        self._used = set(taken)
        self._last: dict[str, int] = {}

    def new(self, name: str) -> str:
        """Return the name, with a number if it is used."""
        free, count = name, self._last.get(name, 1)
        while free in self._used:
            count += 1
            free = f"{name}{count}"
        self._last[name] = count
        self._used.add(free)
        return free
