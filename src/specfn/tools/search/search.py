"""Search over functions: BM25F with three rules for APIs.

Rule 1 prefers paths that the query covers. Rule 2 treats unknown words as names, and prefers operations that search.
Rule 3 inserts operations that yield the path parameters of those found.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Final, TypeAlias

from specfn._internal.caller_arguments import require, require_callables, require_whole_numbers
from specfn.function.function import Function
from specfn.tools.search.producers import Producers, Subject
from specfn.tools.search.texts import (
    WEIGHTS,
    Components,
    fields_of,
    is_one_edit,
    path_words,
    stem,
    words_of,
)

#: The maximum number of words of a query that are read.
_QUERY_WORDS: Final = 64

#: The share of a list that inserted producers may have, and the number of results before the first.
_PRODUCERS: Final = 0.4
_UNTOUCHED: Final = 3

#: The minimum length of a word that is corrected.
_CORRECTED: Final = 5

#: The constants of BM25F: the saturation of frequencies, and the weight of lengths.
_K1: Final = 1.2
_B: Final = 0.75

#: The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
_FUSION: Final = 60

_SEARCHING: Final = frozenset(map(stem, ("search", "find", "lookup", "look", "query", "suggest")))

#: The maximum number of characters of a summary in a line.
_MAX_SUMMARY_CHARACTERS: Final = 120

#: The result of a search that found no function.
_NOTHING_FOUND: Final = "No function fits these words. Search again with other words of the task."

#: Ranks functions by another method, for example embeddings: the query and the functions to the best ones, in order.
Rank: TypeAlias = Callable[[str, Sequence[Function]], Sequence[Function]]


@dataclass(frozen=True, slots=True)
class Found:
    """A function that a search found.

    Attributes:
        function: the function.
        score: its score; comparable within one search only.
        why: the words of the query that it contains, or `yields NAME` for an inserted producer.
        needs: for each path parameter, the name of a function that yields its value, if there is one.
        name: the name that a model calls.
    """

    function: Function
    score: float
    why: str
    needs: Mapping[str, str]
    name: str


class Search:
    """A search over functions. The index is built on the first query."""

    def __init__(self, subjects: Iterable[tuple[str, Function, Components]]) -> None:
        """Prepare a search over functions, each with the name that a model calls and the component schemas of its document."""
        self._subjects = tuple(Subject(*each) for each in subjects)

    def find(
        self,
        query: str,
        limit: int = 10,
        *,
        among: frozenset[str] | None = None,
        rank: Rank | None = None,
    ) -> list[Found]:
        """Return the functions that fit a query, best first.

        Args:
            query: words of any language. A query without words finds nothing.
            limit: the maximum number of results.
            among: the names of the functions that may be found; all if ``None``.
            rank: another ranking, fused with that of the words by reciprocal rank.

        Raises:
            UsageError: the limit is below 1.
        """
        require("query", query, str, "a text")
        require_whole_numbers(limit=limit)
        require_callables(rank=rank)
        known, unknown = self._split_known(list(dict.fromkeys(words_of(query)))[:_QUERY_WORDS])
        scores = self._scores(known, unknown)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
        if rank is not None:
            ranked = self._fuse(rank, query, ranked)
        if among is not None:
            ranked = [number for number in ranked if self._subjects[number].name in among]
        return [
            self._found(number, scores.get(number, 0.0), produced, known)
            for number, produced in self._with_producers(ranked, limit, among)
        ]

    # -- the index ----------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> "_Index":
        return _Index([fields_of(f, name, components) for name, f, components in self._subjects])

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        return [path_words(each.function) for each in self._subjects]

    @cached_property
    def _producers(self) -> Producers:
        return Producers(self._subjects, self._searching)

    @cached_property
    def _searching(self) -> list[int]:
        """Return the functions that search, by the words of their paths and operationIds."""
        return [
            number
            for number, (_, function, _) in enumerate(self._subjects)
            if function.safety == "read"
            and _SEARCHING & {*self._paths[number], *words_of(function.operation_id or "")}
        ]

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        """Return the words of the index by their length, to correct words of a query."""
        found: dict[int, list[str]] = defaultdict(list)
        for word in self._index.words:
            found[len(word)].append(word)
        return found

    def _split_known(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Separate known words, also corrected ones, from words that no function contains."""
        known, unknown = [], []
        for word in words:
            found = word if word in self._index else self._correct(word)
            if found is None:
                unknown.append(word)
            else:
                known.append(found)
        return known, unknown

    def _correct(self, word: str) -> str | None:
        """Return the most frequent word of the index at edit distance 1."""
        if len(word) < _CORRECTED:
            return None
        similar = (
            other
            for length in (len(word) - 1, len(word), len(word) + 1)
            for other in self._by_length.get(length, ())
            if is_one_edit(word, other)
        )
        return min(similar, key=lambda other: (self._index.idf(other), other), default=None)

    # -- the ranking ----------------------------------------------------------------------------------

    def _scores(self, known: Sequence[str], unknown: Sequence[str]) -> dict[int, float]:
        """Return the score of each function with rules 1 and 2."""
        scores = self._index.scores(known)
        covered = self._covered_functions(known)
        for number in scores:
            path = self._paths[number]
            if path:
                scores[number] *= 1 + 0.5 * sum(word in covered for word in path) / len(path)
        if unknown:
            bonus = 0.5 * self._index.idf(unknown[0]) * min(len(unknown), 2) / 2
            for number in self._searching:
                scores[number] = scores.get(number, 0.0) + bonus
        return scores

    def _covered_functions(self, words: Sequence[str]) -> frozenset[str]:
        """Return the words of static paths that a query contains, also as the beginning of its words."""
        beginnings = {word[:length] for word in words for length in range(3, len(word) + 1)}
        return self._path_words & (beginnings | frozenset(words))

    @cached_property
    def _path_words(self) -> frozenset[str]:
        return frozenset(word for path in self._paths for word in path)

    def _fuse(self, rank: Rank, query: str, ranked: Sequence[int]) -> list[int]:
        """Fuse the ranking with that of the caller."""
        functions = tuple(each.function for each in self._subjects)
        numbers = {id(function): number for number, function in enumerate(functions)}
        other = [numbers[id(each)] for each in rank(query, functions) if id(each) in numbers]
        fused: dict[int, float] = defaultdict(float)
        for ranking in (ranked, other):
            for place, number in enumerate(ranking):
                fused[number] += 1 / (_FUSION + place)
        return sorted(fused, key=lambda number: (-fused[number], number))

    def _with_producers(
        self, ranked: Sequence[int], limit: int, among: frozenset[str] | None
    ) -> Iterator[tuple[int, str]]:
        """Yield the ranking; after the third result also producers, with the parameter that each yields."""
        room = int(limit * _PRODUCERS)
        top = frozenset(ranked[:limit])
        given: dict[int, str] = {}
        for place, number in enumerate(ranked):
            given.setdefault(number, "")
            if place + 1 < _UNTOUCHED:
                continue
            for earlier in ranked[: place + 1] if place + 1 == _UNTOUCHED else (number,):
                for name, producer in self._producers.needs(earlier).items():
                    allowed = among is None or self._subjects[producer].name in among
                    if room > 0 and allowed and producer not in given:
                        room -= producer not in top
                        given[producer] = name
            if len(given) >= limit:
                break
        yield from list(given.items())[:limit]

    def _found(self, number: int, score: float, produced: str, known: Sequence[str]) -> Found:
        name, function, _ = self._subjects[number]
        why = f"yields {produced}" if produced else ", ".join(self._index.common(number, known))
        needs = {
            key: self._subjects[each].name for key, each in self._producers.needs(number).items()
        }
        return Found(function, round(score, 4), why, needs, name)


