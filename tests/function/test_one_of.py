"""``oneOf`` of a function: what its edits name, and what a tool says (rule F8)."""

from typing import Any

import pytest
from tests.connectors.names import PROFILES

from specfn import Options, load

Json = dict[str, Any]

NUMBER = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
APART = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
SCHEMAS: Json = {
    "Number": NUMBER,
    "Words": {
        "oneOf": [
            {"type": "string", "enum": ["a", "b"]},
            {"type": "string", "enum": ["b", "c"]},
        ]
    },
    "Cat": {"type": "object", "properties": {"kind": {"type": "string"}, "age": NUMBER}},
    "Dog": {"type": "object", "properties": {"kind": {"type": "string"}}},
    "Pet": {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind"},
    },
}


def reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


BODY: Json = {
    "type": "object",
    "properties": {
        "number": reference("Number"),
        "numbers": {"type": "array", "items": NUMBER},
        "words": reference("Words"),
        "pet": reference("Pet"),
        "apart": APART,
        "open": {"oneOf": [{"type": "object", "properties": {"x": APART}}, {"type": "object"}]},
        "nullable": {"oneOf": [{"type": "string"}, {"type": "null"}]},
    },
}


def document() -> Json:
    content = {"application/json": {"schema": BODY}}
    responses = {"200": {"description": "ok", "content": content}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"post": {"requestBody": {"content": content}, "responses": responses}}},
        "components": {"schemas": SCHEMAS},
    }


#: The places of the alternatives that may overlap, from the body on.
PLACES = {"/number", "/numbers/items", "/words", "/open", "/pet/anyOf/0/properties/age"}


def test_every_overlap_is_named_in_arguments_and_response() -> None:
    """F8: the edits name each ``oneOf`` whose alternatives are not provably apart, and no other."""
    function = load(document()).functions[0]
    unions = {edit.pointer for edit in function.edits if edit.kind == "union"}
    assert unions == {
        f"{root}{place.replace('/', '/properties/', 1)}"
        for root in ("/parameters/properties/body", "/output")
        for place in PLACES
    }


def test_every_overlap_is_named_where_definitions_are_shared() -> None:
    """F8: in dialect 3.1 the places are those of the definitions."""
    function = load(document(), options=Options(dialect="3.1")).functions[0]
    found = [edit.pointer for edit in function.edits if edit.kind == "union"]
    names = ("Number", "Words")
    assert len(found) == len(set(found))
    for root in ("/parameters", "/output"):
        assert {f"{root}/$defs/{name}" for name in names} <= set(found)
        assert len([place for place in found if place.startswith(root)]) == len(PLACES)


def test_loading_looks_at_no_union() -> None:
    """F8: ``load`` composes no schema to find them."""
    for function in load(document()).functions:
        assert not {"root", "edits"} & vars(function.schemas).keys()


@pytest.mark.parametrize("name", PROFILES)
def test_a_tool_says_it_only_where_it_is_enforced(name: str) -> None:
    """F8: that exactly one alternative may fit is said with ``exactly``, and never with ``any``."""
    line = "@oneOf exactly one alternative may fit"
    for one_of in ("any", "exactly"):
        application = load(document(), options=Options(one_of=one_of))
        assert (line in str([*application.tools(name)])) is (one_of == "exactly")


def test_the_option_decides() -> None:
    """V5: ``any`` accepts what fits several alternatives, at every place of the arguments; ``exactly`` refuses it."""
    body = {
        "number": 1,
        "numbers": [1, 1.5],
        "words": "b",
        "pet": {"kind": "Cat", "age": 3},
        "open": {"x": 1},
    }
    loose = load(document()).functions[0]
    exact = load(document(), options=Options(one_of="exactly")).functions[0]
    assert loose.validate({"body": body})
    wrong = [problem.path for problem in exact.problems({"body": body})]
    assert wrong == [
        *("$input.body.number", "$input.body.numbers[0]", "$input.body.words"),
        *("$input.body.pet.age", "$input.body.open"),
    ]
    for function in (loose, exact):
        [problem] = function.problems({"body": {"pet": {"kind": "Cow"}}})
        assert (problem.path, problem.expected) == ("$input.body.pet.kind", '"Cat" | "Dog"')
