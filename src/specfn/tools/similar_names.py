"""Search for similar names, to suggest them to a model or a caller."""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SEPARATORS: Final = re.compile(r"[^a-z0-9]+")

#: The maximum number of names that are compared letter by letter.
_COMPARED: Final = 24

#: The lowest similarity of a suggested name.
_CUTOFF: Final = 0.55


def key_of(text: str) -> str:
    """Return a name without separators and letter case."""
    return _SEPARATORS.sub("", text.lower())


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
        scored = sorted(_score(called, ranked[:_COMPARED]))
        return tuple(name for score, _, name in scored[:count] if -score >= _CUTOFF)


def nearest(called: str, names: Sequence[str], count: int = 3) -> tuple[str, ...]:
    """Return the most similar names of a sequence that is searched once."""
    return SimilarNames(names).nearest(called, count=count)


def _score(called: str, names: Sequence[str]) -> Iterator[tuple[float, int, str]]:
    key, words = key_of(called), _words(called)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(key)
    for name in names:
        matcher.set_seq1(key_of(name))
        other = _words(name)
        overlap = 2 * len(words & other) / max(1, len(words) + len(other))
        within = 0.9 if key and key_of(name).endswith(key) else 0.0
        yield -max(matcher.ratio(), 0.95 * overlap, within), len(name), name


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _pieces(text: str) -> frozenset[str]:
    """Return the words of a name and its pieces of three letters."""
    key = key_of(text)
    return _words(text) | {key[index : index + 3] for index in range(len(key) - 2)}
