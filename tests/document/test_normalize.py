import copy
from typing import Any

import pytest

from specfn._internal.pointer import escape, split
from specfn.document.normalize import Normalized, normalize, version
from specfn.errors import DocumentError

PREFIX = "#/components/schemas/"
PARAMETER = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
HEADER = {"schema": {"type": "integer"}, "description": "What is left."}
BODY = {"content": {"application/json": {"schema": {"type": "object"}}}, "required": True}
RESPONSE = {"description": "Found.", "content": {"application/json": {"schema": {}}}}
EXAMPLE = {"summary": "One", "value": {"$ref": "#/data"}}
LINK = {"operationId": "next"}
MEDIA_TYPE = {"schema": {"type": "string"}, "examples": {"one": {"value": "x"}}}
CALLBACK = {"{$request.body#/url}": {"post": {"responses": {"204": {"description": "Heard."}}}}}
SCHEME = {"type": "http", "scheme": "bearer"}
ITEM = {
    "summary": "Things",
    "parameters": [PARAMETER],
    "get": {"responses": {"200": RESPONSE}},
    "post": {"requestBody": BODY, "responses": {"204": {"description": "Done."}}},
}


def put(document: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """A document with a value at a place; what is missing on the way to it is made."""
    document = copy.deepcopy(document)
    node: Any = document
    *way, last = split(pointer)
    for index, token in enumerate(way):
        empty: Any = [] if [*way, last][index + 1] == "-" else {}
        node = node[int(token)] if isinstance(node, list) else node.setdefault(token, empty)
    if isinstance(node, list):
        node.append(value)
    else:
        node[last] = value
    return document


def document(*parts: tuple[str, Any], openapi: str = "3.1.0") -> dict[str, Any]:
    made: dict[str, Any] = {"openapi": openapi, "info": {"title": "T", "version": "1"}, "paths": {}}
    for pointer, value in parts:
        made = put(made, pointer, value)
    return made


def operations(raw: dict[str, Any]) -> dict[str, Any]:
    """What a document says of its operations, normalized."""
    normalized = normalize(raw).document
    return {key: normalized.get(key) for key in ("paths", "webhooks")}


def schemas(raw: dict[str, Any]) -> dict[str, Any]:
    return normalize(raw).document["components"]["schemas"]


# -- versions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ({"swagger": "2.0"}, "2.0"),
        ({"swagger": 2.0}, "2.0"),
        ({"swagger": 2}, "2.0"),
        ({"openapi": "3.0.0"}, "3.0"),
        ({"openapi": "3.0.4"}, "3.0"),
        ({"openapi": "3.0.0-rc2"}, "3.0"),
        ({"openapi": "3.0"}, "3.0"),
        ({"openapi": 3.0}, "3.0"),
        ({"openapi": 3}, "3.0"),
        ({"openapi": "3"}, "3.0"),
        ({"openapi": "3.1.0"}, "3.1"),
        ({"openapi": 3.1}, "3.1"),
        ({"openapi": "3.2.0"}, "3.2"),
        ({"openapi": "3.1.1", "swagger": None}, "3.1"),
    ],
)
def test_the_version_is_read_by_its_text(head: dict[str, Any], found: str) -> None:
    """N1: a version counts quoted or not, and every version becomes 3.1."""
    assert version(head) == found
    normalized = normalize({**head, "paths": {}})
    assert (normalized.version, normalized.document["openapi"]) == (found, "3.1.1")


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ({}, "empty"),
        ({"openapi": "3.10.0"}, "3.10.0"),
        ({"openapi": "4.0.0"}, "4.0.0"),
        ({"openapi": "2.0"}, "openapi: '2.0'"),
        ({"openapi": None}, "None"),
        ({"swagger": "1.2"}, "swagger: '1.2'"),
        ({"swaggerVersion": "1.2"}, "swaggerVersion"),
        ({"asyncapi": "3.0.0"}, "asyncapi"),
        ({"arazzo": "1.0.0"}, "an Arazzo document (version '1.0.0')"),
        ({"info": {"_postman_id": "x"}, "item": []}, "a Postman collection; convert it"),
        (
            {"info": {"schema": "https://schema.getpostman.com/v2.1.0/x.json"}},
            "a Postman collection",
        ),
        ({"info": None, "item": []}, "its first keys are 'info', 'item'"),
        ({"data": {"__schema": {}}}, "a GraphQL introspection"),
        ({"$schema": "https://json-schema.org/draft-07/schema"}, "a JSON Schema"),
        ({"OpenAPI": "3.0.0"}, "it has the key 'OpenAPI'; write openapi (at #/OpenAPI)"),
        (
            {"data": {"openapi": "3.0.0"}},
            "the document is one of its members; pass that member alone (at #/data)",
        ),
        ({"info": {}, "paths": {}}, "no version; add the key openapi"),
        ({"type": "object", "properties": {}}, "'type', 'properties'"),
    ],
)
def test_anything_else_is_refused_by_what_it_says(head: dict[str, Any], told: str) -> None:
    """N1: a document of no known version is an error that says what was found."""
    with pytest.raises(DocumentError) as caught:
        normalize(head)
    assert told in str(caught.value)


