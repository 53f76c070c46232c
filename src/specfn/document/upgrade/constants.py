"""Constants with another type than the schema declares (rule N7).

``{"type": "string", "enum": [1, 2]}`` accepts nothing. If no member has the declared type, the document means the
text of numbers and flags, or the values of texts. If some members have it, nothing is changed.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps, is_of_type
from specfn.document.upgrade.keywords import distinct

#: The annotation with the constants that the document declares, by keyword.
DECLARED: Final = "x-specfn-declared"

#: The maximum number of members of an ``enum`` that the annotation contains.
_KEPT: Final = 5

#: A JSON number (RFC 8259, section 6) of limited length.
_NUMBER: Final = re.compile(r"(?=.{1,100}\Z)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def is_mistyped(node: JsonObject) -> bool:
    """Return whether a schema has constants besides null, and no constant has a declared type."""
    kind = node.get("type")
    if kind == "string" and "const" not in node and node["enum"][0].__class__ is str:
        return False  # the most common case
    kinds = _types(node)
    return bool(kinds) and any(_is_foreign(node, keyword, kinds) for keyword in ("enum", "const"))


def upgrade_values(out: JsonObject) -> None:
    """Replace constants in place if no constant has the declared type."""
    kinds = _types(out)
    declared: JsonObject = {}
    for keyword in ("enum", "const"):
        if _is_foreign(out, keyword, kinds):
            values = _values(out, keyword)
            if _replace(out, keyword, values, kinds):
                declared[keyword] = values[:_KEPT]
    if declared:
        out[DECLARED] = declared


def _types(node: JsonObject) -> list[str]:
    """Return the declared types except null."""
    kinds = node.get("type")
    return [kind for kind in ([kinds] if isinstance(kinds, str) else kinds or ()) if kind != "null"]


def _values(node: JsonObject, keyword: str) -> list[Any]:
    if keyword not in node:
        return []
    values: list[Any] = node["enum"] if keyword == "enum" else [node["const"]]
    return values


def _is_foreign(node: JsonObject, keyword: str, kinds: Sequence[str]) -> bool:
    """Return whether a keyword has members besides null, and no member has one of the types."""
    values = [value for value in _values(node, keyword) if value is not None]
    return bool(values) and not any(is_of_type(value, kind) for value in values for kind in kinds)


def _replace(out: JsonObject, keyword: str, values: list[Any], kinds: Sequence[str]) -> bool:
    """Replace the values of one keyword; return false if their meaning is not known."""
    if keyword == "enum" and kinds == ["array"]:
        return _move_to_items(out)
    read = {index: new for index, v in enumerate(values) if (new := _read(v, kinds)) is not None}
    if not read:
        return False
    new = [read.get(index, value) for index, value in enumerate(values)]
    out[keyword] = distinct(new) if keyword == "enum" else new[0]
    meant = {dumps(values[index]): value for index, value in read.items()}
    if "default" in out:
        out["default"] = meant.get(dumps(out["default"]), out["default"])
    if "examples" in out:
        out["examples"] = [meant.get(dumps(item), item) for item in out["examples"]]
    return True


def _move_to_items(out: JsonObject) -> bool:
    """Move the ``enum`` of an array to its items, if no member is an array."""
    items = out.get("items", {})
    if not isinstance(items, dict) or "prefixItems" in out:
        return False
    values = {"enum": [value for value in out["enum"] if value is not None]}
    if _CONSTRAINED.isdisjoint(items):
        items = {**items, **values}
        if is_mistyped(items):
            upgrade_values(items)
    else:
        items = {"allOf": [items, values]}
    del out["enum"]
    out["items"] = items
    return True


#: Keywords of the items next to which the ``enum`` becomes a schema of its own.
_CONSTRAINED: Final = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "oneOf"})


def _read(value: Any, kinds: Sequence[str]) -> Any:
    """Convert a value to one of the types; ``None`` if that is not possible."""
    return next((new for kind in kinds if (new := _READERS[kind](value)) is not None), None)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int | float) else None


def _number(value: Any) -> int | float | None:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return None
    number = float(value)
    return None if math.isinf(number) else int(value) if value.lstrip("-").isdecimal() else number


def _integer(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and is_of_type(number, "integer") else None


def _flag(value: Any) -> bool | None:
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def _nothing(_: Any) -> None:
    return None


#: The conversion of a constant to each type.
_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "array": _nothing,
    "boolean": _flag,
    "integer": _integer,
    "number": _number,
    "object": _nothing,
    "string": _text,
}
