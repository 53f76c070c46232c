"""Notes about duplicate keys in the objects of a JSON text: the last one counts.

RFC 8259, section 4, does not define such a text. orjson keeps the last member without a warning, as most
readers do. YAML is read in the same way, except where it matters most (rule N2).
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from specfn._internal.json import loads
from specfn._internal.pointer import join
from specfn.records import Note

#: The maximum number of notes of one text.
MAX_NOTES: Final = 100

#: The maximum number of characters of a key in a note.
_MAX_KEY: Final = 60

#: Strings, brackets and commas. Colons are not needed to find the keys.
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},]', re.DOTALL)

_OPENING: Final = b"{["
_CLOSING: Final = b"}]"
_OBJECT, _COMMA = b"{,"


class _OpenContainer:
    """An object or array whose end has not been read.

    Attributes:
        keys: by key of an object, the byte where it occurred last.
        name: the key of the member that is being read.
        index: the number of members or items before the current one.
        is_object: whether it is an object.
    """

    __slots__ = ("index", "is_object", "keys", "name")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.keys: dict[str, int] = {}
        self.name = ""
        self.index = 0

    @property
    def token(self) -> str | int:
        """Return the pointer token of the member or item that is being read."""
        return self.name if self.is_object else self.index


def notes(text: bytes) -> Iterator[Note]:
    """Yield a note for every duplicate key of a JSON text, with its location and lines; at most ``MAX_NOTES``."""
    for pointer, key, first, second in islice(_find_duplicates(text), MAX_NOTES):
        yield note(pointer, key, _place(text, first), _place(text, second))


def note(pointer: str, key: str, first: str, second: str) -> Note:
    """Return the note about one duplicate key, with the places of its first and its second occurrence in words."""
    shown = key if len(key) <= _MAX_KEY else f"{key[:_MAX_KEY]}…"
    text = (
        f"the key {shown!r} occurs twice in one object, {first} and {second}; only the last counts"
    )
    return Note(pointer=pointer, text=text)


def _find_duplicates(text: bytes) -> Iterator[tuple[str, str, int, int]]:
    """Yield the pointer of every duplicate key, the key, and the bytes of both occurrences."""
    stack: list[_OpenContainer] = []
    named = True  # whether the key of the next value has been read
    for match in _TOKEN.finditer(text):
        sign = text[match.start()]
        if sign in _OPENING:
            stack.append(_OpenContainer(is_object=sign == _OBJECT))
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
                yield join(level.token for level in stack), key, innermost.keys[key], byte
            innermost.keys[key] = byte


def _key(text: bytes) -> str:
    key: str = loads(text) if b"\\" in text else text[1:-1].decode()
    return key


def _place(text: bytes, byte: int) -> str:
    """Return the line and column of a byte, from 1, in words."""
    start = text.rfind(b"\n", 0, byte) + 1
    line = text.count(b"\n", 0, start) + 1
    return f"line {line}, column {len(text[start:byte].decode()) + 1}"
