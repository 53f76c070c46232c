"""T17: small documents that would unfold into schemas without end cost what their bytes cost."""

from collections.abc import Callable
from typing import Any

import pytest
from orjson import dumps
from tests.effort import calls
from tests.schema.conftest import (
    accepts,
    check,
    composed,
    document,
    ref,
    rendered,
    rendering,
    subschemas,
)

from specfn import Options, load

Json = dict[str, Any]
Bomb = Callable[[int], tuple[Json, Json]]

TEXT = {"type": "string"}


def line(
    size: int, link: Callable[[Json, int], Json], last: Json | None = None
) -> tuple[Json, Json]:
    """Components of which each is made of a reference to the next."""
    schemas = {f"N{index}": link(ref(f"N{index + 1}"), index) for index in range(size)}
    schemas[f"N{size}"] = last or {"type": "object", "properties": {"leaf": TEXT}}
    return schemas, ref("N0")


def pair(node: Json) -> Json:
    return {"type": "object", "properties": {"left": node, "right": node}}


#: Graphs with two references or more to each component: paths double with each level.
DOUBLING: dict[str, Bomb] = {
    "properties": lambda size: line(size, lambda node, _: pair(node)),
    "required properties": lambda size: line(size, lambda node, _: {**pair(node), "required": ["left", "right"]}),
    "items and maps": lambda size: line(
        size, lambda node, _: {"type": ["object", "array"], "items": node, "additionalProperties": node}
    ),
    "branches": lambda size: line(size, lambda node, i: {"anyOf": [node, {"allOf": [node], "title": f"t{i}"}]}),
    "branches with properties": lambda size: line(
        size, lambda node, i: {"oneOf": [pair(node), {**pair(node), "required": [f"r{i}"]}]}
    ),
    "nullable properties": lambda size: line(size, lambda node, _: pair({"anyOf": [node, {"type": "null"}]})),
    "described properties": lambda size: line(size, lambda node, i: pair({**node, "description": f"level {i}"})),
    "tuples": lambda size: line(size, lambda node, _: {"type": "array", "prefixItems": [node, node], "items": node}),
    "negations": lambda size: line(size, lambda node, _: {"type": "object", "not": node, "properties": {"n": node}}),
    "patterns of names": lambda size: line(
        size, lambda node, _: {"type": "object", "patternProperties": {"^a": node, "^b": node}, "additionalProperties": False}
    ),
    "families": lambda size: (
        {
            "P": {**pair(ref("P")), "required": ["kind"], "discriminator": {"propertyName": "kind"}},
            **{f"C{index}": {"allOf": [ref("P"), pair(ref("P"))]} for index in range(size)},
        },
        ref("P"),
    ),
}  # fmt: skip

