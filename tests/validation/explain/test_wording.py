from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Validator

names = st.sampled_from(["a", "b", "c", "7", "x y"])
leaves = st.sampled_from(
    [
        *(True, False, {}, {"type": "integer"}, {"type": "string", "minLength": 2}),
        {"enum": [f"value{index}" for index in range(12)]},
        {"const": {"a": 1}},
        {"type": "string", "format": "date"},
        {"$ref": "#/$defs/loop"},
        {"$ref": "#/$defs/tag"},
        {"not": {"type": "string"}},
    ]
)
schemas = st.recursive(
    leaves,
    lambda inner: (
        st.builds(
            lambda properties, required, more: {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": more,
            },
            st.dictionaries(names, inner, max_size=3),
            st.lists(names, max_size=3, unique=True),
            inner,
        )
        | inner.map(lambda items: {"type": "array", "items": items})
        | st.lists(inner, min_size=1, max_size=2).map(lambda items: {"prefixItems": items})
        | st.lists(inner, min_size=1, max_size=3).map(lambda members: {"allOf": members})
        | st.lists(inner, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches})
    ),
    max_leaves=8,
)
DEFINITIONS = {
    "loop": {"properties": {"a": {"$ref": "#/$defs/loop"}, "b": {"type": "integer"}}, "required": ["b"]},
    "tag": {
        "oneOf": [
            {"type": "object", "properties": {"a": {"const": kind}, "b": {"type": "integer"}}, "required": ["a", "z"]}
            for kind in ("one", "two")
        ]
    },
}  # fmt: skip
values = st.recursive(
    st.sampled_from([None, True, 1, 2.5, "", "x", "value3", "Value4", "value99", "one", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=examples(160))
@given(schemas, st.lists(values, min_size=1, max_size=5))
def test_earlier_values_have_no_effect(schema: Any, given_values: list[Any]) -> None:
    """Problems, repairs and feedback are those of a new validator, whatever values were explained before, in any order."""
    whole = {"allOf": [schema], "$defs": DEFINITIONS} if schema is not False else False
    used = Validator(whole)
    for value in (*given_values, *reversed(given_values)):
        new = Validator(whole)
        assert used.problems(value) == new.problems(value)
        outcome = coerce(value, used)
        assert outcome == coerce(value, Validator(whole))
        if not outcome:
            assert outcome.feedback() == coerce(value, Validator(whole)).feedback()
