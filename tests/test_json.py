"""JSON text to values and back: strict, exact, and not too deep to be written again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn._internal import json as _json

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


_SCALARS = st.one_of(
    st.integers(-(10**30), 10**30),
    st.text("0123456789 ,:[-", max_size=60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("0123456789:,-"), inner)
)


@given(
    _VALUES, st.sampled_from([(",", ":"), (", ", ": "), (" ,\r\n", "\t:  "), ("," + " " * 80, ":")])
)
def test_integers_of_any_length_are_exact(value: object, separators: tuple[str, str]) -> None:
    """Integers are exact, whatever digits the strings beside them have, and whatever space is before them."""
    text = json.dumps(value, separators=separators)
    assert _json.loads(text) == value
    assert _json.loads(f" {text}\n".encode()) == value


@given(st.lists(st.sampled_from([r"\ud83d", r"\ude00", r"\\", r"\u0041", r"\"", "a", "ud83d"])))
def test_halves_of_pairs_are_counted(parts: list[str]) -> None:
    """Only halves outside of a pair are replaced, whatever stands around them."""
    text = f'"{"".join(parts)}"'
    found, halves = _json.replace_lone_surrogates(text)
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
    for deep in ("[" * 255, '["]", ' * 255, '{"\\"": ' * 255, "[" * 10**6):
        with pytest.raises(_json.TooDeepError, match="nested deeper than 254 levels"):
            _json.read(deep)


@pytest.mark.parametrize("number", ["1", "9" * 25])
def test_the_levels_of_a_value_are_those_of_its_text(number: str) -> None:
    """A value is deep exactly where it cannot be written by orjson for its depth."""
    for depth in (1, 253, 254, 255, 800):
        text = "[" * depth + number + "]" * depth
        assert _json.is_deep(json.loads(text), text.encode()) is (depth > 254)
    wide = json.dumps([[{"a": number}]] * 1_000)
    assert not _json.is_deep(json.loads(wide), wide.encode())