# -- references outside schemas ---------------------------------------------------------------------------

GET = "/paths/~1a/get"
JSON = "content/application~1json"
#: Every place where a Reference Object is legal: where it stands, what it names, and where that stands.
PLACES = [
    (f"{GET}/parameters/-", PARAMETER, "/components/parameters/X"),
    ("/paths/~1a/parameters/-", PARAMETER, "/components/parameters/X"),
    (f"{GET}/responses/200/headers/X-Left", HEADER, "/components/headers/X"),
    (
        f"/paths/~1a/post/requestBody/{JSON}/encoding/file/headers/X-Left",
        HEADER,
        "/components/headers/X",
    ),
    ("/paths/~1a/post/requestBody", BODY, "/components/requestBodies/X"),
    (f"{GET}/responses/200", RESPONSE, "/components/responses/X"),
    (f"{GET}/responses/default", RESPONSE, "/components/responses/X"),
    (f"{GET}/responses/200/{JSON}/examples/one", EXAMPLE, "/components/examples/X"),
    (f"/paths/~1a/post/requestBody/{JSON}/examples/one", EXAMPLE, "/components/examples/X"),
    (f"{GET}/responses/200/links/next", LINK, "/components/links/X"),
    (f"{GET}/responses/200/{JSON}", MEDIA_TYPE, "/components/mediaTypes/X"),
    (f"/paths/~1a/post/requestBody/{JSON}", MEDIA_TYPE, "/components/mediaTypes/X"),
    (f"{GET}/callbacks/onChange", CALLBACK, "/components/callbacks/X"),
    (f"{GET}/callbacks/onChange/{{$url}}", ITEM, "/components/pathItems/X"),
    ("/paths/~1a", ITEM, "/components/pathItems/X"),
    ("/paths/~1a", ITEM, "/paths/~1b"),
    ("/webhooks/changed", ITEM, "/components/pathItems/X"),
    ("/webhooks/changed", ITEM, "/paths/~1b"),
    ("/webhooks/changed/post/requestBody", BODY, "/components/requestBodies/X"),
    ("/paths/~1a/query/requestBody", BODY, "/components/requestBodies/X"),
    ("/paths/~1a/additionalOperations/COPY/requestBody", BODY, "/components/requestBodies/X"),
    (f"{GET}/responses/200", RESPONSE, "/paths/~1b/get/responses/200"),
    ("/paths/~1a/post/requestBody", BODY, "/paths/~1b~1{id}/put/requestBody"),
    (f"{GET}/parameters/-", PARAMETER, "/x-shared/parameters/limit"),
]


@pytest.mark.parametrize(("place", "value", "target"), PLACES)
def test_a_reference_is_what_it_names(place: str, value: Any, target: str) -> None:
    """N3: wherever a reference is legal, it means what stands at the place that it names."""
    referring = document((target, value), (place, {"$ref": f"#{target}"}))
    plain = document((target, value), (place, value))
    assert operations(referring) == operations(plain)


@pytest.mark.parametrize(("place", "value", "target"), PLACES)
def test_a_chain_of_references_is_what_it_ends_at(place: str, value: Any, target: str) -> None:
    """N3: a reference to a reference means what the last of them names."""
    hop = "/x-hop"
    referring = document(
        (target, value), (hop, {"$ref": f"#{target}"}), (place, {"$ref": f"#{hop}"})
    )
    plain = document((target, value), (hop, value), (place, value))
    assert operations(referring) == operations(plain)


