"""Texts that another's grammar admits: schemas compiled as servers of models compile them, and walked at random."""

import datetime as dt
import json
import random
import re
from collections.abc import Iterator
from typing import Any, Final

import llguidance
from orjson import dumps, loads

from specfn._internal.pointer import split
from specfn.schema.profiles.fit import Fit

Json = dict[str, Any]

#: One token for each byte, and others for the end.
TOKENIZER: Final = llguidance.LLTokenizer("byte")

#: After so many bytes a text is brought to its end, and after so many digits a number is.
_LONG: Final = 400
_FEW: Final = 8

#: Longer ones are given up: a pattern or a least size that chance does not get out of.
_MOST: Final = 6_000

#: What ends a value soonest, outside a string; within one its quote does.
_ENDS: Final = b"}]nft,:0"

#: Numbers are drawn without exponents: most of those would be beyond what a number can hold.
_POWERS: Final = b"eE"

_DIGITS: Final = frozenset(b"0123456789")
_LETTERS: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789 -_/.")
_QUOTE: Final = 0x22
_AT: Final = 0x40
_ESCAPE: Final = 0x5C

#: Edits that take nothing away from what a narrowed schema refuses, or that restoring undoes.
HARMLESS: Final = {
    "closed",
    "default",
    "description",
    "name",
    "null",
    "open",
    "renamed",
    "required",
}

#: A property in the path of a fault.
_KEY: Final = re.compile(r"""\.([A-Za-z_$][\w$]*)|\[("(?:[^"\\]|\\.)*")\]""")


def compiled(schema: Json) -> tuple[str, list[str]]:
    """The grammar of a schema, and what is wrong with it; nothing is left out in silence."""
    grammar = llguidance.LLMatcher.grammar_from_json_schema(
        dumps(schema).decode(), overrides={"lenient": False, "whitespace_flexible": False}
    )
    _, told = llguidance.LLMatcher.validate_grammar_with_warnings(grammar, TOKENIZER)
    return grammar, list(told)


class Walker:
    """Draws texts of JSON objects that one grammar admits, a byte after the other."""

    def __init__(self, grammar: str, seed: int) -> None:
        self._matcher = llguidance.LLMatcher(TOKENIZER, grammar)
        self._random = random.Random(seed)

    def draw(self) -> str | None:
        """One text; ``None`` where chance found no end."""
        self._matcher.reset()
        self._inside = self._escaped = False
        self._digits = self._size = 0
        text = bytearray()
        while not self._matcher.is_accepting():
            step = self._matcher.compute_ff_bytes() or bytes([self._next()])
            assert self._matcher.consume_tokens(list(step)), self._matcher.get_error()
            for byte in step:
                self._after(byte)
            text += step
            if self._size > _MOST:
                return None
        return text.decode()

    def _next(self) -> int:
        mask = int.from_bytes(self._matcher.compute_bitmask(), "little")
        allowed = [byte for byte in range(256) if mask >> byte & 1]
        if self._inside and not self._escaped:
            return self._within(allowed)
        if self._size > _LONG or self._digits >= _FEW:
            for byte in _ENDS:
                if byte in allowed:
                    return byte
        return self._random.choice([byte for byte in allowed if byte not in _POWERS] or allowed)

    def _within(self, allowed: list[int]) -> int:
        """The next byte of a string: its end, a common letter, or whatever may stand."""
        draw = self._random.random()
        if _QUOTE in allowed and (self._size > _LONG or draw < 0.15):
            return _QUOTE
        if _AT in allowed and draw < 0.25:
            return _AT
        common = [byte for byte in allowed if byte in _LETTERS]
        return self._random.choice(common if common and draw < 0.9 else allowed)

    def _after(self, byte: int) -> None:
        """Whether a string is open behind a byte, and how many digits stand there."""
        self._size += 1
        self._digits = self._digits + 1 if byte in _DIGITS else 0
        if self._escaped or byte == _ESCAPE:
            self._escaped = self._inside and not self._escaped
        elif byte == _QUOTE:
            self._inside = not self._inside


def narrowed(fit: Fit) -> Json:
    """A fitted schema whose objects are closed again where an edit says that only validation closes them."""
    schema: Json = loads(dumps(fit.schema))
    for edit in fit.edits:
        if edit.kind == "open":
            node: Any = schema
            for token in split(edit.pointer):
                node = node[int(token)] if isinstance(node, list) else node[token]
            node["additionalProperties"] = False
    return schema


def texts(schema: Json, seed: int, count: int) -> Iterator[str]:
    """So many texts that the grammar of a schema admits, less those that chance does not end or that have a key twice."""
    grammar, told = compiled(schema)
    if told:
        return
    walker = Walker(grammar, seed)
    for _ in range(count):
        text = walker.draw()
        if text is not None and _is_unique(text):
            yield text


def _is_unique(text: str) -> bool:
    """Whether no object of a text has a key twice: maps may, by a grammar, and readers differ over it."""
    keys: list[bool] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys.append(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=object_of)
    return all(keys)


def widened(fit: Fit) -> list[tuple[bool, list[str]]]:
    """The places at which a rule was only described: properties on the way, and whether that begins at the root."""
    return [
        (not edit.pointer.startswith("/$defs/"), _properties(fit, edit.pointer))
        for edit in fit.edits
        if edit.kind not in HARMLESS
    ]


def _properties(fit: Fit, pointer: str) -> list[str]:
    """The properties on the way to a place, by their own names."""
    tokens = split(pointer)[2 if pointer.startswith("/$defs/") else 0 :]
    found = []
    while tokens:
        key = tokens.pop(0)
        if key in {"properties", "anyOf"}:
            step = tokens.pop(0)
            found += [fit.names.get(step, step)] if key == "properties" else []
    return found


def is_told(path: str, places: list[tuple[bool, list[str]]]) -> bool:
    """Whether a fault lies at, above or below a place at which a rule was only described."""
    keys = [plain or json.loads(quoted) for plain, quoted in _KEY.findall(path)]
    starts = range(len(keys) + 1)
    return any(
        _lead_alike(keys[start:], names)
        for rooted, names in places
        for start in (starts[:1] if rooted else starts)
    )


def _lead_alike(keys: list[str], names: list[str]) -> bool:
    """Whether one of two ways begins with the other."""
    return all(key == name for key, name in zip(keys, names, strict=False))


def is_no_moment(value: Any) -> bool:
    """Whether a text is written as a moment that there is not: in a 60th second, on a 29th of February; no grammar knows."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)(?:[Tt]\d\d:\d\d:(\d\d))?", str(value))
    if found is None or found[4] == "60":
        return found is not None
    try:
        dt.date(int(found[1]) or 4, int(found[2]), int(found[3]))
    except ValueError:
        return True
    return False
