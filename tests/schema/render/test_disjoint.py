from typing import Any

import pytest

from specfn.schema.compose.definitions_lookup import OwnDefinitions
from specfn.schema.render.disjoint import are_exclusive, are_tagged

Json = dict[str, Any]

STRING: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}


def tagged(*values: str, required: bool = True) -> Json:
    """An object with a tag."""
    node: Json = {"type": "object", "properties": {"kind": {"enum": list(values)}}}
    return {**node, "required": ["kind"]} if required else node


NAMED = {"Cat": tagged("cat"), "Alias": {"$ref": "#/$defs/Cat"}, "Loop": {"$ref": "#/$defs/Loop"}}

CASES: list[tuple[str, list[Any], bool]] = [
    ("types", [STRING, NUMBER, {"type": "null"}, {"type": "object"}], True),
    ("an integer is a number", [{"type": "integer"}, NUMBER], False),
    ("one type twice", [STRING, {"type": ["string", "null"]}], False),
    ("null twice", [{"type": ["string", "null"]}, {"type": ["number", "null"]}], False),
    ("constants", [{"const": "a"}, {"enum": ["b", "c"]}], True),
    ("constants that overlap", [{"const": "a"}, {"enum": ["a", "c"]}], False),
    ("equal numbers", [{"const": 1}, {"const": 1.0}], False),
    ("a constant of the other's type", [{"const": "a"}, STRING], False),
    ("tags", [tagged("a"), tagged("b", "c")], True),
    ("tags that overlap", [tagged("a"), tagged("a", "c")], False),
    ("a tag that may be left out", [tagged("a"), tagged("b", required=False)], False),
    ("a tag behind references", [{"$ref": "#/$defs/Alias"}, tagged("dog")], True),
    ("the same behind references", [{"$ref": "#/$defs/Alias"}, {"$ref": "#/$defs/Cat"}], False),
    ("what leads nowhere", [{"$ref": "#/$defs/None"}, STRING], False),
    ("a loop", [{"$ref": "#/$defs/Loop"}, STRING], False),
    ("anything", [{}, STRING], False),
    ("true", [True, STRING], False),
    ("false", [False, STRING], True),
    ("only required", [{"required": ["a"]}, {"required": ["b"]}], False),
    ("one", [STRING], True),
    ("none", [], True),
]


@pytest.mark.parametrize(("branches", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])  # fmt: skip
def test_branches_that_exclude_each_other(branches: list[Any], *, expected: bool) -> None:
    """Branches exclude each other by type, by constants, or by the constants of a property that all require."""
    named = OwnDefinitions()
    named.add(NAMED)
    assert are_exclusive(named, branches) is expected
    assert are_exclusive(named, branches[::-1]) is expected


#: Branches, and whether each of them requires the property ``kind`` as a constant.
TAGGED: list[tuple[str, list[Any], bool]] = [
    ("constants", [tagged("a"), tagged("b")], True),
    ("constants that are shared", [tagged("a"), tagged("a", "c")], True),
    ("by reference", [{"$ref": "#/$defs/Alias"}, tagged("dog")], True),
    ("in a union", [tagged("a"), {"oneOf": [tagged("a"), {"anyOf": [tagged("b")]}]}], True),
    ("beside null", [tagged("a"), {"type": "null"}], True),
    ("beside nothing", [tagged("a"), False], True),
    ("left out", [tagged("a"), tagged("b", required=False)], False),
    ("open", [tagged("a"), {"type": "object", "required": ["kind"]}], False),
    ("in one branch of a union", [tagged("a"), {"oneOf": [tagged("a"), STRING]}], False),
    ("no objects", [{"type": "integer"}, {"type": "number"}], False),
    ("a loop", [tagged("a"), {"$ref": "#/$defs/Loop"}], False),
    ("a union that is itself", [{"$ref": "#/$defs/Self"}, tagged("a")], True),
    ("anything", [{}, tagged("a")], False),
]


@pytest.mark.parametrize(("branches", "expected"), [case[1:] for case in TAGGED], ids=[case[0] for case in TAGGED])  # fmt: skip
def test_branches_that_require_their_tag(branches: list[Any], *, expected: bool) -> None:
    """A tag decides where every branch requires it as a constant, by itself or by all branches of its union."""
    named = OwnDefinitions()
    named.add({**NAMED, "Self": {"oneOf": [{"$ref": "#/$defs/Self"}, tagged("x")]}})
    assert are_tagged(named, branches, "kind") is expected
    assert are_tagged(named, branches[::-1], "kind") is expected
