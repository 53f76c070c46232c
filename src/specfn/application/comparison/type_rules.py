"""Rules for the types and the listed values of schemas."""

from collections.abc import Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps_sorted
from specfn.application.comparison.difference import KeywordChange
from specfn.records import ABSENT
from specfn.schema.vocabulary import BY_TYPE

ALL_TYPES: Final = frozenset(BY_TYPE)


def types_of(schema: JsonObject) -> frozenset[str]:
    """Return the types that a schema accepts; those of its values if it lists them."""
    values = values_of(schema)
    return _declared(schema) if values is None else frozenset(map(_type_of, values))


def _declared(schema: JsonObject) -> frozenset[str]:
    declared = schema.get("type", ALL_TYPES)
    return frozenset([declared] if isinstance(declared, str) else declared)


def values_of(schema: JsonObject) -> list[Any] | None:
    """Return all values that a schema accepts by its types and lists; ``None`` if their number is not limited."""
    types = _declared(schema)
    if "const" in schema:
        listed_too = {*map(_key, schema.get("enum", [schema["const"]]))}
        values = [schema["const"]] if _key(schema["const"]) in listed_too else []
    elif "enum" in schema:
        values = schema["enum"]
    elif types <= {"boolean", "null"}:
        return [
            *((True, False) if "boolean" in types else ()),
            *((None,) if "null" in types else ()),
        ]
    else:
        return None
    return [value for value in values if covers(types, _type_of(value))]


def covers(types: frozenset[str], kind: str) -> bool:
    """Return whether values of a type are of one of some types."""
    return kind in types or (kind == "integer" and "number" in types)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if value == int(value) else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def type_rule(old: JsonObject, new: JsonObject) -> Iterator[KeywordChange]:
    """Yield the change of the types."""
    before, after = types_of(old), types_of(new)
    is_listed = values_of(old) is not None and values_of(new) is not None
    if before == after or (is_listed and _lists(old, new)):
        return
    removed = {kind for kind in before if not covers(after, kind)}
    names = _names(before), _names(after)
    if "null" in before ^ after and before - {"null"} == after - {"null"}:
        text = "null is no longer accepted" if removed else "null is accepted"
        yield "nullable", *names, "yes" if removed else "no", text
        return
    old_text, new_text = _type_text(before), _type_text(after)
    yield "type", *names, "yes" if removed else "no", f"the type {old_text} became {new_text}"


def _lists(old: JsonObject, new: JsonObject) -> bool:
    """Return whether one of the schemas lists its values."""
    return not {"enum", "const"}.isdisjoint({*old, *new})


def _names(types: frozenset[str]) -> Any:
    if types == ALL_TYPES:
        return ABSENT
    return next(iter(types)) if len(types) == 1 else sorted(types)


def _type_text(types: frozenset[str]) -> str:
    return "any type" if types == ALL_TYPES else " or ".join(sorted(types)) or "no type"


def enum_rule(old: JsonObject, new: JsonObject) -> Iterator[KeywordChange]:
    """Yield the change of the listed values."""
    if not _lists(old, new):
        return
    before, after = values_of(old), values_of(new)
    values = (ABSENT if before is None else before, ABSENT if after is None else after)
    if after is None:
        yield "enum", *values, "no", "other values are accepted"
        return
    if before is None:
        yield "enum", *values, "yes", "only listed values are accepted"
        return
    accepted, known = {*map(_key, after)}, {*map(_key, before)}
    removed = [value for value in before if _key(value) not in accepted]
    added = [value for value in after if _key(value) not in known]
    if removed == [None] and not added:
        yield "nullable", *values, "yes", "null is no longer accepted"
    elif added == [None] and not removed:
        yield "nullable", *values, "no", "null is accepted"
    elif removed or added:
        yield "enum", *values, "yes" if removed else "no", _enum_text(removed, added)


def _key(value: Any) -> bytes:
    """Return a text that is the same for equal JSON values."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return dumps_sorted(value)


#: The maximum number of values that a sentence lists, and the maximum number of characters of one.
_LISTED: Final = 5
_SHOWN: Final = 80


def _enum_text(removed: list[Any], added: list[Any]) -> str:
    parts = [
        f"{listed(values)} {verb}"
        for values, verb in ((removed, "no longer accepted"), (added, "accepted"))
        if values
    ]
    return "; ".join(parts)


def listed(values: list[Any]) -> str:
    """Return the first values of a list as a text."""
    more = ", ..." if len(values) > _LISTED else ""
    return ", ".join(map(_shown, values[:_LISTED])) + more


def _shown(value: Any) -> str:
    text = dumps_sorted(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
