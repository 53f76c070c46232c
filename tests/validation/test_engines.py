import random
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validation.test_oracle import definitions, rooted, schemas, slow, values

from specfn.errors import DocumentError, UsageError
from specfn.validation.engine import engine
from specfn.validation.formats import TEXTS
from specfn.validation.survey import survey
from specfn.validation.validate import Validator

RUST, PYTHON = engine("rust"), engine("python")


@slow
@given(schemas, definitions, st.lists(values, min_size=1, max_size=5), st.booleans())
def test_the_same_problems(
    schema: Any,
    named: dict[str, Any],
    some: list[Any],
    equals: bool,  # noqa: FBT001 - drawn
) -> None:
    """V5: verdicts, places, texts and their order are the same, whichever engine decides."""
    root = rooted(schema, named)
    if survey(root).looping:
        return
    rust, python = (Validator(root, equals=equals, engine=name) for name in ("rust", "python"))
    for value in some:
        assert rust.is_valid(value) is python.is_valid(value)
        assert rust.problems(value) == python.problems(value)


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
    (r"", ["", "x"], []),
    (r"a|", ["", "x"], []),
    (r"x*", ["", "x"], []),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), PATTERNS, ids=range(len(PATTERNS)))
@pytest.mark.parametrize("name", ["rust", "python"])
def test_patterns_are_ecma_262(name: Any, pattern: str, good: list[str], bad: list[str]) -> None:
    """V5: patterns have the meaning that ECMA-262 gives them, by code points."""
    one = engine(name)
    assert one.judge(pattern).kind != "refused"
    spelled = one.spell(pattern)
    assert [text for text in good if not one.matches(spelled, text)] == []
    assert [text for text in bad if one.matches(spelled, text)] == []
    validator = Validator({"pattern": pattern}, engine=name)
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
    """V5: what ECMA-262 does not read, and what other dialects mean by it, is refused by both, and refuses nothing."""
    assert RUST.judge(pattern).kind == PYTHON.judge(pattern).kind == "refused"
    for name in ("rust", "python"):
        validator = Validator({"pattern": pattern, "type": "string"}, engine=name)
        assert validator.is_valid("anything")
        assert not validator.is_valid(5)
        assert validator.unchecked == (pattern,)


ATOMS = [
    *("a", "b", ".", r"\d", r"\w", r"\s", r"\W", "[a-c]", "[^a]", r"[\w-]", "(a|b)", "(?:ab)"),
    *(r"\b", r"\B", "^", "$", "(?=a)", "(?!b)", "(?<=a)", "(?<!a)", "é", "[é-ü]", r"\p{L}"),
    *(r"\P{Lu}", r"[^\s]", "(a*)", "x?", r"\.", r"(b)\1", "-", "[-a]"),
]
patterns = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}"])).map(
        "".join
    ),
    min_size=1,
    max_size=5,
).map("".join)


@settings(deadline=None)
@given(patterns, st.lists(st.text("aAbZ09-_ \n.éß😀", max_size=8), max_size=5))
def test_patterns_mean_the_same(pattern: str, texts: list[str]) -> None:
    """V5: an automaton in Python finds what Rust's engine finds."""
    if "refused" in (RUST.judge(pattern).kind, PYTHON.judge(pattern).kind):
        assert RUST.judge(pattern).kind == PYTHON.judge(pattern).kind
        return
    spelled = RUST.spell(pattern)
    for text in texts:
        assert RUST.matches(spelled, text) is PYTHON.matches(pattern, text)


def altered(text: str, others: list[str], chance: random.Random) -> str:
    """A text with one or two characters gone, added, or the rest of another text behind it."""
    for _ in range(chance.randint(1, 2)):
        at = chance.randint(0, len(text))
        match chance.randint(0, 2):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + chance.choice('aZ019-_.:/?#[]@!%{}"\\ +TP·é。') + text[at:]
            case _:
                other = chance.choice(others)
                text = text[:at] + other[chance.randint(0, len(other)) :]
    return text


