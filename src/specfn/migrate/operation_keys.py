"""Keys of operations in options and selections: one grammar for all of them.

A key is a name, dotted accessor, operationId or ``METHOD /path``, or a pattern of them with ``*``, ``?`` or ``[...]``; or
``/path``, where ``*`` stands for a part of a segment and ``**`` for any number of segments; or ``tag:NAME``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.migrate.route import Route
from specfn.records import method_and_path

#: The prefix of a tag.
_TAG: Final = "tag:"

_PIECES: Final = re.compile(r"(/\*\*(?=/|$)|\*\*|\*|\?)")
_ENDLESS: Final = frozenset({"/**", "**", "*"})


@dataclass(frozen=True, slots=True)
class OperationKeys:
    """The texts by which keys name an operation.

    Attributes:
        names: its names: accessor with dots and with underscores, ``METHOD /path``, operationId and others.
        path: its path key.
        tags: its tags.
    """

    names: tuple[str, ...]
    path: str
    tags: tuple[str, ...]

    @classmethod
    def from_operation(
        cls, accessor: tuple[str, ...], method: str, path: str, operation: JsonObject
    ) -> "OperationKeys":
        """Return the texts of an Operation Object at a path."""
        identifier, tags = operation.get("operationId"), operation.get("tags")
        own = (identifier,) if isinstance(identifier, str) else ()
        return cls(
            names=(".".join(accessor), "_".join(accessor), method_and_path(method, path), *own),
            path=path,
            tags=tuple(tag for tag in tags if isinstance(tag, str))
            if isinstance(tags, list)
            else (),
        )

    def match(self, key: str) -> bool:
        """Return whether a key names the operation."""
        if key.startswith(_TAG):
            return any(fnmatchcase(tag, key.removeprefix(_TAG)) for tag in self.tags)
        if key.startswith("/"):
            return self.path == key or path_matches(key, self.path)
        return any(name == key or fnmatchcase(name, key) for name in self.names)


def route_keys(route: Route) -> OperationKeys:
    """Return the texts by which keys name a route."""
    return OperationKeys.from_operation(route.accessor, route.method, route.path, route.operation)


def values_for(table: Mapping[str, Any], keys: OperationKeys) -> Iterator[Any]:
    """Yield the values of a table whose keys name an operation, in the order of the table."""
    return (value for key, value in table.items() if keys.match(key))


def texts_of(operations: Iterable[OperationKeys]) -> list[str]:
    """Return the texts of operations, for suggestions."""
    return [name for keys in operations for name in keys.names]


def path_matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern: ``*`` within a segment, ``**`` across segments; ``/a/**`` matches ``/a``."""
    pieces = [piece for piece in _PIECES.split(pattern) if piece]
    ends = {0}  # where the pieces so far may end; a regular expression could take polynomial time
    for piece in pieces:
        if not ends:
            return False
        if piece in _ENDLESS:
            ends = _ends_of_run(piece, path, min(ends), ends)
        elif piece == "?":
            ends = {end + 1 for end in ends if path[end : end + 1] not in ("", "/")}
        else:
            ends = {end + len(piece) for end in ends if path.startswith(piece, end)}
    return len(path) in ends


def _ends_of_run(piece: str, path: str, first: int, starts: set[int]) -> set[int]:
    """Return where a wildcard of any length may end, in one pass over the path."""
    ends, is_open = set[int](), False
    for at in range(first, len(path) + 1):
        before = path[at - 1 : at] if at > first else ""
        is_open = is_open and not (piece == "*" and before == "/")
        if piece == "/**":  # nothing, or a slash and anything
            is_open = is_open or (before == "/" and at - 1 in starts)
        else:
            is_open = is_open or at in starts
        if is_open or at in starts:
            ends.add(at)
    return ends
