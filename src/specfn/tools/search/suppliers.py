"""Suppliers: functions that list the things which a path parameter of another function identifies.

A supplier returns an array of objects, and one property of these objects is the value of the parameter: it has the
type and the meaning of the parameter. The list directly before the parameter in the path only needs to have objects
with an identifier. A supplier needs nothing that it supplies, not even through its own suppliers.
If no function is known to fit, there is none: a wrong hint costs a model more than no hint.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.function.function import Function
from specfn.tools.search.texts import (
    Components,
    component_schemas,
    path_words,
    plain_words,
    properties,
    stem,
    tag_descriptions,
    target,
    words_of,
)

#: The last words of names that say how a thing is identified, and the properties that hold such a value.
_IDENTIFIERS: Final = {
    stem(word): tuple(names.split())
    for word, names in {
        "id": "id uuid gid sid",
        "ids": "id uuid gid sid",
        "uuid": "uuid id",
        "guid": "guid id",
        "gid": "gid id",
        "sid": "sid id",
        "key": "key",
        "slug": "slug",
        "number": "number",
        "name": "name",
        "username": "username login",
        "login": "login username",
        "code": "code",
        "token": "token",
        "identifier": "identifier id",
    }.items()
}

#: The properties that identify a thing whose parameter is named like the thing itself, best first.
_OF_THING: Final = ("id", "slug", "name", "login", "username", "key", "code", "uuid", "gid", "sid")

#: The properties of responses that contain the things of a list.
_ENVELOPES: Final = frozenset(
    "data result results response items values value entries records content list _embedded".split()
)

#: Words of paths that do not say what a list contains.
_NOT_NOUNS: Final = frozenset(map(stem, ("list", "all", "search", "query", "find")))

#: Words of paths whose lists are for administrators, reports, or only a part of the things.
_SPECIAL: Final = frozenset(
    map(
        stem,
        "admin analytic analytics archived dashboard deleted insight metric recent report statistics trash".split(),
    )
)

_PLACEHOLDER: Final = re.compile(r"\{[^{}/]*\}")

#: The sets of types, each once.
_SHARED: Final[dict[frozenset[str], frozenset[str]]] = {}

#: The maximum number of suppliers that follow one another.
_MAX_DEPTH: Final = 4

#: The maximum number of functions that are tried for the suppliers of one function. Beyond it, it has no further ones.
_MAX_TRIES: Final = 1_000


class Subject(NamedTuple):
    """A function that a search can find.

    Attributes:
        name: the name that a model calls.
        function: the function.
        components: the component schemas of its document.
        tags: the descriptions of the tags of its document.
    """

    name: str
    function: Function
    components: Components
    tags: Mapping[str, str] = {}


def subjects(document: JsonObject, functions: Iterable[tuple[str, Function]]) -> Iterator[Subject]:
    """Yield functions of a document, each with the name that a model calls, for a search."""
    components, tags = component_schemas(document), tag_descriptions(document)
    for name, function in functions:
        yield Subject(name, function, components, tags)


class _Need(NamedTuple):
    """A path parameter: its name, the path of its collection, its words, the types of its value, and if one follows."""

    name: str
    prefix: str
    noun: tuple[str, ...]
    identifier: str
    types: frozenset[str]
    is_pair: bool


class Suppliers:
    """The suppliers of the path parameters of functions; found on first use."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        """Prepare the look-up."""
        self._subjects = subjects
        self._needs: dict[int, tuple[_Need, ...]] = {}
        self._found: dict[int, dict[str, int]] = {}
        self._tries = 0

    def of_function(self, function: Function) -> dict[str, str]:
        """Return for path parameters of a function the name of the function that supplies each."""
        number = self._numbers.get(id(function))
        suppliers = {} if number is None else self.of(number)
        return {name: self._subjects[other].name for name, other in suppliers.items()}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(subject.function): number for number, subject in enumerate(self._subjects)}

    def of(self, number: int) -> dict[str, int]:
        """Return for path parameters of a function the function that supplies their values."""
        if number not in self._found:
            self._tries = _MAX_TRIES
            pairs = ((need, self._supplier(number, need)) for need in self._needs_of(number))
            self._found[number] = {
                need.name: supplier for need, supplier in pairs if supplier is not None
            }
        return self._found[number]

    def _supplier(self, number: int, need: _Need) -> int | None:
        """Return the list of the collection in the path, else another list of the things."""
        function = self._subjects[number].function
        given = {other.name for other in self._needs_of(number)} - {need.name}
        creates = self._by_path.get(need.prefix, ()) if self._is_created(function, need) else ()
        candidates = {
            *self._by_path.get(need.prefix, ()),
            *self._by_noun.get(need.noun, ()),
        }
        return min(
            (
                other
                for other in candidates
                if other != number
                and self._supplies(other, need)
                and self._is_free_of(other, need, given, _MAX_DEPTH)
                and other not in creates
                and not _is_part(self._subjects[other].function.path, function.path)
            ),
            key=lambda other: (
                self._subjects[other].components is not self._subjects[number].components,
                self._paths[other] != need.prefix,
                sum(word in _SPECIAL for word in path_words(self._subjects[other].function)),
                len({p.name for p in self._needs_of(other)} - given),
                -_common(function.path, self._subjects[other].function.path),
                len(self._subjects[other].function.path),
                other,
            ),
            default=None,
        )

    def _is_created(self, function: Function, need: _Need) -> bool:
        """Return true if a PUT may add the thing that a parameter identifies: nothing else adds one to the list."""
        is_last = _unnamed(function.path).rpartition("/")[0] == need.prefix
        return is_last and function.method == "put" and need.prefix not in self._posts

    @cached_property
    def _posts(self) -> frozenset[str]:
        functions = (subject.function for subject in self._subjects)
        return frozenset(_unnamed(f.path).rstrip("/") for f in functions if f.method == "post")

    def _is_free_of(self, number: int, need: _Need, given: set[str], depth: int) -> bool:
        """Return true if a function can be called without the value of a parameter."""
        self._tries -= 1
        if self._tries < 0:
            return False
        query = self._subjects[number].function.route.query
        own_words = {*words_of(need.name), *need.noun}
        for parameter in query.parameters if query is not None else ():
            words = {*words_of(parameter.name)} if parameter.required else set()
            if words and words <= own_words:
                return False
        for own in self._needs_of(number):
            is_same = own.name == need.name and need.identifier != "id"  # ids are of any thing
            if is_same or (own.noun == need.noun and own.name not in given):
                return False
            if own.name in given:
                continue
            sources = [*self._by_path.get(own.prefix, ()), *self._by_noun.get(own.noun, ())]
            if depth == 0 or not any(
                other != number
                and self._supplies(other, own)
                and self._is_free_of(other, need, given, depth - 1)
                for other in sources[:20]
            ):
                return False
        return True

    def _supplies(self, number: int, need: _Need) -> bool:
        """Return true if the items of a list have a property with the value of a parameter."""
        items = self._lists[number]
        own = words_of(need.name)
        fits = {name for name, types in items.items() if not need.types or types & need.types}
        names = _IDENTIFIERS.get(need.identifier, _OF_THING)
        noun = self._noun_of(number)
        is_collection = bool(need.prefix) and self._paths[number] == need.prefix
        has_own = any(words_of(name) == own for name in fits)
        if has_own and (need.identifier or is_collection):
            return True
        if is_collection and not need.is_pair:  # the names may say another thing
            endings = {own[-1:], (*need.noun[-1:], need.identifier)} - {()}
            if any(words_of(name)[-len(end) :] == end for name in fits for end in endings):
                return True
            is_of_others = need.noun in self._by_noun and {*need.noun}.isdisjoint(noun)
            if is_of_others and not (need.identifier and "id" in names):
                return False  # translations are listed, and their languages elsewhere
            is_named = any(words_of(name) == own for name in items)
            return is_named or "id" in items or not fits.isdisjoint((*names, *_OF_THING))
        if need.noun and need.noun != noun:
            return False
        if not need.identifier:
            return not fits.isdisjoint(names)
        return next((name for name in names if name in items), "") in fits

    @cached_property
    def _paths(self) -> list[str]:
        """Return the paths without the names of parameters, which differ: `/fees/{id}/refunds/{refund}`."""
        return [_unnamed(subject.function.path).rstrip("/") for subject in self._subjects]

    @cached_property
    def _lists(self) -> dict[int, dict[str, frozenset[str]]]:
        """Return the properties of the items of each function that lists objects, with their types."""
        lists = {}
        for number, (_, function, components, _) in enumerate(self._subjects):
            path = self._paths[number]
            if function.safety != "read" or "{" in path.rpartition("/")[2]:
                continue
            if not _is_plural(function) and path not in self._collections:
                continue  # one thing: the current user, a summary
            if function.route.success is not None:
                items = _item_properties(
                    function.route.success.schema, self._noun_of(number), components
                )
                if items:
                    lists[number] = items
        return lists

    @cached_property
    def _collections(self) -> frozenset[str]:
        """Return the paths directly before a path parameter."""
        needs = (need for number in range(len(self._subjects)) for need in self._needs_of(number))
        return frozenset(need.prefix for need in needs)

    @cached_property
    def _by_path(self) -> dict[str, list[int]]:
        paths: dict[str, list[int]] = defaultdict(list)
        for number in self._lists:
            paths[self._paths[number]].append(number)
        return paths

    @cached_property
    def _by_noun(self) -> dict[tuple[str, ...], list[int]]:
        nouns: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number in self._lists:
            if _is_plural(self._subjects[number].function):
                nouns[self._noun_of(number)].append(number)
        return nouns

    def _noun_of(self, number: int) -> tuple[str, ...]:
        """Return the stems of the last static segment that says what a function lists."""
        for segment in reversed(self._subjects[number].function.path.split("/")):
            noun = () if "{" in segment else _noun(segment)
            if noun:
                return noun
        return ()

    def _needs_of(self, number: int) -> tuple[_Need, ...]:
        if number not in self._needs:
            _, function, components, _ = self._subjects[number]
            self._needs[number] = tuple(_needs(function, components))
        return self._needs[number]


def _unnamed(path: str) -> str:
    return _PLACEHOLDER.sub("{}", path)


def _is_plural(function: Function) -> bool:
    """Return true if the last segment of a path says that there are several things."""
    words = plain_words(function.path.rstrip("/").rpartition("/")[2])
    return bool(words) and (
        words[-1] != stem(words[-1]) or not _NOT_NOUNS.isdisjoint(path_words(function))
    )


def _noun(segment: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(segment) if word not in _NOT_NOUNS)


def _needs(function: Function, components: Components) -> Iterator[_Need]:
    """Yield the path parameters of a function: `movie_id` after `/movie` identifies a `movie` by its `id`."""
    schemas = {parameter.name: parameter.schema for parameter in function.route.parameters}
    before: tuple[str, ...] = ()
    prefix = ""
    segments = function.route.template.segments
    for text, segment, after in zip(
        function.path.lstrip("/").split("/"), segments, [*segments[1:], ()], strict=False
    ):
        is_pair = bool(after) and not isinstance(after[0], str)  # `/repos/{owner}/{repo}`
        for piece in segment:
            if isinstance(piece, str):
                before = _noun(piece) or before
                continue
            words = words_of(piece.name)
            identifier = words[-1] if words and words[-1] in _IDENTIFIERS else ""
            own = words[:-1] if identifier else words
            if (
                own and before[-len(own) :] == own
            ):  # the account after "bank-accounts" is one of them
                own = before
            types = _types(schemas.get(piece.name), components)
            is_member = piece is segment[0] and str(*segment[1:2])[:1] in ("", ".", ":")
            collection = prefix if is_member else ""  # `avatar-{size}` is no member
            yield _Need(piece.name, collection, own or before, identifier, types, is_pair)
        prefix += f"/{_unnamed(text)}"


def _item_properties(
    schema: Any, noun: tuple[str, ...], components: Components
) -> dict[str, frozenset[str]]:
    """Return the properties of the objects that a response lists, with their types; nothing if that is not sure."""
    node = target(schema, components)
    arrays = [("", node)] if isinstance(node, dict) and "items" in node else []
    if not arrays:
        arrays = list(_arrays(schema, components))
        for name, value in () if arrays else properties(schema, components, levels=1):
            if name in _ENVELOPES:
                arrays += _arrays(value, components)
    named = [
        array for name, array in arrays if name in _ENVELOPES or words_of(name)[-1:] == noun[-1:]
    ]
    if not named and len(arrays) != 1:
        return {}
    found: dict[str, frozenset[str]] = {}
    for name, value in properties((named or [arrays[0][1]])[0]["items"], components):
        found.setdefault(name, _types(value, components))
        for inner, other in properties(value, components, levels=0) if name == "metadata" else ():
            found.setdefault(inner, _types(other, components))
    return found


def _arrays(schema: Any, components: Components) -> Iterator[tuple[str, JsonObject]]:
    """Yield the properties of a schema that are arrays."""
    for name, value in properties(schema, components, levels=1):
        array = target(value, components)
        if isinstance(array, dict) and "items" in array:
            yield name, array


def _types(schema: Any, components: Components) -> frozenset[str]:
    """Return the types that a schema names, through references and unions."""
    node = target(schema, components)
    if not isinstance(node, dict):
        return frozenset()
    kinds = node.get("type")
    types = {kinds} if isinstance(kinds, str) else {*kinds} if isinstance(kinds, list) else set()
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = node.get(keyword)
        for branch in branches[:10] if isinstance(branches, list) else ():
            inner = target(branch, components)
            kind = inner.get("type") if isinstance(inner, dict) else None
            types |= {kind} if isinstance(kind, str) else set()
    types = {"number" if kind == "integer" else kind for kind in types}
    kinds_of_ids = frozenset(types & {"string", "number"})
    return _SHARED.setdefault(kinds_of_ids, kinds_of_ids)


def _is_part(path: str, other: str) -> bool:
    """Return true if a path lists things of another kind of things: `/attestations/repositories`."""
    parent = path.rstrip("/").split("/")[-2:-1]
    words = plain_words(parent[0]) if parent and "{" not in parent[0] else []
    return bool(words) and words[-1] != stem(words[-1]) and parent[0] not in other.split("/")


def _common(left: str, right: str) -> int:
    """Return the number of segments that two paths have in common at their beginning."""
    count = 0
    for one, other in zip(left.split("/"), right.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count
