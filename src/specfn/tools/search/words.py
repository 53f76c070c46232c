"""Search words of texts and names: split, lower case, without stop words, lightly stemmed."""

import re
from functools import lru_cache
from typing import Final

#: A run of letters or digits of any script; camel case and digits are separated within it.
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")

#: The maximum number of characters of one text that are read, and of a word that is kept.
_TEXT_LIMIT: Final = 20_000
_WORD_LIMIT: Final = 40

STOP_WORDS: Final = frozenset(
    "a about after all also am an and any are as at be been before being both but by can could did do does doing "
    "each every few for from further get give had has have having he her here hers him his how i if in into is it "
    "its itself just let ll may me more most my no nor not now of off on once one only or other our out over own "
    "please re s same shall she should so some such t tell than that the their them then there these they this "
    "those to too under until up us use used using very want was we were what when where which while who whom "
    "whose why will with would you your".split()
)

#: Endings that are replaced, with the minimum number of letters that remain before them.
_ENDINGS: Final = (
    ("ies", "y", 2),
    ("sses", "ss", 1),
    ("shes", "sh", 1),
    ("ches", "ch", 1),
    ("xes", "x", 1),
    ("ing", "", 4),
    ("ed", "", 4),
    ("s", "", 2),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a lower-case word without its plural or verb ending; words on `ss`, `us` and `is` keep theirs."""
    if word.endswith(("ss", "us", "is")):
        return word
    for ending, replacement, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            base = word[: len(word) - len(ending)] + replacement
            break
    else:
        base = word
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


@lru_cache(maxsize=65_536)
def words_of(text: str) -> tuple[str, ...]:
    """Return the stemmed words of a text in order, without stop words."""
    found = (each.lower() for each in _WORD.findall(text[:_TEXT_LIMIT]))
    return tuple(
        stem(each) for each in found if each not in STOP_WORDS and len(each) <= _WORD_LIMIT
    )


def is_one_edit(left: str, right: str) -> bool:
    """Return true if one inserted, removed, replaced or exchanged letter makes two different words equal."""
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    one, other = left[start:], right[start:]
    exchanged = len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
    return left != right and (
        one[1:] == other[1:] or one[1:] == other or one == other[1:] or exchanged
    )
