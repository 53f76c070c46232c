"""Operations that cannot be routes, for example because their schemas need a dangling reference (rule N3)."""

from collections.abc import Iterator
from typing import Any

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import component_of
from specfn.records import OperationCode
from specfn.schema.walk import walk


class References:
    """The dangling references of one normalized document. Without any, look-ups cost nothing."""

    def __init__(self, schemas: JsonObject, dangling: frozenset[str]) -> None:
        """Find the normalized components that need a dangling reference."""
        self._dangling = dangling
        self._find_tainted = _find_tainted(schemas, dangling) if dangling else {}

    @property
    def may_be_lost(self) -> bool:
        """Return whether any reference is dangling."""
        return bool(self._dangling)

    def find_lost(self, schema: Any) -> str | None:
        """Return the first dangling reference that a schema needs, or ``None``."""
        if not self._dangling:
            return None
        for reference in _references(schema, self._dangling):
            if reference in self._dangling:
                return reference
            name = component_of(reference)
            if name is not None and name in self._find_tainted:
                return self._find_tainted[name]
        return None


def _references(schema: Any, dangling: frozenset[str]) -> Iterator[str]:
    """Yield every reference that a schema needs. Dangling references of a mapping are not needed."""
    for node in walk(schema):
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield reference
        if "discriminator" in node:
            yield from (
                reference
                for reference in _mapping_of(node["discriminator"])
                if reference not in dangling
            )


def _mapping_of(discriminator: JsonObject) -> list[str]:
    default = discriminator.get("defaultMapping")
    mapped = discriminator.get("mapping", {}).values()
    return [*mapped] if default is None else [*mapped, default]


def _find_tainted(schemas: JsonObject, dangling: frozenset[str]) -> dict[str, str]:
    """Return the components that reach a dangling reference, with that reference."""
    users: dict[str, list[str]] = {}
    tainted: dict[str, str] = {}
    for name, schema in schemas.items():
        for reference in _references(schema, dangling):
            target = component_of(reference)
            if reference in dangling:
                tainted.setdefault(name, reference)
            elif target is not None:
                users.setdefault(target, []).append(name)
    waiting = list(tainted)
    while waiting:
        name = waiting.pop()
        for user in users.get(name, ()):
            if user not in tainted:
                tainted[user] = tainted[name]
                waiting.append(user)
    return tainted


class Refused(Exception):  # noqa: N818  # it never leaves the package
    """An operation that cannot be a route.

    Attributes:
        code: a short stable code.
        reason: the fault and the advice.
        pointer: the location of the fault in the document.
        reference: the reference to another document that the operation needs; empty for other faults.
    """

    def __init__(self, code: OperationCode, reason: str, pointer: str, reference: str = "") -> None:
        super().__init__(code, reason, pointer, reference)
        self.code = code
        self.reason = reason
        self.pointer = pointer
        self.reference = reference


def refuse_reference(reference: str, pointer: str) -> Refused:
    """Return the error for an operation whose request needs a dangling reference, or one into a document that was not read (rule N3)."""
    if reference.startswith("#"):
        reason = f"the reference {reference!r} has no target; correct it in the document"
        return Refused("reference", reason, pointer)
    reason = (
        f"the reference {reference!r} names another document, which was not read; allow it with "
        "Options.references"
    )
    return Refused("external", reason, pointer, reference)
