from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.conftest import METASCHEMA, accepts, definitions, ref, shows

from specfn.schema.render.fragments import label, stub

Json = dict[str, Any]

NULL = {"type": "null"}
TEXT = {"type": "string"}
SCHEMAS: Json = {
    "Thing": {"type": "object", "properties": {"x": TEXT}},
    "Maybe": {"type": ["object", "null"]},
    "Open": {"properties": {"x": TEXT}},
    "List": {"type": "array", "items": ref("List")},
    "Union": {"oneOf": [ref("Thing"), ref("List")]},
    "Itself": {"anyOf": [ref("Itself"), TEXT]},
    "Null": {"anyOf": [NULL, ref("Text")]},
    "Text": {"type": "string", "minLength": 1},
    "Refused": False,
    "Any": True,
    "Deep": {"anyOf": [{"anyOf": [{"anyOf": [ref("Union"), {"type": "integer"}]}, NULL]}]},
    "Wide": {"anyOf": [{"type": "object", "required": [f"r{i}"]} for i in range(500)]},
}

#: What is cut, its stub in dialect 3.0, and its stub in dialect 3.1; without their texts.
STUBS: dict[str, tuple[Any, Json, Json]] = {
    "an object": ({"type": "object", "properties": {"x": TEXT}}, {"type": "object"}, {"type": "object"}),
    "a list": ({"type": "array", "items": TEXT}, {"type": "array", "items": {}}, {"type": "array", "items": {}}),
    "a nullable type": (
        {"type": ["object", "null"]}, {"type": "object", "nullable": True}, {"anyOf": [{"type": "object"}, NULL]}
    ),
    "several types": (
        {"type": ["object", "string"]}, {"anyOf": [{"type": "object"}, TEXT]}, {"anyOf": [{"type": "object"}, TEXT]}
    ),
    "a number that may be an integer": ({"type": ["integer", "number"]}, {"type": "number"}, {"type": "number"}),
    "nothing but null": (NULL, {"type": "string", "nullable": True, "enum": [None]}, NULL),
    "no type": ({"properties": {"x": TEXT}}, {}, {}),
    "anything": ({}, {}, {}),
    "true": (True, {}, {}),
    "values of one type": ({"enum": ["a", "b"]}, TEXT, TEXT),
    "values of several types": ({"enum": ["a", 1]}, {}, {}),
    "a constant": ({"const": {"x": 1}}, {"type": "object"}, {"type": "object"}),
    "a component": (ref("Thing"), {"type": "object"}, {"type": "object"}),
    "a component without a type": (ref("Open"), {}, {}),
    "a union": (ref("Union"), {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}]},
                {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}]}),
    "a union with an open branch": ({"anyOf": [TEXT, ref("Open")]}, {}, {}),
    "a union with a branch of anything": ({"anyOf": [TEXT, ref("Any")]}, {}, {}),
    "a union with null": (
        {"anyOf": [TEXT, NULL]}, {"type": "string", "nullable": True}, {"anyOf": [TEXT, NULL]}
    ),
    "a union with a nullable branch": (
        {"anyOf": [TEXT, ref("Maybe")]}, {"anyOf": [{"type": "string", "nullable": True}, {"type": "object"}]},
        {"anyOf": [TEXT, {"type": "object"}, NULL]},
    ),
    "a union of itself": (ref("Itself"), TEXT, TEXT),
    "a union of equal types": (ref("Wide"), {}, {}),
    "unions in unions": (
        ref("Deep"),
        {"anyOf": [{"type": "object", "nullable": True}, {"type": "array", "items": {}}, {"type": "integer"}]},
        {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}, {"type": "integer"}, NULL]},
    ),
    "a type beside a union": ({"type": "object", "anyOf": [{"required": ["a"]}, NULL]}, {"type": "object"}, {"type": "object"}),
    "a reference that leads nowhere": (ref("Nobody"), {}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", STUBS)
def test_types_and_nullability_stay(case: str) -> None:
    """F8: a stub has the declared types and null, the union of stubs for a union, and nothing more."""
    node, three, one = STUBS[case]
    found = definitions(SCHEMAS)
    for null_type, expected in ((False, three), (True, one)):
        schema = stub(found, "Name", found.compose(node), null_type=null_type)
        assert schema.pop("description") == "Name (nested deeper than shown)"
        if case == "a union of equal types":
            assert schema in ({}, {"type": "object"})
            continue
        assert schema == expected


VALUES: list[Any] = [None, True, 0, 1.5, "", "a", [], [1], {}, {"x": "y"}, {"x": 1}]
nodes = st.recursive(
    st.sampled_from([{}, TEXT, NULL, {"type": "integer"}, {"type": ["array", "null"]}, {"enum": ["a", None]}, {"const": []},
                     {"properties": {"x": TEXT}}, True, *(ref(name) for name in SCHEMAS if name != "Itself")]),
    lambda inner: st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)},
                                        optional={"type": st.sampled_from(["object", ["string", "null"]])}),
    max_leaves=5,
)  # fmt: skip


@given(nodes)
def test_a_stub_admits_whatever_was_cut(node: Any) -> None:
    """F8: what the cut schema accepts, its stub accepts in both dialects."""
    found = definitions(SCHEMAS)
    composed = found.compose(node)
    below = found.reachable([composed])
    validator = {"allOf": [composed], "$defs": below}
    for null_type, dialect in ((False, "3.0"), (True, "3.1")):
        schema = stub(found, "Name", composed, null_type=null_type)
        METASCHEMA.validate(schema)
        for value in VALUES:
            assert shows(schema, value, dialect) or not accepts(validator, value)


@pytest.mark.parametrize(
    ("key", "node", "expected"),
    [
        ("Category", {}, "Category"),
        ("Dog<dog>", {}, "Dog"),
        ("a\u202eb", {}, "ab"),
        (7, {"title": "A title", "properties": {}}, "A title"),
        (7, {"title": "x" * 100}, "x" * 60),
        (7, {"title": "a\u200bb"}, "ab"),
        (7, {"title": 3, "properties": {}}, "object"),
        (7, {"properties": {}}, "object"),
        (7, {"anyOf": [{}]}, "value"),
        (7, True, "value"),
    ],
    ids=repr,
)
def test_a_stub_says_what_it_was(key: Any, node: Any, expected: str) -> None:
    """F8, F12: its component, its title, or its kind; cleaned, and without the tag of a branch."""
    assert label(key, node) == expected


def test_a_long_name_is_shortened() -> None:
    """F9: a stub is small, whatever its component is called."""
    assert len(label("Generic" * 100, {})) <= 100
