"""JSON text to values and back: strict, exact, and without limits of Python's stack."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn import _json

values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_deep_values_are_written_as_others_are(value: Any) -> None:
    """What is written without recursion is what the standard library writes."""
    for indent, separators in ((None, (",", ":")), (2, None)):
        for sort_keys in (False, True):
            written = "".join(_json._pieces(value, indent, sort_keys))
            options: Any = {"indent": indent, "separators": separators, "sort_keys": sort_keys}
            assert written == json.dumps(value, **options)


@pytest.mark.parametrize("depth", [200, 300, 1_000, 5_000])
@pytest.mark.parametrize("kind", [lambda inner: [inner], lambda inner: {"a": inner, "b": 1}])
def test_values_of_any_depth_are_written(kind: Any, depth: int) -> None:
    """Each way to write ends, and what it wrote has as many levels."""
    value: Any = 10**30
    for _ in range(depth):
        value = kind(value)
    for write in (_json.dumps, _json.dumps_indented, _json.dumps_sorted):
        written = write(value)
        assert written.count(b"[") + written.count(b"{") == depth
        if depth < 400:
            assert json.loads(written) == value


LONG = "1" * 25
REFUSED = {
    "halves": rb'["\ud83d", ' + LONG.encode() + b"]",
    "later half": rb'["\\\ud83d\\udc00\udc00", ' + LONG.encode() + b"]",
    "raw half": b'["\xed\xa0\x80", ' + LONG.encode() + b"]",
    "no UTF-8": b'["\xff", ' + LONG.encode() + b"]",
    "NaN": b"[NaN, " + LONG.encode() + b"]",
    "depth": b"[" * 5_000 + LONG.encode() + b"]" * 5_000,
    "great depth": b"[" * 200_000 + LONG.encode(),
    "text": f'["\ud83d", {LONG}]',
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_long_integer_makes_nothing_else_legal(kind: str) -> None:
    """Text with an integer beyond 64 bits is as strict as any other text."""
    with pytest.raises(_json.JSONDecodeError):
        _json.loads(REFUSED[kind])


@given(st.lists(st.sampled_from([r"\ud83d", r"\ude00", r"\\", r"\u0041", r"\"", "a", "ud83d"])))
def test_halves_of_pairs_are_counted(parts: list[str]) -> None:
    """Only halves outside of a pair are replaced, whatever stands around them."""
    text = f'"{"".join(parts)}"'
    found, halves = _json.paired(text)
    read = json.loads(text)
    assert json.loads(found) == read.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "replace"
    )
    assert halves == sum(0xD800 <= ord(each) <= 0xDFFF for each in read)
    if not halves:
        assert found == text


def test_depth_is_counted_outside_of_strings() -> None:
    """Brackets in strings, with quotes and backslashes around them, are no levels."""
    text = json.dumps(["[" * 2_000, '"' + "[" * 2_000, "\\" + "{" * 2_000]) + " "
    assert _json.read(text) == json.loads(text)
    for deep in ("[" * 1_025, '["]", ' * 1_025, '{"\\"": ' * 1_025):
        with pytest.raises(_json.JSONDecodeError, match="nested too deeply"):
            _json.read(deep)
