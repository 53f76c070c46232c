"""A document in parts that a page reads one by one."""

from collections.abc import Iterator
from typing import Any

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join

#: Members whose members are parts, and members with one more level.
_SHALLOW = frozenset({"paths", "webhooks"})
_DEEP = frozenset({"components"})


def parts(document: JsonObject) -> Iterator[tuple[str, Any]]:
    """Yield the pointer and the value of each path, webhook and component, and of every other member.

    A pointer into the document belongs to the part with the longest pointer that is a prefix of it.
    """
    for name, value in document.items():
        if name in _SHALLOW and isinstance(value, dict):
            yield from _members((name,), value)
        elif name in _DEEP and isinstance(value, dict):
            for kind, components in value.items():
                if isinstance(components, dict):
                    yield from _members((name, kind), components)
                else:
                    yield join((name, kind)), components
        else:
            yield join((name,)), value


def _members(above: tuple[str, ...], value: JsonObject) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        yield join((*above, str(name))), inner
