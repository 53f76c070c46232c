"""Rules for schema keywords: each decides whether a changed keyword refuses a value that was accepted."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, TypeAlias

from specfn._internal.json import JsonObject, dumps_sorted, narrowest_type
from specfn.comparison.difference import (
    DifferenceKind,
    SchemaChange,
    Verdict,
    shorten,
)
from specfn.records import ABSENT
from specfn.schema.vocabulary import BY_TYPE, TYPED
from specfn.schema.walk import LISTS, MAPS, SINGLES

ALL_TYPES: Final = frozenset(BY_TYPE)


def types_of(schema: JsonObject) -> frozenset[str]:
    """Return the types of the values that a schema accepts. If the schema lists its values, their types count."""
    values = values_of(schema)
    return _declared_types(schema) if values is None else frozenset(map(narrowest_type, values))


def _declared_types(schema: JsonObject) -> frozenset[str]:
    declared = schema.get("type", ALL_TYPES)
    return frozenset([declared] if isinstance(declared, str) else declared)


def values_of(schema: JsonObject) -> list[Any] | None:
    """Return all values that a schema accepts; ``None`` if neither its types nor its lists limit their number."""
    types = _declared_types(schema)
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
    return [value for value in values if covers(types, narrowest_type(value))]


def covers(types: frozenset[str], kind: str) -> bool:
    """Return whether values of a type are of one of some types."""
    return kind in types or (kind == "integer" and "number" in types)


def type_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    """Yield the change of the types."""
    before, after = types_of(old), types_of(new)
    is_listed = values_of(old) is not None and values_of(new) is not None
    if before == after or (is_listed and _lists(old, new)):
        return
    removed = {kind for kind in before if not covers(after, kind)}
    names = _names(before), _names(after)
    if "null" in before ^ after and before - {"null"} == after - {"null"}:
        text = "null is no longer allowed" if removed else "null is allowed"
        yield SchemaChange((), "nullable", *names, "yes" if removed else "no", text)
        return
    old_text, new_text = type_text(before), type_text(after)
    yield SchemaChange(
        (), "type", *names, "yes" if removed else "no", f"the type {old_text} became {new_text}"
    )


def _lists(old: JsonObject, new: JsonObject) -> bool:
    """Return whether one of two schemas lists its values."""
    return not {"enum", "const"}.isdisjoint({*old, *new})


def _names(types: frozenset[str]) -> Any:
    if types == ALL_TYPES:
        return ABSENT
    return next(iter(types)) if len(types) == 1 else sorted(types)


def type_text(types: frozenset[str]) -> str:
    """Write types for a sentence."""
    return "any type" if types == ALL_TYPES else " or ".join(sorted(types)) or "no type"


def enum_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    """Yield the change of the listed values."""
    if not _lists(old, new):
        return
    before, after = values_of(old), values_of(new)
    values = (ABSENT if before is None else before, ABSENT if after is None else after)
    if after is None:
        yield SchemaChange((), "enum", *values, "no", "other values are allowed")
        return
    if before is None:
        yield SchemaChange((), "enum", *values, "yes", "only listed values are allowed")
        return
    accepted, known = {*map(_key, after)}, {*map(_key, before)}
    removed = [value for value in before if _key(value) not in accepted]
    added = [value for value in after if _key(value) not in known]
    if removed == [None] and not added:
        yield SchemaChange((), "nullable", *values, "yes", "null is no longer allowed")
    elif added == [None] and not removed:
        yield SchemaChange((), "nullable", *values, "no", "null is allowed")
    elif removed or added:
        yield SchemaChange(
            (), "enum", *values, "yes" if removed else "no", _enum_text(removed, added)
        )


def _key(value: Any) -> bytes:
    """Return a text that is the same for equal JSON values."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return dumps_sorted(value)


#: The maximum number of values that a sentence lists.
_MAX_VALUES: Final = 5


def _enum_text(removed: list[Any], added: list[Any]) -> str:
    parts = [
        f"{list_values(values)} {'is' if len(values) == 1 else 'are'} {state}"
        for values, state in ((removed, "no longer allowed"), (added, "allowed"))
        if values
    ]
    return "; ".join(parts)


def list_values(values: list[Any]) -> str:
    """Return the first values of a list as a text."""
    more = ", ..." if len(values) > _MAX_VALUES else ""
    return ", ".join(shorten(dumps_sorted(value).decode()) for value in values[:_MAX_VALUES]) + more


_Rule: TypeAlias = Callable[[JsonObject, JsonObject], Iterator[SchemaChange]]

