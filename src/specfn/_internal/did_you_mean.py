"""Suggestions for a misspelled word, as the end of a sentence."""

from collections.abc import Iterable


def near(word: str, known: Iterable[str]) -> str:
    """Return the closest known words, or the first ten if none is close; empty if there are no known words."""
    from difflib import get_close_matches  # noqa: PLC0415  # for faults only

    there = [*dict.fromkeys(known)]
    close = get_close_matches(word, there, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    more = ", ..." if len(there) > 10 else ""
    return f"; there is {', '.join(map(repr, there[:10]))}{more}" if there else ""
