from typing import Any

import pytest

from specfn.document.normalize import normalize

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
JSON = "application/json"
BINARY = {"type": "string", "format": "binary"}
PREFIX = "#/components/schemas/"
A = {"$ref": "#/definitions/A"}


def normalized(**fields: Any) -> dict[str, Any]:
    return normalize({"swagger": "2.0", "info": {"title": "T", "version": "1"}, **fields}).document


def operation(raw: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A normalized operation of a document with nothing else."""
    return normalized(paths={"/a": {"post": raw}}, **fields)["paths"]["/a"]["post"]


def parameter(raw: dict[str, Any]) -> dict[str, Any]:
    (made,) = operation({"parameters": [{"name": "p", "in": "query", **raw}]})["parameters"]
    return made


# -- servers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "urls"),
    [
        ({"host": "api.example"}, ["https://api.example"]),
        ({"host": "api.example", "schemes": ["http"]}, ["http://api.example"]),
        (
            {"host": "api.example", "schemes": ["http", "https"]},
            ["https://api.example", "http://api.example"],
        ),
        ({"host": "api.example", "schemes": ["https", "https"]}, ["https://api.example"]),
        ({"host": "api.example", "schemes": ["ws", "wss"]}, ["https://api.example"]),
        ({"host": "api.example", "schemes": "http"}, ["https://api.example"]),
        ({"host": "api.example:8080", "basePath": "/v1"}, ["https://api.example:8080/v1"]),
        ({"host": "api.example", "basePath": "/v1/"}, ["https://api.example/v1"]),
        ({"host": "api.example", "basePath": "v1"}, ["https://api.example/v1"]),
        ({"host": "api.example", "basePath": "/"}, ["https://api.example"]),
        ({"host": "api.example", "basePath": None}, ["https://api.example"]),
        ({"basePath": "/v1"}, ["/v1"]),
        ({"basePath": "/"}, None),
        ({"schemes": ["https"]}, None),
        ({"host": ""}, None),
        ({"host": 1}, None),
        ({}, None),
    ],
)
def test_host_base_path_and_schemes_are_servers(
    fields: dict[str, Any], urls: list[str] | None
) -> None:
    """N6: `host`, `basePath` and `schemes` are servers, https first; without a host they are relative."""
    servers = normalized(**fields).get("servers")
    assert servers == (urls and [{"url": url} for url in urls])


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("http://other.example/swagger.json", "http://api.example"),
        ("https://other.example/swagger.json", "https://api.example"),
        (None, "https://api.example"),
    ],
)
def test_without_schemes_the_document_s_own_counts(uri: str | None, url: str) -> None:
    """N6: without `schemes` the API speaks what the document came by."""
    document = {"swagger": "2.0", "host": "api.example"}
    assert normalize(document, uri).document["servers"] == [{"url": url}]


@pytest.mark.parametrize("schemes", [[[]], [{}]])
def test_schemes_that_are_no_texts_are_ignored(schemes: list[Any]) -> None:
    """N6: what is no text in `schemes` is as if it were not there."""
    servers = normalized(host="api.example", schemes=schemes)["servers"]
    assert servers == [{"url": "https://api.example"}]


def test_nothing_of_2_0_is_left() -> None:
    """N6: the fields of 2.0 that have become others are gone; all else is kept."""
    document = normalized(
        host="api.example",
        basePath="/v1",
        schemes=["https"],
        consumes=[JSON],
        produces=[JSON],
        definitions={"A": {}},
        parameters={"p": {"name": "p", "in": "query", "type": "string"}},
        responses={"r": {"description": "R"}},
        securityDefinitions={},
        paths={},
        tags=[{"name": "t"}],
        security=[{"key": []}],
        externalDocs={"url": "https://docs.example"},
        **{"x-own": {"host": 1}},
    )
    assert list(document) == [
        *("openapi", "servers", "info", "paths", "tags", "security", "externalDocs", "x-own"),
        "components",
    ]
    assert document["components"] == {"schemas": {"A": {}}}


# -- media types -----------------------------------------------------------------------------------------

PET = {"name": "pet", "in": "body", "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("document", "own", "expected"),
    [
        (None, None, [JSON]),
        (["application/xml"], None, ["application/xml"]),
        (["application/xml"], ["text/plain"], ["text/plain"]),
        (["application/xml"], [], [JSON]),
        (
            None,
            ["text/plain", "application/vnd.x+json; v=1"],
            ["text/plain", "application/vnd.x+json; v=1"],
        ),
        (None, [1, "text/plain", None], ["text/plain"]),
        ("application/xml", None, [JSON]),
    ],
)
def test_consumes_and_produces_are_media_types(
    document: Any, own: Any, expected: list[str]
) -> None:
    """N6: an operation's own `consumes` and `produces` replace the document's, in their order."""
    raw: dict[str, Any] = {
        "parameters": [PET],
        "responses": {"200": {"description": "OK", "schema": {"type": "string"}}},
    }
    fields = {} if document is None else {"consumes": document, "produces": document}
    if own is not None:
        raw |= {"consumes": own, "produces": own}
    made = operation(raw, **fields)
    assert list(made["requestBody"]["content"]) == expected
    assert list(made["responses"]["200"]["content"]) == expected
    assert {"consumes", "produces", "schemes"}.isdisjoint(made)


# -- bodies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"required": False}),
        ({"required": True}, {"required": True}),
        ({"required": "true"}, {"required": True}),
        ({"required": False}, {"required": False}),
        ({"description": "A pet."}, {"required": False, "description": "A pet."}),
        ({"description": 1}, {"required": False}),
    ],
)
def test_a_body_parameter_is_the_request_body(
    more: dict[str, Any], expected: dict[str, Any]
) -> None:
    """N6: a body parameter is a request body, required only where the document says so."""
    made = operation(
        {"parameters": [{**PET, **more}, {"name": "q", "in": "query", "type": "string"}]}
    )
    assert made["requestBody"] == {"content": {JSON: {"schema": {"type": "object"}}}, **expected}
    assert [each["name"] for each in made["parameters"]] == ["q"]


def test_a_body_without_schema_is_anything() -> None:
    """N6: a body parameter without a schema takes anything."""
    made = operation({"parameters": [{"name": "b", "in": "body"}]})
    assert made["requestBody"]["content"] == {JSON: {"schema": {}}}


def test_an_operation_s_body_replaces_the_path_s() -> None:
    """N5, N6: body parameters merge like all others; of two, the operation's counts."""
    item = {
        "parameters": [{"name": "old", "in": "body", "schema": {"type": "string"}}],
        "post": {"parameters": [PET]},
        "put": {},
    }
    made = normalized(paths={"/a": item})["paths"]["/a"]
    schemas = [made[method]["requestBody"]["content"][JSON]["schema"] for method in ("post", "put")]
    assert schemas == [{"type": "object"}, {"type": "string"}]


def field(name: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "formData", "type": kind, **more}


@pytest.mark.parametrize(
    ("consumes", "fields", "media_type"),
    [
        (None, [field("a")], FORM),
        ([FORM], [field("a")], FORM),
        ([MULTIPART], [field("a")], MULTIPART),
        ([MULTIPART, FORM], [field("a")], FORM),
        ([JSON], [field("a")], FORM),
        (None, [field("f", "file")], MULTIPART),
        ([FORM], [field("f", "file")], MULTIPART),
        ([FORM], [field("a"), field("f", "file")], MULTIPART),
    ],
)
def test_form_parameters_are_a_form(
    consumes: list[str] | None, fields: list[dict[str, Any]], media_type: str
) -> None:
    """N6: a file forces multipart; otherwise a form is urlencoded unless only multipart is listed."""
    raw: dict[str, Any] = {"parameters": fields}
    if consumes is not None:
        raw["consumes"] = consumes
    assert list(operation(raw)["requestBody"]["content"]) == [media_type]


def test_form_fields_are_properties() -> None:
    """N6: form parameters are the properties of one object, with truthful `required` and their styles."""
    fields = [
        field("a", required=True, description="An a.", maxLength=3),
        field("n", "integer", **{"x-nullable": True}),
        field("l", "array", items={"type": "string"}, collectionFormat="multi"),
        field("t", "array", items={"type": "integer"}, collectionFormat="ssv"),
        field("f", "file", description="A file."),
    ]
    body = operation({"parameters": fields})["requestBody"]
    assert body == {
        "required": True,
        "content": {
            MULTIPART: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string", "description": "An a.", "maxLength": 3},
                        "n": {"type": ["integer", "null"]},
                        "l": {"type": "array", "items": {"type": "string"}},
                        "t": {"type": "array", "items": {"type": "integer"}},
                        "f": {**BINARY, "description": "A file."},
                    },
                    "required": ["a"],
                },
                "encoding": {
                    "l": {"style": "form", "explode": True},
                    "t": {"style": "spaceDelimited", "explode": False},
                },
            }
        },
    }
    optional = operation({"parameters": [field("a"), field("b", required=False)]})["requestBody"]
    assert optional["required"] is False
    assert "required" not in optional["content"][FORM]["schema"]


