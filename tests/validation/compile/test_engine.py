import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specfn.errors import DocumentError
from specfn.schema.patterns.engine import classify, matches
from specfn.schema.patterns.to_rust import to_rust
from specfn.validation.validate import Validator

#: Pattern, texts in which it is found, texts in which it is not.
PATTERNS: list[tuple[str, list[str], list[str]]] = [
    (r"^a$", ["a"], ["a\n", "ab", ""]),
    (r"b", ["abc"], ["ac"]),
    (r"^.$", ["é", "😀", "\x85"], ["\n", "\r", "\u2028", "\u2029", ""]),
    (r"^\d+$", ["123"], ["١٢٣", "1a"]),
    (r"^\w+$", ["aZ_9"], ["é", "a-b"]),
    (r"^\s$", [" ", "\u00a0", "\u3000", "\ufeff", "\u2028"], ["\x85", "\u200b", "a"]),
    (r"^\S$", ["\x85", "a"], ["\u1680"]),
    (r"\bé", ["aé"], [" é", "é"]),
    (r"a\b", ["aé", "a"], ["ab"]),
    (r"^a\B.$", ["ab"], ["a-", "aé"]),
    (r"^[\w-.]+$", ["a-b.c"], ["a/b"]),
    (r"^[a-\d]$", ["a", "-", "5"], ["b"]),
    (r"^[a&&b]$", ["a", "b", "&"], ["c"]),
    (r"^[[a]$", ["[", "a"], ["b"]),
    (r"^[]a]", [], ["]", "a"]),
    (r"^[^]$", ["]", "\n"], [""]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^a{$", ["a{"], ["a"]),
    (r"^a{,3}$", ["a{,3}"], ["aaa"]),
    (r"^}]$", ["}]"], ["]}"]),
    (r"^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
    (r"^(?:ab|c)+$", ["abcab"], ["abd", ""]),
    (r"^\x41\u0042\u{43}\cA\0$", ["ABC\x01\x00"], ["ABC"]),
    (r"^\ud83d\ude00$", ["😀"], ["😁"]),
    (r"^[\ud800-\udbff][\udc00-\udfff]$", ["😀"], ["a"]),
    (r"^[^\ud800-\udfff]$", ["a", "😀"], [""]),
    (r"^\/\-\_\@\:$", ["/-_@:"], ["/"]),
    (r"^(?=.*\d)(?=.*[a-z]).{3,}$", ["ab1"], ["abc", "a1"]),
    (r"^(?!.*--)[a-z-]+$", ["a-b"], ["a--b"]),
    (r"(?<=\$)\d+(?!\d)", ["$12"], ["12", "$"]),
    (r"(?<!a+)b", ["b", "cb"], ["aab"]),
    (r"^(?=a)*b$", ["b"], ["ab"]),
    (r"^(a|b)\1$", ["aa", "bb"], ["ab"]),
    (r"^(?<q>['\"]).*\k<q>$", ["'x'", '"x"'], ["'x\""]),
    (r"^(?P<n>a)$", ["a"], ["b"]),
    (r"(?i)^straße$", ["STRASSE"[:4] + "ßE", "straße"], ["strasse"]),
    (r"(?i)^[a-c]+$", ["aBC"], ["d"]),
    (r"(?s)^.$", ["\n"], [""]),
    (r"\A\d\z", ["5"], ["5\n", "a5"]),
    (r"^\p{L}+$", ["aé日"], ["1"]),
    (r"^\p{Lu}\P{Lu}$", ["Ab"], ["ab", "AB"]),
    (r"^[\p{L}\p{Nd}_]+$", ["é٣_"], ["-"]),
    (r"^\p{Letter}\p{gc=Nd}$", ["a1"], ["1a"]),
    (r"^[^\p{L}]$", ["1"], ["a"]),
    (r"^(a+)+$", ["aaa"], ["aaab"]),
    (r"^(a|aa)+$", ["aaa"], ["aaab"]),
    (r"^(?:(?:a?){30})(?:a{30})$", ["a" * 30], ["a" * 29]),
    (r"^[0-9]+\.?[0-9]+$", ["12", "1.2"], ["1", "1.", ".2"]),
    (r"^a+b*a+b?a+$", ["aaa", "ababa"], ["a", "aa", "aba"]),
    (r"^(?:(?:ab)+c?(?:ab)+|x)+$", ["abab", "abcab", "x"], ["ab", "abc"]),
    (r"^(x?)a+b*a+\1$", ["aa", "xabax"], ["a", "xax"]),
    (r"", ["", "x"], []),
    (r"a|", ["", "x"], []),
    (r"x*", ["", "x"], []),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), PATTERNS, ids=range(len(PATTERNS)))
def test_patterns_are_ecma_262(pattern: str, good: list[str], bad: list[str]) -> None:
    """V5: patterns have the meaning that ECMA-262 gives them, by code points."""
    assert classify(pattern).kind != "refused"
    spelled = to_rust(pattern)
    assert [text for text in good if not matches(spelled, text)] == []
    assert [text for text in bad if matches(spelled, text)] == []
    validator = Validator({"pattern": pattern})
    assert [text for text in (*good, *bad) if validator.is_valid(text)] == good
    assert validator.unchecked == ()


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "[", "a**", "*a", "a{2,1}", "[b-a]", r"\u{110000}", "(?<a>x)(?<a>y)", r"\2(a)"),
        *("(?>a)", "a++", "(?x)a", r"\Qa\E", r"\R", r"\h", "[[:alpha:]]", r"\a", "(?#c)", "(?i:a)"),
        *("(" * 200 + ")" * 200, "a{99999}", r"\k<x>(?<y>a)", "(?<=a)*", "^*"),
    ],
)
def test_what_is_no_pattern_is_not_enforced(pattern: str) -> None:
    """V5: a pattern that is invalid in ECMA-262 is not enforced, even if other dialects accept it."""
    assert classify(pattern).kind == "refused"
    validator = Validator({"pattern": pattern, "type": "string"})
    assert validator.is_valid("anything")
    assert not validator.is_valid(5)
    assert validator.unchecked == (pattern,)


