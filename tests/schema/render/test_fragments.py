"""Lifetime of fragments and expansions."""

import copy
import gc
from collections import Counter
from typing import Any

import pytest
from tests.schema.conftest import definitions, ref

from specfn.schema.render.budget import Expansion, Instance, ModelRenderer
from specfn.schema.render.fragments import Fragment

Json = dict[str, Any]

TEXT: Json = {"type": "string", "description": "d" * 200}
TREE: Json = {
    "type": "object",
    "properties": {
        "left": ref("Tree"),
        "text": TEXT,
        "more": {"properties": {"deep": ref("Tree")}},
    },
}
ROOT: Json = {
    "type": "object",
    "properties": {
        "inline": {"type": "object", "properties": {"inner": {"properties": {"a": TEXT}}}},
        "union": {"anyOf": [{"properties": {"b": TEXT}}, {"properties": {"c": ref("Tree")}}]},
        "tree": ref("Tree"),
    },
}


def alive() -> Counter[str]:
    """The number of live objects by class."""
    kinds = (Expansion, Fragment, Instance)
    return Counter(type(item).__name__ for item in gc.get_objects() if isinstance(item, kinds))


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("budget", [None, 1_500, 200])
@pytest.mark.usefixtures("frozen_heap")
def test_a_rendered_schema_leaves_nothing_behind(dialect: str, budget: int | None) -> None:
    """F8: whatever a renderer makes for one function is freed with the rendering, without the collector."""
    renderer = ModelRenderer(definitions({"Tree": TREE}), dialect=dialect, budget=budget)

    def render() -> tuple[Any, int]:
        rendering = renderer.render(copy.deepcopy(ROOT))
        return rendering.schema, len(rendering.edits)

    gc.collect()
    gc.disable()
    others = alive()  # of tests that ran before in this process
    try:
        first = render()
        before = alive()
        results = [render() for _ in range(5)]
        after = alive()
    finally:
        gc.enable()
    assert results == [first] * 5
    assert after == before
    assert after["Expansion"] == others["Expansion"]
    assert after["Instance"] == others["Instance"]


def test_an_object_in_many_places_is_rendered_once() -> None:
    """F8: aliases of aliases mean millions of schemas, and cost as much as their lines."""
    node: Json = {"type": "object", "properties": {"leaf": TEXT}}
    for _ in range(30):
        node = {"type": "object", "properties": {"left": node, "right": node}}
    renderer = ModelRenderer(definitions({}), budget=4_000)
    assert renderer.is_recursive(node) is False
    assert renderer.render(node).schema["properties"].keys() == {"left", "right"}
