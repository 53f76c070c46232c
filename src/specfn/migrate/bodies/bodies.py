"""Request bodies: the choice of the media type, and the serialization (rule R8)."""

from typing import Any

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import reference_of
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.bodies import media_types
from specfn.migrate.bodies.media_types import Look
from specfn.migrate.bodies.parts import parts_of, transfer_of
from specfn.migrate.errors import lost_reference
from specfn.migrate.route import Body
from specfn.records import Note


def body_of(
    raw: Any, wanted: str | None, version: str, pointer: str, look: Look, notes: list[Note]
) -> Body | None:
    """Return the request body of an operation; ``None`` if the operation declares no request body.

    Args:
        raw: the normalized Request Body Object.
        wanted: the media type that ``Options.media_types`` selects.
        version: the OpenAPI version of the raw document.
        pointer: the location of the Request Body Object.
        look: returns the composed schema of a normalized one.
        notes: receives the notes about the body.

    Raises:
        Refused: the body needs a dangling reference.
    """
    if not isinstance(raw, dict):
        return None
    _needs_no(raw, pointer)
    content = raw.get("content")
    content = content if isinstance(content, dict) else {}
    chosen = media_types.choose(content, wanted, look)
    if chosen is None:
        text = "the request body declares no content: dropped"
        notes.append(Note(pointer=pointer, text=text))
        return None
    declared = content[chosen] if isinstance(content[chosen], dict) else {}
    _needs_no(declared, pointer)
    if wanted is not None and media_types.essence(wanted) != media_types.essence(chosen):
        text = f"Options.media_types selects {wanted!r}, which the request body does not declare"
        notes.append(Note(pointer=pointer, text=text))
    return _body(raw, chosen, declared, version, pointer, look)


def _needs_no(node: JsonObject, pointer: str) -> None:
    reference = reference_of(node)
    if reference is not None:
        raise lost_reference(reference, pointer)


def _body(
    raw: JsonObject, chosen: str, declared: JsonObject, version: str, pointer: str, look: Look
) -> Body:
    kind = media_types.kind_of(chosen)
    schema = media_types.schema_of(declared, kind)
    if media_types.is_sequence(chosen):
        schema, kind = media_types.sequence_of(declared, look)
    description = raw.get("description")
    encoding = declared.get("encoding")
    more: JsonObject = {}
    if kind == "multipart":
        more["parts"] = parts_of(declared, schema, look, is_typed=version in {"2.0", "3.0"})
    elif kind == "binary":
        more["transfer"] = transfer_of(schema)
    return Body(
        media_type=chosen,
        kind=kind,
        schema=schema,
        required=is_true(raw.get("required")),
        description=description if isinstance(description, str) else None,
        encoding={
            key: node
            for key, node in (encoding.items() if isinstance(encoding, dict) else ())
            if isinstance(node, dict)
        },
        pointer=pointer,
        is_itemwise=version == "3.2",
        **more,
    )
