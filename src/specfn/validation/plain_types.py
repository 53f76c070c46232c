"""Texts for a model: type texts in plain English, the fixed sentences of problems, and enumerations (rules V3, V8).

``number & Type<"int32"> & Minimum<1> | undefined`` becomes ``integer (int32) of at least 1, optional``. Unknown parts
stay as they are. ``ArgumentProblem.expected`` keeps the notation for code.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from specfn._internal.json import JSONDecodeError, loads

_TAG: Final = re.compile(r"([A-Z][A-Za-z]+)(?:<(.*)>)?", re.DOTALL)
_DEPTH: Final = {**dict.fromkeys("<{[(", 1), **dict.fromkeys(">}])", -1)}


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Write a type text in plain English. Models repeat their mistakes, so the last texts are kept."""
    required = text.removesuffix(" | undefined")
    words = " | ".join(map(_describe_member, split(required, " | ")))
    return words if required == text else f"{words}, optional"


def split(text: str, separator: str) -> list[str]:
    """Split a type text at a separator outside of brackets and quotes."""
    return [*_parts(text, separator)]


@lru_cache(maxsize=256)
def _parts(text: str, separator: str) -> tuple[str, ...]:
    """Split a type text at a separator outside of brackets and quotes; see ``split``."""
    parts: list[str] = []
    depth = start = 0
    for match in _marks(separator).finditer(text):
        mark = match.group()
        if mark in _DEPTH:
            depth += _DEPTH[mark]
        elif depth == 0 and mark == separator:
            parts.append(text[start : match.start()])
            start = match.end()
    return (*parts, text[start:])


@cache
def _marks(separator: str) -> re.Pattern[str]:
    """Return a pattern of the JSON strings, the brackets and the separators of a type text."""
    return re.compile(rf'"(?:[^"\\]|\\.?)*"?|[<{{[(>}}\])]|{re.escape(separator)}', re.DOTALL)


def tags(text: str) -> dict[str, Any]:
    """Return the constraints of a type text that is not a union, by name. A constraint that contains a type is a text."""
    return {**_tags_of(text)}


@lru_cache(maxsize=256)
def _tags_of(text: str) -> dict[str, Any]:
    return dict(_tags(split(text, " & ")))


def bounds(constraints: Mapping[str, Any]) -> Iterator[str]:
    """Write the constraints of a type: bounds, patterns, items."""
    for low, high, unit in _RANGES:
        yield from _range(constraints.get(low), constraints.get(high), unit)
    for name, write in _WORDS.items():
        if name in constraints:
            yield write(constraints[name])


def _describe_member(text: str) -> str:
    parts = split(text, " & ")
    if len(parts) == 1 and text.startswith("(") and text.endswith(")"):
        return f"({plain(text[1:-1])})"
    constraints = dict(_tags(parts))
    base = " & ".join(_describe_base(part, constraints) for part in parts if not _is_tag(part))
    named = ", ".join(str(constraints[name]) for name in _NAMED if name in constraints)
    return " ".join(
        filter(None, (base, f"({named})" if named else "", ", ".join(bounds(constraints))))
    )


def _describe_base(text: str, constraints: dict[str, Any]) -> str:
    """Write a type without its constraints."""
    if text == "number" and "Type" in constraints:
        if str(constraints["Type"]).lstrip("u").startswith("int"):
            return "integer"
        del constraints["Type"]
    for opening, closing in _HOLDERS:
        if text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : -len(closing)]
            return f"{opening}{_describe_inside(opening, inner)}{closing}"
    if text.startswith("Not<") and text.endswith(">"):
        return f"not {plain(text[4:-1])}"
    return _ALONE.get(text, text)


def _describe_inside(opening: str, inner: str) -> str:
    """Write the members of an object or a tuple, or the type of items."""
    if opening == "{ ":
        return "; ".join(map(_describe_property, split(inner, "; ")))
    if opening == "[":
        return ", ".join(map(plain, split(inner, ", ")))
    return plain(inner)


def _describe_property(text: str) -> str:
    name, colon, kind = _first(split(text, ": "))
    return f"{name}{colon}{plain(kind)}" if colon else name


