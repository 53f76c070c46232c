"""Comparison of the names of properties that may mean the same: spelling, typos, abbreviations and synonyms (rule V8).

A likeness is a reason to advise a rename, never to repair one. Names that mean opposite things are never alike, however
similar they look: ``lt_views`` and ``gt_views``.
"""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import chain
from typing import Final

# Patterns are strings: `re` compiles and caches each on first use.
_SEPARATORS: Final = r"[\W_]+"
_WORDS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+"

#: The maximum number of characters and of words of a name that is compared.
_MAX_CHARACTERS: Final = 80
_MAX_WORDS: Final = 8

#: The minimum number of letters of a word that may contain a typo, and of an abbreviation.
_MIN_TYPO: Final = 4
_MIN_ABBREVIATION: Final = 3
_VOWELS: Final = frozenset("aeiou")


class Likeness(IntEnum):
    """The likeness of two names.

    Attributes:
        NONE: not at all.
        PART: they share words, but also have others, or share only a kind of value: ``company_name`` and ``name``.
        MEANING: they have the same meaning, or the other one is more precise.
        TYPO: one letter differs.
        SPELLING: all letters are equal.
    """

    NONE = 0
    PART = 1
    MEANING = 2
    TYPO = 3
    SPELLING = 4


#: Words with the same meaning in names of properties, one set a line.
_SYNONYMS: Final = """
status state
id identifier uuid guid
title subject headline
text content body message
description desc details
note notes comment comments remark remarks memo
url link href uri
limit size pagesize perpage maxresults pagelimit top take
offset skip start
page pagenumber
query q search searchterm keyword keywords term
sort sortby orderby order ordering
email mail emailaddress
phone phonenumber telephone tel
tags labels
tag label
type kind
zip zipcode postalcode postcode
lat latitude
lng lon long longitude
lang language locale
timezone tz
due duedate deadline dueby dueon
start begin since starts startdate starttime startat from
end until ends enddate endtime endat to
firstname givenname forename
lastname surname familyname
birthday birthdate dateofbirth dob
image picture photo
company organization organisation org
folder directory dir
color colour
quantity qty
password passwd pwd
expiry expiration expires expiresat expirydate expirationdate
metadata meta
priority importance urgency
callbackurl webhookurl
""".split("\n")

#: Words that exclude each other, one group a line: a name with one never means a name with another. Words with a comma
#: between them do not exclude each other.
_OPPOSITES: Final = """
min,minimum max,maximum
gt gte,ge lt lte,le eq ne
start,begin,since end,until stop,finish
from to
before after
first last middle
given family
include exclude
in out
enable,enabled disable,disabled
add remove
create delete update
source,src target dst,destination
origin destination
old new current
asc desc
public private
allow deny
billing shipping
created updated,modified deleted
width height depth
latitude,lat longitude,lng,lon
left right top bottom
read write
parent child
sender recipient
debit credit
home work mobile
hour minute second day week month year
x y z
""".split("\n")

#: Words that say what kind of value a name holds. Two names may differ in one at their end.
_KINDS: Final = frozenset(
    "id ids key uuid slug code number no date time at on value name ref text field param".split()
)
_ARTICLES: Final = frozenset(["the", "a", "an", "is", "my"])

#: Words that are not the abbreviation of a longer one: ``form`` is not ``format``.
_COMPLETE: Final = frozenset(
    "account act app arch art bill block book call car card case cat char cash check com con cont cost count cross custom data day "
    "dis down end event ext file form full hour host in int inter just key land late line link list log mark mode name net "
    "new note num off one order out over own pack page part pass path per place plan point port post pre pro ran rate "
    "read real record role run sale score set ship show side sign site state stat step stop sub sum super tag term test "
    "text the time top trans type use user view who".split()
)