@pytest.mark.parametrize(
    "more", [{"style": "form"}, {"explode": True}, {"style": 1, "explode": "x"}]
)
def test_a_form_field_with_keywords_of_openapi_3(more: dict[str, Any]) -> None:
    """N6: a form parameter that borrows `style` or `explode` from OpenAPI 3 breaks nothing."""
    made = operation({"parameters": [field("a", **more)]})
    assert made["requestBody"]["content"][FORM]["schema"]["properties"]["a"] == {"type": "string"}


@pytest.mark.parametrize("more", [{}, {"name": []}, {"name": {}}])
def test_a_form_field_without_a_name_spoils_nothing(more: dict[str, Any]) -> None:
    """N6: a form parameter that has no name breaks neither the document nor the other fields."""
    made = operation({"parameters": [{"in": "formData", "type": "string", **more}, field("a")]})
    assert made["requestBody"]["content"][FORM]["schema"]["properties"]["a"] == {"type": "string"}


def test_a_form_field_by_number_has_a_text_as_key() -> None:
    """N6: whatever a form parameter's name is, the normalized document is JSON."""
    made = operation({"parameters": [{"name": 1, "in": "formData", "type": "string"}]})
    properties = made["requestBody"]["content"][FORM]["schema"]["properties"]
    assert all(isinstance(name, str) for name in properties)


