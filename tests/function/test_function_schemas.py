import json
from typing import Any

import pytest

from specfn import Function, Options, load, loads
from specfn.function.function_schemas import object_schema

INTEGER = {"type": "integer"}
PET: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Pet"}},
    "required": ["name"],
}


def made(schema: Any, *, components: dict[str, Any] | None = None, **options: Any) -> Function:
    """The function of a document whose one operation takes and answers with a schema."""
    content = {"application/json": {"schema": schema}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {"required": True, "content": content},
                    "responses": {"200": {"description": "ok", "content": content}},
                }
            }
        },
        "components": {"schemas": components or {}},
    }
    return load(document, options=Options(**options)).functions[0]


def body(function: Function) -> Any:
    return function.parameters["properties"]["body"]


def keywords(node: Any) -> set[str]:
    """Every key of every object of a schema."""
    if isinstance(node, list):
        return set().union(*map(keywords, node))
    if not isinstance(node, dict):
        return set()
    return {*node, *set().union(*map(keywords, node.values()))}


# -- the three schemas --------------------------------------------------------------------------------


def test_the_validator_keeps_references_and_the_model_sees_none() -> None:
    """F4, F7: the validator has the reachable definitions; the model's schema has no ``$ref``."""
    function = made(
        {"$ref": "#/components/schemas/Pet"},
        components={"Pet": PET, "Unused": {"type": "object", "properties": {"x": INTEGER}}},
    )
    assert "$defs" in function.validator
    assert "Unused" not in json.dumps(function.validator)
    assert keywords(function.parameters).isdisjoint({"$ref", "$defs"})
    assert keywords(function.output).isdisjoint({"$ref", "$defs"})


def test_a_validator_without_references_has_no_definitions() -> None:
    """F4: nothing reachable, no ``$defs``."""
    assert "$defs" not in made(INTEGER, components={"Pet": PET}).validator


def test_dialect_31_keeps_recursion() -> None:
    """F7: in dialect 3.1 a recursive component is one definition that refers to itself."""
    function = made(
        {"$ref": "#/components/schemas/Pet"}, components={"Pet": PET, "No": PET}, dialect="3.1"
    )
    for schema in (function.parameters, function.output):
        assert schema is not None
        assert list(schema["$defs"]) == ["Pet"]
        assert schema["$defs"]["Pet"]["properties"]["parent"]["$ref"] == "#/$defs/Pet"


@pytest.mark.parametrize(("recursive", "levels"), [(0, 1), (1, 2), (3, 4)])
def test_recursion_is_unrolled(recursive: int, levels: int) -> None:
    """F8: ``n`` shows n more nestings; what is cut keeps its type and says what it was."""
    node = body(
        made({"$ref": "#/components/schemas/Pet"}, components={"Pet": PET}, recursive=recursive)
    )
    for _ in range(levels):
        assert set(node["properties"]) == {"name", "parent"}
        node = node["properties"]["parent"]
    assert "properties" not in node
    assert node["type"] == "object"
    assert "Pet" in node["description"]


def test_recursive_false_makes_errors() -> None:
    """F8: ``recursive=False`` refuses operations whose arguments or answers nest without end."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/in": {"post": {"requestBody": {"content": content}}},
            "/out": {"get": {"responses": {"200": {"description": "ok", "content": content}}}},
            "/other": {"get": {"responses": {"404": {"description": "no", "content": content}}}},
        },
        "components": {"schemas": {"Pet": PET}},
    }
    application = load(document, options=Options(recursive=False))
    assert [(error.path, error.code) for error in application.errors] == [
        ("/in", "recursive"),
        ("/out", "recursive"),
    ]
    assert [function.path for function in application] == ["/other"]
    assert not load(document, options=Options(recursive=0)).errors


@pytest.mark.parametrize("budget", [1024, 2048, 8192])
@pytest.mark.parametrize("keyword", [True, False])
@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_both_schemas_stay_within_the_budget(budget: int, keyword: bool, dialect: Any) -> None:  # noqa: FBT001
    """F9: measured on the bytes of compact JSON, in either form and dialect."""
    wide = {
        "type": "object",
        "properties": {
            f"property_{index}": {"type": "string", "description": "many words " * 9}
            for index in range(300)
        },
    }
    function = made(wide, schema_budget=budget, keyword=keyword, dialect=dialect)
    for schema in (function.parameters, function.output):
        assert len(json.dumps(schema, separators=(",", ":")).encode()) <= budget
    assert function.edits


def test_without_a_budget_everything_is_shown() -> None:
    """F9: ``None`` is no limit."""
    wide = {"type": "object", "properties": {f"p{index}": INTEGER for index in range(5000)}}
    function = made(wide, schema_budget=None)
    assert len(body(function)["properties"]) == 5000
    assert function.edits == ()


def test_directions_differ() -> None:
    """F11: readOnly is not asked for and writeOnly does not come back; ``required`` follows."""
    schema = {
        "type": "object",
        "properties": {
            "id": {**INTEGER, "readOnly": True},
            "secret": {"type": "string", "writeOnly": True},
            "name": {"type": "string"},
        },
        "required": ["id", "secret", "name"],
    }
    function = made(schema)
    assert list(body(function)["properties"]) == ["secret", "name"]
    assert body(function)["required"] == ["secret", "name"]
    assert function.output is not None
    assert list(function.output["properties"]) == ["id", "name"]
    assert function.output["required"] == ["id", "name"]


def test_constraints_may_be_said_instead() -> None:
    """F8: ``constraint=False`` moves bounds into descriptions; the validator still enforces them."""
    function = made({"type": "string", "minLength": 3, "pattern": "^a"}, constraint=False)
    assert keywords(body(function)).isdisjoint({"minLength", "pattern"})
    assert "@minLength 3" in body(function)["description"]
    assert "@pattern" in body(function)["description"]
    assert not function.validate({"body": "ab"})
    assert not function.validate({"body": "bbb"})
    assert function.validate({"body": "abc"})


def test_equals_closes_what_the_document_leaves_open() -> None:
    """V2: ``Options.equals`` refuses undeclared properties of any object schema with properties."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": INTEGER}}},
    }
    arguments = {"body": {"a": {"b": 1, "c": 2}}}
    assert made(schema).validate(arguments)
    (problem,) = made(schema, equals=True).validate(arguments).errors
    assert (problem.path, problem.expected) == ("$input.body.a.c", "undefined")


