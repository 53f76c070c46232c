"""Inverted index of functions with BM25F scores (Robertson and Zaragoza, 2009, section 3.6)."""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

from specfn.tools.search.texts import WEIGHTS

K1: Final = 1.2
_B: Final = 0.75


class Index:
    """The weighted frequencies of all words in all functions.

    Attributes:
        size: the number of functions.
    """

    def __init__(self, documents: Sequence[Mapping[str, Sequence[str]]]) -> None:
        """Index the words of each field of each function."""
        self.size = len(documents)
        averages = {
            field: sum(len(each[field]) for each in documents) / max(1, self.size) or 1.0
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
        found: dict[int, float] = defaultdict(float)
        for word in words:
            if word not in self._functions:
                continue
            idf = self.idf(word)
            frequencies = self._frequencies[word]
            for number, frequency in zip(self._functions[word], frequencies, strict=True):
                found[number] += idf * frequency / (K1 + frequency)
        return found
