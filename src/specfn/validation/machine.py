"""Runs patterns in Python within a bound, where the engine written in Rust is not there.

Patterns without looks and backreferences run as an automaton whose states are made when they are first reached: one
look into a table for each character. The others are searched step by step, each pair of step and place once.
"""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple, TypeAlias, TypeVar

from specfn.validation.charsets import holds, is_word
from specfn.validation.program import Inner, Kind, Program, program

_T = TypeVar("_T")

#: The most steps that one pattern with looks or backreferences may take on one text.
STEPS: Final = 20_000

#: The most steps that such patterns may take in one validation, and again in the explanation that follows it.
TOGETHER: Final = 300_000

#: How many texts are remembered, and how long each may be.
_TEXTS: Final = 1_000
_LENGTH: Final = 1_000

#: How many states and kinds of characters are remembered.
_STATES: Final = 2_000
_KINDS: Final = 10_000

#: What is on one side of a place: nothing at all, a character of no word, one of a word.
_EDGE, _OTHER, _WORD = 0, 1, 2

_FOUND: Final = -1


class OutOfStepsError(Exception):
    """A pattern takes too long on a text."""


class _Purse(threading.local):
    """What is left for the validation that is under way in a thread.

    Attributes:
        left: how many steps may still be taken.
        explains: whether the verdict is known: then no text is blamed for what would take too long.
        spent: the patterns that took too long.
    """

    left = sys.maxsize  # outside of a validation
    explains = False
    spent: ClassVar[dict[str, None]] = {}

    def begin(self, *, explains: bool) -> None:
        """Begin a validation, or its explanation."""
        self.left = TOGETHER
        self.explains = explains
        self.__dict__["spent"] = {}

    def shared(self, action: Callable[[], _T]) -> Callable[[], _T]:
        """An action that has what is left here in whichever thread it runs."""
        left, explains, spent = self.left, self.explains, self.spent

        def run() -> _T:
            self.left, self.explains = left, explains
            self.__dict__["spent"] = spent
            return action()

        return run


purse: Final = _Purse()


@lru_cache(maxsize=1024)
def machine(pattern: str) -> "Automaton | Searcher":
    """What runs a pattern.

    Raises:
        PatternError: it is no pattern that can be run.
    """
    made = program(pattern)
    return Searcher(pattern, made) if made.looks or made.saves else Automaton(made)


class Automaton:
    """Runs a pattern over a text from left to right, all ways at once."""

    def __init__(self, made: Program) -> None:
        """Take a pattern without looks and backreferences."""
        self._program = made
        self._keys: dict[str, int] = {}
        self._numbers: dict[tuple[frozenset[int], int], int] = {}
        self._states: list[tuple[frozenset[int], int]] = []
        self._table: list[dict[int, int]] = []
        self._start = frozenset((made.entry,))
        self._state(self._start, _EDGE)

    def search(self, text: str) -> bool:
        """Whether the pattern is found in a text."""
        state = 0
        keys = self._keys
        for char in text:
            key = keys.get(char)
            if key is None:
                key = self._key(char)
            following = self._table[state].get(key)
            if following is None:
                following = self._step(state, key)
            if following == _FOUND:
                return True
            state = following
        steps, before = self._states[state]
        return any(
            self._program.steps[step].kind == "done" for step in self._open(steps, before, _EDGE)
        )

    def _key(self, char: str) -> int:
        """What the pattern can see of a character: which sets hold it, and whether it is of a word."""
        ignore_case = self._program.ignore_case
        key = int(is_word(char))
        for number, chars in enumerate(self._program.sets, 1):
            key |= holds(chars, char, ignore_case=ignore_case) << number
        if len(self._keys) < _KINDS:
            self._keys[char] = key
        return key

    def _step(self, state: int, key: int) -> int:
        """The state after a character; remembered."""
        steps, before = self._states[state]
        after = _WORD if key & 1 else _OTHER
        reached = {self._program.entry}  # a match may begin anywhere
        for number in self._open(steps, before, after):
            step = self._program.steps[number]
            if step.kind == "done":
                self._table[state][key] = _FOUND
                return _FOUND
            if key >> (step.value + 1) & 1:
                reached.update(step.following)
        row = self._table[state]
        following = self._state(frozenset(reached), after)
        row[key] = following
        return following

    def _state(self, steps: frozenset[int], before: int) -> int:
        number = self._numbers.get((steps, before))
        if number is not None:
            return number
        if len(self._states) >= _STATES:
            self._numbers.clear()
            self._states.clear()
            self._table.clear()
            self._state(self._start, _EDGE)
        number = self._numbers[steps, before] = len(self._states)
        self._states.append((steps, before))
        self._table.append({})
        return number

    def _open(self, steps: frozenset[int], before: int, after: int) -> Iterator[int]:
        """The steps that wait for a character, and those where a match is complete."""
        waiting = list(steps)
        seen = set(steps)
        while waiting:
            number = waiting.pop()
            step = self._program.steps[number]
            if step.kind in ("chars", "done"):
                yield number
            elif step.kind != "at" or _is_at(step.value, before, after):
                new = [one for one in step.following if one not in seen]
                seen.update(new)
                waiting += new


