"""Fields of responses: the operator's defaults ``Keep`` and ``Drop``, and the projection of data to fields (rule X12).

A path names a field: ``items.owner.login``. Arrays are passed through. ``["a.b"]`` is a name with other characters,
and ``*`` is every key of an object::

    Options(answers={"repos.*": Keep("items.name", "items.id"), "*": Drop("items.secret")})
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from specfn.errors import UsageError

#: The names of a path; ``None`` is every key.
FieldNames: TypeAlias = tuple[str | None, ...]

_STEP: Final = re.compile(r'(?:^|\.)(?P<name>[^.\["\]]+)|\.?\[(?P<key>"(?:[^"\\]|\\.)*")\]')
_PLAIN: Final = re.compile(r'[^.\["\]*]+')

#: The limits: names of one path, paths, listed dropped fields, and levels of nested values.
_NAMES: Final = 32
_PATHS: Final = 200
LISTED: Final = 50
_DEEPEST: Final = 100

#: The members of a response that are never left out.
_ERRORS: Final = frozenset({"error", "errors"})

_GONE: Final = object()


def field_names(path: Any) -> FieldNames | None:
    """Return the names in the text of a path; ``None`` if the text is not a path."""
    if not isinstance(path, str) or path.startswith("."):
        return None
    names: list[str | None] = []
    position = 0
    while position < len(path) and len(names) <= _NAMES:
        match = _STEP.match(path, position)
        if match is None:
            return None
        position = match.end()
        if match["key"] is None:
            names.append(None if match["name"] == "*" else match["name"])
            continue
        try:
            names.append(json.loads(match["key"]))
        except ValueError:
            return None
    return tuple(names) if 0 < len(names) <= _NAMES else None


def field_path(names: Iterable[str | None]) -> str:
    """Write names as a path."""
    text = ""
    for name in names:
        if name is None or _PLAIN.fullmatch(name):
            text += f".{'*' if name is None else name}"
        else:
            text += f"[{json.dumps(name, ensure_ascii=False)}]"
    return text.removeprefix(".")


def _check_paths(kind: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return paths, or raise a ``UsageError`` for the first invalid one."""
    for path in paths:
        if field_names(path) is None:
            raise UsageError(
                f'{kind}: {path!r} is not a path of fields, such as "items.owner.login"'
            )
    if not paths or len(paths) > _PATHS:
        raise UsageError(f"{kind}: pass 1 to {_PATHS} paths of fields, not {len(paths)}")
    return paths


@dataclass(frozen=True, slots=True, init=False)
class Keep:
    """The fields that a response has in a text by default. A call that asks for fields replaces them.

    Attributes:
        paths: the paths of the fields.
    """

    paths: tuple[str, ...]

    def __init__(self, *paths: str) -> None:
        """Take the paths.

        Raises:
            UsageError: one is no path.
        """
        object.__setattr__(self, "paths", _check_paths("Keep", paths))


@dataclass(frozen=True, slots=True, init=False)
class Drop:
    """The fields that never appear in a text for a model, and that no call can ask for.

    Attributes:
        paths: the paths of the fields.
    """

    paths: tuple[str, ...]

    def __init__(self, *paths: str) -> None:
        """Take the paths.

        Raises:
            UsageError: one is no path.
        """
        object.__setattr__(self, "paths", _check_paths("Drop", paths))


def parse_fields(fields: Any) -> tuple[FieldNames, ...] | str:
    """Return the names of the fields that a call asks for, or the reason why they are invalid."""
    if not isinstance(fields, list | tuple) or not all(isinstance(path, str) for path in fields):
        return 'fields must be a list of strings, such as ["items.name"]'
    if not 0 < len(fields) <= _PATHS:
        return f"fields must contain 1 to {_PATHS} paths"
    paths: list[FieldNames] = []
    for path in fields:
        names = field_names(path)
        if names is None:
            return f'fields: {json.dumps(path[:100])} is not a path, such as "items.owner.login"'
        paths.append(names)
    return tuple(paths)


@dataclass(slots=True)
class _Node:
    """A node of the tree of paths."""

    named: dict[str | None, "_Node"] = field(default_factory=dict)
    is_end: bool = False

    def next(self, name: str) -> "Iterable[_Node]":
        return (node for key in (name, None) if (node := self.named.get(key)) is not None)


