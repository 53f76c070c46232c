"""OpenAPI Overlays 1.0 and 1.1: changes that the caller makes to a document before it is converted (rule N10).

The result is a document like any other: nothing in an overlay is trusted more than a document (threat T52).
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias
from urllib.parse import urlsplit

from specfn._internal.caller_arguments import missing_extra
from specfn._internal.json import JsonObject
from specfn.document.read import load
from specfn.document.read.limits import (
    MAX_NODES,
    TOO_DEEP,
    TOO_LARGE,
    Steps,
    TooManyStepsError,
    count_nodes,
    too_deep,
)
from specfn.errors import DocumentError

#: An overlay: a path, a URL, its text as bytes, or a dict.
OverlaySource: TypeAlias = str | Path | bytes | JsonObject

#: Queries a document: a path, the document, the steps.
_Places: TypeAlias = Callable[[str, Any, Steps], list[tuple[str | int, ...]]]

_VERSION: Final = re.compile(r"1\.([01])(?:\.[0-9]+)?")

#: The fields of an action by the minor version. A misspelled one must not be ignored.
_FIELDS: Final = {
    "0": ("target", "description", "update", "remove"),
    "1": ("target", "description", "update", "copy", "remove"),
}

#: The maximum number of steps of one overlay: visited nodes, and inserted members.
MAX_STEPS: Final = 10_000_000

_MAX_SHOWN: Final = 200


def apply_overlays(source: load.Source, overlays: Sequence[OverlaySource]) -> load.Source:
    """Return a source with the document that overlays make of it, in their order. The source is not changed.

    Raises:
        DocumentError: an overlay is invalid, or one of its actions matches nothing or cannot be applied.
        UsageError: the package for JSONPath is not installed.
        TransportError: the server of a URL did not respond.
    """
    if not overlays:
        return source
    try:
        from specfn.document.json_path import places  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        raise missing_extra("overlays", "overlays", "the package jsonpath-rfc9535") from None
    document = source.document
    for overlay, name in zip(overlays, names(overlays), strict=True):
        document = _Application(name, places).apply(overlay, document)
    return source._replace(document=document, shared=True)


def names(overlays: Sequence[OverlaySource]) -> tuple[str, ...]:
    """Return the names of overlays: of a file its last part, of a URL without a path its host."""
    return tuple(
        _name(os.fspath(overlay)) if isinstance(overlay, str | Path) else f"overlays[{index}]"
        for index, overlay in enumerate(overlays)
    )


def _name(place: str) -> str:
    """Return the name of a path or URL, without the user, password, query and fragment of a URL."""
    try:
        parts = urlsplit(place)
        host, _ = parts.hostname or "", parts.port  # a password with a slash is no port
    except ValueError:
        return "the URL"
    if parts.scheme in {"http", "https"} and not host:  # the host is part of the path
        return "the URL"
    return parts.path.rstrip("/").rpartition("/")[2] or host


class OverlayError(DocumentError):
    """An overlay that is invalid or cannot be applied."""


class _Application:
    """The application of one overlay."""

    def __init__(self, name: str, places: _Places) -> None:
        self._name = name
        self._places = places
        self._place = ""
        self._steps = Steps(MAX_STEPS)

    def apply(self, overlay: OverlaySource, document: JsonObject) -> JsonObject:
        for place, action, fields in self._actions(overlay):
            self._place = place
            try:
                document = self._apply_action(action, fields, document)
            except TooManyStepsError:
                self._fail(f"takes more than {MAX_STEPS:,} steps; write a narrower target")
        self._place = ""
        if too_deep(document):
            self._fail(f"leads to an invalid document: {TOO_DEEP}")
        if count_nodes(document, MAX_NODES) > MAX_NODES:
            self._fail(f"leads to an invalid document: {TOO_LARGE}")
        return document

    def _actions(self, overlay: OverlaySource) -> Iterable[tuple[str, Any, tuple[str, ...]]]:
        try:
            source = load.read(overlay)
        except DocumentError as error:
            self._fail(f"cannot be read: {error.reason}")
        version = _VERSION.fullmatch(str(source.document.get("overlay")))
        actions = source.document.get("actions")
        if version is None:
            self._fail(
                'is not an OpenAPI Overlay 1.0 or 1.1; expected the member "overlay": "1.1.0"'
            )
        if source.unreadable:
            self._fail("contains a number that cannot be read")
        if not isinstance(actions, list) or not actions:
            self._fail("has no actions; expected a list with at least one")
        for index, action in enumerate(actions):
            yield f" actions[{index}]", action, _FIELDS[version[1]]

    def _apply_action(self, action: Any, fields: tuple[str, ...], document: Any) -> Any:
        if not isinstance(action, dict) or not isinstance(action.get("target"), str):
            self._fail("is invalid; expected an object with a target")
        for field in action:
            if field not in fields and not field.startswith("x-"):
                self._fail(f"has the unknown field {field[:40]!r}; known are {', '.join(fields)}")
        targets = self._find(action["target"], document)
        if not targets:
            self._fail(f"matches nothing: no part of the document is at {_show(action['target'])}")
        edited = _Edited(document, self._steps)
        if action.get("remove") is True:
            if () in targets:
                self._fail("would remove the whole document")
            edited.remove(targets)
            return edited.document
        given = [field for field in ("update", "copy") if field in action]
        if action.get("remove", False) is not False or len(given) != 1:
            self._fail("is invalid; expected one of update, copy or remove: true")
        value = action["update"] if given == ["update"] else self._source(action["copy"], document)
        if len({_kind(reduce(getitem, place, document)) for place in targets}) > 1:
            self._fail("selects objects, arrays or other values together; expected one kind")
        for place in targets:
            fault = edited.merge(place, value)
            if fault is not None:
                self._fail(
                    f"cannot be applied at {_show('/'.join(map(str, fault[0])))}: {fault[1]}"
                )
        return edited.document

    def _find(self, path: str, document: JsonObject) -> list[tuple[str | int, ...]]:
        try:
            return self._places(path, document, self._steps)
        except ValueError as error:
            self._fail(f"has the target {_show(path)}: {error}")

    def _source(self, path: Any, document: Any) -> Any:
        sources = self._find(path, document) if isinstance(path, str) else []
        if len(sources) != 1:
            self._fail(f"copies {len(sources)} parts of the document; expected exactly one")
        return reduce(getitem, sources[0], document)

    def _fail(self, problem: str) -> NoReturn:
        raise OverlayError(f"the overlay {self._name}:{self._place} {problem}")


class _Edited:
    """A document with changes. Only the objects and arrays on the way to a change are copied.

    Each action has its own, because parts that it inserts or copies are shared afterwards.
    """

    def __init__(self, document: JsonObject, steps: Steps) -> None:
        self._root: list[Any] = [document]
        self._copies: dict[tuple[str | int, ...], Any] = {}
        self._steps = steps

    @property
    def document(self) -> Any:
        return self._root[0]

    def _own(self, place: tuple[str | int, ...]) -> Any:
        """Return the object or array at a place as a copy that may be changed."""
        if place not in self._copies:
            parent: Any = self._own(place[:-1]) if place else self._root
            key: Any = place[-1] if place else 0
            self._steps.spend(len(parent[key]))
            parent[key] = self._copies[place] = parent[key].copy()
        return self._copies[place]

    def remove(self, places: Sequence[tuple[str | int, ...]]) -> None:
        """Remove members and items; the deepest first, and of an array the last first."""
        by_parent: dict[tuple[str | int, ...], set[Any]] = {}
        for place in places:
            by_parent.setdefault(place[:-1], set()).add(place[-1])
        for parent in sorted(by_parent, key=len, reverse=True):
            node, keys = self._own(parent), by_parent[parent]
            if isinstance(node, list):
                node[:] = [item for index, item in enumerate(node) if index not in keys]
            else:
                for key in keys:
                    del node[key]

    def merge(self, place: tuple[str | int, ...], value: Any) -> tuple[Any, str] | None:
        """Merge a value into a place. Return the place and the fault of values that do not fit."""
        todo = [(place, value)]
        while todo:
            place, value = todo.pop()
            node = reduce(getitem, place, self.document)
            self._steps.spend()
            if isinstance(node, list):
                items = value if isinstance(value, list) else [value]
                self._steps.spend(len(items))
                self._own(place).extend(items)
            elif _kind(node) != _kind(value):
                return place, f"it is {_kind(node)}, and the new value is {_kind(value)}"
            elif isinstance(node, dict):
                self._steps.spend(len(value))
                own = self._own(place)
                for key, member in value.items():
                    if key in own:
                        todo.append(((*place, key), member))
                    else:
                        own[key] = member
            elif place:
                self._own(place[:-1])[place[-1]] = value
        return None


def _kind(value: Any) -> str:
    names: dict[type, str] = {dict: "an object", list: "an array"}
    return names.get(value.__class__, "a single value")


def _show(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")
