"""The documented parameters that may choose a page, and the members of a response that describe pages."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.document.references.resolve import component_of
from specfn.migrate.accessor import as_one_word, words_of
from specfn.migrate.paging.paging_words import (
    CONTAINERS,
    CURSOR,
    ITEMS,
    OFFSET,
    OFFSET_IF_NUMBER,
    PAGE,
    PAGE_IF_DESCRIBED,
    PAGING,
    SIZE,
    means_cursor,
    means_date,
    means_id,
)
from specfn.migrate.route import Names, Route

#: The maximum number of schemas that are read as one, of members that are read of one response, and of their depth.
_COMBINED: Final = 60
_MOST: Final = 600
_DEPTH: Final = 3

_UNIONS: Final = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class ScalarMember:
    """A member of a response.

    Attributes:
        path: its names from the root.
        types: its JSON types; empty if any type is valid.
        schema: its schema, with references followed.
    """

    path: Names
    types: frozenset[str]
    schema: JsonObject

    @property
    def name(self) -> str:
        """Return the last name."""
        return self.path[-1]


@dataclass(slots=True)
class ResponseMembers:
    """The members of a response.

    Attributes:
        scalars: the members that are not containers.
        arrays: the arrays, with the members of their items.
    """

    scalars: list[ScalarMember] = field(default_factory=list)
    arrays: list[tuple[Names, frozenset[str]]] = field(default_factory=list)

    def items(self) -> Names | None:
        """Return the array of items; ``None`` if there is no array, or several are equally probable."""
        if len(self.arrays) == 1 or any(not path for path, _ in self.arrays):
            return min((path for path, _ in self.arrays), key=len)
        for name in ITEMS:
            named = [path for path, _ in self.arrays if as_one_word(path[-1]) == name]
            if named:
                return min(named, key=len)
        objects = [path for path, members in self.arrays if members]
        return objects[0] if len(objects) == 1 else None


class DocumentSchemas:
    """Schemas of a normalized document, read without composing them."""

    def __init__(self, components: JsonObject) -> None:
        """Store the schemas of ``components``."""
        self._components = components

    def parts(self, schema: Any) -> Iterator[JsonObject]:
        """Yield a schema and the schemas that it combines, with references followed."""
        waiting, seen = [schema], set[int]()
        while waiting and len(seen) < _COMBINED:
            node = waiting.pop(0)
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            reference = node.get("$ref")
            if (name := component_of(reference)) is not None:
                waiting.append(self._components.get(name))
            for key in _UNIONS:
                parts = node.get(key)
                waiting.extend(parts if isinstance(parts, list) else ())

    def types(self, schema: Any) -> frozenset[str]:
        """Return the types of a schema without null; empty if any type is valid."""
        types: set[str] = set()
        for part in self.parts(schema):
            declared = part.get("type")
            types.update([declared] if isinstance(declared, str) else declared or ())
            if "properties" in part:
                types.add("object")
        return frozenset(types - {"null"})

    def members(self, schema: Any) -> dict[str, Any]:
        """Return the declared properties of a schema."""
        members: dict[str, Any] = {}
        for part in self.parts(schema):
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, dict) else ():
                members.setdefault(name, inner)
        return members

    def first(self, schema: Any, keyword: str) -> Any:
        """Return the first value of a keyword in a schema and in the schemas that it combines."""
        return next((part[keyword] for part in self.parts(schema) if keyword in part), None)


def response_members(schema: Any, schemas: DocumentSchemas) -> ResponseMembers:
    """Return the members of a response that may describe pages."""
    response = ResponseMembers()
    waiting: list[tuple[Names, Any]] = [((), schema)]
    for _ in range(_MOST):
        if not waiting:
            break
        path, node = waiting.pop(0)
        types = schemas.types(node)
        if "array" in types:
            items = schemas.first(node, "items")
            response.arrays.append((path, frozenset(schemas.members(items))))
        elif "object" in types and (not path or (len(path) < _DEPTH and _is_container(path[-1]))):
            waiting.extend(((*path, name), inner) for name, inner in schemas.members(node).items())
        elif path and "object" not in types:
            response.scalars.append(
                ScalarMember(path, types, node if isinstance(node, dict) else {})
            )
    return response


def members_of_value(data: Any) -> ResponseMembers:
    """Return the members of a received response that may describe pages, documented or not."""
    response = ResponseMembers()
    waiting: list[tuple[Names, Any]] = [((), data)]
    for path, value in islice(waiting, _MOST):
        if isinstance(value, list):
            first = value[0] if value else None
            response.arrays.append((path, frozenset(first if isinstance(first, dict) else ())))
        elif isinstance(value, dict):
            if not path or (len(path) < _DEPTH and _is_container(path[-1])):
                names = islice(value, max(_MOST - len(waiting), 0))
                waiting.extend([((*path, name), value[name]) for name in names])
        elif path:
            name = _TYPE_NAMES.get(type(value))
            response.scalars.append(ScalarMember(path, frozenset([name] if name else ()), {}))
    return response


def _is_container(name: str) -> bool:
    words = words_of(name)
    is_next = words[:1] == ("next",)
    return is_next or "".join(words) in CONTAINERS or not PAGING.isdisjoint(words)


#: The types of values in JSON; null has none.
_TYPE_NAMES: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}

_NUMBERS = frozenset({"integer", "number"})

#: Names that mean paging also in an object with another name. ``created.after`` does not.
_UNMISTAKABLE: Final = PAGE | OFFSET | {*SIZE, "cursor", "next"}

_SCALARS = frozenset({"integer", "number", "string"})


@dataclass(frozen=True, slots=True)
class PageParameter:
    """A scalar parameter.

    Attributes:
        path: the names from the root of the arguments.
        word: the words of its name as one word.
        types: its JSON types; empty if any type is valid.
        default: its documented default.
        minimum: its documented minimum.
        is_date: true if it is a date.
        means_cursor: true if its description says that it is a cursor, or leads to the next page.
        mentions_page: true if its description mentions a page.
        means_id: true if its description says that it is an identifier.
    """

    path: Names
    word: str
    types: frozenset[str]
    default: Any
    minimum: Any
    is_date: bool
    means_cursor: bool
    mentions_page: bool
    means_id: bool

    @property
    def is_number(self) -> bool:
        """Return whether only numbers are valid."""
        return bool(self.types) and self.types <= _NUMBERS

    @property
    def first(self) -> int | None:
        """Return the documented first value of a counter; a default of, say, 10 is the size of a page by mistake."""
        if type(self.default) is int and self.default in {0, 1}:
            return self.default
        return 1 if self.minimum == 1 and type(self.minimum) is int else None


@dataclass(frozen=True, slots=True)
class PageParameters:
    """The scalar parameters of an operation, by the words of their names."""

    by_word: dict[str, PageParameter]

    def page(self) -> PageParameter | None:
        """Return the parameter that counts pages."""
        page = self._counting(PAGE)
        described = self._counting(PAGE_IF_DESCRIBED) if page is None else None
        return described if described is not None and described.mentions_page else page

    def offset(self) -> PageParameter | None:
        """Return the parameter that counts items."""
        named, size = self._counting(OFFSET), self.size()
        if named is not None or size is None:
            return named
        other = self._counting(OFFSET_IF_NUMBER)
        return None if other is None or other.path == size.path else other

    def size(self) -> PageParameter | None:
        """Return the parameter with the maximum number of items of a page."""
        named = (self.by_word[word] for word in SIZE if word in self.by_word)
        return next((parameter for parameter in named if parameter.is_number), None)

    def first_of(self, words: list[str]) -> PageParameter | None:
        """Return the first parameter with one of the names that is not a date."""
        named = (self.by_word[word] for word in words if word in self.by_word)
        return next((parameter for parameter in named if not parameter.is_date), None)

    def cursor(self) -> PageParameter | None:
        """Return the parameter that expects a cursor, by its name or else by its description."""
        return self.first_of([*CURSOR]) or next(
            (one for one in self.by_word.values() if one.means_cursor and not one.is_date), None
        )

    def _counting(self, words: frozenset[str]) -> PageParameter | None:
        named = (parameter for word, parameter in self.by_word.items() if word in words)
        return next((one for one in named if one.is_number and not one.is_date), None)


def page_parameters(route: Route, schemas: DocumentSchemas) -> PageParameters:
    """Return the scalar parameters of an operation, without fixed ones."""
    by_word: dict[str, PageParameter] = {}
    own = [one for one in _parameters(route, schemas) if one.path not in route.fixed]
    for parameter in own:
        by_word.setdefault(parameter.word, parameter)
    for parameter in own:
        word = as_one_word(parameter.path[-1])
        if _is_container(parameter.path[-2]) or word in _UNMISTAKABLE:
            by_word.setdefault(word, parameter)
    return PageParameters(by_word)


def _parameters(route: Route, schemas: DocumentSchemas) -> Iterator[PageParameter]:
    """Yield the scalar parameters of the query, and the members of a JSON body and of its containers of paging."""
    for parameter in route.query.parameters if route.query is not None else ():
        prefix = ("query",) if parameter.members else ("query", parameter.key)
        if "object" in schemas.types(parameter.schema):
            for name, inner in schemas.members(parameter.schema).items():
                yield from _scalar_parameters((*prefix, name), inner, "", schemas)
        else:
            text = parameter.description or ""
            yield from _scalar_parameters(("query", parameter.key), parameter.schema, text, schemas)
    body = route.body
    if body is None or body.kind != "json":
        return
    for name, inner in schemas.members(body.schema).items():
        yield from _scalar_parameters(("body", name), inner, "", schemas)
        if _is_container(name):
            for own, scalar in schemas.members(inner).items():
                yield from _scalar_parameters(("body", name, own), scalar, "", schemas)


def _scalar_parameters(
    path: Names, schema: Any, text: str, schemas: DocumentSchemas
) -> Iterator[PageParameter]:
    types = schemas.types(schema)
    if types - _SCALARS:
        return
    described = f"{text} {schemas.first(schema, 'description') or ''}"
    can_vary = "string" in (types or {"string"}) and schemas.first(schema, "enum") is None
    yield PageParameter(
        path=path,
        word="".join(as_one_word(name) for name in path[1:]),
        types=types,
        default=schemas.first(schema, "default"),
        minimum=schemas.first(schema, "minimum"),
        is_date=means_date(schemas.first(schema, "format"), described),
        means_cursor=can_vary and means_cursor(path[-1], described),
        mentions_page="page" in described.lower(),
        means_id=means_id(described),
    )
