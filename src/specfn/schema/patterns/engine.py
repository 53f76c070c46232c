"""The engine of patterns, which is that of jsonschema-rs, with limits of steps and memory (rule V5)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from specfn.schema.patterns.cost import (
    HEAVY,
    LARGE_BYTES,
    MAX_PATTERN_BYTES,
    PatternVerdict,
    measure,
)
from specfn.schema.patterns.ecma import PatternError, read
from specfn.schema.patterns.to_rust import to_rust
from specfn.schema.walk import walk

#: The maximum number of steps that one backtracking pattern may take on one text.
MAX_STEPS: Final = 10_000

#: The maximum number of bytes of one compiled pattern for the engine. Large patterns need at most double the estimate, so
#: the engine never refuses a pattern whose estimate is within the limit.
_ENGINE_BYTES: Final = 4 * MAX_PATTERN_BYTES

_LIMIT: Final = f"{MAX_PATTERN_BYTES >> 20} MiB"


@lru_cache(maxsize=4096)
def classify(pattern: str) -> PatternVerdict:
    """Classify one pattern, once per process."""
    try:
        weight, size, backtracks, unsure = measure(read(pattern))
    except PatternError as error:
        return PatternVerdict("refused", 0, 0, f"not a regular expression: {error}")
    if size > MAX_PATTERN_BYTES:
        return PatternVerdict("refused", weight, size, f"needs more than {_LIMIT}")
    if (backtracks or unsure) and compiled(to_rust(pattern)) is None:
        return PatternVerdict("refused", weight, size, "the engine cannot read it")
    if backtracks:
        return PatternVerdict("backtracking", weight, size)
    return PatternVerdict("heavy" if weight > HEAVY else "plain", weight, size)


def enforcement(keyword: str, value: Any) -> str:
    """Return whether validation enforces a keyword, as the end of a sentence: it runs no pattern that is refused."""
    verdicts = [classify(pattern) for pattern in patterns_in({keyword: value})]
    if any(one.kind == "refused" for one in verdicts):
        return "validation does not run it"
    if any(one.size > LARGE_BYTES for one in verdicts):
        return "validation enforces it, unless a note says otherwise"
    return "validation enforces it"


def matches(spelled: str, text: str) -> bool:
    """Return whether a text contains a match of a pattern in Rust's dialect."""
    pattern = compiled(spelled)
    return pattern is not None and bool(pattern.is_valid(text))


def runs_out(spelled: str, text: str) -> bool:
    """Return whether a pattern in Rust's dialect exceeds its steps on a text."""
    pattern = compiled(spelled)
    if pattern is None or pattern.is_valid(text):
        return False
    # Both errors have the kind "pattern". Only its class distinguishes a mismatch from exceeded steps.
    return any(type(error.kind).__name__ != "Pattern" for error in pattern.iter_errors(text))


def pattern_options() -> Any:
    """Return the limits of each pattern, as an option of jsonschema-rs."""
    from jsonschema_rs import FancyRegexOptions  # noqa: PLC0415 - loaded with the first validator

    return FancyRegexOptions(
        backtrack_limit=MAX_STEPS, size_limit=_ENGINE_BYTES, dfa_size_limit=_ENGINE_BYTES
    )


@lru_cache(maxsize=64)  # each needs up to 2 MiB
def compiled(spelled: str) -> Any:
    """Return a validator of one pattern in Rust's dialect; ``None`` if the engine cannot read it."""
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - loaded with the first validator

    try:
        return Draft202012Validator(
            {"pattern": spelled}, offline=True, pattern_options=pattern_options()
        )
    except ValueError:
        return None


def patterns_in(schema: Any) -> Iterator[str]:
    """Yield the patterns of a schema and of the schemas within it. References are not followed."""
    for node in walk(schema):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        if isinstance(node.get("patternProperties"), dict):
            yield from node["patternProperties"]