@pytest.mark.parametrize("where", [[], {}])
@pytest.mark.parametrize("kind", ["string", "array"])
def test_a_parameter_without_a_location_spoils_nothing(kind: str, where: Any) -> None:
    """N6: a parameter whose `in` is no text does not break the document."""
    made = operation({"parameters": [{"name": "p", "in": where, "type": kind}]})
    assert made["parameters"][0]["in"] == where


# -- parameters ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "collection", "style", "explode"),
    [
        ("query", None, "form", False),
        ("query", "csv", "form", False),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "tsv", "tabDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("query", "multi", "form", True),
        ("query", "made-up", "form", False),
        ("query", 1, "form", False),
        ("path", None, "simple", False),
        ("path", "csv", "simple", False),
        ("path", "pipes", "pipeDelimited", False),
        ("header", "csv", "simple", False),
    ],
)
def test_collection_formats_are_styles(
    where: str,
    collection: Any,
    style: str,
    explode: bool,  # noqa: FBT001
) -> None:
    """N6: `collectionFormat` of an array is a style, and whether it is exploded."""
    raw: dict[str, Any] = {"in": where, "type": "array", "items": {"type": "string"}}
    if collection is not None:
        raw["collectionFormat"] = collection
    made = parameter(raw)
    assert (made["style"], made["explode"]) == (style, explode)
    assert made["schema"] == {"type": "array", "items": {"type": "string"}}
    assert "collectionFormat" not in made


@pytest.mark.parametrize(
    ("raw", "schema"),
    [
        (
            {"type": "string", "format": "date", "pattern": "^2"},
            {"type": "string", "format": "date", "pattern": "^2"},
        ),
        (
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 1},
        ),
        (
            {"type": "number", "multipleOf": 0.5, "maximum": 9},
            {"type": "number", "multipleOf": 0.5, "maximum": 9},
        ),
        (
            {"type": "string", "enum": ["a"], "default": "a"},
            {"type": "string", "enum": ["a"], "default": "a"},
        ),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "x-example": "e"}, {"type": "string", "examples": ["e"]}),
        (
            {"type": "string", "minLength": 1, "maxLength": 2},
            {"type": "string", "minLength": 1, "maxLength": 2},
        ),
        ({"schema": {"type": "string", "x-nullable": True}}, {"type": ["string", "null"]}),
        ({"schema": {"$ref": "#/definitions/A"}}, {"$ref": f"{PREFIX}A"}),
        ({}, {}),
    ],
)
def test_a_parameter_s_own_keywords_are_its_schema(raw: dict[str, Any], schema: Any) -> None:
    """N6, N7: the schema keywords that stand in a parameter of 2.0 are its schema."""
    made = normalized(
        definitions={"A": {}},
        paths={
            "/a": {"get": {"parameters": [{"name": "p", "in": "query", "required": True, **raw}]}}
        },
    )
    assert made["paths"]["/a"]["get"]["parameters"] == [
        {"name": "p", "in": "query", "required": True, "schema": schema}
    ]


