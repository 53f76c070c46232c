r"""Cost of a document's regular expressions, and the refusal of those that cost too much (rule V5, threats T15 and T41).

Ordinary patterns run in linear time. Lookaround and backreferences backtrack, with limited steps. Three risks remain:

* Counted repetitions multiply: ``(.{0,500}){0,20}`` is an automaton with ten thousand states. Matching is linear in
  states times characters, so each pattern has a *weight*.
* The engine writes out each copy of a class as ranges of bytes: ``\p{L}{1,1000}`` is 15 characters, and 43 MB when it
  is compiled. So each pattern has a *size*, which is estimated before anything is compiled.
* A pattern that exceeds its steps ends the whole validation without an error. So its cost is computed before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn.schema.patterns.ast import (
    LAST,
    Alt,
    At,
    Back,
    Chars,
    Group,
    Look,
    Node,
    Ranges,
    Regex,
    Repeat,
    Seq,
    opposite,
    without_surrogates,
)

Kind: TypeAlias = Literal["plain", "heavy", "backtracking", "refused"]

#: Above this weight, the cost of matching depends on the text.
HEAVY: Final = 256

#: The maximum number of bytes of one compiled pattern, of all patterns of a function, and of those of an application.
MAX_PATTERN_BYTES: Final = 1 << 20
MAX_FUNCTION_BYTES: Final = 4 << 20
MAX_APPLICATION_BYTES: Final = 256 << 20

#: Above this number of bytes, a pattern may be one of those that exceed the limit of a function.
LARGE_BYTES: Final = MAX_PATTERN_BYTES // 16

#: The weight of a Unicode property, compared with a plain character class.
_PROPERTY_WEIGHT: Final = 50

#: The bytes of a compiled Unicode property; the largest one needs 56,115. They are measured with the engine, and so are
#: all constants below.
_PROPERTY_BYTES: Final = 57_000
_KNOWN_PROPERTY_BYTES: Final[Mapping[str, int]] = {
    "L": 44_000,
    "Lu": 28_000,
    "Ll": 28_000,
    "Lo": 35_000,
    "Lm": 5_200,
    "Lt": 700,
    "M": 20_000,
    "Mn": 20_000,
    "Mc": 11_000,
    "N": 11_000,
    "Nd": 5_400,
    "Nl": 1_300,
    "No": 5_400,
    "P": 13_000,
    "Pc": 700,
    "Pd": 1_500,
    "Po": 12_000,
    "S": 17_000,
    "Sc": 2_000,
    "Sm": 4_200,
    "Sk": 2_300,
    "So": 14_000,
    "Z": 700,
    "Zs": 700,
    "Zl": 200,
    "Zp": 200,
    "Cc": 300,
    "ASCII": 100,
    "Any": 1_200,
}

#: The additional bytes of a complement.
_COMPLEMENT_BYTES: Final = 1_300

#: The bytes of a class, and of one more range of ASCII or one more byte of a longer encoding in it.
_CLASS_BYTES: Final = 80
_ASCII_RANGE_BYTES: Final = 8
_ENCODED_BYTES: Final = 40

#: The bytes of a branch, a copy of a repeated part, a group or an anchor.
_NODE_BYTES: Final = 48

#: The bytes of a lookaround, which has an engine of its own. A word boundary is written as four.
_LOOK_BYTES: Final = 4_096

#: The maximum factor by which other cases of letters enlarge a class.
_CASES: Final = 5

#: The last code points of the encodings with 1, 2 and 3 bytes.
_ENCODINGS: Final = (0x7F, 0x7FF, 0xFFFF, LAST)


class PatternVerdict(NamedTuple):
    """The classification of one pattern.

    Attributes:
        kind: ``plain`` patterns are always enforced, ``refused`` ones never; ``heavy`` and ``backtracking`` ones if the
            arguments are small enough.
        weight: the estimated number of states of its automaton.
        size: the estimated number of bytes that it needs when it is compiled.
        reason: why it is refused.
    """

    kind: Kind
    weight: int
    size: int
    reason: str = ""


class PatternSize(NamedTuple):
    """The size of a pattern or of a part of it.

    Attributes:
        weight: the estimated number of states of its automaton.
        size: the estimated number of bytes when it is compiled.
        backtracks: whether it has lookaround or backreferences. The engine counts the rounds of such a part instead of
            writing out its copies.
        unsure: whether it has a Unicode property that the engine may not know.
    """

    weight: int
    size: int
    backtracks: bool = False
    unsure: bool = False


def bytes_of_function(functions: int) -> int:
    """Return the maximum number of bytes of the patterns of one function: an equal share of those of the application.

    Each function has room for one pattern of any size. The share depends on the document only, and not on the functions
    that were called before.
    """
    share = MAX_APPLICATION_BYTES // max(functions, 1)
    return max(MAX_PATTERN_BYTES, min(share, MAX_FUNCTION_BYTES))


def refused(
    patterns: Iterable[str], classify: Callable[[str], PatternVerdict], limit: int
) -> dict[str, str]:
    """Return the patterns of one function that are not enforced, each with the reason.

    The smallest patterns have precedence, so that a large one never takes the room of many others.
    Together they have at most ``limit`` bytes.
    """
    verdicts = {pattern: classify(pattern) for pattern in patterns}
    reasons = {pattern: one.reason for pattern, one in verdicts.items() if one.kind == "refused"}
    room = limit
    for pattern, verdict in sorted(verdicts.items(), key=lambda pair: (pair[1].size, pair[0])):
        if pattern not in reasons:
            room -= verdict.size
            if room < 0:
                reasons[pattern] = (
                    f"the patterns of the function need more than {limit >> 10:,} KiB"
                )
    return {pattern: reasons[pattern] for pattern in verdicts if pattern in reasons}


def measure(regex: Regex) -> PatternSize:
    """Estimate the size of a pattern: its atoms times the counts around them."""
    return _measure(regex.node, _CASES if regex.ignore_case else 1)


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


def _measure(node: Node, cases: int) -> PatternSize:
    match node:
        case Chars():
            weight = _PROPERTY_WEIGHT if node.properties else 1
            unsure = any(one.name not in _KNOWN_PROPERTY_BYTES for one in node.properties)
            return PatternSize(weight, _class_bytes(node) * cases, unsure=unsure)
        case Seq(parts) | Alt(parts):
            sizes = [_measure(part, cases) for part in parts]
            branches = len(sizes) if isinstance(node, Alt) else 0
            return PatternSize(
                sum(one.weight for one in sizes),
                sum(one.size for one in sizes) + branches * _NODE_BYTES,
                any(one.backtracks for one in sizes),
                any(one.unsure for one in sizes),
            )
        case Repeat(repeated, least, most):
            inner = _measure(repeated, cases)
            copies = max(least if most is None else most, 1)
            size = (inner.size + _NODE_BYTES) * (1 if inner.backtracks else copies)
            return inner._replace(weight=inner.weight * copies, size=size)
        case Group(grouped):
            inner = _measure(grouped, cases)
            return inner._replace(size=inner.size + _NODE_BYTES)
        case Look(sought):
            inner = _measure(sought, cases)
            return inner._replace(size=inner.size + _LOOK_BYTES, backtracks=True)
        case At(place) if place in {"boundary", "inside"}:
            return PatternSize(1, 4 * _LOOK_BYTES, backtracks=True)
        case At():
            return PatternSize(1, _NODE_BYTES)
        case Back():
            return PatternSize(1, _NODE_BYTES, backtracks=True)


@lru_cache(maxsize=1024)
def _class_bytes(chars: Chars) -> int:
    """Estimate the bytes of a compiled class. The engine writes it as sequences of ranges of bytes in UTF-8."""
    if not chars.properties:
        return _ranges_bytes(opposite(chars.ranges) if chars.negated else chars.ranges)
    size = _ranges_bytes(chars.ranges) + _COMPLEMENT_BYTES * chars.negated
    for one in chars.properties:
        size += _KNOWN_PROPERTY_BYTES.get(one.name, _PROPERTY_BYTES)
        size += _COMPLEMENT_BYTES * one.negated
    return size


def _ranges_bytes(ranges: Ranges) -> int:
    size = 0
    for first, last in without_surrogates(ranges):
        size += _ASCII_RANGE_BYTES if first <= _ENCODINGS[0] else 0
        size += _ENCODED_BYTES * _ranges_in_utf8(first, last)
    is_character = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return size + (_ENCODED_BYTES if is_character else _CLASS_BYTES)


def _ranges_in_utf8(first: int, last: int) -> int:
    """Return the number of ranges of bytes that the code points of a range beyond ASCII are written as."""
    total, code = 0, max(first, _ENCODINGS[0] + 1)
    for length, final in enumerate(_ENCODINGS, start=1):
        end = min(last, final) + 1
        while code < end:
            block = 1  # the largest aligned block of 64, 64 * 64, ... code points from here on
            while code % (block * 64) == 0 and code + block * 64 <= end:
                block *= 64
            parent = block * 64
            neighbours = (min(parent - code % parent, end - code)) // block
            total += length
            code += neighbours * block
    return total
