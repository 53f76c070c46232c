from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import calls
from tests.schema.conftest import definitions, ref

from specfn._json import dumps
from specfn.schema.inheritance import Inheritance
from specfn.schema.polymorphism import Family

Json = dict[str, Any]


def lines(link: Callable[[Json, Json], Json]) -> Callable[[int], Json]:
    """Components of which each inherits from the one before, and says one thing more of the same property."""

    def line(count: int) -> Json:
        schemas: Json = {"C0": {"type": "object", "properties": {"p": {"type": "string"}}}}
        for i in range(1, count):
            own = {"required": ["p"], "description": f"the {i}th", "minProperties": i}
            schemas[f"C{i}"] = link(ref(f"C{i - 1}"), own)
        return schemas

    return line


def tree(count: int) -> Json:
    """Components of which each inherits from one, and fifty from each."""
    schemas: Json = {"C0": {"type": "object", "properties": {"p": {"type": "string"}}}}
    for i in range(1, count):
        schemas[f"C{i}"] = {"allOf": [ref(f"C{(i - 1) // 50}"), {"minProperties": i}]}
    return schemas


SHAPES = {
    "the parent first": lines(lambda parent, own: {"allOf": [parent, own]}),
    "the parent last": lines(lambda parent, own: {"allOf": [{"required": own["required"]}, parent]}),
    "beside the reference": lines(lambda parent, own: {**parent, **own}),
    "nested parts": lines(lambda parent, own: {"allOf": [{"allOf": [parent]}, own]}),
    "a parent with a tag": lambda count: {
        **SHAPES["the parent first"](count),
        "C0": {
            "type": "object",
            "properties": {"p": {"type": "string"}},
            "discriminator": {"propertyName": "p"},
        },
    },
    "a wide tree": tree,
}  # fmt: skip


def work(shape: str, size: int, *, backwards: bool) -> int:
    """The calls that composing all components takes."""
    found = definitions(SHAPES[shape](size))
    names = [f"C{i}" for i in range(size)]
    return calls(lambda: [found[name] for name in (names[::-1] if backwards else names)])


@pytest.mark.parametrize("backwards", [False, True], ids=["from the root", "to the root"])
@pytest.mark.parametrize("shape", SHAPES)
def test_deep_inheritance_is_work_in_proportion_to_it(shape: str, backwards: bool) -> None:  # noqa: FBT001
    """T17: twice as many generations, each of which is used, are about twice as much work, in either order."""
    counts = [work(shape, size, backwards=backwards) for size in (150, 300)]
    assert counts[1] < 2.5 * counts[0]


@pytest.mark.parametrize("shape", ["the parent first", "a wide tree"])
def test_two_thousand_generations_compose(shape: str) -> None:
    """T17: 2,000 components that inherit from each other cost some hundred calls each."""
    assert work(shape, 2_000, backwards=True) < 2_000 * 900


KIN = [f"C{i}" for i in range(7)]
own = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", ["object", "null"]]),
        "properties": st.dictionaries(
            st.sampled_from("abcd"),
            st.sampled_from([{"type": "string"}, {"minLength": 1}, {"readOnly": True}, False]),
            max_size=2,
        ),
        "required": st.lists(st.sampled_from("abcd"), min_size=1, max_size=2, unique=True),
        "description": st.sampled_from(["D", "E"]),
        "title": st.sampled_from(["T", "U"]),
        "minProperties": st.integers(0, 3),
        "pattern": st.sampled_from(["a", "b"]),
        "additionalProperties": st.sampled_from([True, False, {"type": "integer"}]),
        "unevaluatedProperties": st.just(False),
        "discriminator": st.just({"propertyName": "a"}),
    },
)


@st.composite
def families(draw: st.DrawFn) -> Json:
    """Components that inherit from those before them, seldom from any; and say something of their own."""
    schemas: Json = {}
    for index, name in enumerate(KIN):
        near = KIN[max(0, index - 2) : index] or KIN[-1:]
        kin = st.sampled_from(near) if draw(st.integers(0, 9)) else st.sampled_from(KIN)
        links = kin.map(ref)
        parts = st.lists(st.one_of(links, links, own, st.booleans()), min_size=1, max_size=3)
        schema = draw(own)
        if draw(st.integers(0, 5)):
            schema["allOf"] = draw(parts)
        else:
            schema |= draw(links)
        if not draw(st.integers(0, 5)):
            schema["oneOf"] = draw(st.lists(st.sampled_from(KIN).map(ref), min_size=1, max_size=3))
        schemas[name] = schema
    return schemas


@settings(deadline=None, max_examples=settings.default.max_examples * 6 // 10)
@given(families(), st.lists(st.sampled_from([*KIN, None]), min_size=2, max_size=8))
def test_what_is_kept_changes_nothing(schemas: Json, owners: list[str | None]) -> None:
    """F10: a composite is byte for byte the same whether what its ancestors come to was kept or not."""

    def made(apart: int) -> list[bytes]:
        uses = definitions(schemas)
        inherits = Inheritance(
            schemas, Family(schemas), uses, lambda left, right: {"allOf": [left, right]}, apart
        )
        node = {"allOf": [ref(KIN[-1]), {"minLength": 1}, ref(KIN[-3])]}
        nodes = [(node if name is None else schemas[name], name) for name in owners]
        return [dumps(inherits.merged(*each)) for each in nodes]

    assert made(apart=1) == made(apart=1_000)
