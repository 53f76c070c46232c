"""Suggestions for misspelled words, and the similarity of names and constants. None of it repairs a value."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from specfn._internal.likeness import letters

# Patterns are strings: `re` compiles and caches each on first use.
_ASCII_WORDS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"

#: The maximum number of texts that are compared.
_MAX_TEXTS: Final = 2_000

#: The maximum number of names of functions that are compared letter by letter, and the similarity of a suggested one.
_MAX_COMPARED: Final = 24
_MIN_SIMILARITY: Final = 0.55

#: The least share of common letter pairs of similar texts.
_MIN_SHARE: Final = 0.5


def ask_if_meant(word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> str:
    """Return ``; did you mean 'x'?`` with the closest known words; an empty text if none is close.

    A word that differs only in case is the closest.
    """
    from difflib import get_close_matches  # noqa: PLC0415  # 1 ms, only for misspelled words

    there = [*dict.fromkeys(known)]
    same = [other for other in there if other.lower() == word.lower()]
    close = same[:most] or get_close_matches(word, there, n=most, cutoff=cutoff)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def ask_or_list(word: str, known: Iterable[str]) -> str:
    """Return the question of ``ask_if_meant``, or a list of the first known words if none is close."""
    there = [*dict.fromkeys(known)]
    question = ask_if_meant(word, there, most=3, cutoff=0.5)
    if question:
        return question
    more = ", ..." if len(there) > 10 else ""
    return f"; there is {', '.join(map(repr, there[:10]))}{more}" if there else ""


def closest(text: str, texts: Sequence[str]) -> str | None:
    """Return the most similar text, by the pairs of letters in common; ``None`` if none is similar."""
    pairs = _pairs(text)
    best, most = None, _MIN_SHARE / 2
    for other in texts[:_MAX_TEXTS]:
        theirs = _pairs(other)
        share = len(pairs & theirs) / (len(pairs) + len(theirs) or 1)
        if share > most or (best is None and share == most):
            best, most = other, share
    return best


@lru_cache(maxsize=8192)
def _pairs(text: str) -> frozenset[str]:
    plain = f" {letters(text)} "
    return frozenset(plain[index : index + 2] for index in range(len(plain) - 1) if len(plain) > 2)


# -- names of functions ----------------------------------------------------------------------------


def _key(text: str) -> str:
    """Return a name without separators and letter case."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


class SimilarNames:
    """An index of names by their pieces, which finds similar names without comparing all."""

    def __init__(self, names: Iterable[str]) -> None:
        self._sizes: dict[str, int] = {}
        self._homes: dict[str, list[str]] = defaultdict(list)
        for name in names:
            pieces = _pieces(name)
            self._sizes[name] = len(pieces)
            for piece in pieces:
                self._homes[piece].append(name)

    def nearest(
        self, called: str, offered: Collection[str] | None = None, count: int = 3
    ) -> tuple[str, ...]:
        """Return the most similar names, best first, without dissimilar ones.

        Names are selected by shared words and shared pieces of three letters. They are ranked by the better of two
        similarities: that of their letters (difflib's ratio) and that of their words.

        Args:
            called: the unknown name.
            offered: the names that may be found; all if ``None``.
            count: the maximum number of names.
        """
        pieces = _pieces(called)
        shared = Counter(
            name
            for piece in pieces
            for name in self._homes.get(piece, ())
            if offered is None or name in offered
        )
        ranked = sorted(
            shared,
            key=lambda name: (-2 * shared[name] / (len(pieces) + self._sizes[name]), name),
        )
        scored = sorted(_score(called, ranked[:_MAX_COMPARED]))
        return tuple(name for score, _, name in scored[:count] if -score >= _MIN_SIMILARITY)


def nearest(called: str, names: Sequence[str], count: int = 3) -> tuple[str, ...]:
    """Return the most similar names of a sequence that is searched once."""
    return SimilarNames(names).nearest(called, count=count)


def _score(called: str, names: Sequence[str]) -> Iterator[tuple[float, int, str]]:
    """Yield each name with a sort key, by which the most similar name is the first."""
    from difflib import SequenceMatcher  # noqa: PLC0415  # 1 ms, only for misspelled words

    key, words = _key(called), _ascii_words(called)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(key)
    for name in names:
        matcher.set_seq1(_key(name))
        other = _ascii_words(name)
        overlap = 2 * len(words & other) / max(1, len(words) + len(other))
        within = 0.9 if key and _key(name).endswith(key) else 0.0
        yield -max(matcher.ratio(), 0.95 * overlap, within), len(name), name


def _ascii_words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(_ASCII_WORDS, text))


def _pieces(text: str) -> frozenset[str]:
    """Return the words of a name and its pieces of three letters."""
    key = _key(text)
    return _ascii_words(text) | {key[index : index + 3] for index in range(len(key) - 2)}
