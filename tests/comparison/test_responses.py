"""The verdicts of responses for people who maintain clients."""

from typing import Any

import pytest
from tests.comparison.pairs import DOCUMENT, Json, changed, put

import specfn

TEXT: Json = {"type": "string"}
ITEM: Json = {"type": "object", "properties": {"id": TEXT, "note": TEXT}, "required": ["id"]}


def document(responses: Json, **schemas: Any) -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets": {"get": {"responses": responses}}},
        "components": {"schemas": schemas},
    }


def content(schema: Any, *media_types: str) -> Json:
    names = media_types or ("application/json",)
    return {"description": "a", "content": {name: {"schema": schema} for name in names}}


def compared(old: Json, new: Json, *, responses: bool = True) -> dict[str, str]:
    """Return the verdict of each difference by its place and kind, without texts."""
    differences = specfn.compare(specfn.load(old), specfn.load(new), responses=responses)
    return {
        f"{difference.place} {difference.kind}": difference.breaking
        for difference in differences
        if difference.kind != "text"
    }


def with_item(**keywords: Any) -> Json:
    return {**ITEM, **keywords}


MORE = {**ITEM["properties"], "more": TEXT}
LESS = {"id": TEXT}


def tagged(name: str) -> Json:
    """Return an alternative that a required property names."""
    properties = {"kind": {"const": name}, name: TEXT}
    return {"type": "object", "properties": properties, "required": ["kind"]}


MANY = [tagged(f"k{index}") for index in range(30)]
NULL = {"type": ["string", "null"]}

