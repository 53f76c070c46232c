"""Queries: the ideas of a text in the words of people, and the methods that it asks for."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from specfn.tools.search.synonyms import ASKED_METHODS, PHRASES, SYNONYMS, WEIGHTS, Asked
from specfn.tools.search.texts import is_plural, is_stop_word, plain_words, stem, words_of

#: How much words count: verbs that only read, and other verbs; the words of the person who asks; short forms.
VERBS: Final = {"read": 0.4, "other": 0.8, "me": 0.25, "short": 0.4}

#: The words of the person who asks, and the words of APIs for the authenticated user, with their weights.
_ME: Final = frozenset("i me mine my myself".split())
_AUTHENTICATED: Final = {
    "me": 1.0,
    "authenticat": 0.9,
    "self": 0.8,
    "current": 0.6,
    "own": 0.6,
    "my": 1.0,
}

#: The words after which "me" is the person who gets an answer.
_TELL: Final = frozenset("give list show tell".split())

#: The words after which a verb means its opposite ("stop following" is "unfollow").
_ENDING: Final = frozenset("cancel end quit remove stop undo".split())

#: The words after an imperative that begins a query, and what any such verb may ask for.
_ARTICLES: Final = frozenset("a an the my our this that her his it me somebody someone".split())
_IMPERATIVE: Final = Asked(frozenset(("post", "put", "patch")), frozenset(("delete",)))

#: The words that ask for several things.
_SEVERAL: Final = frozenset("all find list which".split())

#: The words that ask to find something.
_FIND: Final = frozenset("find look search lookup".split())

#: Names in a query: words with a capital letter that do not begin it, and words in quotation marks.
_NAME: Final = re.compile(r"(?<=\s)[A-Z][a-z]+|(?<=\")[^\"]+(?=\")")

#: A name of a person: "by Ada Lovelace", "Ada Lovelace's"; and words of APIs for persons, with their weights.
_PERSON: Final = re.compile(r"\bby [A-Z][a-z]|\s[A-Z][a-z]+ [A-Z][A-Za-z]+'s\b")
_PERSONS: Final = {"person": 0.7, "user": 0.5, "author": 0.5}

#: The beginning of "e-mail", which is one word.
_E: Final = re.compile(r"(?i)\be-(?=mail)")

#: The maximum number of characters of a query that are read.
_MAX_CHARACTERS: Final = 20_000

#: The maximum number of other words between two words of a phrase.
_MAX_WORDS_WITHIN: Final = 3


class Idea(NamedTuple):
    """A word or a phrase of a query, and the stems that stand for it, with their weights; its own stem first."""

    said: str
    stems: Mapping[str, float]


class Query(NamedTuple):
    """What a query asks for.

    Attributes:
        ideas: its words and phrases.
        asked: the methods that the first verb asks for.
        names: the stems of its names, for example of a person.
        is_plural: it asks for several things.
        is_search: it asks to find something.
        verb: the stem of its first verb; an empty text without one.
        stems: the stems of its words.
    """

    ideas: tuple[Idea, ...]
    asked: Asked
    names: tuple[str, ...]
    is_plural: bool
    is_search: bool
    verb: str
    stems: frozenset[str]


def read_query(text: str, limit: int) -> Query:
    """Return what the first words of a query ask for."""
    text = _E.sub("e", text[:_MAX_CHARACTERS])
    words = list(dict.fromkeys(plain_words(text)))[:limit]
    named = _NAME.findall(text) if not text.istitle() else ()
    names = {word for name in named for word in plain_words(name)}
    is_imperative = len(words) > 1 and words[1] in _ARTICLES
    first = words[0].removesuffix("s") if is_imperative else ""  # also "Deletes a message"
    verbs = (word for word in (first, *words) if word in ASKED_METHODS and word not in names)
    verb = next(verbs, "")
    asked = ASKED_METHODS.get(verb, Asked())
    if first and first not in ASKED_METHODS:
        asked = _IMPERATIVE  # "protect the branch", "tune a model"
    ideas: list[Idea] = []
    left = [(stem(word), word) for word in words]
    for first, word in [*left]:
        stems = [one for one, _ in left]
        phrase = next((p for p in PHRASES.get(first, ()) if _contains(stems, p.words)), None)
        if phrase is None or names & {word}:
            continue
        said = " ".join(other for one, other in left if one in phrase.words)
        left = [pair for pair in left if pair[0] not in phrase.words]
        ideas += (Idea(said, dict.fromkeys(part, WEIGHTS["phrase"])) for part in phrase.meanings)
        if phrase.asked is not None and (not verb or word in (verb, words[0])):
            asked = phrase.asked
    if _PERSON.search(text):
        ideas.append(Idea("a name", _PERSONS))
    is_ending = False
    for own, word in left:
        if word in _ME:
            if words[0] not in _TELL:
                mine = {one: VERBS["me"] * weight for one, weight in _AUTHENTICATED.items()}
                ideas.append(Idea(word, mine))
        elif word in names:
            ideas += [Idea(word, {own: 1.0})] * (not is_stop_word(word))
        elif not is_stop_word(word) or own in SYNONYMS:
            ideas.append(Idea(word, _stems(own, word, verb, is_ending=is_ending)))
            if word.startswith("un") and own not in SYNONYMS and not verb:
                asked = ASKED_METHODS["cancel"]
        is_ending |= word in _ENDING
    plural = any(
        word in _SEVERAL or (is_plural(word) and word not in names and not is_stop_word(word))
        for word in words
    )
    own_names = tuple(dict.fromkeys(one for name in sorted(names) for one in words_of(name)))
    return Query(
        ideas=tuple(ideas),
        asked=asked,
        names=own_names,
        is_plural=plural,
        is_search=bool(_FIND & {*words}),
        verb=stem(first if asked is _IMPERATIVE else verb),
        stems=frozenset(words_of(text)),
    )


def _stems(own: str, word: str, verb: str, *, is_ending: bool) -> dict[str, float]:
    """Return the stems that stand for a word; "untag" is also "tag", and "stop following" also "unfollow"."""
    asked = ASKED_METHODS.get(word)
    weight = 1.0
    if asked is not None and ("get" in asked.meant or word == verb):  # a later one is a noun
        weight = VERBS["read" if "get" in asked.meant else "other"]
    others = SYNONYMS.get(own, {})
    if not others and word.startswith("un") and len(own) > 4:
        others = {own[2:]: 0.7}
    if max(others.values(), default=0.0) >= 1.0:  # a short form
        weight *= VERBS["short"]
        others = {other: value / VERBS["short"] for other, value in others.items()}
    idea = {} if is_stop_word(word) else {own: weight}
    idea |= {other: weight * value for other, value in others.items()}
    return idea | {f"un{own}": weight} if is_ending else idea


def _contains(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return true if the words of a phrase follow one another, with few other words within."""
    before = -1
    for word in phrase:
        place = words.index(word) if word in words else -1
        if place <= before or (before >= 0 and place - before > _MAX_WORDS_WITHIN + 1):
            return False
        before = place
    return True
