import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.conftest import accepts, document

from specfn import Options, load
from specfn.document.normalize import normalize

Json = dict[str, Any]


def upgraded(schema: Json) -> Any:
    """A schema as the normalized document has it."""
    return normalize(document({}, {"X": schema})).document["components"]["schemas"]["X"]


#: A schema, and what of it is other in the normalized document.
MEANT: list[tuple[Json, Json]] = [
    ({"type": "string", "enum": [1, 2]}, {"enum": ["1", "2"]}),
    ({"type": "string", "enum": [True, 1.5, 1e30]}, {"enum": ["true", "1.5", "1e+30"]}),
    ({"type": ["string", "null"], "enum": [1, None]}, {"enum": ["1", None]}),
    ({"type": "string", "nullable": True, "enum": [1]}, {"type": ["string", "null"], "enum": ["1", None]}),
    ({"type": "string", "const": 1}, {"const": "1"}),
    ({"type": "string", "enum": [1, 3], "default": 1, "example": 3}, {"enum": ["1", "3"], "default": "1", "examples": ["3"]}),
    ({"type": "string", "enum": [1, 3], "default": 2}, {"enum": ["1", "3"]}),
    ({"type": "integer", "enum": ["1", "-2", "3.0", "1"]}, {"enum": [1, -2, 3]}),
    ({"type": "integer", "enum": ["1", "x", "01", "+1", "1.5", " 2"]}, {"enum": [1, "x", "01", "+1", "1.5", " 2"]}),
    ({"type": "integer", "const": "12"}, {"const": 12}),
    ({"type": "number", "enum": ["1.5", "1e2"]}, {"enum": [1.5, 100.0]}),
    ({"type": "boolean", "enum": ["true", "false"]}, {"enum": [True, False]}),
    ({"type": ["integer", "string"], "enum": [True]}, {"enum": ["true"]}),
    ({"type": "array", "enum": ["a", "b"]}, {"items": {"enum": ["a", "b"]}}),
    ({"type": "array", "items": {"type": "string"}, "enum": ["a", None]}, {"items": {"type": "string", "enum": ["a"]}}),
    ({"type": "array", "items": {"type": "integer"}, "enum": ["1"]},
     {"items": {"type": "integer", "enum": [1], "x-specfn-declared": {"enum": ["1"]}}}),
    ({"type": "array", "items": {"$ref": "#/components/schemas/X"}, "enum": ["a"]},
     {"items": {"allOf": [{"$ref": "#/components/schemas/X"}, {"enum": ["a"]}]}}),
]  # fmt: skip

#: Schemas that stay as they are: some constant has the type, or nothing tells what they mean.
KEPT: list[Json] = [
    {"type": "string", "enum": ["a", 1]},
    {"type": "string", "enum": ["1", 1, None]},
    {"type": "string", "enum": [None]},
    {"type": "string", "const": {"a": 1}},
    {"type": "string", "enum": [[1]]},
    {"type": "integer", "enum": [1, "2"]},
    {"type": "integer", "enum": [1.0, "2"]},
    {"type": "integer", "enum": ["x", "1.5", "1e400"]},
    {"type": "integer", "const": True},
    {"type": "number", "enum": [1, "2"]},
    {"type": "number", "const": "NaN"},
    {"type": "boolean", "enum": ["yes", 1]},
    {"type": ["integer", "string"], "enum": ["1"]},
    {"type": "array", "enum": [["a"], "b"]},
    {"type": "array", "prefixItems": [{}], "enum": ["a"]},
    {"type": "array", "items": False, "enum": ["a"]},
    {"type": "array", "const": "a"},
    {"type": "object", "enum": ["a"]},
    {"enum": [1, "a", None]},
    {"type": "null", "enum": ["a"]},
]


@pytest.mark.parametrize(("schema", "other"), MEANT, ids=repr)
def test_constants_mean_what_their_text_says(schema: Json, other: Json) -> None:
    """N7: constants of which none has the declared type mean their text, the values they write, or an array's items."""
    found = upgraded(schema)
    assert found.pop("x-specfn-declared").keys() <= {"const", "enum"}
    assert {key: value for key, value in found.items() if schema.get(key, ...) != value} == other
    assert upgraded(upgraded(schema)) == upgraded(schema)


@pytest.mark.parametrize("schema", KEPT, ids=repr)
def test_other_constants_stay(schema: Json) -> None:
    """N7: where one constant has the declared type, or none can be read as it, all stay as they are."""
    assert upgraded(schema) == schema


@pytest.mark.parametrize(
    "declared", [1, {}, {"enum": 1}, {"other": [1]}, {"enum": [1], "x": []}, []]
)
def test_a_document_cannot_say_it_was_normalized_otherwise(declared: Any) -> None:
    """N8: what normalizing keeps of the old constants has one shape; anything else of that name goes."""
    assert upgraded({"x-specfn-declared": declared, "type": "string"}) == {"type": "string"}