def test_shared_parameters_and_responses_are_found() -> None:
    """N3, N6: references to the document's parameters and responses are resolved."""
    limit = {"name": "limit", "in": "query", "type": "integer"}
    document = normalized(
        parameters={"limit": limit, "pet": PET},
        responses={"gone": {"description": "Gone.", "schema": {"$ref": "#/definitions/Error"}}},
        definitions={"Error": {"type": "object"}},
        paths={
            "/a": {
                "parameters": [{"$ref": "#/parameters/limit"}],
                "post": {
                    "parameters": [{"$ref": "#/parameters/pet"}],
                    "responses": {"410": {"$ref": "#/responses/gone"}},
                },
            }
        },
    )
    made = document["paths"]["/a"]["post"]
    assert made["parameters"] == [{"name": "limit", "in": "query", "schema": {"type": "integer"}}]
    assert made["requestBody"]["content"] == {JSON: {"schema": {"type": "object"}}}
    gone = {"description": "Gone.", "content": {JSON: {"schema": {"$ref": f"{PREFIX}Error"}}}}
    assert made["responses"] == {"410": gone}


# -- responses ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ({"schema": {"type": "string"}}, {"text/csv": {"schema": {"type": "string"}}}),
        ({"schema": {"type": "file"}}, {"text/csv": {"schema": BINARY}}),
        ({"schema": {}}, {"text/csv": {"schema": {}}}),
        ({}, None),
        (
            {"schema": {"type": "string"}, "examples": {"text/csv": "a,b", "text/plain": "c"}},
            {"text/csv": {"schema": {"type": "string"}, "example": "a,b"}},
        ),
        (
            {"schema": {"type": "string"}, "examples": []},
            {"text/csv": {"schema": {"type": "string"}}},
        ),
        ({"examples": {"text/csv": "a"}}, None),
    ],
)
def test_responses_have_content(raw: dict[str, Any], content: Any) -> None:
    """N6: a response's schema is the content of every media type produced; files and examples carry over."""
    made = operation(
        {"produces": ["text/csv"], "responses": {"200": {"description": "OK", **raw}}}
    )["responses"]["200"]
    expected = {"description": "OK"}
    assert made == (expected if content is None else {**expected, "content": content})


def test_a_shared_response_is_in_what_each_operation_produces() -> None:
    """N6: one response that two operations refer to has the media types of each."""
    document = normalized(
        responses={"text": {"description": "T", "schema": {"type": "string"}}},
        paths={
            f"/{kind}": {
                "get": {
                    "produces": [f"text/{kind}"],
                    "responses": {"200": {"$ref": "#/responses/text"}},
                }
            }
            for kind in ("a", "b")
        },
    )
    for kind in ("a", "b"):
        answer = document["paths"][f"/{kind}"]["get"]["responses"]["200"]
        assert list(answer["content"]) == [f"text/{kind}"]


def test_response_headers_have_schemas() -> None:
    """N6: the schema keywords of a response's header are its schema."""
    headers = {"X-Left": {"type": "integer", "description": "What is left.", "x-nullable": True}}
    made = operation({"responses": {"200": {"description": "OK", "headers": headers}}})
    assert made["responses"]["200"]["headers"] == {
        "X-Left": {"description": "What is left.", "schema": {"type": ["integer", "null"]}}
    }


def test_a_header_s_list_is_simple() -> None:
    """N6: an array in a response's header has the style of headers."""
    headers = {"X-List": {"type": "array", "items": {"type": "string"}}}
    made = operation({"responses": {"200": {"description": "OK", "headers": headers}}})
    assert made["responses"]["200"]["headers"]["X-List"]["style"] == "simple"


# -- security ---------------------------------------------------------------------------------------------------

