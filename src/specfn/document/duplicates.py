"""Keys that stand twice in one object of a JSON text: the last counts, and this says so.

RFC 8259, section 4, leaves open what such a text means; orjson, like most readers, keeps the last member
and is silent. In YAML the same is an error (rule N2).
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from specfn._json import loads
from specfn._pointer import join
from specfn.records import Note

#: The most notes of one text.
MAX_NOTES: Final = 100

#: The most characters of a key in a note.
_MAX_KEY: Final = 60

#: Texts, and what opens, closes and separates; colons say nothing that these do not.
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},]', re.DOTALL)

_OPENING: Final = b"{["
_CLOSING: Final = b"}]"
_OBJECT, _COMMA = b"{,"


class _Open:
    """An object or array that has not ended.

    Attributes:
        keys: where each key of an object stood last.
        name: the key of an object's member that is being read.
        index: how many members or items have been read.
        is_object: which of the two it is.
    """

    __slots__ = ("index", "is_object", "keys", "name")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.keys: dict[str, int] = {}
        self.name = ""
        self.index = 0

    @property
    def token(self) -> str | int:
        """Its token of a pointer to what is being read."""
        return self.name if self.is_object else self.index


def notes(text: bytes) -> Iterator[Note]:
    """Every key that stands twice, with its place and its lines; at most ``MAX_NOTES``.

    Args:
        text: a text that was read as JSON, in UTF-8.
    """
    for pointer, key, first, second in islice(_repeated(text), MAX_NOTES):
        shown = key if len(key) <= _MAX_KEY else f"{key[:_MAX_KEY]}…"
        places = f"{_place(text, first)} and {_place(text, second)}"
        told = f"the key {shown!r} stands twice in one object, {places}; only the last counts"
        yield Note(pointer=pointer, text=told)


def _repeated(text: bytes) -> Iterator[tuple[str, str, int, int]]:
    """The pointer of every repeated key, the key, and the bytes where it stood before and stands again."""
    stack: list[_Open] = []
    named = True  # whether the key of what comes next has been read
    for match in _TOKEN.finditer(text):
        sign = text[match.start()]
        if sign in _OPENING:
            stack.append(_Open(is_object=sign == _OBJECT))
            named = sign != _OBJECT
        elif sign in _CLOSING:
            stack.pop()
            named = True
        elif sign == _COMMA:
            stack[-1].index += 1
            named = not stack[-1].is_object
        elif not named:
            named = True
            innermost, key, byte = stack[-1], _key(match[0]), match.start()
            innermost.name = key
            if key in innermost.keys:
                yield join(each.token for each in stack), key, innermost.keys[key], byte
            innermost.keys[key] = byte


def _key(text: bytes) -> str:
    key: str = loads(text) if b"\\" in text else text[1:-1].decode()
    return key


def _place(text: bytes, byte: int) -> str:
    """Line and column of a byte, from 1, in words."""
    start = text.rfind(b"\n", 0, byte) + 1
    line = text.count(b"\n", 0, start) + 1
    return f"line {line}, column {len(text[start:byte].decode()) + 1}"
