"""Refusal of values that are not plain JSON, before the engine reads them (rule V1).

The engine reads Python objects lazily and by recursion. It never checks a value that no schema keyword reads, and
deeply nested input ends the process. So the value is checked first, without recursion. This takes under a
microsecond for ordinary arguments. A second walk collects the problems, if there are any.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, repeat
from math import isfinite
from operator import is_
from typing import Any, Final, NamedTuple

from specfn._internal.json import max_integer_digits
from specfn._internal.pointer import input_path
from specfn._internal.values import type_name
from specfn.records import ArgumentProblem

#: The maximum number of levels of containers, and of values in all.
MAX_DEPTH: Final = 64
MAX_VALUES: Final = 100_000

#: The maximum number of problems that are reported.
_MAX_PROBLEMS: Final = 20

#: Paths, and files opened in text mode. They are compared by name, because a look at a class may run its code.
_FILES: Final = frozenset({"PosixPath", "WindowsPath", "TextIOWrapper", "StringIO"})

#: Integers below this have fewer digits than any limit that Python accepts for texts of integers (640).
_MAX_INTEGER: Final = 1 << 2048
_MIN_INTEGER: Final = -_MAX_INTEGER
_BITS_PER_DIGIT: Final = 3.3219280948873626

#: The minimum and the maximum number of items of a list that are checked together. An item of another type affects only
#: the items that are checked with it.
_MIN_TOGETHER: Final = 16
_MAX_TOGETHER: Final = 256

#: Checks of many scalars of one type together, by the identity of the type. Looking up a class itself would call its
#: metaclass. A sum of floats is finite only if all of them are.
_CHECKS: Final[Mapping[int, Callable[[list[Any]], bool]]] = {
    id(bool): lambda _: True,
    id(type(None)): lambda _: True,
    id(int): lambda items: min(items) > _MIN_INTEGER and max(items) < _MAX_INTEGER,
    id(float): lambda items: isfinite(sum(items)),
    id(str): lambda items: all(map(str.isascii, items)),
}


def is_plain_json(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return whether a value is plain JSON within the limits: exact types, string keys, finite numbers, no lone surrogates."""
    if type(value) is not dict and type(value) is not list:
        return _is_plain_scalar(value)
    boxes: list[Any] = [value]
    room = MAX_VALUES
    level = end = (
        1  # the level of the next container, and the index after the last container of that level
    )
    for index, box in enumerate(boxes):  # the loop appends to the list, level by level
        if index == end:
            level += 1
            end = len(boxes)
            if level > depth:
                return False
        room -= len(box)
        if room < 0:
            return False
        items: Iterable[Any] = box
        if type(box) is dict:
            for key in box:
                if type(key) is not str or not (key.isascii() or _encodes(key)):
                    return False
            items = box.values()
        elif len(box) >= _MIN_TOGETHER:
            items = _items_to_check(box)
        for item in items:
            kind = type(item)
            if kind is str:
                if not (item.isascii() or _encodes(item)):
                    return False
            elif kind is dict or kind is list:
                boxes.append(item)
            elif kind is int:
                if not _MIN_INTEGER < item < _MAX_INTEGER and not _is_plain_scalar(item):
                    return False
            elif kind is float:
                if not isfinite(item):
                    return False
            elif item is not None and kind is not bool:
                return False
    return True


def _items_to_check(items: list[Any]) -> Iterator[Any]:
    """Yield the items of a long list that cannot be checked together with their neighbors."""
    for start in range(0, len(items), _MAX_TOGETHER):
        part = items[start : start + _MAX_TOGETHER]
        if not _are_plain_scalars(part):
            yield from part


def _are_plain_scalars(items: list[Any]) -> bool:
    """Return whether all items are plain scalars of one type. If false, each must be checked alone."""
    kind = type(items[0])
    check = _CHECKS.get(id(kind))
    return check is not None and all(map(is_, map(type, items), repeat(kind))) and check(items)


def plain_json_problems(value: Any, depth: int = MAX_DEPTH) -> tuple[ArgumentProblem, ...]:
    """Return why a value is not plain JSON, one problem per place; empty if it is."""
    problems: dict[str, ArgumentProblem] = {}
    for problem in _faults(value, depth):
        problems.setdefault(problem.path, problem)
        if len(problems) == _MAX_PROBLEMS:
            break
    return tuple(problems.values())


class _Place(NamedTuple):
    """A value that waits to be checked: its path as a chain of tokens, and its level."""

    value: Any
    token: str | int
    above: "_Place | None"
    level: int

    def problem(self, expected: str, description: str) -> ArgumentProblem:
        tokens: list[str | int] = []
        place: _Place = self
        while place.above is not None:
            tokens.append(place.token)
            place = place.above
        path = input_path(reversed(tokens))
        return ArgumentProblem(
            path=path, expected=expected, value=self.value, description=description
        )


def _faults(value: Any, depth: int) -> Iterator[ArgumentProblem]:
    """Yield a problem for each place that is not plain JSON, without recursion."""
    waiting = [_Place(value, "", None, 1)]
    seen = 0
    deep = False
    while waiting:
        place = waiting.pop()
        seen += 1
        if seen > MAX_VALUES + 1:
            yield _Place(value, "", None, 1).problem("any", f"More than {MAX_VALUES:,} values.")
            return
        if type(place.value) is not dict and type(place.value) is not list:
            yield from _scalar_faults(place)
        elif place.level > depth:
            if not deep:
                yield place.problem("any", f"Nested deeper than {depth} levels.")
            deep = True
        else:
            yield from _key_faults(place)
            waiting.extend(
                reversed([*islice(_below(place), MAX_VALUES + 2 - seen)])
            )  # no more are seen


def _below(place: _Place) -> Iterator[_Place]:
    box = place.value
    members = box.items() if type(box) is dict else enumerate(box)
    for token, item in members:
        if type(token) is int or (type(token) is str and _encodes(token)):
            yield _Place(item, token, place, place.level + 1)


def _key_faults(place: _Place) -> Iterator[ArgumentProblem]:
    if type(place.value) is dict:
        for key in place.value:
            if type(key) is not str:
                yield place.problem(
                    "Record<string, any>", f"A key is a Python {type_name(key)}, not a string."
                )
            elif not _encodes(key):
                yield place.problem("Record<string, any>", "A key holds a lone surrogate.")


def _scalar_faults(place: _Place) -> Iterator[ArgumentProblem]:
    value = place.value
    if _is_plain_scalar(value):
        return
    if type(value) is str:
        yield place.problem(
            "string", "The text holds a lone surrogate, which no encoding can carry."
        )
    elif type(value) is float:
        yield place.problem("number", "NaN and infinities are not JSON.")
    elif type(value) is int:
        yield place.problem("number", f"The integer has more than {max_integer_digits():,} digits.")
    else:
        name = type_name(value)
        hint = " Pass a file as bytes, or opened in binary mode." if name in _FILES else ""
        yield place.problem("any", f"A Python {name} is not a JSON value.{hint}")


def _is_plain_scalar(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return value.isascii() or _encodes(value)
    if kind is int:
        return _MIN_INTEGER < value < _MAX_INTEGER or bool(
            value.bit_length() <= max_integer_digits() * _BITS_PER_DIGIT
        )
    if kind is float:
        return isfinite(value)
    return value is None or kind is bool


def _encodes(text: str) -> bool:
    """Return whether a text has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
