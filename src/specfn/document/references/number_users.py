"""The operations that use a number that could not be read: only they become errors (rule N2)."""

from collections.abc import Iterator
from typing import Any

from specfn._internal.json import JsonObject
from specfn.document.read.unreadable_numbers import UnreadableNumber, note_on
from specfn.document.references.resolve import DanglingReferenceError, Resolver
from specfn.records import Note


class NumberUsers:
    """The parts of a raw document that contain an unreadable number, or refer to a part that does.

    Args:
        document: the raw document.
        uri: the URI that it was read from.
    """

    def __init__(self, document: JsonObject, uri: str | None) -> None:
        self._paths = document.get("paths")
        self._resolver = Resolver(document, uri)
        self._faults = self._fault_by_part(document)

    def fault_of(self, path: str, method: str) -> Note | None:
        """Return the note on the first unreadable number that an operation uses, or ``None``."""
        item = self._paths.get(path) if isinstance(self._paths, dict) else None
        target = self._target(item["$ref"]) if isinstance(item, dict) and "$ref" in item else None
        parts = [*_parts(item, method), *_parts(target, method)]
        return next((self._faults[id(part)] for part in parts if id(part) in self._faults), None)

    def _fault_by_part(self, document: JsonObject) -> dict[int, Note]:
        """Return the fault of each part, by identity: from the numbers outwards, each part once."""
        users: dict[int, list[int]] = {}
        faults: dict[int, Note] = {}
        stack: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
        seen = {id(document)}
        while stack:
            place, node = stack.pop()
            for key, child in node.items() if node.__class__ is dict else enumerate(node):
                if child.__class__ is UnreadableNumber:
                    if str(key).startswith("x-"):  # no operation uses the value of an extension
                        continue
                    faults.setdefault(id(node), note_on(child, (*place, key)))
                elif child.__class__ is dict or child.__class__ is list:
                    users.setdefault(id(child), []).append(id(node))
                    if id(child) not in seen:
                        seen.add(id(child))
                        stack.append(((*place, key), child))
            for user, used in self._references(node) if node.__class__ is dict else ():
                users.setdefault(id(used), []).append(id(user))
        waiting = [*faults]
        while waiting:
            used_id = waiting.pop()
            for user_id in users.get(used_id, ()):
                if user_id not in faults:
                    faults[user_id] = faults[used_id]
                    waiting.append(user_id)
        return faults

    def _references(self, node: JsonObject) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs of a user and what it uses. A base with a discriminator uses its subtypes."""
        discriminator = node.get("discriminator")
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
        names = [node.get("$ref"), *(mapping.values() if isinstance(mapping, dict) else ())]
        yield from ((node, target) for name in names if (target := self._target(name)) is not None)
        bases = node.get("allOf")
        for base in bases if isinstance(bases, list) else ():
            target = self._target(base.get("$ref")) if isinstance(base, dict) else None
            if isinstance(target, dict) and "discriminator" in target:
                yield target, node

    def _target(self, reference: Any) -> Any:
        if not isinstance(reference, str):
            return None
        try:
            return self._resolver.locate(reference)[0]
        except (DanglingReferenceError, ValueError):
            return None


def _parts(item: Any, method: str) -> Iterator[Any]:
    """Yield the parts of a path item that an operation uses."""
    if isinstance(item, dict):
        more = item.get("additionalOperations")
        yield from (item.get(key) for key in (method, "parameters", "servers"))
        yield more.get(method) if isinstance(more, dict) else None
