from typing import Any

import pytest
from orjson import dumps

from specfn import load
from specfn.document.normalize import normalize
from specfn.document.references import resolve
from specfn.document.upgrade.schemas import MAX_DEPTH

PREFIX = "#/components/schemas/"
ALL = ["2.0", "3.0.3", "3.1.0", "3.2.0"]
NULL = {"type": "null"}


def upgraded(schema: Any, version: str = "3.0.3", **others: Any) -> Any:
    """A schema as the normalized document has it."""
    return components({"X": schema, **others}, version)["X"]


def components(schemas: dict[str, Any], version: str) -> Any:
    document: dict[str, Any] = {"openapi": version, "components": {"schemas": schemas}}
    if version == "2.0":
        document = {"swagger": "2.0", "definitions": schemas}
    return normalize(document).document["components"]["schemas"]


# -- what is right already -----------------------------------------------------------------------------

RIGHT: dict[str, Any] = {
    "title": "T",
    "description": "D",
    "default": {"nullable": True},
    "deprecated": True,
    "readOnly": True,
    "writeOnly": False,
    "examples": [1, {"example": 2}],
    "enum": [1, True, "1", None, [1], {"id": "x"}],
    "multipleOf": 0.01,
    "minimum": -1,
    "maximum": 1e300,
    "minLength": 0,
    "maxLength": 3,
    "pattern": "^a",
    "format": "made-up",
    "minItems": 1,
    "maxItems": 2,
    "uniqueItems": True,
    "minProperties": 0,
    "maxProperties": 9,
    "required": ["nullable", "example"],
    "properties": {
        "nullable": {"type": "boolean"},
        "example": {"type": "string"},
        "id": {"type": "string"},
        "$ref": {"type": "string"},
        "$id": {"type": "integer"},
        "discriminator": {"type": "string"},
        "items": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
    "items": {"type": "string"},
    "allOf": [{"type": "object"}],
    "anyOf": [{}, {"type": "string"}],
    "oneOf": [{"type": "object"}],
    "not": {"type": "string"},
    "xml": {"name": "x"},
    "externalDocs": {"url": "https://docs.example"},
    "x-own": {"nullable": True, "$ref": "#/nowhere"},
}
RIGHT_SINCE_31: dict[str, Any] = {
    "type": ["string", "null"],
    "const": {"nullable": True},
    "exclusiveMinimum": 1,
    "exclusiveMaximum": 2.5,
    "prefixItems": [{"type": "string"}],
    "contains": {"type": "string"},
    "minContains": 0,
    "maxContains": 3,
    "patternProperties": {"^nullable": {"type": "boolean"}},
    "propertyNames": {"pattern": "a"},
    "dependentRequired": {"a": ["b"]},
    "dependentSchemas": {"a": {"required": ["b"]}},
    "if": {"type": "string"},
    "then": {"minLength": 1},
    "else": False,
    "unevaluatedItems": False,
    "unevaluatedProperties": {"type": "string"},
    "contentEncoding": "base64",
    "contentMediaType": "image/png",
    "contentSchema": {"type": "object"},
    "$comment": "C",
    "$defs": {"A": {"type": "string"}},
}


@pytest.mark.parametrize("version", ALL)
def test_what_is_right_is_handed_on(version: str) -> None:
    """N7: a schema in which nothing has to change is the very same object."""
    assert upgraded(RIGHT, version) is RIGHT


def test_2020_12_is_handed_on() -> None:
    """N7: keywords of 2020-12 keep their values."""
    assert upgraded(RIGHT_SINCE_31, "3.1.0") == RIGHT_SINCE_31


# -- nullable --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("flag", ["nullable", "x-nullable"])
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": "string", "maxLength": 3}, {"type": ["string", "null"], "maxLength": 3}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "null"}, {"type": "null"}),
        ({}, {}),
        ({"minLength": 1}, {"minLength": 1}),
        ({"enum": ["a"]}, {"enum": ["a", None]}),
        ({"enum": ["a", None]}, {"enum": ["a", None]}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        (
            {"type": "string", "enum": ["a", None]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"allOf": [{"type": "string"}]}, {"anyOf": [{"allOf": [{"type": "string"}]}, NULL]}),
        ({"oneOf": [{"type": "string"}]}, {"anyOf": [{"oneOf": [{"type": "string"}]}, NULL]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"anyOf": [{"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        (
            {"type": "object", "anyOf": [{"required": ["a"]}]},
            {"anyOf": [{"type": "object", "anyOf": [{"required": ["a"]}]}, NULL]},
        ),
        ({"not": {"type": "null"}}, {"anyOf": [{"not": {"type": "null"}}, NULL]}),
        (
            {"type": "string", "not": {"enum": ["a"]}},
            {"anyOf": [{"type": "string", "not": {"enum": ["a"]}}, NULL]},
        ),
        (
            {"enum": ["a"], "allOf": [{"type": "string"}]},
            {"anyOf": [{"enum": ["a"], "allOf": [{"type": "string"}]}, NULL]},
        ),
        ({"$ref": f"{PREFIX}Y"}, {"anyOf": [{"$ref": f"{PREFIX}Y"}, NULL]}),
        (
            {"allOf": [{}], "title": "T", "description": "D", "default": None, "readOnly": True},
            {
                "title": "T",
                "description": "D",
                "default": None,
                "readOnly": True,
                "anyOf": [{"allOf": [{}]}, NULL],
            },
        ),
    ],
)
def test_nullable_always_admits_null(
    version: str, flag: str, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    """N7: `nullable` (or `x-nullable`) admits null, whatever stands beside it."""
    if version == "2.0" and "$ref" in schema:
        expected = {"anyOf": [{"$ref": f"{PREFIX}Y"}, NULL]}
        schema = {"$ref": "#/definitions/Y"}
    assert upgraded({**schema, flag: True}, version, Y={}) == expected


@pytest.mark.parametrize("value", [False, None, "false", 0, 1, [], {}, "yes"])
def test_a_nullable_that_is_not_true_says_nothing(value: Any) -> None:
    """N7: any other value of `nullable` is left out and changes nothing."""
    assert upgraded({"type": "string", "nullable": value}) == {"type": "string"}
    assert upgraded({"allOf": [{}], "x-nullable": value}) == {"allOf": [{}]}


@pytest.mark.parametrize("value", [True, "true", "True"])
def test_a_quoted_flag_is_a_flag(value: Any) -> None:
    """N7: `nullable: "true"` is what people mean by it."""
    assert upgraded({"type": "string", "nullable": value}) == {"type": ["string", "null"]}


def test_null_beside_a_discriminator_stays_apart() -> None:
    """N7: a nullable union keeps its discriminator with its branches."""
    union = {"oneOf": [{"$ref": f"{PREFIX}A"}], "discriminator": {"propertyName": "kind"}}
    assert upgraded({**union, "nullable": True}, A={}) == {"anyOf": [union, NULL]}


# -- bounds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": True}, {"exclusiveMaximum": 1}),
        ({"maximum": 1.5, "exclusiveMaximum": False}, {"maximum": 1.5}),
        ({"exclusiveMinimum": True}, {}),
        ({"exclusiveMaximum": False}, {}),
        (
            {"minimum": 0, "exclusiveMinimum": True, "maximum": 0},
            {"exclusiveMinimum": 0, "maximum": 0},
        ),
        ({"minimum": "1", "exclusiveMinimum": True}, {}),
        ({"minimum": 1, "exclusiveMinimum": 3}, {"minimum": 1, "exclusiveMinimum": 3}),
        ({"minimum": 1, "exclusiveMinimum": "true"}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": None}, {"minimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": [1]}, {"maximum": 1}),
        ({"divisibleBy": 2}, {"multipleOf": 2}),
        ({"divisibleBy": 2, "multipleOf": 3}, {"multipleOf": 3}),
        ({"divisibleBy": 0}, {}),
        ({"divisibleBy": "2"}, {}),
    ],
)
def test_bounds_of_draft_4_become_numbers(
    version: str, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    """N7: boolean exclusive bounds, and `divisibleBy`, in any version."""
    assert upgraded(schema, version) == expected


# -- arrays, definitions, names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"items": [{"type": "string"}, {}]}, {"prefixItems": [{"type": "string"}, {}]}),
        (
            {"items": [{"nullable": True, "type": "string"}], "additionalItems": False},
            {"prefixItems": [{"type": ["string", "null"]}], "items": False},
        ),
        (
            {"items": [{}], "additionalItems": {"type": "string", "nullable": True}},
            {"prefixItems": [{}], "items": {"type": ["string", "null"]}},
        ),
        ({"items": [], "additionalItems": False}, {"items": False}),
        ({"items": []}, {}),
        ({"items": {"type": "string"}, "additionalItems": False}, {"items": {"type": "string"}}),
        ({"additionalItems": False}, {}),
        ({"items": True}, {"items": True}),
        ({"items": False}, {"items": False}),
        ({"items": "string"}, {}),
        ({"items": None}, {}),
        (
            {"items": [{"items": [{"items": [True]}]}]},
            {"prefixItems": [{"prefixItems": [{"prefixItems": [True]}]}]},
        ),
    ],
)
def test_tuples_become_prefix_items(
    version: str, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    """N7: `items` as a list is `prefixItems`, and `additionalItems` are its `items`."""
    assert upgraded(schema, version) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"definitions": {"A": {"nullable": True, "type": "string"}}},
            {"$defs": {"A": {"type": ["string", "null"]}}},
        ),
        ({"definitions": {"A": {}}, "$defs": {"B": {}}}, {"$defs": {"B": {}}}),
        ({"definitions": []}, {}),
        ({"id": "https://x.example/a", "type": "string"}, {"type": "string"}),
        ({"id": 1, "type": "string"}, {"id": 1, "type": "string"}),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, {}),
        ({"$id": "https://x.example/a", "$anchor": "a", "$dynamicAnchor": "b"}, {}),
        ({"$recursiveAnchor": True}, {}),
        ({"example": 1}, {"examples": [1]}),
        ({"example": None}, {"examples": [None]}),
        ({"example": 1, "examples": [2]}, {"examples": [2]}),
        ({"examples": {"one": {"value": 1}, "two": 2, "three": {}}}, {"examples": [1, 2, {}]}),
        ({"examples": "text"}, {}),
        ({"example": 1, "examples": "text"}, {"examples": [1]}),
        ({"const": None}, {"const": None}),
    ],
)
def test_old_names_become_new_ones(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """N7: `definitions`, `id` and `example` are upgraded, identifiers are resolved and left out."""
    assert upgraded(schema, "3.1.0") == expected


# -- types ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("string", "string"),
        ("String", "string"),
        (" INTEGER ", "integer"),
        ("int", "integer"),
        ("long", "integer"),
        ("float", "number"),
        ("double", "number"),
        ("bool", "boolean"),
        ("list", "array"),
        ("map", "object"),
        ("none", "null"),
        ("any", None),
        ("file", None),
        ("date", None),
        ("", None),
        (None, None),
        (1, None),
        ({}, None),
        ([], None),
        (["string"], ["string"]),
        (["string", "string"], ["string"]),
        (["int", "Null"], ["integer", "null"]),
        (["string", "any"], None),
        (["string", 1], None),
        pytest.param(
            ["int", "integer"],
            ["integer"],
        ),
        pytest.param(
            ["string", None],
            ["string", "null"],
        ),
    ],
    ids=repr,
)
def test_types_are_what_people_mean(kind: Any, expected: Any) -> None:
    """N7: a type that is meant beyond doubt counts; one that is not known may be anything."""
    assert upgraded({"type": kind}, "3.1.0") == ({} if expected is None else {"type": expected})