@pytest.mark.parametrize(
    "key", ["a b", "a/b", "a~b", "a%b", "{id}", "~1", "%2F", "ä", "", "0", "a/{b}~c%20d"]
)
@pytest.mark.parametrize("quoted", [False, True])
def test_keys_of_any_spelling_are_found(key: str, quoted: bool) -> None:  # noqa: FBT001
    """N3: a pointer is percent-decoded and unescaped before it is followed."""
    escaped = escape(key)
    if quoted:
        escaped = "".join(f"%{byte:02X}" for byte in escaped.encode())
    else:
        escaped = escaped.replace("%", "%25")
    raw = document(
        (f"{GET}/responses/200", {"$ref": f"#/components/responses/{escaped}"}),
        (f"/components/responses/{escape(key)}", RESPONSE),
    )
    assert operations(raw)["paths"]["/a"]["get"]["responses"]["200"] == RESPONSE


def test_security_schemes_may_be_references() -> None:
    """N3: a security scheme that refers to another is that one."""
    raw = document(
        ("/components/securitySchemes/a", {"$ref": "#/components/securitySchemes/b"}),
        ("/components/securitySchemes/b", SCHEME),
    )
    assert normalize(raw).document["components"]["securitySchemes"] == {"a": SCHEME, "b": SCHEME}


def test_summary_and_description_of_a_reference_override() -> None:
    """N3: a Reference Object's own summary and description are said in place of the target's."""
    reference = {"$ref": "#/components/responses/X", "description": "Here.", "headers": {}}
    raw = document((f"{GET}/responses/200", reference), ("/components/responses/X", RESPONSE))
    found = operations(raw)["paths"]["/a"]["get"]["responses"]["200"]
    assert found == {**RESPONSE, "description": "Here."}


def test_a_path_item_keeps_its_own_fields_beside_a_reference() -> None:
    """N3: what a path item says next to its reference stands, the rest is the target's."""
    own = {"$ref": "#/components/pathItems/X", "summary": "Ours", "get": {"operationId": "own"}}
    raw = document(("/paths/~1a", own), ("/components/pathItems/X", ITEM))
    item = operations(raw)["paths"]["/a"]
    assert (item["summary"], item["get"]["operationId"]) == ("Ours", "own")
    assert item["post"]["requestBody"] == BODY


@pytest.mark.parametrize(
    ("place", "reference"),
    [
        *((place, "#/components/nothing/X") for place, *_ in PLACES if "pathItems/X" not in _[1]),
        (f"{GET}/responses/200", "other.yaml#/components/responses/X"),
        (f"{GET}/responses/200", "#/components/responses/Loop"),
        (f"{GET}/responses/200", "#anchor"),
    ],
)
def test_a_dangling_reference_stays_as_it_is(place: str, reference: str) -> None:
    """N3: a reference that leads nowhere is kept, so that what needs it can say so; the rest is normalized."""
    raw = document(
        (GET, {"responses": {}}),
        (place, {"$ref": reference}),
        ("/paths/~1good/get", {"responses": {"200": RESPONSE}}),
        ("/components/responses/Loop", {"$ref": "#/components/responses/Pool"}),
        ("/components/responses/Pool", {"$ref": "#/components/responses/Loop"}),
    )
    normalized = normalize(raw)
    assert normalized.document["paths"]["/good"]["get"]["responses"]["200"] == RESPONSE
    kept = reference in repr(normalized.document)
    noted = any(reference in note.text for note in normalized.notes)
    assert kept or noted


def test_a_dangling_path_item_stays_a_reference() -> None:
    """N3: a path item whose reference has no target is kept, so that migration reports it."""
    item = {"$ref": "#/components/pathItems/X"}
    normalized = normalize(document(("/paths/~1a~1{b}", item)))
    assert normalized.document["paths"]["/a/{b}"] == item


def test_a_reference_in_data_is_data() -> None:
    """N3: what looks like a reference inside an example, a default or an enum is left alone."""
    data = {"$ref": "#/components/nothing"}
    schema = {"default": data, "enum": [data], "const": data, "examples": [data]}
    raw = document(
        ("/components/schemas/X", schema),
        (f"{GET}/responses/200/{JSON}", {"schema": schema, "example": data}),
        (f"{GET}/responses/201/{JSON}", {"examples": {"one": {"value": data}}}),
        (f"{GET}/x-data", data),
        ("/x-data", {"a": data}),
    )
    normalized = normalize(raw)
    assert normalized.dangling == frozenset()
    assert normalized.document["components"]["schemas"]["X"] == schema
    answers = normalized.document["paths"]["/a"]["get"]["responses"]
    assert answers["200"] == raw["paths"]["/a"]["get"]["responses"]["200"]
    assert answers["201"] == raw["paths"]["/a"]["get"]["responses"]["201"]
    assert normalized.document["x-data"] == {"a": data}


