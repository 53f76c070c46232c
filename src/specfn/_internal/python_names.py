"""Names that Python accepts."""

from collections.abc import Callable, Iterable
from keyword import iskeyword


def python_names(
    names: Iterable[str], is_taken: Callable[[str], bool] = iskeyword
) -> dict[str, str]:
    """Return a unique name in Python for each name: the name itself, or with a trailing ``_`` if it is taken.

    Args:
        names: the names, which are identifiers.
        is_taken: returns whether a name cannot be used; by default, whether it is a keyword.
    """
    known = [*dict.fromkeys(names)]
    used = set(known)
    found: dict[str, str] = {}
    for name in known:
        free = name
        while is_taken(free) or (free != name and free in used):
            free += "_"
        used.add(free)
        found[name] = free
    return found
