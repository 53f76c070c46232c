"""What a document may hold: JSON values of Python's plain types, within limits of depth and size.

Text is read by parsers that make nothing else. A ``dict`` that a caller hands over is looked through
once; it is never mutated, and copied only along the way to a key that had to become text.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

import orjson

from specfn._json import JsonObject
from specfn._pointer import join
from specfn.errors import DocumentError

#: How many levels of objects and arrays a document may have.
MAX_DEPTH: Final = 200

#: How many keys and values a document may have, shared ones counted wherever they stand.
MAX_NODES: Final = 10_000_000

TOO_DEEP: Final = f"the document is nested deeper than {MAX_DEPTH} levels"
TOO_LARGE: Final = f"the document holds more than {MAX_NODES:,} keys and values"

#: How deep orjson writes; documented, and a test says so.
_ORJSON_DEPTH: Final = 254

#: Longer integers than 1,000 digits are refused: Python itself does not write them from 4,300 on.
_MAX_BITS: Final = 3322

_HINT: Final = (
    "a document holds only what JSON can write; if another reader made this value of a text, "
    "hand that text to specfn.loads"
)


def too_deep(value: Any) -> bool:
    """Whether a JSON value has more than ``MAX_DEPTH`` levels."""
    return _may_be_too_deep(value) and walked_too_deep(value)


def _may_be_too_deep(value: Any) -> bool:
    """The same part by part, at the speed of writing them; the room for all would be another document's."""
    part: list[Any] = [None]
    wrapped = _wrapped(part, _WHOLE)
    try:
        for section in _containers(value):
            for item in _containers(section):
                for part[0] in _containers(item):
                    orjson.dumps(wrapped)
    except TypeError:
        return True
    return False


#: How many levels hold a part: the document, a section, an item of it.
_WHOLE: Final = 3


def written(value: Any) -> bytes | None:
    """A JSON value as compact JSON, in brackets; ``None`` if it may have more than ``MAX_DEPTH`` levels."""
    try:
        return orjson.dumps(_wrapped([value]))
    except TypeError:
        return None


def _wrapped(value: list[Any], levels: int = 0) -> list[Any]:
    """A value and its brackets inside of as many arrays as leave room for ``MAX_DEPTH`` levels but those.

    That orjson refuses what is deeper takes a fifth of the time of a walk in Python, which is only needed
    where it does.
    """
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH + levels - 1):
        value = [value]
    return value


def walked_too_deep(value: Any) -> bool:
    """The same as ``too_deep``, for what orjson does not write."""
    level = [value] if _is_container(value) else []
    for _ in range(MAX_DEPTH):
        # By identity, so what is shared (or holds itself) is looked at once per level.
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


def checked(document: Any) -> JsonObject:
    """A caller's ``dict`` as a document: the very same object, unless integer keys became text.

    Status codes are often written as integers in Python; they become the text that YAML makes of them.

    Raises:
        DocumentError: the document holds what JSON cannot write (dates, sets, tuples, subclasses of
            ``dict``, infinities, other keys), holds itself, or is too deep or too large.
    """
    if document.__class__ is not dict:
        raise DocumentError(f"found a {_name(document)} instead of a plain dict; {_HINT}")
    places = _places_of_integer_keys(document)
    return _with_text_keys(document, places) if places else document


_Place: TypeAlias = tuple[str | int, ...]


def _places_of_integer_keys(document: JsonObject) -> list[_Place]:
    """Look at every value; return where the objects with integer keys are."""
    places: list[_Place] = []
    stack: list[tuple[Any, _Place]] = [(document, ())]
    nodes = 0
    while stack:
        container, place = stack.pop()
        if len(place) >= MAX_DEPTH:
            raise DocumentError(f"{TOO_DEEP}, or held by itself", pointer=join(place[:8]))
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
    """Whether a key is an integer; any other key than a text is refused."""
    found = False
    for key in members:
        if key.__class__ is str:
            if not key.isascii():
                _check_scalar(key, place, key)
        elif key.__class__ is not int:
            _refuse(place, f"found a key that is a {_name(key)}; keys are text")
        elif str(key) in members:
            _refuse((*place, key), f"the key {key} stands twice, as integer and as text")
        else:
            found = True
    return found


def _check_scalar(value: Any, place: _Place, key: str | int) -> None:
    fault = _FAULTS.get(value.__class__, _foreign)(value)
    if fault is not None:
        _refuse((*place, key), fault)


def _refuse(place: _Place, fault: str) -> NoReturn:
    pointer = join(place).encode("utf-8", "replace").decode()
    raise DocumentError(fault, pointer=pointer)


def _foreign(value: Any) -> str | None:
    return f"found a {_name(value)}; {_HINT}"


def _text_fault(text: str) -> str | None:
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "found a text with half of a surrogate pair"
    return None


def _integer_fault(number: int) -> str | None:
    return None if number.bit_length() <= _MAX_BITS else "found an integer of over 1,000 digits"


def _float_fault(number: float) -> str | None:
    return None if math.isfinite(number) else f"found {number}, which JSON cannot write"


def _no_fault(_: object) -> str | None:
    return None


#: What is wrong with a scalar, by its exact type.
_FAULTS: Final[dict[type, Callable[[Any], str | None]]] = {
    str: _text_fault,
    int: _integer_fault,
    float: _float_fault,
    bool: _no_fault,
    type(None): _no_fault,
}


def _name(value: object) -> str:
    return type(value).__name__


def _with_text_keys(document: JsonObject, places: list[_Place]) -> JsonObject:
    """The document with text keys at those places; what holds none of them is shared, not copied."""
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
