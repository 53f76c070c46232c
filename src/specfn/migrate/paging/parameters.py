"""The parameters of an operation that may choose a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specfn.migrate.paging.paging_words import (
    CURSOR,
    OFFSET,
    OFFSET_IF_NUMBER,
    PAGE,
    SIZE,
    joined,
    means_date,
)
from specfn.migrate.paging.record import Names
from specfn.migrate.paging.response_members import DocumentSchemas
from specfn.migrate.route import Parameter, Route

_NUMBERS = frozenset({"integer", "number"})
_SCALARS = frozenset({"integer", "number", "string"})


@dataclass(frozen=True, slots=True)
class PageParameter:
    """A scalar parameter.

    Attributes:
        path: the names from the root of the arguments.
        word: the words of its name as one word.
        types: its JSON types; empty if any type is valid.
        default: its documented default.
        is_date: true if it is a date.
    """

    path: Names
    word: str
    types: frozenset[str]
    default: Any
    is_date: bool

    @property
    def is_number(self) -> bool:
        """Return whether only numbers are valid."""
        return bool(self.types) and self.types <= _NUMBERS

    @property
    def start(self) -> int | None:
        """Return the default as an integer."""
        return self.default if type(self.default) is int else None


@dataclass(frozen=True, slots=True)
class PageParameters:
    """The scalar parameters of an operation, by the words of their names."""

    by_word: dict[str, PageParameter]

    def page(self) -> PageParameter | None:
        """Return the parameter that counts pages."""
        return self._counting(PAGE)

    def offset(self) -> PageParameter | None:
        """Return the parameter that counts items."""
        found = self._counting(OFFSET)
        return found or (self._counting(OFFSET_IF_NUMBER) if self.size() else None)

    def size(self) -> PageParameter | None:
        """Return the parameter with the maximum number of items of a page."""
        found = (self.by_word.get(word) for word in SIZE)
        return next((each for each in found if each is not None and each.is_number), None)

    def named(self, words: list[str]) -> PageParameter | None:
        """Return the first parameter with one of the names that is no date."""
        found = (self.by_word.get(word) for word in words)
        return next((each for each in found if each is not None and not each.is_date), None)

    def cursor(self) -> PageParameter | None:
        """Return the parameter that usually takes a cursor."""
        return self.named([*CURSOR])

    def _counting(self, words: frozenset[str]) -> PageParameter | None:
        found = (each for word, each in self.by_word.items() if word in words)
        return next((each for each in found if each.is_number and not each.is_date), None)


def page_parameters(route: Route, schemas: DocumentSchemas) -> PageParameters:
    """Return the scalar parameters of an operation, without fixed ones."""
    found: dict[str, PageParameter] = {}
    for each in _parameters(route, schemas):
        if each.path not in route.fixed:
            found.setdefault(each.word, each)
    return PageParameters(found)


def _parameters(route: Route, schemas: DocumentSchemas) -> Iterator[PageParameter]:
    for parameter in route.query.parameters if route.query is not None else ():
        path = ("query", parameter.key)
        types = schemas.types(parameter.schema)
        if "object" in types:
            prefix = () if parameter.members else path[1:]
            for name, inner in schemas.members(parameter.schema).items():
                yield from _scalar(("query", *prefix, name), inner, "", schemas)
        else:
            yield from _scalar(path, parameter.schema, _text(parameter), schemas)


def _text(parameter: Parameter) -> str:
    return parameter.description or ""


def _scalar(
    path: Names, schema: Any, text: str, schemas: DocumentSchemas
) -> Iterator[PageParameter]:
    types = schemas.types(schema)
    if types - _SCALARS:
        return
    described = f"{text} {schemas.first(schema, 'description') or ''}"
    yield PageParameter(
        path=path,
        word="".join(joined(name) for name in path[1:]),
        types=types,
        default=schemas.first(schema, "default"),
        is_date=means_date(schemas.first(schema, "format"), described),
    )