# -- wrong values ----------------------------------------------------------------------------------------------

MAPS = ["properties", "patternProperties", "dependentSchemas", "$defs"]
SCHEMAS = ["not", "if", "then", "else", "contains", "propertyNames", "contentSchema"]
SCHEMAS += ["additionalProperties", "unevaluatedItems", "unevaluatedProperties", "items"]
LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"]
COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
COUNTS += ["minContains", "maxContains"]
TEXTS = ["title", "description", "format", "pattern", "contentEncoding", "$comment"]
FLAGS = ["uniqueItems", "deprecated", "readOnly", "writeOnly"]


def wrong() -> list[tuple[str, Any]]:
    table = {
        **{key: [None, [], "x", 1, True] for key in MAPS},
        **{key: [None, "x", 1] for key in SCHEMAS},
        **{key: [None, [], "x", 1, True] for key in LISTS},
        **{key: [None, -1, 1.5, "1", True, [], {}] for key in COUNTS},
        **{key: [None, 1, True, [], {}] for key in TEXTS},
        **{key: [None, 1, "yes", [], {}, "false"] for key in FLAGS},
        "minimum": [None, "1", True, [], {}],
        "maximum": [None, "1", True, [], {}],
        "multipleOf": [None, 0, -1, "1", True],
        "exclusiveMinimum": [None, "1", [], {}],
        "enum": [None, [], "a", {}, 1],
        "required": [None, True, "a", {}, 1],
        "dependentRequired": [None, [], "a", 1],
        "discriminator": [None, [], {}, 1, {"propertyName": 1}, {"mapping": {}}],
        "$ref": [None, 1, [], {}, True],
    }
    return [(keyword, value) for keyword, values in table.items() for value in values]