def test_formats_may_be_hints() -> None:
    """V5: ``Options.formats`` decides whether a format is asserted."""
    schema = {"type": "string", "format": "uuid"}
    assert not made(schema).validate({"body": "x"})
    assert made(schema, formats="hint").validate({"body": "x"})


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param(
            "#",
        ),
        "#/",
    ],
)
def test_a_document_is_no_schema(reference: str) -> None:
    """N3, F10: what refers to the whole document needs a schema that is not there."""
    content = {"application/json": {"schema": {"properties": {"a": {"$ref": reference}}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": {"content": content}}}, "/y": {"get": {}}},
    }
    application = load(document)
    assert [(error.path, error.code) for error in application.errors] == [("/x", "reference")]
    assert "info" not in json.dumps(application.document["components"])


def test_a_recursive_reference_means_its_component() -> None:
    """N7: ``$recursiveRef`` of a component that is a recursive anchor is that component."""
    schema = {
        "$recursiveAnchor": True,
        "type": "object",
        "properties": {"all": {"type": "array", "items": {"$recursiveRef": "#"}}},
        "required": ["all"],
        "additionalProperties": False,
    }
    function = made({"$ref": "#/components/schemas/Filter"}, components={"Filter": schema})
    assert function.validate({"body": {"all": [{"all": []}]}})
    assert not function.validate({"body": {"all": [{"all": [5]}]}})
    assert "openapi" not in json.dumps(function.validator)


# -- numbers that few can hold -----------------------------------------------------------------------------

HUGE = 10**30


def test_huge_bounds_spoil_nothing() -> None:
    """V5, F10: bounds beyond 64 bits are bounds like others, for every face of a function."""
    function = made({"type": "integer", "maximum": HUGE, "minimum": -HUGE})
    assert function.validate({"body": 5})
    assert not function.validate({"body": HUGE * 10})
    assert body(function)["maximum"] == HUGE
    assert len(function.fingerprint) == 64
    assert function.edits == ()


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize(
    "value",
    [2**53 + 1, 2**63, 2**64, HUGE, -HUGE],
)
def test_huge_constants_stay_exact(value: int, dialect: Any) -> None:
    """F12: enum and const values are never rewritten: a model sees the digits of the document."""
    shown = body(made({"enum": [value, 1]}, dialect=dialect))
    assert shown["enum"] == [value, 1]
    assert type(shown["enum"][0]) is int


def test_huge_constants_of_a_text_stay_exact() -> None:
    """F12: digits are kept from the text of a document to what is shown, in JSON and in YAML."""
    schema = f'{{"enum": [{HUGE}, 1.5, -{HUGE}]}}'
    text = (
        '{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"post": '
        f'{{"requestBody": {{"content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}}}'
    )
    for source in (text, f"# a comment makes it YAML\n{text}"):
        function = loads(source).functions[0]
        assert body(function)["enum"] == [HUGE, 1.5, -HUGE]
        assert function.validate({"body": HUGE})
        assert not function.validate({"body": HUGE + 1})


# -- pieces -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [True, {}, False])
def test_boolean_bodies(schema: Any) -> None:
    """F7: a body of any kind or of none is said without boolean schemas."""
    function = made(schema)
    assert isinstance(function.parameters["properties"].get("body", {}), dict)
    assert bool(function.validate({"body": 1})) is (schema is not False)


def test_a_closed_object() -> None:
    """R5: ``required`` is left out where nothing is."""
    assert object_schema({"a": INTEGER}, ["a"]) == {
        "type": "object",
        "properties": {"a": INTEGER},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert "required" not in object_schema({}, [])


def test_the_text_of_the_body_is_the_request_bodys() -> None:
    """F3, R5: what the document says of the body stands before what its schema says."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {
                        "description": "outer",
                        "content": {
                            "application/json": {"schema": {**INTEGER, "description": "inner"}}
                        },
                    }
                }
            }
        },
    }
    function = load(document).functions[0]
    assert function.parameters["properties"]["body"]["description"] == "outer"


def test_schemas_are_composed_once() -> None:
    """F10: asking twice gives the same object, and composing is not repeated."""
    function = made(PET, components={"Pet": PET})
    assert function.parameters is function.parameters
    assert function.output is function.output
    assert function.schemas.root is function.schemas.root
    assert function.schemas.validator is function.schemas.validator


def test_what_is_written_is_what_is_shown() -> None:
    """F9: the bytes that count are those of ``parameters`` and ``output``."""
    for keyword in (True, False):
        function = made(PET, components={"Pet": PET}, keyword=keyword)
        written, output = function.schemas.as_json
        assert json.loads(written) == function.parameters
        assert output is not None
        assert json.loads(output) == function.output
