"""Facts by which alternatives of two schemas are paired."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from specfn._internal.json import JsonObject, dumps_sorted
from specfn.application.comparison.keyword_rules import constraints
from specfn.application.comparison.subschema_rules import properties_of, required_of
from specfn.application.comparison.type_rules import types_of, values_of
from specfn.schema.vocabulary import BY_TYPE, TYPED


def paired(
    old_mark: Callable[[Any], Any], new_mark: Callable[[Any], Any], old: list[Any], new: list[Any]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the pairs whose marks occur once in each list, and the others of both lists."""
    before, after = [*map(old_mark, old)], [*map(new_mark, new)]
    counts = Counter(before), Counter(after)
    shared = {mark for mark, count in counts[0].items() if count == 1 == counts[1][mark]} - {None}
    marked = [*zip(before, old, strict=True)], [*zip(after, new, strict=True)]
    targets = {mark: schema for mark, schema in marked[1] if mark in shared}
    pairs = [(schema, targets[mark]) for mark, schema in marked[0] if mark in shared]
    lost, found = ([schema for mark, schema in side if mark not in shared] for side in marked)
    return pairs, lost, found


def reference_of(schema: Any) -> Any:
    """Return the reference of a schema, or ``None``."""
    return schema.get("$ref") if isinstance(schema, dict) else None


def tag_of(schema: JsonObject) -> tuple[str, str] | None:
    """Return the first required property that has one text as its only value, with that text."""
    for key in required_of(schema):
        node = properties_of(schema).get(key)
        if isinstance(node, dict):
            values = [node["const"]] if "const" in node else node.get("enum", ())
            if len(values) == 1 and isinstance(values[0], str):
                return key, values[0]
    return None


def title_of(schema: JsonObject) -> str | None:
    """Return the title of a schema, or ``None``."""
    title = schema.get("title")
    return title if isinstance(title, str) else None


def type_of(schema: JsonObject) -> frozenset[str] | None:
    """Return the types of a schema that declares them, or ``None``."""
    return types_of(schema) if "type" in schema else None


def as_list(schema: JsonObject) -> JsonObject:
    """Return a schema with a list of values instead of alternatives that are single values or lists of them."""
    unions = [key for key in ("anyOf", "oneOf") if key in schema]
    if len(unions) != 1 or not {"enum", "const"}.isdisjoint(schema):
        return schema
    branches = schema[unions[0]]
    if all(isinstance(each, dict) and _is_list(each) for each in branches):
        values = [value for each in branches for value in values_of(each) or ()]
        if len({*map(dumps_sorted, values)}) == len(values):
            rest = {name: value for name, value in schema.items() if name != unions[0]}
            return {**rest, "enum": values}
    return schema


def _is_list(schema: JsonObject) -> bool:
    return constraints(schema).keys() <= {"type", "const", "enum"} and values_of(schema) is not None


def by_type(schema: JsonObject) -> list[Any]:
    """Return a schema as one alternative for each of its types."""
    kinds = schema.get("type")
    if not isinstance(kinds, list) or "enum" in schema or "const" in schema:
        return [schema]
    return [_of_type(schema, kind) for kind in kinds]


def _of_type(schema: JsonObject, kind: str) -> JsonObject:
    """Return the part of a schema for one type, without keywords of other types."""
    foreign = TYPED - {*BY_TYPE.get(kind, ())}
    rest = {key: value for key, value in schema.items() if key not in foreign}
    return {**rest, "type": kind}


def are_distinct(tags: list[tuple[str, str] | None]) -> bool:
    """Return whether the alternatives have different values of one required property."""
    keys = {None if tag is None else tag[0] for tag in tags}
    return None not in keys and len(keys) == 1 and len({*tags}) == len(tags)


def are_disjoint(schemas: list[JsonObject]) -> bool:
    """Return whether no type is a type of two schemas."""
    types = [
        {"number" if kind == "integer" else kind for kind in types_of(each)} for each in schemas
    ]
    return sum(map(len, types)) == len(set[str]().union(*types))
