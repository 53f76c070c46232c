r"""Regular expressions of a document: which are enforced, and at what price (rule V5, threat T15).

Ordinary ones run in linear time; lookaround and backreferences backtrack under a limit. Two things remain. Counted
repetitions multiply (``(.{0,500}){0,20}`` is a machine of ten thousand states, and linear in states times characters), so each
pattern has a *weight*. And running out of steps ends a whole validation without a word, so the price is known before it
is paid.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["plain", "heavy", "backtracking", "refused"]

#: Above these a pattern is weighed against its text, or refused before it is compiled.
HEAVY: Final = 256
REFUSED: Final = 20_000

#: What the heavy patterns of one schema may weigh together: compiling takes 5 ms for a thousand states.
_TOGETHER: Final = 100_000

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


def refused(patterns: Iterable[str], judge: Callable[[str], Judgement]) -> tuple[str, ...]:
    """The patterns of one schema that are not enforced: what is no pattern, or too large, alone or together."""
    found = []
    room = _TOGETHER
    for pattern in patterns:
        weight = weigh(pattern)
        if weight > HEAVY:
            room -= weight
        if (room < 0 and weight > HEAVY) or judge(pattern).kind == "refused":
            found.append(pattern)
    return tuple(found)


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
            totals[-1] = min(totals[-1] + lasts[-1] * (times - 1), REFUSED + 1)
            lasts[-1] = min(lasts[-1] * times, REFUSED + 1)
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


def _times(match: re.Match[str]) -> int:
    """How often a counted repetition repeats at most, up to more than is ever accepted."""
    digits = match["most"] or match["least"]
    return max(int(digits), 1) if len(digits) < 7 else REFUSED + 1
