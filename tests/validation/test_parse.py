import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Failure, Success
from specfn._internal.json import loads
from specfn.validation.parse import MAX_CHARACTERS, parse
from specfn.validation.plain_json import MAX_DEPTH, MAX_VALUES, is_plain_json

LINES = "Line 1\nLine 2"

#: What is read, with the value and the kinds of repair that it takes.
READ: list[tuple[str, str, Any, list[str]]] = [
    ("json", '{"a": [1, -2.5e3, true, null, "x"]}', {"a": [1, -2500.0, True, None, "x"]}, []),
    ("a scalar", "12", 12, []),
    ("a string", '"hello"', "hello", []),
    ("an integer of any length", "123456789012345678901234567890", 123456789012345678901234567890, []),
    ("zero", '{"a": 0.0, "b": -0.0}', {"a": 0.0, "b": -0.0}, []),
    ("white space", ' \r\n\t{"a" : 1}\n', {"a": 1}, []),
    ("a byte order mark", '\ufeff{"a": 1}', {"a": 1}, []),
    ("a fence", '```json\n{"a": 1}\n```', {"a": 1}, ["fence"]),
    ("a fence without a language", '```\n{"a": 1}\n```\n', {"a": 1}, ["fence"]),
    ("a fence on one line", '```{"a": 1}```', {"a": 1}, ["fence"]),
    ("a fence of tildes", '~~~json\n{"a": 1}\n~~~', {"a": 1}, ["fence"]),
    ("an open fence", '```json\n{"a": 1}', {"a": 1}, ["fence"]),
    ("a scalar in a fence", "```\n12\n```", 12, ["fence"]),
    ("a fence in prose", 'Sure:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}, ["prose", "prose"]),
    ("a fence in a string", '{"a": "```json\\n[1]\\n```"}', {"a": "```json\n[1]\n```"}, []),
    ("prose before", 'Here are the arguments: {"a": 1}', {"a": 1}, ["prose"]),
    ("prose behind", '{"a": 1}\nI hope this helps.', {"a": 1}, ["prose"]),
    ("a call", 'createPet({"a": 1});', {"a": 1}, ["prose", "prose"]),
    ("tags", '<tool_call>{"a": 1}</tool_call>', {"a": 1}, ["prose", "prose"]),
    ("a path with a placeholder", 'GET /pets/{petId}: {"petId": 1}', {"petId": 1}, ["prose"]),
    ("a mark behind", '{"a": 1} for {petId} [END]', {"a": 1}, ["prose"]),
    ("a mark", '[TOOL_CALLS] {"a": 1}', {"a": 1}, ["prose"]),
    ("an apostrophe in prose", "Let's go: {'a': 1}", {"a": 1}, ["quotes", "prose"]),
    ("an array in prose", "I choose [1, 2].", [1, 2], ["prose", "prose"]),
    ("comments", '{"a": 1, // one\n /* two */ "b": 2}', {"a": 1, "b": 2}, ["comment"]),
    ("a hash comment", '{"a": 1 # one\n}', {"a": 1}, ["comment"]),
    ("a comment around", '/* [x] */ {"a": 1} // {y}', {"a": 1}, ["comment", "comment"]),
    ("no comment in a string", '{"a": "http://x # y /* z */"}', {"a": "http://x # y /* z */"}, []),
    ("trailing commas", '{"a": [1, 2,], "b": 3,\n}', {"a": [1, 2], "b": 3}, ["comma", "comma"]),
    ("single quotes", "{'a': 'say \"x\"'}", {"a": 'say "x"'}, ["quotes", "quotes"]),
    ("typographic quotes", "{“a”: ‘b’}", {"a": "b"}, ["quotes", "quotes"]),
    ("typographic quotes inside", '{"a": "“b” ‘c’"}', {"a": "“b” ‘c’"}, []),
    ("Python's words", '{"a": True, "b": [None, False]}', {"a": True, "b": [None, False]}, ["literal"] * 3),
    ("Python's words as texts", "['True', 'None']", ["True", "None"], ["quotes"] * 2),
    ("keys without quotes", "{a: 1, b_2: 2, $c: 3, d-e: 4, größe: 5}",
     {"a": 1, "b_2": 2, "$c": 3, "d-e": 4, "größe": 5}, ["key"] * 5),
    ("digits as keys", '{1: "a", 20: "b"}', {"1": "a", "20": "b"}, ["key"] * 2),
    ("a line feed in a string", '{"a": "Line 1\nLine 2"}', {"a": LINES}, ["control"]),
    ("a tab in a string", "['a\tb']", ["a\tb"], ["quotes", "control"]),
    ("an escaped apostrophe", r'{"a": "it\'s"}', {"a": "it's"}, ["escape"]),
    ("an escape of Python", r"['\x41\u00e9']", ["Aé"], ["quotes", "escape"]),
    ("a surrogate pair", r"['\ud83d\ude00']", ["😀"], ["quotes"]),
    ("escapes", r"['\n\t\\\"\/\b\f\r']", ['\n\t\\"/\b\f\r'], ["quotes"]),
    ("other white space", '{\u00a0"a":\u20031}', {"a": 1}, ["space", "space"]),
    ("a bracket too many", '{"a": 1}}', {"a": 1}, ["bracket"]),
    ("encoded twice", r'"{\"a\": 1}"', {"a": 1}, ["unwrapped"]),
    ("encoded three times", json.dumps(json.dumps('{"a": 1}')), {"a": 1}, ["unwrapped"] * 2),
    ("the same member twice", '{"a": 1, "b": "x", "a": 1}', {"a": 1, "b": "x"}, ["repeated"]),
    ("thoughts", '<think>{"a": 2}</think> {"a": 1}', {"a": 1}, ["prose"]),
    ("an array encoded twice", '"[1, 2]"', [1, 2], ["unwrapped"]),
    ("encoded twice by hand", "'{\"a\": 1}'", {"a": 1}, ["quotes", "unwrapped"]),
    ("escaped, the quotes lost", r"{\"a\": \"x\"}", {"a": "x"}, ["unwrapped"]),
    ("escaped on several lines", '{\n\\"a\\": 1\n}', {"a": 1}, ["control", "unwrapped"]),
    ("quoted, not escaped", '"{"a": 1}"', {"a": 1}, ["prose", "prose"]),
    ("repairs inside an encoded one", '"{\'a\': 1,}"', {"a": 1}, ["quotes", "comma", "unwrapped"]),
    ("a string with a bracket", '"[draft] hello"', "[draft] hello", []),
    ("a string in a string", json.dumps('"hello"'), '"hello"', []),
]  # fmt: skip

#: What is closed, because it ends after a whole token.
CLOSED: list[tuple[str, Any]] = [
    ('{"a": "x"', {"a": "x"}),
    ('{"a": "x",', {"a": "x"}),
    ('{"a": 1, ', {"a": 1}),
    ('{"a": true', {"a": True}),
    ('{"a": [1, {"b": null', {"a": [1, {"b": None}]}),
    ('{"a": {"b": {}}', {"a": {"b": {}}}),
    ("[[1, 2], [3]", [[1, 2], [3]]),
    ('{"a": "x" /* why */', {"a": "x"}),
    ('```json\n{"a": "x"\n```', {"a": "x"}),
    ("Well: {'a': None", {"a": None}),
]

#: What is refused, with a piece of the reason: it could mean something else than any reading of it.
REFUSED: list[tuple[str, str]] = [
    ("12abc", "not a JSON number"),
    ("1e", "not a JSON number"),
    ("1,2", "more after the value"),
    ('{"a": 12abc}', "not a JSON number"),
    ('{"a": 1e}', "not a JSON number"),
    ('{"a": 1,2}', "key"),
    ('{"a": 007}', "not a JSON number"),
    ('{"a": +5}', "not a JSON number"),
    ('{"a": .5}', "not a JSON number"),
    ('{"a": 5.}', "not a JSON number"),
    ('{"a": -}', "not a JSON number"),
    ('{"a": 0x10}', "not a JSON number"),
    ('{"a": 1_000}', "not a JSON number"),
    ('{"a": 12:30}', "not a JSON number"),
    ('{"a": 2024-01-01}', "not a JSON number"),
    ('{"a": ١٢}', "is not JSON"),
    ('{"a": 1/2}', "not a JSON number"),
    ('{"a": "x', "not closed"),
    ('{"a": "x\\', "not closed"),
    ('{"a": "x\\"', "not closed"),
    ('{"a": \'x"}', "not closed"),
    ('{"a": 12', "in the middle"),
    ('{"a": 12 ', "in the middle"),
    ("[1, 2", "in the middle"),
    ('{"a": tru', "middle of a word"),
    ('{"a": Non', "middle of a word"),
    ('{"a', "not closed"),
    ('{"a"', "after this key"),
    ("{a", "after this key"),
    ('{"a":', "where a value"),
    ('{"a": {', "right after this bracket"),
    ("{", "right after this bracket"),
    ('{"a": "x" // why }', "in the middle"),
    ('{"a": "x" /* why }', "in the middle"),
    ('{"a": hello}', "double quotes"),
    ('{"a": hello world}', "double quotes"),
    ("hello", "No JSON object was found"),
    ("I cannot do that yet, which one?", "No JSON object was found"),
    ("f(a=1)", "No JSON object was found"),
    ("f(a=1, body={'b': 2})", "a function call of a programming language"),
    (r'{"a": "\u{1F600}"}', "Write the character itself"),
    (r'{"a": "\U0001F600"}', "Write the character itself"),
    (r'{"a": "\N{GRINNING FACE}"}', "Write the character itself"),
    (r'{"a": "\101"}', "Write the character itself"),
    (r'{"a": "\d"}', "Write a backslash as"),
    ("[draft]", "double quotes"),
    ('{"a": `x`}', "double quotes"),
    ('{"a": undefined}', "undefined is not JSON"),
    ('{"a": ...}', "ellipsis"),
    ("[1, ...]", "ellipsis"),
    ('{"a": 1, ...}', "key"),
    ('{"a": 1} {"b": 2}', "more than one JSON value"),
    ('First {"a": 1}, then {"b": 2}', "more than one JSON value"),
    ('```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', "more than one JSON value"),
    ('12 {"a": 1}', "more than one JSON value"),
    ('{"a": 1} 12', "more than one JSON value"),
    ('"x" {"a": 1}', "more than one JSON value"),
    ('"body": {"a": 1}', "incomplete one"),
    ('1, {"a": 1}', "incomplete one"),
    ('{"a": 1}, "b": 2', "incomplete one"),
    ("[1]]", "incomplete one"),
    ('x: {"a": 1}}', "incomplete one"),
    ('{"a": 1, "a": 2}', "twice"),
    ("{'a': 1, a: 2}", "twice"),
    ('{"a": 1, "a": 1.0}', "twice"),
    ('{"a": 1, "a": true}', "twice"),
    ('{"a": {}, "a": {}}', "twice"),
    ('{"a": [], "a": []}', "twice"),
    (r'{"a": 1, "\u0061": 2}', "twice"),
    ('[{"a": {"b": 1, "b": 2}}]', "twice"),
    ("NaN", "not a JSON number"),
    ('{"a": NaN}', "not a JSON number"),
    ('{"a": Infinity}', "not a JSON number"),
    ('{"a": -Infinity}', "not a JSON number"),
    ("1e400", "beyond"),
    ('{"a": -1e400}', "beyond"),
    ('{"a": 1e-400}', "beyond"),
    (r'"\ud800"', "surrogate"),
    (r'{"a": "\udc00\ud800"}', "surrogate"),
    (r'{"\ud800": 1}', "surrogate"),
    ('{"a": "\ud800"}', "surrogate"),
    ('{"a": 1 "b": 2}', "comma"),
    ("[1 2]", "comma"),
    ('{"a": "b" "c"}', "comma"),
    ('{"a": "he said "no""}', "comma"),
    ("{'a': 'it's'}", "comma"),
    ("[1,,2]", "missing"),
    ("[,1]", "missing"),
    ('{,"a": 1}', "key"),
    ('{"a": 1,, "b": 2}', "key"),
    ('{"a" 1}', "colon"),
    ('{"a"=1}', "colon"),
    ('{"a": [1, 2}', "does not close"),
    ('{"a": {"b": 1]', "does not close"),
    ("{null: 1}", "key"),
    ("{True: 1}", "key"),
    ("{1.5: 1}", "colon"),
    ("{(1): 2}", "key"),
    ('{"a": (1, 2)}', "A list is written in [ ]"),
    ("{1, 2}", "colon"),
    (r'{"a": "C:\Users"}', "backslash"),
    (r'{"a": "\d+"}', "backslash"),
    (r'{"a": "\u12"}', "backslash"),
    ('{“a”: “b "c" d”}', "quotation mark"),
    (r'"{\"a\": oops}"', "oops"),
    ("", "no text"),
    (" \n ", "no text"),
    ("```json\n```", "no text"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value", "kinds"), [case[1:] for case in READ], ids=[case[0] for case in READ]
)
def test_what_is_read(text: str, value: Any, kinds: list[str]) -> None:
    """V6: typical mistakes of models are read with their meaning, and every repair is recorded."""
    outcome = parse(text)
    assert isinstance(outcome, Success), outcome
    assert json.dumps(outcome.data) == json.dumps(value)
    assert [repair.kind for repair in outcome.repairs] == kinds
    assert not outcome.incomplete
    assert parse(text.encode()) == outcome


@pytest.mark.parametrize(("text", "value"), CLOSED, ids=[text for text, _ in CLOSED])
def test_what_is_closed(text: str, value: Any) -> None:
    """V6: brackets are closed only after a whole token, and the reading is incomplete."""
    outcome = parse(text)
    assert isinstance(outcome, Success), outcome
    assert outcome.data == value
    assert outcome.incomplete
    assert "closed" in [repair.kind for repair in outcome.repairs]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[ascii(text) for text, _ in REFUSED])
def test_what_is_refused(text: str, reason: str) -> None:
    """V6: a text is never turned into a value that it does not surely say."""
    outcome = parse(text)
    assert isinstance(outcome, Failure), outcome
    assert outcome.fault is not None
    assert reason in outcome.fault.reason
    assert outcome.data is text
    [problem] = outcome.errors
    assert (problem.path, problem.expected, problem.value) == ("$input", "JSON", text)
    assert problem.description is not None
    assert "line" in problem.description


@pytest.mark.parametrize(
    ("text", "line", "column", "offset"),
    [
        ('{"a": x}', 1, 7, 6),
        ('{\n  "a": 1,\n  "b": x\n}', 3, 8, 19),
        ('```json\n{"a": 1,, }\n```', 2, 9, 16),
        ('{"a": "x\n', 1, 7, 6),
        ("Yes.\n\n{'a': 1} {}", 3, 10, 15),
        ('{"é😀": x}', 1, 8, 7),
        ("", 1, 1, 0),
    ],
)
def test_the_place_is_told(text: str, line: int, column: int, offset: int) -> None:
    """V6: a failure says where in the text reading stopped."""
    outcome = parse(text)
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert (outcome.fault.line, outcome.fault.column, outcome.fault.offset) == (
        line,
        column,
        offset,
    )
    assert f"line {line}, column {column}" in outcome.feedback()


def test_repairs_name_their_place() -> None:
    """V6: a repair says where it was made, what was written and what that was read as."""
    outcome = parse("{a: ['x', True,], \"b\": {'c': 1}}")
    found = [(repair.path, repair.kind, repair.before, repair.after) for repair in outcome.repairs]
    assert found == [
        ("$input.a", "key", "a", "a"),
        ("$input.a[0]", "quotes", "'x'", "x"),
        ("$input.a[1]", "literal", "True", True),
        ("$input.a", "comma", ",", ""),
        ("$input.b.c", "quotes", "'c'", "c"),
    ]


def test_what_is_added_is_recorded() -> None:
    """V6: the brackets that were closed are told."""
    [repair] = parse('{"a": [{"b": "x"').repairs
    assert (repair.path, repair.kind, repair.before, repair.after) == (
        "$input",
        "closed",
        "",
        "}]}",
    )


@pytest.mark.parametrize(
    "given",
    [None, 12, ["{}"], {"a": 1}, object(), b"\xff", b'{"a": "\xed\xa0\x80"}', memoryview(b"{}")],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_text(given: Any) -> None:
    """V6: an object that is not a text, and bytes that are not UTF-8, are a failure."""
    outcome = parse(given)
    assert isinstance(outcome, Failure)
    assert outcome.data is given
    assert outcome.feedback()


def test_bytearrays_are_texts() -> None:
    """V6: bytes that can change are read like those that cannot."""
    assert parse(bytearray(b'{"a": 1}')).data == {"a": 1}


@pytest.mark.parametrize("form", ["strict", "lenient"])
def test_depth_is_limited(form: str) -> None:
    """V6: as many levels are read as validation takes, whichever step reads them."""
    pad = "" if form == "strict" else " // x\n"
    assert parse("[" * MAX_DEPTH + pad + "]" * MAX_DEPTH)
    outcome = parse("[" * (MAX_DEPTH + 1) + pad + "]" * (MAX_DEPTH + 1))
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert "Nested deeper" in outcome.fault.reason


def test_size_is_limited() -> None:
    """V6: texts and values are bounded, and digits of integers too."""
    for text in (
        "[" + "0," * MAX_VALUES + "0]",
        "[" + "0," * MAX_VALUES + "0,]",
        " " * MAX_CHARACTERS + "1",
        "9" * 5_000,
    ):
        outcome = parse(text)
        assert isinstance(outcome, Failure)
        assert len(outcome.feedback().encode()) < 8_192
    assert parse("[" + "0," * (MAX_VALUES - 1) + "0,]")
    assert parse("[" + "1" * 4_000 + ",]").data == [int("1" * 4_000)]


def test_digits_are_limited_as_python_limits_them() -> None:
    """V6: an integer longer than Python's own limit is refused, not raised."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)
    try:
        assert not parse("9" * 701)
        assert not parse("[" + "9" * 701 + ",]")
        assert parse("9" * 700)
    finally:
        sys.set_int_max_str_digits(before)


#: Floats that no integer is written like; ``test_numbers`` has the others.
decimals = st.floats(-(2.0**53), 2.0**53, allow_nan=False)
numbers = st.integers() | decimals
scalars = st.none() | st.booleans() | numbers | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_json_is_read_as_it_is(value: Any, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001
    """V6: strict JSON is read as by any JSON library, without a repair."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    outcome = parse(text)
    if type(value) is str and outcome.repairs:
        assert outcome.repairs[0].kind == "unwrapped"
        return
    assert isinstance(outcome, Success)
    assert outcome.repairs == ()
    assert json.dumps(outcome.data) == json.dumps(value)


plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.sampled_from("'\"\\nx{}[],:#/ é"), max_size=8)
)


