import base64
import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Function, load
from specfn.function import arguments as checking

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "text": {"type": "string", "minLength": 2},
        "items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "file": {"type": "string", "format": "binary"},
    },
    "required": ["n"],
    "additionalProperties": False,
}  # fmt: skip


def function(media_type: str) -> Function:
    content = {media_type: {"schema": SCHEMA}}
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": "x"}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation}},
    }
    [made] = load(document).functions
    return made


USED = {name: function(name) for name in ("application/json", "multipart/form-data")}
scalars = st.sampled_from([1, "1", "x", "xy", None, True, 1.5, b"xy", "[1]", '{"n": "1"}'])
files = st.sampled_from([{"base64": base64.b64encode(b"x").decode()}, "eHk=", b"x", io.BytesIO()])
bodies = st.fixed_dictionaries(
    {},
    optional={
        "n": scalars,
        "text": scalars,
        "items": st.lists(st.fixed_dictionaries({"n": scalars}), max_size=2) | scalars,
        "file": files | scalars,
        "other": scalars,
    },
)


@settings(deadline=None, max_examples=examples(100))
@given(st.sampled_from(sorted(USED)), bodies | scalars, st.booleans())
def test_one_diagnosis_gives_the_same_outcome(name: str, body: Any, keep: bool) -> None:  # noqa: FBT001
    """The outcome after one shared diagnosis is that of validation and coercion apart, also with files."""
    used = USED[name]
    used.validate({})
    arguments = {"body": body}
    shared = checking.coerce_arguments(used, arguments, keep_parsed=keep)
    first = checking.coerce_arguments(function(name), arguments, keep_parsed=keep)
    assert shared == first
    assert bool(shared) is bool(used.validate(shared.data))
    if used.validate(arguments):
        assert shared.data is arguments
    if isinstance(body, dict) and _is_json(body):
        assert used.check(json.dumps(arguments)) == function(name).check(json.dumps(arguments))


def _is_json(body: Any) -> bool:
    try:
        json.dumps(body)
    except TypeError:
        return False
    return True
