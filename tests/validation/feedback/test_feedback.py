import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import Failure
from specfn._internal.pointer import input_path, input_tokens
from specfn.records import ABSENT, ArgumentProblem
from specfn.validation.feedback.feedback import MAX_BYTES, feedback
from specfn.validation.parse import parse
from specfn.validation.repair.coerce import coerce
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
The arguments are invalid.

{
  "price": -1, // ❌ expected number of at least 0, optional
  "tags": [
    "a",
    5, // ❌ expected string
    // ... 2 more
  ],
  "seller": {
    "id": "x", // ❌ expected string (uuid). A uuid has 32 hexadecimal digits and 4 dashes; never invent one
    "mail": (missing) // ❌ expected string
  },
  "colour": "red", // ❌ not a property here; the properties are name, price, tags and seller. seller has id and mail
  "name": (missing) // ❌ expected string
}

Correct this and send the whole call again. Leave a property out only if the user did not ask for it; otherwise use a \
function that can do it, or tell the user that none can. If you do not know a value, ask the user. Nothing was executed."""


def problem(path: str, expected: str = "string", value: Any = 5) -> ArgumentProblem:
    return ArgumentProblem(path=path, expected=expected, value=value)


def body(text: str) -> str:
    return text.split("\n\n")[1]


def test_golden() -> None:
    """V8: the feedback has a summary, the arguments with a mark at each fault, and the next step."""
    value = {"price": -1, "tags": ["a", 5, "b", "c"], "seller": {"id": "x"}, "colour": "red"}
    outcome = Validator(SCHEMA).validate(value)
    assert not outcome
    assert outcome.feedback() == GOLDEN


@pytest.mark.parametrize(
    ("data", "path", "line"),
    [
        ({"a": 5}, "$input.a", '"a": 5 // ❌ expected string'),
        ({}, "$input.a", '"a": (missing) // ❌ expected string'),
        ([1, 2], "$input[1]", "2 // ❌ expected string"),
        ({"a-b": None}, '$input["a-b"]', '"a-b": null // ❌ expected string'),
        ({"a": {"b": True}}, "$input.a.b", '"b": true // ❌ expected string'),
        ({"a": {"b": 1}}, "$input.a", '"a": {"b": 1} // ❌ expected string'),
        ({"a": [1, {}, []]}, "$input.a", '"a": [1, {}, []] // ❌ expected string'),
        ({"a": ["x" * 70]}, "$input.a", '"a": [ ... ] // ❌ expected string'),
        ({"a": {"b": [[[]]]}}, "$input.a", '"a": { ... } // ❌ expected string'),
        ([], "$input[0]", "(missing) // ❌ expected string"),
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
    wanted = ABSENT if "(missing)" in line else 5
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
    assert text.startswith("The arguments are invalid in 500 places; the first 20 are shown.")
    assert body(text).count("❌") == 20


@pytest.mark.parametrize(
    ("rows", "members", "shown"), [(9, 3, 18), (1, 30, 20), (2, 19, 19), (30, 1, 20)]
)
def test_the_limit_does_not_end_inside_an_item(rows: int, members: int, shown: int) -> None:
    """V8: an item of an array is shown with all of its problems, or not at all, unless it is the first."""
    data = {"rows": [{f"k{name}": 5 for name in range(members)} for _ in range(rows)]}
    places = [f"$input.rows[{row}].k{name}" for row in range(rows) for name in range(members)]
    text = feedback(data, [problem(path) for path in places])
    assert f"in {rows * members} places; the first {shown} are shown." in text
    assert body(text).count("❌") == shown


def test_what_is_not_faulty_is_folded() -> None:
    """V8: runs of neighbours that nothing is said of are one line, in arguments of any size."""
    rows = [{"name": f"row {index}", "note": "x" * 50, "more": []} for index in range(1_000)]
    text = feedback({"rows": rows, "z": 1}, [problem("$input.rows[500].name"), problem("$input.z")])
    assert body(text).splitlines() == [
        "{",
        '  "rows": [',
        "    // ... 500 more",
        "    {",
        '      "name": "row 500", // ❌ expected string',
        "      // ... 2 more",
        "    },",
        "    // ... 499 more",
        "  ],",
        '  "z": 1 // ❌ expected string',
        "}",
    ]


def test_a_long_comment_is_not_repeated() -> None:
    """V8: the same long text on several lines is written once."""
    expected = "{ " + "; ".join(f"p{index}: string" for index in range(9)) + " }"
    text = feedback([1, 2, 3], [problem(f"$input[{index}]", expected) for index in range(3)])
    assert body(text).count(expected) == 1
    assert body(text).count("❌ the same as above") == 2


def test_hopeless_arguments_are_listed() -> None:
    """If even the invalid lines exceed the limit, the problems are a list."""
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
    assert len(text.encode()) <= MAX_BYTES + 200
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


@pytest.mark.parametrize("container", [list, dict])
@pytest.mark.parametrize("step", ["{}", '["a"]'])
def test_deep_comments_are_listed(container: type, step: str) -> None:
    """Comments in more levels than the limit of bytes holds are listed, also in cyclic arguments and on a deep stack."""
    step = "[0]" if container is list else step.format(".a")
    data: Any = []
    data.append(data)
    if container is dict:
        data = {}
        data["a"] = data
    path = "$input" + step * 5_000

    def within(frames: int) -> str:
        return within(frames - 1) if frames else feedback(data, [problem(path)])

    assert within(500) == feedback(data, [problem(path)])
    assert "\n- $input" in within(0)


@given(
    st.integers(0, 30_000),
    st.sets(st.integers(0, 30_000), max_size=12),
    st.booleans().map(lambda is_list: list if is_list else dict),
)
def test_each_member_has_a_line_or_is_counted(size: int, wrong: set[int], kind: type) -> None:
    """The lines of a container and the counts of its folded members give its length, in the order of its members."""
    data = [5] * size if kind is list else {f"k{index}": 5 for index in range(size)}
    step = "[{}]" if kind is list else ".k{}"
    problems = [problem("$input" + step.format(index), f"T{index}") for index in wrong]
    lines = body(feedback(data, problems)).splitlines()[1:-1]
    counts = [
        0 if "(missing)" in line else 1 if "more" not in line else int(re.sub(r"\D", "", line))
        for line in lines
    ]
    if problems:
        assert sum(counts) == size
    seen = [int(found[1]) for line in lines if (found := re.search(r"expected T(\d+)$", line))]
    inside = [index for index in seen if index < size]
    assert sorted(seen) == sorted(wrong)
    assert seen[: len(inside)] == sorted(inside)


tokens = st.lists(st.text(max_size=5) | st.integers(0, 99), max_size=5)


@given(tokens)
def test_paths_are_read_as_they_are_written(some: list[str | int]) -> None:
    """Every path that a problem can have is read back."""
    assert input_tokens(input_path(some)) == tuple(some)


@pytest.mark.parametrize(
    "path", ["", "input", "$input.", "$input[", "$input[x]", '$input["\\x"]', "$input a"]
)
def test_what_is_no_path(path: str) -> None:
    """Anything else is not a path."""
    assert input_tokens(path) is None


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


@given(json_values, st.data())
def test_the_drawing_is_the_value(value: Any, data: st.DataObject) -> None:
    """Each line with a comment contains the JSON of its place, or a folded container."""
    path = data.draw(st.sampled_from(places(value)))
    text = body(feedback(value, [problem(input_path(path))]))
    [line] = [line for line in text.splitlines() if "❌" in line]
    drawn = line.strip().removesuffix(" // ❌ expected string").removesuffix(",")
    for token in path:
        value = value[token]
    if path and isinstance(path[-1], str):
        drawn = (
            drawn[len(json.dumps(path[-1], ensure_ascii=False)) + 2 :]
            if path[-1].isprintable()
            else drawn.split(": ", 1)[1]
        )
    if drawn in ("{ ... }", "[ ... ]"):
        assert type(value) is (dict if drawn[0] == "{" else list)
        assert value
    else:
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


@pytest.mark.parametrize(
    ("expected", "value", "said"),
    [
        ("undefined", 5, "not a property here"),
        ('string & Format<"date-time">', "2024-01-02 03:04:05", "expected string (date-time). Write it as 2024-01-31T09:30:00+02:00, with the offset of its time zone; Z means UTC"),
        ('string & Format<"date-time">', "2024-01-02T03:04:05", "expected string (date-time). Add the offset of its time zone, such as +02:00; Z means UTC"),
        ('string & Format<"date"> | undefined', "1/2/2024", "expected string (date), optional. Write it as 2024-01-31"),
        ('string & Format<"date">', "2024-02-30", "expected string (date). This day does not exist: the month has 29 days"),
        ('string & Format<"date">', "2023-02-29", "expected string (date). This day does not exist: the month has 28 days"),
        ('string & Format<"date">', "2024-00-01", "expected string (date). There is no month 00"),
        ('string & Format<"date">', "0000-02-30", "expected string (date). This day does not exist: the month has 28 days"),
        ('string & Format<"date-time">', "2024-04-31T10:00:00Z", "expected string (date-time). This day does not exist: the month has 30 days"),
        ('string & Format<"date-time">', "2024-04-30T24:10:00Z", "expected string (date-time). This time does not exist"),
        ('string & Format<"time">', "10:60:00", "expected string (time). This time does not exist"),
        ('string & Format<"date"> | string & Format<"time">', "x", "expected string (date) | string (time)"),
        ('string & Format<"zip">', "x", "expected string (zip)"),
        ('string & Format<"date"> & Pattern<"^x">', "2024", "expected string (date) matching ^x"),
        ('string & Format<"date"> & MaxLength<5>', "2024-01-02", "expected string (date) of at most 5 characters. There are 10 characters"),
        ('string & Format<"date">', 5, "expected string (date). Write it as 2024-01-31"),
        ('string & Format<"date-time">', 1.5, "expected string (date-time). Write it as 2024-01-31T09:30:00+02:00, with the offset of its time zone; Z means UTC"),
        ('string & Format<"date"> | null', "", "expected string (date) | null. Write it as 2024-01-31, or null to clear it"),
        ("integer | null", "", "expected integer | null. Write null to clear it"),
        ("integer & Minimum<1.0> & Maximum<1440.0>", 0, "expected integer of 1 to 1440"),
        ("Product", [{"a": 1}], "expected Product. Send the object itself, not a list"),
        ("{ a: integer }", [{"a": 1}, {"a": 2}], "expected { a: integer }. Send one object, not a list; call once for each"),
        ("Product", [1], "expected Product"),
        ("integer", [1], "expected integer. Send the value itself, not a list"),
        ("integer", {"value": 1}, "expected integer. Send the value itself, not an object"),
        ("string", ["a"], "expected string. Send the value itself, not a list"),
        ("number | null", [1, 2], "expected number | null. Send one value, not a list; call once for each"),
        ("string", ["a", "b"], "expected string. If its description allows several values in one string, write them as it says; else call once for each"),
        ("string", {"a": 1, "b": 2}, "expected string. If its description asks for JSON, send the JSON as a string"),
        ("integer", {"a": 1, "b": 2}, "expected integer"),
        ("string", {"value": "a"}, "expected string. Send the value itself, not an object"),
        ("string | Array<integer>", [{"a": 1}], "expected string | Array<integer>"),
        ("integer", 1.5, "expected integer"),
        ('number & Type<"int32">', 1.5, "expected integer (int32)"),
        ("number", "1.5x", "expected number"),
        ("Product", '{"a": 1}', "expected Product. Send the object itself, not a string"),
        ("Array<string>", "['a']", "expected Array<string>. Send the array itself, not a string"),
        ("Product", '{"a": oops}', "expected Product. The string is not valid JSON either: oops is not JSON. Text must be in double quotes. Send the object itself"),
        ("string & MaxLength<3>", '{"a": 1}', "expected string of at most 3 characters"),
        ("string | undefined", None, "expected string, optional. Leave it out instead of null"),
        ("Array<string> & UniqueItems", ["b", "a", "b", "a"], "expected no duplicates: item 3 equals item 1"),
        ("Array<any> & UniqueItems", [1, True, {"a": [1]}, {"a": [1.0]}], "expected no duplicates: item 4 equals item 3"),
        ("Array<string> & MinItems<1>", [], "expected at least 1 item: there are 0 items"),
        ("Array<string> & MaxItems<1> & UniqueItems | null", ["a", "a"], "expected at most 1 item: there are 2 items and no duplicates: item 2 equals item 1"),
        ('Array<string> & Contains<"x">', ["a"], 'expected at least one item that is "x"'),
        ("{ a: string } & MinProperties<2>", {"a": 1}, "expected at least 2 properties: there is 1 property"),
        ("Array<string> & MinItems<1>", {"a": 1}, "expected Array<string> with at least 1 item"),
    ],
)  # fmt: skip
def test_hints(expected: str, value: Any, said: str) -> None:
    """V8: in plain words, what was expected and how to correct it; ``expected`` itself stays a type text."""
    text = feedback({"a": value}, [problem("$input.a", expected, value)])
    assert f"// ❌ {said}\n" in text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("petid", "petId"),
        ("pet_id", "petId"),
        ("PETID", "petId"),
        ("petIds", "petId"),
        ("ptId", "petId"),
        ("petdI", "petId"),
        ("X-Request-ID", "x_request_id"),
        ("pet", "petId"),
        ("colour", None),
        ("id", None),
        ("ab1", None),
        ("limit" * 1_000, None),
    ],
)
def test_the_nearest_name(name: str, meant: str | None) -> None:
    """V8: a property that has nearly the name of a declared one is to be renamed, of any other no removal is asked."""
    names = ["petId", "x_request_id", "limit", "ab2", "ab3"]
    schema = {"properties": {key: {} for key in names}, "additionalProperties": False}
    [found] = Validator(schema).problems({name: 1})
    assert found.target == (f"$input.{meant}" if meant else None)
    text = feedback({name: 1}, [found])
    advice = f"did you mean {meant}?" if name == "pet" else f"rename it to {meant}"
    assert (f"not a property here: {advice}\n" in text) is (meant is not None)
    assert ("the properties are petId, x_request_id, limit, ab2 and ab3\n" in text) is (
        meant is None
    )
    assert "emove" not in text


MEMBERS = (
    "not a property here; the properties are id, query and body. query has limit and page. "
    "body has title, page and in"
)


def test_a_name_that_is_given_is_no_suggestion() -> None:
    """V8: nothing is to be renamed to a property that is there already."""
    schema = {"properties": {"petId": {}, "limit": {}}, "additionalProperties": False}
    [found] = Validator(schema).problems({"pet_id": 1, "petId": 2})
    assert found.target is None


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("limit", "$input.query.limit", "not a property here: move it into query"),
        ("title", "$input.body.title", "not a property here: move it into body"),
        ("Ti_tle", "$input.body.title", "not a property here: move it into body as title"),
        (
            "page",
            None,
            "not a property here. query and body each have a property of that name",
        ),
        ("headline", "$input.body.title", "not a property here: did you mean title in body?"),
        ("refused", None, MEMBERS),
        ("deep", None, MEMBERS),
    ],
)
def test_a_property_beside_its_object_is_moved_there(
    name: str, target: str | None, said: str
) -> None:
    """V8: a property that an inner object declares is to be moved into that object."""
    body = {
        "properties": {
            "title": {},
            "page": {},
            "refused": False,
            "in": {"properties": {"deep": {}}},
        }
    }
    schema = {
        "properties": {
            "id": {"type": "string"},
            "query": {"properties": {"limit": {}, "page": {}}},
            "body": {"$ref": "#/$defs/Body"},
        },
        "additionalProperties": False,
        "$defs": {"Body": {"allOf": [{"$ref": "#/$defs/All"}]}, "All": body},
    }
    [found] = Validator(schema).problems({name: 1})
    assert found.target == target
    assert f'"{name}": 1 // ❌ {said}\n' in feedback({name: 1}, [found])


def test_what_was_opened_is_told() -> None:
    """V8: a model that sent an object as a string reads what is wrong in it, and that it was a string."""
    schema = {"type": "object", "properties": {"body": SCHEMA}, "required": ["body"]}
    outcome = coerce({"body": '{"name": "x", "price": "-1"}'}, Validator(schema), opens=True)
    assert isinstance(outcome, Failure)
    lines = outcome.feedback().splitlines()
    assert lines[1] == ("Sent as a string: $input.body. Send objects and arrays themselves.")
    assert '    "price": "-1" // ❌ expected number of at least 0, optional' in lines


def test_what_was_cut_is_told() -> None:
    """V8: a model whose text ended too early reads that, besides what is wrong."""
    text = feedback({"a": 5}, [problem("$input.a")], incomplete=True)
    assert (
        text.splitlines()[1]
        == "The text broke off, so the missing ends were added. Send all of it."
    )


UNREAD = """\
The arguments are not JSON at line 3, column 12.

