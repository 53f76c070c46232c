"""Findings: the failures of one level, reported by the engine or, for members of objects, computed here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.compile.parts import SchemaPart
from specfn.validation.explain.schema_shapes import SchemaShapes

#: Kinds of findings: ``here`` concerns the value itself; ``missing``, ``surplus`` and ``name`` a missing property, a
#: forbidden one and a wrong name; ``unknown`` undeclared properties; ``inside`` a wrong inner value; ``child`` an
#: inner value whose schema must be opened; ``part`` a part of the schema that must be opened.
Kind: TypeAlias = Literal[
    "here", "missing", "surplus", "name", "unknown", "inside", "child", "part"
]


class LevelFinding(NamedTuple):
    """One failure at one level.

    Attributes:
        kind: see ``Kind``.
        keyword: the schema keyword that failed.
        node: the prepared node that contains the keyword, or that must be opened.
        token: the key or index of an inner value.
        part: the part that must be opened.
        names: the undeclared properties; ``token`` is the first.
    """

    kind: Kind
    keyword: str
    node: Any
    token: Any = None
    part: SchemaPart | None = None
    names: tuple[str, ...] = ()


def unknown(keyword: str, node: Any, names: Sequence[str]) -> LevelFinding:
    """Return one finding for all undeclared properties of an object, because there may be very many."""
    return LevelFinding("unknown", keyword, node, names[0], names=tuple(names))


def inner_finding(
    schema: Any, keyword: str, token: str | int, shapes: SchemaShapes
) -> LevelFinding:
    """Return the finding of an inner value that its schema does not accept: forbidden, wrong, or to be opened."""
    target = shapes.target(schema)
    if target is False:
        return LevelFinding("surplus", keyword, schema, token)
    if shapes.is_simple(target):
        return LevelFinding("inside", keyword, schema, token)
    return LevelFinding("child", keyword, schema, token)


_PartFindings: TypeAlias = Callable[
    [SchemaPart, Any, SchemaShapes, SubschemaCompiler], Iterator[LevelFinding]
]


def _missing(
    part: SchemaPart, value: Any, _: SchemaShapes, __: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name in part.holder["required"]:
        if name not in value:
            yield LevelFinding("missing", "required", part.holder, name)


def _missing_beside(
    part: SchemaPart, value: Any, _: SchemaShapes, __: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for key, names in part.holder["dependentRequired"].items():
        if key in value:
            for name in names:
                if name not in value:
                    yield LevelFinding("missing", "dependentRequired", part.holder, name)


def _misnamed(
    part: SchemaPart, value: Any, _: SchemaShapes, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    schema = part.holder["propertyNames"]
    for name in value:
        if not compiler.accepts(schema, name):
            yield LevelFinding("name", "propertyNames", schema, name)


def _property(
    part: SchemaPart, value: Any, shapes: SchemaShapes, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name, schema in part.schema["properties"].items():
        if name in value and not compiler.accepts(schema, value[name]):
            yield inner_finding(schema, "properties", name, shapes)


def _dependent(
    part: SchemaPart, value: Any, _: SchemaShapes, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name, schema in part.holder["dependentSchemas"].items():
        if name in value and not compiler.accepts(schema, value):
            yield LevelFinding("part", part.keyword, part.holder, part=part._replace(key=name))


def _by_pattern(
    part: SchemaPart, value: Any, shapes: SchemaShapes, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for pattern, schema in part.holder["patternProperties"].items():
        for name, item in value.items():
            if compiler.matches(pattern, name) and not compiler.accepts(schema, item):
                yield inner_finding(schema, "patternProperties", name, shapes)


def _additional(
    part: SchemaPart, value: Any, shapes: SchemaShapes, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    schema = part.holder["additionalProperties"]
    declared = part.holder.get("properties", {})
    patterns = part.holder.get("patternProperties", {})
    names = [
        name
        for name in value
        if name not in declared and not any(compiler.matches(pattern, name) for pattern in patterns)
    ]
    for name in names:
        # the part has failed: its only value is the reason, and nothing must be compiled to know it
        if len(names) == 1 or not compiler.accepts(schema, value[name]):
            yield inner_finding(schema, "additionalProperties", name, shapes)


#: Functions that compute the findings of parts, because the engine only decides them as a whole.
PART_FINDINGS: Final[Mapping[str, _PartFindings]] = {
    "required": _missing,
    "dependentRequired": _missing_beside,
    "propertyNames": _misnamed,
    "properties": _property,
    "dependentSchemas": _dependent,
    "patternProperties": _by_pattern,
    "additionalProperties": _additional,
}
