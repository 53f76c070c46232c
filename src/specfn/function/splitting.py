"""Values taken apart by who fills them, and put together again (rules S4, S5).

Nothing here changes what it is given, and nothing recurses: arguments may be nested as deep as they like.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from specfn._json import JsonObject
from specfn.function.ownership import Survey
from specfn.function.spots import LEAF, Spot, kinds_of_parts
from specfn.records import ABSENT

#: What stands for a person's value before the eyes of others.
MASK: Final = "***"

#: Whether a value is valid against a schema of a document.
Accepts = Callable[[Any, Any], bool]


def both(llm: Any, human: Any) -> Any:
    """Two values of the same kind, merged."""
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any, Any]] = [(llm, human, out, 0)]
    while waiting:
        left, right, holder, key = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            made: Any = {**left, **right}
            pairs: Iterable[Any] = (name for name in right if name in left)
        elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
            made = [_filled(left, right, index) for index in range(max(len(left), len(right)))]
            pairs = range(min(len(left), len(right)))
        else:
            made, pairs = right, ()
        holder[key] = made
        waiting += [
            (left[each], right[each], made, each)
            for each in pairs
            if _is_alike(left[each], right[each])
        ]
    return out[0]


def _is_alike(left: Any, right: Any) -> bool:
    return any(isinstance(left, kind) and isinstance(right, kind) for kind in (dict, list))


def _filled(left: Any, right: Any, index: int) -> Any:
    """The element of two arrays: the person's where there is one."""
    if index < len(right) and (right[index] is not None or index >= len(left)):
        return right[index]
    return left[index]


class Splitter:
    """Takes values apart by who fills what."""

    def __init__(self, survey: Survey, accepts: Accepts) -> None:
        """Take what was found out, and how to tell whether a value fits a branch."""
        self._survey = survey
        self._accepts = accepts

    def split(self, spot: Spot, value: Any) -> tuple[Any, Any]:
        """The model's part of a value and the person's; ``ABSENT`` for none."""
        left: dict[str, Any] = {}
        right: dict[str, Any] = {}
        waiting: list[tuple[Spot, Any, Any, Any, Any]] = [(spot, value, left, right, "")]
        while waiting:
            spot, value, llm, human, key = waiting.pop()
            spot = self._survey.resolve(spot)
            if not spot.human:
                llm[key] = value
            elif not spot.model:
                human[key] = value
            elif isinstance(value, dict) and _is_object(spot):
                llm[key], human[key] = {}, {}
                waiting += [
                    (each, value[name], llm[key], human[key], name)
                    for name, each in self._members(spot, value)
                ]
            elif isinstance(value, list) and not spot.is_grouped and _is_array(spot):
                llm[key], human[key] = [None] * len(value), [None] * len(value)
                waiting += [
                    (each, value[at], llm[key], human[key], at)
                    for at, each in enumerate(_items(spot, len(value)))
                ]
            elif spot.unions and not spot.is_grouped:
                keyword = next(iter(spot.unions))
                waiting.append((self._branch(spot, keyword, value), value, llm, human, key))
            else:
                llm[key] = value
        return left.get("", ABSENT), right.get("", ABSENT)

    def _members(self, spot: Spot, value: JsonObject) -> list[tuple[str, Spot]]:
        """Who fills each member of an object."""
        layers = [spot]
        for layer in layers:  # grows while it is read
            for keyword in layer.unions if spot.is_grouped else ():
                branch = self._survey.resolve(self._branch(layer, keyword, value))
                if branch not in layers:
                    layers.append(branch)
        return [(name, self._member(layers, name)) for name in value]

    def _member(self, layers: list[Spot], name: str) -> Spot:
        for layer in layers:
            found = layer.properties.get(name, LEAF)
            if found.human:
                return found
        return self._survey.member(layers[0], name)

    def _branch(self, spot: Spot, keyword: str, value: Any) -> Spot:
        """The branch that a value fits; one of a person's before others, also where it fits none."""
        pairs = list(zip(spot.unions[keyword], spot.node[keyword], strict=True))
        pairs.sort(key=lambda pair: not pair[0].human)
        fitting = (branch for branch, node in pairs if self._accepts(node, value))
        return next(fitting, pairs[0][0])

    # -- masking ----------------------------------------------------------------------------------

    def masked(self, spot: Spot, value: Any) -> Any:
        """A copy of a value with ``MASK`` for everything that may be a person's."""
        out: list[Any] = [None]
        waiting: list[tuple[list[Spot], Any, Any, Any]] = [([spot], value, out, 0)]
        while waiting:
            spots, value, holder, key = waiting.pop()
            spots = list(self._possible(spots))
            if any(each.human and not each.model for each in spots):
                holder[key] = MASK
            elif isinstance(value, dict):
                holder[key] = made = dict(value)
                waiting += [(list(_named(spots, name)), value[name], made, name) for name in value]
            elif isinstance(value, list | tuple):
                holder[key] = listed = list(value)
                waiting += [(_at(spots, at), item, listed, at) for at, item in enumerate(value)]
            else:
                holder[key] = value
        return out[0]

    def _possible(self, spots: Iterable[Spot]) -> Iterator[Spot]:
        """Places with a person's part, and all that they apply in place."""
        seen: set[int] = set()
        waiting = list(spots)
        while waiting:
            spot = self._survey.resolve(waiting.pop())
            if spot.human and id(spot) not in seen:
                seen.add(id(spot))
                yield spot
                waiting += [each for branches in spot.unions.values() for each in branches]


def _is_object(spot: Spot) -> bool:
    return spot.is_grouped or "object" in kinds_of_parts(spot.node)


def _is_array(spot: Spot) -> bool:
    return "array" in kinds_of_parts(spot.node)


def _items(spot: Spot, count: int) -> list[Spot]:
    rest = LEAF if spot.items is None else spot.items
    return [*spot.prefix[:count], *[rest] * (count - len(spot.prefix))]


def _named(spots: Iterable[Spot], name: str) -> Iterator[Spot]:
    """What a member may be; a rest counts for every name that is not declared."""
    for spot in spots:
        if name in spot.properties:
            yield spot.properties[name]
        else:
            yield from spot.patterns.values()
            if spot.additional is not None:
                yield spot.additional


def _at(spots: Iterable[Spot], index: int) -> list[Spot]:
    return [_items(spot, index + 1)[index] for spot in spots]
