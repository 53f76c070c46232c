from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family
from specfn.schema.dialect import DIALECTS
from specfn.schema.render.fragments import ENDLESS, Fragments

SCHEMAS: dict[str, Any] = {"Leaf": {"type": "string", "enum": ["a", "b"]}, "Node": {}}
SCHEMAS["Node"] = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}

VALUES = st.sampled_from(
    [
        {"type": "integer", "minimum": 1, "description": "Of some length."},
        {"type": "string", "enum": [f"value {number}" for number in range(60)]},
        {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        {"type": "object", "properties": {"x": {"type": "number"}}},
        {"$ref": "#/components/schemas/Leaf"},
        {"$ref": "#/components/schemas/Node"},
        True,
        {},
    ]
)


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """An object of a few properties, some of them required."""
    properties = draw(st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=20))
    required = draw(st.lists(st.sampled_from([*properties, "other"]), unique=True))
    return {"type": "object", "properties": properties, "required": required}


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@given(node=objects(), room=st.integers(0, 2000))
def test_only_what_cannot_fit_is_passed_over(node: dict[str, Any], room: int, dialect: str) -> None:
    """F9: whatever the room, every rendering that fits is tried, and the least of all, too."""
    definitions = Definitions(SCHEMAS, "request", Family(SCHEMAS))
    fragment = Fragments(definitions, DIALECTS[dialect], constraint=True).fragment("Wide", node)
    every, tried = [*fragment.smaller_forms(ENDLESS)], [*fragment.smaller_forms(room)]
    assert every[-1:] == tried[-1:]
    assert [form for form in tried if form.size <= room] == [
        form for form in every if form.size <= room
    ]
