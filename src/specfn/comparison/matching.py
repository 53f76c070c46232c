"""Pairs of the functions and arguments that are the same in two applications."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from specfn._internal.json import JsonObject, dumps_sorted
from specfn.comparison.keyword_rules import constraints
from specfn.function.function import Function
from specfn.migrate.route import Parameter, Placeholder


class SentArgument(NamedTuple):
    """One argument of a function.

    Attributes:
        key: the key under which the model passes it.
        group: the key of its group at the root; empty for a path parameter.
        name: the name in the request.
        location: the location in the request.
        required: true if it must be passed.
        schema: the composed schema.
        wire: the rules of its serialization, as JSON.
        pointer: the JSON Pointer of its declaration.
    """

    key: str
    group: str
    name: str
    location: str
    required: bool
    schema: Any
    wire: JsonObject
    pointer: str

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the place of the argument."""
        return (self.group, self.key) if self.group else (self.key,)


def arguments_of(function: Function) -> list[SentArgument]:
    """Return the path, query, header and cookie arguments of a function."""
    root = function.schemas.composed.arguments
    arguments = [*_arguments(function.route.parameters, "", root)]
    for group in function.route.groups:
        arguments += _arguments(group.parameters, group.key, root["properties"][group.key])
    return arguments


def _arguments(
    parameters: tuple[Parameter, ...], group: str, schema: JsonObject
) -> Iterator[SentArgument]:
    """Yield the arguments of some parameters; each property of a spread one is an argument."""
    properties, required = schema["properties"], schema.get("required", ())
    for parameter in parameters:
        for key in parameter.members or (parameter.key,):
            yield SentArgument(
                key=key,
                group=group,
                name=key if parameter.members else parameter.name,
                location=parameter.location,
                required=key in required,
                schema=properties[key],
                wire={
                    "style": parameter.style,
                    "explode": parameter.explode,
                    "allowReserved": parameter.allow_reserved,
                    "media type": parameter.media_type,
                },
                pointer=parameter.pointer,
            )


_Item = TypeVar("_Item")
_Mark = Callable[[Any], Any]


class Matched(NamedTuple):
    """The pairs of two lists.

    Attributes:
        pairs: each old item with the new one, in the order of the old ones.
        removed, added: old items without a new one, and new items without an old one.
    """

    pairs: list[tuple[Any, Any]]
    removed: list[Any]
    added: list[Any]


def match(
    old: Iterable[_Item], new: Iterable[_Item], marks: Iterable[_Mark | tuple[_Mark, _Mark]]
) -> Matched:
    """Pair items whose mark occurs once in each list. Each mark is tried on the items that the ones before left.

    An item whose mark is ``None`` stays. Two functions are the marks of the old and of the new items.
    """
    pairs: list[tuple[Any, Any]] = []
    removed, added = [*old], [*new]
    for mark in marks:
        old_mark, new_mark = mark if isinstance(mark, tuple) else (mark, mark)
        before = [(old_mark(item), item) for item in removed]
        after = [(new_mark(item), item) for item in added]
        counts = Counter(key for key, _ in before), Counter(key for key, _ in after)
        shared = {key for key, count in counts[0].items() if count == 1 == counts[1][key]} - {None}
        counterparts = {key: item for key, item in after if key in shared}
        pairs += [(item, counterparts[key]) for key, item in before if key in shared]
        removed = [item for key, item in before if key not in shared]
        added = [item for key, item in after if key not in shared]
    return Matched(pairs, removed, added)


# -- functions -------------------------------------------------------------------------------------


def match_functions(old: Iterable[Function], new: Iterable[Function]) -> Matched:
    """Pair functions by method and path, by path without the names of its parameters, by name and by operationId."""
    marks: tuple[_Mark, ...] = (
        lambda function: (function.method, function.path),
        lambda function: (function.method, anonymous_path(function)),
        attrgetter("name"),
        attrgetter("operation_id"),
    )
    return match(old, new, marks)


def anonymous_path(function: Function) -> Any:
    """Return the path of a function without the names of its parameters."""
    template = function.route.template
    segments = tuple(tuple(map(_without_name, pieces)) for pieces in template.segments)
    query = tuple(
        (name, None if pieces is None else tuple(map(_without_name, pieces)))
        for name, pieces in template.query
    )
    return segments, query, template.fragment


def _without_name(piece: str | Placeholder) -> str | None:
    return piece if isinstance(piece, str) else None


# -- arguments -------------------------------------------------------------------------------------


def match_arguments(old: list[SentArgument], new: list[SentArgument]) -> Matched:
    """Pair arguments by location and name, by name, and by location and schema."""
    return match(old, new, (lambda argument: (argument.location, _name(argument)), _name, _kind))


def match_path_arguments(old: list[SentArgument], new: list[SentArgument]) -> Matched:
    """Pair the arguments of one path by their positions."""
    count = min(len(old), len(new))
    pairs = [*zip(old[:count], new[:count], strict=True)]
    return Matched(pairs, old[count:], new[count:])


def _name(argument: SentArgument) -> str:
    return argument.name.lower() if argument.location == "header" else argument.name


def _kind(argument: SentArgument) -> Any:
    schema = argument.schema
    text = dumps_sorted(constraints(schema) if isinstance(schema, dict) else schema)
    return argument.location, argument.required, text
