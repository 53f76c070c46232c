"""Examples and defaults that a document's own schemas refuse, by the places where a document may have them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Json = dict[str, Any]
Faults = Callable[[Json], dict[str, str]]

INTEGER = {"type": "integer"}
OK = {"200": {"description": "ok"}}
REFUSED = 'its schema refuses the example: expected integer, found "x"'


@pytest.fixture
def faults(specfn: Any) -> Faults:
    """Return the faulty examples of a document by their places, as ``specfn check`` reports them."""

    def read(document: Json) -> dict[str, str]:
        ended = specfn("check", "-", "--json", stdin=json.dumps(document).encode())
        return {note["pointer"]: note["text"] for note in ended.data["examples"]}

    return read


def openapi(paths: Json, **components: Any) -> Json:
    info = {"title": "t", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": components}


def body(media: Json, kind: str = "application/json") -> Json:
    return {"/a": {"post": {"requestBody": {"content": {kind: media}}, "responses": OK}}}


def parameter(**parts: Any) -> Json:
    given = {"name": "n", "in": "query", **parts}
    return {"/a": {"get": {"parameters": [given], "responses": OK}}}


MEDIA = "/paths/~1a/post/requestBody/content/application~1json"
PARAMETER = "/paths/~1a/get/parameters/0"
SWAGGER = {"swagger": "2.0", "info": {"title": "t", "version": "1"}, "paths": {}}

#: Documents with one example that is refused, and its place.
CASES: list[tuple[str, Json, str]] = [
    (
        "of a component",
        openapi({}, schemas={"A": {**INTEGER, "example": "x"}}),
        "/components/schemas/A/example",
    ),
    (
        "one of several",
        openapi({}, schemas={"A": {**INTEGER, "examples": [1, "x"]}}),
        "/components/schemas/A/examples/1",
    ),
    (
        "of a property named example",
        openapi({}, schemas={"A": {"properties": {"example": {**INTEGER, "example": "x"}}}}),
        "/components/schemas/A/properties/example/example",
    ),
    (
        "beside a reference",
        openapi(
            {}, schemas={"A": INTEGER, "B": {"$ref": "#/components/schemas/A", "example": "x"}}
        ),
        "/components/schemas/B/example",
    ),
    ("of a parameter", openapi(parameter(schema=INTEGER, example="x")), f"{PARAMETER}/example"),
    (
        "one of a parameter",
        openapi(parameter(schema=INTEGER, examples={"a/b": {"value": "x"}})),
        f"{PARAMETER}/examples/a~1b/value",
    ),
    (
        "of a parameter with content",
        openapi(parameter(content={"application/json": {"schema": INTEGER, "example": "x"}})),
        f"{PARAMETER}/content/application~1json/example",
    ),
    ("of a body", openapi(body({"schema": INTEGER, "example": "x"})), f"{MEDIA}/example"),
    (
        "by reference",
        openapi(
            body({"schema": INTEGER, "examples": {"e": {"$ref": "#/components/examples/E"}}}),
            examples={"E": {"value": "x"}},
        ),
        "/components/examples/E/value",
    ),
    (
        "of a header of a response",
        openapi({}, responses={"R": {"headers": {"H": {"schema": INTEGER, "example": "x"}}}}),
        "/components/responses/R/headers/H/example",
    ),
    (
        "in a callback",
        openapi({}, callbacks={"C": {"{$url}": parameter(schema=INTEGER, example="x")["/a"]}}),
        "/components/callbacks/C/{$url}/get/parameters/0/example",
    ),
    (
        "in a webhook",
        {**openapi({}), "webhooks": body({"schema": INTEGER, "example": "x"})},
        f"{MEDIA.replace('paths', 'webhooks')}/example",
    ),
    (
        "of a definition of Swagger",
        {**SWAGGER, "definitions": {"A": {**INTEGER, "example": "x"}}},
        "/definitions/A/example",
    ),
    (
        "of a response of Swagger",
        {
            **SWAGGER,
            "responses": {"R": {"schema": INTEGER, "examples": {"application/json": "x"}}},
        },
        "/responses/R/examples/application~1json",
    ),
]


@pytest.mark.parametrize(
    ("document", "pointer"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_each_place_is_looked_at(faults: Faults, document: Json, pointer: str) -> None:
    """V5: an example that its schema refuses is named at its place in the raw document, with what is wrong."""
    [(place, text)] = faults(document).items()
    assert place == pointer
    assert text in {REFUSED, REFUSED.replace("integer", "A")}


def test_defaults_of_swagger_parameters(faults: Faults) -> None:
    """V5: a default is named, too; a parameter of Swagger 2.0 is its own schema."""
    given = {"name": "n", "in": "query", "type": "integer", "default": "x"}
    text = 'its schema refuses the default: expected integer, found "x"'
    assert faults({**SWAGGER, "parameters": {"P": given}}) == {"/parameters/P/default": text}


VALID: list[tuple[str, Json]] = [
    ("data that looks like an example", {"enum": [{"example": "x"}], "default": {"example": "x"}}),
    ("read-only and write-only together", {
        "properties": {"a": {"readOnly": True}, "b": {"writeOnly": True}},
        "required": ["a", "b"],
        "example": {"a": 1, "b": 2},
    }),
    ("a format that is only a hint", {"format": "date", "example": "today"}),
    ("two alternatives at once", {"oneOf": [INTEGER, {"type": "number"}], "example": 1}),
    ("null where it is taken", {"type": ["string", "null"], "default": None}),
]  # fmt: skip


@pytest.mark.parametrize("schema", [case[1] for case in VALID], ids=[case[0] for case in VALID])
def test_what_is_accepted_is_not_named(faults: Faults, schema: Json) -> None:
    """V5: only what validation refuses is named, and an example belongs to no direction."""
    assert not faults(openapi({}, schemas={"A": schema}))


def test_texts_of_other_media_types_are_not_judged(faults: Faults) -> None:
    """An example in XML is the text of a body, not its value; an object is a value."""
    for value, count in (("<a/>", 0), ({"a": 1}, 1)):
        paths = body({"schema": {"type": "array"}, "example": value}, "application/xml")
        assert len(faults(openapi(paths))) == count


def test_every_fault_of_an_example_has_its_place(faults: Faults) -> None:
    """V5: places within an example are told, at most three of them."""
    node = {
        "type": "object",
        "properties": dict.fromkeys("abc", INTEGER),
        "required": ["a", "d"],
        "additionalProperties": False,
        "example": {"a": "x", "b": None, "e": 1},
    }
    [text] = faults(openapi({}, schemas={"A": node})).values()
    assert text == (
        'its schema refuses the example: at .a: expected integer, found "x"; at .b: expected integer, found null; '
        "at .e: There is no such property; the properties are a, b and c; and 1 more"
    )


def test_a_schema_that_cannot_be_enforced_spoils_no_other(faults: Faults) -> None:
    """V5: examples of a schema that is none are named with that reason, and all others are checked."""
    schemas = {
        "A": {"minimum": "many", "example": 1},
        **{f"B{n}": {**INTEGER, "example": "x" if n == 7 else n} for n in range(20)},
    }
    document = {**openapi({}), "components": {"schemas": schemas}}
    notes = faults(document)
    assert notes.pop("/components/schemas/B7/example") == REFUSED
    assert all("cannot be checked" in text for text in notes.values())


def test_names_of_the_document_stay_its_own(faults: Faults) -> None:
    """A component may have the name that specfn gives the schemas of examples."""
    schemas = {"(examples)": {**INTEGER, "example": "x"}}
    assert [*faults(openapi({}, schemas=schemas))] == ["/components/schemas/(examples)/example"]
