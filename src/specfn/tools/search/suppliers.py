"""Suppliers: functions that list the things which a path parameter of another function identifies.

A supplier returns an array of objects, and one property of these objects is the value of the parameter: it has the
type and the meaning of the parameter. A supplier needs nothing that it supplies, not even through its own suppliers.
If no function is known to fit, there is none: a wrong hint costs a model more than no hint.
"""

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
    "data result results response items values value entries records content list".split()
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

#: The sets of types, each once.
_SHARED: Final[dict[frozenset[str], frozenset[str]]] = {}

#: The maximum number of suppliers that follow one another.
_MAX_DEPTH: Final = 4


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
    """A path parameter: its name, the beginning of the path before it, its words, and the types of its value."""

    name: str
    prefix: str
    noun: tuple[str, ...]
    identifier: str
    types: frozenset[str]


class Suppliers:
    """The suppliers of the path parameters of functions; found on first use."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        """Prepare the look-up."""
        self._subjects = subjects
        self._needs: dict[int, tuple[_Need, ...]] = {}
        self._found: dict[int, dict[str, int]] = {}

    def of(self, number: int) -> dict[str, int]:
        """Return for path parameters of a function the function that supplies their values."""
        if number not in self._found:
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
                self._subjects[other].function.path != need.prefix,
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
        is_last = function.path.rpartition("/")[0] == need.prefix
        return is_last and function.method == "put" and need.prefix not in self._posts

    @cached_property
    def _posts(self) -> frozenset[str]:
        functions = (subject.function for subject in self._subjects)
        return frozenset(f.path.rstrip("/") for f in functions if f.method == "post")

    def _is_free_of(self, number: int, need: _Need, given: set[str], depth: int) -> bool:
        """Return true if a function can be called without the value of a parameter."""
        query = self._subjects[number].function.route.query
        for parameter in query.parameters if query is not None else ():
            if parameter.required and {*words_of(parameter.name)} & {
                *words_of(need.name),
                *need.noun,
            }:
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
        is_named = not need.identifier
        is_collection = self._subjects[number].function.path == need.prefix
        names: tuple[str, ...]
        noun = self._noun_of(number)
        if need.noun == noun or (is_collection and {*need.noun} & {*noun}) or not need.noun:
            names = _OF_THING if is_named else _IDENTIFIERS[need.identifier]
        else:
            names = ()
        own = tuple(words_of(need.name))
        for key, types in items.items():
            if words_of(key) == own and (need.identifier or is_collection) and types & need.types:
                return True
        first = next(
            (
                name
                for name in names
                if name in items and (not is_named or items[name] & need.types)
            ),
            None,
        )
        if first is None:
            return False
        return bool(items[first] & need.types) or (first == "id" and is_collection)

    @cached_property
    def _lists(self) -> dict[int, dict[str, frozenset[str]]]:
        """Return the properties of the items of each function that lists objects, with their types."""
        lists = {}
        for number, (_, function, components, _) in enumerate(self._subjects):
            last = function.path.rstrip("/").rpartition("/")[2]
            if function.safety != "read" or "{" in last:
                continue
            words = plain_words(last)
            if not words or (
                words[-1] == stem(words[-1]) and not _NOT_NOUNS & {*path_words(function)}
            ):
                continue  # one thing: the current user, a summary
            if function.route.success is not None:
                items = _item_properties(
                    function.route.success.schema, self._noun_of(number), components
                )
                if items:
                    lists[number] = items
        return lists

    @cached_property
    def _by_path(self) -> dict[str, list[int]]:
        paths: dict[str, list[int]] = defaultdict(list)
        for number in self._lists:
            paths[self._subjects[number].function.path.rstrip("/")].append(number)
        return paths

    @cached_property
    def _by_noun(self) -> dict[tuple[str, ...], list[int]]:
        nouns: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number in self._lists:
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


def _noun(segment: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(segment) if word not in _NOT_NOUNS)


def _needs(function: Function, components: Components) -> Iterator[_Need]:
    """Yield the path parameters of a function: `movie_id` after `/movie` identifies a `movie` by its `id`."""
    schemas = {parameter.name: parameter.schema for parameter in function.route.parameters}
    before: tuple[str, ...] = ()
    prefix = ""
    for text, segment in zip(
        function.path.lstrip("/").split("/"), function.route.template.segments, strict=False
    ):
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
            yield _Need(piece.name, prefix, own or before, identifier, types)
        prefix += f"/{text}"


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
    for name, value in properties((named or [arrays[0][1]])[0]["items"], components, levels=1):
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
    kinds_of_ids = frozenset(types & {"string", "integer", "number"})
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
