"""Closing brackets that are too many, too early or of the wrong kind."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from specfn import Failure, Success
from specfn.validation.parse import parse

_TOKEN = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|-?\d[\d.eE+-]*|[A-Za-z]+|[{}\[\],:]|\s+"
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.text(st.sampled_from('ab}]{[,:"'), max_size=4)
)
names = st.text(st.sampled_from("abcd}{"), min_size=1, max_size=2)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
containers = st.dictionaries(names, values, max_size=4) | st.lists(values, max_size=4)

#: How models write a value: each spelling has the same tokens in the same order.
SPELLINGS = {
    "compact": lambda value: json.dumps(value, separators=(",", ":")),
    "indented": lambda value: json.dumps(value, indent=2),
    "as Python": repr,
}
#: What models put around a value.
FRAMES = ("@", "```json\n@\n```", "@\nI hope this helps.", "/* why */ @", " @ \n")


def inserted(text: str, bracket: str) -> Iterator[str]:
    """Every text with one more bracket: before and behind each token."""
    ends = {0, *(match.end() for match in _TOKEN.finditer(text))}
    for end in sorted(ends):
        yield text[:end] + bracket + text[end:]


@settings(max_examples=examples(100), deadline=None)
@given(
    containers,
    st.sampled_from(sorted(SPELLINGS)),
    st.sampled_from(FRAMES),
    st.sampled_from(["}", "]", "}}", "]}", "}]", "}\n}"]),
)
def test_a_bracket_too_early_changes_nothing(
    value: Any, spelling: str, frame: str, bracket: str
) -> None:
    """V6: a text with surplus closing brackets, wherever they are, is read as its value or not at all."""
    for damaged in inserted(SPELLINGS[spelling](value), bracket):
        outcome = parse(frame.replace("@", damaged))
        if isinstance(outcome, Success):
            assert json.dumps(outcome.data) == json.dumps(value), damaged


@settings(max_examples=examples(120), deadline=None)
@given(
    containers,
    st.lists(
        st.tuples(st.sampled_from(["insert", "swap"]), st.integers(0, 200), st.sampled_from("}]")),
        min_size=2,
        max_size=3,
    ),
)
def test_several_wrong_brackets_change_nothing(
    value: Any, edits: list[tuple[str, int, str]]
) -> None:
    """V6: brackets too many and brackets of the wrong kind together are read as the value, as incomplete, or not."""
    tokens = [match.group() for match in _TOKEN.finditer(json.dumps(value))]
    for edit, at, bracket in edits:
        closing = [index for index, token in enumerate(tokens) if token in "}]"]
        if edit == "insert":
            tokens.insert(at % (len(tokens) + 1), bracket)
        elif closing:
            tokens[closing[at % len(closing)]] = bracket
    text = "".join(tokens)
    outcome = parse(text)
    if isinstance(outcome, Success) and not outcome.incomplete and not _is_json(text):
        assert json.dumps(outcome.data) == json.dumps(value), text


def _is_json(text: str) -> bool:
    """Return whether a text is strict JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}}', {"a": 1}),
        ('{"a": {"b": {"c": 1}}}}}', {"a": {"b": {"c": 1}}}),
        ('{"a": [1, 2], "b": 3}}', {"a": [1, 2], "b": 3}),
        ('{"a": [], "b": {"c": [1]}}}', {"a": [], "b": {"c": [1]}}),
        ('{"a": {"b": 1,},}}', {"a": {"b": 1}}),
        ("{}}", {}),
        ('```json\n{"a": 1}}\n```', {"a": 1}),
        ('{"a": 1}\n}\n', {"a": 1}),
    ],
)
def test_brackets_at_the_end_are_dropped(text: str, value: Any) -> None:
    """V6: surplus braces at the very end are dropped where no bracket before a member can be the surplus one."""
    outcome = parse(text)
    assert isinstance(outcome, Success), outcome
    assert outcome.data == value
    assert "bracket" in [repair.kind for repair in outcome.repairs]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('{"body": {"query": {"tags": {"a": "b"}}, "dry_run": true}}}', 59),
        ('{"a": {}, "b": 1}}', 18),
        ('{"a": [{"b": 1}, {"c": 2}]}}', 28),
        ('{"a": [[1], 2]}}', 16),
        ("{'a': {'b': 1}, 'c': 2}}", 24),
        ('{"a": {"b": 1}, // why\n"c": 2}}', 8),
        ('```\n{"a": {"b": 1}, "c": 2}}\n```', 24),
    ],
)
def test_a_bracket_that_may_be_too_early_is_reported(text: str, column: int) -> None:
    """V6: if an earlier bracket may be the surplus one, the fault at the last bracket explains this."""
    outcome = parse(text)
    assert isinstance(outcome, Failure)
    assert outcome.fault is not None
    assert outcome.fault.column == column
    assert "closes nothing" in outcome.fault.reason
    assert "wrong object" in outcome.feedback()


@pytest.mark.parametrize(
    "text",
    [
        '}{"a": 1}',
        '{"a": 1}, {"b": 2}]'[1:],
        '"x": 1}} {"a": 1}',
        "1], [2]",
        '{"a": 1}} and so on',
        '{"a": 1} // one\n}',
        'Here: {"a": 1}}',
        '{"a": [1]]}',
        '{"a": 1]',
        "[1]]",
        "[1]}",
    ],
)
def test_brackets_elsewhere_are_refused(text: str) -> None:
    """V6: a closing bracket before the value, in the text around it or of another kind is never dropped."""
    assert isinstance(parse(text), Failure)
