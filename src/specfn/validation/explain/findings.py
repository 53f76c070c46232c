"""Findings: the failures of one level, reported by the engine or computed here.

The findings of members of objects are computed here, and those of ``unevaluatedProperties`` and ``unevaluatedItems``
(JSON Schema 2020-12, Core, section 11): the engine reports them only together with all other errors of the schema, and
only for schemas that it explains. So the names that no part of the schema declares are reported. If every name is
declared, one property at a time is removed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject
from specfn.schema.walk import UNEVALUATED, in_place
from specfn.validation.compile.engine import SubschemaCompiler
from specfn.validation.explain.level_schema import SchemaPart
from specfn.validation.explain.schema_facts import SchemaFacts

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


def inner_finding(schema: Any, keyword: str, token: str | int, facts: SchemaFacts) -> LevelFinding:
    """Return the finding of an inner value that its schema does not accept: forbidden, wrong, or to be opened."""
    target = facts.target(schema)
    if target is False:
        return LevelFinding("surplus", keyword, schema, token)
    if facts.is_simple(target):
        return LevelFinding("inside", keyword, schema, token)
    return LevelFinding("child", keyword, schema, token)


_PartFindings: TypeAlias = Callable[
    [SchemaPart, Any, SchemaFacts, SubschemaCompiler], Iterator[LevelFinding]
]


def _find_missing(
    part: SchemaPart, value: Any, _: SchemaFacts, __: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name in part.holder["required"]:
        if name not in value:
            yield LevelFinding("missing", "required", part.holder, name)


def _find_missing_dependents(
    part: SchemaPart, value: Any, _: SchemaFacts, __: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for key, names in part.holder["dependentRequired"].items():
        if key in value:
            for name in names:
                if name not in value:
                    yield LevelFinding("missing", "dependentRequired", part.holder, name)


def _find_wrong_names(
    part: SchemaPart, value: Any, _: SchemaFacts, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    schema = part.holder["propertyNames"]
    for name in value:
        if not compiler.accepts(schema, name):
            yield LevelFinding("name", "propertyNames", schema, name)


def _find_wrong_properties(
    part: SchemaPart, value: Any, facts: SchemaFacts, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name, schema in part.schema["properties"].items():
        if name in value and not compiler.accepts(schema, value[name]):
            yield inner_finding(schema, "properties", name, facts)


def _find_wrong_dependents(
    part: SchemaPart, value: Any, _: SchemaFacts, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for name, schema in part.holder["dependentSchemas"].items():
        if name in value and not compiler.accepts(schema, value):
            yield LevelFinding("part", part.keyword, part.holder, part=part._replace(key=name))


def _find_wrong_by_pattern(
    part: SchemaPart, value: Any, facts: SchemaFacts, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    for pattern, schema in part.holder["patternProperties"].items():
        for name, item in value.items():
            if compiler.matches(pattern, name) and not compiler.accepts(schema, item):
                yield inner_finding(schema, "patternProperties", name, facts)


def _find_wrong_additional(
    part: SchemaPart, value: Any, facts: SchemaFacts, compiler: SubschemaCompiler
) -> Iterator[LevelFinding]:
    """Yield the findings of additional properties that their schema does not accept."""
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
            yield inner_finding(schema, "additionalProperties", name, facts)


#: Functions that compute the findings of parts, because the engine only decides them as a whole.
PART_FINDINGS: Final[Mapping[str, _PartFindings]] = {
    "required": _find_missing,
    "dependentRequired": _find_missing_dependents,
    "propertyNames": _find_wrong_names,
    "properties": _find_wrong_properties,
    "dependentSchemas": _find_wrong_dependents,
    "patternProperties": _find_wrong_by_pattern,
    "additionalProperties": _find_wrong_additional,
}


_PROPERTIES, _ITEMS = UNEVALUATED

#: The maximum number of properties that are removed one at a time.
_MAX_TRIES: Final = 100


def findings_of_unevaluated(
    members: tuple[JsonObject, ...], value: Any, facts: SchemaFacts, compiler: SubschemaCompiler
) -> list[LevelFinding]:
    """Return the findings of a value's properties and items that no applied schema evaluates."""
    findings: list[LevelFinding] = []
    for member in members:
        if (_PROPERTIES in member or _ITEMS in member) and not compiler.accepts(member, value):
            parts = list(_applicable_schemas(member, facts))
            if type(value) is dict and _PROPERTIES in member:
                findings.extend(_find_unevaluated_members(member, parts, value, facts, compiler))
            if type(value) is list and _ITEMS in member:
                findings.extend(_find_unevaluated_items(member, parts, value, facts, compiler))
    return findings


def _applicable_schemas(member: JsonObject, facts: SchemaFacts) -> Iterator[JsonObject]:
    """Yield each schema that may apply to the same value, in any branch."""
    waiting: list[Any] = [member]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(facts.conjuncts(node))
            waiting.extend(in_place(node))


def _find_unevaluated_members(
    node: JsonObject,
    parts: list[JsonObject],
    value: JsonObject,
    facts: SchemaFacts,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    """Yield a finding for each property that no schema in place knows.

    If several schemas may know a property, the unknown ones are found by leaving out one property at a time.
    """
    others = [part for part in parts if part is not node and _PROPERTIES in part]
    if others or any("additionalProperties" in part for part in parts):
        unknown = []
    else:
        unknown = [
            name for name in value if not any(_knows(part, name, compiler) for part in parts)
        ]
    if not unknown:
        unknown = list(_find_members_in_excess(node, value, compiler))
    yield from _findings_of_values(
        node[_PROPERTIES], _PROPERTIES, {name: value[name] for name in unknown}, facts, compiler
    )


def _find_members_in_excess(
    node: JsonObject, value: JsonObject, compiler: SubschemaCompiler
) -> Iterator[str]:
    """Yield each property without which the value would be accepted."""
    for name in list(value)[:_MAX_TRIES]:
        if compiler.accepts(node, {key: item for key, item in value.items() if key != name}):
            yield name


def _find_unevaluated_items(
    member: JsonObject,
    parts: list[JsonObject],
    value: list[Any],
    facts: SchemaFacts,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    if any("items" in part or "contains" in part for part in parts):
        return
    first = max(len(part.get("prefixItems", ())) for part in parts)
    rest = dict(enumerate(value[first:], first))
    yield from _findings_of_values(member[_ITEMS], _ITEMS, rest, facts, compiler)


def _findings_of_values(
    schema: Any,
    keyword: str,
    values: Mapping[Any, Any],
    facts: SchemaFacts,
    compiler: SubschemaCompiler,
) -> Iterator[LevelFinding]:
    """Yield the findings of unevaluated values that their schema does not accept."""
    if facts.target(schema) is False and keyword == _PROPERTIES:
        if values:
            yield unknown(keyword, schema, [*values])
        return
    for token, value in values.items():
        if not compiler.accepts(schema, value):
            yield inner_finding(schema, keyword, token, facts)


def _knows(part: JsonObject, name: str, compiler: SubschemaCompiler) -> bool:
    return name in part.get("properties", ()) or any(
        compiler.matches(pattern, name) for pattern in part.get("patternProperties", ())
    )
