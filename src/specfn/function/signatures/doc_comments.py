"""Comments of signatures: texts of the document on one line, which cannot end a comment or contain code (T23)."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.characters import clean, shorten
from specfn.function.description import split_tags

#: The maximum number of characters of the comment of a property or type, and of a function.
_MEMBER: Final = 100
_FUNCTION: Final = 240

#: The maximum number of characters of a pattern, and the number from which on a bound is a limit of its type.
_PATTERN: Final = 60
_LIMIT: Final = 2**31 - 1

#: The maximum number of characters of a default value.
_DEFAULT: Final = 30

_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_ENDS: Final = frozenset(".!?:;,。！？")
#: Double quotes that could end a string within three of them.
_QUOTES: Final = re.compile(r'"{3,}|"+$')
_LINKS: Final = re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)")
_TAGS: Final = re.compile(
    r"</?(?:p|br|ul|ol|li|a|code|b|strong|em|i)(?:\s[^<>]*)?/?>", re.IGNORECASE
)

#: Formats of strings that a reader needs to write a value.
_FORMATS: Final = frozenset(
    "date date-time time duration byte binary uri uri-reference email idn-email hostname ipv4 ipv6 uuid".split()
)


def comment_of(schema: Any) -> str:
    """Return the description, format and default of a property or definition as a comment; it may be empty."""
    if not isinstance(schema, dict):
        return ""
    text = schema.get("description")
    parts = [shorten(plain(text), _MEMBER) if isinstance(text, str) else ""]
    kinds = schema.get("type")
    branches = [item for item in (schema, *_list(schema, "anyOf")) if isinstance(item, dict)]
    formats = [item["format"] for item in branches if item.get("format") in _FORMATS]
    if formats and len(branches) > 1:
        formats += ["null"] if {"type": "null"} in branches else []
    elif formats and isinstance(kinds, list) and "null" in kinds:
        formats.append("null")
    parts += [f"({' or '.join(dict.fromkeys(formats))})"] if formats else []
    parts += dict.fromkeys(text for item in branches for text in _constraints(item))
    if "default" in schema:
        default = json.dumps(schema["default"])
        parts += [f"Default: {default}"] if len(default) <= _DEFAULT else []
    return " ".join(part for part in parts if part)


def _list(schema: dict[str, Any], key: str) -> list[Any]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _constraints(schema: dict[str, Any]) -> Iterator[str]:
    """Yield what decides whether a text or a number is valid: a short pattern, and the range of a number."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and len(pattern) <= _PATTERN and pattern.isprintable():
        yield pattern
    low, high = (_bound(schema.get(key)) for key in ("minimum", "maximum"))
    if low and high:
        yield f"{low}..{high}"
    elif low or high:
        yield f">= {low}" if low else f"<= {high}"


def _bound(value: Any) -> str:
    """Return a bound as text; empty without one that says something to a reader."""
    if type(value) not in {int, float} or abs(value) >= _LIMIT:
        return ""
    return str(int(value) if value == int(value) else value)


def function_comment(description: str, *, deprecated: bool) -> str:
    """Return the comment of a function: the beginning of its description."""
    text = shorten(plain(split_tags(description)[0]), _FUNCTION)
    return f"Deprecated. {text}".rstrip() if deprecated else text


def plain(text: str) -> str:
    """Return a text on one line, without the targets of links and common HTML tags; each paragraph is a sentence."""
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPHS.split(clean(text))]
    ended = [part if part[-1:] in _ENDS else f"{part}." for part in paragraphs[:-1] if part]
    bare = _TAGS.sub("", " ".join([*ended, paragraphs[-1]]))
    return _one_line(_LINKS.sub(r"\1", bare))


def _one_line(text: str) -> str:
    """Return a text on one line without invisible characters and directives of compilers."""
    return " ".join(clean(text).replace("@ts-", "@ts_").split())


def line_comment(text: str) -> str:
    """Return a text for a comment that ends with the line."""
    return _one_line(text)


def block_comment(text: str) -> str:
    """Return a text for a comment that ends with an asterisk and a slash."""
    return _one_line(text).replace("*/", "* /")


def docstring(text: str) -> str:
    """Return a text for a Python string within three double quotes."""
    escaped = _one_line(text).replace("\\", "\\\\")
    return _QUOTES.sub(lambda match: '\\"' * len(match[0]), escaped)
