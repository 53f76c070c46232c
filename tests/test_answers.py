"""Paths of fields, and the projection of data to them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Result
from specfn.answers import Drop, FieldNames, Keep, field_names, field_path, filter_data
from specfn.errors import UsageError

NAMES = st.sampled_from(["a", "b", "c", "a.b", "*", 'x"y', "error"])
SCALARS = st.none() | st.integers() | st.text(max_size=3)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
PATHS = st.lists(
    st.lists(NAMES.filter(lambda name: name != "*") | st.none(), min_size=1, max_size=4).map(tuple),
    min_size=1,
    max_size=4,
)


def places(data: Any, path: FieldNames = ()) -> set[tuple[FieldNames, str]]:
    """Return each scalar with the names that lead to it, through arrays."""
    if isinstance(data, list):
        return {place for item in data for place in places(item, path)}
    if isinstance(data, dict):
        return {place for name, item in data.items() for place in places(item, (*path, name))}
    return {(path, repr(data))}


def fits(pattern: FieldNames, path: FieldNames) -> bool:
    """Return whether a path begins with a pattern."""
    return len(pattern) <= len(path) and all(
        own in (None, name) for own, name in zip(pattern, path, strict=False)
    )


@given(DATA, PATHS)
def test_a_filter_never_invents(data: Any, paths: list[FieldNames]) -> None:
    """X12: each scalar that remains was there, under the same names."""
    assert places(filter_data(data, paths).data) <= places(data) | {((), "None")}


@given(DATA, PATHS)
def test_kept_scalars_are_those_of_the_paths(data: Any, paths: list[FieldNames]) -> None:
    """X12: a scalar remains if and only if a path contains it, or it is in a top-level error, or null."""
    left = places(filter_data(data, paths).data)
    is_object = isinstance(data, dict)
    for path, text in places(data):
        if any(fits(each, path) for each in paths) or (is_object and path[:1] == ("error",)):
            assert (path, text) in left
        elif text != "None":
            assert (path, text) not in left


@given(DATA, PATHS, st.none() | PATHS)
def test_drop_is_never_undone(
    data: Any, drop: list[FieldNames], keep: list[FieldNames] | None
) -> None:
    """X12: no scalar below a dropped path remains, whatever is asked for, and no dropped path is named."""
    found = filter_data(data, keep, drop)
    if path := [path for path, _ in places(found.data) if any(fits(each, path) for each in drop)]:
        raise AssertionError(path)
    named = [field_names(text) for text in found.dropped]
    assert not any(fits(each, path) for each in drop for path in named if path is not None)


@given(st.lists(NAMES.filter(lambda name: name != "*") | st.none(), min_size=1, max_size=5))
def test_paths_are_read_as_they_are_written(names: list[str | None]) -> None:
    """X12: the text of a path has the same names."""
    assert field_names(field_path(names)) == tuple(names)


@pytest.mark.parametrize(
    "path", ["", ".", "a.", "a..b", "a[b]", "a[0]", '["a"', "a b]", ".a", "a." * 40 + "a"]
)
def test_other_texts_are_no_paths(path: str) -> None:
    """X12: a path that cannot be read is refused when it is given."""
    assert field_names(path) is None
    for kind in (Keep, Drop):
        with pytest.raises(UsageError, match="is not a path"):
            kind(path)


def test_results_are_projected_in_python() -> None:
    """X12: ``for_model`` applies the same paths; not to a failure of the server."""
    data = {"items": [{"id": 1, "name": "a"}], "next": "x"}
    text = Result(status=200, data=data).for_model(fields=["items.id"])
    assert text == '{"status":200,"data":{"items":[{"id":1}]}}'
    assert '"name"' in Result(status=422, data=data).for_model(fields=["items.id"])
    with pytest.raises(UsageError, match="list of strings"):
        Result(status=200, data=data).for_model(fields="items.id")


def test_deep_data_is_left_out() -> None:
    """X12, T24: data of any depth is filtered without an overflow of the stack."""
    data: Any = {"x": "secret"}
    for _ in range(5_000):
        data = [data]
    found = filter_data({"a": data, "b": 1}, [("a", "x"), ("b",)]).data
    assert found["b"] == 1
    depth = 0
    inner = found["a"]
    while inner:
        (inner,), depth = inner, depth + 1
    assert depth < 1_000