# -- references inside schemas --------------------------------------------------------------------------------

TREE = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Tree"}}}


def referred(reference: str, *parts: tuple[str, Any], openapi: str = "3.1.0") -> Any:
    """The normalized component that a schema's reference means."""
    raw = document(("/components/schemas/From", {"$ref": reference}), *parts, openapi=openapi)
    normalized = normalize(raw)
    assert normalized.dangling == frozenset()
    text = normalized.document["components"]["schemas"]["From"]["$ref"]
    assert text.startswith(PREFIX)
    (name,) = split(text.removeprefix(PREFIX[:-1]))
    return normalized.document["components"]["schemas"][name]


STRING = {"type": "string", "minLength": 7}


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("#/components/schemas/To", [("/components/schemas/To", STRING)]),
        ("#/components/schemas/a~1b~0c", [("/components/schemas/a~1b~0c", STRING)]),
        ("#/components/schemas/a%25b", [("/components/schemas/a%b", STRING)]),
        ("#/components/schemas/a%20b", [("/components/schemas/a b", STRING)]),
        ("#/components/schemas/%7Bid%7D", [("/components/schemas/{id}", STRING)]),
        ("#/components/schemas/T/properties/a", [("/components/schemas/T/properties/a", STRING)]),
        ("#/components/schemas/T/allOf/0", [("/components/schemas/T/allOf/-", STRING)]),
        ("#/components/schemas/T/items", [("/components/schemas/T/items", STRING)]),
        ("#/components/schemas/T/$defs/X", [("/components/schemas/T/$defs/X", STRING)]),
        ("#/components/schemas/T/definitions/X", [("/components/schemas/T/definitions/X", STRING)]),
        (
            "#/components/parameters/P/schema",
            [("/components/parameters/P", {"name": "p", "in": "query", "schema": STRING})],
        ),
        (
            f"#/components/responses/R/{JSON}/schema",
            [(f"/components/responses/R/{JSON}/schema", STRING)],
        ),
        (
            f"#/paths/~1a~1%7Bid%7D/get/responses/200/{JSON}/schema",
            [(f"/paths/~1a~1{{id}}/get/responses/200/{JSON}/schema", STRING)],
        ),
        (
            f"#/paths/~1a/post/requestBody/{JSON}/schema/properties/x",
            [(f"/paths/~1a/post/requestBody/{JSON}/schema/properties/x", STRING)],
        ),
        (
            f"#/paths/~1a/get/responses/200/{JSON}/schema",
            [
                (f"{GET}/responses/200", {"$ref": "#/components/responses/R"}),
                (f"/components/responses/R/{JSON}/schema", STRING),
            ],
        ),
        (
            "#/components/schemas/Alias/properties/a",
            [
                ("/components/schemas/Alias", {"$ref": "#/components/schemas/T"}),
                ("/components/schemas/T/properties/a", STRING),
            ],
        ),
        ("#/definitions/X", [("/definitions/X", STRING)]),
        ("#/x-schemas/X", [("/x-schemas/X", STRING)]),
        ("#here", [("/components/schemas/To", {**STRING, "$anchor": "here"})]),
        ("#here", [("/components/schemas/T/$defs/X", {**STRING, "$anchor": "here"})]),
        ("#here", [("/components/schemas/To", {**STRING, "$dynamicAnchor": "here"})]),
        (
            "https://schemas.example/to",
            [("/components/schemas/To", {**STRING, "$id": "https://schemas.example/to"})],
        ),
        (
            "https://schemas.example/t#/$defs/X",
            [
                (
                    "/components/schemas/T",
                    {"$id": "https://schemas.example/t", "$defs": {"X": STRING}},
                )
            ],
        ),
    ],
)
def test_a_schema_reference_names_a_component(reference: str, parts: list[tuple[str, Any]]) -> None:
    """N3: whatever place a schema's reference names, it is a component of the normalized document."""
    assert referred(reference, *parts) == STRING


