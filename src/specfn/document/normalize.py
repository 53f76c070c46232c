"""Normalizing of a document of any version to one OpenAPI 3.1 graph (rules N1, N8)."""

import re
from typing import Any, NamedTuple

from specfn._internal.json import JsonObject
from specfn.document.read import not_openapi
from specfn.document.references.resolve import Resolver
from specfn.document.upgrade.openapi3 import OpenApi3
from specfn.document.upgrade.schemas import SchemaUpgrade, SharedUpgrade
from specfn.document.upgrade.swagger2 import Swagger2
from specfn.errors import DocumentError
from specfn.records import Note

#: The maximum number of rounds of normalizing. Each round resolves references that the one before revealed.
_MAX_ROUNDS = 3

_OPENAPI = re.compile(r"3\.([012])(?![0-9])")


class Normalized(NamedTuple):
    """A normalized document.

    Attributes:
        document: OpenAPI 3.1 with every reference outside schemas resolved, path-level parameters merged
            into the operations, and schemas in JSON Schema 2020-12 that refer to components only.
        dangling: the references of schemas without a target.
        notes: faults that do not belong to a single operation.
        version: the version of the raw document: ``2.0``, ``3.0``, ``3.1`` or ``3.2``.
        nodes: the number of schemas; a shared schema counts at each of its locations.
        has_directions: whether a schema is ``readOnly`` or ``writeOnly``.
    """

    document: JsonObject
    dangling: frozenset[str]
    notes: tuple[Note, ...]
    version: str
    nodes: int
    has_directions: bool


def version(document: JsonObject) -> str:
    """Return the version that a document declares, by its text.

    Raises:
        DocumentError: the document is neither Swagger 2.0 nor OpenAPI 3.0 to 3.2.
    """
    swagger = document.get("swagger")
    if swagger is not None and str(swagger) in {"2", "2.0"}:
        return "2.0"
    openapi = document.get("openapi")
    number = _OPENAPI.match(f"{openapi}.0" if str(openapi) == "3" else str(openapi))
    if number:
        return f"3.{number[1]}"
    raise _not_openapi(document)


def _not_openapi(document: JsonObject) -> DocumentError:
    clue = not_openapi.document(document)
    return DocumentError(
        "this is not an OpenAPI or Swagger document that specfn reads "
        f"(swagger 2.0, openapi 3.0, 3.1 or 3.2): {clue.reason}",
        pointer=clue.pointer,
    )


def normalize(document: JsonObject, uri: str | None = None, *, shared: bool = False) -> Normalized:
    """Normalize a document. The input is not changed; the result shares its unchanged parts.

    A reference may name a location that only normalizing creates, for example ``#/components/schemas/A`` in Swagger
    2.0. It then means that location. Otherwise normalizing twice would not be the same as normalizing once.

    Args:
        document: the raw document: plain JSON values.
        uri: the URI that it was read from. References to it are internal.
        shared: whether one object may occur at several locations. Each object is then normalized once.

    Raises:
        DocumentError: the document's version is not supported.
    """
    declared = version(document)
    normalized, has_revealed = _normalize_once(document, uri, declared, shared=shared)
    for _ in range(_MAX_ROUNDS):
        if not has_revealed:
            break
        again, has_revealed = _normalize_once(normalized.document, uri, "3.1", shared=shared)
        notes = dict.fromkeys((*normalized.notes, *again.notes))
        normalized = again._replace(version=declared, notes=tuple(notes))
    return normalized


def _normalize_once(
    document: JsonObject, uri: str | None, declared: str, *, shared: bool
) -> tuple[Normalized, bool]:
    """Return the normalized document, and whether a dangling reference of the document has a target in it."""
    resolver = Resolver(document, uri)
    upgrade_type = SharedUpgrade if shared else SchemaUpgrade
    components: Any
    if declared == "2.0":
        components = document.get("definitions")
        upgrade = upgrade_type(resolver, components, siblings=False)
        reader: Swagger2 | OpenApi3 = Swagger2(resolver, upgrade)
    else:
        components = document.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        dialect = document.get("jsonSchemaDialect")
        upgrade = upgrade_type(resolver, schemas, siblings=declared != "3.0", dialect=dialect)
        reader = OpenApi3(resolver, upgrade)
    normalized = reader.document()
    result = Normalized(
        document=normalized,
        dangling=frozenset(upgrade.dangling),
        notes=tuple(reader.notes),
        version=declared,
        nodes=upgrade.nodes,
        has_directions=upgrade.has_directions,
    )
    lost = upgrade.dangling | reader.dangling
    return result, any(map(Resolver(normalized, uri).has, lost))
