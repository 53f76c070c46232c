import copy
from typing import Any

import pytest

from specfn.schema.profiles.restore import restore

Json = dict[str, Any]

STRING = {"type": "string"}
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "query": {
            "type": "object",
            "properties": {"q": STRING, "page": {"type": ["integer", "null"]}, "filter[a]": STRING},
            "additionalProperties": False,
        },
        "body": {"$ref": "#/$defs/Pet"},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {
        "Pet": {
            "anyOf": [
                {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "dog"}, "lives": {"type": ["integer", "null"]}, "of": {"$ref": "#/$defs/Pet"}}, "required": ["kind"]},
                {"type": "object", "properties": {"tags": {"type": "object", "additionalProperties": STRING}}},
            ]
        }
    },
}  # fmt: skip

NULLS = [
    ({"id": 1, "query": None, "body": None}, {"id": 1}),
    ({"id": None}, {"id": None}),
    ({"id": 1, "query": {"q": None, "page": None}}, {"id": 1, "query": {"page": None}}),
    ({"body": {"kind": "cat", "lives": None}}, {"body": {"kind": "cat"}}),
    ({"body": {"kind": "dog", "lives": None, "of": None}}, {"body": {"kind": "dog", "lives": None}}),
    ({"body": {"kind": "dog", "of": {"kind": "cat", "lives": None}}}, {"body": {"kind": "dog", "of": {"kind": "cat"}}}),
    ({"body": {"tags": {"a": None}}}, {"body": {"tags": {"a": None}}}),
    ({"unknown": None}, {"unknown": None}),
    ([None], [None]),
    (None, None),
    ("text", "text"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), NULLS, ids=lambda item: str(item)[:60])
def test_null_is_taken_out_where_it_means_left_out(written: Any, meant: Any) -> None:
    """Null goes where the schema has an optional property that does not take it, and nowhere else."""
    before = copy.deepcopy(written)
    assert restore(SCHEMA, written, names={}, nulls=True) == meant
    assert written == before


#: Alternatives that no constant tells apart.
RECORDS = {
    "anyOf": [
        {"type": "object", "properties": {"data": STRING, "name": STRING}, "required": ["data"]},
        {"type": "object", "properties": {"data": STRING, "name": {"type": ["string", "null"]}, "ttl": {"type": "integer"}}},
        {"type": "object", "properties": {"data": {"type": "integer"}, "name": {"type": ["string", "null"]}}},
    ]
}  # fmt: skip

ALTERNATIVES = [
    ({"data": "x", "name": None}, {"data": "x"}),
    ({"data": None, "name": None, "ttl": 1}, {"name": None, "ttl": 1}),
    ({"data": 1, "name": None}, {"data": 1, "name": None}),
    ({"data": None, "name": "x"}, {"name": "x"}),
]


@pytest.mark.parametrize(("written", "meant"), ALTERNATIVES, ids=str)
def test_null_tells_alternatives_apart(written: Any, meant: Any) -> None:
    """An object is of the alternative that takes its types and nulls, and of which it holds all that was asked for."""
    assert restore(RECORDS, written, names={}, nulls=True) == meant


def test_names_come_back_where_they_are_declared() -> None:
    """A shown name is put back for a declared property, not for a key of a map."""
    names = {"filter_a": "filter[a]"}
    written = {"query": {"filter_a": "x"}, "body": {"tags": {"filter_a": "y"}}}
    restored = restore(SCHEMA, written, names=names, nulls=False)
    assert restored == {"query": {"filter[a]": "x"}, "body": {"tags": {"filter_a": "y"}}}


def test_nothing_to_do_is_nothing_done() -> None:
    """Arguments that need no change are the same object; without anything to undo nothing is looked at."""
    arguments = {"id": 1, "query": {"q": "x"}}
    assert restore(SCHEMA, arguments, names={}, nulls=True) is arguments
    assert restore(SCHEMA, {"id": None}, names={}, nulls=False) == {"id": None}


def test_arguments_may_be_nested_without_end() -> None:
    """Deep arguments neither exhaust the stack nor take long; validation refuses them later."""
    deep: Any = None
    for _ in range(100_000):
        deep = {"of": deep, "kind": "dog"}
    restored = restore(SCHEMA, {"body": deep}, names={}, nulls=True)
    assert set(restored) == {"body"}
    while deep is not None:  # taken apart level by level: the interpreter would do it on its stack
        deep = deep.pop("of")


def test_a_loop_of_references_ends() -> None:
    """A definition that only refers to itself is left alone."""
    schema = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}}
    assert restore(schema, {"a": {"b": None}}, names={}, nulls=True) == {"a": {"b": None}}
