"""String formats that a schema contradicts itself, and which are therefore only hints (rule V5)."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, dumps
from specfn._internal.pointer import Tokens, join
from specfn.validation.compile.applicators import subschemas
from specfn.validation.formats import ASSERTED, has_format

#: The keywords whose values must satisfy the format, and whether they contain a list of values.
_VALUES: Final = {
    "const": False,
    "enum": True,
    "default": False,
    "example": False,
    "examples": True,
}

#: The maximum number of characters of a value in a reason.
_SHOWN: Final = 60


class FormatHint(NamedTuple):
    """A string format that is not asserted.

    Attributes:
        pointer: the pointer of its schema.
        format: the format.
        reason: the reason.
    """

    pointer: str
    format: str
    reason: str


def reason_of(schema: JsonObject) -> str | None:
    """Return the reason why the string format of a schema is only a hint; ``None`` if the format is asserted or missing."""
    name = schema.get("format")
    if not isinstance(name, str) or name not in ASSERTED:
        return None
    if isinstance(schema.get("pattern"), str):
        return "its pattern decides"
    for keyword, is_list in _VALUES.items():
        for value in _own(schema, keyword, is_list=is_list):
            if type(value) is str and not has_format(name, value):
                return f"its own {keyword} {_short(value)} does not satisfy it"
    return None


#: The places and reasons of the hints in one definition, without those that it refers to.
OwnHints: TypeAlias = tuple[tuple[Tokens, str, str], ...]


def hints(schema: Any, own: Callable[[Any], OwnHints] | None = None) -> Iterator[FormatHint]:
    """Return all string formats of a validator schema that are only hints, including those of definitions.

    Args:
        schema: the schema.
        own: ``own_hints``, or the same with a cache.
    """
    find = own or own_hints
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    places: list[tuple[Tokens, Any]] = [((), schema)]
    places += [(("$defs", name), definitions[name]) for name in reversed(definitions)]
    for place, definition in places:
        for tokens, name, reason in find(definition):
            yield FormatHint(join((*place, *tokens)), name, reason)


def own_hints(definition: Any) -> OwnHints:
    """Return the hints in one definition, in the order of the document."""
    found: list[tuple[Tokens, str, str]] = []
    waiting: list[tuple[Tokens, Any]] = [((), definition)]
    while waiting:
        place, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        reason = reason_of(node)
        if reason is not None:
            found.append((place, node["format"], reason))
        waiting += [
            ((*place, keyword, *(() if key is None else (key,))), inner)
            for keyword, key, inner in reversed(subschemas(node))
        ]
    return tuple(found)


def _own(schema: JsonObject, keyword: str, *, is_list: bool) -> list[Any]:
    if keyword not in schema:
        return []
    value = schema[keyword]
    if not is_list:
        return [value]
    return value if isinstance(value, list) else []


def _short(value: str) -> str:
    text = dumps(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
