from typing import Any

import pytest

from specfn import load
from specfn.migrate.broken_references import References

SCHEMAS: dict[str, Any] = {
    "Fine": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Fine"}}},
    "Lost": {"type": "array", "items": {"$ref": "#/components/schemas/Nowhere"}},
    "Through": {"allOf": [{"$ref": "#/components/schemas/Between"}]},
    "Between": {"properties": {"a": {"anyOf": [True, {"$ref": "#/components/schemas/Lost"}]}}},
    "Circle": {"properties": {"a": {"$ref": "#/components/schemas/Circle2"}}},
    "Circle2": {
        "properties": {
            "a": {"$ref": "#/components/schemas/Circle"},
            "b": {"$ref": "#/components/schemas/Lost"},
        }
    },
}
NOWHERE = "#/components/schemas/Nowhere"


@pytest.mark.parametrize(
    ("schema", "lost"),
    [
        (True, None),
        ({"type": "string"}, None),
        ({"$ref": "#/components/schemas/Fine"}, None),
        ({"enum": [{"$ref": NOWHERE}], "const": {"$ref": NOWHERE}}, None),
        ({"examples": [{"$ref": NOWHERE}], "default": {"$ref": NOWHERE}}, None),
        ({"$ref": NOWHERE}, NOWHERE),
        ({"items": {"not": {"$ref": NOWHERE}}}, NOWHERE),
        ({"properties": {"$ref": {"$ref": "#/components/schemas/Lost"}}}, NOWHERE),
        ({"$ref": "#/components/schemas/Lost"}, NOWHERE),
        ({"oneOf": [True, {"$ref": "#/components/schemas/Through"}]}, NOWHERE),
        ({"$ref": "#/components/schemas/Circle"}, NOWHERE),
        (
            {"discriminator": {"propertyName": "a", "defaultMapping": "#/components/schemas/Lost"}},
            NOWHERE,
        ),
        ({"discriminator": {"propertyName": "a", "defaultMapping": NOWHERE}}, None),
        ({"properties": {"discriminator": {"type": "string"}}}, None),
    ],
)
def test_only_what_is_needed_is_lost(schema: Any, lost: str | None) -> None:
    """N3: a schema needs what it refers to, through any number of components; data is no reference."""
    assert References(SCHEMAS, frozenset({NOWHERE})).find_lost(schema) == lost


def test_without_a_lost_reference_nothing_is_lost() -> None:
    """N3: in a whole document no schema needs what is not there."""
    assert References(SCHEMAS, frozenset()).find_lost({"$ref": NOWHERE}) is None


def test_a_long_chain_needs_no_deep_stack() -> None:
    """N3: ten thousand components in a row are followed like two."""
    schemas: dict[str, Any] = {
        f"S{index}": {"$ref": f"#/components/schemas/S{index + 1}"} for index in range(10_000)
    }
    lost = "#/components/schemas/S10000"
    references = References(schemas, frozenset({lost}))
    assert references.find_lost({"$ref": "#/components/schemas/S0"}) == lost


# -- in documents ------------------------------------------------------------------------------------

LOST = {"$ref": "#/components/nowhere/x"}
JSON_LOST = {"application/json": {"schema": {"items": LOST}}}
SPOILED: dict[str, dict[str, Any]] = {
    "parameter": {"parameters": [LOST]},
    "parameter schema": {"parameters": [{"name": "a", "in": "query", "schema": LOST}]},
    "parameter content": {"parameters": [{"name": "a", "in": "query", "content": JSON_LOST}]},
    "request body": {"requestBody": LOST},
    "body schema": {"requestBody": {"content": JSON_LOST}},
    "media type": {"requestBody": {"content": {"application/json": LOST}}},
    "component": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Lost"}}}}},
}  # fmt: skip


def _load(operation: dict[str, Any], **components: Any) -> Any:
    return load(
        {
            "openapi": "3.0.3",
            "info": {"title": "t", "version": "1"},
            "paths": {
                "/spoiled": {"post": operation},
                "/fine": {"post": {"summary": "Fine", "responses": {"200": {"description": "ok"}}}},
            },
            "components": {"schemas": {"Lost": {"properties": {"a": LOST}}}, **components},
        }
    )


