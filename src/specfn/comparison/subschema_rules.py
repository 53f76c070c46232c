"""Rules for the keywords that contain subschemas of properties and items."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from specfn._internal.json import JsonObject, dumps_sorted
from specfn.comparison.difference import ANY_ITEM, ANY_KEY, DifferenceKind, SchemaChange, Verdict
from specfn.comparison.keyword_rules import constraints, shared_types
from specfn.records import ABSENT


class Below(NamedTuple):
    """Two schemas to compare, at a place below two others.

    Attributes:
        tokens: the place below the others; empty for schemas of the same value.
        old, new: the schemas.
        is_given: true if a value is always given there, so that no default applies.
    """

    tokens: tuple[str, ...]
    old: Any
    new: Any
    is_given: bool = False


_Changes: TypeAlias = Iterator[SchemaChange | Below]


def changes(old: JsonObject, new: JsonObject, *, is_response: bool) -> _Changes:
    """Yield the changes of the properties and items of two schemas, and the pairs of subschemas to compare.

    For a response, the old schema is that of the server and the new one that of the client.
    """
    types = shared_types(old, new)
    if "object" in types:
        yield from _compare_properties(old, new, is_response=is_response)
        yield from _compare_required(old, new)
        yield from _compare_additional(old, new, is_response=is_response)
        yield from _compare_pattern_properties(old, new)
    if "array" in types:
        yield from _compare_items(old, new)


# -- objects ---------------------------------------------------------------------------------------


def _compare_properties(old: JsonObject, new: JsonObject, *, is_response: bool) -> _Changes:
    before, after = properties_of(old), properties_of(new)
    always = {*required_of(old), *required_of(new)}
    for key, node in before.items():
        if key in after:
            yield Below((key,), node, after[key], is_given=key in always)
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    was_required, is_required = {*required_of(old)}, {*required_of(new)}
    names = match_renamed(removed, added, before, after)
    removed = [key for key in removed if key not in names]
    new_names = {*names.values()}
    added = [key for key in added if key not in new_names]
    for key, name in names.items():
        breaking: Verdict = "yes" if name in is_required or is_closed(new) else "maybe"
        yield SchemaChange((key,), "property-renamed", key, name, breaking, f"it became {name}")
    for key in removed:
        change = _property_removed(key, before[key], new)
        yield change._replace(breaking=_verdict_of_extra(new)) if is_response else change
    for key in added:
        is_sent = key in was_required  # callers send it already, with any value
        change = _property_added(key, after[key], old, key in is_required and not is_sent)
        if is_sent:
            change = change._replace(breaking="no")
        elif is_response and change.breaking == "no":  # the client may have read it
            change = change._replace(breaking="maybe")
        yield change
        if is_sent:
            yield Below((key,), old.get("additionalProperties", True), after[key], is_given=True)


def properties_of(schema: JsonObject) -> JsonObject:
    """Return the declared properties of a schema."""
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def required_of(schema: JsonObject) -> list[str]:
    """Return the required properties of a schema."""
    required = schema.get("required")
    return required if isinstance(required, list) else []


def is_closed(schema: JsonObject) -> bool:
    """Return whether an object schema refuses every undeclared property."""
    rest = schema.get("additionalProperties", True)
    return (rest is False or rest == {"not": {}}) and not schema.get("patternProperties")


#: Keywords next to which a schema accepts every undeclared property, as long as nothing forbids it.
_HARMLESS: Final = frozenset({"type", "properties", "required", "minProperties"})


def _verdict_of_extra(client: JsonObject) -> Verdict:
    """Return the verdict of a property that a server sends and the client's schema does not declare.

    Clients ignore it, unless their schema says something of undeclared properties.
    """
    rest = client.get("additionalProperties", True)
    is_open = rest is True or rest == {}
    others = constraints(client).keys() - {"additionalProperties"}
    return "no" if is_open and others <= _HARMLESS else "maybe"


def match_renamed(
    removed: list[str], added: list[str], before: JsonObject, after: JsonObject
) -> dict[str, str]:
    """Return the new name of each removed property whose schema has exactly one added property, and no other."""
    old_names, new_names = _by_schema(removed, before), _by_schema(added, after)
    return {
        names[0]: new_names[schema][0]
        for schema, names in old_names.items()
        if len(names) == 1 and len(new_names.get(schema, ())) == 1
    }


def _by_schema(keys: list[str], schemas: JsonObject) -> dict[bytes, list[str]]:
    keys_by_text: dict[bytes, list[str]] = {}
    for key in keys:
        keys_by_text.setdefault(_text(schemas[key]), []).append(key)
    return keys_by_text


def _text(schema: Any) -> bytes:
    return dumps_sorted(constraints(schema) if isinstance(schema, dict) else schema)


def _property_removed(key: str, schema: Any, new: JsonObject) -> SchemaChange:
    breaking: Verdict = "yes" if is_closed(new) else "maybe"
    text = "it was removed" if breaking == "yes" else "it is no longer declared"
    return SchemaChange(
        (key,), "property-removed", schema, ABSENT, "no" if schema is False else breaking, text
    )


def _property_added(key: str, schema: Any, old: JsonObject, is_required: bool) -> SchemaChange:  # noqa: FBT001
    if is_required:
        return SchemaChange(
            (key,), "property-added", ABSENT, schema, "yes", "it is new and required"
        )
    return SchemaChange(
        (key,), "property-added", ABSENT, schema, _verdict_of_addition(schema, old), "it is new"
    )


#: Keywords by which a document declares a meaning of undeclared properties.
_OPEN: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")


def _verdict_of_addition(schema: Any, old: JsonObject) -> Verdict:
    """Return the verdict of a new property. A caller is expected to send declared properties only."""
    if schema is True or schema == {} or is_closed(old):
        return "no"
    is_declared = "properties" in old and not any(key in old for key in _OPEN)
    return "no" if is_declared else "maybe"


def _compare_required(old: JsonObject, new: JsonObject) -> _Changes:
    before, after = (dict.fromkeys(required_of(schema)) for schema in (old, new))
    known = properties_of(old)
    for key in after:
        is_new = key in properties_of(new) and key not in known
        if key not in before and not is_new:
            yield SchemaChange((key,), "required", False, True, "yes", "it is now required")
    for key in before:
        is_removed = key in known and key not in properties_of(new)
        if key not in after and not is_removed:
            yield SchemaChange((key,), "required", True, False, "no", "it is now optional")


def _compare_additional(old: JsonObject, new: JsonObject, *, is_response: bool) -> _Changes:
    before, after = (schema.get("additionalProperties", True) for schema in (old, new))
    if before in (False, {"not": {}}):
        if after not in (False, {"not": {}}):
            yield _rest(before, after, "no", "undeclared properties are allowed")
    elif after in (False, {"not": {}}):
        breaking: Verdict = "maybe" if is_response else "yes"  # many clients ignore them
        yield _rest(before, after, breaking, "undeclared properties are not allowed")
    else:
        yield Below((ANY_KEY,), before, after, is_given=True)


def _rest(before: Any, after: Any, breaking: Verdict, text: str) -> SchemaChange:
    return SchemaChange((), "additional-properties", before, after, breaking, text)


def _compare_pattern_properties(old: JsonObject, new: JsonObject) -> _Changes:
    before, after = (schema.get("patternProperties") or {} for schema in (old, new))
    for pattern, node in before.items():
        if pattern in after:
            yield Below((ANY_KEY,), node, after[pattern], is_given=True)
    if before.keys() != after.keys():
        text = "the patterns of properties changed"
        kind: DifferenceKind = "additional-properties"
        yield SchemaChange((), kind, [*before], [*after], "maybe", text)


# -- arrays ----------------------------------------------------------------------------------------


def _compare_items(old: JsonObject, new: JsonObject) -> _Changes:
    before, after = (schema.get("prefixItems") or [] for schema in (old, new))
    old_rest, new_rest = old.get("items", True), new.get("items", True)
    for index in range(max(len(before), len(after))):
        at_index = (
            items[index] if index < len(items) else rest
            for items, rest in ((before, old_rest), (after, new_rest))
        )
        yield Below((str(index),), *at_index)
    if "items" in old or "items" in new:
        yield Below((ANY_ITEM,), old_rest, new_rest, is_given=True)
