"""Reduction of a wide object to fewer properties. The object stays open for the others (rule F9)."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from specfn._internal.json import JsonObject, dumps
from specfn.records import Edit
from specfn.schema.compose.root_facts import MORE
from specfn.schema.render.fragment import Draft, Hole, Skeleton
from specfn.schema.safe_text import clean, shorten

#: The maximum number of names of hidden properties that are listed, and the maximum number of characters of the list.
_NAMED = 20
_TOLD = 400

#: Keywords that would refuse the properties that are not shown.
_CLOSING = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})


def counts(node: Any) -> Iterator[int]:
    """Yield the numbers of properties to try, in descending order. Required properties always stay."""
    if not isinstance(node, dict) or "properties" not in node:
        return
    count = len(node["properties"])
    least = len(set(node.get("required", ())))
    while count > least and count > 1:
        count = max(count * 3 // 4 if count > 8 else count - 1, least, 1)
        yield count


def least_sizes(node: JsonObject, shown: Draft) -> list[int]:
    """Return the minimum size of the first properties in bytes, by their number.

    Args:
        node: the object.
        shown: its rendering with all properties, by which those that hold no other fragments are measured.
    """
    drafts = _properties(shown)
    sizes = (
        len(dumps(name)) + (len(dumps(drafts[name])) if drafts.get(name) is not None else 0)
        for name in _in_order(node)
    )
    return list(accumulate(sizes, initial=0))


def _properties(shown: Draft) -> JsonObject:
    """Return the rendered properties; ``None`` for those that contain other fragments."""
    if isinstance(shown, Hole):
        return {}
    if not isinstance(shown, Skeleton):
        return dict(shown.get("properties", {}))
    below = dict(shown.children).get("properties")
    if isinstance(below, Skeleton):
        return dict(below.container)
    return dict(shown.container.get("properties", {}))


def _in_order(node: JsonObject) -> list[str]:
    """Return the names of the properties, required ones first."""
    required = set(node.get("required", ()))
    return sorted(node["properties"], key=lambda name: name not in required)


def trimmed(node: JsonObject, count: int) -> tuple[JsonObject, Edit]:
    """Return the object with a number of properties, required ones first, and the edit that records it."""
    names = _in_order(node)
    edit = Edit(
        pointer="",
        kind="properties",
        reason=f"{len(names) - count} optional properties are only admitted, not shown",
    )
    return _with_properties(node, names, count), edit


def _with_properties(node: JsonObject, names: list[str], count: int) -> JsonObject:
    """Return an object with the first properties of a list. Its description names the others."""
    kept = set(names[:count])
    out = {key: value for key, value in node.items() if key not in _CLOSING}
    out["properties"] = {name: item for name, item in node["properties"].items() if name in kept}
    out[MORE] = _more(names[count:])
    return out


def _more(names: list[str]) -> str:
    """Return the description of the properties that are not shown."""
    listed = shorten(clean(", ".join(names[:_NAMED])), _TOLD)
    more = ", …" if len(names) > _NAMED else ""
    return f"{len(names)} more optional properties: {listed}{more}"