@given(
    st.recursive(
        plain,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text(st.sampled_from("ab'\"\\ :{"), max_size=4), inner, max_size=4)
        ),
        max_leaves=10,
    ).map(lambda value: {"a": value})
)
def test_python_is_read_as_python_means_it(value: Any) -> None:
    """V6: the Python notation of a value is read as that value."""
    outcome = parse(repr(value))
    assert isinstance(outcome, Success)
    assert json.dumps(outcome.data) == json.dumps(value)


pieces = st.sampled_from(
    [
        *"{}[]\",:'\\/*# \n",
        "```",
        "```json",
        "//",
        "/*",
        "*/",
        "true",
        "None",
        "NaN",
        "12",
        "-0.5",
        "1e9",
        "abc",
        '"a"',
        '"a":',
        "'b'",
        "{}",
        "[]",
        "\\u00e9",
        "\\ud800",
        "…",
        "“",
        "”",
        "‘",
        "’",
        "\u00a0",
        "\ufeff",
        "\x00",
        "é",
        "\ud800",
    ]
)


@settings(max_examples=examples(200))
@given(st.lists(pieces, max_size=30).map("".join) | st.text(st.characters(), max_size=60))
def test_nothing_raises(text: str) -> None:
    """V6: whatever the text, the outcome is a sound value or a failure that says where and why."""
    outcome = parse(text)
    if outcome:
        assert is_plain_json(outcome.data)
        return
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert 0 <= outcome.fault.offset <= len(outcome.fault.text)
    assert len(outcome.feedback().encode()) < 8_192