class _Index:
    """An inverted index of functions with BM25F scores (Robertson and Zaragoza, 2009, section 3.6).

    Attributes:
        size: the number of functions.
    """

    def __init__(self, documents: Sequence[Mapping[str, Sequence[str]]]) -> None:
        """Index the words of each field of each function."""
        self.size = len(documents)
        averages = {
            field: sum(len(document[field]) for document in documents) / max(1, self.size) or 1.0
            for field in WEIGHTS
        }
        self._functions: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._frequencies: dict[str, array[float]] = defaultdict(lambda: array("f"))
        for number, document in enumerate(documents):
            weights: dict[str, float] = defaultdict(float)
            for field, weight in WEIGHTS.items():
                words = document[field]
                norm = weight / (1 - _B + _B * len(words) / averages[field])
                for word, count in Counter(words).items():
                    weights[word] += norm * count
            for word, frequency in weights.items():
                self._functions[word].append(number)
                self._frequencies[word].append(frequency)
        self._functions.default_factory = None
        self._frequencies.default_factory = None

    def __contains__(self, word: str) -> bool:
        return word in self._functions

    @property
    def words(self) -> Iterable[str]:
        """All words of the index."""
        return self._functions.keys()

    def idf(self, word: str) -> float:
        """Return the inverse document frequency of a word, also of an unknown one."""
        known = len(self._functions.get(word, ()))
        return log(1 + (self.size - known + 0.5) / (known + 0.5))

    def common(self, number: int, words: Iterable[str]) -> list[str]:
        """Return the words that a function contains."""
        return [word for word in words if self._has(number, word)]

    def _has(self, number: int, word: str) -> bool:
        numbers = self._functions.get(word, ())
        place = bisect_left(numbers, number)
        return place < len(numbers) and numbers[place] == number

    def scores(self, words: Iterable[str]) -> dict[int, float]:
        """Return the BM25F score of each function that contains one of the words."""
        scores: dict[int, float] = defaultdict(float)
        for word in words:
            if word not in self._functions:
                continue
            idf = self.idf(word)
            frequencies = self._frequencies[word]
            for number, frequency in zip(self._functions[word], frequencies, strict=True):
                scores[number] += idf * frequency / (_K1 + frequency)
        return scores


# -- texts for a model -----------------------------------------------------------------------------------------


def search_description(count: int, titles: str) -> str:
    """Return the description of a search tool.

    Args:
        count: the number of functions.
        titles: the titles of the APIs.
    """
    return (
        f"Search the {count} functions of {titles}. Returns one line per function: its name, whether it reads or changes "
        "data, its summary, and the functions whose results supply its arguments."
    )


def found_lines(found: Sequence[Found]) -> str:
    """Return found functions, one line each."""
    return "\n".join(map(_line, found)) if found else _NOTHING_FOUND


def _line(found: Found) -> str:
    """Return a function as one line: its name, its safety, its summary, and the functions that yield its arguments."""
    function = found.function
    summary = " ".join((function.summary or function.method_and_path).split())
    needs: dict[str, list[str]] = {}
    for parameter, producer in found.needs.items():
        needs.setdefault(producer, []).append(parameter)
    sources = "; ".join(f"{', '.join(names)}: from {producer}" for producer, names in needs.items())
    line = f"{found.name} [{function.safety}] {summary[:_MAX_SUMMARY_CHARACTERS]}"
    return f"{line} ({sources})" if sources else line