#: The same with composites at every place: what is referred to is merged, not only referred to.
MERGING: dict[str, Bomb] = {
    "parts": lambda size: line(size, lambda node, _: pair({"allOf": [node, {"minProperties": 1}]})),
    "siblings": lambda size: line(size, lambda node, _: pair({**node, "minProperties": 1})),
    "parts of parts": lambda size: line(size, lambda node, i: {"allOf": [pair(node), pair({**node, "title": f"t{i}"})]}),
    "diamonds": lambda size: (
        {
            **line(size, lambda node, _: pair(node))[0],
            **{f"M{i}": pair(ref(f"M{i + 1}")) for i in range(size)},
            f"M{size}": {"type": "object", "required": ["leaf"]},
        },
        {"allOf": [ref("N0"), ref("M0")]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("bomb", DOUBLING)
def test_forty_levels_are_forty_components(bomb: str, dialect: Any) -> None:
    """T17: 2^40 paths through forty components are composed and shown at once, within the budget."""
    schemas, node = DOUBLING[bomb](40)

    def work() -> None:
        assert len(composed(schemas, node)["$defs"]) <= 60
        for budget in (4096, 32_768):
            found = rendering(schemas, node, dialect=dialect, budget=budget)
            assert len(dumps(found.schema)) <= budget
            assert sum(1 for _ in found.edits) < 2_000
            assert sum(1 for _ in subschemas(found.schema)) < 4_000

    assert calls(work) < 1_000_000
    check(rendered(schemas, node, dialect=dialect), dialect)


@pytest.mark.parametrize("bomb", MERGING)
def test_composites_do_not_multiply(bomb: str) -> None:
    """T17: four more levels, sixteen times the paths, are at most four times the work."""
    counts = []
    for size in (4, 8):
        schemas, node = MERGING[bomb](size)
        counts.append(calls(lambda s=schemas, n=node: composed(s, n)))
    assert counts[1] < 4 * counts[0]


#: Long lines: what each component is to the next.
LINES: dict[str, Callable[[Json, int], Json]] = {
    "other names": lambda node, _: node,
    "described names": lambda node, _: {**node, "description": "D"},
    "single parts": lambda node, _: {"allOf": [node]},
    "parts": lambda node, _: {"allOf": [node, {"minProperties": 1}]},
    "siblings": lambda node, _: {**node, "minProperties": 1},
    "properties": lambda node, _: {"type": "object", "properties": {"next": node}},
    "items": lambda node, _: {"type": "array", "items": node},
    "branches": lambda node, _: {"anyOf": [node, TEXT]},
    "read-only properties": lambda node, _: {
        "properties": {"next": {"allOf": [node], "readOnly": True}}
    },
    "tags": lambda node, _: {"allOf": [node], "discriminator": {"propertyName": "kind"}},
    "composites in properties": lambda node, _: {
        "properties": {"next": {**node, "minProperties": 1}}
    },
    "composites in items": lambda node, _: {
        "type": "array",
        "items": {"allOf": [node, {"minItems": 1}]},
    },
}


@pytest.mark.parametrize("kind", LINES)
def test_two_thousand_components_in_a_line(kind: str) -> None:
    """T17: a line of components of any length composes and is shown; nothing runs out of the stack."""
    schemas, node = line(300 if kind == "tags" else 2_000, LINES[kind])
    assert composed(schemas, node)
    for dialect in ("3.0", "3.1"):
        schema = rendered(schemas, node, dialect=dialect, budget=4096)
        check(schema, dialect)
        assert len(dumps(schema)) <= 4096


@pytest.mark.parametrize("kind", LINES)
def test_a_document_with_a_long_line_loads(kind: str) -> None:
    """T17: the operation becomes a function that answers, or an error that says why; never a crash."""
    schemas, node = line(300 if kind == "tags" else 1_000, LINES[kind])
    application = load(document(node, schemas))
    for function in application:
        assert len(dumps(function.parameters)) <= 32_768
        function.validate({"body": {"next": {"next": [[]]}}})
        function.validate({"body": None})
    assert {error.code for error in application.errors} <= {"chain"}
    assert len(application.functions) + len(application.errors) == 1


#: Work that must grow with the bytes of a document, not with their square.
GROWING: dict[str, Bomb] = {
    "an enum": lambda size: ({}, {"type": "string", "enum": [f"v{i}" for i in range(size)]}),
    "a union": lambda size: ({}, {"anyOf": [{"type": "string", "minLength": i} for i in range(size)]}),
    "a union of components": lambda size: (
        {f"C{i}": pair(TEXT) for i in range(size)},
        {"oneOf": [ref(f"C{i}") for i in range(size)], "discriminator": {"propertyName": "kind"}},
    ),
    "a wide object": lambda size: ({}, {"type": "object", "properties": {f"p{i}": TEXT for i in range(size)}}),
    "children of one parent": lambda size: (
        {"P": {**pair(TEXT), "discriminator": {"propertyName": "kind"}},
         **{f"C{i}": {"allOf": [ref("P"), {"properties": {f"p{i}": TEXT}}]} for i in range(size)}},
        ref("P"),
    ),
    "patterns of names": lambda size: (
        {}, {"type": "object", "patternProperties": {f"^p{i}": TEXT for i in range(size)}, "additionalProperties": False}
    ),
    "a tuple": lambda size: ({}, {"type": "array", "prefixItems": [{"const": i} for i in range(size)], "items": False}),
    "required names": lambda size: (
        {}, {"type": "object", "properties": {f"p{i}": TEXT for i in range(size)}, "required": [f"p{i}" for i in range(size)]}
    ),
    "read-only names": lambda size: (
        {},
        {"type": "object", "properties": {f"p{i}": {"readOnly": True} for i in range(size)},
         "required": [f"p{i}" for i in range(size)]},
    ),
    "a mapping": lambda size: (
        {"P": {**pair(TEXT), "discriminator": {"propertyName": "kind",
               "mapping": {f"t{i}": f"#/components/schemas/C{i % 5}" for i in range(size)}}},
         **{f"C{i}": {"allOf": [ref("P")]} for i in range(5)}},
        ref("P"),
    ),
}  # fmt: skip


def _composing(schemas: Json, node: Json, dialect: Any) -> Callable[[], object]:
    return lambda: (composed(schemas, node), rendered(schemas, node, dialect=dialect, budget=1024))


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("kind", GROWING)
def test_work_grows_with_the_bytes(kind: str, dialect: Any) -> None:
    """T17: four times as many values, branches, properties or children are at most six times the work."""
    counts = []
    for size in (200, 800):
        schemas, node = GROWING[kind](size)
        counts.append(calls(_composing(schemas, node, dialect)))
    assert counts[1] < 6 * counts[0]


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_a_huge_enum_is_described(dialect: Any) -> None:
    """T17: an enum of 100,000 values is told of in the budget, and enforced whole."""
    values = [f"value-{index}" for index in range(100_000)]
    [function] = load(
        document({"type": "string", "enum": values}), options=Options(dialect=dialect)
    )
    body = function.parameters["properties"]["body"]
    assert body["description"].startswith('one of 100000 values: ["value-0"')
    assert len(dumps(function.parameters)) < 1_000
    assert function.validate({"body": "value-99999"})
    [problem] = function.validate({"body": "value"}).errors
    assert len(problem.expected) <= 300


#: Keywords of text, and whether a huge one leaves the other properties of its object in sight.
HUGE = {
    "title": True,
    "description": True,
    "default": True,
    "example": True,
    "pattern": True,
    "format": False,
    "const": False,
}


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("keyword", sorted(HUGE))
def test_one_huge_text_is_not_the_whole_budget(keyword: str, dialect: Any) -> None:
    """T17: a text of a megabyte in one place does not take the schema over its budget, nor what is beside it."""
    field = {"type": "string", keyword: "x" * 1_000_000}
    schema = {"type": "object", "properties": {"a": field, "b": {"type": "integer"}}}
    [function] = load(document(schema), options=Options(dialect=dialect, schema_budget=4096))
    assert len(dumps(function.parameters)) <= 4096
    if HUGE[keyword]:
        assert "b" in function.parameters["properties"]["body"]["properties"]


def test_an_edit_of_a_huge_default_is_at_its_place() -> None:
    """F9: the edit of a default that is not shown leads to the property that has it."""
    node = {"type": "object", "properties": {"a": {"type": "string", "default": "x" * 1_000}}}
    assert [edit.pointer for edit in rendering({}, node).edits] == ["/properties/a"]


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_a_wide_union_at_the_root_is_within_the_budget(dialect: Any) -> None:
    """T17: an answer of six hundred alternatives is cut like any other place."""
    schemas = {f"Alternative{index}": pair(TEXT) for index in range(600)}
    node = {"anyOf": [ref(name) for name in schemas]}
    assert len(dumps(rendered(schemas, node, dialect=dialect))) <= 32_768


def test_nesting_to_the_limit_is_shown() -> None:
    """T17: as deep as a document may nest, composing, showing and validating do not run out of the stack."""
    wraps: dict[str, Callable[[Json], Json]] = {
        "items": lambda node: {"type": "array", "items": node},
        "maps": lambda node: {"type": "object", "additionalProperties": node},
        "negations": lambda node: {"not": node},
        "nullables": lambda node: {"anyOf": [node, {"type": "null"}]},
        "parts": lambda node: {"allOf": [node, {"title": "t"}]},
        "merged items": lambda node: {"allOf": [{"items": node}, {"items": {"title": "t"}}]},
    }
    for name, wrap in wraps.items():
        node: Json = {"type": "string"}
        for _ in range(60):
            node = wrap(node)
        for dialect in ("3.0", "3.1"):
            check(rendered({}, node, dialect=dialect), dialect)
        composed({}, node)
        assert accepts(composed({}, node), None) in (True, False), name


def test_circles_of_composites_end() -> None:
    """T17: components that are composites of each other and of themselves, at every place, compose."""
    names = ["A", "B", "C", "D"]
    everything = [ref(name) for name in names]
    schemas = {
        name: {
            "allOf": [ref(other) for other in names if other != name],
            "properties": {other.lower(): {"allOf": [ref(other), ref(name)]} for other in names},
            "items": {"allOf": everything},
            "additionalProperties": {"anyOf": [{"allOf": everything}, {"type": "null"}]},
        }
        for name in names
    }

    def work() -> None:
        for name in names:
            composed(schemas, ref(name))
            for dialect in ("3.0", "3.1"):
                assert (
                    len(dumps(rendered(schemas, ref(name), dialect=dialect, budget=4096))) <= 4096
                )

    assert calls(work) < 3_000_000
