import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from openapi_schema_validator import OAS30Validator

from specfn import downgrade
from specfn._internal.pointer import split
from specfn.document.normalize import normalize
from specfn.document.read.load import read, read_resource
from specfn.document.upgrade.schemas import MAX_DEPTH
from specfn.errors import DocumentError, UsageError

PREFIX = "#/components/schemas/"
NULL = {"type": "string", "nullable": True, "enum": [None]}
NEVER = {"not": {}}
INFO = {"title": "T", "version": "1"}


def unless(name: str) -> dict[str, Any]:
    return {"not": {"type": "object", "required": [name]}}


def metaschema() -> Any:
    package = "openapi_spec_validator"
    content = read_resource(package, "resources", "schemas", "v3.0", "schema.json")
    assert content is not None
    return jsonschema_rs.Draft4Validator(json.loads(content), validate_formats=True)


METASCHEMA = metaschema()


def written(document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A document downgraded, checked as OpenAPI 3.0, with its losses by place."""
    before = copy.deepcopy(document)
    made, losses = downgrade(document)
    assert document == before
    assert [error.message for error in METASCHEMA.iter_errors(made)] == []
    assert made["openapi"] == "3.0.4"
    return made, {note.pointer: note.text for note in losses}


def document(openapi: str = "3.1.0", **fields: Any) -> dict[str, Any]:
    return {"openapi": openapi, "info": INFO, "paths": {}, **fields}


def of_schemas(schemas: dict[str, Any], openapi: str = "3.1.0") -> dict[str, Any]:
    return document(openapi, components={"schemas": schemas})


def downgraded(schema: Any, **others: Any) -> tuple[Any, set[str]]:
    """A schema in 3.0, and the keywords that were lost in it."""
    made, losses = written(of_schemas({"X": schema, **others}))
    assert all(place.startswith(f"/components/schemas/{name}") for place in losses for name in "X")
    return made["components"]["schemas"]["X"], {place.split("/")[-1] for place in losses}


# -- schemas ------------------------------------------------------------------------------------------

#: Instances by which a schema before and after is told apart.
POOL: list[Any] = [
    *(None, True, False, 0, 1, 2, 0.5, -1, "", "a", "ab", "abc", "x"),
    *([], [1], ["a"], [None], [1, "a"], ["a", 1], ["a", 1, 2], [1, 2], [1, 1], ["a", "a", "a"]),
    *({}, {"a": 1}, {"a": "a"}, {"b": 1}, {"c": 1}, {"a": 1, "b": 1}, {"a": "a", "b": "b"}),
    *({"a": 1, "b": 1, "c": 1}, {"a": 1, "c": 1}, {"x-a": 1}, {"x-a": "a"}, {"a": {"a": 1}}),
]


def accepting(judge: Any, document: dict[str, Any]) -> set[int]:
    validator = judge({"$ref": f"{PREFIX}X", "components": document["components"]})
    return {at for at, instance in enumerate(POOL) if validator.is_valid(instance)}


def told_apart(schema: Any, **others: Any) -> tuple[set[int], set[int], set[int]]:
    """What a schema accepts, what 3.0 does by its own rules, and what that does normalized again."""
    raw = of_schemas({"X": schema, **others})
    made, _ = downgrade(raw)
    rust = jsonschema_rs.Draft202012Validator
    return (
        accepting(rust, normalize(raw).document),
        accepting(OAS30Validator, made),
        accepting(rust, normalize(made).document),
    )


STRING, INTEGER = {"type": "string"}, {"type": "integer"}

#: Schemas that 3.0 says exactly, and how.
EXACT: list[tuple[Any, Any]] = [
    # booleans
    (True, {}),
    (False, NEVER),
    ({"properties": {"a": True, "b": False}}, {"properties": {"a": {}, "b": NEVER}}),
    ({"items": False, "type": "array"}, {"items": NEVER, "type": "array"}),
    ({"items": True}, {"items": {}}),
    ({"additionalProperties": False}, {"additionalProperties": False}),
    ({"not": False}, {"not": NEVER}),
    ({"allOf": [True, STRING]}, {"allOf": [{}, STRING]}),
    # types and null
    ({"type": ["string"]}, STRING),
    ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    ({"type": "null"}, NULL),
    ({"const": None}, {"enum": [None], "nullable": True}),
    ({"type": "null", "description": "D"}, {**NULL, "description": "D"}),
    ({"type": "null", "enum": [1]}, {"enum": [1], "allOf": [NEVER]}),
    ({"type": "null", "enum": [None, 1]}, {"enum": [None, 1], "allOf": [NULL]}),
    ({"type": "array"}, {"type": "array", "items": {}}),
    ({"type": ["array", "null"]}, {"type": "array", "nullable": True, "items": {}}),
    ({"type": ["string", "integer"]}, {"anyOf": [STRING, INTEGER]}),
    ({"type": ["number", "integer"]}, {"type": "number"}),
    (
        {"type": ["string", "integer", "null"], "title": "T"},
        {"title": "T", "anyOf": [{"type": "string", "nullable": True}, INTEGER]},
    ),
    (
        {
            "type": ["string", "array", "object", "number"],
            "minLength": 2,
            "maximum": 1,
            "items": STRING,
            "required": ["a"],
            "exclusiveMinimum": 0,
            "format": "date",
        },
        {
            "anyOf": [
                {"type": "string", "minLength": 2, "format": "date"},
                {"type": "array", "items": STRING},
                {"type": "object", "required": ["a"]},
                {"type": "number", "maximum": 1, "minimum": 0, "exclusiveMinimum": True},
            ]
        },
    ),
    (
        {"type": ["string", "integer"], "format": "int64"},
        {"anyOf": [STRING, {"type": "integer", "format": "int64"}]},
    ),
    (
        {"type": ["boolean", "object"], "format": "date"},
        {"format": "date", "anyOf": [{"type": "boolean"}, {"type": "object"}]},
    ),
    (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "nullable": True, "enum": ["a", None]},
    ),
    ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
    ({"enum": ["a", None]}, {"enum": ["a", None], "nullable": True}),
    (
        {"type": ["string", "integer", "null"], "enum": ["a", 1, None]},
        {"enum": ["a", 1, None], "anyOf": [{"type": "string", "nullable": True}, INTEGER]},
    ),
    (
        {"type": ["string", "null"], "not": {"enum": ["a"]}},
        {"not": {"enum": ["a"]}, "allOf": [{"type": "string", "nullable": True}]},
    ),
    (
        {"type": ["array", "null"], "anyOf": [{"minItems": 1}]},
        {"anyOf": [{"minItems": 1}], "allOf": [{"type": "array", "nullable": True, "items": {}}]},
    ),
    (
        {"type": ["string", "integer"], "anyOf": [{"enum": [1]}, {"enum": ["a"]}]},
        {"anyOf": [{"enum": [1]}, {"enum": ["a"]}], "allOf": [{"anyOf": [STRING, INTEGER]}]},
    ),
    ({"anyOf": [STRING, {"type": "null"}]}, {"type": "string", "nullable": True}),
    (
        {"anyOf": [STRING, {"type": "null"}], "title": "T", "default": None},
        {"type": "string", "nullable": True, "title": "T", "default": None},
    ),
    (
        {"anyOf": [{**STRING, "title": "S"}, {"type": "null"}], "title": "T"},
        {"anyOf": [{"type": "string", "nullable": True, "title": "S"}], "title": "T"},
    ),
    (
        {
            "anyOf": [{"type": "object", "additionalProperties": False}, {"type": "null"}],
            "properties": {"a": {}},
        },
        {
            "anyOf": [{"type": "object", "nullable": True, "additionalProperties": False}],
            "properties": {"a": {}},
        },
    ),
    (
        {"oneOf": [STRING, INTEGER, {"type": "null"}]},
        {"oneOf": [{"type": "string", "nullable": True}, INTEGER]},
    ),
    (
        {"oneOf": [STRING, {"type": "null"}, {"type": "null"}]},
        {"oneOf": [STRING, NULL, NULL]},
    ),
    (
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        {"type": "string", "nullable": True, "enum": ["a", None]},
    ),
    (
        {"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]},
        {"type": "string", "nullable": True, "enum": ["a", None]},
    ),
    ({"anyOf": [{}, {"type": "null"}]}, {"anyOf": [{}, NULL]}),
    (
        {"anyOf": [{"type": ["string", "null"]}, {"type": "null"}]},
        {"anyOf": [{"type": "string", "nullable": True}, NULL]},
    ),
    # values
    ({"const": "a"}, {"enum": ["a"]}),
    ({"const": {"a": 1}}, {"enum": [{"a": 1}]}),
    ({"const": "a", "enum": ["b", "a"]}, {"enum": ["a"]}),
    ({"const": "a", "enum": ["b"]}, {"enum": ["b"], "allOf": [{"enum": ["a"]}]}),
    ({"exclusiveMinimum": 1}, {"minimum": 1, "exclusiveMinimum": True}),
    ({"exclusiveMaximum": 1.5}, {"maximum": 1.5, "exclusiveMaximum": True}),
    ({"exclusiveMinimum": 1, "minimum": 2}, {"minimum": 2}),
    ({"exclusiveMinimum": 2, "minimum": 1}, {"minimum": 2, "exclusiveMinimum": True}),
    ({"exclusiveMinimum": 1, "minimum": 1}, {"minimum": 1, "exclusiveMinimum": True}),
    ({"exclusiveMaximum": 1, "maximum": 2}, {"maximum": 1, "exclusiveMaximum": True}),
    ({"exclusiveMaximum": 2, "maximum": 1}, {"maximum": 1}),
    ({"type": "string", "contentEncoding": "base64"}, {"type": "string", "format": "byte"}),
    ({"contentEncoding": "base64url"}, {"format": "base64url"}),
    ({"contentMediaType": "application/octet-stream"}, {"format": "binary"}),
    ({"examples": ["a"]}, {"example": "a"}),
    ({"examples": [None]}, {"example": None}),
    ({"examples": []}, {}),
    ({"required": []}, {}),
    ({"$defs": {}}, {}),
    # objects
    ({"unevaluatedProperties": True}, {}),
    ({"unevaluatedProperties": False}, {"additionalProperties": False}),
    (
        {"unevaluatedProperties": {"const": 1}, "properties": {"a": {}}},
        {"additionalProperties": {"enum": [1]}, "properties": {"a": {}}},
    ),
    (
        {"unevaluatedProperties": False, "additionalProperties": INTEGER, "allOf": [{}]},
        {"additionalProperties": INTEGER, "allOf": [{}]},
    ),
    ({"patternProperties": {}}, {}),
    ({"patternProperties": {"": STRING}}, {"additionalProperties": STRING}),
    (
        {"patternProperties": {".*": STRING}, "additionalProperties": False},
        {"additionalProperties": STRING},
    ),
    ({"propertyNames": STRING}, {}),
    ({"propertyNames": True}, {}),
    (
        {"propertyNames": {"enum": ["a", "b"]}, "additionalProperties": INTEGER},
        {"properties": {"a": INTEGER, "b": INTEGER}, "additionalProperties": False},
    ),
    (
        {"propertyNames": {"enum": ["a"]}, "properties": {"a": STRING, "b": STRING}},
        {"properties": {"a": STRING}, "additionalProperties": False},
    ),
    (
        {"propertyNames": {"type": "string", "enum": ["a", 1]}, "additionalProperties": False},
        {"properties": {}, "additionalProperties": False},
    ),
    (
        {"propertyNames": {"$ref": f"{PREFIX}Names"}, "additionalProperties": INTEGER},
        {"properties": {"a": INTEGER, "c": INTEGER}, "additionalProperties": False},
    ),
    ({"dependentRequired": {"a": ["b", "c"]}}, {"anyOf": [unless("a"), {"required": ["b", "c"]}]}),
    ({"dependentRequired": {"a": []}}, {}),
    (
        {"dependentRequired": {"a": ["b"], "b": ["a"]}},
        {
            "anyOf": [unless("a"), {"required": ["b"]}],
            "allOf": [{"anyOf": [unless("b"), {"required": ["a"]}]}],
        },
    ),
    (
        {"dependentSchemas": {"a": {"required": ["b"]}, "b": True}},
        {"anyOf": [unless("a"), {"required": ["b"]}]},
    ),
    ({"dependentSchemas": {"a": False}}, {"anyOf": [unless("a"), NEVER]}),
    # arrays
    ({"unevaluatedItems": True}, {}),
    ({"unevaluatedItems": INTEGER}, {"items": INTEGER}),
    (
        {"unevaluatedItems": False, "items": INTEGER, "allOf": [{}]},
        {"items": INTEGER, "allOf": [{}]},
    ),
    ({"prefixItems": [INTEGER], "items": INTEGER}, {"items": INTEGER}),
    ({"prefixItems": [INTEGER, INTEGER], "items": False}, {"maxItems": 2, "items": INTEGER}),
    (
        {"prefixItems": [INTEGER, INTEGER], "items": False, "maxItems": 1},
        {"maxItems": 1, "items": INTEGER},
    ),
    (
        {"prefixItems": [INTEGER, INTEGER], "minItems": 2, "maxItems": 2, "type": "array"},
        {"minItems": 2, "maxItems": 2, "items": INTEGER, "type": "array"},
    ),
    ({"prefixItems": [{}, True]}, {}),
    ({"prefixItems": [INTEGER], "unevaluatedItems": False}, {"maxItems": 1, "items": INTEGER}),
    ({"contains": INTEGER}, {"not": {"type": "array", "items": {"not": INTEGER}}}),
    (
        {"contains": INTEGER, "not": STRING},
        {"not": STRING, "allOf": [{"not": {"type": "array", "items": {"not": INTEGER}}}]},
    ),
    (
        {"contains": INTEGER, "minContains": 1},
        {"not": {"type": "array", "items": {"not": INTEGER}}},
    ),
    ({"contains": INTEGER, "minContains": 0}, {}),
    ({"minContains": 2, "maxContains": 3}, {}),
    # logic
    ({"if": STRING}, {}),
    ({"then": STRING, "else": INTEGER}, {}),
    (
        {"if": STRING, "then": {"maxLength": 1}},
        {"anyOf": [{"not": STRING}, {"maxLength": 1}]},
    ),
    ({"if": STRING, "else": INTEGER}, {"anyOf": [STRING, INTEGER]}),
    (
        {"if": STRING, "then": {"maxLength": 1}, "else": INTEGER},
        {
            "anyOf": [{"not": STRING}, {"maxLength": 1}],
            "allOf": [{"anyOf": [STRING, INTEGER]}],
        },
    ),
    (
        {"if": STRING, "then": False, "anyOf": [INTEGER, STRING]},
        {"anyOf": [INTEGER, STRING], "allOf": [{"anyOf": [{"not": STRING}, NEVER]}]},
    ),
    ({"not": {"const": "a"}}, {"not": {"enum": ["a"]}}),
    # references
    ({"$ref": f"{PREFIX}Names"}, {"$ref": f"{PREFIX}Names"}),
    (
        {"$ref": f"{PREFIX}Names", "description": "D", "maxLength": 1},
        {"allOf": [{"$ref": f"{PREFIX}Names"}], "description": "D", "maxLength": 1},
    ),
    (
        {"$ref": f"{PREFIX}Names", "allOf": [{"enum": ["a"]}]},
        {"allOf": [{"$ref": f"{PREFIX}Names"}, {"enum": ["a"]}]},
    ),
    (
        {"$ref": f"{PREFIX}Names", "type": ["string", "null"]},
        {"allOf": [{"$ref": f"{PREFIX}Names"}, {"type": "string", "nullable": True}]},
    ),
    (
        {"anyOf": [{"$ref": f"{PREFIX}Names"}, {"type": "null"}]},
        {"anyOf": [{"$ref": f"{PREFIX}Names"}, NULL]},
    ),
]
NAMES = {"type": "string", "enum": ["a", "c"]}


def _shown(value: object) -> str:
    """A case's name, the same in every process."""
    return str(sorted(value) if isinstance(value, set | frozenset) else value)


@pytest.mark.parametrize(("schema", "expected"), EXACT, ids=_shown)
def test_what_3_0_can_say_is_said_exactly(schema: Any, expected: Any) -> None:
    """N9: a schema that 3.0 can say in other words accepts there what it did, and nothing is lost."""
    assert downgraded(schema, Names=NAMES) == (expected, set())
    accepted, by_its_own_rules, again = told_apart(schema, Names=NAMES)
    assert accepted == by_its_own_rules == again


BROKEN = {"propertyNames": {"maxLength": 1}}

#: Schemas that 3.0 can only say in a wider way: how, and what is lost.
WIDER: list[tuple[Any, Any, set[str]]] = [
    ({"propertyNames": {"maxLength": 1}}, {}, {"propertyNames"}),
    (
        {"propertyNames": {"enum": ["a", "b"]}, "patternProperties": {"^a": INTEGER}},
        {},
        {"propertyNames", "patternProperties"},
    ),
    ({"patternProperties": {"^x-": INTEGER}}, {}, {"patternProperties"}),
    (
        {"patternProperties": {"^x-": INTEGER}, "additionalProperties": False},
        {"additionalProperties": INTEGER},
        {"patternProperties"},
    ),
    (
        {"patternProperties": {"^x-": INTEGER, "^b": INTEGER}, "additionalProperties": STRING},
        {"additionalProperties": {"anyOf": [INTEGER, STRING]}},
        {"patternProperties"},
    ),
    (
        {
            "patternProperties": {"": INTEGER},
            "properties": {"a": STRING},
            "additionalProperties": False,
        },
        {"properties": {"a": STRING}, "additionalProperties": INTEGER},
        {"patternProperties"},
    ),
    (
        {"patternProperties": {"^x-": True}, "additionalProperties": False},
        {"additionalProperties": True},
        {"patternProperties"},
    ),
    (
        {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
        {"allOf": [{"properties": {"a": {}}}]},
        {"unevaluatedProperties"},
    ),
    (
        {"$ref": f"{PREFIX}Names", "unevaluatedProperties": False},
        {"$ref": f"{PREFIX}Names"},
        {"unevaluatedProperties"},
    ),
    (
        {"anyOf": [{"prefixItems": [{}]}], "unevaluatedItems": False},
        {"anyOf": [{}]},
        {"unevaluatedItems"},
    ),
    (
        {"contains": {}, "unevaluatedItems": False},
        {"not": {"type": "array", "items": {"not": {}}}},
        {"unevaluatedItems"},
    ),
    ({"prefixItems": [STRING, INTEGER]}, {}, {"prefixItems"}),
    (
        {"prefixItems": [STRING, INTEGER], "items": False},
        {"maxItems": 2, "items": {"anyOf": [STRING, INTEGER]}},
        {"prefixItems"},
    ),
    (
        {"prefixItems": [STRING], "items": INTEGER},
        {"items": {"anyOf": [STRING, INTEGER]}},
        {"prefixItems"},
    ),
    (
        {"contains": INTEGER, "minContains": 2},
        {"not": {"type": "array", "items": {"not": INTEGER}}},
        {"minContains"},
    ),
    ({"contains": INTEGER, "minContains": 0, "maxContains": 1}, {}, {"maxContains"}),
    # what depends on something wider
    ({"not": BROKEN}, {}, {"not"}),
    ({"not": {"not": BROKEN}}, {}, {"not"}),
    ({"if": BROKEN, "then": STRING}, {}, {"if"}),
    ({"if": BROKEN, "then": STRING, "else": INTEGER}, {"anyOf": [STRING, INTEGER]}, {"if"}),
    ({"if": STRING, "then": BROKEN}, {"anyOf": [{"not": STRING}, {}]}, {"propertyNames"}),
    (
        {"oneOf": [STRING, BROKEN]},
        {"anyOf": [STRING, {}]},
        {"oneOf", "propertyNames"},
    ),
    (
        {"oneOf": [STRING, BROKEN], "anyOf": [INTEGER]},
        {"anyOf": [INTEGER], "allOf": [{"anyOf": [STRING, {}]}]},
        {"oneOf", "propertyNames"},
    ),
    (
        {"contains": BROKEN},
        {"not": {"type": "array", "items": {"not": {}}}},
        {"propertyNames"},
    ),
    # patterns that no reader of 3.0 knows
    (
        {"type": "string", "pattern": "((", "minLength": 1},
        {"type": "string", "minLength": 1},
        {"pattern"},
    ),
]


@pytest.mark.parametrize(("schema", "expected", "lost"), WIDER, ids=_shown)
def test_what_3_0_cannot_say_is_wider_and_listed(
    schema: Any, expected: Any, lost: set[str]
) -> None:
    """N9: a rule that 3.0 cannot say makes a schema wider, never narrower, and is listed at its place."""
    assert downgraded(schema, Names=NAMES) == (expected, lost)
    if "pattern" not in lost:
        accepted, by_its_own_rules, again = told_apart(schema, Names=NAMES)
        assert accepted <= by_its_own_rules == again


#: Annotations that 3.0 lacks: what is left, and what is lost.
LOST: list[tuple[Any, Any, set[str]]] = [
    ({"examples": [1, 2, 3]}, {"example": 1}, {"examples"}),
    ({"$comment": "C", "type": "string"}, STRING, {"$comment"}),
    ({"$defs": {"A": {}}, "type": "string"}, STRING, {"$defs"}),
    ({"contentEncoding": "quoted-printable"}, {}, {"contentEncoding"}),
    ({"contentMediaType": "image/png"}, {}, {"contentMediaType"}),
    (
        {"contentEncoding": "base64", "contentMediaType": "image/png"},
        {"format": "byte"},
        {"contentMediaType"},
    ),
    (
        {"format": "uuid", "contentEncoding": "base64"},
        {"format": "uuid"},
        {"contentEncoding"},
    ),
    ({"contentSchema": INTEGER}, {}, {"contentSchema"}),
    ({"made-up": 1, "x-own": {"type": ["a"]}}, {"x-own": {"type": ["a"]}}, {"made-up"}),
    ({"xml": {"name": "x", "nodeType": "element"}}, {"xml": {"name": "x"}}, {"nodeType"}),
    ({"xml": {"namespace": "not a uri"}}, {"xml": {}}, {"namespace"}),
    ({"xml": "x"}, {}, {"xml"}),
    ({"externalDocs": {"description": "D"}}, {}, {"externalDocs"}),
    (
        {"discriminator": {"propertyName": "kind", "defaultMapping": "X", "x-own": 1}},
        {"discriminator": {"propertyName": "kind"}},
        {"defaultMapping", "x-own"},
    ),
]


@pytest.mark.parametrize(("schema", "expected", "lost"), LOST, ids=_shown)
def test_annotations_that_3_0_lacks_are_listed(schema: Any, expected: Any, lost: set[str]) -> None:
    """N9: what only says something to readers is left out where 3.0 has no word for it, and listed."""
    assert downgraded(schema) == (expected, lost)


def test_what_is_said_the_same_way_is_shared() -> None:
    """N9: a schema in which nothing changes is the very same object."""
    node = {"type": "object", "properties": {"a": {"type": "array", "items": STRING}}, "x-own": 1}
    raw = of_schemas({"X": node})
    assert downgrade(raw)[0]["components"]["schemas"]["X"] is node


def test_a_wider_component_widens_what_must_be_exact() -> None:
    """N9: what refers to something that became wider is as careful as what contains it."""
    schemas = {
        "Far": {"not": {"properties": {"a": {"$ref": f"{PREFIX}Near"}}}},
        "Near": {"allOf": [{"$ref": f"{PREFIX}Broken"}]},
        "One": {"oneOf": [{"$ref": f"{PREFIX}Near"}, STRING]},
        "Fine": {"not": {"$ref": f"{PREFIX}Names"}},
        "Broken": BROKEN,
        "Names": NAMES,
    }
    made, losses = written(of_schemas(schemas))
    assert made["components"]["schemas"] == {
        "Far": {},
        "Near": schemas["Near"],
        "One": {"anyOf": [{"$ref": f"{PREFIX}Near"}, STRING]},
        "Fine": schemas["Fine"],
        "Broken": {},
        "Names": NAMES,
    }
    assert set(losses) == {
        "/components/schemas/Far/not",
        "/components/schemas/One/oneOf",
        "/components/schemas/Broken/propertyNames",
    }


def test_an_inline_schema_knows_what_became_wider() -> None:
    """N9: an operation's own schema is as careful with a component that became wider."""
    schema = {"oneOf": [{"$ref": f"{PREFIX}Broken"}, {"not": {"$ref": f"{PREFIX}Broken"}}]}
    raw = document(
        paths={"/a": {"post": {"requestBody": {"content": {"text/json": {"schema": schema}}}}}},
        components={"schemas": {"Broken": BROKEN}},
    )
    made, losses = written(raw)
    body = made["paths"]["/a"]["post"]["requestBody"]["content"]["text/json"]["schema"]
    assert body == {"anyOf": [{"$ref": f"{PREFIX}Broken"}, {}]}
    place = "/paths/~1a/post/requestBody/content/text~1json/schema/oneOf"
    assert set(losses) == {"/components/schemas/Broken/propertyNames", place, f"{place}/1/not"}


def test_recursion_is_kept_through_references() -> None:
    """N9: schemas that contain themselves stay references to themselves."""
    tree = {
        "type": ["object", "null"],
        "properties": {"next": {"$ref": f"{PREFIX}X", "title": "N"}},
    }
    assert downgraded(tree) == (
        {
            "type": "object",
            "nullable": True,
            "properties": {"next": {"allOf": [{"$ref": f"{PREFIX}X"}], "title": "N"}},
        },
        set(),
    )


def test_definitions_become_components() -> None:
    """N9: definitions that are referred to are components of the downgraded document."""
    raw = of_schemas({"X": {"$defs": {"A": {"const": 1}}, "items": {"$ref": "#/$defs/A"}}})
    made, _ = written(raw)
    name = made["components"]["schemas"]["X"]["items"]["$ref"].removeprefix(PREFIX)
    assert made["components"]["schemas"][name] == {"enum": [1]}


def test_names_that_3_0_forbids_are_replaced() -> None:
    """N9: a component whose name 3.0 does not allow has another, and every reference follows."""
    names = ["Page«Pet»", "Page_Pet", "a b", "", "ok"]
    raw = document(
        "3.0.3",
        paths={
            "/a": {
                "get": {
                    "responses": {
                        "200": {
                            "description": "OK",
                            "content": {"text/json": {"schema": {"$ref": f"{PREFIX}a%20b"}}},
                        }
                    }
                }
            }
        },
        components={
            "schemas": {
                **{name: {"title": name} for name in names},
                "Union": {
                    "oneOf": [{"$ref": f"{PREFIX}Page«Pet»"}],
                    "discriminator": {
                        "propertyName": "p",
                        "mapping": {"x": f"{PREFIX}Page«Pet»", "y": "ok"},
                    },
                },
            }
        },
    )
    made, losses = written(raw)
    schemas = made["components"]["schemas"]
    assert len(schemas) == len(names) + 1
    assert all(name.replace("_", "").isalnum() for name in schemas)
    by_title = {node.get("title"): name for name, node in schemas.items()}
    assert (by_title["Page_Pet"], by_title["ok"]) == ("Page_Pet", "ok")
    page = PREFIX + by_title["Page«Pet»"]
    assert schemas["Union"] == {
        "oneOf": [{"$ref": page}],
        "discriminator": {"propertyName": "p", "mapping": {"x": page, "y": f"{PREFIX}ok"}},
    }
    answer = made["paths"]["/a"]["get"]["responses"]["200"]["content"]["text/json"]
    assert answer["schema"] == {"$ref": PREFIX + by_title["a b"]}
    assert {split(place)[-1] for place in losses} == {"Page«Pet»", "a b", ""}


def test_an_alias_of_a_parent_is_no_child() -> None:
    """N9, F10: a component that only renames a discriminated parent is not made its child."""
    parent = {"discriminator": {"propertyName": "kind"}, "properties": {"kind": STRING}}
    schemas = {
        "Parent": parent,
        "Alias": {"$ref": f"{PREFIX}Parent", "description": "The same."},
        "Child": {"allOf": [{"$ref": f"{PREFIX}Parent"}, {"required": ["kind"]}]},
        "Plain": {"$ref": f"{PREFIX}Other", "description": "The same."},
        "Other": STRING,
    }
    made, losses = written(of_schemas(schemas))
    assert losses == {}
    assert made["components"]["schemas"] == {
        "Parent": parent,
        "Alias": {"anyOf": [{"$ref": f"{PREFIX}Parent"}], "description": "The same."},
        "Child": schemas["Child"],
        "Plain": {"allOf": [{"$ref": f"{PREFIX}Other"}], "description": "The same."},
        "Other": STRING,
    }


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: {"contains": inner},
        lambda inner: {"if": inner, "then": True, "else": False},
        lambda inner: {"else": inner, "if": STRING, "then": False},
        lambda inner: {"prefixItems": [inner, STRING], "items": False},
        lambda inner: {"dependentSchemas": {"a": inner}, "type": ["object", "null"]},
        lambda inner: {"propertyNames": {"enum": ["a", "b"]}, "additionalProperties": inner},
    ],
)
def test_neither_depth_nor_size_gets_out_of_hand(wrap: Any) -> None:
    """N9: what is written in other words stays within the bound of depth, and never doubles level by level."""
    schema: Any = {"type": "integer"}
    for _ in range(MAX_DEPTH - 10):
        schema = wrap(schema)
    made, _ = downgrade(of_schemas({"X": schema}))
    assert normalize(made).dangling == frozenset()
    assert len(json.dumps(made)) < 200_000


