"""Merging, splitting and masking of the human and the model parts of arguments (rules S4, S5).

Nothing here changes its input or recurses, so arguments may be nested to any depth.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from specfn._internal.caller_arguments import require
from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals
from specfn.errors import UsageError
from specfn.function.function import Function
from specfn.function.function_schemas import SplitSchemas
from specfn.function.separation.ownership import Ownership
from specfn.function.separation.places import LEAF, ArgumentPlace, kinds_of_parts
from specfn.records import ABSENT

#: The replacement for a masked value.
MASK: Final = "***"

#: The path to a part of arguments; and parts with their paths.
Tokens: TypeAlias = tuple[str | int, ...]
HumanParts: TypeAlias = list[tuple[Tokens, Any]]

#: Returns whether a value is valid against a schema of a document.
Accepts = Callable[[Any, Any], bool]


def both(llm: Any, human: Any) -> Any:
    """Merge two values of the same kind."""
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any, Any]] = [(llm, human, out, 0)]
    while waiting:
        left, right, holder, key = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            merged: Any = {**left, **right}
            keys: Iterable[Any] = (name for name in right if name in left)
        elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
            merged = [_element(left, right, index) for index in range(max(len(left), len(right)))]
            keys = range(min(len(left), len(right)))
        else:
            merged, keys = right, ()
        holder[key] = merged
        waiting += [
            (left[shared], right[shared], merged, shared)
            for shared in keys
            if _is_alike(left[shared], right[shared])
        ]
    return out[0]


def _is_alike(left: Any, right: Any) -> bool:
    return any(isinstance(left, kind) and isinstance(right, kind) for kind in (dict, list))


def _element(left: Any, right: Any, index: int) -> Any:
    """Return the element at an index of two arrays, the human one if there is one."""
    if index < len(right) and (right[index] is not None or index >= len(left)):
        return right[index]
    return left[index]


class ArgumentSplitter:
    """A splitter of values by owner."""

    def __init__(self, ownership: Ownership, accepts: Accepts) -> None:
        """Create a splitter from the owners and a test whether a value is valid against a branch."""
        self._ownership = ownership
        self._accepts = accepts

    def split(self, place: ArgumentPlace, value: Any) -> tuple[Any, Any]:
        """Return the model's part of a value and the human part; ``ABSENT`` for a missing part."""
        left: dict[str, Any] = {}
        right: dict[str, Any] = {}
        waiting: list[tuple[ArgumentPlace, Any, Any, Any, Any]] = [(place, value, left, right, "")]
        while waiting:
            place, value, llm, human, key = waiting.pop()
            place = self._ownership.resolve(place)
            if not place.human:
                llm[key] = value
            elif not place.model:
                human[key] = value
            elif isinstance(value, dict) and _is_object(place):
                llm[key], human[key] = {}, {}
                waiting += [
                    (member, value[name], llm[key], human[key], name)
                    for name, member in self._members(place, value)
                ]
            elif isinstance(value, list) and not place.is_grouped and _is_array(place):
                llm[key], human[key] = [None] * len(value), [None] * len(value)
                waiting += [
                    (item, value[at], llm[key], human[key], at)
                    for at, item in enumerate(_items(place, len(value)))
                ]
            elif place.unions and not place.is_grouped:
                keyword = next(iter(place.unions))
                waiting.append((self._branch(place, keyword, value), value, llm, human, key))
            else:
                llm[key] = value
        return left.get("", ABSENT), right.get("", ABSENT)

    def _members(self, place: ArgumentPlace, value: JsonObject) -> list[tuple[str, ArgumentPlace]]:
        layers = [place]
        for layer in layers:  # grows while it is read
            for keyword in layer.unions if place.is_grouped else ():
                branch = self._ownership.resolve(self._branch(layer, keyword, value))
                if branch not in layers:
                    layers.append(branch)
        return [(name, self._member(layers, name)) for name in value]

    def _member(self, layers: list[ArgumentPlace], name: str) -> ArgumentPlace:
        for layer in layers:
            member = layer.properties.get(name, LEAF)
            if member.human:
                return member
        return self._ownership.member(layers[0], name)

    def _branch(self, place: ArgumentPlace, keyword: str, value: Any) -> ArgumentPlace:
        """Return the branch that a value is valid against. Human branches come first, even if no branch is valid."""
        pairs = list(zip(place.unions[keyword], place.node[keyword], strict=True))
        pairs.sort(key=lambda pair: not pair[0].human)
        fitting = (branch for branch, node in pairs if self._accepts(node, value))
        return next(fitting, pairs[0][0])

    # -- masking ----------------------------------------------------------------------------------

    def mask(self, place: ArgumentPlace, value: Any, masked: HumanParts | None = None) -> Any:
        """Return a copy of a value with ``MASK`` for everything that may belong to the human.

        Each masked part is added to ``masked``, with the path to it.
        """
        out: list[Any] = [None]
        waiting: list[tuple[list[ArgumentPlace], Any, Any, Any, Tokens]] = [
            ([place], value, out, 0, ())
        ]
        while waiting:
            places, value, holder, key, path = waiting.pop()
            places = list(self._possible(places))
            if any(candidate.human and not candidate.model for candidate in places):
                holder[key] = MASK
                if masked is not None:
                    masked.append((path, value))
            elif isinstance(value, dict):
                holder[key] = members = dict(value)
                waiting += [
                    (
                        list(_places_of_member(places, name)),
                        value[name],
                        members,
                        name,
                        (*path, name),
                    )
                    for name in value
                ]
            elif isinstance(value, list | tuple):
                holder[key] = items = list(value)
                waiting += [
                    (_at(places, at), item, items, at, (*path, at)) for at, item in enumerate(value)
                ]
            else:
                holder[key] = value
        return out[0]

    def _possible(self, places: Iterable[ArgumentPlace]) -> Iterator[ArgumentPlace]:
        """Yield places with a human part, and all schemas that they apply in place."""
        seen: set[int] = set()
        waiting = list(places)
        while waiting:
            place = self._ownership.resolve(waiting.pop())
            if place.human and id(place) not in seen:
                seen.add(id(place))
                yield place
                waiting += [branch for union in place.unions.values() for branch in union]


