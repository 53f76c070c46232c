"""Failures of ``unevaluatedProperties`` and ``unevaluatedItems`` (JSON Schema 2020-12, Core, section 11).

The engine reports them only together with all other errors of the schema, and only for schemas that it explains. So
this module first finds the names that no part of the schema declares. If there are none, it removes one property at
a time.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import UNEVALUATED, parts_in_place
from specfn.validation.compile.engine import Workshop
from specfn.validation.explain.findings import Finding, inner_finding, unknown
from specfn.validation.explain.schema_shapes import Shapes

_PROPERTIES, _ITEMS = UNEVALUATED

#: The most properties that are removed one at a time.
_TRIES: Final = 100


def unevaluated(
    members: tuple[JsonObject, ...], value: Any, shapes: Shapes, workshop: Workshop
) -> list[Finding]:
    """Return the findings of a value's properties and items that no applied schema evaluates."""
    found: list[Finding] = []
    for member in members:
        if (_PROPERTIES in member or _ITEMS in member) and not workshop.accepts(member, value):
            parts = list(_everything(member, shapes))
            if type(value) is dict and _PROPERTIES in member:
                found.extend(_members(member, parts, value, shapes, workshop))
            if type(value) is list and _ITEMS in member:
                found.extend(_items(member, parts, value, shapes, workshop))
    return found


def _everything(member: JsonObject, shapes: Shapes) -> Iterator[JsonObject]:
    """Yield each schema that may apply to the same value, in any branch."""
    waiting: list[Any] = [member]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(shapes.whole(node))
            waiting.extend(parts_in_place(node))


def _members(
    member: JsonObject,
    parts: list[JsonObject],
    value: JsonObject,
    shapes: Shapes,
    workshop: Workshop,
) -> Iterator[Finding]:
    others = [part for part in parts if part is not member and _PROPERTIES in part]
    if others or any("additionalProperties" in part for part in parts):
        unknown = []
    else:
        unknown = [
            name for name in value if not any(_knows(part, name, workshop) for part in parts)
        ]
    if not unknown:
        unknown = list(_in_excess(member, value, workshop))
    yield from _refused(
        member[_PROPERTIES], _PROPERTIES, {name: value[name] for name in unknown}, shapes, workshop
    )


def _in_excess(member: JsonObject, value: JsonObject, workshop: Workshop) -> Iterator[str]:
    """Yield each property without which the value would be accepted."""
    for name in list(value)[:_TRIES]:
        if workshop.accepts(member, {key: item for key, item in value.items() if key != name}):
            yield name


def _items(
    member: JsonObject,
    parts: list[JsonObject],
    value: list[Any],
    shapes: Shapes,
    workshop: Workshop,
) -> Iterator[Finding]:
    if any("items" in part or "contains" in part for part in parts):
        return
    first = max(len(part.get("prefixItems", ())) for part in parts)
    rest = dict(enumerate(value[first:], first))
    yield from _refused(member[_ITEMS], _ITEMS, rest, shapes, workshop)


def _refused(
    schema: Any, keyword: str, values: Mapping[Any, Any], shapes: Shapes, workshop: Workshop
) -> Iterator[Finding]:
    """Yield the findings of unevaluated values that their schema does not accept."""
    if shapes.target(schema) is False and keyword == _PROPERTIES:
        if values:
            yield unknown(keyword, schema, [*values])
        return
    for token, value in values.items():
        if not workshop.accepts(schema, value):
            yield inner_finding(schema, keyword, token, shapes)


def _knows(part: JsonObject, name: str, workshop: Workshop) -> bool:
    return name in part.get("properties", ()) or any(
        workshop.matches(pattern, name) for pattern in part.get("patternProperties", ())
    )
