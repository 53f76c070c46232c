"""T15: a pattern that a document brings must not keep the process busy."""

from collections import Counter
from typing import Any

import jsonschema_rs
import pytest
from tests.effort import ends

from specfn.schema.patterns.engine import MAX_STEPS, classify
from specfn.validation.compile.engine import pattern_cost
from specfn.validation.validate import Validator

#: Patterns that are known to take exponential or high polynomial time in backtracking engines, with what triggers it.
KNOWN: list[tuple[str, str]] = [
    (r"^(a+)+$", "a" * 49 + "!"),
    (r"^(a*)*$", "a" * 49 + "!"),
    (r"^(a|a)*$", "a" * 49 + "!"),
    (r"^(a|aa)+$", "a" * 49 + "!"),
    (r"^([a-zA-Z]+)*$", "a" * 49 + "!"),
    (r"^(\w+\s?)*$", "a " * 24 + "!!"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 50),
    (r"^(.*a){20}$", "a" * 49 + "!"),
    (r"^([0-9a-zA-Z]([-.\w]*[0-9a-zA-Z])*@)", "a" * 50),
    (r"(x+x+)+y", "x" * 50),
    (r"^(?=(a+)+$)b", "a" * 49 + "!"),
    (r"^((a+)+)\1$", "a" * 49 + "!"),
    (r"^(a|a)*\1$", "a" * 49 + "!"),
    (r"^(?:(?:a?){30})(?:a{30})$", "a" * 29),
    (r"(?<=(a+)+)b", "a" * 50),
    (r"^(?!(a+)+$)", "a" * 49 + "!"),
    (r"\s+$", " " * 49 + "x"),
    (r"^(.{0,30}){0,30}x$", "a" * 50),
    (r"((a{1,100}){1,100}){1,100}", "a" * 50),
    (r"^\p{L}{1,255}$", "é" * 50),
]


LONG = [r"(.{0,50}){0,10}x$", r"^((?!foo).)*$", r"^(a+)+$", r"(\w+\s)*x$"]

FORMATS = (
    "date-time duration email hostname idn-hostname ipv6 uri iri uri-template uuid json-pointer regex byte"
).split()
LONG_TEXTS = [
    "a" * 100_000,
    "1." * 50_000,
    "(" * 3_000,
    "[" * 50_000,
    "xn--a." * 20_000,
    "%61" * 30_000,
    "((a{1,100}){1,100}){1,100}",
]

#: The most work, in states times characters, that one validation may need.
WORK = 40_000_000

SCRIPT = """
from specfn.validation.validate import Validator
for schema, value in GIVEN:
    outcome = Validator(schema).validate(value)
    assert outcome or outcome.feedback()
print("alive", len(GIVEN), end="")
"""


def work(pattern: str, texts: list[str]) -> int:
    """The most steps that a pattern gets for texts.

    They are those of states and characters where the engine is linear, the engine's limit where it backtracks,
    and none where the pattern is left unchecked.
    """
    judgement = classify(pattern)
    cost = pattern_cost([pattern])
    if judgement.kind == "refused" or (cost is not None and not cost.affordable(texts)):
        return 0
    if judgement.kind == "backtracking":
        return MAX_STEPS * len(texts)
    return max(judgement.weight, 1) * sum(map(len, texts))


@pytest.mark.parametrize(("pattern", "text"), KNOWN, ids=range(len(KNOWN)))
def test_known_patterns_are_bounded(pattern: str, text: str) -> None:
    """T15: a pattern known to be dangerous gets a bounded number of steps, for one text and for thousands."""
    assert work(pattern, [text]) <= 1_000_000
    assert work(pattern, [text] * 3_000) <= WORK


@pytest.mark.parametrize("pattern", LONG)
def test_long_texts_are_bounded(pattern: str) -> None:
    """T15: so it does for one text of a hundred thousand characters."""
    assert work(pattern, ["a" * 100_000]) <= WORK


def test_every_validation_ends() -> None:
    """T15: what would take years is decided, or said to be unchecked, wherever the pattern stands."""
    given: list[tuple[Any, Any]] = [
        pair
        for pattern, text in KNOWN
        for pair in (
            ({"pattern": pattern}, text),
            ({"patternProperties": {pattern: False}}, {text: 1}),
            ({"propertyNames": {"pattern": pattern}}, {text: 1}),
            ({"items": {"type": "string", "pattern": pattern}}, [text] * 30),
        )
    ]
    given += [({"pattern": pattern}, "a" * 100_000) for pattern in LONG]
    assert ends(f"GIVEN = {given!r}", SCRIPT) == f"alive {len(given)}"


def test_every_format_ends() -> None:
    """T15: so are the formats of long texts."""
    given = [({"format": name}, text) for name in FORMATS for text in LONG_TEXTS]
    assert ends(f"GIVEN = {given!r}", SCRIPT) == f"alive {len(given)}"


def test_what_is_not_enforced_is_said() -> None:
    """T15: a pattern that is left out is named, and refuses nothing."""
    pattern = r"((a{1,100}){1,100}){1,100}"
    validator = Validator({"pattern": pattern})
    assert validator.is_valid("b")
    assert validator.unchecked == (pattern,)


def test_a_pattern_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """T15: however many schemas hold a pattern, and in whatever order, it is compiled alone a bounded number of times.

    To find out that a pattern is too large takes the engine longer than any other thing that a document can ask for.
    """
    genuine = jsonschema_rs.Draft202012Validator
    built: Counter[str] = Counter()

    def counted(schema: Any, *given: Any, **options: Any) -> Any:
        if schema.keys() == {"pattern"}:
            built[schema["pattern"]] += 1
        return genuine(schema, *given, **options)

    monkeypatch.setattr(jsonschema_rs, "Draft202012Validator", counted)
    kinds = [r"^once{}$", r"^(?=once{})x$", r"^(\p{{L}}{{1,99}}once{}){{1,99}}$", r"once{}(?<a"]
    patterns = [kind.format(index) for kind in kinds for index in range(40)]
    for _ in range(3):
        for pattern in patterns:
            validator = Validator({"properties": {"a": {"pattern": pattern}}})
            validator.validate({"a": "x"})
    assert len(built) >= 40
    assert max(built.values()) <= 2, built.most_common(3)