# -- other objects ---------------------------------------------------------------------------------------

RESPONSE = {"description": "OK"}
RESPONSES = {"200": RESPONSE}


def of_operation(openapi: str = "3.2.0", **fields: Any) -> dict[str, Any]:
    return document(openapi, paths={"/a": {"post": {"responses": RESPONSES, **fields}}})


def operation(**fields: Any) -> tuple[Any, set[str]]:
    """An operation in 3.0, without its responses where they are the usual ones, and its losses."""
    made, losses = written(of_operation(**fields))
    found = made["paths"]["/a"]["post"]
    if found["responses"] == RESPONSES:
        del found["responses"]
    return found, {place.removeprefix("/paths/~1a/post") for place in losses}


def parameter(**fields: Any) -> dict[str, Any]:
    return {"name": "p", "in": "query", **fields}


CONTENT = {"text/json": {"schema": STRING}}


@pytest.mark.parametrize(
    ("fields", "expected", "lost"),
    [
        ({"summary": "S", "x-own": {"a": None}}, {"summary": "S", "x-own": {"a": None}}, set()),
        ({"made-up": 1}, {}, {"/made-up"}),
        ({"summary": ["S"]}, {}, {"/summary"}),
        ({"deprecated": "true", "operationId": 5}, {"deprecated": True, "operationId": "5"}, set()),
        ({"tags": ["a", 1, None]}, {"tags": ["a", "1"]}, {"/tags/2"}),
        # parameters
        ({"parameters": [parameter()]}, {"parameters": [parameter(schema={})]}, set()),
        (
            {"parameters": [parameter(schema={"const": 1}, explode=False)]},
            {"parameters": [parameter(schema={"enum": [1]}, explode=False)]},
            set(),
        ),
        (
            {"parameters": [{"name": "p", "in": "path", "schema": STRING}]},
            {"parameters": [{"name": "p", "in": "path", "schema": STRING, "required": True}]},
            set(),
        ),
        (
            {
                "parameters": [
                    {"name": "q", "in": "querystring", "content": CONTENT},
                    parameter(schema={}),
                ]
            },
            {"parameters": [parameter(schema={})]},
            {"/parameters/0"},
        ),
        ({"parameters": [{"in": "query"}]}, {"parameters": []}, {"/parameters/0"}),
        (
            {"parameters": [{"name": "c", "in": "cookie", "style": "cookie", "schema": {}}]},
            {"parameters": [{"name": "c", "in": "cookie", "schema": {}}]},
            {"/parameters/0/style"},
        ),
        (
            {"parameters": [parameter(content=CONTENT, style="form", example=1, schema=None)]},
            {"parameters": [parameter(schema={}, style="form", example=1)]},
            {"/parameters/0/content"},
        ),
        (
            {"parameters": [parameter(content={**CONTENT, "text/xml": {}}, explode=True)]},
            {"parameters": [parameter(content=CONTENT)]},
            {"/parameters/0/explode", "/parameters/0/content/text~1xml"},
        ),
        (
            {"parameters": [parameter(schema={}, example=1, examples={"one": {"value": 1}})]},
            {"parameters": [parameter(schema={}, examples={"one": {"value": 1}})]},
            {"/parameters/0/example"},
        ),
        (
            {"parameters": [{"$ref": "#/no where"}, {"$ref": "#/no where"}]},
            {"parameters": [{"$ref": "#/no%20where"}]},
            set(),
        ),
        # bodies
        (
            {"requestBody": {"content": CONTENT, "required": True}},
            {"requestBody": {"content": CONTENT, "required": True}},
            set(),
        ),
        ({"requestBody": {"required": True}}, {}, {"/requestBody"}),
        (
            {"requestBody": {"content": {"text/event-stream": {"itemSchema": STRING}}}},
            {"requestBody": {"content": {"text/event-stream": {}}}},
            {"/requestBody/content/text~1event-stream/itemSchema"},
        ),
        (
            {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "encoding": {
                                "a": {
                                    "contentType": "text/x",
                                    "encoding": {},
                                    "style": "tabDelimited",
                                },
                                "b": {"headers": {"X": {"schema": {"const": 1}}}, "style": "form"},
                            }
                        }
                    }
                }
            },
            {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "encoding": {
                                "a": {"contentType": "text/x"},
                                "b": {"headers": {"X": {"schema": {"enum": [1]}}}, "style": "form"},
                            }
                        }
                    }
                }
            },
            {
                "/requestBody/content/multipart~1form-data/encoding/a/encoding",
                "/requestBody/content/multipart~1form-data/encoding/a/style",
            },
        ),
        # responses
        ({"responses": {}}, {"responses": {"default": {"description": ""}}}, set()),
        ({"responses": {"204": {}}}, {"responses": {"204": {"description": ""}}}, set()),
        ({"responses": {"2xx": RESPONSE}}, {"responses": {"2XX": RESPONSE}}, set()),
        (
            {"responses": {"2XX": RESPONSE, "600": RESPONSE}},
            {"responses": {"2XX": RESPONSE}},
            {"/responses/600"},
        ),
        (
            {"responses": {"200": {**RESPONSE, "summary": "S"}}},
            {},
            {"/responses/200/summary"},
        ),
        (
            {"responses": {"200": {**RESPONSE, "headers": {"X": {"style": "form", "schema": {}}}}}},
            {"responses": {"200": {**RESPONSE, "headers": {"X": {"schema": {}}}}}},
            {"/responses/200/headers/X/style"},
        ),
        (
            {
                "responses": {
                    "200": {**RESPONSE, "links": {"l": {"operationId": "o", "operationRef": "#/r"}}}
                }
            },
            {"responses": {"200": {**RESPONSE, "links": {"l": {"operationId": "o"}}}}},
            {"/responses/200/links/l/operationRef"},
        ),
        (
            {
                "responses": {
                    "200": {
                        **RESPONSE,
                        "content": {
                            "text/json": {
                                "examples": {
                                    "a": {"dataValue": 1, "serializedValue": "1"},
                                    "b": {"value": 2},
                                }
                            }
                        },
                    }
                }
            },
            {
                "responses": {
                    "200": {
                        **RESPONSE,
                        "content": {
                            "text/json": {"examples": {"a": {"value": 1}, "b": {"value": 2}}}
                        },
                    }
                }
            },
            {"/responses/200/content/text~1json/examples/a/serializedValue"},
        ),
        # callbacks, servers, security
        (
            {
                "callbacks": {
                    "c": {"{$url}": {"post": {"responses": {}}, "query": {"responses": {}}}}
                }
            },
            {
                "callbacks": {
                    "c": {"{$url}": {"post": {"responses": {"default": {"description": ""}}}}}
                }
            },
            {"/callbacks/c/{$url}/query"},
        ),
        ({"callbacks": {"c": {"$ref": "#/gone"}}}, {"callbacks": {"c": {"$ref": "#/gone"}}}, set()),
        (
            {
                "servers": [
                    {"url": "/v1", "name": "N"},
                    {"description": "D"},
                    {"url": "/{v}", "variables": {"v": {"enum": [1]}, "w": {"default": 2}}},
                ]
            },
            {"servers": [{"url": "/v1"}, {"url": "/{v}", "variables": {"w": {"default": "2"}}}]},
            {"/servers/0/name", "/servers/1", "/servers/2/variables/v"},
        ),
        (
            {"security": [{"a": ["x", 1]}, {"b": "x"}, 1]},
            {"security": [{"a": ["x", "1"]}, {"b": []}]},
            {"/security/1/b", "/security/2"},
        ),
    ],
    ids=_shown,
)
def test_operations_say_what_3_0_knows(
    fields: dict[str, Any], expected: Any, lost: set[str]
) -> None:
    """N9: every field of an operation is one that 3.0 has, and what it cannot hold is listed."""
    assert operation(**fields) == (expected, lost)


