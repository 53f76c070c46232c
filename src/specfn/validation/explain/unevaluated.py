"""Failures of ``unevaluatedProperties`` and ``unevaluatedItems`` (JSON Schema 2020-12, Core, section 11).

The engine reports them only together with all other errors of the schema, and only for schemas that it explains. So
this module first finds the names that no part of the schema declares. If every name is declared, it removes one
property at a time.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.validation.compile.applicators import UNEVALUATED, parts_in_place
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.explain.findings import LevelFinding, inner_finding, unknown
from specfn.validation.explain.schema_shapes import SchemaShapes

_PROPERTIES, _ITEMS = UNEVALUATED

#: The maximum number of properties that are removed one at a time.
_TRIES: Final = 100


def unevaluated(
    members: tuple[JsonObject, ...], value: Any, shapes: SchemaShapes, compiler: SubschemaCompiler
) -> list[LevelFinding]:
    """Return the findings of a value's properties and items that no applied schema evaluates."""
    found: list[LevelFinding] = []
    for member in members:
        if (_PROPERTIES in member or _ITEMS in member) and not compiler.accepts(member, value):
            parts = list(_applicable_schemas(member, shapes))
            if type(value) is dict and _PROPERTIES in member:
                found.extend(_members(member, parts, value, shapes, compiler))
            if type(value) is list and _ITEMS in member:
                found.extend(_items(member, parts, value, shapes, compiler))
    return found


def _applicable_schemas(member: JsonObject, shapes: SchemaShapes) -> Iterator[JsonObject]:
    """Yield each schema that may apply to the same value, in any branch."""
    waiting: list[Any] = [member]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(shapes.conjuncts(node))
            waiting.extend(parts_in_place(node))


def _members(
    member: JsonObject,
    parts: list[JsonObject],
    value: JsonObject,
    shapes: SchemaShapes,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    others = [part for part in parts if part is not member and _PROPERTIES in part]
    if others or any("additionalProperties" in part for part in parts):
        unknown = []
    else:
        unknown = [
            name for name in value if not any(_knows(part, name, compiler) for part in parts)
        ]
    if not unknown:
        unknown = list(_in_excess(member, value, compiler))
    yield from _refused(
        member[_PROPERTIES], _PROPERTIES, {name: value[name] for name in unknown}, shapes, compiler
    )


def _in_excess(member: JsonObject, value: JsonObject, compiler: SubschemaCompiler) -> Iterator[str]:
    """Yield each property without which the value would be accepted."""
    for name in list(value)[:_TRIES]:
        if compiler.accepts(member, {key: item for key, item in value.items() if key != name}):
            yield name


def _items(
    member: JsonObject,
    parts: list[JsonObject],
    value: list[Any],
    shapes: SchemaShapes,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    if any("items" in part or "contains" in part for part in parts):
        return
    first = max(len(part.get("prefixItems", ())) for part in parts)
    rest = dict(enumerate(value[first:], first))
    yield from _refused(member[_ITEMS], _ITEMS, rest, shapes, compiler)


def _refused(
    schema: Any,
    keyword: str,
    values: Mapping[Any, Any],
    shapes: SchemaShapes,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    """Yield the findings of unevaluated values that their schema does not accept."""
    if shapes.target(schema) is False and keyword == _PROPERTIES:
        if values:
            yield unknown(keyword, schema, [*values])
        return
    for token, value in values.items():
        if not compiler.accepts(schema, value):
            yield inner_finding(schema, keyword, token, shapes)


def _knows(part: JsonObject, name: str, compiler: SubschemaCompiler) -> bool:
    return name in part.get("properties", ()) or any(
        compiler.matches(pattern, name) for pattern in part.get("patternProperties", ())
    )