@pytest.mark.parametrize(("keyword", "value"), wrong(), ids=repr)
def test_values_that_mean_nothing_are_left_out(keyword: str, value: Any) -> None:
    """N7: a keyword whose value the standard does not allow is left out, the rest stays."""
    assert upgraded({keyword: value, "default": 1}, "3.1.0") == {"default": 1}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minLength": 2.0}, {"minLength": 2}),
        ({"required": ["a", 1, "a", None]}, {"required": ["a"]}),
        ({"required": []}, {"required": []}),
        ({"dependentRequired": {"a": ["b", 1], "c": "d"}}, {"dependentRequired": {"a": ["b"]}}),
        (
            {"enum": [1, 1.0, True, 1, "1", [1], [1], {"a": 1}, {"a": 1}]},
            {"enum": [1, 1.0, True, "1", [1], {"a": 1}]},
        ),
        ({"properties": {"a": None, "b": 1, "c": []}}, {"properties": {"a": {}, "b": {}, "c": {}}}),
        ({"allOf": {"type": "string"}}, {"allOf": [{"type": "string"}]}),
        ({"anyOf": [None, 1]}, {"anyOf": [{}, {}]}),
        ({"not": "true"}, {"not": True}),
        ({"additionalProperties": "false"}, {"additionalProperties": False}),
        ({"uniqueItems": "true"}, {"uniqueItems": True}),
        ({"$ref": 1, "maxLength": 3}, {"maxLength": 3}),
    ],
    ids=repr,
)
def test_values_that_mean_something_are_kept(
    schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    """N7: what a slightly wrong value means beyond doubt is kept."""
    assert upgraded(schema, "3.1.0") == expected


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_a_reference_that_is_no_text_leaves_its_siblings(openapi: str) -> None:
    """N7: where `$ref` is no text there is no reference, and all that stands beside it counts."""
    assert upgraded({"$ref": [], "maxLength": 3}, openapi) == {"maxLength": 3}


# -- discriminators --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "value", "expected"),
    [
        ("2.0", "kind", {"propertyName": "kind"}),
        ("3.0.3", {"propertyName": "kind"}, {"propertyName": "kind"}),
        (
            "3.0.3",
            {
                "propertyName": "kind",
                "mapping": {"a": "Y", "b": f"{PREFIX}Y", "c": "y.json", "d": 1},
            },
            {
                "propertyName": "kind",
                "mapping": {"a": f"{PREFIX}Y", "b": f"{PREFIX}Y", "c": "y.json"},
            },
        ),
        ("3.1.0", {"propertyName": "kind", "mapping": None}, {"propertyName": "kind"}),
        ("3.1.0", {"propertyName": "kind", "x-own": 1}, {"propertyName": "kind", "x-own": 1}),
        ("3.0.3", "kind", {"propertyName": "kind"}),
        *(
            (
                "3.2.0",
                {"propertyName": "kind", "defaultMapping": given},
                {"propertyName": "kind", **expected},
            )
            for given, expected in (
                ("Y", {"defaultMapping": f"{PREFIX}Y"}),
                (f"{PREFIX}Y", {"defaultMapping": f"{PREFIX}Y"}),
                ("https://example.com/y", {"defaultMapping": "https://example.com/y"}),
                (1, {}),
            )
        ),
    ],
)
def test_discriminators_name_components(version: str, value: Any, expected: Any) -> None:
    """N7: a discriminator is an object, and its mapping names components by reference."""
    assert upgraded({"discriminator": value}, version, Y={})["discriminator"] == expected


