import copy
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Failure, Success
from specfn._internal.pointer import input_tokens
from specfn.records import ABSENT
from specfn.validation.plain_json import is_plain_json
from specfn.validation.repair import coerce as module
from specfn.validation.repair.candidates import CoercionPolicy
from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Validator

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
TEXT = {"type": "string"}
PAIR = {
    "type": "object",
    "properties": {"a": INTEGER, "b": TEXT},
    "required": ["a"],
    "additionalProperties": False,
}
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"n": INTEGER, "kids": {"type": "array", "items": PAIR}},
}
TAGGED = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "cat"}, "n": INTEGER},
            "required": ["kind"],
        },
        {
            "type": "object",
            "properties": {"kind": {"const": "dog"}, "n": TEXT},
            "required": ["kind"],
        },
    ]
}

#: What is read as it was meant: the schema of the place, what stands there, what it becomes, the kinds.
READ: list[tuple[str, Any, Any, Any, list[str]]] = [
    ("digits", INTEGER, "12", 12, ["number"]),
    ("true for an enum of texts", {"type": "string", "enum": ["True", "auto"]}, True, "True", ["string"]),
    ("false for an enum of texts", {"enum": ["true", "false", None]}, False, "false", ["string"]),
    ("a sign", INTEGER, "-12", -12, ["number"]),
    ("zero", INTEGER, "0", 0, ["number"]),
    ("white space around", INTEGER, " \t12\r\n", 12, ["number"]),
    ("Python's true", BOOLEAN, "True", True, ["boolean"]),
    ("a capital FALSE with blanks", BOOLEAN, " FALSE ", False, ["boolean"]),
    ("a scalar for a list", {"type": "array", "items": TEXT}, "a", ["a"], ["array"]),
    ("white space around an enum", {"enum": ["asc"]}, " asc", "asc", ["space"]),
    ("an integer for a text or null", {"type": ["string", "null"]}, 12, "12", ["string"]),
    ("no fraction to speak of", INTEGER, "12.0", 12, ["number"]),
    ("an exponent", INTEGER, "1e3", 1000, ["number"]),
    ("the largest exact float", INTEGER, "9007199254740992.0", 2**53, ["number"]),
    ("an integer of any length", INTEGER, "9" * 50, int("9" * 50), ["number"]),
    ("beyond the floats", INTEGER, "9007199254740993", 2**53 + 1, ["number"]),
    ("a decimal", NUMBER, "0.1", 0.1, ["number"]),
    ("zero with an exponent of many digits", NUMBER, "0e99999999999999999999", 0, ["number"]),
    ("an exact integer in a string of JSON", {"type": "array", "items": INTEGER}, "[9007199254740993.0]",
     [2**53 + 1], ["json"]),
    ("a zero at the end", NUMBER, "12.50", 12.5, ["number"]),
    ("a large float", NUMBER, "1e20", 1e20, ["number"]),
    ("a number of an enum", {"enum": [1, 2, 3]}, "2", 2, ["number"]),
    ("a number within bounds", {"type": "integer", "minimum": 5}, "7", 7, ["number"]),
    ("true", BOOLEAN, "true", True, ["boolean"]),
    ("false", BOOLEAN, "false", False, ["boolean"]),
    ("null", {"type": ["integer", "null"]}, "null", None, ["null"]),
    ("null of a union", {"anyOf": [PAIR, {"type": "null"}]}, "null", None, ["null"]),
    ("an array", {"type": "array", "items": TEXT}, '["a"]', ["a"], ["json"]),
    ("an object", PAIR, ' {"a": 1}\n', {"a": 1}, ["json"]),
    ("an object in an object", TREE, {"kids": ['{"a": 1}']}, {"kids": [{"a": 1}]}, ["json"]),
    ("numbers in a string", PAIR, '{"a": "1"}', {"a": 1}, ["json", "number"]),
    ("a string in a string", TREE, json.dumps({"kids": json.dumps([{"a": "1", "b": 2}])}),
     {"kids": [{"a": 1, "b": "2"}]}, ["json", "json", "number", "string"]),
    ("the case of an enum", {"enum": ["asc", "desc"]}, "ASC", "asc", ["case"]),
    ("the case of a constant", {"const": "On"}, "on", "On", ["case"]),
    ("the case beside null", {"enum": ["a", None]}, "A", "a", ["case"]),
    ("an integer for a text", TEXT, 12, "12", ["string"]),
    ("an integer of an enum of texts", {"type": "string", "enum": ["1", "2"]}, 1, "1", ["string"]),
    ("a text of a minimal length", {"type": "string", "minLength": 2}, 12, "12", ["string"]),
    ("null for what may be left out", {"properties": {"b": TEXT}}, {"a": 1, "b": None}, {"a": 1}, ["omitted"]),
    ("what must not be given", {"properties": {"id": False, "a": TEXT}}, {"id": 5, "a": "x"}, {"a": "x"}, ["readonly"]),
    ("null for what must not be given", {"properties": {"id": False}}, {"id": None}, {}, ["readonly"]),
    ("a number of a union", {"anyOf": [INTEGER, BOOLEAN]}, "1", 1, ["number"]),
    ("a boolean of a union", {"anyOf": [INTEGER, BOOLEAN]}, "true", True, ["boolean"]),
    ("an array of a union", {"anyOf": [INTEGER, {"type": "array", "items": INTEGER}]}, "[1]", [1], ["json"]),
    ("many at once", {"type": "array", "items": INTEGER}, ["1", 2, "3"], [1, 2, 3], ["number", "number"]),
    ("a tag and what follows", TAGGED, {"kind": "CAT", "n": "5"}, {"kind": "cat", "n": 5}, ["case", "number"]),
    ("the branch that is named", TAGGED, {"kind": "dog", "n": 5}, {"kind": "dog", "n": "5"}, ["string"]),
    ("a member of a map", {"additionalProperties": INTEGER}, {"x": "1", "": "2"}, {"x": 1, "": 2}, ["number"] * 2),
    ("an item of a tuple", {"prefixItems": [INTEGER, TEXT]}, ["1", 2], [1, "2"], ["number", "string"]),
    ("a guess without a rival", {"anyOf": [PAIR, {"type": "object", "required": ["c"]}]},
     {"a": "1", "b": "x"}, {"a": 1, "b": "x"}, ["number"]),
    ("less to change than its rival", {"anyOf": [PAIR, {"type": "object", "properties": {"a": TEXT, "b": TEXT}}]},
     {"a": "1", "b": 2}, {"a": "1", "b": "2"}, ["string"]),
]  # fmt: skip

