"""Producers: functions that yield the values of path parameters."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from specfn.function.function import Function
from specfn.tools.search.texts import Components, path_words, properties, words_of

#: Words in the name of a parameter that do not name the identified resource.
_IDENTIFYING: Final = frozenset({"id", "ids", "key", "slug", "uuid"})


class Subject(NamedTuple):
    """A function that a search can find.

    Attributes:
        name: the name that a model calls.
        function: the function.
        components: the component schemas of its document.
    """

    name: str
    function: Function
    components: Components


class Producers:
    """The functions that yield several things of a kind, by the noun of the kind.

    Args:
        subjects: all functions.
        searching: the numbers of the functions that search.
    """

    def __init__(self, subjects: Sequence[Subject], searching: Collection[int]) -> None:
        """Prepare the look-up; the nouns are collected on first use."""
        self._subjects = subjects
        self._searching = frozenset(searching)
        self._paths = [path_words(each.function) for each in subjects]

    def needs(self, number: int) -> dict[str, int]:
        """Return for each path parameter of a function the best function that yields its value."""
        found = {}
        for noun, name in _nouns(self._subjects[number].function):
            producer = self._producer(number, noun)
            if producer is not None:
                found[name] = producer
        return found

    def _producer(self, number: int, noun: str) -> int | None:
        """Return a function that searches, else the one with the longest common path."""
        path = self._paths[number]
        return min(
            (each for each in self._by_noun.get(noun, ()) if each != number),
            key=lambda each: (
                each not in self._searching,
                -_common(path, self._paths[each]),
                len(self._subjects[each].function.route.parameters),
                each,
            ),
            default=None,
        )

    @cached_property
    def _by_noun(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, (_, function, components) in enumerate(self._subjects):
            segments = function.route.template.segments
            last = segments[-1] if segments else ()
            if function.safety != "read" or any(not isinstance(piece, str) for piece in last):
                continue
            nouns = set(self._paths[number][-1:])
            if function.route.success is not None:
                nouns |= set(_array_nouns(function.route.success.schema, components))
            for noun in nouns:
                found[noun].append(number)
        return found


def _nouns(function: Function) -> Iterator[tuple[str, str]]:
    """Yield the noun and the name of each path parameter: `movie_id` after `/movie` is a `movie`."""
    before: tuple[str, ...] = ()
    for segment in function.route.template.segments:
        for piece in segment:
            if isinstance(piece, str):
                before = words_of(piece) or before
                continue
            own = [word for word in words_of(piece.name) if word not in _IDENTIFYING]
            noun = own[-1] if own else (before[-1] if before else "")
            if noun:
                yield noun, piece.name


def _array_nouns(schema: Any, components: Components) -> Iterator[str]:
    """Yield the nouns of the arrays that a response contains."""
    for name, value in properties(schema, components):
        if value.get("type") == "array":
            yield from words_of(name)[-1:]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the number of words that two paths have in common at their beginning."""
    return next(
        (
            place
            for place, (one, other) in enumerate(zip(left, right, strict=False))
            if one != other
        ),
        min(len(left), len(right)),
    )
