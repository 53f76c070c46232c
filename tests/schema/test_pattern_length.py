"""Which lengths a pattern admits."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.schema.render.bounds_arrays_objects import match_lengths

ATOMS = ["a", "Z", "_", "-", r"\d", r"\w", "[a-z]", "[A-F0-9]", r"[\w-]", r"\.", "@", " "]
COUNTS = ["", "", "{3}", "{1,4}", "{2,}", "?", "+", "*", "{0}"]

plain = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(COUNTS)), max_size=5).map(
    lambda parts: "^" + "".join(atom + count for atom, count in parts) + "$"
)


@given(plain, st.data())
def test_what_matches_has_such_a_length(pattern: str, data: Any) -> None:
    """Every text that a plain pattern matches has a length within the bounds."""
    found = match_lengths(pattern)
    assert found is not None
    least, most = found
    text = data.draw(st.from_regex(re.compile(pattern[1:-1], re.ASCII), fullmatch=True))
    assert least <= len(text)
    assert most is None or len(text) <= most


@given(st.text("^$abc[](){}|?+*\\.-!dwW,019é", max_size=12), st.data())
def test_no_pattern_is_said_to_admit_less(pattern: str, data: Any) -> None:
    """Whatever is in a pattern, no text that it matches is shorter or longer than what is said."""
    found = match_lengths(pattern)
    if found is None:
        return
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII)))
    text = text.removesuffix("\n")  # Python's ``$`` matches before it
    if re.search(pattern, text, re.ASCII):
        least, most = found
        assert least <= len(text)
        assert most is None or len(text) <= most


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^AC[0-9a-fA-F]{32}$", (34, 34)),
        ("^[A-Z]{2}-[0-9]{4}$", (7, 7)),
        (r"^\d{3,5}$", (3, 5)),
        ("^a{2,}$", (2, None)),
        ("^$", (0, 0)),
        ("^a", None),
        ("a$", None),
        ("^(a|b)$", None),
        ("^a|b$", None),
        ("^[^a]$", None),
        ("^.$", None),
        ("^é$", None),
        ("^a{2}{3}$", None),
        ("^a+?$", None),
        (r"^a\$", None),
        (r"^\$$", (1, 1)),
        (r"^\bab$", None),
        (r"^(?=a)a$", None),
        ("^a{,3}$", None),
        ("^[]$", None),
    ],
)
def test_patterns(pattern: str, expected: tuple[int, int | None] | None) -> None:
    """A sequence of ASCII characters and classes has a length; anything else has none that is said."""
    assert match_lengths(pattern) == expected
