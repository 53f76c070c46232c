"""Definitions that are the same in two documents, with everything that they refer to."""

from collections.abc import Callable, Iterator
from typing import Any

from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.walk import walk


class UnchangedDefinitions:
    """The definitions of two documents that are the same. Each is looked at once.

    Args:
        old, new: the definitions of the two documents.
        is_same: decides whether two schemas are the same, without those that they refer to.
    """

    def __init__(
        self, old: DefinitionLookup, new: DefinitionLookup, is_same: Callable[[Any, Any], bool]
    ) -> None:
        self._old, self._new = old, new
        self._is_alike = is_same
        self._known: dict[str, bool] = {}

    def refer_alike(self, schema: Any) -> bool:
        """Return whether all definitions that a schema refers to are unchanged."""
        return all(self.is_unchanged(name) for name in self._referenced(schema))

    def is_unchanged(self, name: str) -> bool:
        """Return whether a definition is the same in both documents."""
        if name not in self._known:
            self._explore(name)
        return self._known[name]

    def _explore(self, start: str) -> None:
        """Decide every definition that one refers to: the changed ones first, then those that refer to them."""
        users: dict[str, list[str]] = {}
        changed: list[str] = []
        waiting, found = [start], {start}
        while waiting:
            name = waiting.pop()
            if name in self._known:
                changed += [] if self._known[name] else [name]
                continue
            if not self._is_same(name):
                changed.append(name)
                continue
            for used in self._referenced(self._old[name]):
                users.setdefault(used, []).append(name)
                if used not in found:
                    found.add(used)
                    waiting.append(used)
        affected = set(changed)
        while changed:
            for user in users.get(changed.pop(), ()):
                if user not in affected:
                    affected.add(user)
                    changed.append(user)
        self._known.update((name, name not in affected) for name in found)

    def _is_same(self, name: str) -> bool:
        try:
            return self._is_alike(self._old[name], self._new[name])
        except KeyError:
            return False

    def _referenced(self, schema: Any) -> Iterator[str]:
        for node in walk(schema):
            name = self._old.name_of(node["$ref"]) if "$ref" in node else None
            if name is not None:
                yield name