@pytest.mark.parametrize("operation", SPOILED.values(), ids=SPOILED)
def test_a_lost_reference_spoils_its_operation_alone(operation: dict[str, Any]) -> None:
    """N3: what a request needs and is not there makes an error that names it; the rest is unharmed."""
    application = _load(operation)
    assert [function.path for function in application.functions] == ["/fine"]
    (error,) = application.errors
    assert (error.path, error.method, error.code) == ("/spoiled", "post", "reference")
    assert "#/components/nowhere/x" in error.reason
    assert error.pointer.startswith("/paths/~1spoiled/post/")


NOT_NEEDED: dict[str, dict[str, Any]] = {
    "unused path parameter": {"parameters": [{"name": "ghost", "in": "path", "schema": LOST}]},
    "hidden credential": {"parameters": [{"name": "api_key", "in": "query", "schema": LOST}]},
    "ignored header": {"parameters": [{"name": "Accept", "in": "header", "schema": LOST}]},
    "other media type": {
        "requestBody": {
            "content": {"application/json": {"schema": {}}, "application/xml": {"schema": LOST}}
        }
    },
    "text body": {"requestBody": {"content": {"text/plain": {"schema": LOST}}}},
    "other response": {"responses": {"200": {"description": "ok"}, "404": LOST}},
    "response header": {"responses": {"200": {"description": "ok", "headers": {"X": LOST}}}},
    "link": {"responses": {"200": {"description": "ok", "links": {"x": LOST}}}},
    "callback": {"callbacks": {"x": LOST}},
    "example": {
        "requestBody": {"content": {"application/json": {"schema": {}, "examples": {"a": LOST}}}}
    },
    "data": {
        "requestBody": {"content": {"application/json": {"schema": {"enum": [LOST, 1]}}}}
    },
}  # fmt: skip


@pytest.mark.parametrize("operation", NOT_NEEDED.values(), ids=NOT_NEEDED)
def test_what_is_not_needed_spoils_nothing(operation: dict[str, Any]) -> None:
    """N3: only the operations that need a reference are spoiled by it."""
    application = _load(operation)
    assert application.errors == ()
    assert len(application) == 2
    assert application["POST /spoiled"].parameters["type"] == "object"


@pytest.mark.parametrize(
    "response",
    [
        LOST,
        {"description": "ok", "content": JSON_LOST},
        {"description": "ok", "content": {"application/json": LOST}},
        {"description": "ok", "content": {"application/json": {"schema": LOST}}},
    ],
)
def test_a_response_that_is_lost_leaves_the_operation_callable(response: dict[str, Any]) -> None:
    """N3: a request can be sent without knowing what comes back; nothing of the reference is shown."""
    application = _load({"responses": {"200": response}})
    function = application.find("POST /spoiled")
    if function is None:
        assert [error.code for error in application.errors] == ["reference"]
        return
    assert "$ref" not in str(function.output)
    assert function.notes


@pytest.mark.parametrize(
    "reference",
    ["other.yaml#/a", "https://example.com/a.json", "../../etc/passwd", "file:///etc/passwd"],
)
@pytest.mark.parametrize("kind", ["schema", "parameter", "body"])
def test_other_documents_are_never_read(reference: str, kind: str) -> None:
    """N4: a reference to another file or URL is an error with that code, and nothing is fetched."""
    node = {"$ref": reference}
    operation: dict[str, Any] = {
        "schema": {"requestBody": {"content": {"application/json": {"schema": node}}}},
        "parameter": {"parameters": [node]},
        "body": {"requestBody": node},
    }[kind]
    application = _load(operation)
    (error,) = application.errors
    assert (error.path, error.code) == ("/spoiled", "external")
    assert reference in error.reason
    assert "Options.references" in error.reason


def test_a_lost_path_item_is_told() -> None:
    """N3: a path item whose reference has no target is an error of its path, because its operations are unknown."""
    application = load(
        {
            "openapi": "3.1.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/a": {"$ref": "#/nowhere"}, "/b": {"get": {}}},
        }
    )
    assert [function.path for function in application.functions] == ["/b"]
    [error] = application.errors
    assert (error.method, error.path, error.code) == ("", "/a", "reference")
    assert error.pointer == "/paths/~1a"
