"""How many steps a regular expression of Python takes for a text, counted by a matcher of its own that backtracks as Python's does.

Nothing is measured in time. The matcher tries what Python's tries, in the same order, without its short cuts: a count that is
linear here is linear there.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from typing import Any, Final, TypeAlias

from re import _parser as parser  # type: ignore[attr-defined]  # isort: skip

_Next: TypeAlias = Callable[[int], bool]

_SETS: Final = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_SINGLE: Final = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}


class TooManyStepsError(Exception):
    """The limit of steps is reached."""


class _Characters(dict[str, bool]):
    """Whether a part of an expression contains a character, for each character that was asked for."""

    def __init__(self, op: str, value: Any, flags: int) -> None:
        super().__init__()
        self._part = op, _hashable(value)
        self._flags = flags

    def __missing__(self, char: str) -> bool:
        self[char] = _contains(*self._part, char, self._flags)
        return self[char]


class Steps:
    """A matcher of one expression that counts its steps."""

    def __init__(self, expression: "re.Pattern[Any]") -> None:
        pattern = expression.pattern
        text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        self._flags = expression.flags
        self.tree = parser.parse(text, self._flags & ~re.UNICODE)
        self._text = ""
        self._limit = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._parts: dict[int, tuple[Any, Any, Any]] = {}
        self.count = 0

    def scan(self, text: str, limit: int) -> int:
        """The steps of a search for all matches, from each position that no match covers."""
        self._start(text, limit)
        at = 0
        while at <= len(text):
            end = self._match(at)
            at = end if end is not None and end > at else at + 1
        return self.count

    def tokens(self, text: str, limit: int) -> int:
        """The steps of matches one behind the other, until there is none."""
        self._start(text, limit)
        at: int | None = 0
        while at is not None:
            end = self._match(at)
            at = end if end is not None and end > at else None
        return self.count

    def match(self, text: str, limit: int) -> int:
        """The steps of one match of the whole text from its beginning: the dearer one of ``match`` and ``fullmatch``."""
        self._start(text, limit)
        self._run(self.tree.data, 0, lambda end: end == len(text))
        return self.count

    def _start(self, text: str, limit: int) -> None:
        self._text, self._limit, self.count, self._groups = text, limit, 0, {}

    def _match(self, at: int) -> int | None:
        ends: list[int] = []

        def keep(end: int) -> bool:
            ends.append(end)
            return True

        self._groups = {}
        return ends[0] if self._run(self.tree.data, at, keep) else None

    def _step(self) -> None:
        self.count += 1
        self._check()

    def _check(self) -> None:
        if self.count > self._limit:
            raise TooManyStepsError

    def _run(self, items: list[Any], at: int, then: _Next) -> bool:
        parts, text = self._parts, self._text
        for index, item in enumerate(items):
            self.count += 1
            if self.count > self._limit:
                raise TooManyStepsError
            kept, advance, fits = parts.get(id(item)) or self._part(item)
            if advance is not None:
                rest = items[index + 1 :]
                return bool(
                    advance(kept[1], at, partial(self._run, rest, then=then) if rest else then)
                )
            if at >= len(text) or not fits[text[at]]:
                return False
            at += 1
        return then(at)

    def _part(self, item: Any) -> tuple[Any, Any, Any]:
        """Return an item, which is kept so that no other gets its identity, its method, and the characters that it contains.

        There is no method for a character or a class.
        """
        op, value = item
        flags = self._flags & (re.IGNORECASE | re.DOTALL | re.ASCII)
        advance = None if str(op) in _SINGLE else getattr(self, f"_{str(op).lower()}")
        self._parts[id(item)] = item, advance, _Characters(str(op), value, flags)
        return self._parts[id(item)]

    def _subpattern(self, value: Any, at: int, then: _Next) -> bool:
        number, _, _, inner = value

        def close(end: int) -> bool:
            before = self._groups.get(number)
            if number is not None:
                self._groups[number] = (at, end)
            if then(end):
                return True
            if number is not None and before is not None:
                self._groups[number] = before
            return False

        return self._run(inner.data, at, close)

    def _branch(self, value: Any, at: int, then: _Next) -> bool:
        for option in value[1]:  # noqa: SIM110  # any() in each round would overflow the stack of C
            if self._run(option.data, at, then):
                return True
        return False

    def _max_repeat(self, value: Any, at: int, then: _Next) -> bool:
        least, most, inner = value
        if len(inner.data) == 1 and str(inner.data[0][0]) in _SINGLE:
            ends = self._singles(inner.data[0], at, most)
            for end in range(ends, at + least - 1, -1):
                self._step()
                if then(end):
                    return True
            return False
        return self._rounds(least, most, inner.data, at, then, lazy=False)

    def _min_repeat(self, value: Any, at: int, then: _Next) -> bool:
        least, most, inner = value
        return self._rounds(least, most, inner.data, at, then, lazy=True)

    def _rounds(
        self, least: int, most: int, inner: list[Any], at: int, then: _Next, *, lazy: bool
    ) -> bool:
        self._step()

        def again(end: int) -> bool:
            if end == at and least <= 0:
                return False
            return self._rounds(least - 1, most - 1, inner, end, then, lazy=lazy)

        if least > 0:
            return self._run(inner, at, again)
        if lazy:
            return then(at) or (most > 0 and self._run(inner, at, again))
        return (most > 0 and self._run(inner, at, again)) or then(at)

    def _singles(self, item: Any, at: int, most: int) -> int:
        _, _, fits = self._parts.get(id(item)) or self._part(item)
        text = self._text
        end, last = at, min(len(text), at + most)
        while end < last and fits[text[end]]:
            end += 1
        self.count += end - at
        self._check()
        return end

    def _possessive_repeat(self, value: Any, at: int, then: _Next) -> bool:
        ends: list[int] = []
        self._step()
        self._max_repeat(value, at, lambda end: not ends.append(end))
        return bool(ends) and then(ends[0])

    def _atomic_group(self, value: Any, at: int, then: _Next) -> bool:
        end = self._alone(value.data, at)
        return end is not None and then(end)

    def _alone(self, items: list[Any], at: int) -> int | None:
        ends: list[int] = []
        return ends[0] if self._run(items, at, lambda end: not ends.append(end)) else None

    def _assert(self, value: Any, at: int, then: _Next) -> bool:
        return self._looks(value, at) and then(at)

    def _assert_not(self, value: Any, at: int, then: _Next) -> bool:
        return not self._looks(value, at) and then(at)

    def _looks(self, value: Any, at: int) -> bool:
        direction, inner = value
        start = at if direction > 0 else at - inner.getwidth()[0]
        return start >= 0 and self._alone(inner.data, start) is not None

    def _at(self, value: Any, at: int, then: _Next) -> bool:
        text, name = self._text, str(value)
        if name in {"AT_BOUNDARY", "AT_NON_BOUNDARY"}:
            sides = [
                0 <= i < len(text) and (text[i].isalnum() or text[i] == "_") for i in (at - 1, at)
            ]
            return (sides[0] != sides[1]) == (name == "AT_BOUNDARY") and then(at)
        many = bool(self._flags & re.MULTILINE)
        if name in {"AT_BEGINNING", "AT_BEGINNING_STRING"}:
            is_here = at == 0 or (many and name == "AT_BEGINNING" and text[at - 1] == "\n")
        else:
            is_here = at == len(text) or (
                name == "AT_END" and text[at] == "\n" and (many or at == len(text) - 1)
            )
        return is_here and then(at)

    def _groupref(self, value: Any, at: int, then: _Next) -> bool:
        start, end = self._groups.get(value, (0, -1))
        part = self._text[start:end]
        self.count += len(part)
        return end >= start and self._text.startswith(part, at) and then(at + len(part))


@lru_cache(maxsize=100_000)
def _contains(name: str, value: Any, char: str, flags: int) -> bool:
    if flags & re.IGNORECASE:
        return any(
            _contains(name, value, one, flags & ~re.IGNORECASE)
            for one in {char, char.lower(), char.upper()}
            if len(one) == 1
        )
    code = ord(char)
    if name == "LITERAL":
        return bool(code == value)
    if name == "NOT_LITERAL":
        return bool(code != value)
    if name == "ANY":
        return char != "\n" or bool(flags & re.DOTALL)
    negated = any(kind == "NEGATE" for kind, _ in value)
    return negated != any(_has(kind, part, char, flags) for kind, part in value)


def _has(kind: str, part: Any, char: str, flags: int) -> bool:
    if kind == "LITERAL":
        return bool(ord(char) == part)
    if kind == "RANGE":
        return bool(part[0] <= ord(char) <= part[1])
    return kind == "CATEGORY" and re.match(_SETS[str(part)], char, flags & re.ASCII) is not None


def _hashable(value: Any) -> Any:
    return tuple((str(kind), part) for kind, part in value) if isinstance(value, list) else value


def hostile_texts(steps: Steps) -> Iterator[tuple[str, str, str]]:
    """Texts that drive an expression round its loops: each as a head, what is repeated, and a tail."""
    loops = [*dict.fromkeys(_loops(list(steps.tree), ""))]
    if not loops:
        return
    letters = _letters(steps.tree)
    pumps = [pump for head, body in loops for pump in (body, head + body, head)]
    pumps += letters[:12]
    pumps += [one + other for one in letters[:5] for other in letters[:5]]
    heads = [*dict.fromkeys(["", *(head for head, _ in loops)])][:4]
    for pump in dict.fromkeys(pump for pump in pumps if 0 < len(pump) <= 40):
        for head in heads:
            for tail in ("", "\x01", *letters[:1]):
                yield head, pump, tail


def _loops(items: list[Any], head: str) -> Iterator[tuple[str, str]]:
    """Each unbounded loop of an expression: a text before it, and a text of one round; with bounded loops of many rounds."""
    for op, value in items:
        name = str(op)
        if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            if value[1] > 8:
                for body in {sample(list(value[2]), choice) for choice in range(4)}:
                    yield head, body
            yield from _loops(list(value[2]), head)
        elif name == "SUBPATTERN":
            yield from _loops(list(value[3]), head)
        elif name == "BRANCH":
            for option in value[1]:
                yield from _loops(list(option), head)
        elif name == "ATOMIC_GROUP":
            yield from _loops(list(value), head)
        elif name in {"ASSERT", "ASSERT_NOT"}:
            yield from _loops(list(value[1]), head)
        head += sample([(op, value)], 0)


def sample(items: Iterable[Any], choice: int) -> str:
    """A text that a part of an expression matches, if it looks neither ahead nor back."""
    text = ""
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            text += chr(value)
        elif name in {"NOT_LITERAL", "ANY", "IN"}:
            fitting = [c for c in _ALPHABET if _contains(name, _hashable(value), c, re.DOTALL)]
            fitting = (
                fitting
                or [
                    c
                    for c in map(chr, range(0x20, 0x2100))
                    if _contains(name, _hashable(value), c, 0)
                ][:3]
            )
            text += fitting[choice % len(fitting)] if fitting else ""
        elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            text += sample(value[2], choice) * min(max(value[0], min(value[1], choice % 2)), 20)
        elif name == "SUBPATTERN":
            text += sample(value[3], choice)
        elif name == "ATOMIC_GROUP":
            text += sample(value, choice)
        elif name == "BRANCH":
            text += sample(value[1][choice % len(value[1])], choice)
    return text


_ALPHABET: Final = "a0 -_.A/\"'\\<{[(,:;=&\n\t\x01é…"


def _letters(tree: Any) -> list[str]:
    """A character for each single character or class of an expression."""
    found: dict[str, None] = {}
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple) and item and str(item[0]) in _SINGLE:
            found[sample([item], 0)] = None
            found[sample([item], 1)] = None
        elif isinstance(item, list | tuple | parser.SubPattern):
            waiting.extend(item)
    return [letter for letter in found if letter]


@cache
def worst_text(expression: "re.Pattern[Any]", way: str) -> tuple[str, str, str] | None:
    """Return ``None`` if four times a hostile text takes about four times the steps; else such a text.

    Args:
        expression: the expression.
        way: the method of ``Steps``: ``match``, ``tokens`` or ``scan``.
    """
    steps = Steps(expression)
    run = getattr(steps, way)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        for text in hostile_texts(steps):
            if _grows(run, text, 20, 30_000) and _grows(run, text, 400, 2_000_000):
                return text
    finally:  # other tests need the usual limit: beyond it, the stack ends
        sys.setrecursionlimit(limit)
    return None


def _grows(
    run: Callable[[str, int], int], text: tuple[str, str, str], times: int, limit: int
) -> bool:
    """Whether the steps grow faster than a text. A bounded loop, such as ``a{0,61}``, does so for short texts only."""
    head, pump, tail = text
    try:
        few = run(head + pump * times + tail, limit // 4)
        run(head + pump * 4 * times + tail, min(limit, 5 * few + 400))
    except TooManyStepsError:
        return True
    return False
