"""Pairs of the functions and arguments that are the same in two applications."""

from collections.abc import Callable, Iterable, Iterator
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
    found = [*_arguments(function.route.parameters, "", root)]
    for group in function.route.groups:
        found += _arguments(group.parameters, group.key, root["properties"][group.key])
    return found


def _arguments(
    parameters: tuple[Parameter, ...], group: str, schema: JsonObject
) -> Iterator[SentArgument]:
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
                wire=_wire(parameter),
                pointer=parameter.pointer,
            )


def _wire(parameter: Parameter) -> JsonObject:
    return {
        "style": parameter.style,
        "explode": parameter.explode,
        "allowReserved": parameter.allow_reserved,
        "media type": parameter.media_type,
    }


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


def match(old: Iterable[_Item], new: Iterable[_Item], marks: Iterable[_Mark]) -> Matched:
    """Pair items whose mark occurs once in each list. Each mark is tried on the items that the ones before left."""
    pairs: list[tuple[Any, Any]] = []
    removed, added = [*old], [*new]
    for mark in marks:
        before, after = _single(removed, mark), _single(added, mark)
        shared = before.keys() & after.keys()
        pairs += [(item, after[key]) for key, item in before.items() if key in shared]
        used = {id(each) for pair in pairs for each in pair} if shared else set()
        removed = [each for each in removed if id(each) not in used]
        added = [each for each in added if id(each) not in used]
    return Matched(pairs, removed, added)


def _single(items: Iterable[Any], mark: _Mark) -> dict[Any, Any]:
    """Return the items by mark. A mark that is ``None`` or occurs twice is left out."""
    found: dict[Any, Any] = {}
    twice: set[Any] = {None}
    for each in items:
        key = mark(each)
        if key in found:
            twice.add(key)
        found[key] = each
    return {key: each for key, each in found.items() if key not in twice}


# -- functions -------------------------------------------------------------------------------------


def match_functions(old: Iterable[Function], new: Iterable[Function]) -> Matched:
    """Pair functions by method and path, by path without the names of its parameters, by name and by operationId."""
    return match(old, new, (_operation, _anonymous, _name, _operation_id))


def _operation(function: Function) -> Any:
    return function.method, function.path


def _anonymous(function: Function) -> Any:
    return function.method, anonymous_path(function)


def _name(function: Function) -> Any:
    return function.name


def _operation_id(function: Function) -> Any:
    return function.operation_id


def anonymous_path(function: Function) -> Any:
    """Return the path of a function without the names of its parameters."""
    template = function.route.template
    segments = tuple(tuple(map(_unnamed, pieces)) for pieces in template.segments)
    query = tuple(
        (name, None if pieces is None else tuple(map(_unnamed, pieces)))
        for name, pieces in template.query
    )
    return segments, query, template.fragment


def _unnamed(piece: str | Placeholder) -> str | None:
    return piece if isinstance(piece, str) else None


# -- arguments -------------------------------------------------------------------------------------


def match_arguments(old: list[SentArgument], new: list[SentArgument]) -> Matched:
    """Pair arguments by location and name, by name, and by location and schema."""
    return match(old, new, (_placed, _called, _alike))


def match_path_arguments(old: list[SentArgument], new: list[SentArgument]) -> Matched:
    """Pair the arguments of one path by their positions."""
    count = min(len(old), len(new))
    pairs = [*zip(old[:count], new[:count], strict=True)]
    return Matched(pairs, old[count:], new[count:])


def _placed(argument: SentArgument) -> Any:
    return argument.location, _folded(argument)


def _called(argument: SentArgument) -> Any:
    return _folded(argument)


def _folded(argument: SentArgument) -> str:
    return argument.name.lower() if argument.location == "header" else argument.name


def _alike(argument: SentArgument) -> Any:
    schema = argument.schema
    text = dumps_sorted(constraints(schema) if isinstance(schema, dict) else schema)
    return argument.location, argument.required, text