#: Annotations and the kinds of their differences. They refuse nothing.
_ANNOTATIONS: Final[dict[str, DifferenceKind]] = {
    "title": "text",
    "description": "text",
    "examples": "text",
    "example": "text",
    "default": "default",
    "deprecated": "deprecated",
}

#: Members of a schema that are not constraints and are not compared.
_IGNORED: Final = frozenset(
    {"readOnly", "writeOnly", "$comment", "$id", "$anchor", "$schema", "externalDocs"}
)

_LOWER: Final = ("minLength", "minItems", "minProperties")
_UPPER: Final = ("maxLength", "maxItems", "maxProperties")

#: Asserted formats whose values are all values of another format.
_WIDER_FORMATS: Final = {
    "date": (),
    "date-time": (),
    "duration": (),
    "email": ("idn-email",),
    "hostname": ("idn-hostname",),
    "idn-email": (),
    "idn-hostname": (),
    "ipv4": (),
    "ipv6": (),
    "iri": ("iri-reference",),
    "iri-reference": (),
    "json-pointer": (),
    "regex": (),
    "relative-json-pointer": (),
    "time": (),
    "uri": ("uri-reference", "iri", "iri-reference"),
    "uri-reference": ("iri-reference",),
    "uri-template": (),
    "uuid": (),
}

#: Formats that describe a value and refuse no value.
_HINTS: Final = frozenset({"int64", "float", "double", "password"})

#: Keywords that are compared elsewhere, with the subschemas.
STRUCTURAL: Final = frozenset(
    {
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "items",
        "oneOf",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
    }
)


def constraints(schema: JsonObject) -> JsonObject:
    """Return the members of a schema that constrain values."""
    return {key: value for key, value in schema.items() if not is_annotation(key)}


def is_annotation(key: str) -> bool:
    """Return whether a member of a schema constrains no value."""
    return key in _ANNOTATIONS or key in _IGNORED or key.startswith("x-")


def is_same(before: Any, after: Any) -> bool:
    """Return whether two values are the same JSON, in any order of members."""
    return before is after or dumps_sorted(before) == dumps_sorted(after)


def is_same_meaning(before: Any, after: Any) -> bool:
    """Return whether two schemas are the same without their annotations."""
    return is_same(_meaning(before), _meaning(after))


def _meaning(schema: Any) -> Any:
    """Return a schema without annotations, also in its subschemas."""
    if not isinstance(schema, dict):
        return schema
    return {key: _meaning_of(key, value) for key, value in constraints(schema).items()}


def _meaning_of(key: str, value: Any) -> Any:
    if key in SINGLES:
        return _meaning(value)
    if key in LISTS:
        return [*map(_meaning, value)]
    if key in MAPS:
        return {name: _meaning(node) for name, node in value.items()}
    return value


def annotation_changes(
    old: JsonObject, new: JsonObject, *, is_given: bool
) -> Iterator[SchemaChange]:
    """Yield the changed annotations of two schemas.

    Another default is undecided, because the server does something else with a call that leaves the value out. It
    breaks nobody if each value is given.
    """
    for key, kind in _ANNOTATIONS.items():
        if (key in old or key in new) and not _is_equal(old, new, key):
            before, after = _both(old, new, key)
            is_used = kind == "default" and key in old and key in new and not is_given
            verdict: Verdict = "maybe" if is_used else "no"
            if kind == "default":
                text = f"the default {_change_text(before, after)}"
            elif kind == "deprecated":
                text = "it is deprecated" if after is True else "it is no longer deprecated"
            else:
                text = f"the {key} changed"
            yield SchemaChange((), kind, before, after, verdict, text)


def _is_equal(old: JsonObject, new: JsonObject, key: str) -> bool:
    return key in old and key in new and is_same(old[key], new[key])


def _both(old: JsonObject, new: JsonObject, key: str) -> tuple[Any, Any]:
    return old.get(key, ABSENT), new.get(key, ABSENT)


# -- bounds ----------------------------------------------------------------------------------------


def _length_rule(key: str, sign: int) -> _Rule:
    """Return the rule of a bound of a length. The sign is 1 for a lower bound and -1 for an upper one."""

    def rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
        weakest = 0 if sign > 0 else float("inf")
        before, after = (_number(schema, key, weakest) for schema in (old, new))
        if before != after:
            limit = max(before * sign, _bound_of_type(old, key) * sign)
            is_tighter = after * sign > limit
            yield _bound(old, new, key, "yes" if is_tighter else "no")

    return rule


