from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.schema.describe import MAX_CHARACTERS, component_name, describe, literal

PET = {"$ref": "#/$defs/Pet"}

SCALARS: list[tuple[Any, str]] = [
    (True, "any"),
    ({}, "any"),
    (False, "never"),
    ({"type": "string"}, "string"),
    ({"type": "integer"}, "integer"),
    ({"type": "number"}, "number"),
    ({"type": "boolean"}, "boolean"),
    ({"type": "null"}, "null"),
    ({"type": "integer", "format": "int32", "maximum": 10}, 'number & Type<"int32"> & Maximum<10>'),
    ({"type": "integer", "format": "int64"}, 'number & Type<"int64">'),
    (
        {"type": "number", "format": "double", "multipleOf": 0.01},
        'number & Type<"double"> & MultipleOf<0.01>',
    ),
    ({"type": "integer", "format": "unix-time"}, "integer"),
    ({"type": "string", "format": "int64"}, "string"),
    (
        {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
        "integer & Minimum<1> & ExclusiveMaximum<9>",
    ),
    ({"type": "string", "format": "uuid"}, 'string & Format<"uuid">'),
    ({"type": "string", "minLength": 1, "maxLength": 3}, "string & MinLength<1> & MaxLength<3>"),
    ({"type": "string", "pattern": "^a\\d$"}, 'string & Pattern<"^a\\\\d$">'),
    ({"type": "string", "contentMediaType": "image/png"}, 'string & ContentMediaType<"image/png">'),
    ({"type": "string", "format": "date", "nullable": True}, 'string & Format<"date"> | null'),
    ({"type": ["string", "null"], "minLength": 2}, "string & MinLength<2> | null"),
    ({"minLength": 2}, "string & MinLength<2>"),
    ({"format": "date"}, 'string & Format<"date">'),
    ({"enum": ["asc", "desc"]}, '"asc" | "desc"'),
    ({"type": "string", "enum": ["asc", "desc"]}, '"asc" | "desc"'),
    ({"enum": [1, None, True]}, "1 | null | true"),
    ({"const": "a"}, '"a"'),
    ({"const": {"a": [1]}}, '{"a":[1]}'),
    ({"const": "line\nbreak"}, '"line\\nbreak"'),
    ({"not": {"type": "string"}}, "Not<string>"),
]

COMPOUNDS: list[tuple[Any, str]] = [
    (PET, "Pet"),
    ({**PET, "description": "the pet"}, "Pet"),
    ({**PET, "minProperties": 1}, "Pet & MinProperties<1>"),
    ({"$ref": "#/$defs/A~1b%20c"}, "A/b c"),
    ({"anyOf": [PET, {"type": "null"}]}, "Pet | null"),
    ({"oneOf": [PET, {"$ref": "#/$defs/Dog"}]}, "Pet | Dog"),
    ({"anyOf": [{"type": "string"}, {"type": "string"}]}, "string"),
    ({"type": "object", "anyOf": [PET, {"$ref": "#/$defs/Dog"}]}, "Pet | Dog"),
    ({"type": "object", "anyOf": [{"type": "string"}, PET, {"type": "null"}]}, "Pet"),
    ({"type": "number", "oneOf": [{"type": "integer"}, {"type": "array"}]}, "integer"),
    ({"type": "string", "oneOf": [{"type": "integer"}, {"type": "null"}]}, "integer | null"),
    ({"allOf": [PET, {"$ref": "#/$defs/Dog"}]}, "Pet & Dog"),
    ({"allOf": [PET, {"anyOf": [{"type": "string"}, {"type": "null"}]}]}, "Pet & (string | null)"),
    ({"type": "array", "items": PET, "minItems": 1}, "Array<Pet> & MinItems<1>"),
    ({"type": "array"}, "Array<any>"),
    (
        {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True},
        "Array<1 | 2> & UniqueItems",
    ),
    ({"type": "array", "prefixItems": [{"type": "string"}, PET], "items": False}, "[string, Pet]"),
    ({"type": "array", "prefixItems": [PET], "items": PET}, "[Pet, ...Array<Pet>]"),
    ({"type": "array", "contains": PET}, "Array<any> & Contains<Pet>"),
    ({"type": "object"}, "object"),
    ({"type": "object", "additionalProperties": False}, "{}"),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, integer>"),
    (
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name"],
        },
        "{ name: string; tags?: Array<string> }",
    ),
    ({"type": "object", "properties": {"a-b": PET, "id": False}}, '{ "a-b"?: Pet }'),
    ({"type": "object", "required": ["a"]}, "{ a: any }"),
    (
        {"properties": {"a": PET}, "additionalProperties": {"type": "string"}},
        "{ a?: Pet; [key: string]: string }",
    ),
    (
        {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
        '{ [key: string & Pattern<"^x-">]: string }',
    ),
]


@pytest.mark.parametrize(("schema", "text"), [*SCALARS, *COMPOUNDS])
def test_spelling(schema: Any, text: str) -> None:
    """Each schema has one spelling."""
    assert describe(schema, {}) == text


def test_optional() -> None:
    """A place that may be left out says so."""
    assert describe({"type": "string"}, {}, optional=True) == "string | undefined"


@pytest.mark.parametrize(("definition", "text"), [(True, "any"), (False, "never"), ({}, "N")])
def test_boolean_definition(definition: Any, text: str) -> None:
    """A name that stands for everything or nothing says that instead."""
    assert describe({"$ref": "#/$defs/N"}, {"N": definition}) == text


def test_long_enum_is_cut_between_values() -> None:
    """A long enum shows whole values and that there are more."""
    text = describe({"enum": [f"value {index}" for index in range(200)]}, {})
    assert len(text) <= MAX_CHARACTERS
    assert text.endswith('" | ...')
    assert text.startswith('"value 0" | "value 1" | ')


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"const": "x" * 400}, "string"),
        ({"type": "string", "pattern": "a" * 400}, "string & Pattern<...>"),
        ({"type": "object", "properties": {"k" * 400: {}}}, "{ ...?: any }"),
        ({"$ref": "#/$defs/" + "N" * 400}, "any"),
    ],
)
def test_long_tokens_are_left_out_whole(schema: Any, text: str) -> None:
    """A token that does not fit is never cut."""
    assert describe(schema, {}) == text


