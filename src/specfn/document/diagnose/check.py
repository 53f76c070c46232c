"""Diagnostics of a raw document: the metaschema always, openapi-spec-validator on request."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from specfn._internal.json import loads
from specfn.document.read.limits import TOO_DEEP, too_deep
from specfn.document.read.load import read_resource
from specfn.errors import UsageError
from specfn.records import Note

if TYPE_CHECKING:
    from specfn.document.diagnose.metaschema import Metaschema, Rule

#: The maximum number of notes that one check returns, and that one operation gets.
MAX_NOTES: Final = 100
MAX_OPERATION_NOTES: Final = 5

_PACKAGE: Final = "openapi_spec_validator"

#: By version: the directory of its metaschema and the validator class, in openapi-spec-validator.
_VERSIONS: Final[dict[str, tuple[str, str]]] = {
    "2.0": ("v2.0", "OpenAPIV2SpecValidator"),
    "3.0": ("v3.0", "OpenAPIV30SpecValidator"),
    "3.1": ("v3.1", "OpenAPIV31SpecValidator"),
    "3.2": ("v3.2", "OpenAPIV32SpecValidator"),
}

#: The first version of openapi-spec-validator that supports OpenAPI 3.2. Older ones support all other versions.
_KNOWS_32: Final = "0.8.2"

#: The files of schemas that metaschemas refer to, by URI. Swagger's metaschema refers to JSON Schema's own.
_OTHERS: Final = {
    "http://json-schema.org/draft-04/schema": (
        "jsonschema_specifications",
        "schemas",
        "draft4",
        "metaschema.json",
    ),
}


def diagnose(document: Any) -> tuple[Note, ...]:
    """Return the faults that the metaschema of the document's version finds, at most ``MAX_NOTES``.

    Any JSON value is accepted; nothing is raised.
    """
    version = _version(document)
    if version is None:
        return (Note(pointer="", text="the document declares no version of OpenAPI or Swagger"),)
    if too_deep(document):
        return (Note(pointer="", text=TOO_DEEP),)
    metaschema = _metaschema(version)
    if metaschema is None:
        return (Note(pointer="", text=_text_for_unchecked(version)),)
    try:
        if metaschema.is_valid(document):
            return ()
        distinct = dict.fromkeys(
            islice(_explain_faults(metaschema, document, metaschema.root), 2 * MAX_NOTES)
        )
    except ValueError as error:
        return (Note(pointer="", text=f"the document is not JSON: {str(error)[:100]}"),)
    return tuple(islice(distinct, MAX_NOTES))


def diagnose_operation(version: str, operation: Any, pointer: str) -> tuple[Note, ...]:
    """Return the faults that the metaschema finds in one operation, at most ``MAX_OPERATION_NOTES``.

    Args:
        version: the version of the document.
        operation: the Operation Object as it was read, of a document within the limits of depth.
        pointer: its location.
    """
    metaschema = _metaschema(version) if version in _VERSIONS and operation is not None else None
    if metaschema is None:
        return ()
    try:
        if metaschema.fits(metaschema.operation, operation):
            return ()
        faults = _explain_faults(metaschema, operation, metaschema.operation)
        distinct = dict.fromkeys(islice(faults, 2 * MAX_OPERATION_NOTES))
    except ValueError:  # a number that cannot be read; the document has a note about it
        return ()
    return tuple(
        replace(note, pointer=pointer + note.pointer)
        for note in islice(distinct, MAX_OPERATION_NOTES)
    )


def strict(document: Any, uri: str | None = None) -> tuple[Note, ...]:
    """Return the notes of ``diagnose``, then those of openapi-spec-validator's own checks.

    It checks schemas and their defaults, operation ids, parameters and tags. It stops at the first dangling
    reference. A large document takes seconds. It runs in a process of its own with a limit of processor time; a
    note says if it was stopped. Nothing is fetched.

    Args:
        document: the raw document.
        uri: the URI that the document was read from. References to this URI are internal.

    Raises:
        UsageError: the installed openapi-spec-validator does not support the document's version.
    """
    version = _version(document)
    if version is not None and _metaschema(version) is None:
        raise UsageError(_text_for_unchecked(version))
    notes = list(diagnose(document))
    if version is None or too_deep(document):
        return tuple(notes)
    from specfn.document.diagnose import spec_validator  # noqa: PLC0415  # only for the strict check

    notes += spec_validator.notes(document, _VERSIONS[version][1], uri or "", MAX_NOTES)
    return tuple(dict.fromkeys(notes))[:MAX_NOTES]


def _version(document: Any) -> str | None:
    """Return the version that a document declares, even if it is a number (rule N1)."""
    if not isinstance(document, dict):
        return None
    for key in ("swagger", "openapi"):
        version = str(document.get(key))[:3]
        if version in _VERSIONS and (version == "2.0") == (key == "swagger"):
            return version
    return None


@cache
def _metaschema(version: str) -> "Metaschema | None":
    """Return the metaschema that openapi-spec-validator ships, without an import of that package."""
    from specfn.document.diagnose.metaschema import Metaschema  # noqa: PLC0415  # 24 ms for the engine

    others = {}
    for uri, names in _OTHERS.items():
        content = read_resource(*names)
        if content is not None:
            others[uri] = loads(content)
    content = read_resource(_PACKAGE, "resources", "schemas", _VERSIONS[version][0], "schema.json")
    return Metaschema(loads(content), others) if content is not None else None


def _text_for_unchecked(version: str) -> str:
    """Return the text that explains why documents of a version cannot be checked."""
    return (
        f"OpenAPI {version} is not checked: the installed openapi-spec-validator has no metaschema for it; "
        f"install openapi-spec-validator>={_KNOWS_32}"
    )


def _explain_faults(metaschema: "Metaschema", value: Any, rule: "Rule") -> Iterator[Note]:
    from specfn.document.diagnose.explain import explain  # noqa: PLC0415  # most documents need no explaining

    return explain(metaschema, value, rule)
