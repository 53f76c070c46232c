from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator
from tests.effort import calls
from tests.schema.conftest import accepts, composed, definitions, ref

from specfn.schema.compose.inheritance import Inheritance
from specfn.schema.compose.polymorphism import Family

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
def test_one_thousand_generations_compose(shape: str) -> None:
    """T17: 1,000 components that inherit from each other cost at most 3,000 calls each."""
    assert work(shape, 1_000, backwards=True) < 1_000 * 3_000


@pytest.mark.parametrize(
    "shape", ["the parent first", "the parent last", "beside the reference", "nested parts"]
)
@pytest.mark.parametrize("size", [2, 16, 17, 18, 200])
def test_every_ancestor_counts_at_any_distance(shape: str, size: int) -> None:
    """F10: a value must satisfy the schema of the first ancestor, even beyond the limit of generations."""
    schemas = SHAPES[shape](size)
    schemas["C0"]["required"] = ["first"]
    schema = composed(schemas, ref(f"C{size - 1}"))
    value = {f"x{i}": 1 for i in range(size)} | {"p": "text", "first": 1}
    assert accepts(schema, value)
    assert not accepts(schema, {**value, "p": 1})
    assert not accepts(schema, {key: item for key, item in value.items() if key != "first"})


#: Ancestors to which a reference means their children, or which offer alternatives.
FAMILIES: dict[str, Callable[[Json, int], Json]] = {
    "each with a discriminator": lambda own, _: {**own, "discriminator": {"propertyName": "p"}},
    "each with another discriminator": lambda own, i: {**own, "discriminator": {"propertyName": f"x{i}"}},
    "each with a union": lambda own, i: {**own, "anyOf": [{"required": [f"x{i}"]}, {"required": ["any"]}]},
    "each with a union of components": lambda own, _: {**own, "oneOf": [ref("Some"), ref("Other")]},
    "each with a union and a discriminator": lambda own, _: {
        **own, "oneOf": [ref("Some"), ref("Other")], "discriminator": {"propertyName": "p"}
    },
}  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [2, 16, 17, 18, 40])
def test_the_limit_of_generations_keeps_what_families_mean(family: str, size: int) -> None:
    """F10: a composite of a family means the same whether its ancestors are merged or remain references."""
    schemas: Json = {
        "C0": {"type": "object", "properties": {"p": {"type": "string"}}, "required": ["first"]},
        "Some": {"type": "object", "required": ["some"]},
        "Other": {"type": "object", "required": ["other"]},
    }
    for i in range(1, size):
        own = {"allOf": [ref(f"C{i - 1}"), {"required": [f"x{i}"]}]}
        schemas[f"C{i}"] = FAMILIES[family](own, i)
    value = {f"x{i}": 1 for i in range(size)} | {"p": f"C{size - 1}", "first": 1, "some": 1}
    values = [value, {**value, "p": "Some"}, {**value, "p": 1}, {**value, "other": 1}, {}]
    values += [
        {key: item for key, item in value.items() if key != name}
        for name in ("first", "x1", "some", f"x{size - 1}")
    ]

    def verdicts(generations: int) -> list[bool]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Inheritance.__init__, "__defaults__", (generations,))
            schema = composed(schemas, ref(f"C{size - 1}"))
        return [accepts(schema, item) for item in values]

    assert verdicts(16) == verdicts(1) == verdicts(1_000)
    assert any(verdicts(16)[:2])
    assert not verdicts(16)[2]


@settings(deadline=None)
@given(st.integers(1, 6), st.lists(st.integers(0, 6), max_size=7))
def test_the_limit_of_generations_changes_no_verdict(limit: int, missing: list[int]) -> None:
    """F10: a composite accepts the same values with and without the limit of generations."""
    schemas: Json = {"C0": {"type": "object", "required": ["p0"]}}
    for i in range(1, 7):
        schemas[f"C{i}"] = {"allOf": [ref(f"C{i - 1}"), {"required": [f"p{i}"]}]}
    value = {f"p{i}": i for i in range(7) if i not in missing}

    def verdict(generations: int) -> bool:
        uses = definitions(schemas)
        composition = Inheritance(schemas, Family(schemas), uses, _both, generations)
        schema = {**composition.merge(schemas["C6"], "C6"), "components": {"schemas": schemas}}
        return Draft202012Validator(schema).is_valid(value)

    assert verdict(limit) == verdict(1_000) == (not missing)


def _both(left: Any, right: Any) -> Json:
    return {"allOf": [left, right]}