def _tree_of_paths(paths: Iterable[FieldNames]) -> _Node:
    root = _Node()
    for path in paths:
        node = root
        for name in path:
            node = node.named.setdefault(name, _Node())
        node.is_end = True
    return root


@dataclass(frozen=True, slots=True)
class Filtered:
    """Filtered data.

    Attributes:
        data: the data; the same object if nothing was left out.
        dropped: the paths of the fields that were not asked for, at most 50.
        count: the number of these fields.
    """

    data: Any
    dropped: tuple[str, ...] = ()
    count: int = 0


def filter_data(
    data: Any, keep: Sequence[FieldNames] | None, drop: Sequence[FieldNames] = ()
) -> Filtered:
    """Return the fields of data that are kept.

    Top-level ``error`` and ``errors`` are kept, unless ``drop`` names them.

    Args:
        data: a JSON value; it is not changed.
        keep: the fields; ``None`` for all.
        drop: the fields that are left out in any case. They are not reported.
    """
    if keep is None and not drop:
        return Filtered(data)
    projection = _Projection()
    kept = None if keep is None else (_tree_of_paths(keep),)
    projected = projection.value(data, kept, (_tree_of_paths(drop),) if drop else (), ())
    names = tuple(field_path(path) for path in list(projection.dropped)[:LISTED])
    return Filtered(None if projected is _GONE else projected, names, len(projection.dropped))


_Nodes: TypeAlias = tuple[_Node, ...]


@dataclass(slots=True)
class _Projection:
    dropped: dict[FieldNames, None] = field(default_factory=dict)

    def value(
        self, value: Any, keep: _Nodes | None, drop: _Nodes, path: FieldNames, depth: int = 0
    ) -> Any:
        """Return a value without the fields that are not kept; ``_GONE`` if nothing of it is left."""
        if keep is None and not drop:
            return value
        if depth > _DEEPEST:
            return _GONE
        if isinstance(value, list):
            items = (self.value(item, keep, drop, path, depth + 1) for item in value)
            return [item for item in items if item is not _GONE]
        if isinstance(value, dict):
            return self._object(value, keep, drop, path, depth)
        return value if keep is None or value is None else _GONE

    def _object(
        self,
        value: dict[str, Any],
        keep: _Nodes | None,
        drop: _Nodes,
        path: FieldNames,
        depth: int,
    ) -> dict[str, Any]:
        """Return an object without the members that are not kept, and record their names."""
        members: dict[str, Any] = {}
        for name, item in value.items():
            dropped = tuple(inner for node in drop for inner in node.next(name))
            if any(node.is_end for node in dropped):
                continue
            kept = self._kept(name, keep, is_root=depth == 0)
            inner = (
                _GONE if kept == () else self.value(item, kept, dropped, (*path, name), depth + 1)
            )
            if inner is _GONE:
                self.dropped[*path, name] = None
            else:
                members[name] = inner
        return members

    @staticmethod
    def _kept(name: str, keep: _Nodes | None, *, is_root: bool) -> _Nodes | None:
        """Return the paths that continue below a name: ``None`` if all of it is kept, empty if nothing is."""
        if keep is None or (is_root and name in _ERRORS):
            return None
        below = tuple(inner for node in keep for inner in node.next(name))
        return None if any(node.is_end for node in below) else below


def covers(paths: Iterable[FieldNames], names: FieldNames) -> bool:
    """Return whether one of the paths is a field, or contains it."""
    return any(
        len(path) <= len(names)
        and all(own is None or own == name for own, name in zip(path, names, strict=False))
        for path in paths
    )


def missing_paths(data: Any, paths: Iterable[FieldNames]) -> tuple[str, ...]:
    """Return, as texts, the paths that data certainly lacks. For an empty array, no missing path is certain."""
    return tuple(field_path(path) for path in paths if not _has_path(data, path, 0))


def _has_path(data: Any, path: FieldNames, depth: int) -> bool:
    """Return whether data has a field, or may have it because it is empty or null."""
    if isinstance(data, list):
        # an empty array has no item in which a field could be missing
        return not data or (
            depth < _DEEPEST and any(_has_path(item, path, depth + 1) for item in data)
        )
    if not path:
        return True
    if not isinstance(data, dict):
        return data is None
    names = [path[0]] if path[0] is not None else list(data)
    return any(_has_path(data[name], path[1:], depth + 1) for name in names if name in data)