@pytest.mark.parametrize("version_", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_path_by_pointer_is_the_same_in_every_version(version_: str) -> None:
    """N3: references by a whole pointer are resolved in 3.0, 3.1 and 3.2 alike."""
    place = f"/paths/~1a/get/responses/200/{JSON}/schema"
    assert referred(f"#{place}", (place, STRING), openapi=version_) == STRING


def test_a_dynamic_reference_is_the_anchor_it_names() -> None:
    """N3: `$dynamicRef` means its own anchor, as no other schema extends it."""
    tree = {
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"child": {"$dynamicRef": "#node"}},
    }
    found = schemas(document(("/components/schemas/Tree", tree)))["Tree"]
    assert found == {"type": "object", "properties": {"child": {"$ref": f"{PREFIX}Tree"}}}


def test_definitions_are_found_from_within_their_schema() -> None:
    """N3: `#/$defs/X` inside a component means the definitions around it, the innermost first."""
    inner = {"$defs": {"X": {"type": "integer"}}, "properties": {"x": {"$ref": "#/$defs/X"}}}
    outer = {
        "$defs": {"X": STRING, "Y": {"type": "boolean"}},
        "properties": {
            "x": {"$ref": "#/$defs/X"},
            "inner": {**inner, "items": {"$ref": "#/$defs/Y"}},
        },
    }
    made = schemas(document(("/components/schemas/Outer", outer)))
    properties = made["Outer"]["properties"]

    def target(node: dict[str, Any]) -> Any:
        return made[node["$ref"].removeprefix(PREFIX)]

    assert target(properties["x"]) == STRING
    assert target(properties["inner"]["properties"]["x"]) == {"type": "integer"}
    assert target(properties["inner"]["items"]) == {"type": "boolean"}


def test_definitions_of_two_schemas_by_one_name_are_two_components() -> None:
    """N3: `#/$defs/X` means another schema in another component."""
    made = schemas(
        document(
            ("/components/schemas/A", {"$defs": {"X": STRING}, "$ref": "#/$defs/X"}),
            ("/components/schemas/B", {"$defs": {"X": {"type": "null"}}, "$ref": "#/$defs/X"}),
        )
    )
    targets = [made[made[name]["$ref"].removeprefix(PREFIX)] for name in ("A", "B")]
    assert targets == [STRING, {"type": "null"}]


def test_definitions_that_refer_to_one_another_end() -> None:
    """N3: definitions inside a component may be recursive; each becomes one component."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    made = schemas(
        document(("/components/schemas/List", {"$defs": {"Node": node}, "$ref": "#/$defs/Node"}))
    )
    name = made["List"]["$ref"].removeprefix(PREFIX)
    assert made[name] == {"type": "object", "properties": {"next": {"$ref": PREFIX + name}}}
    assert len(made) == 2


@pytest.mark.parametrize(
    ("reference", "keyword"),
    [
        pytest.param(
            "#",
            "$ref",
        ),
        pytest.param(
            "#",
            "$recursiveRef",
        ),
    ],
)
def test_the_root_of_a_resource_is_not_the_document(reference: str, keyword: str) -> None:
    """N3: `#` inside a schema with an `$id` is that schema (JSON Schema 2020-12, section 8.2.3)."""
    tree = {
        "$id": "https://schemas.example/tree",
        "$recursiveAnchor": True,
        "properties": {"child": {keyword: reference}},
    }
    made = schemas(document(("/components/schemas/Tree", tree)))
    assert made["Tree"]["properties"]["child"] == {"$ref": f"{PREFIX}Tree"}


def test_a_recursive_reference_is_the_schema_it_stands_in() -> None:
    """N3: `$recursiveRef: "#"` of 2019-09 in a component without `$id` means that component."""
    tree = {"$recursiveAnchor": True, "items": {"$recursiveRef": "#"}}
    made = schemas(document(("/components/schemas/Tree", tree)))
    assert made["Tree"] == {"items": {"$ref": f"{PREFIX}Tree"}}


def test_schemas_that_contain_themselves_stay_references() -> None:
    """N3: recursion is kept, by name and through places without one."""
    place = f"{GET}/responses/200/{JSON}/schema"
    raw = document(
        ("/components/schemas/Tree", TREE),
        (place, {"items": {"$ref": f"#{place}"}}),
    )
    normalized = normalize(raw)
    made = normalized.document["components"]["schemas"]
    assert made["Tree"] == TREE
    (name,) = made.keys() - {"Tree"}
    assert made[name] == {"items": {"$ref": PREFIX + name}}
    assert normalized.dangling == frozenset()


@pytest.mark.parametrize(
    "parts",
    [
        {"A": {"$ref": f"{PREFIX}A"}},
        {"A": {"$ref": f"{PREFIX}B"}, "B": {"$ref": f"{PREFIX}A"}},
        {"A": {"$ref": f"{PREFIX}B", "description": "A"}, "B": {"$ref": f"{PREFIX}A"}},
    ],
)
def test_schemas_that_only_refer_to_one_another_lead_nowhere(parts: dict[str, Any]) -> None:
    """N3: a cycle of nothing but references is no schema, and is told as one that leads nowhere."""
    normalized = normalize(document(("/components/schemas", parts)))
    made = normalized.document["components"]["schemas"]
    assert normalized.dangling
    assert any(node["$ref"] in normalized.dangling for node in made.values())


@pytest.mark.parametrize(
    "reference",
    [
        "#/components/schemas/Nothing",
        "#/components/schemas/X/properties/nothing",
        "#nothing",
        "other.yaml",
        "other.yaml#/X",
        "https://other.example/x.json",
        "#/info/title",
        "not a uri",
        "http://[",
    ],
)
def test_dangling_schema_references_are_told(reference: str) -> None:
    """N3: a schema's reference that leads to no schema stays as it is, and is told."""
    raw = document(("/components/schemas/X", {"items": {"$ref": reference}}))
    normalized = normalize(raw)
    assert normalized.dangling == {reference}
    assert normalized.document["components"]["schemas"]["X"] == {"items": {"$ref": reference}}