1 | {
2 |   "name": "Lamp",
3 |   "price": 12abc,
  |            ^ ❌ 12abc is not a JSON number. Write a number such as 12 or -0.5, or a text in double quotes.

Send all arguments again as one JSON value and nothing else. Nothing was executed."""


def test_a_text_that_is_no_json() -> None:
    """V8: of a text that cannot be read the passage is shown with a mark below the place."""
    outcome = parse('{\n  "name": "Lamp",\n  "price": 12abc,\n  "stock": 3\n}')
    assert isinstance(outcome, Failure)
    assert outcome.feedback() == UNREAD


@pytest.mark.parametrize(
    "before", ["", "x" * 5_000, "x\n" * 5_000, "\u202e\x1b\t", "é" * 300, "```\n"]
)
@pytest.mark.parametrize("after", ["", "y" * 5_000, "\n" + "y" * 5_000])
def test_passages_are_short_and_plain(before: str, after: str) -> None:
    """V8: whatever stands around the place, the passage is short, and its mark stands below the place."""
    text = f'{{"a": "{before}", "b": @{after}'
    outcome = parse(text)
    assert isinstance(outcome, Failure)
    said = outcome.feedback()
    assert len(said.encode()) < 2_048
    lines = body(said).splitlines()
    assert lines[-2][lines[-1].index("^")] == "@"
    assert all(line.isprintable() for line in lines)
    assert not any(line.startswith("```") for line in said.splitlines())


@given(json_values)
def test_no_line_is_a_fence(value: Any) -> None:
    """V8: the text may be put into a fence: none of its lines ends one."""
    text = feedback({"a": [value, "```", "x\n```\n"], "```": 1}, [problem("$input.a")])
    assert not any(line.lstrip().startswith("```") for line in text.splitlines())
