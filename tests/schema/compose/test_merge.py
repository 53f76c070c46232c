from typing import Any

import pytest
from orjson import dumps
from tests.effort import calls
from tests.schema.conftest import accepts, composed, merge, ref, rendering

from specfn._internal.json import is_equal
from specfn.schema.compose.merge import CONTRADICTION, is_annotation
from specfn.schema.describe import describe

Json = dict[str, Any]

VALUES: list[Any] = [
    None, True, False, 0, 1, 2, 3, 4, 6, 12, -1, 0.5, 2.5, "", "a", "b", "ab", "abc", "abcd", [], [1], [1, 1], [1, "a"],
    ["a", 1], ["a"], [True], [1, 2, 3], [[]], {}, {"a": 1}, {"a": "x"}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": "x"},
    {"x-1": 1}, {"x-1": "x"}, {"a": 1, "x-1": 1}, {"a": 1, "b": 1, "c": 1}, {"c": 1}, {"a": {"a": 1}}, {"a": {}},
    {"a": None}, {"a": [1]}, {"a": 1, "d": 1},
]  # fmt: skip

#: What two values of one keyword mean together.
TOGETHER: list[tuple[Json, Json, Json]] = [
    ({"minimum": 1}, {"minimum": 2}, {"minimum": 2}),
    ({"maximum": 1}, {"maximum": 2}, {"maximum": 1}),
    ({"exclusiveMinimum": 1}, {"exclusiveMinimum": 2}, {"exclusiveMinimum": 2}),
    ({"exclusiveMaximum": 1}, {"exclusiveMaximum": 2}, {"exclusiveMaximum": 1}),
    ({"minLength": 1}, {"minLength": 3}, {"minLength": 3}),
    ({"maxLength": 1}, {"maxLength": 3}, {"maxLength": 1}),
    ({"minItems": 1}, {"minItems": 2}, {"minItems": 2}),
    ({"maxItems": 1}, {"maxItems": 2}, {"maxItems": 1}),
    ({"minProperties": 1}, {"minProperties": 2}, {"minProperties": 2}),
    ({"maxProperties": 1}, {"maxProperties": 2}, {"maxProperties": 1}),
    ({"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
    ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
    ({"multipleOf": 2}, {"multipleOf": 6}, {"multipleOf": 6}),
    ({"type": "integer"}, {"type": "number"}, {"type": "integer"}),
    ({"type": ["string", "null"]}, {"type": "string"}, {"type": "string"}),
    ({"type": ["number", "null"]}, {"type": ["integer", "null"]}, {"type": ["integer", "null"]}),
    ({"type": ["integer", "string"]}, {"type": "number"}, {"type": "integer"}),
    ({"enum": ["a", 1, None]}, {"enum": [1, "b"]}, {"enum": [1]}),
    ({"enum": [1, True, 0, False]}, {"enum": [True, False]}, {"enum": [True, False]}),
    ({"enum": [{"a": 1}, [1]]}, {"enum": [{"a": 1}]}, {"enum": [{"a": 1}]}),
    ({"const": "a"}, {"const": "a"}, {"const": "a"}),
    ({"required": ["a", "b"]}, {"required": ["b"]}, {"required": ["a", "b"]}),
    (
        {"dependentRequired": {"a": ["b"]}},
        {"dependentRequired": {"a": ["b"], "c": ["a"]}},
        {"dependentRequired": {"a": ["b"], "c": ["a"]}},
    ),
    ({"format": "uuid"}, {"format": "uuid"}, {"format": "uuid"}),
    ({"pattern": "a"}, {"pattern": "a"}, {"pattern": "a"}),
    ({"properties": {"a": {"type": "string"}}}, {"properties": {"a": True}},
     {"properties": {"a": {"type": "string"}}}),
    ({"properties": {"a": {}}}, {"properties": {"a": {"minimum": 1}}}, {"properties": {"a": {"minimum": 1}}}),
    ({"properties": {"a": False}}, {"properties": {"a": {"minimum": 1}}}, {"properties": {"a": False}}),
    ({"not": {"const": 1}}, {"not": {"const": 1}}, {"not": {"const": 1}}),
]  # fmt: skip

#: What one schema object cannot say twice, so that the second stays behind in ``allOf``.
TWICE: list[tuple[Json, Json]] = [
    ({"pattern": "a"}, {"pattern": "b"}),
    ({"format": "uuid"}, {"format": "uri"}),
    ({"anyOf": [{"minLength": 1}, {"type": "null"}]}, {"anyOf": [{"maxLength": 2}, {"type": "array"}]}),
    ({"oneOf": [{"minimum": 1}, {"maximum": 2}]}, {"oneOf": [{"minimum": 2}, {"maximum": 3}]}),
    ({"not": {"const": 1}}, {"not": {"const": 2}}),
    ({"contains": {"const": 1}}, {"contains": {"const": "a"}}),
    ({"contains": {"const": 1}, "maxContains": 1}, {"contains": {"const": 1}, "minContains": 0}),
    ({"if": {"type": "string"}, "then": {"minLength": 2}}, {"if": {"type": "array"}, "then": {"minItems": 1}}),
    ({"if": {"type": "string"}}, {"else": {"minItems": 1}}),
    ({"prefixItems": [{"type": "integer"}]}, {"prefixItems": [True, {"type": "string"}]}),
    ({"prefixItems": [{"type": "string"}], "items": False}, {"items": {"type": "string"}}),
    ({"propertyNames": {"maxLength": 1}}, {"propertyNames": {"pattern": "[ab]"}}),
    ({"multipleOf": 0.5}, {"multipleOf": 2}),
    ({"multipleOf": 2.5}, {"multipleOf": 0.5}),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentSchemas": {"b": {"required": ["a"]}}}),
    ({"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False}, {"properties": {"a": {}}}),
    ({"properties": {"a": {}}}, {"patternProperties": {"^x": True}, "additionalProperties": {"type": "integer"}}),
    ({"contentEncoding": "base64"}, {"contentEncoding": "base16"}),
]  # fmt: skip

#: Parts of which the one must not see the other's neighbors.
APART: list[tuple[Json, ...]] = [
    ({"properties": {"a": {}}, "additionalProperties": False}, {"properties": {"b": {}}}),
    ({"properties": {"b": {}}}, {"properties": {"a": {}}, "additionalProperties": False}),
    ({"properties": {"a": {}}, "additionalProperties": {"type": "integer"}},
     {"properties": {"b": {"type": "string"}}, "additionalProperties": {"minimum": 1}}),
    ({"properties": {"a": {}}, "additionalProperties": False},
     {"properties": {"b": {}}, "additionalProperties": False}),
    ({"additionalProperties": False}, {"properties": {"a": {}, "b": {}}}),
    ({"patternProperties": {"^x": {"type": "string"}}}, {"patternProperties": {"^x": {"minLength": 2}, "a": True}}),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"properties": {"b": {}}}),
    ({"properties": {"a": {}}}, {"properties": {"b": {}}, "unevaluatedProperties": False}),
    ({"anyOf": [{"properties": {"a": {}}}, {"type": "array"}]}, {"unevaluatedProperties": False}),
    ({"additionalProperties": True}, {"properties": {"a": {}}, "unevaluatedProperties": False}),
    ({"additionalProperties": True}, {"minProperties": 1}, {"unevaluatedProperties": False}),
    ({"prefixItems": [{}], "unevaluatedItems": False}, {"prefixItems": [{}, {}]}),
    ({"prefixItems": [{}]}, {"unevaluatedItems": False}),
    ({"items": {"type": "integer"}}, {"items": False}),
    ({"items": {"type": "integer"}}, {"items": {"minimum": 2}}),
    ({"then": {"type": "string"}}, {"if": {"type": "integer"}}),
    ({"minContains": 2}, {"contains": {"const": 1}}),
    ({"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "string"}}}, {"required": ["b"]}),
    ({"enum": ["a", "b", 1]}, {"enum": ["b", 1]}, {"type": "string"}),
    ({"const": 1}, {"enum": [1, 2]}),
    ({"minimum": 3}, {"maximum": 2}),
]  # fmt: skip

#: Parts that no value satisfies, or no value of their type.
CONTRADICTIONS: list[tuple[str, Json, Json]] = [
    ("type", {"type": "string"}, {"type": "integer"}),
    ("type", {"type": ["string", "null"]}, {"type": ["object", "integer"]}),
    ("enum", {"enum": ["a"]}, {"enum": ["b"]}),
    ("const", {"const": "a"}, {"const": "b"}),
    ("const", {"const": 1}, {"const": True}),
    ("const", {"const": 1}, {"enum": [True, 2]}),
    ("minimum", {"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 2}),
    ("minLength", {"type": "string", "minLength": 3}, {"type": "string", "maxLength": 2}),
    ("a", {"type": "object", "required": ["a"]}, {"type": "object", "properties": {"a": False}}),
    ("a", {"type": "object", "properties": {"b": {}}, "additionalProperties": False},
     {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
]  # fmt: skip


def brief(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value).decode()[:40]


def both(left: Any, right: Any) -> Any:
    return {"allOf": [left, right]}


def of_all(parts: tuple[Json, ...]) -> list[bool]:
    """The verdicts of all parts together, on every value."""
    return [all(accepts(part, value) for part in parts) for value in VALUES]


def of(schema: Json) -> list[bool]:
    return [accepts(schema, value) for value in VALUES]


def same(left: Any, right: Any) -> bool:
    """Equal but for the order of sets: types, required names and constants."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(any(is_equal(a, b) for b in right) for a in left)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return is_equal(left, right)


@pytest.mark.parametrize(("left", "right", "expected"), TOGETHER, ids=brief)
def test_a_keyword_of_two_parts_is_said_once(left: Json, right: Json, expected: Json) -> None:
    """F10: bounds are the tightest, types and enums the intersection, names the union; in either order."""
    assert same(merge([left, right], both), expected)
    assert same(merge([right, left], both), expected)
    assert of_all((left, right)) == of(expected)


@pytest.mark.parametrize(("left", "right"), TWICE, ids=brief)
def test_what_cannot_be_said_twice_stays_behind(left: Json, right: Json) -> None:
    """F10: a second pattern, union, negation or condition is kept in ``allOf``; none is lost."""
    for parts in ((left, right), (right, left)):
        merged = merge(parts, both)
        assert len(merged["allOf"]) == 1
        assert CONTRADICTION not in merged
        assert of(merged) == of_all(parts)


@pytest.mark.parametrize("parts", APART, ids=brief)
def test_no_part_sees_the_others_neighbors(parts: tuple[Json, ...]) -> None:
    """F10: closed parts, rests, tuples and conditions keep their own scope in the merged schema."""
    last = parts[-1]
    outer = any(key.startswith("unevaluated") for key in last)
    expected = of({**last, "allOf": [*parts[:-1]]}) if outer else of_all(parts)
    assert of(merge(parts, both)) == expected
    if not outer:
        assert of(merge([*parts, {}], both)) == expected


@pytest.mark.parametrize("extra", [{}, {"title": "T"}, {"required": []}], ids=brief)
def test_an_idle_part_changes_nothing(extra: Json) -> None:
    """F10: merging with a part that admits everything gives what the other admits."""
    for left, right, _ in TOGETHER:
        for part in (left, right):
            assert of(merge([part, extra], both)) == of(part) == of(merge([extra, part], both))


@pytest.mark.parametrize(("keyword", "left", "right"), CONTRADICTIONS, ids=brief)
def test_a_contradiction_is_kept_and_said(keyword: str, left: Json, right: Json) -> None:
    """F10: parts that contradict each other all stay in the validator, and ``edits`` names the keyword."""
    node = {"allOf": [left, right]}
    validator = composed({}, node)
    assert keyword in validator[CONTRADICTION]
    assert not any(of(validator))
    for dialect in ("3.0", "3.1"):
        edits = rendering({}, node, dialect=dialect).edits
        assert [edit.pointer for edit in edits if edit.kind == "contradiction"] == [""]


#: Parts that contradict each other, and whether they leave no value of any type.
NEVER: list[tuple[Json, Json, bool]] = [
    ({"type": "string"}, {"type": "integer"}, True),
    ({"const": "a"}, {"enum": ["b"]}, True),
    ({"enum": [1]}, {"enum": [True]}, True),
    ({"minimum": 3}, {"maximum": 2}, False),
    ({"minimum": 3, "type": "number"}, {"maximum": 2}, True),
    ({"minLength": 3, "type": "number"}, {"maxLength": 2}, False),
    ({"minItems": 3, "type": ["array", "null"]}, {"maxItems": 2}, False),
    ({"required": ["a"]}, {"additionalProperties": False}, False),
    ({"required": ["a"], "type": "object"}, {"additionalProperties": False}, True),
    ({"required": ["a"], "type": "object"}, {"properties": {"a": False}}, True),
]


@pytest.mark.parametrize(("left", "right", "never"), NEVER, ids=brief)
def test_never_is_said_only_where_it_is_so(left: Json, right: Json, never: bool) -> None:  # noqa: FBT001
    """F10, V3: a type text is ``never`` exactly where no value of any type is left."""
    for parts in ((left, right), (right, left)):
        merged = merge(parts, both)
        assert CONTRADICTION in merged
        assert (describe(merged, {}) == "never") is never
        assert any(of(merged)) is not never
        [edit] = rendering({}, {"allOf": [*parts]}).edits[:1]
        assert edit.kind == "contradiction"
        assert edit.reason.endswith("no value is valid here") is never


def test_a_required_name_that_a_closed_part_lacks_is_a_contradiction() -> None:
    """F10: one part asks for a property that the other, closed, does not have: ``edits`` says so."""
    closed = {"type": "object", "properties": {"b": {}}, "additionalProperties": False}
    node = {"allOf": [{"type": "object", "required": ["a"]}, closed]}
    assert not any(of(composed({}, node)))
    assert any(edit.kind == "contradiction" for edit in rendering({}, node).edits)


#: Values that Python calls equal and JSON does not, where two parts say them of the same thing.
UNEQUAL: list[tuple[Json, Json]] = [
    ({"const": 1}, {"const": True}),
    ({"items": {"const": 1}}, {"items": {"const": True}}),
    ({"enum": [1]}, {"enum": [True]}),
    ({"enum": [0, "a"]}, {"enum": [False, "a"]}),
    ({"const": {"a": 1}}, {"const": {"a": True}}),
    ({"not": {"const": 1}}, {"not": {"const": True}}),
    ({"properties": {"a": {"const": 1}}}, {"properties": {"a": {"const": True}}}),
    ({"additionalProperties": {"const": 1}}, {"additionalProperties": {"const": True}}),
    ({"anyOf": [{"enum": [1]}]}, {"anyOf": [{"enum": [True]}]}),
    ({"contains": {"const": 1}}, {"contains": {"const": True}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right"),
    [pytest.param(*parts) for parts in UNEQUAL],
    ids=brief,
)
def test_one_is_not_true(left: Json, right: Json) -> None:
    """F10: 1 and ``true``, 0 and ``false`` are different constants wherever two parts say them."""
    values = [*VALUES, [True, 1], [1, True], {"a": True}, {"a": 1}, {"a": 0}, {"b": True}]
    for parts in ((left, right), (right, left)):
        expected = [all(accepts(part, value) for part in parts) for value in values]
        assert [accepts(merge(parts, both), value) for value in values] == expected


def test_an_open_rest_that_says_so_is_kept() -> None:
    """F10: ``additionalProperties: {}`` refuses nothing, but leaves nothing for ``unevaluatedProperties``."""
    for rest in (True, {}):
        closed = {"additionalProperties": rest, "unevaluatedProperties": False}
        for node in (
            {"allOf": [{"type": "object"}], **closed},
            {"allOf": [closed, {"type": "object"}]},
        ):
            assert accepts(composed({}, node), {"a": 1}) == accepts(node, {"a": 1})


def test_all_patterns_are_kept() -> None:
    """F10: of four patterns none is lost, and equal ones are one."""
    parts = [{"pattern": pattern} for pattern in ("a", "b", "a", "c", "b")]
    merged = merge(parts, both)
    assert [merged["pattern"], *(part["pattern"] for part in merged["allOf"])] == [
        "a",
        "b",
        "c",
        "b",
    ]
    assert accepts(merged, "cab")
    assert not any(accepts(merged, text) for text in ("ab", "bc", "ac"))


def test_annotations_are_the_callers() -> None:
    """F10: merging takes no annotation and no extension over; what they say is of the part alone."""
    part = {
        "title": "T",
        "description": "D",
        "default": 1,
        "x-own": 1,
        "type": "string",
        "readOnly": True,
    }
    assert merge([part, {"deprecated": True, "xml": {}, "examples": [1]}], both) == {
        "type": "string"
    }
    assert all(is_annotation(key) for key in part if key != "type")


#: Every way to write an object of ``a`` (a string) and ``b`` (an integer), ``a`` required.
SPELLINGS: dict[str, Json] = {
    "inline": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                         {"properties": {"b": {"type": "integer"}}}]},
    "references": {"allOf": [ref("A"), ref("B")]},
    "siblings": {"allOf": [ref("A")], "properties": {"b": {"type": "integer"}}},
    "beside a reference": {**ref("A"), "properties": {"b": {"type": "integer"}}},
    "nested": {"allOf": [{"allOf": [{"allOf": [ref("A")]}]}, {"allOf": [ref("B"), {}, True]}]},
    "chain": {"allOf": [ref("Chain"), ref("B")]},
    "diamond": {"allOf": [ref("Left"), ref("Right")]},
    "repeated": {"allOf": [ref("A"), ref("A"), ref("B"), ref("A")]},
    "reference and allOf": {**ref("A"), "allOf": [ref("B")]},
}  # fmt: skip
PARTS: Json = {
    "A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    "B": {"type": "object", "properties": {"b": {"type": "integer"}}},
    "Chain": {"allOf": [ref("Link")]},
    "Link": {"allOf": [ref("Alias"), {"type": "object"}]},
    "Alias": ref("A"),
    "Left": {"allOf": [ref("A"), {"properties": {"b": {"type": "integer"}}}]},
    "Right": {"allOf": [ref("A"), {"type": "object"}]},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_composites_become_one_object(spelling: str) -> None:
    """F10: nested ``allOf``, ``$ref`` chains, siblings and diamonds all give the one merged object."""
    schema = composed(PARTS, SPELLINGS[spelling])
    assert schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
    }


def test_unions_keep_their_siblings() -> None:
    """F10: what stands beside a union, and beside an ``allOf`` with a union in it, is still asked for."""
    union = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    closed = {"properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": False}
    for node in ({**closed, **union}, {"allOf": [union, closed]}, {"allOf": [ref("U")], **closed}):
        schema = composed({"U": union}, {"type": "object", **node})
        assert accepts(schema, {"b": "x"})
        assert not any(accepts(schema, value) for value in ({}, {"b": 1}, {"a": 1, "c": 1}, "a"))


def test_what_is_said_of_a_composite_is_its_own() -> None:
    """F10: a composite's own title and description win; a component's title is not taken over."""
    schemas = {"A": {"type": "string", "title": "A", "description": "of A", "default": "x"}}
    bare = composed(schemas, {"allOf": [ref("A"), {"minLength": 1}]})
    assert (bare.get("title"), bare["description"]) == (None, "of A")
    own = composed(
        schemas, {"allOf": [ref("A"), {"description": "inline"}], "minLength": 1, "title": "own"}
    )
    assert (own["title"], own["description"]) == ("own", "inline")


def test_a_refused_part_refuses() -> None:
    """F10: ``false`` among the parts leaves nothing, and ``true`` says nothing."""
    assert composed({"No": False}, {"allOf": [{"type": "string"}, ref("No")]}) is False
    assert composed({"Any": True}, {"allOf": [{"type": "string"}, ref("Any"), True]}) == {
        "type": "string"
    }


RECURSIVE: list[tuple[str, Json, Json]] = [
    ("itself", {"A": {"allOf": [ref("A"), {"type": "object"}]}}, {"A": {"type": "object"}}),
    ("each other", {"A": {"allOf": [ref("B"), {"minProperties": 1}]}, "B": {"allOf": [ref("A"), {"type": "object"}]}},
     {"A": {"type": "object", "minProperties": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "schemas", "equal"), RECURSIVE, ids=brief)
def test_a_cycle_of_parts_ends(name: str, schemas: Json, equal: Json) -> None:
    """F10: parts that lead back to the composite itself add nothing to it."""
    assert composed(schemas, ref("A"))["$defs"] == equal, name


def test_a_composite_of_itself_below_nests_without_end() -> None:
    """F10: a property that is a composite of its own parent is a definition, at every depth the same."""
    node = {"allOf": [ref("Node"), {"required": ["id"]}]}
    schemas = {"Node": {"type": "object", "properties": {"id": {"type": "string"}, "child": node}}}
    schema = composed(schemas, ref("Node"))
    for depth in range(1, 6):
        value: Any = {"id": "x"}
        for _ in range(depth):
            value = {"id": "x", "child": value}
        assert accepts(schema, value)
        broken: Any = {}
        for _ in range(depth):
            broken = {"id": "x", "child": broken}
        assert not accepts(schema, broken)


def test_two_recursive_components_are_merged_below_too() -> None:
    """F10: where both parts nest without end, every level is held to both."""
    schemas = {
        "A": {"type": "object", "properties": {"next": ref("A"), "a": {"type": "string"}}},
        "B": {"type": "object", "properties": {"next": ref("B"), "a": {"minLength": 2}}},
    }
    schema = composed(schemas, {"allOf": [ref("A"), ref("B")]})
    assert accepts(schema, {"a": "xx", "next": {"a": "xx", "next": {"next": {"a": "xx"}}}})
    assert not accepts(schema, {"next": {"next": {"next": {"a": "x"}}}})
    assert not accepts(schema, {"next": {"next": {"next": {"a": 11}}}})


def test_input_is_shared_not_changed() -> None:
    """F10: an inline schema without composites comes back as the same object."""
    node = {"type": "object", "properties": {"a": {"items": {"anyOf": [{"type": "string"}, True]}}}}
    assert composed({}, node) is node


def test_long_chains_of_parts_do_not_nest_the_program() -> None:
    """F10: 10,000 components, each ``allOf`` the next, are merged 17 at a time and without recursion."""
    schemas: Json = {
        f"C{i}": {"allOf": [ref(f"C{i + 1}"), {"minProperties": i}]} for i in range(10_000)
    }
    schemas["C10000"] = {"type": "object"}
    definitions = composed(schemas, ref("C0"))["$defs"]
    assert definitions["C0"] == {"minProperties": 16, "allOf": [{"$ref": "#/$defs/C17"}]}
    assert definitions["C9996"] == {"type": "object", "minProperties": 9_999}
    assert len(definitions) == 589


def test_long_chains_of_references_do_not_nest_the_program() -> None:
    """F10: 10,000 components, each another name of the next, are one definition."""
    for link in (ref, lambda name: {"allOf": [ref(name)]}):
        schemas: Json = {f"C{i}": link(f"C{i + 1}") for i in range(10_000)}
        schemas["C10000"] = {"type": "object", "properties": {"a": {"type": "string"}}}
        assert [*composed(schemas, ref("C0"))["$defs"]] == ["C10000"]


def test_an_alias_of_a_refused_part_is_a_reference_like_any() -> None:
    """F10: a component that is ``allOf`` of nothing but ``false`` can be referred to."""
    schemas: Json = {"No": {"allOf": [False]}, "Alias": ref("No"), "Any": {"allOf": [True]}}
    assert not any(of(composed(schemas, ref("Alias"))))
    assert all(of(composed(schemas, ref("Any"))))


WORK = {
    "parts with properties": lambda n: (
        {}, {"allOf": [{"properties": {f"p{i}": {}}, "required": [f"p{i}"]} for i in range(n)]}
    ),
    "a chain with properties": lambda n: (
        {f"C{i}": {"allOf": [ref(f"C{i + 1}"), {"properties": {f"p{i}": {}}}]} for i in range(n)} | {f"C{n}": {}},
        ref("C0"),
    ),
    "long enums": lambda n: (
        {}, {"allOf": [{"enum": [*range(n)]}, {"enum": [*range(n // 2, 2 * n)]}]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WORK)
def test_work_grows_with_the_parts(kind: str) -> None:
    """T17: twice as many parts, or values, are about twice as much work."""
    counts = []
    for size in (200, 400):
        schemas, node = WORK[kind](size)
        counts.append(calls(lambda s=schemas, n=node: composed(s, n)))
    assert counts[1] < 3 * counts[0]