def swagger(**fields: Any) -> dict[str, Any]:
    return {"swagger": "2.0", "info": {"title": "T", "version": "1"}, **fields}


A_OF_2 = {"$ref": "#/definitions/A"}
BODY_OF_2 = {"name": "b", "in": "body", "schema": STRING}
#: References into places that a document does not have and its normalized form has.
REVEALED = [
    ("#/components/schemas/A", swagger(definitions={"A": STRING})),
    (
        f"#/paths/~1a/get/responses/200/{JSON}/schema",
        swagger(paths={"/a": {"get": {"responses": {"200": {"schema": STRING}}}}}),
    ),
    (
        f"#/paths/~1a/post/requestBody/{JSON}/schema",
        swagger(paths={"/a": {"post": {"parameters": [BODY_OF_2]}}}),
    ),
    (
        "#/paths/~1a/get/parameters/0/schema",
        swagger(paths={"/a": {"parameters": [{"name": "p", "in": "query", **STRING}], "get": {}}}),
    ),
    (
        "#/paths/~1a/get/parameters/0/schema",
        document(("/paths/~1a", {"parameters": [{**PARAMETER, "schema": STRING}], "get": {}})),
    ),
    (
        "#/components/schemas/T/prefixItems/0",
        document(("/components/schemas/T", {"items": [STRING]}), openapi="3.0.3"),
    ),
    (
        "#/components/schemas/T/$defs/X",
        document(("/components/schemas/T", {"definitions": {"X": STRING}}), openapi="3.0.3"),
    ),
]


@pytest.mark.parametrize(("reference", "raw"), REVEALED)
def test_a_place_that_normalizing_makes_is_a_place(reference: str, raw: dict[str, Any]) -> None:
    """N8: a reference into a place of the normalized document means it, the first time as the second."""
    named = "/definitions/From" if "swagger" in raw else "/components/schemas/From"
    once = normalize(put(raw, named, {"items": {"$ref": reference}}))
    target = once.document["components"]["schemas"]["From"]["items"]["$ref"]
    (name,) = split(target.removeprefix(PREFIX[:-1]))
    assert once.document["components"]["schemas"][name] == STRING
    assert once.dangling == frozenset()
    assert normalize(once.document).document == once.document


def test_a_parameter_that_normalizing_moves_is_found() -> None:
    """N8: a Reference Object may name a place of the normalized document, too."""
    raw = document(
        ("/paths/~1a", {"parameters": [PARAMETER], "get": {}}),
        ("/paths/~1b/get/parameters/-", {"$ref": "#/paths/~1a/get/parameters/0"}),
    )
    once = normalize(raw).document
    assert once["paths"]["/b"]["get"]["parameters"] == [PARAMETER]
    assert normalize(once).document == once


