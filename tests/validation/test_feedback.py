import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn._pointer import input_path
from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.drawing import tokens_of
from specfn.validation.feedback import BYTES, feedback
from specfn.validation.validate import Validator

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number", "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}},
        "seller": {
            "type": "object",
            "properties": {"id": {"type": "string", "format": "uuid"}, "mail": {"type": "string"}},
            "required": ["id", "mail"],
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}

GOLDEN = """\
The arguments are not valid: 6 places are wrong.

{
  "price": -1, // ❌ expected number & Minimum<0> | undefined
  "tags": [
    "a",
    5, // ❌ expected string
    "b"
  ],
  "seller": {
    "id": "x", // ❌ expected string & Format<"uuid">
    "mail": undefined // ❌ expected string (missing)
  },
  "colour": "red", // ❌ expected undefined. There is no such property; there is name, price, tags and seller.
  "name": undefined // ❌ expected string (missing)
}

Correct every marked place and call the function again with all of its arguments. \
If you do not know a value, ask the user. Nothing was executed."""


def problem(path: str, expected: str = "string", value: Any = 5) -> ArgumentProblem:
    return ArgumentProblem(path=path, expected=expected, value=value)


def body(text: str) -> str:
    return text.split("\n\n")[1]


def test_golden() -> None:
    """V8: what went wrong, the arguments with each fault marked in place, what to do next."""
    value = {"price": -1, "tags": ["a", 5, "b"], "seller": {"id": "x"}, "colour": "red"}
    outcome = Validator(SCHEMA).validate(value)
    assert not outcome
    assert outcome.feedback() == GOLDEN


@pytest.mark.parametrize(
    ("data", "path", "line"),
    [
        ({"a": 5}, "$input.a", '"a": 5 // ❌ expected string'),
        ({}, "$input.a", '"a": undefined // ❌ expected string (missing)'),
        ([1, 2], "$input[1]", "2 // ❌ expected string"),
        ({"a-b": None}, '$input["a-b"]', '"a-b": null // ❌ expected string'),
        ({"a": {"b": True}}, "$input.a.b", '"b": true // ❌ expected string'),
        ({"a": {"b": 1}}, "$input.a", '"a": { // ❌ expected string'),
        ({"a": {}}, "$input.a", '"a": {} // ❌ expected string'),
        ({"a": []}, "$input.a", '"a": [] // ❌ expected string'),
        (5, "$input", "5 // ❌ expected string"),
        ({"a": 1.5}, "$input.a", '"a": 1.5 // ❌ expected string'),
        ({"a": float("nan")}, "$input.a", '"a": NaN // ❌ expected string'),
        ({"a": -float("inf")}, "$input.a", '"a": -Infinity // ❌ expected string'),
        ({"a": {1, 2}}, "$input.a", '"a": <set> // ❌ expected string'),
        ({"a": b"x"}, "$input.a", '"a": <bytes> // ❌ expected string'),
        ({"a": 10**5000}, "$input.a", '"a": <integer of about 5,000 digits> // ❌ expected string'),
        ({"a": 10**100}, "$input.a", '"a": <integer of 101 digits> // ❌ expected string'),
        (
            {"a": "x\n// ❌\x1b[0m\u202e"},
            "$input.a",
            r'"a": "x\n// ❌\u001b[0m\u202e" // ❌ expected string',
        ),
        ({"a": "\ud800"}, "$input.a", r'"a": "\ud800" // ❌ expected string'),
        ({"a": "\U000e0041"}, "$input.a", r'"a": "\udb40\udc41" // ❌ expected string'),
    ],
)
def test_lines(data: Any, path: str, line: str) -> None:
    """A faulty place is one line with its comment, whatever stands there."""
    wanted = ABSENT if "undefined" in line else 5
    text = feedback(data, [problem(path, value=wanted)])
    assert line in [drawn.strip() for drawn in text.splitlines()]


def test_long_values_are_shortened() -> None:
    """A long string shows its beginning and its length."""
    text = feedback({"a": "x" * 5_000}, [problem("$input.a")])
    assert '"a": "' + "x" * 200 + '... (5,000 characters)" // ❌' in text


def test_what_has_no_line_is_listed() -> None:
    """Problems at places that the arguments do not have are listed below."""
    text = feedback({"a": 5}, [problem("$input.a"), problem("$input.b.c"), problem("elsewhere")])
    assert '"a": 5 // ❌ expected string' in text
    assert (
        "Also wrong:\n- $input.b.c: ❌ expected string\n- elsewhere: ❌ expected string\n" in text
    )