def _index(lines: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
    """Return the lines of each word, each with the number of the word's alternative in the line."""
    index: dict[str, dict[int, int]] = {}
    for number, line in enumerate(lines):
        for side, words in enumerate(line.split()):
            for word in words.split(","):
                index.setdefault(word, {})[number] = side
    return index


_MEANINGS: Final = _index(_SYNONYMS)
_SIDES: Final = _index(_OPPOSITES)


@lru_cache(maxsize=8192)
def letters(name: str) -> str:
    """Return a name without case and separators; empty for a very long name."""
    return re.sub(_SEPARATORS, "", name).lower() if len(name) <= _MAX_CHARACTERS else ""


@lru_cache(maxsize=8192)
def likeness(name: str, other: str) -> Likeness:
    """Return how alike two names are."""
    plain, theirs = letters(name), letters(other)
    if not plain or not theirs:
        return Likeness.NONE
    if plain == theirs:
        return Likeness.SPELLING
    is_typo = abs(len(plain) - len(theirs)) < 2 and _is_typo(plain, theirs)
    if not is_typo and _hints(name).isdisjoint(_hints(other)):
        return Likeness.NONE
    words, others = _words(name), _words(other)
    if max(len(words), len(others)) > _MAX_WORDS or _are_opposite(words, others):
        return Likeness.NONE
    if is_typo and not _differ_in_short_word(words, others):
        return Likeness.TYPO
    return _by_meaning(words, others)


@lru_cache(maxsize=8192)
def _hints(name: str) -> frozenset[str | int]:
    """Return the first letters of the words of a name, and the numbers of its meanings. Names that share none are different."""
    words = _words(name)
    meanings = (_MEANINGS.get(word, ()) for word in (*words, "".join(words)))
    first = (word[0] for word in words if not word.isdigit())
    return frozenset((*first, *chain.from_iterable(meanings)))


@lru_cache(maxsize=8192)
def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without articles."""
    words = [word.lower() for word in re.findall(_WORDS, name)]
    return tuple(word for word in words if word not in _ARTICLES) or tuple(words)


def _are_opposite(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether one name has a word and the other name a word that excludes it, or whether their numbers differ."""
    own, theirs = set(words) - set(others), set(others) - set(words)
    if any(word.isdigit() or word == "not" for word in own | theirs):
        return True
    sides = [_SIDES[word] for word in own if word in _SIDES]
    return any(
        side.get(line, other) != other
        for side in sides
        for word in theirs
        for line, other in _SIDES.get(word, {}).items()
    )


def _is_typo(left: str, right: str) -> bool:
    """Return whether two texts differ in one added, missing, changed or exchanged character."""
    shorter = min(len(left), len(right))
    if shorter < _MIN_TYPO - 1:
        return False
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    rest, other = left[start:], right[start:]
    exchanged = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return rest[1:] == other[1:] or rest[1:] == other or rest == other[1:] or exchanged


def _differ_in_short_word(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two names of equal length differ in a word that is too short for a typo: ``pos_x``, ``pos_y``."""
    return len(words) == len(others) and any(
        word != other and len(word) == len(other) < _MIN_TYPO and sorted(word) != sorted(other)
        for word, other in zip(words, others, strict=True)
    )


def _by_meaning(words: Sequence[str], others: Sequence[str]) -> Likeness:
    """Return whether the words of one name mean the words of the other, or its last words."""
    if (
        _are_synonyms("".join(words), "".join(others))
        or sorted(words) == sorted(others)
        or (len(words) == len(others) and all(map(_may_replace, words, others)))
    ):
        return Likeness.MEANING
    one, two = _core(words), _core(others)
    if len(one) == len(two) and all(map(_mean_same, one, two)):
        return Likeness.MEANING
    if _ends(others, words) or _ends(two, one):
        return (
            Likeness.PART if _KINDS.issuperset(words) and "name" not in words else Likeness.MEANING
        )
    return Likeness.PART if _ends(words, others) else Likeness.NONE


def _core(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without those at its end that say what kind of value it holds."""
    end = len(words)
    while end > 1 and words[end - 1] in _KINDS:
        end -= 1
    return words[:end]


def _ends(others: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the words of another name end with these: the last words of a name say which thing it is."""
    return len(words) <= len(others) and all(map(_mean_same, others[-len(words) :], words))


def _are_synonyms(word: str, other: str) -> bool:
    return not _MEANINGS.get(word, {}).keys().isdisjoint(_MEANINGS.get(other, ()))


def _may_replace(word: str, other: str) -> bool:
    return _are_synonyms(word, other) or _mean_same(word, other)


def _mean_same(word: str, other: str) -> bool:
    """Return whether two words are equal but for a plural, or a word and its abbreviation."""
    short, long = sorted((word, other), key=len)
    if long in (short, f"{short}s"):
        return True
    return len(short) >= _MIN_ABBREVIATION and is_abbreviation(short, long)


def is_abbreviation(short: str, word: str) -> bool:
    """Return whether a word may be a longer one in short: its beginning, or its first letter and consonants in order."""
    if short in _COMPLETE or short[:1] != word[:1] or len(short) >= len(word):
        return False
    if word.startswith(short):
        return len(short) >= _MIN_ABBREVIATION
    letters_left = iter(word)
    return not _VOWELS & {*short[1:]} and all(letter in letters_left for letter in short)