#: What is left as it is: another reading of it would say something else.
LEFT: list[tuple[str, Any, Any]] = [
    ("true for two members that equal it", {"enum": ["true", "TRUE"]}, True),
    ("true for no member that equals it", {"enum": ["yes", "1", "on"]}, True),
    ("1 for an enum of texts", {"enum": ["true", "false"]}, 1),
    ("an integer of 64 bits outside of a body", {"type": "string", "format": "int64"}, 1),
    ("leading zeros", INTEGER, "007"),
    ("a plus", INTEGER, "+5"),
    ("underscores", INTEGER, "1_000"),
    ("thousands", INTEGER, "1,000"),
    ("hexadecimals", INTEGER, "0x10"),
    ("minus zero", INTEGER, "-0"),
    ("minus zero with a fraction", NUMBER, "-0.0"),
    ("Arabic digits", INTEGER, "١٢"),
    ("full-width digits", INTEGER, "１２"),
    ("other white space", INTEGER, "\u00a012"),
    ("a fraction", INTEGER, "12.5"),
    ("a fraction that is a number", INTEGER, 12.5),
    ("a currency", NUMBER, "$12"),
    ("a per cent", NUMBER, "12%"),
    ("a unit", NUMBER, "12 kg"),
    ("no number", NUMBER, "NaN"),
    ("infinity", NUMBER, "1e400"),
    ("next to nothing", NUMBER, "1e-400"),
    ("an exponent of many digits below zero", NUMBER, "1e-99999999999999999999"),
    ("an integer that no float holds", NUMBER, "9007199254740993.0"),
    ("half a number beyond 2^53", INTEGER, "9007199254740993.5"),
    ("more digits than a float", NUMBER, "0.1000000000000000055"),
    ("an integer by a float beyond 2^53", INTEGER, "9007199254740993.0"),
    ("an integer by an exponent beyond 2^53", INTEGER, "1e20"),
    ("a huge exponent", NUMBER, "1e999999999999999999999"),
    ("half a number", NUMBER, "1e"),
    ("nothing", INTEGER, ""),
    ("white space", INTEGER, "  "),
    ("yes", BOOLEAN, "yes"),
    ("a one in a text", BOOLEAN, "1"),
    ("one", BOOLEAN, 1),
    ("zero for false", BOOLEAN, 0),
    ("true for a number", INTEGER, True),
    ("true for a text", TEXT, True),
    ("false for a text", TEXT, False),
    ("a decimal for a text", TEXT, 12.5),
    ("a whole decimal for a text", TEXT, 12.0),
    ("an integer for a pattern", {"type": "string", "pattern": "^[0-9]+$"}, 7),
    ("an integer for a format", {"type": "string", "format": "date"}, 20240101),
    ("an integer for an unknown format", {"type": "string", "format": "phone"}, 7),
    ("an integer for a text or a list", {"type": ["string", "array"]}, 7),
    ("an empty text for null", {"type": ["integer", "null"]}, ""),
    ("None", {"type": ["integer", "null"]}, "None"),
    ("null where a text may stand", {"type": ["string", "null"], "format": "date"}, "null"),
    ("null where a text of an enum may stand", {"enum": ["a", None]}, "null"),
    ("null that is required", {"properties": {"a": TEXT}, "required": ["a"]}, {"a": None}),
    ("null in an array", {"type": "array", "items": TEXT}, [None]),
    ("a list by commas", {"type": "array", "items": TEXT}, "a,b"),
    ("a text for an object", PAIR, "hello"),
    ("a key twice", PAIR, '{"a": 1, "a": 2}'),
    ("not strict JSON", PAIR, "{'a': 1}"),
    ("an unclosed object", PAIR, '{"a": 1'),
    ("an object with more after it", PAIR, '{"a": 1} x'),
    ("an object in which something stays wrong", PAIR, '{"a": "1", "b": true}'),
    ("a date in another shape", {"type": "string", "format": "date"}, "01/02/2024"),
    ("a date-time without an offset", {"type": "string", "format": "date-time"}, "2024-01-02 03:04:05"),
    ("a uuid without dashes", {"type": "string", "format": "uuid"}, "123e4567e89b42d3a456426614174000"),
    ("an epoch", {"type": "string", "format": "date-time"}, 1_700_000_000),
    ("two of an enum alike", {"enum": ["asc", "ASC"]}, "Asc"),
    ("part of an enum", {"enum": ["ascending"]}, "asc"),
    ("the case of a property", {"properties": {"petId": INTEGER}, "additionalProperties": False}, {"petid": 1}),
    ("an unknown property", PAIR, {"a": 1, "c": 2}),
    ("two readings", {"anyOf": [{"enum": ["NULL"]}, BOOLEAN, {"enum": ["TRUE"]}]}, "true"),
    ("a number out of bounds", {"type": "integer", "maximum": 5}, "7"),
    ("numbers that would be the same", {"type": "array", "items": INTEGER, "uniqueItems": True}, ["1", 1]),
    ("two branches", {"anyOf": [{"properties": {"v": INTEGER, "w": TEXT}}, {"properties": {"v": TEXT, "w": INTEGER}}]},
     {"v": "1", "w": "2"}),
    ("one of two that exclude each other",
     {"anyOf": [{"properties": {"b": False}, "required": ["a"]}, {"properties": {"a": False}, "required": ["b"]}]},
     {"a": 1, "b": 2}),
]  # fmt: skip