def _bound_of_type(schema: JsonObject, key: str) -> float:
    """Return the bound of a length that other keywords imply; the weakest one if they imply none."""
    if key == "minProperties":
        return len({*schema.get("required", ())})
    if key == "maxItems" and schema.get("items") in (False, {"not": {}}):
        return len(schema.get("prefixItems", ()))
    rest = schema.get("additionalProperties", True)
    if (
        key == "maxProperties"
        and rest in (False, {"not": {}})
        and not schema.get("patternProperties")
    ):
        return len(schema.get("properties", ()))
    return 0 if key.startswith("min") else float("inf")


def _number(schema: JsonObject, key: str, default: float) -> float:
    value = schema.get(key, default)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _bound(old: JsonObject, new: JsonObject, key: str, verdict: Verdict) -> SchemaChange:
    before, after = _both(old, new, key)
    text = f"{key} {_change_text(before, after)}"
    return SchemaChange((), "bound", before, after, verdict, text)


def _change_text(before: Any, after: Any) -> str:
    if before is ABSENT:
        return f"{list_values([after])} is new"
    if after is ABSENT:
        return f"{list_values([before])} is gone"
    return f"{list_values([before])} became {list_values([after])}"


def _range_rule(key: str, sign: int) -> _Rule:
    """Return the rule of a bound of a number and its exclusive form."""
    exclusive = f"exclusive{key[0].upper()}{key[1:]}"

    def rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
        if _is_equal_or_absent(old, new, key) and _is_equal_or_absent(old, new, exclusive):
            return
        is_integer = "number" not in types_of(old)
        before, after = (
            _limit(schema, key, exclusive, sign, is_integer=is_integer) for schema in (old, new)
        )
        verdict: Verdict = "yes" if after > before else "no"
        changed = [name for name in (key, exclusive) if not _is_equal_or_absent(old, new, name)]
        if len(changed) == 1:
            yield _bound(old, new, changed[0], verdict)
        else:
            yield _range(old, new, key, exclusive, verdict)

    return rule


def _range(
    old: JsonObject, new: JsonObject, key: str, exclusive: str, verdict: Verdict
) -> SchemaChange:
    """Return one change of a bound and its exclusive form: ``maximum 5 became exclusive``."""
    before, after = (
        {name: schema[name] for name in (key, exclusive) if name in schema} for schema in (old, new)
    )
    texts = [
        " and ".join(f"{name} {list_values([value])}" for name, value in bounds.items())
        for bounds in (before, after)
    ]
    is_same_number = is_same([*before.values()], [*after.values()])
    if not before:
        text = f"{texts[1]} are new"
    elif not after:
        text = f"{texts[0]} are gone"
    elif is_same_number and [*after] == [exclusive]:
        text = f"{texts[0]} became exclusive"
    elif is_same_number and [*before] == [exclusive]:
        text = f"{texts[1]} is no longer exclusive"
    else:
        text = f"{texts[0]} became {texts[1]}"
    return SchemaChange((), "bound", before or ABSENT, after or ABSENT, verdict, text)


def _is_equal_or_absent(old: JsonObject, new: JsonObject, key: str) -> bool:
    return (key not in old and key not in new) or _is_equal(old, new, key)


def _limit(
    schema: JsonObject, key: str, exclusive: str, sign: int, *, is_integer: bool
) -> tuple[Fraction | float, int]:
    """Return the tighter of two bounds as a tuple that is greater the tighter it is."""
    bounds: list[tuple[Fraction | float, int]] = [(float("-inf"), 0)]
    for name, rank in ((key, 0), (exclusive, 1)):
        value = _number(schema, name, float("inf"))
        if value != float("inf"):
            exact = Fraction(value) * sign
            if is_integer:
                bounds.append((Fraction(floor(exact) + 1 if rank else ceil(exact)), 0))
            else:
                bounds.append((exact, rank))
    return max(bounds)


def _multiple_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    if _is_equal_or_absent(old, new, "multipleOf"):
        return
    before = _number(old, "multipleOf", 0 if "number" in types_of(old) else 1)
    after = _number(new, "multipleOf", 0)
    fits = after <= 0 or (before > 0 and _exact(before) % _exact(after) == 0)
    yield _bound(old, new, "multipleOf", "no" if fits else "yes")


def _exact(number: float) -> Fraction:
    return Fraction(str(number))


def _unique_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    before, after = (schema.get("uniqueItems") is True for schema in (old, new))
    if before != after:
        yield _bound(old, new, "uniqueItems", "yes" if after else "no")


# -- texts -----------------------------------------------------------------------------------------


def _pattern_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    if not _is_equal_or_absent(old, new, "pattern"):
        before, after = _both(old, new, "pattern")
        is_free = after in {ABSENT, "", ".*"}
        verdict: Verdict = "no" if is_free else "yes" if before is ABSENT else "maybe"
        text = f"pattern {_change_text(before, after)}"
        yield SchemaChange((), "pattern", before, after, verdict, text)


