"""JSON: reading and writing with orjson where it is exact, else with the standard library; types and equality."""

import json
import math
import re
import sys
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Final, TypeAlias

import orjson

#: A JSON object as a plain dictionary.
JsonObject: TypeAlias = dict[str, Any]

#: The exception of ``loads`` for text that is not JSON (orjson's own error is a subclass).
JSONDecodeError = json.JSONDecodeError


#: A table that maps every digit to ``0``, to find long numbers at the speed of a copy.
_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))

#: The minimum number of digits of a number beyond 64 bits.
_LONG = b"0" * 19

#: A run of digits in the translated text.
_RUN = re.compile(b"0+")

#: The largest text that is searched for such numbers. In larger texts, the search takes as long as reading.
_MAX_SEARCHED_BYTES = 4 * 1024 * 1024


def loads(text: str | bytes) -> Any:
    """Read strict JSON (RFC 8259): no NaN, no comments, no trailing text.

    Integers are exact up to ``max_integer_digits``. Only in texts over 4 MiB, integers beyond 64 bits become floats.

    Raises:
        JSONDecodeError: the text is not JSON, is nested deeper than 1,024 levels, or has a number that cannot be
            represented.
    """
    if len(text) <= _MAX_SEARCHED_BYTES:
        data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
        if _has_long_integer(data):
            return read_exactly(data)
    return orjson.loads(text)


#: Reads strict JSON, but integers beyond 64 bits become floats; an error for numbers beyond all floats.
loads_rounded = orjson.loads


def _has_long_integer(data: bytes) -> bool:
    """Return whether a JSON text may have an integer beyond 64 bits. Long digits of most strings do not count.

    A number follows a bracket, a comma or a colon, or is the whole text. The digits of a string follow its quote.
    """
    zeros = data.translate(_DIGITS)
    start = zeros.find(_LONG)
    while start >= 0:
        before = data[max(0, start - 64) : start].removesuffix(b"-").rstrip()
        if not before or before.endswith((b"[", b",", b":")):
            return True
        run = _RUN.match(zeros, start)
        assert run is not None
        start = zeros.find(_LONG, run.end())
    return False


def read_exactly(data: bytes, **hooks: Any) -> Any:
    """Read strict JSON with the standard library, with the hooks of ``read``.

    Raises:
        JSONDecodeError: as ``loads``.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise JSONDecodeError("not valid UTF-8", "", error.start) from None
    if replace_lone_surrogates(text)[1]:
        raise JSONDecodeError("half of a surrogate pair", text, 0)
    return read(text, **{"parse_constant": _refuse, "parse_float": _finite, **hooks})


#: Escapes of surrogates outside of a pair, in text where each backslash begins an escape.
_LONE = (
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def replace_lone_surrogates(text: str) -> tuple[str, int]:
    """Replace the escapes of unpaired surrogates by that of U+FFFD. Return the text and the number of replacements.

    Raises:
        JSONDecodeError: the text contains U+0000, which is not allowed in JSON.
    """
    if "\\u" not in text:
        return text, 0
    if "\0" in text:  # used below as a replacement for escaped backslashes
        raise JSONDecodeError("a control character", text, text.index("\0"))
    replaced, halves = re.subn(_LONE, r"\\ufffd", text.replace("\\\\", "\0"))
    return replaced.replace("\0", "\\\\"), halves


class TooDeepError(JSONDecodeError):
    """JSON text with more levels than can be written again."""

    def __init__(self) -> None:
        super().__init__(f"nested deeper than {LEVELS} levels", "", 0)


def read(text: str, **hooks: Any) -> Any:
    """Read JSON with the standard library, which supports long integers and hooks (``parse_int`` etc.).

    Raises:
        JSONDecodeError: the text is not JSON, or has a number that cannot be represented.
        TooDeepError: it may have more than ``LEVELS`` levels. They are counted before reading, because a program may
            have raised the recursion limit of the interpreter beyond the size of the stack.
    """
    if not is_deep_text(text.encode(errors="replace")):
        try:
            return json.loads(text, **{"parse_int": read_integer, **hooks})
        except RecursionError:  # the stack is already deep
            pass
        except TooLongError as error:
            raise JSONDecodeError(str(error), text, _place_of(error.number, text)) from None
    raise TooDeepError


#: The levels that orjson writes.
LEVELS = 254

#: The change of the level by each byte, and the bytes without a change.
_STEPS = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]
_OTHERS = bytes(byte for byte in range(256) if not _STEPS[byte])


def is_deep_text(text: bytes) -> bool:
    """Return whether JSON text has more than ``LEVELS`` levels."""
    if not _may_be_deep(text):
        return False
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = re.sub(rb'"[^"]*"?', b"", bare).translate(None, _OTHERS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > LEVELS


def _may_be_deep(text: bytes) -> bool:
    return text.count(b"[") + text.count(b"{") > LEVELS


def is_deep(value: Any, text: bytes) -> bool:
    """Return whether a value that was read from JSON text has more than ``LEVELS`` levels."""
    if not _may_be_deep(text):
        return False
    try:
        orjson.dumps(value)  # ten times as fast as a walk
    except TypeError:  # too deep, or an integer beyond 64 bits
        return is_deep_text(text)
    return False


def _refuse(constant: str) -> Any:
    raise JSONDecodeError(f"{constant} is not JSON", constant, 0)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise TooLongError("a number is infinity when read", text)
    return value


class TooLongError(ValueError):
    """A number that cannot be represented.

    Attributes:
        number: its text.
    """

    def __init__(self, reason: str, number: str) -> None:
        super().__init__(reason)
        self.number = number


def read_integer(digits: str) -> int:
    """Read an integer of at most ``max_integer_digits``, because reading takes quadratic time.

    Raises:
        TooLongError: it has more digits than ``max_integer_digits``.
    """
    if len(digits.removeprefix("-")) > max_integer_digits():
        raise TooLongError(f"an integer has more than {max_integer_digits():,} digits", digits)
    return int(digits)


def max_integer_digits() -> int:
    """Return the maximum number of digits of an integer: the interpreter's own limit, at most 4,300."""
    return min(sys.get_int_max_str_digits() or _MOST_DIGITS, _MOST_DIGITS)