def _is_object(place: ArgumentPlace) -> bool:
    return place.is_grouped or "object" in kinds_of_parts(place.node)


def _is_array(place: ArgumentPlace) -> bool:
    return "array" in kinds_of_parts(place.node)


def _items(place: ArgumentPlace, count: int) -> list[ArgumentPlace]:
    rest = LEAF if place.items is None else place.items
    return [*place.prefix[:count], *[rest] * (count - len(place.prefix))]


def _places_of_member(places: Iterable[ArgumentPlace], name: str) -> Iterator[ArgumentPlace]:
    """Yield the possible places of a member. Additional properties apply to every undeclared name."""
    for place in places:
        if name in place.properties:
            yield place.properties[name]
        else:
            yield from place.patterns.values()
            if place.additional is not None:
                yield place.additional


def _at(places: Iterable[ArgumentPlace], index: int) -> list[ArgumentPlace]:
    return [_items(place, index + 1)[index] for place in places]


@without_locals
def merge(function: Function, *, llm: Any, human: Any) -> Any:
    """Merge the model's arguments and the human part.

    Objects merge by key, and an explicit null of the human counts. Arrays merge element by element: an element that is
    missing or ``None`` on one side comes from the other. Everywhere else the human value wins if it is given. The
    result is not validated: ``execute`` validates it like any arguments.

    Args:
        function: one of an application with ``Options.separate``.
        llm: the model's arguments, valid against ``function.separated.llm``.
        human: the human part, valid against ``function.separated.human``; ``None`` if there is no human part.

    Raises:
        UsageError: the function is not separated, or the arguments are not in its calling style.

    Examples:
        >>> options = specfn.Options(separate="secrets")
        >>> function = specfn.load("openapi.json", options=options)["createCustomer"]
        >>> llm = {"body": {"name": "Kim", "email": "kim@example.com"}}
        >>> specfn.merge(function, llm=llm, human={"body": {"passphrase": "red tulips"}})
        {'body': {'name': 'Kim', 'email': 'kim@example.com', 'passphrase': 'red tulips'}}
    """
    require("function", function, Function, "a specfn.Function")
    if human is None:
        return llm
    _split_schemas_of(function)
    for side, given in (("llm", llm), ("human", human)):
        if not (isinstance(given, dict) if function.keyword else isinstance(given, list | tuple)):
            form = "an object by key" if function.keyword else "a list by position"
            raise UsageError(
                f"invalid argument {side}: expected {form}, got {type(given).__name__}"
            )
    return both(llm, human)


def split(function: Function, arguments: Any) -> tuple[Any, Any]:
    """Split arguments into parts that ``merge`` can put together again.

    If a union has a human branch, a value that is valid against it belongs to the human.

    Returns:
        The model's part and the human part, each in the function's calling style.

    Raises:
        UsageError: the function is not separated.
    """
    return _split_schemas_of(function).split(arguments, keyword=function.keyword)


def mask(function: Function, arguments: Any) -> Any:
    """Return a copy of arguments with ``***`` for everything that may belong to the human (rule S5).

    If only the value could decide the owner, it is masked.

    Raises:
        UsageError: the function is not separated.
    """
    return _split_schemas_of(function).mask(arguments, keyword=function.keyword)


def is_shared(function: Function) -> bool:
    """Return whether a human fills in a part of the arguments of a function."""
    separated = function.separated
    return separated is not None and separated.human is not None


def _split_schemas_of(function: Function) -> SplitSchemas:
    split_schemas = function.schemas.split_schemas
    if split_schemas is None:
        raise UsageError(
            f"{function.name} is not separated: load the document with Options(separate=...)"
        )
    return split_schemas