SEEDS: dict[str, list[str]] = {
    "date": ["2024-02-29", "2023-12-31", "0000-01-01"],
    "date-time": [
        "2026-01-31T12:00:00Z",
        "1990-12-31T15:59:60-08:00",
        "2026-01-31t12:00:00.5+02:00",
    ],
    "time": ["12:00:00Z", "23:59:60Z", "00:29:60+00:30"],
    "duration": ["P1Y2M3DT4H5M6S", "P1W", "PT36H"],
    "email": ["a.b+c@d-e.fg", '"a b"@c.d', "a@[127.0.0.1]", "a@[IPv6:::1]"],
    "idn-email": ["é@ü.de", "a@b"],
    "hostname": ["a.b-c.d1", "xn--nxasmq6b.de"],
    "idn-hostname": ["é.com", "l·l", "실례.테스트"],
    "ipv4": ["127.0.0.1", "255.255.255.255"],
    "ipv6": ["::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "fe80::a:b"],
    "uri": ["http://u:p@a.b:80/c/d?e=f#g", "urn:x:y", "http://[::1]/", "mailto:a@b"],
    "uri-reference": ["/a/b?c#d", "//a:80/b", "./a:b", ""],
    "iri": ["http://é.b/ü?ß#ø", "http://[::1]/"],
    "iri-reference": ["/é?ü", "//é"],
    "uri-template": ["/a/{b}/{+c,d*}{?e:3}", "{#f}%20"],
    "uuid": ["c56a4180-65aa-42ec-a945-5fd21dec0538"],
    "json-pointer": ["/a/~0b~1/", ""],
    "relative-json-pointer": ["0", "1/a~1", "10#"],
    "regex": ["^a+$", r"[a-z]{2,3}\d", "(?<n>a)"],
    "byte": ["aGk=", "-_8", "aGVsbG8"],
}


@pytest.mark.parametrize("name", SEEDS)
def test_formats_mean_the_same(name: str) -> None:
    """V5: a format takes and refuses the same texts, whichever engine checks it."""
    chance = random.Random(name)
    rust, python = (Validator({"format": name}, engine=one) for one in ("rust", "python"))
    texts = SEEDS[name]
    assert [text for text in texts if not rust.is_valid(text)] == []
    for text in texts:
        for _ in range(150):
            other = altered(text, texts, chance)
            assert rust.is_valid(other) is python.is_valid(other), other


def test_every_format_is_compared() -> None:
    """No format is asserted that is not compared."""
    assert {"base64", "base64url"} == TEXTS.keys() - SEEDS.keys()


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
@pytest.mark.parametrize("name", ["rust", "python"])
def test_numbers_and_equality(name: Any, schema: Any, value: Any, valid: bool) -> None:  # noqa: FBT001 - a case
    """V5: numbers are exact whatever their size, and equality is that of JSON."""
    assert Validator(schema, engine=name).is_valid(value) is valid


@pytest.mark.parametrize("name", ["rust", "python"])
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
def test_what_is_no_schema(name: Any, schema: Any) -> None:
    """A schema that is none is the document's fault, at its place."""
    with pytest.raises(DocumentError, match="not a JSON Schema"):
        Validator(schema, engine=name).is_valid(1)


SCRIPT = """
import sys

sys.modules["jsonschema_rs"] = None
import specfn
from specfn.demo.document import document

application = specfn.load(document())
function = application["listOrders"]
assert function.validate({"query": {"limit": 3}})
outcome = function.check('{"query": {"limit": "many"}}')
assert not outcome
print(outcome.errors[0].path, sys.modules["jsonschema_rs"])
"""


def test_without_jsonschema_rs() -> None:
    """Where jsonschema-rs is not installed, functions load and check all the same."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert run.stdout == "$input.query.limit None\n", run.stderr[-1_000:]


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for an engine that is not installed is the caller's mistake."""
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    engine.cache_clear()
    with pytest.raises(UsageError, match="jsonschema-rs"):
        engine("rust")
    assert engine("auto").name == "python"
    engine.cache_clear()
