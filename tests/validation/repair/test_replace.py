import copy
from typing import Any

import pytest

from specfn._internal.pointer import Tokens
from specfn.records import ABSENT
from specfn.validation.repair.coerce import replace_places, value_at

VALUE: dict[str, Any] = {"a": [1, {"b": 2}], "c": {"d": {"e": 3}}, "f": None}


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({}, VALUE),
        ({(): 5}, 5),
        ({("f",): 1}, {"a": [1, {"b": 2}], "c": {"d": {"e": 3}}, "f": 1}),
        (
            {("a", 0): "x", ("a", 1, "b"): "y"},
            {"a": ["x", {"b": "y"}], "c": {"d": {"e": 3}}, "f": None},
        ),
        ({("c", "d", "e"): ABSENT}, {"a": [1, {"b": 2}], "c": {"d": {}}, "f": None}),
        ({("f",): ABSENT, ("a",): []}, {"a": [], "c": {"d": {"e": 3}}}),
    ],
)
def test_changed(changes: dict[Tokens, Any], after: Any) -> None:
    """Only the named places change; the value that was given stays as it is, and its other parts are shared."""
    before = copy.deepcopy(VALUE)
    made = replace_places(VALUE, changes)
    assert made == after
    assert before == VALUE
    if ("c", "d", "e") not in changes and () not in changes:
        assert made["c"] is VALUE["c"]


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ((), VALUE),
        (("a", 1, "b"), 2),
        (("f",), None),
        (("x",), ABSENT),
        (("a", 2), ABSENT),
        (("a", "b"), ABSENT),
        (("f", "x"), ABSENT),
        (("a", 0, 0), ABSENT),
    ],
)
def test_at(place: Tokens, found: Any) -> None:
    """The value at a place is returned, or ``ABSENT`` if the place does not exist."""
    assert value_at(VALUE, place) is found or value_at(VALUE, place) == found