# -- places ---------------------------------------------------------------------------------------------------------------

OLD = {"type": "string", "nullable": True}
NEW = {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(({key: {"x": OLD, "y": True}}, {key: {"x": NEW, "y": True}}) for key in MAPS),
        *(({key: OLD}, {key: NEW}) for key in SCHEMAS),
        *(({key: [True, OLD]}, {key: [True, NEW]}) for key in LISTS),
    ],
    ids=repr,
)
def test_every_subschema_is_upgraded(before: dict[str, Any], after: dict[str, Any]) -> None:
    """N7: wherever a keyword holds a schema, that one is upgraded too, and names are not keywords."""
    assert upgraded(before, "3.1.0") == after
    assert upgraded({"properties": {"nullable": before}}, "3.1.0") == {
        "properties": {"nullable": after}
    }


# -- depth ------------------------------------------------------------------------------------------------------------------


def nested(depth: int, wrap: Any) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = wrap(schema)
    return schema


WRAPS = [
    lambda inner: {"items": inner},
    lambda inner: {"properties": {"x": inner}},
    lambda inner: {"allOf": [inner]},
    lambda inner: {"items": [inner]},
    lambda inner: {"nullable": True, "oneOf": [inner]},
    lambda inner: {"definitions": {"x": inner}},
]


