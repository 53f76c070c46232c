r"""Regular expressions of a document: which are enforced, and at what price (rule V5, threat T15).

The engine reads ECMA-262 patterns and runs ordinary ones in linear time; lookaround and backreferences
backtrack under a limit. Two things remain. Counted repetitions multiply (``(.{0,500}){0,20}`` is a machine of
ten thousand states, and linear in states times characters), so each pattern has a *weight*. And running out of
backtracking steps ends the whole validation without a word, so the price is known before it is paid.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["plain", "heavy", "backtracking", "refused"]

#: The most steps that one backtracking pattern may take on one text.
STEPS: Final = 10_000

#: The most bytes of one compiled pattern; ``\p{L}{1,255}`` needs 20 MB.
_SIZE: Final = 50 << 20

#: Above these a pattern is weighed against its text, or refused before it is compiled.
_HEAVY: Final = 256
_REFUSED: Final = 20_000

#: What the heavy patterns of one schema may weigh together: compiling takes 5 ms for a thousand states.
_TOGETHER: Final = 100_000

#: The most work, in states times characters, that the patterns of one validation may need.
WORK: Final = 40_000_000

#: What one code point of a Unicode property costs against one of a plain class.
_PROPERTY: Final = 50

_TOKEN: Final = re.compile(
    r"""
    (?P<property> \\[pP]\{[^}]*\} | \\[pP]. )
    | (?P<atom>     \\. | \[\^?\]?(?:\\.|[^\]\\])*\] )
    | (?P<open>     \( )
    | (?P<close>    \) )
    | (?P<count>    \{(?P<least>\d+)(?:,(?P<most>\d*))?\} )
    | (?P<other>    . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Judgement(NamedTuple):
    """What is known of one pattern.

    Attributes:
        kind: ``plain`` patterns are always enforced, ``refused`` ones never; ``heavy`` and ``backtracking`` ones
            where the arguments are small enough.
        weight: about how many states its machine has.
    """

    kind: Kind
    weight: int


class Price(NamedTuple):
    """What the costly patterns of one schema need.

    Attributes:
        patterns: all costly ones.
        backtracking: those that may run out of steps.
        weight: what the heavy ones need per character.
    """

    patterns: tuple[str, ...]
    backtracking: tuple[str, ...]
    weight: int

    def affordable(self, value: Any) -> bool:
        """Whether the patterns can be run over every text of a value within ``WORK``."""
        texts = characters = 0
        for text in texts_of(value):
            texts += 1
            characters += len(text)
        return characters * self.weight + texts * len(self.backtracking) * STEPS <= WORK

    def exhausted(self, value: Any) -> tuple[str, ...]:
        """The backtracking patterns that run out of steps on some text of a value."""
        texts = set(texts_of(value))
        return tuple(
            pattern
            for pattern in self.backtracking
            if any(_runs_out(pattern, text) for text in texts)
        )


@lru_cache(maxsize=4096)
def judge(pattern: str) -> Judgement:
    """Judge one pattern, once per process."""
    weight = weigh(pattern)
    if weight > _REFUSED:
        return Judgement("refused", weight)
    if _is_linear(pattern):
        return Judgement("heavy" if weight > _HEAVY else "plain", weight)
    return Judgement("refused" if _alone(pattern) is None else "backtracking", weight)


def refused(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns of one schema that are not enforced: what is no pattern, or too large, alone or together."""
    found = []
    room = _TOGETHER
    for pattern in patterns:
        weight = weigh(pattern)
        if weight > _HEAVY:
            room -= weight
        if (room < 0 and weight > _HEAVY) or judge(pattern).kind == "refused":
            found.append(pattern)
    return tuple(found)


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern that is enforced is found in a text."""
    engine = _alone(pattern)
    return engine is not None and bool(engine.is_valid(text))


def regex_options() -> Any:
    """The engine's options for patterns."""
    from jsonschema_rs import FancyRegexOptions  # noqa: PLC0415 - loaded with the first validator

    return FancyRegexOptions(backtrack_limit=STEPS, size_limit=_SIZE, dfa_size_limit=_SIZE)


def weigh(pattern: str) -> int:
    """Estimate how many states a pattern's machine has: atoms times the counts around them."""
    totals, lasts = [0], [0]
    for match in _TOKEN.finditer(pattern):
        kind = match.lastgroup
        if kind == "open":
            totals.append(0)
            lasts.append(0)
        elif kind == "close" and len(totals) > 1:
            inner = totals.pop()
            lasts.pop()
            totals[-1] += inner
            lasts[-1] = inner
        elif kind == "count":
            times = _times(match)
            totals[-1] = min(totals[-1] + lasts[-1] * (times - 1), _REFUSED + 1)
            lasts[-1] = min(lasts[-1] * times, _REFUSED + 1)
        else:
            lasts[-1] = _PROPERTY if kind == "property" else 1
            totals[-1] += lasts[-1]
    return sum(totals)


def texts_of(value: Any) -> Iterator[str]:
    """Every text of a sound value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is str:
            yield item
        elif type(item) is dict:
            yield from item
            waiting.extend(item.values())
        elif type(item) is list:
            waiting.extend(item)


def price(patterns: Iterable[str]) -> Price | None:
    """What a schema's patterns need beyond linear time; ``None`` where all of them are plain."""
    costly = [
        (pattern, judgement)
        for pattern in patterns
        if (judgement := judge(pattern)).kind in {"heavy", "backtracking"}
    ]
    if not costly:
        return None
    return Price(
        tuple(pattern for pattern, _ in costly),
        tuple(pattern for pattern, judgement in costly if judgement.kind == "backtracking"),
        sum(judgement.weight for _, judgement in costly if judgement.weight > _HEAVY),
    )


def _times(match: re.Match[str]) -> int:
    """How often a counted repetition repeats at most, up to more than is ever accepted."""
    digits = match["most"] or match["least"]
    return max(int(digits), 1) if len(digits) < 7 else _REFUSED + 1


@lru_cache(maxsize=4096)
def _alone(pattern: str) -> Any:
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - loaded with the first validator

    try:
        return Draft202012Validator(
            {"pattern": pattern}, offline=True, pattern_options=regex_options()
        )
    except ValueError:
        return None


def _is_linear(pattern: str) -> bool:
    from jsonschema_rs import Draft202012Validator, RegexOptions  # noqa: PLC0415 - likewise

    options = RegexOptions(size_limit=_SIZE, dfa_size_limit=_SIZE)
    try:
        Draft202012Validator({"pattern": pattern}, offline=True, pattern_options=options)
    except ValueError:
        return False
    return True


def _runs_out(pattern: str, text: str) -> bool:
    engine = _alone(pattern)
    if engine is None or engine.is_valid(text):
        return False
    # the kind's name is "pattern" for both: only the class tells a mismatch from running out of steps
    return any(type(error.kind).__name__ != "Pattern" for error in engine.iter_errors(text))
