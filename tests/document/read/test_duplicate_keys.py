import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import load
from specfn._internal.pointer import join
from specfn.api import convert
from specfn.document.read import duplicate_keys as duplicates
from specfn.document.read.text import parse
from specfn.errors import DocumentError
from specfn.settings import DEFAULT

HEAD = '{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}'

TWICE = [
    ('{"a": 1, "a": 2}', "/a", "line 1, column 2 and line 1, column 10"),
    ('{"a": 1,\n "b": 2,\n "a": 3}', "/a", "line 1, column 2 and line 3, column 2"),
    ('{"x": [{}, {"a/b": 1, "a/b": 2}]}', "/x/1/a~1b", "line 1, column 13"),
    ('{"\\u0061": 1, "a": 2}', "/a", "line 1, column 15"),
    ('{"a": "é:\\":", "a": ":"}', "/a", "line 1, column 16"),
    ('{"a": {"b": 1}, "a": {"b": 2}}', "/a", "line 1, column 17"),
    ('{"a": 1, "x\\u003ay": "\\u003A", "a": 2}', "/a", "line 1, column 32"),
    ('{"n": 123456789012345678901234567890, "n": 1}', "/n", "line 1, column 39"),
]


@pytest.mark.parametrize(("text", "pointer", "places"), TWICE)
def test_a_key_that_stands_twice_is_noted(text: str, pointer: str, places: str) -> None:
    """A key that stands twice in an object of a JSON text is a note with its pointer and both places."""
    (note,) = parse(text, thorough=True).notes
    assert note.pointer == pointer
    assert places in note.text


def test_the_last_counts() -> None:
    """Of members by one key the last is read, as by most readers of JSON, and the note says so."""
    parsed = parse('{"a": {"b": 1}, "a": {"c": 2}}', thorough=True)
    assert parsed.document == {"a": {"c": 2}}
    assert "only the last counts" in parsed.notes[0].text


KEYS = st.sampled_from(["a", "b", ":", '"', "\\", "{", "a,b", "é"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('":{}[],\\aé'), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple)
    ),
    max_leaves=12,
)


def _written(value: Any) -> str:
    """JSON in which objects are tuples of members, any of them twice."""
    if isinstance(value, tuple):
        members = (f"{json.dumps(key)}: {_written(member)}" for key, member in value)
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return json.dumps(value)


def _expected(value: Any, place: tuple[str | int, ...] = ()) -> list[str]:
    if isinstance(value, list):
        return [found for at, item in enumerate(value) for found in _expected(item, (*place, at))]
    found: list[str] = []
    if isinstance(value, tuple):
        seen = set()
        for key, member in value:
            found += [join((*place, key))] * (key in seen)
            seen.add(key)
            found += _expected(member, (*place, key))
    return found


@given(VALUES)
def test_exactly_what_stands_twice_is_noted(value: Any) -> None:
    """Every repeated key of a text is noted at its pointer, in the text's order, and nothing else is."""
    text = _written((("root", value),))
    assert [note.pointer for note in parse(text, thorough=True).notes] == _expected(
        value, ("root",)
    )


def test_the_notes_of_one_text_are_limited() -> None:
    """A text of nothing but one key is a hundred notes, not a million."""
    text = "{" + ", ".join(['"a": 1'] * 1000) + "}"
    assert len(parse(text, thorough=True).notes) == duplicates.MAX_NOTES


@pytest.mark.parametrize("thorough", [True, False])
def test_they_are_searched_when_asked(thorough: bool) -> None:  # noqa: FBT001
    """N1: duplicate keys are notes of `specfn check`; `strict` refuses them; loading does not search."""
    text = f'{HEAD}, "paths": {{"/a": {{}}, "/a": {{}}}}}}'.encode()
    application = convert(text, DEFAULT, thorough=thorough)
    assert [note.pointer for note in application.notes] == ["/paths/~1a"] * thorough
    assert application.diagnostics == application.notes
    assert load(text).notes == ()
    with pytest.raises(DocumentError) as refused:
        load(text, check="strict")
    assert refused.value.pointer == "/paths/~1a"