def placed(schema: Any) -> Validator:
    return Validator({"type": "object", "properties": {"x": schema}, "required": ["x"]})


@pytest.mark.parametrize(
    ("schema", "before", "after", "kinds"),
    [case[1:] for case in READ],
    ids=[case[0] for case in READ],
)
def test_what_is_read(schema: Any, before: Any, after: Any, kinds: list[str]) -> None:
    """V7: an invalid value with exactly one valid lossless conversion is converted, and the repair is recorded."""
    value = {"x": before}
    untouched = copy.deepcopy(value)
    outcome = coerce(value, placed(schema))
    assert isinstance(outcome, Success), outcome
    assert json.dumps(outcome.data) == json.dumps({"x": after})
    assert [repair.kind for repair in outcome.repairs] == kinds
    assert json.dumps(value) == json.dumps(untouched)
    again = coerce(outcome.data, placed(schema))
    assert again.data is outcome.data
    assert again.repairs == ()


@pytest.mark.parametrize(
    ("schema", "value"), [case[1:] for case in LEFT], ids=[case[0] for case in LEFT]
)
def test_what_is_left(schema: Any, value: Any) -> None:
    """V7: an ambiguous value, and one without a lossless conversion, stays unchanged."""
    given = {"x": value}
    outcome = coerce(given, placed(schema))
    assert isinstance(outcome, Failure), outcome
    assert outcome.data is given
    assert outcome.repairs == ()
    assert outcome.errors == placed(schema).problems(given)


