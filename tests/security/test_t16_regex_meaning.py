"""T16: a pattern means what ECMA-262 says, not what Python says."""

import pytest

from specfn.validation.validate import Validator

#: Pattern, what it accepts, what it refuses.
MEANINGS: list[tuple[str, list[str], list[str]]] = [
    (r"^[a-z]+$", ["abc"], ["abc\n", "\nabc", "abc\r\n", "ab c", ""]),
    (r"^\d+$", ["0123456789"], ["١٢٣", "１２", "²", "१"]),
    (r"^\w+$", ["aZ_9"], ["é", "ж", "中", "a-b"]),
    (r"^\s$", [" ", "\t", "\n", "\u00a0", "\ufeff", "\u2028"], ["\u200b", "a"]),
    (r"^\D$", ["١", "a"], ["1"]),
    (r"^\W$", ["é", "-"], ["a", "_"]),
    (r"b", ["abc", "b"], ["ac"]),
    (r"^a|b$", ["ax", "xb"], ["xa", "bx"]),
    (r"^.$", ["a", "é", "😀"], ["\n", "", "ab"]),
    (r"^a\/b\-c$", ["a/b-c"], ["a\\/b"]),
    (r"^\u0041\x42$", ["AB"], ["ab"]),
    (r"^[^\d]$", ["a", "١"], ["5"]),
    (r"^(?=.*[A-Z])(?=.*\d).{8,}$", ["aaaaaaA1"], ["aaaaaaa1", "aA1"]),
    (r"^(?!admin$).+$", ["user", "admin1"], ["admin", ""]),
    (r"^(a)\1$", ["aa"], ["a", "ab"]),
    (r"^\p{L}+$", ["éж中"], ["a1"]),
    (r"^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
    (r"^$", [""], ["\n", " "]),
    (r"^.$", ["\x85"], ["\r", "\u2028", "\u2029"]),
    (r"^[^]$", ["\n", "a"], [""]),
    (r"^\bé", [], ["é"]),
    (r"\Bé$", ["é", "éé"], ["aé"]),
    (r"^[\d-x]$", ["-", "5", "x"], ["٣", "y"]),
    (r"^x{,3}$", ["x{,3}"], ["x", "xx"]),
    (r"^(?<n>a)\k<n>$", ["aa"], ["a", "ab"]),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), MEANINGS)
def test_meaning(pattern: str, good: list[str], bad: list[str]) -> None:
    """T16: anchors hold at the ends of the text alone, classes are ASCII, and a pattern is searched for."""
    validator = Validator({"pattern": pattern})
    assert [text for text in good if not validator.is_valid(text)] == []
    assert [text for text in bad if validator.is_valid(text)] == []
    assert validator.unchecked == ()


def test_names_of_properties() -> None:
    """T16: patterns for names mean the same: a line break does not hide a name from them."""
    schema = {"patternProperties": {"^x$": {"type": "integer"}}, "additionalProperties": False}
    problems = Validator(schema).problems({"x": 1, "x\n": 1})
    assert [(problem.path, problem.expected) for problem in problems] == [
        ('$input["x\\n"]', "undefined")
    ]


def test_patterns_are_for_text() -> None:
    """T16: a pattern says nothing of what is not text."""
    assert Validator({"pattern": "^a"}).is_valid(5)
