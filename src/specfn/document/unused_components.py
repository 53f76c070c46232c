"""The components that normalizing leaves out, because no operation needs them."""

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import from_fragment, join
from specfn.document.normalize import Normalized
from specfn.document.upgrade.base import is_name
from specfn.records import Note

#: Sections of components other than schemas. Normalizing writes these components where they are used.
_SECTIONS: Final = ("parameters", "responses")
_COMPONENTS: Final = (
    *("callbacks", "examples", "headers", "links", "mediaTypes", "parameters", "pathItems"),
    *("requestBodies", "responses"),
)

_REFERENCE: Final = re.compile(rb'"\$ref":"#(/[^"\\]+)"')

_Place: TypeAlias = tuple[str, ...]


def unused_components(raw: JsonObject, normalized: Normalized) -> Iterator[Note]:
    """Yield a note for each component of a document that its normalized form leaves out."""
    for place in _unused(raw, is_swagger=normalized.version == "2.0"):
        yield Note(pointer=join(place), text="no operation uses this component: it is left out")


def _unused(raw: JsonObject, *, is_swagger: bool) -> list[_Place]:
    """Return the components that no operation needs: no reference leads to them, or only from unused ones."""
    components = raw.get("components")
    parts: dict[_Place, Any]
    if is_swagger:
        parts = {(section,): raw.get(section) for section in _SECTIONS}
        rest = {key: value for key, value in raw.items() if key not in _SECTIONS}
    elif isinstance(components, dict):
        parts = {("components", section): components.get(section) for section in _COMPONENTS}
        kept = {key: value for key, value in components.items() if key not in _COMPONENTS}
        rest = {**raw, "components": kept}
    else:
        return []
    unused: dict[_Place, Any] = {
        (*place, name): node
        for place, part in parts.items()
        if isinstance(part, dict)
        for name, node in part.items()
        if is_name(name)
    }
    waiting = [rest] if unused else []
    while waiting:
        for fragment in set(_REFERENCE.findall(dumps(waiting.pop()))):
            tokens = tuple(from_fragment(fragment.decode()))
            used = {tokens[:2], tokens[:3]} & unused.keys()
            waiting.extend(unused.pop(place) for place in used)
    return list(unused)