def test_a_valid_value_is_never_touched() -> None:
    """V7: a string stays a string in a place that accepts it."""
    for schema in ({}, TEXT, {"type": ["string", "integer"]}, {"anyOf": [BOOLEAN, TEXT]}):
        for text in ("12", "true", "null", "[1]", '{"a": 1}', ""):
            value = {"x": text}
            outcome = coerce(value, placed(schema))
            assert outcome.data is value
            assert outcome.repairs == ()


def test_repairs_say_where_and_what() -> None:
    """V7: a repair says the place, what stood there and what stands there now."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": PAIR}, "n": TEXT}}
    outcome = coerce({"a": ['{"a": "1"}'], "n": None}, Validator(schema))
    found = [(repair.path, repair.kind, repair.before, repair.after) for repair in outcome.repairs]
    assert found == [
        ("$input.a[0]", "json", '{"a": "1"}', {"a": "1"}),
        ("$input.n", "omitted", None, ABSENT),
        ("$input.a[0].a", "number", "1", 1),
    ]


def test_the_root_may_be_a_string() -> None:
    """V7: arguments that were sent as a string are opened."""
    assert coerce('{"a": "1"}', Validator(PAIR)).data == {"a": 1}


def test_what_is_plain_is_read_although_something_else_is_wrong() -> None:
    """V7: each place is judged by itself; what stays wrong is told, and only that."""
    outcome = coerce({"a": "1", "b": True}, Validator(PAIR))
    assert isinstance(outcome, Failure)
    assert outcome.data == {"a": 1, "b": True}
    assert [problem.path for problem in outcome.errors] == ["$input.b"]
    assert [repair.path for repair in outcome.repairs] == ["$input.a"]


def test_strings_stay_open_for_the_one_who_explains() -> None:
    """V9: an object that was sent as a string is explained inside, where it cannot be repaired altogether."""
    given = {"x": '{"a": "1", "b": true}'}
    outcome = coerce(given, placed(PAIR), opens=True)
    assert isinstance(outcome, Failure)
    assert outcome.data == {"x": {"a": 1, "b": True}}
    assert [problem.path for problem in outcome.errors] == ["$input.x.b"]
    assert coerce(given, placed(PAIR)).data is given


@pytest.mark.parametrize(
    ("schema", "value", "after"),
    [
        (TEXT, "a", ["a"]),
        (TEXT, "a b", ["a b"]),
        (INTEGER, 1, [1]),
        (BOOLEAN, True, [True]),
        (PAIR, {"a": 1}, [{"a": 1}]),
        (INTEGER, "1", None),
        (TEXT, 1, None),
        ({"type": "array", "items": TEXT}, "a", None),
        (TEXT, None, None),
        (TEXT, "a, b", None),
        (TEXT, "['a', 'b']", None),
        (TEXT, "a\nb", None),
        (TEXT, "", None),
        (TEXT, "null", None),
    ],
    ids=str,
)
def test_a_value_becomes_an_array_of_one(schema: Any, value: Any, after: Any) -> None:
    """V7: a value becomes an array of one if it is an item and cannot be a list, and never of two levels."""
    outcome = coerce({"x": value}, placed({"type": "array", "items": schema}))
    assert outcome.data["x"] == (value if after is None else after)
    assert [repair.kind for repair in outcome.repairs] == ([] if after is None else ["array"])


def test_a_list_in_a_text_is_one_item_only_on_demand() -> None:
    """V7: with ``arrays``, a text with a comma is one item, too."""
    validator = placed({"type": "array", "items": TEXT})
    assert coerce({"x": "a, b"}, validator, CoercionPolicy(arrays=True)).data == {"x": ["a, b"]}


def test_an_array_of_one_is_the_last_resort() -> None:
    """V7: a text that is JSON is parsed, although it would be an item, too."""
    validator = placed({"type": "array", "items": TEXT})
    assert coerce({"x": '["a"]'}, validator, CoercionPolicy(arrays=True)).data == {"x": ["a"]}


def test_null_stays_where_it_means_something() -> None:
    """V7: below the keys that keep null, null is never left out."""
    schema = {"type": "object", "properties": {"body": PAIR, "query": PAIR}}
    value = {"body": {"a": 1, "b": None}, "query": {"a": 1, "b": None}}
    outcome = coerce(value, Validator(schema), CoercionPolicy(keeps_null="body".__eq__))
    assert outcome.data == {"body": {"a": 1, "b": None}, "query": {"a": 1}}


def test_shared_parts_are_not_copied() -> None:
    """V7: only what is on the way to a change is copied; the value that was given stays as it is."""
    value = {"a": "1", "rest": {"deep": [1, 2, 3]}}
    outcome = coerce(value, Validator({"properties": {"a": INTEGER}}))
    assert value == {"a": "1", "rest": {"deep": [1, 2, 3]}}
    assert outcome.data["rest"] is value["rest"]


def test_order_is_kept() -> None:
    """V7: a converted property keeps its position."""
    outcome = coerce({"z": 1, "a": "1", "b": 2}, Validator({"properties": {"a": INTEGER}}))
    assert list(outcome.data) == ["z", "a", "b"]


def test_thousands_of_places() -> None:
    """V7: the time grows with the places, not with their square: a few looks serve all of them."""
    looks = 0

    class Counting(Validator):
        def diagnose(self, value: Any, *, is_plain: bool = False) -> Any:
            nonlocal looks
            looks += 1
            return super().diagnose(value, is_plain=is_plain)

    value = [str(index) for index in range(5_000)]
    outcome = coerce(value, Counting({"type": "array", "items": INTEGER}))
    assert outcome.data == list(range(5_000))
    assert looks <= 4


def test_too_much_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """V7: arguments whose coercion exceeds the limit stay unchanged."""
    value = ["1", *["x"] * 50]
    validator = Validator({"type": "array", "items": INTEGER})
    assert coerce(value, validator).data[0] == 1
    monkeypatch.setattr(module, "_MAX_FAULTS", 20)
    outcome = coerce(value, validator)
    assert isinstance(outcome, Failure)
    assert outcome.data is value
    assert outcome.repairs == ()


@pytest.mark.parametrize(
    "bad",
    [float("nan"), b"1", {1, 2}, {1: 2}, "\ud800", 10**5_000],
    ids=lambda bad: type(bad).__name__,
)
def test_what_is_no_json_is_left(bad: Any) -> None:
    """V7: arguments that are not plain JSON are not repaired."""
    value = {"x": "12", "y": bad}
    outcome = coerce(value, placed(INTEGER))
    assert isinstance(outcome, Failure)
    assert outcome.data is value


def test_cycles_end() -> None:
    """V7: a cyclic value is a failure, not a loop."""
    value: dict[str, Any] = {"x": "12"}
    value["y"] = value
    outcome = coerce(value, placed(INTEGER))
    assert not outcome
    assert outcome.data is value


leaves = st.sampled_from(
    [
        INTEGER,
        NUMBER,
        BOOLEAN,
        TEXT,
        {"enum": ["a", "B", 1]},
        {"type": ["integer", "null"]},
        {"const": "On"},
        {},
        False,
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": "^a"},
        {"type": "integer", "maximum": 3},
    ]
)
names = st.sampled_from(["a", "b", "c"])
schemas = st.recursive(
    leaves,
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items})
        | st.lists(inner, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches})
        | st.lists(inner, min_size=1, max_size=2).map(lambda branches: {"oneOf": branches})
        | st.tuples(
            st.dictionaries(names, inner, max_size=3),
            st.lists(names, max_size=2, unique=True),
            st.booleans(),
        ).map(
            lambda parts: {
                "type": "object",
                "properties": parts[0],
                "required": parts[1],
                "additionalProperties": parts[2],
            }
        )
    ),
    max_leaves=6,
)
scalars = st.sampled_from(
    [
        "1",
        "12",
        "007",
        "true",
        "null",
        "ON",
        "A",
        "b",
        "",
        "[1]",
        '{"a": 1}',
        '{"a": "1", "b": "true"}',
        '["1"]',
    ]
) | st.sampled_from([None, True, False, 0, 1, 7, 1.5, "a", "B", "On", "2024-01-01"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=examples(160))
@given(schemas, values, st.booleans())
def test_laws(schema: Any, value: Any, arrays: bool) -> None:  # noqa: FBT001
    """V7: valid values are never touched; the outcome is the validator's; coercing twice is coercing once."""
    validator = Validator({"allOf": [schema]})
    policy = CoercionPolicy(arrays=arrays)
    before = json.dumps(value)
    outcome = coerce(value, validator, policy)
    assert json.dumps(value) == before
    assert bool(outcome) == validator.is_valid(outcome.data)
    if validator.is_valid(value):
        assert outcome.data is value
    if not outcome.repairs:
        assert outcome.data is value
    if isinstance(outcome, Failure):
        assert outcome.errors == validator.problems(outcome.data)
    again = coerce(outcome.data, validator, policy)
    assert again.data is outcome.data
    assert again.repairs == ()


