"""A wide object with fewer and fewer of its properties; open, for the others are admitted still (rule F9)."""

from collections.abc import Iterator
from typing import Any

from specfn._json import JsonObject
from specfn.records import Edit
from specfn.schema.nodes import MORE
from specfn.schema.text import clean, shorten

#: How many of the names that are not shown are told, in how many characters.
_NAMED = 20
_TOLD = 400

#: What would refuse the properties that are not shown.
_CLOSING = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})


def counts(node: Any) -> Iterator[int]:
    """How many properties of an object are tried, fewer each time; the required ones stay."""
    if not isinstance(node, dict) or "properties" not in node:
        return
    count = len(node["properties"])
    least = len(set(node.get("required", ())))
    while count > least and count > 1:
        count = max(count * 3 // 4 if count > 8 else count - 1, least, 1)
        yield count


def trimmed(node: JsonObject, count: int) -> tuple[JsonObject, Edit]:
    """The object with so many properties, the required ones first; and what is told of it."""
    required = set(node.get("required", ()))
    names = sorted(node["properties"], key=lambda name: name not in required)
    edit = Edit(
        pointer="",
        kind="properties",
        reason=f"{len(names) - count} optional properties are only admitted, not shown",
    )
    return _with_properties(node, names, count), edit


def _with_properties(node: JsonObject, names: list[str], count: int) -> JsonObject:
    """An object with the first properties of a list; the others are named in its description."""
    kept = set(names[:count])
    out = {key: value for key, value in node.items() if key not in _CLOSING}
    out["properties"] = {name: item for name, item in node["properties"].items() if name in kept}
    out[MORE] = _more(names[count:])
    return out


def _more(names: list[str]) -> str:
    """What is said of properties that are not shown."""
    told = shorten(clean(", ".join(names[:_NAMED])), _TOLD)
    more = ", …" if len(names) > _NAMED else ""
    return f"{len(names)} more optional properties: {told}{more}"