@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes) -> None:
    """V6: the same of bytes."""
    outcome = parse(data)
    assert bool(outcome) or outcome.feedback()


def scalars_of(value: Any) -> list[str]:
    """Every scalar and key of a value, as JSON."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            found.extend(json.dumps(key) for key in item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            found.append(json.dumps(item))
    return found


spelled = st.recursive(
    st.sampled_from(["12", "-0.5", "1e3", "0"]).map(lambda text: (text, loads(text)))
    | st.sampled_from([("True", True), ("None", None), ("false", False), ("null", None)])
    | st.text(st.characters(codec="utf-8", exclude_characters="'\\"), max_size=6).map(lambda text: (f"'{text}'", text))
    | st.text(max_size=6).map(lambda text: (json.dumps(text), text)),
    lambda inner: (
        st.lists(inner, max_size=3).map(
            lambda items: ("[" + ", ".join(text for text, _ in items) + ("," if items else "") + "]",
                           [value for _, value in items])
        )
        | st.dictionaries(st.sampled_from(["a", "b_c", "d"]), inner, max_size=3).map(
            lambda items: ("{" + " // x\n, ".join(f"{key}: {text}" for key, (text, _) in items.items()) + "}",
                           {key: value for key, (_, value) in items.items()})
        )
    ),
    max_leaves=8,
)  # fmt: skip


@given(spelled, st.sampled_from(["{}", "```json\n{}\n```", "Here: {}", "{}\nThat is all."]))
def test_spellings_do_not_change_values(spelling: tuple[str, Any], around: str) -> None:
    """V6: however a value is spelled and whatever stands around it, it is that value or refused."""
    text, value = spelling
    outcome = parse(around.replace("{}", text))
    if isinstance(outcome, Success):
        expected = value
        if type(value) is str and outcome.repairs and outcome.repairs[-1].kind == "unwrapped":
            expected = loads(value)
        assert json.dumps(outcome.data) == json.dumps(expected)
    elif around == "{}":
        assert type(value) not in (list, dict)


@given(spelled, st.data())
def test_cut_texts_lose_values_but_never_change_them(
    spelling: tuple[str, Any], data: st.DataObject
) -> None:
    """V6: the beginning of a text is refused, or read as some of the same scalars, and then it is incomplete."""
    text, value = spelling
    cut = text[: data.draw(st.integers(0, len(text)))]
    outcome = parse(cut)
    if isinstance(outcome, Success) and type(value) in (list, dict):
        assert outcome.incomplete or outcome.data == value
        known = scalars_of(value)
        assert all(scalar in known for scalar in scalars_of(outcome.data))


@pytest.mark.parametrize(("comment", "quote"), [("// s@", '"'), ("/* s@ */", '"'), ("// s@", "'")])
def test_a_comment_with_half_a_string_is_refused(comment: str, quote: str) -> None:
    """V6: behind a text, a comment with an odd quotation mark may be the rest of the text; a whole comment is left out."""
    text = f"{quote}a{quote}"
    assert parse(f"{text} {comment.replace('@', '')}").data == "a"
    outcome = parse(f"{text} {comment.replace('@', quote)}")
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert "unmatched quotation mark" in outcome.fault.reason


def test_an_error_names_the_line_of_the_open_bracket() -> None:
    """V6: a bracket that does not close the innermost one is explained with the line of that one."""
    outcome = parse('[1,\n\n {"a": 1]]')
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert "the { of line 3" in outcome.fault.reason
