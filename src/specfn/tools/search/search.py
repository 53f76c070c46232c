"""Search over functions: BM25F over the ideas of a query, with rules for APIs.

An idea of a query is a word with those that stand for it. Functions that match best are ranked again: by the share of
their path that the query covers, by the method that its verb asks for, and by whether it asks for several things.
Names in a query prefer functions that search.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import groupby, islice
from math import log
from typing import Final, NamedTuple, TypeAlias

from specfn._internal.caller_arguments import require, require_callables, require_whole_numbers
from specfn._internal.likeness import is_abbreviation
from specfn.function.description import headline
from specfn.function.function import Function
from specfn.tools.search.query import Idea, Query, read_query
from specfn.tools.search.suppliers import Subject, Suppliers
from specfn.tools.search.synonyms import ASKED_METHODS, OPPOSITES, SYNONYMS
from specfn.tools.search.texts import (
    WEIGHTS,
    Components,
    fields_of,
    first_noun,
    is_one_edit,
    member_words,
    object_words,
    path_words,
    plain_words,
    short_path_words,
    stem,
    words_of,
)

#: The maximum number of words of a query that are read.
_QUERY_WORDS: Final = 64

#: The share of a list that inserted suppliers may have, and the number of results before the first.
_SUPPLIERS: Final = 0.4
_UNTOUCHED: Final = 3

#: The minimum length of a word that is corrected.
_CORRECTED: Final = 5

#: How much a word of a path counts that may abbreviate a word of a query.
_ABBREVIATION: Final = 0.7

#: The maximum number of short words of paths with one first letter, and of those that stand for one word of a query.
MAX_SHORT_WORDS_OF_LETTER: Final = 200
MAX_ABBREVIATIONS: Final = 8

#: Short words of paths are abbreviations only where APIs abbreviate by habit: the minimum number of words without a vowel
#: after the first letter, and their minimum share. In others, such words are those of formats and protocols.
_MIN_ABBREVIATED_WORDS: Final = 6
_MIN_ABBREVIATED_SHARE: Final = 0.4
_VOWELS: Final = frozenset("aeiouy")

#: The constants of BM25F: the saturation of frequencies, and the weight of lengths.
_K1: Final = 1.2
_B: Final = 0.75

#: How much the most frequent word of an idea decides about the weight of the others.
_BLEND: Final = 0.75

#: The power of the score of an idea: two ideas that match count more than one rare one.
_DIMINISHING: Final = 0.85

#: The number of functions that are ranked again; the share of an object that a query covers if it names it, or perhaps
#: names it; and the factors: for a path, an object and a summary that the query covers; for a member that an update can
#: change; for a method that the verb means, allows, or does not mean; for reading instead of changing data or the reverse;
#: for one thing where several are asked for; for deleting where this, or this object, is not asked for; for the same verb
#: and the opposite one; for replacing a thing that can be changed in part; for deprecated functions; for functions that
#: search where something is to be found. The next are the bonus of functions that search for names: one for the words that
#: match, one for each. The last is what functions of an API lose that knows little of a query. All were tuned on half of
#: the everyday tasks, on those of no half, and on RestBench.
_RERANKED: Final = 160
_SAME_OBJECT: Final = 0.9
_SOME_OBJECT: Final = 0.5
FACTORS: Final = {
    "path": 0.8,
    "object": 0.2,
    "summary": 0.4,
    "member": 2,
    "meant": 1.6,
    "possible": 1.2,
    "other": 0.9,
    "opposite": 0.78,
    "item": 0.75,
    "destructive": 0.7,
    "verb": 1.15,
    "contrary": 0.4,
    "same summary": 2,
    "whole": 0.9,
    "deprecated": 0.93,
    "search": 1.1,
    "names": 1.2,
    "names only": 0.2,
    "api": 0.85,
}

#: The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
_FUSION: Final = 60

_UPDATES: Final = frozenset(("put", "patch"))

#: What verbs ask for that only create.
_CREATES: Final = ASKED_METHODS["create"]

_VERBS: Final = frozenset(map(stem, ASKED_METHODS))

_SEARCHING: Final = frozenset(map(stem, ("search", "find", "lookup", "look", "query", "suggest")))

#: Ranks functions by another method, for example embeddings: the query and the functions to the best ones, in order.
Rank: TypeAlias = Callable[[str, Sequence[Function]], Sequence[Function]]


@dataclass(frozen=True, slots=True)
class Found:
    """A function that a search found.

    Attributes:
        function: the function.
        score: its score; comparable within one search only.
        why: the words of the query that it matches, or `supplies NAME` for an inserted supplier.
        needs: for each path parameter, the name of a function that supplies its value, if there is one.
        name: the name that a model calls.
        update: the name of the function that changes only what is given, if this one replaces the whole; else empty.
    """

    function: Function
    score: float
    why: str
    needs: Mapping[str, str]
    name: str
    update: str = ""


class Search:
    """A search over functions. The index is built on the first query."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        """Prepare a search over functions."""
        self._subjects = tuple(subjects)

    def find(
        self,
        query: str,
        limit: int = 10,
        *,
        among: frozenset[str] | None = None,
        rank: Rank | None = None,
        suppliers: bool = False,
    ) -> list[Found]:
        """Return the functions that fit a query, best first.

        Args:
            query: words of any language. A query without words that functions know finds nothing.
            limit: the maximum number of results.
            among: the names of the functions that may be found; all if ``None``.
            rank: another ranking, fused with that of the words by reciprocal rank.
            suppliers: after the third result, also return functions that supply path parameters of those before.

        Raises:
            UsageError: the limit is below 1.
        """
        require("query", query, str, "a text")
        require_whole_numbers(limit=limit)
        require_callables(rank=rank)
        asked = read_query(query, _QUERY_WORDS)
        known = [idea for one in asked.ideas if (idea := self._known(one, asked.names)).stems]
        scores = self._scores(known, asked)
        ranked = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
        if rank is not None:
            ranked = self._fuse(rank, query, ranked)
        if among is not None:
            ranked = [number for number in ranked if self._subjects[number].name in among]
        ranked = self._destructive_behind(ranked, asked)
        supplied = self._with_suppliers(ranked, limit, among) if suppliers else {}
        return [
            self._found(number, scores.get(number, 0.0), supplied.get(number, ""), known, among)
            for number in (supplied or ranked[:limit])
        ]

    def _destructive_behind(self, ranked: list[int], query: Query) -> list[int]:
        """Put another function before destructive ones if a query asks for none: what is first is called first."""
        meant, possible = query.asked
        if "delete" in meant or "delete" in possible:
            return ranked
        harmless = (n for n in ranked if self._subjects[n].function.safety != "destructive")
        first = next(harmless, None)
        return ranked if first is None else [first, *(n for n in ranked if n != first)]

    def topics(self, among: frozenset[str] | None = None) -> list[tuple[str, int]]:
        """Return what the functions are about, with the number of functions, the most frequent first."""
        functions = [f for name, f, *_ in self._subjects if among is None or name in among]
        tags = Counter(function.tags[0] for function in functions if function.tags)
        if 2 * tags.total() < len(functions):
            tags = Counter(filter(None, map(first_noun, functions)))
        return tags.most_common()

    # -- the index ----------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> "_Index":
        return _Index(
            [
                fields_of(function, name, components, tags)
                for name, function, components, tags in self._subjects
            ]
        )

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        return [path_words(each.function) for each in self._subjects]

    @cached_property
    def suppliers(self) -> Suppliers:
        """Return the suppliers of the path parameters of the functions."""
        return Suppliers(self._subjects)

    @cached_property
    def _searching(self) -> list[int]:
        """Return the functions that search, by the words of their paths and operationIds."""
        return [
            number
            for number, (_, function, *_) in enumerate(self._subjects)
            if function.safety == "read"
            and _SEARCHING & {*self._paths[number], *words_of(function.operation_id or "")}
        ]

    @cached_property
    def _similar(self) -> dict[tuple[int, str], list[str]]:
        """Return long words of the index and of the synonyms by their length and first letter, to correct words."""
        words: dict[tuple[int, str], list[str]] = defaultdict(list)
        for word in {*self._index.words, *SYNONYMS}:
            if len(word) >= _CORRECTED - 1:
                words[len(word), word[0]].append(word)
        return words

    def _known(self, idea: Idea, names: Collection[str] = ()) -> Idea:
        """Return an idea with the stems that functions contain.

        If there are none, those of its corrected word. If its own is not among them, also those that abbreviate it in paths.
        """
        stems = idea.stems
        asked = next(iter(stems), "")
        if len(stems) == 1 and asked not in self._index and len(asked) >= _CORRECTED:
            similar = self._correct(asked)
            stems = {similar: 1.0, **SYNONYMS.get(similar, {})}
        known = {word: weight for word, weight in stems.items() if word in self._index}
        if asked not in self._index and asked not in names:
            known = {**dict.fromkeys(self._abbreviations(asked), _ABBREVIATION), **known}
        return Idea(idea.said, known)

    def _abbreviations(self, word: str) -> Iterator[str]:
        """Yield the stems of the words of paths that abbreviate a word: with few letters, most of its consonants."""
        consonants = sum(letter not in "aeiou" for letter in word)
        return islice(
            (
                own
                for short, own in self._short_words.get(word[:1], {}).items()
                if is_abbreviation(short, word)
                and (consonants <= 2 * len(short) or word.startswith(short))
            ),
            MAX_ABBREVIATIONS,
        )

    @cached_property
    def _short_words(self) -> dict[str, dict[str, str]]:
        """Return the short words of paths by their first letter, with their stems; none if paths seldom abbreviate."""
        pairs = {pair for s in self._subjects for pair in short_path_words(s.function)}
        abbreviated = sum(_VOWELS.isdisjoint(short[1:]) for short, _ in pairs)
        all_words = {word for words in self._paths for word in words}
        if abbreviated < max(_MIN_ABBREVIATED_WORDS, _MIN_ABBREVIATED_SHARE * len(all_words)):
            return {}
        indexed = sorted(pair for pair in pairs if pair[1] in self._index)
        return {
            letter: dict(islice(group, MAX_SHORT_WORDS_OF_LETTER))
            for letter, group in groupby(indexed, key=lambda pair: pair[0][:1])
        }

    def _correct(self, word: str) -> str:
        """Return the most frequent word with the same first letter at edit distance 1; an empty text if there is none."""
        similar = (
            other
            for length in (len(word) - 1, len(word), len(word) + 1)
            for other in self._similar.get((length, word[0]), ())
            if is_one_edit(word, other)
        )
        return min(similar, key=lambda other: (self._index.idf(other), other), default="")

    # -- the ranking ----------------------------------------------------------------------------------

    def _scores(self, known: Sequence[Idea], query: Query) -> dict[int, float]:
        """Return the score of each function that contains words of the query, or may search for its names."""
        scores = self._index.scores(idea.stems for idea in known)
        apis = self._api_factors(scores)
        if any(name not in self._index for name in query.names):
            bonus = self._index.idf("") * min(len(query.names), 2) / 2
            best = max(scores.values(), default=1.0)
            for number in self._searching:
                score = scores.get(number, 0.0)
                fit = FACTORS["names only"] + FACTORS["names"] * score / best
                scores[number] = score + bonus * fit
        if len(apis) > 1:
            for number in scores:
                scores[number] *= apis[id(self._subjects[number].components)]
        covered: dict[str, float] = {}
        for idea in known:
            for word, weight in idea.stems.items():
                covered[word] = min(1.0, max(weight, covered.get(word, 0.0)))
        for number in nlargest(_RERANKED, scores, key=scores.__getitem__):
            scores[number] *= self._fit(number, covered, query)
        return scores

    def _api_factors(self, scores: Mapping[int, float]) -> Mapping[int, float]:
        """Return the factor of each API, by the score of its best function: a query is about one API.

        A word that stands for another one also finds functions of other APIs, which know little else of the query.
        """
        best: dict[int, float] = defaultdict(float)
        for number, score in scores.items():
            api = id(self._subjects[number].components)
            best[api] = max(score, best[api])
        top = max(best.values(), default=0.0)
        share = FACTORS["api"]
        return defaultdict(
            lambda: 1 - share,
            {api: 1 - share * (1 - (own / top) ** 2) for api, own in best.items()},
        )

    def _fit(self, number: int, covered: Mapping[str, float], query: Query) -> float:
        """Return the factor of a function for its path and its methods."""
        traits = self._traits(number)
        factor = 1 + FACTORS["path"] * _share(self._paths[number], covered)
        object_share = _share(traits.object, covered)
        factor *= 1 + FACTORS["object"] * object_share
        factor *= 1 + FACTORS["summary"] * _share(traits.summary, covered)
        factor *= self._verb_fit(traits, object_share, covered, query)
        is_put = self._subjects[number].function.method == "put"
        if is_put and "patch" in query.asked.meant and self._place(number) in self._updates:
            factor *= FACTORS["whole"]
        if traits.is_deprecated:
            factor *= FACTORS["deprecated"]
        if query.is_search and number in self._search_functions:
            factor *= FACTORS["search"]
        if query.is_plural and traits.is_item and not query.names:
            factor *= FACTORS["item"]
        return factor

    @staticmethod
    def _verb_fit(
        traits: "_Traits", object_share: float, covered: Mapping[str, float], query: Query
    ) -> float:
        """Return the factor of a function for what its verb and its method do, compared with what a query asks for."""
        meant, possible = query.asked
        methods = traits.methods
        factor = 1.0
        if (
            meant & _UPDATES & methods
            and object_share >= _SAME_OBJECT
            and traits.members & covered.keys()
        ):
            factor *= FACTORS["member"]
        if possible and traits.is_creation and object_share >= _SAME_OBJECT:
            methods = frozenset()  # who closes an issue does not create one
        if meant & methods:
            factor *= FACTORS["meant"]
        elif possible & methods:
            factor *= FACTORS["possible"]
        elif meant:
            is_same = ("get" in meant) == ("get" in traits.methods)
            factor *= FACTORS["other" if is_same else "opposite"]
        if query.stems == {*traits.summary} and (not meant or (meant | possible) & methods):
            factor *= FACTORS["same summary"]
        if query.verb in traits.verbs and "get" not in meant:
            factor *= FACTORS["verb"]
        elif OPPOSITES.get(query.verb, frozenset()) & traits.verbs:
            factor *= FACTORS["contrary"]
        if traits.is_destructive:
            things = [word for word in traits.object if word not in _VERBS]
            is_asked = "delete" in meant or "delete" in possible
            if not is_asked or (things and _share(things, covered) < _SOME_OBJECT):
                factor *= FACTORS["destructive"]
        return factor

    def _traits(self, number: int) -> "_Traits":
        if number not in self._all_traits:
            self._all_traits[number] = _traits_of(*self._subjects[number][1:3])
        return self._all_traits[number]

    @cached_property
    def _search_functions(self) -> frozenset[int]:
        return frozenset(self._searching)

    @cached_property
    def _all_traits(self) -> dict[int, "_Traits"]:
        return {}

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

    def _with_suppliers(
        self, ranked: Sequence[int], limit: int, among: frozenset[str] | None
    ) -> dict[int, str]:
        """Return the ranking; after the third result also suppliers, with the parameter that each supplies."""
        room = int(limit * _SUPPLIERS)
        top = frozenset(ranked[:limit])
        given: dict[int, str] = {}
        for place, number in enumerate(ranked):
            given.setdefault(number, "")
            if place + 1 < _UNTOUCHED:
                continue
            for earlier in ranked[: place + 1] if place + 1 == _UNTOUCHED else (number,):
                for name, supplier in self.suppliers.of(earlier).items():
                    allowed = among is None or self._subjects[supplier].name in among
                    if room > 0 and allowed and supplier not in given:
                        room -= supplier not in top
                        given[supplier] = name
            if len(given) >= limit:
                break
        return dict(list(given.items())[:limit])

    def _found(
        self,
        number: int,
        score: float,
        supplied: str,
        known: Sequence[Idea],
        among: frozenset[str] | None,
    ) -> Found:
        name, function, *_ = self._subjects[number]
        has = self._index.has
        words = (one.said for one in known if any(has(number, word) for word in one.stems))
        why = f"supplies {supplied}" if supplied else ", ".join(dict.fromkeys(words))
        suppliers = {
            key: self._subjects[other].name for key, other in self.suppliers.of(number).items()
        }
        needs = {key: own for key, own in suppliers.items() if among is None or own in among}
        update = self._updates.get(self._place(number), "") if function.method == "put" else ""
        update = update if among is None or update in among else ""
        return Found(function, round(score, 4), why or "searches for names", needs, name, update)

    def _place(self, number: int) -> tuple[int, str]:
        return id(self._subjects[number].components), self._subjects[number].function.path

    @cached_property
    def _updates(self) -> dict[tuple[int, str], str]:
        """Return the names of the functions that change a part of a thing, by API and path."""
        return {
            self._place(number): name
            for number, (name, function, *_) in enumerate(self._subjects)
            if function.method == "patch"
        }


class _Traits(NamedTuple):
    """What the second ranking compares: the stems of the last static segment and of the summary, and the methods."""

    object: tuple[str, ...]
    summary: tuple[str, ...]
    members: frozenset[str]
    verbs: frozenset[str]
    methods: frozenset[str]
    is_item: bool
    is_creation: bool
    is_destructive: bool
    is_deprecated: bool


def _traits_of(function: Function, components: Components) -> _Traits:
    """Return the traits of a function. A POST has the methods of its verb, for example of ``/tasks/{id}/removeTag``."""
    methods = frozenset((function.method,))
    summary = headline(function.route)
    is_creation = False
    last = function.path.rstrip("/").rpartition("/")[2]
    if function.method == "post":
        if last.endswith("}"):  # such a POST updates the thing
            methods = frozenset(("put", "patch"))
        verbs = [word for text in (last, summary) for word in plain_words(text)[:1]]
        asked = [ASKED_METHODS[verb] for verb in verbs if verb in ASKED_METHODS]
        methods |= frozenset(method for one in asked for method in one.meant)
        if "delete" in methods:
            methods -= {"post"}
        is_creation = not last.endswith("}") and any(one == _CREATES for one in asked)
    return _Traits(
        object=object_words(function),
        summary=words_of(summary),
        verbs=frozenset({*words_of(last), *words_of(summary)[:1]}),
        members=member_words(function, components) if methods & _UPDATES else frozenset(),
        methods=methods,
        is_item=function.method == "get" and function.path.endswith("}"),
        is_creation=is_creation,
        is_destructive="delete" in methods,
        is_deprecated=function.deprecated,
    )


def _share(words: Sequence[str], covered: Mapping[str, float]) -> float:
    """Return the share of words that a query covers."""
    return sum(covered.get(word, 0.0) for word in words) / len(words) if words else 0.0


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
                self._frequencies[word].append(frequency / (_K1 + frequency))
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
        return self._idf(len(self._functions.get(word, ())))

    def _idf(self, known: int) -> float:
        return log(1 + (self.size - known + 0.5) / (known + 0.5))

    def has(self, number: int, word: str) -> bool:
        """Return whether a function contains a word."""
        numbers = self._functions.get(word, ())
        place = bisect_left(numbers, number)
        return place < len(numbers) and numbers[place] == number

    def scores(self, ideas: Iterable[Mapping[str, float]]) -> dict[int, float]:
        """Return the BM25F score of each function; an idea counts by the best of its words.

        Words that stand for another one count little more than the most frequent one of them.
        """
        scores: dict[int, float] = defaultdict(float)
        for idea in ideas:
            best: dict[int, float] = {}
            common = self._idf(max(len(self._functions[word]) for word in idea))
            for word, weight in idea.items():
                own = self.idf(word)
                idf = own if weight >= 1 else _BLEND * min(own, common) + (1 - _BLEND) * own
                idf *= weight
                for number, frequency in zip(
                    self._functions[word], self._frequencies[word], strict=True
                ):
                    score = idf * frequency
                    if score > best.get(number, 0.0):
                        best[number] = score
            for number, score in best.items():
                scores[number] += score**_DIMINISHING
        return scores