class _Forgetful(dict[Any, Any]):
    """A memory of looks that forgets all of them."""

    def get(self, *_: Any) -> None:
        return None


@settings(deadline=None, max_examples=examples(160))
@given(schemas, values, st.sampled_from([module._MAX_FAULTS, 2, 5]), st.booleans(), st.booleans())
def test_looks_are_remembered_without_effect(
    schema: Any,
    value: Any,
    limit: int,
    arrays: bool,  # noqa: FBT001
    opens: bool,  # noqa: FBT001
) -> None:
    """The outcome and the counts of the limits are the same if each set of changes is validated again."""
    validator = Validator({"allOf": [schema]})
    policy = CoercionPolicy(arrays=arrays)
    contexts: list[Any] = []

    def context(*arguments: Any) -> Any:
        contexts.append(_CONTEXT(*arguments))
        return contexts[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MAX_FAULTS", limit)
        patch.setattr(module, "_Context", context)
        outcome = coerce(value, validator, policy, opens=opens)
        patch.setattr(module, "_Coercion", partial(module._Coercion, seen=_Forgetful()))
        assert coerce(value, validator, policy, opens=opens) == outcome
    counts = [(each.fault_count, each.compared) for each in contexts]
    assert counts[: len(counts) // 2] == counts[len(counts) // 2 :]


_CONTEXT = module._Context


@settings(deadline=None, max_examples=examples(160))
@given(schemas, values)
def test_faults_have_the_place_of_their_path(schema: Any, value: Any) -> None:
    """The place of a fault, and of each guess on its path, is read from the path of the problem."""
    for fault in Validator({"allOf": [schema]}).diagnose(value).faults:
        assert fault.place == input_tokens(fault.problem.path)
        assert all(guess.place == fault.place[: len(guess.place)] for guess in fault.guesses)


def test_one_diagnosis_of_what_cannot_be_repaired() -> None:
    """A value without a candidate is validated and explained once."""
    looks = 0

    class Counting(Validator):
        def diagnose(self, value: Any, *, is_plain: bool = False) -> Any:
            nonlocal looks
            looks += 1
            return super().diagnose(value, is_plain=is_plain)

        def validate(self, _: Any) -> Any:
            raise AssertionError

        is_valid = validate

    assert not coerce({"a": "x", "c": 1}, Counting(PAIR))
    assert looks == 1
    assert coerce({"a": 1}, Counting(PAIR))
    assert looks == 2
    assert coerce({"a": "1"}, Counting(PAIR))
    assert looks == 4


def test_each_new_container_is_guarded() -> None:
    """A string that contains arrays too deep for the engine stays a string, also beside other repairs."""
    kind: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/kind"}}
    schema = {
        "properties": {"deep": {"$ref": "#/$defs/kind"}, "n": INTEGER, "m": INTEGER},
        "$defs": {"kind": kind},
    }
    around: Any = {"deep": "[" * 63 + "]" * 63, "n": "1", "m": "x"}
    for opens in (False, True):
        assert not coerce(around, Validator(schema), opens=opens)
    for levels in range(1, 70):
        value = {"deep": "[" * levels + "]" * levels, "n": "1"}
        outcome = coerce(value, Validator(schema))
        assert bool(outcome) is (levels < 64)
        assert outcome.data["n"] == 1


@settings(deadline=None, max_examples=examples(160))
@given(schemas, values, st.booleans())
def test_only_containers_need_a_guard(schema: Any, value: Any, opens: bool) -> None:  # noqa: FBT001
    """Each value that is validated without a guard is plain JSON, and a guard of all of them changes no outcome."""

    class Guarding(Validator):
        def diagnose(self, value: Any, *, is_plain: bool = False) -> Any:
            assert is_plain_json(value) or not is_plain
            return super().diagnose(value)

    unions = {"anyOf": [{"type": "object", "properties": {"a": schema}}, schema]}
    outcome = coerce(value, Validator(unions), opens=opens)
    assert coerce(value, Guarding(unions), opens=opens) == outcome
