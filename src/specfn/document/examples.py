"""Examples and defaults of a raw document of any version, each with the location of its schema."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject
from specfn._internal.pointer import from_fragment, join
from specfn.document.upgrade.openapi3 import METHODS

_Tokens: TypeAlias = tuple[str | int, ...]


class Example(NamedTuple):
    """A value that a document declares for a schema.

    Attributes:
        pointer: the location of the value.
        value: the value.
        schema: the location of the schema.
    """

    pointer: str
    value: Any
    schema: str


#: Whether a member is one object, or a map or list of objects.
_ONE: Final = False
_MANY: Final = True

_CONTENT: Final = {"content": ("media", _MANY), "headers": ("parameter", _MANY)}

#: By type of object: its members that contain objects, and the type of those.
_MEMBERS: Final[dict[str, dict[str, tuple[str, bool]]]] = {
    "document": {
        "components": ("components", _ONE),
        "definitions": ("schema", _MANY),
        "parameters": ("parameter", _MANY),
        "responses": ("response", _MANY),
        "paths": ("item", _MANY),
        "webhooks": ("item", _MANY),
    },
    "components": {
        "schemas": ("schema", _MANY),
        "parameters": ("parameter", _MANY),
        "headers": ("parameter", _MANY),
        "requestBodies": ("response", _MANY),
        "responses": ("response", _MANY),
        "pathItems": ("item", _MANY),
        "callbacks": ("callback", _MANY),
    },
    "item": {
        "parameters": ("parameter", _MANY),
        **dict.fromkeys(METHODS, ("operation", _ONE)),
        "additionalOperations": ("operation", _MANY),
    },
    "operation": {
        "parameters": ("parameter", _MANY),
        "requestBody": ("response", _ONE),
        "responses": ("response", _MANY),
        "callbacks": ("callback", _MANY),
    },
    "parameter": {"schema": ("schema", _ONE), "content": ("media", _MANY)},
    "response": {**_CONTENT, "schema": ("schema", _ONE)},
    "media": {"schema": ("schema", _ONE), "itemSchema": ("schema", _ONE)},
    "schema": {
        **dict.fromkeys(
            (
                *("additionalItems", "additionalProperties", "contains", "contentSchema", "else"),
                *("if", "items", "not", "propertyNames", "then", "unevaluatedItems"),
                "unevaluatedProperties",
            ),
            ("schema", _ONE),
        ),
        **dict.fromkeys(
            (
                *("allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties"),
                *("$defs", "definitions", "dependentSchemas"),
            ),
            ("schema", _MANY),
        ),
    },
}

#: Objects whose keys are the document's own, except those that begin with ``x-``.
_EXTENSIBLE: Final = frozenset({"callback", "item", "response"})


def examples(document: JsonObject) -> Iterator[Example]:
    """Yield every example and default in document order. References to other documents are not followed."""
    stack: list[tuple[Any, str, _Tokens]] = [(document, "document", ())]
    while stack:
        node, kind, place = stack.pop()
        if not isinstance(node, dict) or (kind != "schema" and isinstance(node.get("$ref"), str)):
            continue
        if kind == "parameter" and "schema" not in node and "type" in node:
            kind = "schema"  # Swagger 2.0: a parameter or header is its own schema
        yield from _own(document, node, kind, place)
        stack.extend(reversed([*_inner(node, kind, place)]))


def _inner(node: JsonObject, kind: str, place: _Tokens) -> Iterator[tuple[Any, str, _Tokens]]:
    """Yield the objects in an object, with their types and locations."""
    if kind == "callback":
        for url, item in node.items():
            if not str(url).startswith("x-"):
                yield item, "item", (*place, url)
        return
    members = _MEMBERS[kind]
    for name, value in node.items():
        inner, is_many = members.get(name, ("", _ONE))
        if not inner:
            continue
        if isinstance(value, list):
            yield from ((item, inner, (*place, name, index)) for index, item in enumerate(value))
        elif is_many and isinstance(value, dict):
            for key, item in value.items():
                if not (inner in _EXTENSIBLE and str(key).startswith("x-")):
                    yield item, inner, (*place, name, key)
        else:
            yield value, inner, (*place, name)


def _own(document: JsonObject, node: JsonObject, kind: str, place: _Tokens) -> Iterator[Example]:
    """Yield the examples that an object declares itself."""
    if kind == "schema":
        for keyword in ("default", "example"):
            if keyword in node:
                yield Example(join((*place, keyword)), node[keyword], join(place))
        several = node.get("examples")
        for index, value in enumerate(several) if isinstance(several, list) else ():
            yield Example(join((*place, "examples", index)), value, join(place))
    elif kind in {"media", "parameter", "response"} and "schema" in node:
        schema = join((*place, "schema"))
        is_json = kind != "media" or "json" in str(place[-1]).lower()
        for pointer, value in _beside(document, node, kind, place):
            if is_json or not isinstance(value, str):  # a string may be the serialized value
                yield Example(pointer, value, schema)


def _beside(
    document: JsonObject, node: JsonObject, kind: str, place: _Tokens
) -> Iterator[tuple[str, Any]]:
    """Yield the values beside a schema, with their locations."""
    if "example" in node and kind != "response":
        yield join((*place, "example")), node["example"]
    several = node.get("examples")
    for name, example in several.items() if isinstance(several, dict) else ():
        at: _Tokens = (*place, "examples", name)
        if kind == "response":  # Swagger 2.0: by media type
            if "json" in str(name).lower():
                yield join(at), example
            continue
        found, at = _follow_example(document, example, at)
        for keyword in ("value", "dataValue"):
            if isinstance(found, dict) and keyword in found:
                yield join((*at, keyword)), found[keyword]


def _follow_example(document: JsonObject, node: Any, place: _Tokens) -> tuple[Any, _Tokens]:
    """Return the Example Object behind an internal reference, and its location."""
    reference = node.get("$ref") if isinstance(node, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return node, place
    tokens = from_fragment(reference[1:])
    found: Any = document
    for token in tokens:
        found = found.get(token) if isinstance(found, dict) else None
    return found, tuple(tokens)
