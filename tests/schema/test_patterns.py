import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema_rs import Draft4Validator

from specfn.schema.compose.root_facts import is_common

#: ECMA-262 as metaschemas ask for it.
ECMA = Draft4Validator({"format": "regex"})

TOKENS = (
    r"a - ^ $ . | ( ) (?: (?= (?! (?<= (?<n> (?P<n> (?i) (?> (?# [ ] [^ { } {2} {2,} {,2} {1-2} * + ? , "
    r"\d \w \W \s \b \B \A \Z \z \a \0 \01 \1 \x41 \x4 \u0041 \u00 \. \- \@ \/ \{ \} \[ \] \\"
).split()


@pytest.mark.parametrize(
    "pattern",
    [r"^[\w.-]+@\w+\.[a-z]{2,}$", r"a{2}?|(?:b\/)*", r"(?<=a)b(?!c)", r"\-\@", "é+"],
)
def test_ordinary_patterns_are_shown(pattern: str) -> None:
    """F7: what ECMA-262 and Python read is shown as a pattern."""
    assert is_common(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"\Aa\Z", "{a", "a}", "a]", "(?i)a", "(?P<n>a)", "a++", "[0-9]{,2}", "[a-z]{1-70}", "(?=a)*"],
)
def test_words_of_other_dialects_are_described(pattern: str) -> None:
    """F7: what Python reads but ECMA-262 does not is no pattern of a schema that is to be valid."""
    assert not is_common(pattern)


@given(st.lists(st.sampled_from(TOKENS), max_size=8).map("".join))
@example(r"^(\/|(\/(?!\.)+[^$#<>;`|&?{}^*/\n]+){1,4})$")
def test_what_is_shown_is_ecma(pattern: str) -> None:
    """F7: every pattern that is shown satisfies the format ``regex`` of the metaschemas, and Python's ``re``."""
    if is_common(pattern):
        assert ECMA.is_valid(pattern)
        re.compile(pattern)
