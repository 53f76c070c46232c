"""T15: a pattern that a document brings must not keep the process busy."""

import time
from typing import Any

import pytest

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


def seconds(validator: Validator, value: Any) -> float:
    start = time.perf_counter()
    outcome = validator.validate(value)
    if not outcome:
        outcome.feedback()
    return time.perf_counter() - start


@pytest.mark.parametrize(("pattern", "text"), KNOWN, ids=range(len(KNOWN)))
@pytest.mark.parametrize("place", ["pattern", "patternProperties", "propertyNames"])
def test_known_patterns_are_bounded(pattern: str, text: str, place: str) -> None:
    """T15: each pattern known to be dangerous is decided, or said to be unchecked, within 50 ms."""
    validator, value = {
        "pattern": (Validator({"pattern": pattern}), text),
        "patternProperties": (Validator({"patternProperties": {pattern: False}}), {text: 1}),
        "propertyNames": (Validator({"propertyNames": {"pattern": pattern}}), {text: 1}),
    }[place]
    validator.is_valid(None)  # compiling is paid for once
    assert min(seconds(validator, value) for _ in range(3)) < 0.05


@pytest.mark.parametrize(("pattern", "text"), KNOWN, ids=range(len(KNOWN)))
def test_many_texts_are_bounded(pattern: str, text: str) -> None:
    """T15: so are thousands of such texts at once."""
    validator = Validator({"items": {"type": "string", "pattern": pattern}})
    validator.is_valid(None)
    assert seconds(validator, [text] * 3_000) < 3


@pytest.mark.parametrize(
    "pattern", [r"(.{0,500}){0,20}x$", r"^((?!foo).)*$", r"^(a+)+$", r"(\w+\s)*x$"]
)
def test_long_texts_are_bounded(pattern: str) -> None:
    """T15: so is one text of a hundred thousand characters."""
    validator = Validator({"pattern": pattern})
    validator.is_valid(None)
    assert seconds(validator, "a" * 100_000) < 1


def test_compiling_is_bounded() -> None:
    """T15: a document full of patterns that are expensive to build does not take seconds to build."""
    patterns = [rf"^\p{{L}}{{1,{900 + index}}}x{index}$" for index in range(40)]
    start = time.perf_counter()
    validator = Validator(
        {
            "properties": {
                f"p{index}": {"pattern": pattern} for index, pattern in enumerate(patterns)
            }
        }
    )
    assert validator.is_valid({})
    assert time.perf_counter() - start < 3


def test_formats_are_bounded() -> None:
    """T15: formats of long texts take time of their length."""
    names = (
        "date-time",
        "duration",
        "email",
        "hostname",
        "idn-hostname",
        "ipv6",
        "uri",
        "iri",
        "uri-template",
        "uuid",
        "json-pointer",
        "regex",
        "byte",
    )
    texts = (
        "a" * 100_000,
        "1." * 50_000,
        "(" * 3_000,
        "[" * 50_000,
        "xn--a." * 20_000,
        "%61" * 30_000,
        "((a{1,100}){1,100}){1,100}",
    )
    for name in names:
        validator = Validator({"format": name})
        validator.is_valid("")
        for text in texts:
            assert seconds(validator, text) < 0.5, name


def test_what_is_not_enforced_is_said() -> None:
    """T15: a pattern that is left out is named, and refuses nothing."""
    pattern = r"((a{1,100}){1,100}){1,100}"
    validator = Validator({"pattern": pattern})
    assert validator.is_valid("b")
    assert validator.unchecked == (pattern,)