#: Atoms of ECMA-262 that Python's ``re`` spells differently, with that spelling (flag ASCII).
_WHITE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
OTHERS = {
    ".": r"[^\n\r\u2028\u2029]",
    r"\s": f"[{_WHITE}]",
    r"[^\s]": f"[^{_WHITE}]",
    "$": r"(?:\Z)",
    r"\B": r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",  # an empty text counts
    r"\p{L}": r"(?:[^\W\d_]|é|ß)",
    r"\P{Lu}": "[^AZ]",
    r"(b)\1": r"(b)(?:(?(1)\1|))",
}
ATOMS = [
    *("a", "b", ".", r"\d", r"\w", r"\s", r"\W", "[a-c]", "[^a]", r"[\w-]", "(a|b)", "(?:ab)"),
    *(r"\b", r"\B", "^", "$", "(?=a)", "(?!b)", "(?<=a)", "(?<!a)", "é", "[é-ü]", r"\p{L}"),
    *(r"\P{Lu}", r"[^\s]", "(a*)", "x?", r"\.", r"(b)\1", "-", "[-a]"),
]
pieces = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}"])),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(pieces, st.lists(st.text("aAbZ09-_ \n.éß😀", max_size=8), max_size=5))
def test_patterns_mean_what_they_mean_in_python(
    some: list[tuple[str, str]], texts: list[str]
) -> None:
    """V5: a pattern is found where Python's ``re`` finds the same pattern, its atoms spelled as ``re`` has them."""
    pattern = "".join(atom + count for atom, count in some)
    assume(classify(pattern).kind != "refused")
    other = "".join(OTHERS.get(atom, atom) + count for atom, count in some)
    spelled, oracle = to_rust(pattern), re.compile(other, re.ASCII)
    for text in texts:
        assert matches(spelled, text) is bool(oracle.search(text)), (pattern, text)


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"multipleOf": 0.01}, 19.99, True),
        ({"multipleOf": 0.1}, 0.35, False),
        ({"multipleOf": 1e-7}, 1e-7, True),
        ({"multipleOf": 7}, 10**30, False),
        ({"multipleOf": 7}, 7 * 10**30, True),
        ({"multipleOf": 0.5}, 1e308, True),
        ({"type": "integer"}, 1e300, True),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, True, False),
        ({"const": 1}, 1.0, True),
        ({"const": 1}, True, False),
        ({"enum": [[1, {"a": True}]]}, [1.0, {"a": True}], True),
        ({"enum": [[1, {"a": True}]]}, [1, {"a": 1}], False),
        ({"maximum": 2**70}, 2**70, True),
        ({"maximum": 2**70}, 2**70 + 1, False),
        ({"exclusiveMaximum": 2**70}, 2**70, False),
        ({"minimum": 0.1}, 0.1, True),
        ({"minimum": 9007199254740993}, 9007199254740992, False),
        ({"minimum": -1e308}, -(10**308), True),
        ({"uniqueItems": True}, [1, True, 0, False, "1", None], True),
        ({"uniqueItems": True}, [1, 1.0], False),
        ({"uniqueItems": True}, [{"a": [1]}, {"a": [True]}], True),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], False),
        ({"minLength": 1, "maxLength": 1}, "😀", True),
        ({"maxLength": 1}, "e\u0301", False),
        ({"format": "int64"}, 2**63, False),
        ({"format": "uint64"}, 2**64 - 1, True),
    ],
    ids=range(27),
)
def test_numbers_and_equality(schema: Any, value: Any, valid: bool) -> None:  # noqa: FBT001 - a case
    """V5: numbers are exact whatever their size, and equality is that of JSON."""
    assert Validator(schema).is_valid(value) is valid


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "text"},
        {"properties": {"a": {"minLength": "3"}}},
        {"required": "a"},
        {"items": 5},
        {"$ref": "#/$defs/A", "$defs": {"A": {"maximum": "x"}}},
    ],
    ids=range(5),
)
def test_what_is_no_schema(schema: Any) -> None:
    """A schema that is none is the document's fault, at its place."""
    with pytest.raises(DocumentError, match="not a JSON Schema"):
        Validator(schema).is_valid(1)
