"""Cost of a document's regular expressions, and the refusal of those that cost too much (rule V5, threat T15).

Ordinary patterns run in linear time. Lookaround and backreferences backtrack, with limited steps. Two risks remain:

* Counted repetitions multiply: ``(.{0,500}){0,20}`` is an automaton with ten thousand states. Matching is linear in
  states times characters, so each pattern has a *weight*.
* A pattern that exceeds its steps ends the whole validation without an error. So its cost is computed before.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["plain", "heavy", "backtracking", "refused"]

#: Above the first weight, the cost depends on the text; above the second, a pattern is refused.
HEAVY: Final = 256
REFUSED: Final = 20_000

#: The maximum weight of all heavy patterns of one schema together. Compiling takes 5 ms for a thousand states.
_TOGETHER: Final = 100_000

#: The weight of a Unicode property, compared with a plain character class.
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


class PatternVerdict(NamedTuple):
    """The classification of one pattern.

    Attributes:
        kind: ``plain`` patterns are always enforced, ``refused`` ones never; ``heavy`` and ``backtracking`` ones if the
            arguments are small enough.
        weight: the estimated number of states of its automaton.
    """

    kind: Kind
    weight: int


def refused(patterns: Iterable[str], classify: Callable[[str], PatternVerdict]) -> tuple[str, ...]:
    """Return the patterns of one schema that are not enforced: invalid ones, and those that are too large in all."""
    found = []
    room = _TOGETHER
    for pattern in patterns:
        weight = weigh(pattern)
        if weight > HEAVY:
            room -= weight
        if (room < 0 and weight > HEAVY) or classify(pattern).kind == "refused":
            found.append(pattern)
    return tuple(found)


def weigh(pattern: str) -> int:
    """Estimate the number of states of a pattern's automaton: its atoms times the counts around them."""
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
            totals[-1] = min(totals[-1] + lasts[-1] * (times - 1), REFUSED + 1)
            lasts[-1] = min(lasts[-1] * times, REFUSED + 1)
        else:
            lasts[-1] = _PROPERTY if kind == "property" else 1
            totals[-1] += lasts[-1]
    return sum(totals)


def texts_of(value: Any) -> Iterator[str]:
    """Yield all texts of a plain JSON value, including keys."""
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


def _times(match: re.Match[str]) -> int:
    """Return the maximum number of repetitions of a counted repetition, up to a number that is always refused."""
    digits = match["most"] or match["least"]
    return max(int(digits), 1) if len(digits) < 7 else REFUSED + 1