def test_long_name_falls_back_on_its_type() -> None:
    """A name that does not fit gives way to what it stands for."""
    name = "N" * 400
    assert describe({"$ref": f"#/$defs/{name}"}, {name: {"type": "object"}}) == "object"


def test_wide_objects_show_their_first_members() -> None:
    """An object with many members is cut between members."""
    inner = {
        "type": "object",
        "properties": {f"q{index}": {"type": "string"} for index in range(20)},
    }
    text = describe(
        {"type": "object", "properties": {f"p{index}": inner for index in range(30)}}, {}
    )
    assert len(text) <= MAX_CHARACTERS
    assert text.startswith("{ p0?: ")
    assert text.endswith("; ... }")


def test_hostile_depth() -> None:
    """Depth, loops and self-containing lists end."""
    deep: Any = {"type": "string"}
    for _ in range(100_000):
        deep = {"type": "array", "items": deep}
    assert describe(deep, {}).startswith("Array<")
    loop: dict[str, Any] = {"type": "object", "properties": {}}
    loop["properties"]["self"] = loop
    assert describe(loop, {}).startswith("{ self?: {")
    knot: dict[str, Any] = {"allOf": []}
    knot["allOf"] += [knot, knot]
    assert len(describe(knot, {})) <= MAX_CHARACTERS


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("#/$defs/A", "A"),
        ("#/$defs/a~0b", "a~b"),
        ("#", "object"),
        ("other#anchor", "any"),
        (5, "any"),
    ],
)
def test_component_names(reference: Any, name: str) -> None:
    """A reference's last token is the component's name."""
    assert component_name(reference) == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ü", '"ü"'),
        ("\u202e", '"\\u202e"'),
        ("\ud800", '"\\ud800"'),
        (float("nan"), "NaN"),
        ({1}, "..."),
    ],
)
def test_literals(value: Any, text: str) -> None:
    """Constants are JSON that any encoding can carry."""
    assert literal(value) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
keywords = st.sampled_from(
    "type enum const format pattern minLength maximum items prefixItems properties required additionalProperties "
    "patternProperties allOf anyOf oneOf not contains uniqueItems minItems $ref multipleOf minProperties".split()
)
schemas = st.recursive(
    json_values | st.just({"type": "string"}) | st.just(PET),
    lambda inner: st.dictionaries(
        keywords,
        inner
        | st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_size=5,
    ),
    max_leaves=12,
)


@given(schemas, st.booleans())
def test_any_nonsense_has_a_short_text(schema: Any, optional: bool) -> None:  # noqa: FBT001 - drawn
    """Whatever stands in a schema, the text is one line of bounded length with brackets in pairs."""
    text = describe(schema, {}, optional=optional)
    assert 0 < len(text) <= MAX_CHARACTERS
    assert text.encode()
    assert "\n" not in text