def _first(parts: list[str]) -> tuple[str, str, str]:
    return (parts[0], ": ", ": ".join(parts[1:])) if len(parts) > 1 else (parts[0], "", "")


def _is_tag(text: str) -> bool:
    match = _TAG.fullmatch(text)
    return match is not None and match[1] in _KNOWN


def _tags(parts: list[str]) -> Iterator[tuple[str, Any]]:
    for part in parts:
        match = _TAG.fullmatch(part)
        if match is not None and match[1] in _KNOWN:
            yield match[1], _read_argument(match[1], match[2])


def _read_argument(name: str, text: str | None) -> Any:
    if text is None or name == "Contains":
        return text
    try:
        value = loads(text)
    except JSONDecodeError:
        return text
    return (
        int(value) if type(value) is float and value.is_integer() and abs(value) < 1e15 else value
    )


def _range(low: Any, high: Any, unit: str) -> Iterator[str]:
    """Write two bounds: ``of 3 to 10 characters``, ``of at least 1``."""
    noun = f" {unit}" if unit else ""
    of = "with" if unit in _HELD else "of"
    if low is not None and low == high:
        yield f"{of} {low}{_unit_of(noun, low)}"
    elif low is not None and high is not None:
        yield f"{of} {low} to {high}{noun}"
    elif low is not None:
        yield f"{of} at least {low}{_unit_of(noun, low)}"
    elif high is not None:
        yield f"{of} at most {high}{_unit_of(noun, high)}"


def _unit_of(noun: str, count: Any) -> str:
    if count != 1 or not noun:
        return noun
    return " property" if noun == " properties" else noun.removesuffix("s")


#: The constraints that are written in parentheses after the type.
_NAMED: Final = ("Type", "Format", "ContentEncoding", "ContentMediaType")

_HELD: Final = frozenset({"items", "properties"})

_RANGES: Final = (
    ("Minimum", "Maximum", ""),
    ("MinLength", "MaxLength", "characters"),
    ("MinItems", "MaxItems", "items"),
    ("MinProperties", "MaxProperties", "properties"),
)

_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "ExclusiveMinimum": lambda value: f"above {value}",
    "ExclusiveMaximum": lambda value: f"below {value}",
    "MultipleOf": lambda value: f"that is a multiple of {value}",
    "Pattern": lambda value: f"matching {value}",
    "UniqueItems": lambda _: "without duplicates",
    "Contains": lambda value: f"with at least one item that is {plain(value)}",
}

_KNOWN: Final = frozenset(
    (*_NAMED, *_WORDS, *(name for low, high, _ in _RANGES for name in (low, high)))
)

#: The texts around an inner type: the opening and the closing one.
_HOLDERS: Final = (("Array<", ">"), ("Record<string, ", ">"), ("{ ", " }"), ("[", "]"))

_ALONE: Final = {"any": "any value", "never": "nothing"}


#: The maximum number of problems of one failure that a model reads. Only these have a description.
MAX_PROBLEMS: Final = 20

#: The maximum number of names in a sentence, and the maximum number of characters of a name.
_MAX_NAMES: Final = 12
_MAX_NAME_CHARACTERS: Final = 60

#: The description of a property that its object does not declare.
UNKNOWN: Final = "There is no such property."

#: The descriptions of a property and an item that the schema forbids, and of a property that only responses have.
NOT_GIVEN: Final = "This property is not allowed."
NO_ITEM: Final = "The array must not have an item here."
READ_ONLY: Final = "The server sets this property."

#: The sentence after the description of an undeclared filter of a function that changes data.
SENT_BY_CONNECTION: Final = "The connection sends it. Leave it out."
AFFECTS_MORE: Final = "Without it, the call may affect more: if the user asked for it, do not call, and tell the user."

#: The beginning of the sentence that names the alternative of a union that declares a property.
BELONGS: Final = "It belongs to the alternative"

#: The beginning of the sentence that describes a schema that the type text of its place does not contain.
MUST: Final = "It must be "


def join_names(names: list[str]) -> str:
    """Join names in a sentence."""
    shown = [name if len(name) <= _MAX_NAME_CHARACTERS else "..." for name in names[:_MAX_NAMES]]
    if len(names) > _MAX_NAMES:
        shown.append(f"{len(names) - _MAX_NAMES} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
