"""Check of documents that callers pass as objects: JSON values of plain types, limited in depth and size.

Parsers of text create nothing else, and count the aliases of YAML themselves (``yaml``). A caller's ``dict`` is
checked once. It is never changed; only the parts around a key that must become a string are copied.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

import orjson

from specfn._internal.json import JsonObject
from specfn._internal.pointer import join
from specfn.document.read.unreadable_numbers import UnreadableNumber
from specfn.errors import DocumentError

#: The largest document in bytes, decompressed.
MAX_BYTES: Final = 256 * 1024 * 1024

#: The deepest nesting of objects and arrays.
MAX_DEPTH: Final = 200

#: The maximum number of keys and values of a document; shared ones count at each of their locations.
MAX_NODES: Final = 10_000_000

TOO_DEEP: Final = f"the document is nested deeper than {MAX_DEPTH} levels"
TOO_LARGE: Final = f"the document contains more than {MAX_NODES:,} keys and values"

#: The depth limit of orjson. It is documented, and a test checks it.
_ORJSON_DEPTH: Final = 254

#: Integers of more than 1,000 digits are refused: Python does not write them from 4,300 digits on.
_MAX_BITS: Final = 3322

_HINT: Final = "if another parser created it, pass the text of the document to specfn.loads"


def too_deep(value: Any) -> bool:
    """Return whether a JSON value has more than ``MAX_DEPTH`` levels."""
    return _may_be_too_deep(value) and walked_too_deep(value)


def _may_be_too_deep(value: Any) -> bool:
    """Check the depth part by part, by writing each part. Writing the whole would double the memory."""
    part: list[Any] = [None]
    wrapped = _wrap(part, _WHOLE)
    try:
        for section in _containers(value):
            for item in _containers(section):
                for part[0] in _containers(item):
                    orjson.dumps(wrapped)
    except TypeError:
        return True
    return False


#: The levels around a part: the document, a section, an item of the section.
_WHOLE: Final = 3


def _wrap(value: list[Any], levels: int = 0) -> list[Any]:
    """Wrap a value in arrays, so that orjson's depth limit becomes ``MAX_DEPTH`` levels.

    orjson then refuses a value that is too deep. For 13 MB this takes 7 ms, a walk in Python 45 ms. The walk only
    follows if orjson refuses.
    """
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH + levels - 1):
        value = [value]
    return value


def walked_too_deep(value: Any) -> bool:
    """Return the same as ``too_deep`` for values that orjson refuses to write."""
    level = [value] if _is_container(value) else []
    for _ in range(MAX_DEPTH):
        # By identity: a shared or recursive value is visited once per level.
        children = (child for node in level for child in _children(node) if _is_container(child))
        level = list({id(child): child for child in children}.values())
        if not level:
            return False
    return True


_CONTAINERS: Final = (dict, list, tuple)


def _is_container(value: Any) -> bool:
    return isinstance(value, _CONTAINERS)


def _containers(container: Any) -> Iterable[Any]:
    return filter(_is_container, _children(container))


def _children(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def count_nodes(document: JsonObject, limit: int) -> int:
    """Count the keys and values of a document, shared ones at each of their locations; stop above the limit."""
    count = 0
    stack: list[Any] = [document]
    while stack and count <= limit:
        node = stack.pop()
        values = node.values() if node.__class__ is dict else node
        count += 2 * len(node) if node.__class__ is dict else len(node)
        stack.extend(value for value in values if value.__class__ in {dict, list})
    return count


class TooManyStepsError(Exception):
    """A number of steps is exceeded."""


class Steps:
    """The steps that are left for an evaluation whose length the author of a text chooses."""

    def __init__(self, limit: int) -> None:
        """Store the number of steps."""
        self.left = limit

    def spend(self, count: int = 1) -> None:
        """Take steps.

        Raises:
            TooManyStepsError: fewer are left.
        """
        self.left -= count
        if self.left < 0:
            raise TooManyStepsError


def check_document(document: Any) -> JsonObject:
    """Check a caller's ``dict`` as a document. Return the same object, unless integer keys became strings.

    Python code often writes status codes as integers. They become strings, as in YAML.

    Raises:
        DocumentError: the document contains a value that is not JSON (a date, set, tuple, subclass of ``dict``,
            infinity or another key), contains itself, or is too deep or too large.
    """
    if document.__class__ is not dict:
        raise DocumentError(
            f"the document is an object of the type {_name(document)}; expected a dict; {_HINT}"
        )
    places = _places_of_integer_keys(document)
    return _with_text_keys(document, places) if places else document


_Place: TypeAlias = tuple[str | int, ...]


def _places_of_integer_keys(document: JsonObject) -> list[_Place]:
    """Check every value. Return the locations of objects with integer keys."""
    places: list[_Place] = []
    stack: list[tuple[Any, _Place]] = [(document, ())]
    nodes = 0
    while stack:
        container, place = stack.pop()
        if len(place) >= MAX_DEPTH:
            raise DocumentError(f"{TOO_DEEP}, or contains itself", pointer=join(place[:8]))
        if container.__class__ is dict:
            nodes += 2 * len(container)
            entries: Iterable[tuple[Any, Any]] = container.items()
            if _has_integer_key(container, place):
                places.append(place)
        else:
            nodes += len(container)
            entries = enumerate(container)
        if nodes > MAX_NODES:
            raise DocumentError(TOO_LARGE)
        for key, value in entries:
            if value.__class__ is dict or value.__class__ is list:
                stack.append((value, (*place, key)))
            else:
                _check_scalar(value, place, key)
    return places


def _has_integer_key(members: dict[Any, Any], place: _Place) -> bool:
    """Return whether a key is an integer. Keys that are neither strings nor integers are refused."""
    has_integer_key = False
    for key in members:
        if key.__class__ is str:
            if not key.isascii():
                _check_scalar(key, place, key)
        elif key.__class__ is not int:
            _refuse(place, f"found a key of the type {_name(key)}; expected a string")
        elif str(key) in members:
            _refuse((*place, key), f"the key {key} occurs twice, as integer and as string")
        else:
            has_integer_key = True
    return has_integer_key


def _check_scalar(value: Any, place: _Place, key: str | int) -> None:
    fault = _FAULTS.get(value.__class__, _foreign)(value)
    if fault is not None:
        _refuse((*place, key), fault)


def _refuse(place: _Place, fault: str) -> NoReturn:
    pointer = join(place).encode("utf-8", "replace").decode()
    raise DocumentError(fault, pointer=pointer)


def _foreign(value: Any) -> str | None:
    return f"found a value of the type {_name(value)}; expected a JSON value; {_HINT}"


def _text_fault(text: str) -> str | None:
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "found half of a surrogate pair in a string; expected Unicode characters"
    return None


def _integer_fault(number: int) -> str | None:
    return (
        None
        if number.bit_length() <= _MAX_BITS
        else "found an integer with more than 1,000 digits; write it as a string"
    )


def _float_fault(number: float) -> str | None:
    return (
        None
        if math.isfinite(number)
        else f"found {number}; expected a finite number, because JSON has no other numbers"
    )


def _unreadable_fault(number: UnreadableNumber) -> str:
    return f"found {number}"


def _no_fault(_: object) -> str | None:
    return None


#: The check of a scalar, by its exact type.
_FAULTS: Final[dict[type, Callable[[Any], str | None]]] = {
    str: _text_fault,
    int: _integer_fault,
    float: _float_fault,
    UnreadableNumber: _unreadable_fault,
    bool: _no_fault,
    type(None): _no_fault,
}


def _name(value: object) -> str:
    return type(value).__name__


def _with_text_keys(document: JsonObject, places: list[_Place]) -> JsonObject:
    """Copy the document with string keys at those locations. Parts without such keys are shared."""
    root: JsonObject = _copy(document)
    copies: dict[_Place, Any] = {(): root}
    for place in places:
        node: Any = root
        for depth, token in enumerate(place, 1):
            key: Any = token if node.__class__ is list else str(token)
            if place[:depth] not in copies:
                copies[place[:depth]] = node[key] = _copy(node[key])
            node = copies[place[:depth]]
    return root


def _copy(container: Any) -> Any:
    if container.__class__ is list:
        return list(container)
    return {str(key): value for key, value in container.items()}