class Searcher:
    """Tries the ways through a pattern one after the other, none of them twice."""

    def __init__(self, pattern: str, made: Program) -> None:
        """Take any pattern."""
        self._pattern = pattern
        self._program = made
        self._sets: list[dict[str, bool]] = [{} for _ in made.sets]
        self._known: dict[str, bool] = {}

    def search(self, text: str) -> bool:
        """Whether the pattern is found in a text.

        Raises:
            OutOfStepsError: that cannot be said within the limit, or within what is left of the validation's.
        """
        known = self._known.get(text)
        if known is not None:
            return known
        run = _Run(self, text, min(STEPS, purse.left))
        try:
            known = run.anywhere(self._program.entry)
        except OutOfStepsError:
            purse.spent[self._pattern] = None
            if purse.explains:
                return True
            raise
        finally:
            purse.left = max(0, purse.left - run.taken)
        if len(text) <= _LENGTH and len(self._known) < _TEXTS:
            self._known[text] = known
        return known

    def holds(self, number: int, char: str) -> bool:
        """Whether a set of the pattern holds a character."""
        known = self._sets[number].get(char)
        if known is None:
            made = self._program
            known = holds(made.sets[number], char, ignore_case=made.ignore_case)
            if len(self._sets[number]) < _KINDS:
                self._sets[number][char] = known
        return known

    @property
    def program(self) -> Program:
        """The pattern."""
        return self._program


_Groups: TypeAlias = tuple[tuple[int, int], ...]
_Reached: TypeAlias = tuple[int, _Groups]


class _Run:
    """One search: the text, the steps that are left, and what was tried."""

    def __init__(self, searcher: Searcher, text: str, limit: int) -> None:
        self._searcher = searcher
        self._made = searcher.program
        self._text = text
        self._limit = limit
        self.taken = 0
        self._seen: set[tuple[int, int, _Groups]] = set()
        self._looked: dict[tuple[int, int, _Groups], _Groups | None] = {}

    def anywhere(self, entry: int) -> bool:
        """Whether there is a way from any place of the text."""
        return any(
            self.way(entry, at, (), ahead=True) is not None for at in range(len(self._text) + 1)
        )

    def way(self, entry: int, at: int, groups: _Groups, *, ahead: bool) -> _Groups | None:
        """The groups of the first way from a step to the end; ``None`` if there is none."""
        waiting = [(entry, at, groups)]
        seen = self._seen
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            self.taken += 1
            if self.taken > self._limit:
                raise OutOfStepsError
            number, at, groups = state
            step = self._made.steps[number]
            if step.kind == "done":
                return groups
            place = self._KINDS[step.kind](self, step.value, _Place(at, groups, ahead))
            if place is not None:
                waiting += [(one, *place) for one in reversed(step.following)]
        return None

    def _chars(self, number: int, here: "_Place") -> _Reached | None:
        place = here.at if here.ahead else here.at - 1
        if not 0 <= place < len(self._text) or not self._searcher.holds(number, self._text[place]):
            return None
        return (here.at + 1 if here.ahead else here.at - 1), here.groups

    def _split(self, _: None, here: "_Place") -> _Reached:
        return here.at, here.groups

    def _at(self, place: str, here: "_Place") -> _Reached | None:
        fits = _is_at(place, self._side(here.at - 1), self._side(here.at))
        return (here.at, here.groups) if fits else None

    def _save(self, slot: int, here: "_Place") -> _Reached:
        return here.at, tuple(sorted({**dict(here.groups), slot: here.at}.items()))

    def _side(self, place: int) -> int:
        if not 0 <= place < len(self._text):
            return _EDGE
        return _WORD if is_word(self._text[place]) else _OTHER

    def _back(self, value: tuple[int, bool], here: "_Place") -> _Reached | None:
        number, backward = value
        said = dict(here.groups)
        first, last = said.get(number * 2), said.get(number * 2 + 1)
        if first is None or last is None or first > last:
            return None
        again = self._text[first:last]
        place = here.at - len(again) if backward else here.at
        if place < 0 or not self._text.startswith(again, place):
            return None
        return (place if backward else place + len(again)), here.groups

    def _look(self, inner: Inner, here: "_Place") -> _Reached | None:
        key = (inner.entry, here.at, here.groups)
        if key not in self._looked:
            outer, self._seen = self._seen, set()
            self._looked[key] = self.way(inner.entry, here.at, here.groups, ahead=inner.ahead)
            self._seen = outer
        groups = self._looked[key]
        if inner.negated:
            return (here.at, here.groups) if groups is None else None
        return None if groups is None else (here.at, groups)

    _KINDS: ClassVar[Mapping[Kind, Callable[..., _Reached | None]]] = {
        "chars": _chars,
        "split": _split,
        "at": _at,
        "save": _save,
        "back": _back,
        "look": _look,
    }


class _Place(NamedTuple):
    """Where a way has come to, with what its groups hold, and which way it goes."""

    at: int
    groups: _Groups
    ahead: bool


def _is_at(place: str, before: int, after: int) -> bool:
    """Whether a place between two sides is what an assertion asks for."""
    if place == "start":
        return before == _EDGE
    if place == "end":
        return after == _EDGE
    return ((before == _WORD) is not (after == _WORD)) is (place == "boundary")