scalars = st.one_of(
    st.integers(-3, 20),
    st.sampled_from([0.5, 1.0, 1e22, True, False]),
    st.sampled_from(["", "a", "1", "2.0", "2.5", "true", "01", "1e1", "-0", "0x1", "½", "null"]),
)


@given(
    st.sampled_from(["string", "integer", "number", "boolean"]),
    st.lists(scalars, min_size=1, max_size=4),
    st.booleans(),
)
def test_the_accepted_values_are_those_the_document_means(
    kind: str,
    values: list[Any],
    is_const: bool,  # noqa: FBT001
) -> None:
    """N7: a member of the declared type stands for all; without any, the texts or what texts write are accepted."""
    judge = jsonschema_rs.Draft202012Validator({"type": kind})
    values = values[:1] if is_const else values
    if any(map(judge.is_valid, values)):
        meant = [value for value in values if judge.is_valid(value)]
    elif kind == "string":
        meant = [json.dumps(value) for value in values]
    else:
        meant = [value for text in values for value in _written(text) if judge.is_valid(value)]
    expected = jsonschema_rs.Draft202012Validator({"type": kind, "enum": meant})
    schema = {"type": kind, "const": values[0]} if is_const else {"type": kind, "enum": values}
    pool = [
        *values,
        *meant,
        *map(json.dumps, values),
        *(value for text in values for value in _written(text)),
    ]
    for found in (upgraded(schema), upgraded(upgraded(schema))):
        for value in pool:
            assert accepts(found, value) == expected.is_valid(value)


def _written(text: Any) -> list[Any]:
    """The value that a text writes as JSON, if it does."""
    try:
        return [json.loads(text)] if isinstance(text, str) else []
    except ValueError:
        return []


ZOOM = {"type": "object", "properties": {"kind": {"type": "string", "enum": [1, 3], "default": 1}}}


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
def test_a_function_shows_and_accepts_what_is_meant_with_a_note(dialect: Any) -> None:
    """N7: the texts are shown, accepted and noted at their place; the numbers are refused."""
    spec = document({"$ref": "#/components/schemas/Call"}, {"Call": ZOOM})
    function = load(spec, options=Options(dialect=dialect)).functions[0]
    assert function.validate({"body": {"kind": "3"}})
    assert not function.validate({"body": {"kind": 3}})
    assert function.check({"body": {"kind": 3}}).data == {"body": {"kind": "3"}}
    assert b'"enum":["1","3"]' in function.schemas.as_json[0]
    assert b'"default":"1"' in function.schemas.as_json[0]
    [note] = function.notes
    assert note.pointer == "/components/schemas/Call/properties/kind"
    assert '[1, 3] is not of the declared type: read as ["1", "3"]' in note.text
    assert {edit.kind for edit in function.edits} == {"enum"}


def test_a_note_of_an_inline_schema_names_its_operation() -> None:
    """N7: a schema without a name is noted at its operation, with its place in the arguments."""
    [note] = load(document(ZOOM)).functions[0].notes
    assert note.pointer == "/paths/~1x/post"
    assert note.text.startswith("at /properties/body/properties/kind: the enum [1, 3]")


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize(
    ("schema", "shown", "dropped"),
    [
        ({"type": "string", "enum": ["Group", 61]}, ["Group"], "61"),
        ({"type": "integer", "enum": [1, "2", "x"]}, [1], '"2", "x"'),
        ({"type": "string", "enum": ["a", None]}, ["a"], "null"),
        ({"allOf": [{"type": "string"}, {"enum": ["a", 1, True]}]}, ["a"], "1, true"),
    ],
)
def test_members_that_nothing_matches_are_left_out_with_an_edit(
    dialect: Any, schema: Json, shown: list[Any], dropped: str
) -> None:
    """F8: a model reads only the members of the declared type, and an edit names the others."""
    function = load(document(schema), options=Options(dialect=dialect)).functions[0]
    assert function.parameters["properties"]["body"]["enum"] == shown
    edit = next(edit for edit in function.edits if edit.pointer == "/parameters/properties/body")
    assert (edit.kind, edit.reason) == (
        "enum",
        f"not of the declared type, and left out: {dropped}",
    )
    assert function.notes == ()
    assert function.validate({"body": shown[0]})
    assert not function.validate({"body": None})


@pytest.mark.parametrize("dialect", ["3.0", "3.1"])
@pytest.mark.parametrize("constants", [{"enum": [[1]]}, {"const": {}}], ids=repr)
def test_constants_that_the_type_refuses_leave_nothing(dialect: Any, constants: Json) -> None:
    """F10: where no constant is of the type, nothing is valid, an edit says so, and no constant is shown."""
    function = load(
        document({"type": "string", **constants}), options=Options(dialect=dialect)
    ).functions[0]
    assert function.parameters["properties"]["body"] == {"type": "string", "not": {}}
    kinds = [edit.kind for edit in function.edits if edit.pointer.startswith("/parameters")]
    assert kinds[0] == "contradiction"
    [problem] = function.validate({"body": "a"}).errors
    assert problem.expected == "never"