@pytest.mark.parametrize(
    ("fields", "expected", "lost"),
    [
        ({"$self": "https://api.example"}, {}, {"/$self"}),
        ({"jsonSchemaDialect": "https://d.example"}, {}, {"/jsonSchemaDialect"}),
        ({"webhooks": {"a/b": {}, "c": {}}}, {}, {"/webhooks/a~1b", "/webhooks/c"}),
        ({"info": {**INFO, "summary": "S"}}, {}, {"/info/summary"}),
        (
            {"info": {**INFO, "license": {"name": "MIT", "identifier": "MIT"}}},
            {"info": {**INFO, "license": {"name": "MIT"}}},
            {"/info/license/identifier"},
        ),
        ({"info": {"version": 1.5}}, {"info": {"title": "", "version": "1.5"}}, set()),
        ({"info": "text"}, {"info": {"title": "", "version": ""}}, {"/info"}),
        (
            {"info": {**INFO, "contact": {"email": "not an address", "name": "N"}}},
            {"info": {**INFO, "contact": {"name": "N"}}},
            {"/info/contact/email"},
        ),
        (
            {"tags": [{"name": "a", "parent": "b"}, {"name": "a"}, {"description": "D"}]},
            {"tags": [{"name": "a"}]},
            {"/tags/0/parent", "/tags/2"},
        ),
        ({"paths": None}, {}, set()),
        ({"paths": {"x-own": 1}}, {"paths": {"x-own": 1}}, set()),
        ({"paths": {"a": {}, "/b": {}}}, {"paths": {"/b": {}}}, {"/paths/a"}),
        ({"paths": {"/b": 1}}, {}, {"/paths/~1b"}),
        (
            {
                "paths": {
                    "/b": {
                        "query": {"responses": {}},
                        "additionalOperations": {"COPY": {}},
                        "summary": "S",
                    }
                }
            },
            {"paths": {"/b": {"summary": "S"}}},
            {"/paths/~1b/query", "/paths/~1b/additionalOperations"},
        ),
        ({"paths": {"/b": {"$ref": "#/gone"}}}, {"paths": {}}, {"/paths/~1b"}),
        ({"x-own": {"a": [None]}, "made-up": 1}, {"x-own": {"a": [None]}}, {"/made-up"}),
    ],
    ids=_shown,
)
def test_documents_say_what_3_0_knows(
    fields: dict[str, Any], expected: Any, lost: set[str]
) -> None:
    """N9: every field of the document is one that 3.0 has, and what it cannot hold is listed."""
    made, losses = written(document("3.2.0", **fields))
    usual = {"openapi": "3.0.4", "info": INFO, "paths": {}, "components": {"schemas": {}}}
    assert (made, set(losses)) == ({**usual, **expected}, lost)


