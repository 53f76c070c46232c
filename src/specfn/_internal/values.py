"""Types and short texts of Python values, without calling methods of the values or their classes.

A caller may pass any object as an argument, including objects whose attributes, ``repr`` or metaclass raise or hang.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

#: The Python types of JSON values, by identity. Looking up a class itself would call its metaclass.
_JSON: Final = {id(kind): kind for kind in (bool, dict, float, int, list, str, type(None))}

#: The bits of an integer that exceeds the lowest digit limit of the interpreter (640).
_MAX_BITS: Final = 2048
_DIGITS_PER_BIT: Final = 0.30103

#: The maximum number of levels, members, and characters of a text that ``brief`` shows.
_MAX_LEVELS: Final = 5
_MAX_MEMBERS: Final = 6
_MAX_CHARACTERS: Final = 40

#: The maximum number of characters that ``brief`` returns.
_MAX_BRIEF_CHARACTERS: Final = 1_000


def json_type(value: Any) -> type | None:
    """Return the exact JSON type of a value; ``None`` for any other value."""
    return _JSON.get(id(type(value)))


def has_text_keys(value: dict[Any, Any]) -> bool:
    """Return whether all keys of a dictionary are strings. Other keys may raise when they are hashed or compared."""
    return all(type(key) is str for key in value)


def member(value: dict[Any, Any], name: str, default: Any) -> Any:
    """Return a member of a dictionary, even if other keys raise when they are compared."""
    try:
        return value.get(name, default)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever such a key raises
        members = value.items()
        return next((item for key, item in members if type(key) is str and key == name), default)


def type_name(value: Any) -> str:
    """Return the name of a value's class."""
    return ascii(type.__dict__["__name__"].__get__(type(value)))[1:-1]


def integer(value: int) -> str:
    """Write an integer; a very long one as its number of digits, because the interpreter may refuse to write it."""
    if value.bit_length() > _MAX_BITS:
        return f"<integer of about {int(value.bit_length() * _DIGITS_PER_BIT):,} digits>"
    text = str(value)
    return text if len(text) <= 60 else f"<integer of {len(text.lstrip('-'))} digits>"


def brief(value: Any) -> str:
    """Write a value of any size and depth as short Python text. A value that is not JSON appears as the name of its class."""
    text = _brief(value, _MAX_LEVELS)
    return text if len(text) <= _MAX_BRIEF_CHARACTERS else f"{text[:_MAX_BRIEF_CHARACTERS]}..."


def _brief(value: Any, levels: int) -> str:
    writer = _WRITERS.get(id(type(value)))
    return f"<{type_name(value)[:_MAX_CHARACTERS]}>" if writer is None else writer(value, levels)


def _text(value: str | bytes, _: int) -> str:
    return repr(value[:_MAX_CHARACTERS]) + ("..." if len(value) > _MAX_CHARACTERS else "")


def _list(value: list[Any], levels: int) -> str:
    return f"[{_members((_brief(item, levels - 1) for item in value), len(value), levels)}]"


def _dict(value: dict[Any, Any], levels: int) -> str:
    pairs = (
        f"{_brief(key, levels - 1)}: {_brief(item, levels - 1)}" for key, item in value.items()
    )
    return f"{{{_members(pairs, len(value), levels)}}}"


def _members(texts: Iterable[str], count: int, levels: int) -> str:
    return ", ".join(_few(iter(texts), count) if levels > 0 or not count else ["..."])


def _few(texts: Iterator[str], count: int) -> Iterator[str]:
    yield from islice(texts, _MAX_MEMBERS)
    if count > _MAX_MEMBERS:
        yield "..."


_WRITERS: Final[Mapping[int, Callable[[Any, int], str]]] = {
    id(kind): writer
    for kind, writer in (
        (str, _text),
        (bytes, _text),
        (int, lambda value, _: integer(value)),
        (float, lambda value, _: repr(value)),
        (bool, lambda value, _: repr(value)),
        (type(None), lambda value, _: repr(value)),
        (list, _list),
        (dict, _dict),
    )
}


def with_count(number: int, noun: str) -> str:
    """Return a number with a regular noun in singular or plural: ``1 call``, ``2 calls``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
