"""Any version of a document to one normalized OpenAPI 3.1 graph (rules N1, N8)."""

import re
from typing import Any, NamedTuple

from specfn._json import JsonObject
from specfn.document.openapi3 import OpenApi3
from specfn.document.resolve import Resolver
from specfn.document.schemas import SchemaUpgrade
from specfn.document.swagger2 import Swagger2
from specfn.errors import DocumentError
from specfn.records import Note

#: How often a document is normalized at most: each round resolves what the one before has revealed.
_MAX_ROUNDS = 3

_OPENAPI = re.compile(r"3\.([012])(?![0-9])")


class Normalized(NamedTuple):
    """What normalizing gives.

    Attributes:
        document: OpenAPI 3.1 with every reference outside schemas resolved, path-level parameters merged
            into the operations, and schemas in JSON Schema 2020-12 that refer to components only.
        dangling: the references of schemas that lead nowhere.
        notes: faults that belong to no single operation.
        version: the version the document was written in: ``2.0``, ``3.0``, ``3.1`` or ``3.2``.
        nodes: how many schemas it has, shared ones counted wherever they stand.
    """

    document: JsonObject
    dangling: frozenset[str]
    notes: tuple[Note, ...]
    version: str
    nodes: int


def version(document: JsonObject) -> str:
    """The version that a document says it is written in, read by its text.

    Raises:
        DocumentError: the document is neither Swagger 2.0 nor OpenAPI 3.0 to 3.2.
    """
    swagger = document.get("swagger")
    if swagger is not None and str(swagger) in {"2", "2.0"}:
        return "2.0"
    openapi = document.get("openapi")
    found = _OPENAPI.match(f"{openapi}.0" if str(openapi) == "3" else str(openapi))
    if found:
        return f"3.{found[1]}"
    raise _not_openapi(document)


def _not_openapi(document: JsonObject) -> DocumentError:
    from specfn.document import foreign  # noqa: PLC0415  # a document that is one does not pay for it

    found = foreign.document(document)
    return DocumentError(
        "this is not an OpenAPI or Swagger document that specfn reads "
        f"(swagger 2.0, openapi 3.0, 3.1 or 3.2): {found.told}",
        pointer=found.pointer,
    )


def normalize(document: JsonObject, uri: str | None = None, *, shared: bool = False) -> Normalized:
    """Normalize a document. The input is not changed; untouched parts are shared with it.

    A reference into a place that only normalizing makes (``#/components/schemas/A`` in Swagger 2.0) means that
    place: else normalizing twice would not be normalizing once, and what was dangling would lead somewhere.

    Args:
        document: the raw document: a tree of plain JSON values.
        uri: where it came from; a reference by that name is internal.
        shared: whether one object may stand in several places of it; each is then normalized once.

    Raises:
        DocumentError: the document is of no known version.
    """
    found = version(document)
    normalized = _once(document, uri, found, shared=shared)
    for _ in range(_MAX_ROUNDS):
        if not normalized.revealed:
            break
        again = _once(normalized.result.document, uri, "3.1", shared=shared)
        notes = dict.fromkeys((*normalized.result.notes, *again.result.notes))
        result = again.result._replace(version=found, notes=tuple(notes))
        normalized = _Round(result, revealed=again.revealed)
    return normalized.result


def _sharing() -> type[SchemaUpgrade]:
    from specfn.document.shared import SharedUpgrade  # noqa: PLC0415  # most documents are trees

    return SharedUpgrade


class _Round(NamedTuple):
    """A document that was normalized once.

    Attributes:
        result: what that gave.
        revealed: whether a reference that led nowhere in the document leads somewhere in the result.
    """

    result: Normalized
    revealed: bool


def _once(document: JsonObject, uri: str | None, found: str, *, shared: bool) -> _Round:
    resolver = Resolver(document, uri)
    kind = _sharing() if shared else SchemaUpgrade
    components: Any
    if found == "2.0":
        components = document.get("definitions")
        upgrade = kind(resolver, components, siblings=False)
        reader: Swagger2 | OpenApi3 = Swagger2(resolver, upgrade)
    else:
        components = document.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        dialect = document.get("jsonSchemaDialect")
        upgrade = kind(resolver, schemas, siblings=found != "3.0", dialect=dialect)
        reader = OpenApi3(resolver, upgrade)
    normalized = reader.document()
    result = Normalized(
        document=normalized,
        dangling=frozenset(upgrade.dangling),
        notes=tuple(reader.notes),
        version=found,
        nodes=upgrade.nodes,
    )
    lost = upgrade.dangling | reader.dangling
    return _Round(result, revealed=any(map(Resolver(normalized, uri).has, lost)))