@pytest.mark.parametrize(
    ("scheme", "expected", "lost"),
    [
        ({"type": "apiKey", "name": "k", "in": "header"}, None, ""),
        ({"type": "apiKey", "name": "k", "in": "body"}, {}, "/in"),
        ({"type": "apiKey", "in": "query"}, {}, ""),
        ({"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"}, None, ""),
        (
            {"type": "http", "scheme": "basic", "bearerFormat": "JWT"},
            {"type": "http", "scheme": "basic"},
            "/bearerFormat",
        ),
        ({"type": "http"}, {}, ""),
        ({"type": "mutualTLS"}, {}, ""),
        ({"type": []}, {}, ""),
        (None, {}, ""),
        ({"$ref": "#/gone"}, None, ""),
        ({"type": "openIdConnect", "openIdConnectUrl": "https://o.example"}, None, ""),
        (
            {
                "type": "oauth2",
                "flows": {"password": {"tokenUrl": "/t"}, "deviceAuthorization": {}},
            },
            {"type": "oauth2", "flows": {"password": {"tokenUrl": "/t", "scopes": {}}}},
            "/flows/deviceAuthorization",
        ),
        (
            {"type": "oauth2", "flows": {"implicit": {"scopes": {}}}, "deprecated": True},
            {"type": "oauth2", "flows": {}},
            "/flows/implicit",
        ),
    ],
    ids=_shown,
)
def test_security_schemes_are_those_of_3_0(scheme: Any, expected: Any, lost: str) -> None:
    """N9: a security scheme that 3.0 has keeps what it says; any other is left out and listed."""
    raw = document("3.2.0", components={"securitySchemes": {"s": scheme}})
    made, losses = written(raw)
    schemes = made["components"].get("securitySchemes", {})
    if expected is None:
        assert (schemes, losses) == ({"s": scheme}, {})
    else:
        assert schemes == ({"s": expected} if expected else {})
        assert (
            f"/components/securitySchemes/s{lost if expected else ''}" in losses or scheme is None
        )


