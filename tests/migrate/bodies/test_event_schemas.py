"""R9, X15: the schema of a response that is a stream of events."""

from typing import Any

import pytest

from specfn import load

ITEM = {"type": "object", "properties": {"a": {"type": "integer"}}}
EVENT = {"type": "object", "properties": {"event": {"type": "string"}, "data": ITEM}}
SCHEMAS = {"Item": ITEM, "Items": {"type": "array", "items": ITEM}, "Event": EVENT}


def reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def output(media_type: str, media: dict[str, Any]) -> Any:
    operation = {"responses": {"200": {"description": "", "content": {media_type: media}}}}
    document = {
        "openapi": "3.2.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/e": {"get": operation}},
        "components": {"schemas": SCHEMAS},
    }
    return load(document)["GET /e"].output


def event_of(data: Any) -> Any:
    text = {"type": "string"}
    properties = {"event": text, "id": text, "data": data}
    items = {"type": "object", "properties": properties, "required": ["data"]}
    return {"type": "array", "items": items}


DATA = {"anyOf": [ITEM, {"type": "string"}]}
CODED = {"type": "string", "contentMediaType": "application/json", "contentSchema": ITEM}


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        ({}, event_of({})),
        ({"schema": {"type": "string"}}, event_of({})),
        ({"schema": reference("Item")}, event_of(DATA)),
        ({"schema": ITEM}, event_of(DATA)),
        ({"schema": {"type": "array", "items": reference("Item")}}, event_of(DATA)),
        ({"schema": reference("Event")}, {"type": "array", "items": EVENT}),
        ({"itemSchema": reference("Event")}, {"type": "array", "items": EVENT}),
        ({"itemSchema": reference("Item")}, event_of(DATA)),
        (
            {"itemSchema": {"type": "object", "properties": {"data": CODED}}},
            {"type": "array", "items": {"type": "object", "properties": {"data": ITEM}}},
        ),
    ],
)
def test_server_sent_events(media: dict[str, Any], expected: Any) -> None:
    """R9, X15: the output is an array of events, whether the document declares an event, its data, or nothing."""
    assert output("text/event-stream; charset=utf-8", media) == expected


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/json-seq"])
@pytest.mark.parametrize(
    ("media", "items"),
    [
        ({}, {}),
        ({"schema": {"type": "string", "format": "binary"}}, {}),
        ({"schema": reference("Item")}, ITEM),
        ({"schema": reference("Items")}, ITEM),
        ({"schema": {"type": ["array", "null"], "items": ITEM}}, ITEM),
        ({"itemSchema": reference("Item")}, ITEM),
    ],
)
def test_items(media_type: str, media: dict[str, Any], items: Any) -> None:
    """R9, X15: the output is an array, whether the document declares one item or all of them."""
    found = output(media_type, media)
    assert "array" in found["type"]
    assert found.get("items", {}) == items


def test_other_responses_keep_their_schema() -> None:
    """R9: only streams of events become arrays."""
    assert output("application/json", {"schema": reference("Item")}) == ITEM
    assert output("text/plain", {"schema": reference("Item")}) == {"type": "string"}
