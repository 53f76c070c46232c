"""Equality and types of JSON values."""

from typing import Any

import jsonschema_rs
from hypothesis import example, given
from hypothesis import strategies as st

from specfn._internal.json import TYPES, identity, is_equal

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([-0.0, 0.5, 1.0, 2.0]),
    st.sampled_from(["", "0", "1", "true"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(VALUES, VALUES)
@example([True], [1])
@example({"a": 1}, {"a": 1.0})
def test_equality_is_that_of_const(left: Any, right: Any) -> None:
    """V4: two values are equal if one is valid against ``const`` of the other; equal values share one key."""
    equal = jsonschema_rs.Draft202012Validator({"const": left}).is_valid(right)
    assert is_equal(left, right) is equal
    assert (identity(left) == identity(right)) is equal


@given(VALUES)
def test_each_value_has_its_declared_type(value: Any) -> None:
    """V1: a value is valid against the type of its Python class."""
    assert jsonschema_rs.Draft202012Validator({"type": TYPES[type(value)]}).is_valid(value)