URLS = {"authorizationUrl": "https://a.example", "tokenUrl": "https://t.example"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"type": "basic", "description": "B"},
            {"type": "http", "scheme": "basic", "description": "B"},
        ),
        (
            {"type": "apiKey", "name": "k", "in": "header"},
            {"type": "apiKey", "name": "k", "in": "header"},
        ),
        *(
            (
                {"type": "oauth2", "flow": old, **URLS, "scopes": {"a": "A"}, "x-own": 1},
                {"type": "oauth2", "x-own": 1, "flows": {new: {**URLS, "scopes": {"a": "A"}}}},
            )
            for old, new in {
                "implicit": "implicit",
                "password": "password",
                "application": "clientCredentials",
                "accessCode": "authorizationCode",
            }.items()
        ),
        ({"type": "oauth2", "flow": "made-up", "scopes": {}}, {"type": "oauth2", "flows": {}}),
        ({"type": "oauth2"}, {"type": "oauth2", "flows": {}}),
    ],
)
def test_security_definitions_are_security_schemes(raw: dict[str, Any], expected: Any) -> None:
    """N6: security definitions carry over, basic as http and oauth2 with its flow."""
    document = normalized(securityDefinitions={"s": raw})
    assert document["components"]["securitySchemes"] == {"s": expected}


def test_definitions_are_components() -> None:
    """N6, N7: definitions are components by their names, and references to them follow."""
    document = normalized(
        definitions={
            "Pet": {
                "type": "object",
                "discriminator": "kind",
                "properties": {"kind": {"type": "string"}},
            },
            "Cat": {
                "allOf": [
                    {"$ref": "#/definitions/Pet"},
                    {"properties": {"n": {"x-nullable": True, "type": "string"}}},
                ]
            },
            "A b": {"$ref": "#/definitions/Cat"},
        }
    )
    made = document["components"]["schemas"]
    assert list(made) == ["Pet", "Cat", "A b"]
    assert made["Pet"]["discriminator"] == {"propertyName": "kind"}
    assert made["Cat"]["allOf"] == [
        {"$ref": f"{PREFIX}Pet"},
        {"properties": {"n": {"type": ["string", "null"]}}},
    ]
    assert made["A b"] == {"$ref": f"{PREFIX}Cat"}


def test_a_stray_version_does_not_count() -> None:
    """N1, N6: a Swagger document that also says `openapi` is normalized like any other."""
    assert normalized(openapi="pets.example")["openapi"] == "3.1.1"


@pytest.mark.parametrize(
    "fields",
    [
        {"requestBody": {"content": {JSON: {"schema": {"type": "string", "x-nullable": True}}}}},
        {"responses": {"200": {"content": {JSON: {"schema": {"$ref": "#/definitions/A"}}}}}},
        {"responses": {"200": {"links": {"description": "no object"}}}},
        {"callbacks": {"c": {"{$url}": {"parameters": []}}}},
        {"callbacks": {"c": {"{$url}": {"post": {"requestBody": {"$ref": "#/x-body"}}}}}},
        {"parameters": [{"name": "p", "in": "query", "content": {JSON: {"schema": A}}}]},
        {
            "parameters": [
                {"name": "p", "in": "query", "schema": A, "examples": {"e": {"$ref": "#/x-one"}}}
            ]
        },
        {"responses": {"200": {"headers": {"X": {"content": {JSON: {"schema": A}}}}}}},
    ],
)
def test_fields_of_3_are_none_of_2(fields: dict[str, Any]) -> None:
    """N6, N8: what 2.0 does not know is not in the normalized document half-read."""
    body = {"content": {JSON: {"schema": A}}}
    once = normalized(
        definitions={"A": {}},
        paths={"/a": {"post": fields}},
        webhooks={"w": {"post": fields}},
        components={"schemas": {"A": {"type": "null"}}},
        **{"x-body": body, "x-one": {"value": 1}},
    )
    assert normalize(once).document == once
    assert "#/definitions/" not in repr({**once, "x-body": None})


def test_fields_of_3_mean_what_they_mean_in_3() -> None:
    """N6: in a document that was converted half-way, bodies and contents of OpenAPI 3 are read as such."""
    content = {JSON: {"schema": {"type": "string", "x-nullable": True}}}
    made = operation(
        {"requestBody": {"content": content}, "responses": {"200": {"content": content}}}
    )
    expected = {JSON: {"schema": {"type": ["string", "null"]}}}
    assert made["requestBody"]["content"] == expected
    assert made["responses"]["200"]["content"] == expected


def test_definitions_win_over_components() -> None:
    """N6: in Swagger 2.0 `#/components/schemas/A` is a place like any other, not the definition `A`."""
    raw = {"A": {"$ref": f"{PREFIX}A"}, "B": A}
    made = normalized(definitions=raw, components={"schemas": {"A": {"type": "null"}}})
    schemas = made["components"]["schemas"]
    assert schemas["B"] == {"$ref": f"{PREFIX}A"}
    assert schemas[schemas["A"]["$ref"].removeprefix(PREFIX)] == {"type": "null"}
