"""Downgrade of a document of any version to OpenAPI 3.0, and the components that normalizing leaves out (rule N9)."""

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import from_fragment, join
from specfn.document.downgrade.fields import security_scheme
from specfn.document.downgrade.objects import Losses, ObjectDowngrade, map_of
from specfn.document.downgrade.schemas import SchemaDowngrade
from specfn.document.downgrade.tables import KINDS
from specfn.document.normalize import Normalized, normalize
from specfn.document.read.limits import check_document
from specfn.document.upgrade.openapi3 import is_name
from specfn.errors import UsageError
from specfn.records import Note

#: The version that is written.
WRITTEN: Final = "3.0.4"

#: Fields of the normalized document that are written separately.
_OWN: Final = frozenset({"openapi", "components"})


def downgrade(
    document: JsonObject, version: Literal["3.0"] = "3.0"
) -> tuple[JsonObject, tuple[Note, ...]]:
    """Write a document of any version as a valid OpenAPI 3.0 document.

    A schema accepts every value that it accepted before. If it accepts more values, a note reports it. Components keep
    their names and references.

    Args:
        document: the document. It is not changed; parts that 3.0 writes the same way are shared with it.
        version: the version to write.

    Returns:
        The document, and the losses: a note for each, with its location in the normalized document.

    Raises:
        DocumentError: the version of the document is not supported, or the document is not JSON.
        UsageError: ``version`` is not ``"3.0"``.

    Examples:
        >>> document, losses = specfn.downgrade({"openapi": "3.1.0", "paths": {}, "webhooks": {"sold": {}}})
        >>> document["openapi"]
        '3.0.4'
        >>> [note.text for note in losses]
        ['OpenAPI 3.0 has no `webhooks`']
    """
    if version != "3.0":
        raise UsageError(f"unsupported version {version!r}: expected '3.0'")
    raw = check_document(document)
    normalized = normalize(raw)
    losses = Losses()
    written = _write_document(normalized, losses)
    dialect = "jsonSchemaDialect"
    gone = (
        [Note(pointer=f"/{dialect}", text=f"OpenAPI 3.0 has no `{dialect}`")]
        if dialect in raw
        else []
    )
    notes = (*normalized.notes, *gone, *note_unused_components(raw, normalized), *losses.notes())
    return written, notes


def _write_document(normalized: Normalized, losses: Losses) -> JsonObject:
    root = {key: value for key, value in normalized.document.items() if key not in _OWN}
    objects = ObjectDowngrade(KINDS, losses, is_native=normalized.version == "3.0")
    components = normalized.document["components"]
    schemas = SchemaDowngrade(components["schemas"], losses, objects.downgrade_object)
    objects.schema = schemas.schema
    parts = _components(components, schemas, objects)
    out = objects.downgrade_object("root", root)
    return {
        "openapi": WRITTEN,
        "info": {"title": "", "version": ""},
        **out,
        "paths": out.get("paths", {}),
        "components": parts,
    }


def _components(
    components: JsonObject, schemas: SchemaDowngrade, objects: ObjectDowngrade
) -> JsonObject:
    """Write the components, schemas first: the other parts depend on which schemas became wider."""
    losses = objects.losses
    parts = {"schemas": schemas.components()}
    losses.within(0, "schemas")
    schemes = components.get("securitySchemes", {})
    if schemes:
        parts["securitySchemes"] = objects.member(
            map_of(security_scheme), schemes, "securitySchemes"
        )
        objects.lost_schemes = schemes.keys() - parts["securitySchemes"].keys()
    losses.within(0, "components")
    return parts


#: Sections of components other than schemas. Normalizing writes these components where they are used.
_SECTIONS: Final = ("parameters", "responses")
_COMPONENTS: Final = (
    *("callbacks", "examples", "headers", "links", "mediaTypes", "parameters", "pathItems"),
    *("requestBodies", "responses"),
)

_REFERENCE: Final = re.compile(rb'"\$ref":"#(/[^"\\]+)"')

_Place: TypeAlias = tuple[str, ...]


def note_unused_components(raw: JsonObject, normalized: Normalized) -> Iterator[Note]:
    """Yield a note for each component of a document that its normalized form leaves out."""
    for place in _find_unused(raw, is_swagger=normalized.version == "2.0"):
        yield Note(pointer=join(place), text="no operation uses this component: it is left out")


def _find_unused(raw: JsonObject, *, is_swagger: bool) -> list[_Place]:
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
