"""Outlines and parts of large schemas."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.schema.outline import UnknownPartError, outline, part_of

NAMES = st.sampled_from(["a", "b", "c.d", "items", "spec"])
LEAVES = st.sampled_from([{"type": "string"}, {"type": "integer"}, {"enum": ["x", "y"]}, {}])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda p: {"type": "object", "properties": p}
        ),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.lists(inner, min_size=1, max_size=2).map(lambda branches: {"anyOf": branches}),
    ),
    max_leaves=12,
)

VOLUME = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}
ROOT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "namespace": {"type": "string"},
        "body": {
            "type": "object",
            "properties": {
                "spec": {"$ref": "#/$defs/Spec"},
                "kind": {"enum": ["Pod", "Job"]},
                "labels.io/name": {"type": "string"},
            },
            "required": ["spec"],
        },
    },
    "required": ["namespace"],
    "$defs": {
        "Spec": {
            "type": "object",
            "properties": {
                "volumes": {"type": "array", "items": {"anyOf": [VOLUME, {"type": "null"}]}}
            },
        }
    },
}


SPEC_TYPE = "{ volumes?: Array<{ name?: string; size?: integer } | null> }"


def test_an_outline_has_the_names_and_types_of_one_level() -> None:
    """The groups of the arguments have their own members; an optional name ends with a question mark."""
    assert outline(ROOT, ROOT) == {
        "namespace": "string",
        "body?": {"spec": SPEC_TYPE, "kind?": '"Pod" | "Job"', "labels.io/name?": "string"},
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("namespace", {"type": "string"}),
        ("body.spec.volumes.size", {"type": "integer"}),
        ("body?.spec.volumes[0].size", {"type": "integer"}),
        ("body.labels.io/name", {"type": "string"}),
    ],
)
def test_a_part_is_found_through_references_items_and_branches(path: str, expected: Any) -> None:
    """Names lead through references, items and branches, also if they contain dots."""
    assert part_of(ROOT, path) == expected


def test_an_unknown_part_names_what_is_there() -> None:
    """The error says how far the path leads, and what is there."""
    with pytest.raises(UnknownPartError) as error:
        part_of(ROOT, "body.spec.volume")
    assert str(error.value) == "body.spec has no part 'volume'; there are volumes"


@given(root=SCHEMAS, path=st.lists(NAMES, max_size=5).map(".".join))
def test_any_path_leads_to_a_part_or_an_error(root: dict[str, Any], path: str) -> None:
    """Each member of an outline is a part; any other path leads to a part or to the error."""
    for name in outline(root, root):
        assert part_of(root, name) is not None
    with contextlib.suppress(UnknownPartError):
        assert isinstance(part_of(root, path), dict)


def test_circular_schemas_have_outlines() -> None:
    """A schema that contains itself has a finite outline and parts of any depth."""
    root: dict[str, Any] = {"$ref": "#/$defs/Node", "$defs": {}}
    root["$defs"]["Node"] = {
        "properties": {"next": {"$ref": "#/$defs/Node"}},
        "anyOf": [{"$ref": "#/$defs/Node"}],
    }
    assert outline(root, root) == {"next?": "{ next?: Node } & Node"}
    assert part_of(root, ".".join(["next"] * 50)) == {"$ref": "#/$defs/Node"}


def test_outlines_and_paths_are_bounded() -> None:
    """A schema with any number of members, and a path of any length, cost and write a bounded amount."""
    members = {f"member{number}": {"type": "string"} for number in range(10_000)}
    root = {"type": "object", "properties": members}
    assert len(outline(root, root)) <= 200
    with pytest.raises(UnknownPartError) as error:
        part_of(root, "a." * 100_000)
    assert len(str(error.value)) <= 300