def test_a_callback_may_lead_back_to_its_paths() -> None:
    """N8: what contains itself by references is unfolded once, and leads nowhere from there on."""
    raw = document((f"{GET}/callbacks/c", {"$ref": "#/paths"}))
    once = normalize(raw).document
    inner = once["paths"]["/a"]["get"]["callbacks"]["c"]["/a"]["get"]["callbacks"]["c"]
    assert inner.keys() == {"$ref"}
    assert normalize(once).document == once


def test_the_places_of_another_version_are_none() -> None:
    """N3: `#/definitions/A` in OpenAPI 3 leads nowhere unless the document has it."""
    raw = document(("/components/schemas/A", STRING), ("/components/schemas/B/items", A_OF_2))
    assert normalize(raw).dangling == {A_OF_2["$ref"]}


@pytest.mark.parametrize("reference", ["", "#"])
def test_the_whole_document_is_no_schema(reference: str) -> None:
    """N3: a schema's reference to the document itself leads to no schema."""
    raw = document(("/components/schemas/X", {"items": {"$ref": reference}}))
    assert normalize(raw).dangling == {reference}


# -- siblings of $ref ---------------------------------------------------------------------------------------

ANNOTATIONS = {
    "title": "T",
    "description": "D",
    "default": "d",
    "deprecated": True,
    "readOnly": True,
    "writeOnly": False,
}


@pytest.mark.parametrize("openapi", ["3.1.0", "3.2.0"])
def test_siblings_apply_from_3_1_on(openapi: str) -> None:
    """N3: in 3.1 and 3.2 what stands beside `$ref` applies, narrowing or not."""
    node = {"$ref": f"{PREFIX}X", "maxLength": 3, "enum": ["a"], **ANNOTATIONS}
    raw = document(
        ("/components/schemas/X", STRING), ("/components/schemas/Y", node), openapi=openapi
    )
    assert schemas(raw)["Y"] == node


def test_in_3_0_annotations_count_and_narrowing_siblings_do_not() -> None:
    """N3: beside a `$ref` of 3.0 the annotating and directing siblings count, narrowing ones are ignored."""
    narrowing = {"maxLength": 3, "enum": ["a"], "type": "object", "required": ["x"], "pattern": "a"}
    node = {"$ref": f"{PREFIX}X", **ANNOTATIONS, **narrowing}
    raw = document(
        ("/components/schemas/X", STRING), ("/components/schemas/Y", node), openapi="3.0.3"
    )
    assert schemas(raw)["Y"] == {"$ref": f"{PREFIX}X", **ANNOTATIONS}


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_nullable_beside_a_reference_admits_null(openapi: str) -> None:
    """N3, N7: `nullable` beside `$ref` widens, in any version."""
    node = {"$ref": f"{PREFIX}X", "nullable": True, "example": "e", "description": "D"}
    raw = document(
        ("/components/schemas/X", STRING), ("/components/schemas/Y", node), openapi=openapi
    )
    assert schemas(raw)["Y"] == {
        "description": "D",
        "examples": ["e"],
        "anyOf": [{"$ref": f"{PREFIX}X"}, {"type": "null"}],
    }


# -- parameters -----------------------------------------------------------------------------------------------


