"""Request bodies and responses of an operation: media type, schema and serialization (rules R8, R9, X15).

For a stream of events, documents declare the schema of all items, of one item, of an event with its data, or of the
data alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import reference_of
from specfn.document.upgrade.keywords import is_true
from specfn.migrate.bodies import media_types
from specfn.migrate.bodies.media_types import EVENT_STREAM, SchemaResolver, essence, is_sequence
from specfn.migrate.bodies.parts import parts_of, transfer_of
from specfn.migrate.broken_references import refuse_reference
from specfn.migrate.route import Body, DeclaredResponse
from specfn.records import Note

#: The maximum number of media types in a note.
_MAX_OTHERS: Final = 5


def body_of(
    raw: Any,
    wanted: str | None,
    version: str,
    pointer: str,
    resolve: SchemaResolver,
    notes: list[Note],
) -> Body | None:
    """Return the request body of an operation; ``None`` if the operation declares no request body.

    Args:
        raw: the normalized Request Body Object.
        wanted: the media type that ``Options.media_types`` selects.
        version: the OpenAPI version of the raw document.
        pointer: the location of the Request Body Object.
        resolve: returns the composed schema of a normalized one.
        notes: receives the notes about the body.

    Raises:
        Refused: the body needs a dangling reference.
    """
    if not isinstance(raw, dict):
        return None
    _refuse_reference(raw, pointer)
    content = raw.get("content")
    _refuse_reference(content, f"{pointer}/content")
    content = content if isinstance(content, dict) else {}
    chosen = media_types.choose(content, wanted, resolve)
    if chosen is None:
        text = "the request body declares no content; it is ignored"
        notes.append(Note(pointer=pointer, text=text))
        return None
    declared = content[chosen] if isinstance(content[chosen], dict) else {}
    _refuse_reference(declared, pointer)
    if wanted is not None and media_types.essence(wanted) != media_types.essence(chosen):
        text = f"Options.media_types selects {wanted!r}, which the request body does not declare"
        notes.append(Note(pointer=pointer, text=text))
    elif wanted is None:
        notes += [Note(pointer=pointer, text=text) for text in _others(content, chosen)]
    return _read_body(raw, chosen, declared, version, pointer, resolve)


def _others(content: JsonObject, chosen: str) -> Iterator[str]:
    """Yield the sentence on media types that are not offered, although their schema is another one."""
    schemas = {
        name: media.get("schema") if isinstance(media, dict) else None
        for name, media in content.items()
    }
    others = [repr(name) for name, schema in schemas.items() if schema != schemas[chosen]]
    if others:
        yield (
            f"the request body is {chosen!r}; {', '.join(others[:_MAX_OTHERS])} with another schema can be chosen by "
            "Options.media_types"
        )


def _refuse_reference(node: Any, pointer: str) -> None:
    reference = reference_of(node)
    if reference is not None:
        raise refuse_reference(reference, pointer)


def _read_body(
    raw: JsonObject,
    chosen: str,
    declared: JsonObject,
    version: str,
    pointer: str,
    resolve: SchemaResolver,
) -> Body:
    kind = media_types.kind_of(chosen)
    schema = media_types.schema_of(declared, kind)
    if media_types.is_sequence(chosen):
        schema, kind = media_types.sequence_of(declared, resolve)
    description = raw.get("description")
    encoding = declared.get("encoding")
    more: JsonObject = {}
    if kind == "multipart":
        more["parts"] = parts_of(declared, schema, resolve, is_typed=version in {"2.0", "3.0"})
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


class DeclaredResponses(Mapping[str, DeclaredResponse]):
    """Declared responses by status. Each is read on demand: most calls need only the success response."""

    def __init__(
        self, responses: Mapping[str, JsonObject], resolve: SchemaResolver | None = None
    ) -> None:
        self._responses = responses
        self._resolve = resolve or media_types.keep_schema

    def __getitem__(self, status: str) -> DeclaredResponse:
        return declared_response(status, self._responses[status], self._resolve)

    def __iter__(self) -> Iterator[str]:
        return iter(self._responses)

    def __len__(self) -> int:
        return len(self._responses)

    def __repr__(self) -> str:
        return f"DeclaredResponses({dict(self)!r})"

    def without(self, status: str | None) -> "DeclaredResponses":
        """Return all responses but one, without the look-up of schemas, which cannot be pickled."""
        rest = {key: node for key, node in self._responses.items() if key != status}
        return DeclaredResponses(rest)


def declared_response(
    status: str, response: JsonObject, resolve: SchemaResolver
) -> DeclaredResponse:
    """Return a Response Object as a record; ``resolve`` returns the composed schema of a normalized one."""
    content = response.get("content")
    content = content if isinstance(content, dict) else {}
    chosen = media_types.choose(content)
    declared = content[chosen] if chosen is not None and isinstance(content[chosen], dict) else {}
    kind = media_types.kind_of(chosen) if chosen is not None else None
    description = response.get("description")
    schema = None
    if chosen is not None and kind is not None:
        schema = events_schema(chosen, declared, resolve)
        schema = media_types.schema_of(declared, kind) if schema is None else schema
    return DeclaredResponse(
        status=status,
        media_type=chosen,
        kind=kind,
        schema=schema,
        description=description if isinstance(description, str) else None,
        media_types=tuple(content),
    )


def success_of(responses: Mapping[str, DeclaredResponse]) -> DeclaredResponse | None:
    """Return the success response: 200, 201, other 2xx ascending, ``2XX``; the first with content (rule R9)."""
    statuses = [status for status in responses if len(status) == 3 and status.startswith("2")]
    statuses.sort(key=lambda name: (name.upper() == "2XX", name not in {"200", "201"}, name))
    if not statuses and "default" in responses:
        statuses = ["default"]
    candidates = [responses[status] for status in statuses]
    with_content = [response for response in candidates if response.media_type is not None]
    return next(iter(with_content or candidates), None)


def media_type_object_of(response: DeclaredResponse, raw: Any) -> Any:
    """Return the Media Type Object that a response uses."""
    if response.media_type is None:
        return None
    content = raw[response.status].get("content")
    return content[response.media_type] if isinstance(content, dict) else None


_TEXT: Final[JsonObject] = {"type": "string"}

#: The members of a server-sent event in addition to its data.
_MEMBERS: Final[JsonObject] = {"event": _TEXT, "id": _TEXT}


def events_schema(media_type: str, media: JsonObject, resolve: SchemaResolver) -> JsonObject | None:
    """Return the normalized schema of all events; ``None`` for a response that is not a stream of events."""
    item = media.get("itemSchema")
    if essence(media_type) == EVENT_STREAM:
        given = _item(media.get("schema", True), resolve) if item is None else _decode_data(item)
        return _array(_event(given, resolve, is_item=item is not None))
    if not is_sequence(media_type):
        return None
    schema = media.get("schema", True)
    if item is None and "array" in _types(resolve(schema)):
        return schema  # type: ignore[no-any-return]  # a schema with a type is an object
    return _array(_item(schema, resolve) if item is None else item)


def _array(item: Any) -> JsonObject:
    return {"type": "array", "items": item}


def _item(schema: Any, resolve: SchemaResolver) -> Any:
    """Return the schema of one item. A text has any items."""
    types = _types(resolve(schema))
    if "array" in types:
        return schema.get("items", {}) if isinstance(schema, dict) else {}
    return {} if schema is True or "string" in types else schema


def _types(composed: Any) -> list[str]:
    declared = composed.get("type") if isinstance(composed, dict) else None
    return [declared] if isinstance(declared, str) else list(declared or ())


def _event(item: Any, resolve: SchemaResolver, *, is_item: bool) -> Any:
    """Return the schema of an event; ``item`` may be that of its data. Data that is not JSON is a text."""
    composed = resolve(item)
    properties = composed.get("properties") if isinstance(composed, dict) else None
    members = {"data"} if is_item else {"data", "event"}
    if properties and members <= properties.keys():
        return item
    data = {"anyOf": [item, _TEXT]} if item else {}
    return {"type": "object", "properties": {**_MEMBERS, "data": data}, "required": ["data"]}


def _decode_data(item: Any) -> Any:
    """Return the schema of an event whose data is declared as JSON in a string (OpenAPI 3.2)."""
    properties = item.get("properties") if isinstance(item, dict) else None
    if not isinstance(properties, dict):
        return item
    data = properties.get("data")
    if not isinstance(data, dict) or "contentSchema" not in data:
        return item
    return {**item, "properties": {**properties, "data": data["contentSchema"]}}