def _format_rule(old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    if not _is_equal_or_absent(old, new, "format"):
        before, after = _both(old, new, "format")
        text = f"format {_change_text(before, after)}"
        yield SchemaChange((), "format", before, after, _format_verdict(before, after), text)


def _format_verdict(before: Any, after: Any) -> Verdict:
    if after is ABSENT or after in _HINTS or after in _WIDER_FORMATS.get(before, ()):
        return "no"
    if after not in _WIDER_FORMATS:
        return "maybe"
    return "yes" if before is ABSENT or before in _WIDER_FORMATS else "maybe"


# -- all -------------------------------------------------------------------------------------------

#: The rule of each keyword that is decided by itself.
_RULES: Final[dict[str, _Rule]] = {
    **{key: _length_rule(key, 1) for key in _LOWER},
    **{key: _length_rule(key, -1) for key in _UPPER},
    "minimum": _range_rule("minimum", 1),
    "maximum": _range_rule("maximum", -1),
    "multipleOf": _multiple_rule,
    "uniqueItems": _unique_rule,
    "pattern": _pattern_rule,
    "format": _format_rule,
}
#: The other keyword that a rule decides.
_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}

_DECIDED: Final = {
    *_RULES,
    *STRUCTURAL,
    *("type", "enum", "const", "exclusiveMinimum", "exclusiveMaximum"),
}


def keyword_changes(
    old: JsonObject, new: JsonObject, is_unchanged: Callable[[Any, Any], bool]
) -> Iterator[SchemaChange]:
    """Yield the changed constraints of two schemas, without those of their subschemas.

    ``is_unchanged`` decides whether two schemas mean the same, with everything that they refer to.
    """
    yield from type_rule(old, new)
    yield from enum_rule(old, new)
    is_listed = values_of(old) is not None
    types = shared_types(old, new)  # values of the other types are refused in any case
    present = old.keys() | new.keys()
    for key, rule in _RULES.items():
        if (key in present or _EXCLUSIVE.get(key) in present) and _applies_to(key, types):
            for change in rule(old, new):
                may_refuse = is_listed and change.breaking == "yes"  # perhaps none of the values
                yield change._replace(breaking="maybe") if may_refuse else change
    others = [key for key in dict.fromkeys((*old, *new)) if key not in _DECIDED]
    for keys in dict.fromkeys(_TOGETHER.get(key, (key,)) for key in others):
        if not is_annotation(keys[0]) and _applies_to(keys[0], types):
            yield from _other_keywords(old, new, keys, is_unchanged)


def shared_types(old: JsonObject, new: JsonObject) -> frozenset[str]:
    """Return the types of an old schema that the new one accepts, too."""
    accepted = types_of(new)
    return frozenset(kind for kind in types_of(old) if covers(accepted, kind))


def _applies_to(key: str, types: frozenset[str]) -> bool:
    """Return whether a keyword applies to a value of some types."""
    return key not in TYPED or any(key in BY_TYPE.get(kind, ()) for kind in types)


#: Keywords that mean something only together. Their changes are one difference.
_TOGETHER: Final = {
    key: keys
    for keys in (("if", "then", "else"), ("contains", "minContains", "maxContains"))
    for key in keys
}

#: Keywords whose removal can refuse a value, because they relax another one.
_RELAXING: Final = frozenset({"minContains"})


def _other_keywords(
    old: JsonObject,
    new: JsonObject,
    keys: tuple[str, ...],
    is_unchanged: Callable[[Any, Any], bool],
) -> Iterator[SchemaChange]:
    """Yield the change of keywords without a rule: only their removal is known to refuse nothing."""
    before, after = ({key: schema[key] for key in keys if key in schema} for schema in (old, new))
    changed = [
        key
        for key in keys
        if (key in before or key in after)
        and not (
            key in before and key in after and is_unchanged({key: before[key]}, {key: after[key]})
        )
    ]
    if not changed:
        return
    is_gone = not any(key in after for key in changed)
    is_new = not any(key in before for key in changed)
    verdict: Verdict = "no" if is_gone and (not after or _RELAXING.isdisjoint(changed)) else "maybe"
    state = "new" if is_new else "gone" if is_gone else "changed"
    values: tuple[Any, Any] = before or ABSENT, after or ABSENT
    if len(changed) == 1:
        (key,) = changed
        text = f"the keyword {key} {'changed' if state == 'changed' else f'is {state}'}"
        values = _both(old, new, key)
    else:
        text = f"the keywords {', '.join(changed)} {'changed' if state == 'changed' else f'are {state}'}"
    yield SchemaChange((), "schema", *values, verdict, text)