@pytest.mark.parametrize("wrap", WRAPS)
def test_depth_is_bounded(wrap: Any) -> None:
    """N3: a schema within the bound is upgraded whole; what is deeper becomes a reference that leads nowhere."""
    document = {"openapi": "3.0.3", "components": {"schemas": {"X": nested(MAX_DEPTH, wrap)}}}
    assert normalize(document).dangling == frozenset()
    for depth in (MAX_DEPTH + 1, MAX_DEPTH + 80):
        document["components"] = {"schemas": {"X": nested(depth, wrap)}}
        (reference,) = normalize(document).dangling
        assert "deeper" in reference


def test_an_outer_schema_is_read_once_for_all_references_into_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N3: references to the definitions of an outer schema take time in proportion to them, not to its size for each."""
    read: list[object] = []

    def counted(schema: object) -> bytes:
        read.append(schema)
        return dumps(schema)

    monkeypatch.setattr(resolve, "dumps", counted)
    definitions = {f"d{index}": {"$ref": f"#/$defs/d{index + 1}"} for index in range(20)}
    outer = {"$defs": {**definitions, "d20": {"type": "string"}}, "$ref": "#/$defs/d0"}
    content = {"application/json": {"schema": outer}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": {"content": content}, "responses": {}}}},
    }
    assert len(normalize(document).document["components"]["schemas"]) == 21
    assert read == [outer]


def test_a_circle_of_names_leads_nowhere_wherever_it_is_entered() -> None:
    """N3: components that only refer to each other are dangling, and what leads to them is only another name."""
    names = {"In": "A", "A": "B", "B": "C", "C": "A"}
    named = {name: {"$ref": f"#/components/schemas/{target}"} for name, target in names.items()}
    document = {"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": named}}
    found = normalize(document).document["components"]["schemas"]
    assert found["In"] == named["In"]
    assert found["A"] == found["B"] == found["C"] != named["A"]


INT_OR_STRING = {"type": "string", "format": "int-or-string", "description": "A name or a number."}


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("more", [{}, {"maxLength": 9}, {"type": ["string", "null"]}])
def test_an_integer_or_string_is_either(version: str, more: dict[str, Any]) -> None:
    """N7: a string of the format ``int-or-string`` may be an integer, and neither is changed to the other."""
    path = {
        "post": {
            "requestBody": {"content": {"application/json": {"schema": {"$ref": f"{PREFIX}P"}}}}
        }
    }
    schemas = {"P": {"properties": {"targetPort": {**INT_OR_STRING, **more}}}}
    document: dict[str, Any] = {"openapi": version, "paths": {"/a": path}}
    document["components"] = {"schemas": schemas}
    if version == "2.0":
        body = {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/P"}}
        document = {"swagger": "2.0", "definitions": schemas}
        document["paths"] = {"/a": {"post": {"parameters": [body]}}}
    function = load(document).functions[0]
    for port in (8080, "8080", "http"):
        arguments = {"body": {"targetPort": port}}
        outcome = function.check(arguments)
        assert (outcome.data, outcome.repairs) == (arguments, ())
        assert bool(outcome)
    for port in (True, [], 8080.5):
        assert not function.check({"body": {"targetPort": port}})