def test_a_lost_scheme_is_lost_where_it_is_wanted() -> None:
    """N9: where a security scheme is wanted that 3.0 does not have, that it is wanted is listed."""
    raw = of_operation(
        openapi="3.1.0",
        security=[{"tls": [], "key": []}, {"tls": []}],
    )
    raw["components"] = {
        "securitySchemes": {
            "tls": {"type": "mutualTLS"},
            "key": {"type": "apiKey", "name": "k", "in": "header"},
        }
    }
    made, losses = written(raw)
    assert made["paths"]["/a"]["post"]["security"] == [{"key": []}, {}]
    assert set(losses) == {
        "/components/securitySchemes/tls",
        "/paths/~1a/post/security/0/tls",
        "/paths/~1a/post/security/1/tls",
    }


@pytest.mark.parametrize(("openapi", "listed"), [("3.0.3", False), ("3.1.0", True)])
@pytest.mark.parametrize("method", ["get", "head", "delete"])
def test_bodies_that_3_0_ignores_are_listed(openapi: str, listed: bool, method: str) -> None:  # noqa: FBT001
    """N9: 3.0 tells readers to ignore a body of GET, HEAD and DELETE; one written for 3.1 loses its meaning."""
    body = {"content": CONTENT}
    raw = document(openapi, paths={"/a": {method: {"requestBody": body, "responses": RESPONSES}}})
    made, losses = written(raw)
    assert made["paths"]["/a"][method]["requestBody"] == body
    assert list(losses) == ([f"/paths/~1a/{method}/requestBody"] if listed else [])