def parameter(name: str, where: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": where, "schema": {"type": "string"}, **more}


@pytest.mark.parametrize(
    ("shared", "own", "merged"),
    [
        (["query:a"], ["query:b"], ["query:a shared", "query:b own"]),
        (["query:a"], ["query:a"], ["query:a own"]),
        (["query:a", "query:b"], ["query:a"], ["query:a own", "query:b shared"]),
        (["query:a"], ["header:a"], ["query:a shared", "header:a own"]),
        (["path:a"], ["query:a", "path:a"], ["path:a own", "query:a own"]),
        (["query:a"], ["query:A"], ["query:a shared", "query:A own"]),
        (["query:a"], None, ["query:a shared"]),
        (None, ["query:a"], ["query:a own"]),
        ([], [], []),
    ],
)
def test_parameters_merge_by_location_and_name(
    shared: list[str] | None, own: list[str] | None, merged: list[str]
) -> None:
    """N5: an operation has the path's parameters and its own; of two alike the operation's counts."""

    def made(keys: list[str], said: str) -> list[dict[str, Any]]:
        return [parameter(key.split(":")[1], key.split(":")[0], description=said) for key in keys]

    raw = document((GET, {"responses": {}}))
    if shared is not None:
        raw["paths"]["/a"]["parameters"] = made(shared, "shared")
    if own is not None:
        raw["paths"]["/a"]["get"]["parameters"] = made(own, "own")
    item = operations(raw)["paths"]["/a"]
    found = [f"{p['in']}:{p['name']} {p['description']}" for p in item["get"].get("parameters", ())]
    assert found == merged
    assert "parameters" not in item


def test_parameters_merge_through_references() -> None:
    """N5, N3: a parameter is known by what it refers to, and keeps that one's own location."""
    raw = document(
        ("/components/parameters/Id", parameter("id", "path", required=True)),
        ("/components/parameters/Trace", parameter("trace", "header")),
        ("/paths/~1a/parameters/-", {"$ref": "#/components/parameters/Id"}),
        ("/paths/~1a/parameters/-", {"$ref": "#/components/parameters/Trace"}),
        (f"{GET}/parameters/-", parameter("id", "path", description="own")),
    )
    found = operations(raw)["paths"]["/a"]["get"]["parameters"]
    assert found == [parameter("id", "path", description="own"), parameter("trace", "header")]


def test_every_method_has_the_shared_parameters() -> None:
    """N5: the path's parameters belong to every method, additional ones and webhooks included."""
    methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]
    item = {
        "parameters": [PARAMETER],
        **{method: {"responses": {}} for method in methods},
        "additionalOperations": {"COPY": {"responses": {}}},
    }
    raw = document(("/paths/~1a", item), ("/webhooks/w", item), openapi="3.2.0")
    normalized = operations(raw)
    for made in (normalized["paths"]["/a"], normalized["webhooks"]["w"]):
        all_of_them = [made[method] for method in methods] + [made["additionalOperations"]["COPY"]]
        assert all(operation["parameters"] == [PARAMETER] for operation in all_of_them)


def test_parameters_without_a_name_are_kept_apart() -> None:
    """N5: what cannot be told apart is not merged, so that each fault is seen."""
    faulty = [{"in": "query"}, {"name": "x"}, {}, {"in": "query"}]
    raw = document((GET, {"parameters": faulty}), ("/paths/~1a/parameters/-", {"in": "query"}))
    assert len(operations(raw)["paths"]["/a"]["get"]["parameters"]) == 5


# -- wrong types -------------------------------------------------------------------------------------------------

WRONG = [None, True, 0, "text", [], ["text"], {}, {"x": 1}, [[]], [{}]]


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize(
    "place",
    [
        "/paths",
        "/paths/~1a",
        GET,
        f"{GET}/parameters",
        f"{GET}/parameters/-",
        f"{GET}/requestBody",
        f"{GET}/requestBody/content",
        f"{GET}/requestBody/{JSON}",
        f"{GET}/requestBody/{JSON}/schema",
        f"{GET}/requestBody/{JSON}/encoding",
        f"{GET}/requestBody/{JSON}/examples",
        f"{GET}/responses",
        f"{GET}/responses/200",
        f"{GET}/responses/200/headers",
        f"{GET}/responses/200/links",
        f"{GET}/callbacks",
        f"{GET}/callbacks/x",
        "/paths/~1a/parameters",
        "/paths/~1a/additionalOperations",
        "/paths/~1a/$ref",
        "/webhooks",
        "/webhooks/x",
        "/components",
        "/components/schemas",
        "/components/schemas/X",
        "/components/securitySchemes",
        "/components/securitySchemes/x",
        "/info",
        "/servers",
        "/$self",
    ],
)
def test_nothing_of_a_wrong_type_breaks_a_document(place: str, value: Any) -> None:
    """N1: a value of the wrong type spoils at most its own operation, and normalizing again changes nothing."""
    raw = document((place, value), ("/paths-of-others", {}))
    before = copy.deepcopy(raw)
    once = normalize(raw).document
    assert raw == before
    assert normalize(once).document == once


@pytest.mark.parametrize("value", [[], {}], ids=repr)
@pytest.mark.parametrize("field", ["in", "name"])
@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_a_parameter_may_be_of_no_location_or_name(openapi: str, field: str, value: Any) -> None:
    """N1: a parameter whose name or location is no text spoils its own operation only."""
    raw = document((f"{GET}/parameters/-", {**PARAMETER, field: value}), openapi=openapi)
    assert isinstance(normalize(raw), Normalized)
