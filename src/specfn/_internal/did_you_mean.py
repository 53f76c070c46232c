"""Suggestions for misspelled words, and the similarity of names and constants. None of it repairs a value."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

# Patterns are strings: `re` compiles and caches each on first use.
_SEPARATORS: Final = r"[\W_]+"
_WORDS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+"

#: The maximum number of texts that are compared, and of characters of one text.
_MAX_TEXTS: Final = 2_000
_MAX_CHARACTERS: Final = 80

#: The least share of common letter pairs of similar texts.
_MIN_SHARE: Final = 0.5


def similar(word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> str:
    """Return a question with the closest known words; empty if none is close.

    A word that differs in case alone is the closest.
    """
    from difflib import get_close_matches  # noqa: PLC0415  # 1 ms, only for misspelled words

    there = [*dict.fromkeys(known)]
    same = [other for other in there if other.lower() == word.lower()]
    close = same[:most] or get_close_matches(word, there, n=most, cutoff=cutoff)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def near(word: str, known: Iterable[str]) -> str:
    """Return the closest known words, or the first ten if none is close; empty if there are no known words."""
    there = [*dict.fromkeys(known)]
    question = similar(word, there, most=3, cutoff=0.5)
    if question:
        return question
    more = ", ..." if len(there) > 10 else ""
    return f"; there is {', '.join(map(repr, there[:10]))}{more}" if there else ""


@lru_cache(maxsize=8192)
def letters(name: str) -> str:
    """Return a name without case and separators; empty for a very long name."""
    return re.sub(_SEPARATORS, "", name).lower() if len(name) <= _MAX_CHARACTERS else ""


def is_one_off(left: str, right: str) -> bool:
    """Return whether two texts differ in one inserted, deleted, changed or exchanged character."""
    shorter = min(len(left), len(right))
    if abs(len(left) - len(right)) > 1 or shorter < 3:
        return False
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    rest, other = left[start:], right[start:]
    exchanged = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return rest[1:] == other[1:] or rest[1:] == other or rest == other[1:] or exchanged


def same_words(name: str, names: Iterable[str]) -> list[str]:
    """Return the names whose words include or are included in the words of a name: ``user`` and ``user_id``."""
    words = _words(name)
    return [
        other for other in names if words and (words <= _words(other) or words >= _words(other))
    ]


def closest(text: str, texts: Sequence[str]) -> str | None:
    """Return the text with the most common letter pairs; ``None`` if none is similar."""
    pairs = _pairs(text)
    best, most = None, _MIN_SHARE / 2
    for other in texts[:_MAX_TEXTS]:
        theirs = _pairs(other)
        share = len(pairs & theirs) / (len(pairs) + len(theirs) or 1)
        if share > most or (best is None and share == most):
            best, most = other, share
    return best


@lru_cache(maxsize=8192)
def _words(name: str) -> frozenset[str]:
    words = re.findall(_WORDS, name) if len(name) <= _MAX_CHARACTERS else ()
    return frozenset(word.lower() for word in words)


@lru_cache(maxsize=8192)
def _pairs(text: str) -> frozenset[str]:
    plain = f" {letters(text)} "
    return frozenset(plain[index : index + 2] for index in range(len(plain) - 1) if len(plain) > 2)
