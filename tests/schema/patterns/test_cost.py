from typing import Any

import pytest

from specfn.schema.patterns.cost import measure, texts_of
from specfn.schema.patterns.ecma import read
from specfn.schema.patterns.engine import MAX_STEPS, classify, matches
from specfn.validation.compile.engine import pattern_cost
from specfn.validation.validate import Validator

BAD = "("
BACKTRACKING = "^((?!foo).)*$"
ENDLESS = "a" * (MAX_STEPS * 2)


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("^[a-z]+$", "plain"),
        ("^(a+)+$", "plain"),
        (r"^\d{4}-\d{2}$", "plain"),
        (r"^\p{L}+$", "plain"),
        (r"^(?!.*--)[a-z-]{1,63}$", "backtracking"),
        (r"(a)\1", "backtracking"),
        ("(.{0,50}){0,10}x$", "heavy"),
        ("(.{0,500}){0,20}x$", "refused"),
        (r"^\p{L}{1,20}$", "heavy"),
        (r"^\p{L}{1,255}$", "refused"),
        ("^.{0,100000}$", "refused"),
        ("((a{1,100}){1,100}){1,100}", "refused"),
        ("a{99999999999}", "refused"),
        (BAD, "refused"),
        ("[", "refused"),
        (r"[\w-.]", "plain"),
        (r"\_", "plain"),
        (r"\q", "refused"),
    ],
)
def test_judgements(pattern: str, kind: str) -> None:
    """V5: each pattern is enforced, weighed or refused by what it costs."""
    assert classify(pattern).kind == kind


@pytest.mark.parametrize(
    ("pattern", "weight"),
    [
        ("", 0),
        ("abc", 3),
        ("a{5}", 5),
        ("a{2,5}b", 6),
        ("(ab){3}", 6),
        ("((a{2}){3}){4}", 24),
        ("[a-z]{9}", 9),
        (r"[^\]{2}]x", 2),
        (r"\p{L}{2}", 100),
    ],
)
def test_weights(pattern: str, weight: int) -> None:
    """A pattern's weight is its atoms times the counts around them."""
    assert measure(read(pattern)).weight == weight


def test_texts_of_a_value() -> None:
    """Keys and strings at any depth are what patterns may be run over."""
    assert sorted(texts_of({"a": ["b", {"c": "d"}], "e": 5})) == ["a", "b", "c", "d", "e"]


def test_plain_patterns_have_no_price() -> None:
    """Ordinary patterns need no thought."""
    assert pattern_cost(["^a", BAD]) is None


def test_matching() -> None:
    """A pattern is searched for, not anchored; one that is no pattern matches nothing."""
    assert matches("b", "abc")
    assert not matches("^b", "abc")
    assert not matches(BAD, "(")


#: Schemas with a refused pattern, and values that no such schema may refuse for it.
WIDE: list[tuple[str, Any, list[Any]]] = [
    ("by itself", {"pattern": BAD}, ["x"]),
    ("negated", {"not": {"pattern": BAD}}, ["x", 5]),
    ("negated by reference", {"not": {"$ref": "#/$defs/Bad"}}, ["x"]),
    (
        "negated in a property",
        {"not": {"properties": {"a": {"$ref": "#/$defs/Bad"}}}},
        [{"a": "x"}, {}],
    ),
    ("asked", {"if": {"pattern": BAD}, "then": False, "else": False}, ["x", 5]),
    ("one of", {"oneOf": [{"type": "string"}, {"pattern": BAD}]}, ["x"]),
    (
        "one of, beside any of",
        {"oneOf": [{"type": "string"}, {"pattern": BAD}], "anyOf": [True]},
        ["x"],
    ),
    ("counted", {"contains": {"pattern": BAD}, "maxContains": 1}, [["x", "y"]]),
    ("named", {"patternProperties": {BAD: False}, "additionalProperties": False}, [{"x": 1}]),
    (
        "named beside others",
        {"patternProperties": {BAD: True, "^a": {"type": "string"}}, "additionalProperties": False},
        [{"x": 1, "a": "s"}],
    ),
    ("names", {"propertyNames": {"pattern": BAD}}, [{"x": 1}]),
    (
        "unevaluated",
        {
            "if": {"pattern": BAD},
            "then": {"properties": {"a": True}},
            "unevaluatedProperties": False,
        },
        [{"a": 1}],
    ),
]


@pytest.mark.parametrize(
    ("schema", "values"), [row[1:] for row in WIDE], ids=[row[0] for row in WIDE]
)
def test_what_is_not_enforced_never_refuses(schema: Any, values: list[Any]) -> None:
    """V5: a pattern that is refused leaves the schema in whatever place, and widens it."""
    validator = Validator({**schema, "$defs": {"Bad": {"pattern": BAD}}})
    assert [value for value in values if not validator.is_valid(value)] == []
    assert validator.unchecked == (BAD,)


def test_what_is_enforced_beside_it_still_is() -> None:
    """A refused pattern takes nothing else with it, and stays in the text."""
    schema = {
        "properties": {
            "a": {"type": "string", "pattern": BAD, "minLength": 2},
            "b": {"not": {"type": "null"}},
        }
    }
    problems = Validator(schema).problems({"a": "x", "b": None})
    assert [problem.path for problem in problems] == ["$input.a", "$input.b"]
    assert problems[0].expected == 'string & MinLength<2> & Pattern<"("> | undefined'


def test_other_patterns_of_the_same_object() -> None:
    """Of several patterns for names only the refused one goes."""
    schema = {"patternProperties": {BAD: True, "^a": {"type": "string"}}}
    assert [problem.path for problem in Validator(schema).problems({"a1": 5, "b": 5})] == [
        "$input.a1"
    ]


def test_running_out_of_steps_is_not_a_fault() -> None:
    """V5: a pattern that cannot be decided on a value is unchecked, and the rest is decided without it."""
    schema = {"properties": {"a": {"pattern": BACKTRACKING}, "b": {"type": "string"}}}
    validator = Validator(schema)
    assert not validator.is_valid({"a": "foo"})
    assert validator.unchecked == ()
    assert validator.is_valid({"a": ENDLESS})
    assert validator.unchecked == (BACKTRACKING,)
    assert [problem.path for problem in validator.problems({"a": ENDLESS, "b": 5})] == ["$input.b"]
    assert [problem.path for problem in validator.problems({"a": "foo", "b": 5})] == [
        "$input.a",
        "$input.b",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"not": {"pattern": BACKTRACKING}},
        {"anyOf": [{"pattern": BACKTRACKING}, {"type": "string"}]},
        {"oneOf": [{"pattern": BACKTRACKING}, {"type": "string"}]},
        {"if": {"pattern": BACKTRACKING}, "then": {"type": "string"}},
    ],
)
def test_running_out_of_steps_anywhere(schema: Any) -> None:
    """V5: wherever a pattern stands, running out of steps refuses nothing."""
    assert Validator(schema).is_valid(ENDLESS)


def test_costly_patterns_on_much_text() -> None:
    """V5: expensive patterns that would take too long are skipped and reported as unchecked."""
    pattern = "(.{0,50}){0,10}x$"
    validator = Validator({"items": {"type": "string", "pattern": pattern}})
    assert not validator.is_valid(["a"])
    assert validator.is_valid(["a" * 100_000])
    assert not validator.is_valid(["a" * 100_000, 5])
    assert validator.unchecked == (pattern,)