def test_shared_parts_are_listed_wherever_they_are_used() -> None:
    """N9: what several operations refer to is lost in each of them, and each is told."""
    raw = document(
        paths={
            path: {"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}
            for path in ("/a", "/b")
        },
        components={"responses": {"R": {**RESPONSE, "content": {"text/json": {"schema": BROKEN}}}}},
    )
    made, losses = written(raw)
    rest = "get/responses/200/content/text~1json/schema/propertyNames"
    assert set(losses) == {f"/paths/~1a/{rest}", f"/paths/~1b/{rest}"}
    responses = [made["paths"][path]["get"]["responses"]["200"] for path in ("/a", "/b")]
    assert responses[0] is responses[1]


def test_many_losses_of_a_shared_part_are_counted() -> None:
    """N9: a shared part of which very much is lost is listed once in full, and by number elsewhere."""
    schema = {"properties": {f"p{at}": BROKEN for at in range(200)}}
    raw = document(
        paths={
            f"/{at}": {"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}
            for at in range(50)
        },
        components={"responses": {"R": {**RESPONSE, "content": {"text/json": {"schema": schema}}}}},
    )
    _, losses = written(raw)
    assert len(losses) == 200 + 49
    assert "200" in losses["/paths/~149/get/responses/200"]


@pytest.mark.parametrize("keyword", ["not", "oneOf", "allOf", "$ref"])
def test_long_chains_of_components_are_no_matter(keyword: str) -> None:
    """N9: what a component at the end of a long chain lost is known at its beginning."""

    def link(at: int) -> dict[str, Any]:
        further = {"$ref": f"{PREFIX}C{at + 1}"}
        made = {keyword: [further]} if keyword.endswith("Of") else {keyword: further}
        return {**further, "description": "D"} if keyword == "$ref" else made

    chain = {f"C{at}": link(at) for at in range(3000)}
    made, losses = written(of_schemas({**chain, "C3000": BROKEN}))
    assert "/components/schemas/C3000/propertyNames" in losses
    assert len(losses) == (3001 if keyword in {"not", "oneOf"} else 1)
    assert len(made["components"]["schemas"]) == 3001


def test_components_that_nothing_uses_are_listed() -> None:
    """N9: components that normalizing writes where they are used are listed where nothing uses them."""
    raw = document(
        "3.0.3",
        paths={
            "/a": {
                "get": {"responses": {"200": {"$ref": "#/components/responses/Used"}}},
                "parameters": [{"$ref": "#/components/parameters/U~1sed"}],
            }
        },
        components={
            "responses": {
                "Used": {**RESPONSE, "headers": {"X": {"$ref": "#/components/headers/Used"}}},
                "Spare": {**RESPONSE, "headers": {"X": {"$ref": "#/components/headers/Spare"}}},
            },
            "parameters": {"U/sed": parameter(schema={})},
            "headers": {"Used": {"schema": {}}, "Spare": {"schema": {}}},
            "schemas": {"Spare": STRING},
            "x-own": {"a": 1},
        },
    )
    made, losses = written(raw)
    assert set(losses) == {"/components/responses/Spare", "/components/headers/Spare"}
    assert made["components"] == {"schemas": {"Spare": STRING}}


def test_swagger_s_unused_parts_are_listed() -> None:
    """N9: the same for the parameters and responses of a Swagger document."""
    raw = {
        "swagger": "2.0",
        "info": INFO,
        "paths": {
            "/a": {"get": {"parameters": [{"$ref": "#/parameters/used"}], "responses": RESPONSES}}
        },
        "parameters": {name: parameter(type="string") for name in ("used", "spare")},
        "responses": {"spare": RESPONSE},
    }
    made, losses = written(raw)
    assert made["paths"]["/a"]["get"]["parameters"] == [parameter(schema=STRING)]
    assert set(losses) == {"/parameters/spare", "/responses/spare"}


# -- whole documents -----------------------------------------------------------------------------------------


def test_losses_are_notes_at_places_of_the_normalized_document(root: Path) -> None:
    """N9: every loss is told in a sentence, with a pointer to where it is in the normalized document."""
    raw = read(root / "fixtures" / "downgrade.yaml").document
    made, losses = downgrade(raw)
    properties = made["paths"]["/sayable"]["post"]["requestBody"]["content"]["application/json"]
    assert properties["schema"]["properties"] == {
        "either": {"anyOf": [STRING, INTEGER]},
        "maybe": {"type": "string", "nullable": True},
        "constant": {"enum": ["fixed"]},
        "above": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "referred": {
            "allOf": [{"$ref": f"{PREFIX}Short"}],
            "description": "Said beside a reference.",
        },
        "yes": {},
        "shown": {"type": "string", "example": "a"},
    }
    assert {note.pointer.split("/")[-1] for note in losses} == {
        *("certificate", "examples", "prefixItems", "minContains", "propertyNames"),
        *("patternProperties", "summary", "changed"),
    }
    normalized = normalize(raw).document
    for note in losses:
        node = normalized
        for token in split(note.pointer):
            node = node[int(token)] if isinstance(node, list) else node[token]
        assert note.text


@pytest.mark.parametrize("version", ["2.0", "3.1", "", "3.0.0", None])
def test_only_3_0_is_written(version: Any) -> None:
    """N9: another version than 3.0 is a wrong use, and says so."""
    with pytest.raises(UsageError, match=r"3\.0"):
        downgrade(document(), version)


@pytest.mark.parametrize(
    "raw", [{}, {"openapi": "4.0"}, {"openapi": "3.1.0", "x": {1, 2}}, [], "text", None]
)
def test_what_is_no_document_is_refused(raw: Any) -> None:
    """N9: what cannot be normalized is a DocumentError, as everywhere."""
    with pytest.raises(DocumentError):
        downgrade(raw)
