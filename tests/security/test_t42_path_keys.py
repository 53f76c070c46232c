"""T42: keys with stars are compared with the paths of a document in time that is linear in the path."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import ends_here, examples

from specfn.migrate.operation_keys import path_matches

#: What each wildcard means, as a regular expression.
MEANINGS = {"/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}

PATTERNS = st.lists(st.sampled_from(["a", "b", "/", "/**", "**", "*", "?", "ab"]), max_size=8)


@settings(max_examples=examples(500))
@given(PATTERNS.map("".join), st.text("ab/", max_size=12))
def test_stars_mean_what_they_mean(pattern: str, path: str) -> None:
    """T42: a star is a part of a segment, two are any number of segments, and a question mark is a character."""
    pieces = re.split(r"(/\*\*(?=/|$)|\*\*|\*|\?)", pattern)
    meaning = "".join(MEANINGS.get(piece, re.escape(piece)) for piece in pieces)
    assert path_matches(pattern, path) == (re.fullmatch(meaning, path) is not None)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/**/a/**/a/**/a/**/b", "/a" * 20_000),
        ("*a*a*a*b", "a" * 40_000),
        ("**a**a**a**b", "a" * 40_000),
    ],
)
def test_a_long_path_is_compared_in_linear_time(pattern: str, path: str) -> None:
    """T42: a path of 40,000 characters is compared with a key of several stars."""
    assert ends_here(lambda: path_matches(pattern, path))