def test_at_most_twenty() -> None:
    """Of very many problems the first twenty are told, and how many there are."""
    text = feedback([5] * 500, [problem(f"$input[{index}]") for index in range(500)])
    assert text.startswith(
        "The arguments are not valid: 500 places are wrong (the first 20 are shown)."
    )
    assert body(text).count("❌") == 20


def test_one_place() -> None:
    """One place is one place."""
    assert feedback(5, [problem("$input")]).startswith(
        "The arguments are not valid: one place is wrong."
    )


def test_large_arguments_show_the_faulty_lines() -> None:
    """Where everything would be too much, what is not faulty is left out, in steps."""
    rows = [{"name": f"row {index}", "note": "x" * 50} for index in range(1_000)]
    text = feedback({"rows": rows, "z": 1}, [problem("$input.rows[500].name"), problem("$input.z")])
    assert len(text.encode()) < 8_192
    assert "[500]: {" in text
    assert '"name": "row 500" // ❌ expected string' in text
    assert "// ... 999 more" in text
    assert '"z": 1 // ❌ expected string' in text


def test_hopeless_arguments_are_listed() -> None:
    """Where even the faulty lines are too much, the problems are a list."""
    value: Any = 5
    for _ in range(60):
        value = {"k" * 200: value}
    path = input_path(["k" * 200] * 60)
    text = feedback(value, [problem(path, value=5)])
    assert len(text.encode()) < 8_192
    assert "\n- $input.kkk" in text
    assert "...: ❌ expected string\n" in text


@pytest.mark.parametrize("size", [1, 7, 20, 21, 300])
def test_never_too_long(size: int) -> None:
    """The whole text stays under 8 KB, whatever the texts in it."""
    problems = [
        ArgumentProblem(
            path=f"$input.p{index}.{'q' * 300}",
            expected="é" * 300,
            value=5,
            description="ü" * 2_000,
        )
        for index in range(size)
    ]
    data = {f"p{index}": {"q" * 300: "ö" * 3_000} for index in range(size)}
    text = feedback(data, problems)
    assert len(text.encode()) < 8_192
    assert len(text.encode()) <= BYTES + 200
    assert text.endswith("Nothing was executed.")


def test_texts_of_the_document_stay_on_their_line() -> None:
    """Nothing from a document breaks out of its comment or hides in it."""
    evil = ArgumentProblem(
        path="$input.a", expected='"x\n}\u2028"', value=5, description="\x1b[2J\u202e!"
    )
    text = feedback({"a": 5}, [evil])
    assert '"a": 5 // ❌ expected "x\\u000a}\\u2028". \\u001b[2J\\u202e!' in text


def test_endless_arguments() -> None:
    """Cycles and depth do not matter to the drawing."""
    knot: list[Any] = []
    knot.append(knot)
    knot.append(5)
    assert "[ ... ]" in feedback(knot, [problem("$input[1]")])
    deep: Any = 5
    for _ in range(100_000):
        deep = [deep]
    assert "expected string" in feedback(deep, [problem("$input")])
    assert "expected string" in feedback(deep, [problem("$input" + "[0]" * 5_000)])


tokens = st.lists(st.text(max_size=5) | st.integers(0, 99), max_size=5)


@given(tokens)
def test_paths_are_read_as_they_are_written(some: list[str | int]) -> None:
    """Every path that a problem can have is read back."""
    assert tokens_of(input_path(some)) == tuple(some)


@pytest.mark.parametrize(
    "path", ["", "input", "$input.", "$input[", "$input[x]", '$input["\\x"]', "$input a"]
)
def test_what_is_no_path(path: str) -> None:
    """Anything else is not a path."""
    assert tokens_of(path) is None


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(json_values)
def test_the_drawing_is_the_value(value: Any) -> None:
    """Without its comment the drawing is the JSON of the value."""
    text = feedback(value, [problem("$input")])
    drawn = re.sub(r" // ❌ expected string$", "", body(text), count=1, flags=re.MULTILINE)
    assert json.loads(drawn) == value


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    members = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for token, item in members:
        found.extend(places(item, (*path, token)))
    return found


@given(json_values, st.data())
def test_every_failing_place_appears(value: Any, data: st.DataObject) -> None:
    """Each of up to twenty failing places is marked, on the line of its value."""
    chosen = data.draw(
        st.lists(st.sampled_from(places(value)), min_size=1, max_size=20, unique=True)
    )
    problems = [
        problem(input_path(path), expected=f"T{index}") for index, path in enumerate(chosen)
    ]
    text = body(feedback(value, problems))
    assert text.count("❌") == len(chosen)
    assert all(
        re.search(rf"// ❌ expected T{index}$", text, re.MULTILINE) for index in range(len(chosen))
    )