#: The maximum number of digits of an integer: the limit of the interpreter, unless a program changes it.
_MOST_DIGITS = 4300

#: A string, which may contain digits or lack its end, or a number.
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[-0-9][-+.eE0-9]*', re.DOTALL)


def _place_of(number: str, text: str) -> int:
    """Return the position of a number in JSON text. The digits of strings do not count."""
    places = (match.start() for match in _STRING_OR_NUMBER.finditer(text) if match[0] == number)
    return next(places, 0)


def dumps(value: Any) -> bytes:
    """Write compact JSON in UTF-8, members in the order of the value."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return _write_beyond_orjson(value, separators=(",", ":"))


def dumps_indented(value: Any) -> bytes:
    """Write JSON in UTF-8 with an indentation of two spaces."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        return _write_beyond_orjson(value, indent=2)


def dumps_sorted(value: Any) -> bytes:
    """Write compact JSON with sorted keys, so that equal values have equal bytes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return _write_beyond_orjson(value, separators=(",", ":"), sort_keys=True)


def _write_beyond_orjson(value: Any, **how: Any) -> bytes:
    """Write values that orjson refuses: integers beyond 64 bits, lone surrogates, more than 254 levels."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, **how).encode()


def copy_json(value: Any) -> Any:
    """Return a copy of what can change in a value: objects, arrays and buffers of bytes. Opened files are the same."""
    kind = value.__class__
    if kind is dict:
        return {
            key: item if item.__class__ is str else copy_json(item) for key, item in value.items()
        }
    if kind is list:
        return [item if item.__class__ is str else copy_json(item) for item in value]
    return bytes(value) if kind is bytearray else value


# -- types and equality of JSON values ---------------------------------------------------------------

#: The JSON Schema type of each Python type. A float is a ``number``, even if it is whole.
TYPES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def is_equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal: ``1`` equals ``1.0``, and neither equals ``true``."""
    if left is right:
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_equal, left, right))
    return bool(left == right)


def identity(value: Any) -> Any:
    """Return a key that equal JSON values share: ``1`` and ``1.0``, but not ``1`` and ``true``."""
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(identity, value)))
    return ("boolean", value) if isinstance(value, bool) else value


def kind_of(value: Any) -> str:
    """Return the JSON Schema type of a value; a float is a ``number``, whole or not."""
    return TYPES.get(value.__class__, "object")


def is_of_type(value: Any, kind: str) -> bool:
    """Return whether a value is of a JSON Schema type. A whole float is also an ``integer``."""
    actual = kind_of(value)
    if kind == "number":
        return actual in {"number", "integer"}
    if kind == "integer" and actual == "number":
        return bool(value.is_integer())
    return actual == kind


def narrowest_type(value: Any) -> str:
    """Return the narrowest JSON Schema type of a plain JSON value: a whole float is an ``integer``."""
    return "integer" if type(value) is float and value.is_integer() else TYPES[type(value)]