#: Two schemas of a response, and the differences with their verdicts forward and backward.
SCHEMAS: dict[str, tuple[Any, Any, Json, Json]] = {
    "a new property": (
        ITEM,
        with_item(properties=MORE),
        {"$output.more property-added": "no"},
        {"$output.more property-removed": "maybe"},
    ),
    "a new required property": (
        ITEM,
        with_item(properties=MORE, required=["id", "more"]),
        {"$output.more property-added": "no"},
        {"$output.more property-removed": "yes"},
    ),
    "a new property of an object that was closed": (
        with_item(additionalProperties=False),
        with_item(properties=MORE, additionalProperties=False),
        {"$output.more property-added": "maybe"},
        {"$output.more property-removed": "maybe"},
    ),
    "a property that may be absent now": (
        ITEM,
        with_item(required=[]),
        {"$output.id required": "yes"},
        {"$output.id required": "no"},
    ),
    "a renamed property": (
        ITEM,
        with_item(properties={"key": TEXT, "note": {"type": "integer"}}, required=["key"]),
        {"$output.id property-renamed": "yes", "$output.note type": "yes"},
        {"$output.key property-renamed": "yes", "$output.note type": "yes"},
    ),
    "null": (
        with_item(properties={"id": TEXT}),
        with_item(properties={"id": NULL}),
        {"$output.id nullable": "yes"},
        {"$output.id nullable": "no"},
    ),
    "a new value": (
        {"enum": ["a", "b"]},
        {"enum": ["a", "b", "c"]},
        {"$output enum": "yes"},
        {"$output enum": "no"},
    ),
    "a new alternative": (
        {"anyOf": [TEXT, {"type": "integer"}]},
        {"anyOf": [TEXT, {"type": "integer"}, {"type": "boolean"}]},
        {"$output branch-added": "yes"},
        {"$output branch-removed": "no"},
    ),
    "an alternative among many": (
        {"anyOf": MANY},
        {"anyOf": [*MANY, tagged("new")]},
        {"$output branch-added": "yes"},
        {"$output branch-removed": "no"},
    ),
    "a required property that is not declared": (
        {"type": "object", "required": ["id", "key"], "properties": LESS},
        {"type": "object", "required": ["id"], "properties": LESS},
        {"$output.key required": "yes"},
        {"$output.key required": "no"},
    ),
    "a wider bound": (
        {"type": "integer", "maximum": 5},
        {"type": "integer", "maximum": 9},
        {"$output bound": "yes"},
        {"$output bound": "no"},
    ),
    "another pattern": (
        {"type": "string", "pattern": "^a"},
        {"type": "string", "pattern": "^b"},
        {"$output pattern": "maybe"},
        {"$output pattern": "maybe"},
    ),
    "undeclared properties": (
        with_item(additionalProperties=False),
        ITEM,
        {"$output additional-properties": "maybe"},
        {"$output additional-properties": "no"},
    ),
    "a map of other values": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"$output.* type": "yes"},
        {"$output.* type": "no"},
    ),
    "a default": (
        {"type": "string", "default": "a"},
        {"type": "string", "default": "b"},
        {"$output default": "no"},
        {"$output default": "no"},
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_response_is_judged_by_what_clients_can_read(name: str) -> None:
    """A response breaks clients if the old schema refuses what the new one describes; without the option, never."""
    before, after, forward, backward = SCHEMAS[name]
    old, new = (document({"200": content(schema)}) for schema in (before, after))
    assert compared(old, new) == forward
    assert compared(new, old) == backward
    assert compared(old, new, responses=False) == dict.fromkeys(forward, "no")


OK, ERROR = content(ITEM), content(TEXT)

#: Two sets of responses, and the differences with their verdicts forward and backward.
RESPONSES: dict[str, tuple[Json, Json, Json, Json]] = {
    "a success": (
        {"200": OK},
        {"200": OK, "201": OK},
        {"responses.201 response": "maybe"},
        {"responses.201 response": "yes"},
    ),
    "another success": (
        {"200": OK},
        {"201": OK},
        {"responses.200 response": "yes", "responses.201 response": "maybe"},
        {"responses.201 response": "yes", "responses.200 response": "maybe"},
    ),
    "a range": (
        {"200": OK},
        {"2XX": OK},
        {"responses.200 response": "maybe", "responses.2XX response": "maybe"},
        {"responses.2XX response": "maybe", "responses.200 response": "maybe"},
    ),
    "an error": (
        {"200": OK},
        {"200": OK, "404": ERROR},
        {"responses.404 response": "no"},
        {"responses.404 response": "maybe"},
    ),
    "the schema of an error": (
        {"200": OK, "404": ERROR},
        {"200": OK, "404": content({"type": "integer"})},
        {"responses.404.body type": "yes"},
        {"responses.404.body type": "yes"},
    ),
    "a media type": (
        {"200": content(ITEM, "application/json", "text/csv")},
        {"200": OK},
        {"responses.200 response": "yes"},
        {"responses.200 response": "no"},
    ),
    "a parameter of a media type": (
        {"200": OK},
        {"200": content(ITEM, "application/json; charset=utf-8")},
        {},
        {},
    ),
    "a range of media types": (
        {"200": content(TEXT, "text/csv")},
        {"200": content(TEXT, "text/*")},
        {"responses.200 response": "maybe"},
        {"responses.200 response": "yes"},
    ),
    "no content": (
        {"200": OK},
        {"200": {"description": "a"}},
        {"responses.200 response": "yes"},
        {"responses.200 response": "no"},
    ),
    "the schema of another media type": (
        {"200": {"description": "a", "content": {**OK["content"], "text/x": {"schema": TEXT}}}},
        {
            "200": {
                "description": "a",
                "content": {**OK["content"], "text/x": {"schema": {"enum": ["a"]}}},
            }
        },
        {"responses.200.body (text/x) enum": "no"},
        {"responses.200.body (text/x) enum": "yes"},
    ),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_statuses_and_media_types_are_judged(name: str) -> None:
    """What clients wait for and do not get any more breaks them; a status that they do not know may."""
    before, after, forward, backward = RESPONSES[name]
    old, new = document(before), document(after)
    assert compared(old, new) == forward
    assert compared(new, old) == backward
    assert set(compared(old, new, responses=False).values()) <= {"no"}


def headers(**nodes: Any) -> Json:
    return {
        "200": {**OK, "headers": {name.replace("_", "-"): node for name, node in nodes.items()}}
    }


NUMBER: Json = {"schema": {"type": "integer"}}

#: The headers of two responses, and the differences with their verdicts forward and backward.
HEADERS: dict[str, tuple[Json, Json, Json, Json]] = {
    "an optional header": (
        headers(),
        headers(X_Rate=NUMBER),
        {"responses.200.headers.X-Rate response-header": "no"},
        {"responses.200.headers.X-Rate response-header": "maybe"},
    ),
    "a required header": (
        headers(),
        headers(X_Rate={**NUMBER, "required": True}),
        {"responses.200.headers.X-Rate response-header": "no"},
        {"responses.200.headers.X-Rate response-header": "yes"},
    ),
    "a header that becomes optional": (
        headers(X_Rate={**NUMBER, "required": True}),
        headers(X_Rate=NUMBER),
        {"responses.200.headers.X-Rate required": "yes"},
        {"responses.200.headers.X-Rate required": "no"},
    ),
    "the schema of a header": (
        headers(X_Rate=NUMBER),
        headers(X_Rate={"schema": {"type": "number"}}),
        {"responses.200.headers.X-Rate type": "yes"},
        {"responses.200.headers.X-Rate type": "no"},
    ),
    "the form of a header": (
        headers(X_Rate=NUMBER),
        headers(X_Rate={"content": {"application/json": NUMBER}}),
        {"responses.200.headers.X-Rate serialization": "yes"},
        {"responses.200.headers.X-Rate serialization": "yes"},
    ),
    "the letter case of a header": (headers(X_Rate=NUMBER), headers(x_rate=NUMBER), {}, {}),
    "the content type": (headers(), headers(Content_Type=NUMBER), {}, {}),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_responses_are_listed_and_judged(name: str) -> None:
    """A header that is new, gone or has another schema is a difference; clients may have read it."""
    before, after, forward, backward = HEADERS[name]
    old, new = document(before), document(after)
    assert compared(old, new) == forward
    assert compared(new, old) == backward
    assert compared(old, new, responses=False) == dict.fromkeys(forward, "no")


def test_a_header_of_a_component_is_compared() -> None:
    """References of responses, headers and their schemas are followed."""

    def referring(maximum: int) -> Json:
        whole = document({"200": {"$ref": "#/components/responses/R"}})
        header = {"schema": {"$ref": "#/components/schemas/S"}}
        response = {**OK, "headers": {"X-A": {"$ref": "#/components/headers/H"}}}
        schemas = {"S": {"type": "integer", "maximum": maximum}}
        parts = {"responses": {"R": response}, "headers": {"H": header}, "schemas": schemas}
        return {**whole, "components": parts}

    assert compared(referring(1), referring(2)) == {"responses.200.headers.X-A bound": "yes"}


def test_a_shared_component_is_judged_in_any_order_of_properties() -> None:
    """The verdict of a component is found at its place, however the two documents are ordered."""
    names = ("a", "b", "c")

    def ordered(keys: Any, maximum: int) -> Json:
        reference = {"$ref": "#/components/schemas/S"}
        root = {"type": "object", "properties": dict.fromkeys(keys, reference)}
        return document({"200": content(root)}, S={"type": "integer", "maximum": maximum})

    assert compared(ordered(names, 1), ordered(names[::-1], 2)) == {"$output.a bound": "yes"}


def test_requests_are_judged_the_same_with_and_without_responses() -> None:
    """The option concerns responses only."""
    old, new = DOCUMENT, changed(lambda d: put(d)["parameters"][1].update(required=True))
    assert compared(old, new) == compared(old, new, responses=False)
    assert compared(old, new) == {"$input.query.limit required": "yes"}
