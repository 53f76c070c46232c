"""Upgrade of single schema keywords to JSON Schema 2020-12, and of keywords that belong together (rule N7).

The rule of a keyword returns its new value, or leaves an invalid value out. An upgrade of several keywords changes the
dict that it receives; the set next to it lists the keywords for which it is called.
"""

import re
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, Final, Protocol, TypeAlias

from specfn._internal.json import JsonObject, dumps

#: The result of a rule for an invalid value.
DROP: Final = object()

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

_ONLY_TEXT = {str}

#: Keywords whose values are strings. Most schemas have no others.
_TEXTS = frozenset({"description", "format", "title", "type"})

#: Formats of numbers alone. ``decimal`` and ``decimal128`` are formats of strings, too (OpenAPI Format Registry).
NUMERIC_FORMATS: Final = frozenset(
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float double double-int sf-integer sf-decimal".split()
)

#: The format of a string in whose place an integer is valid, with another meaning (Kubernetes).
INT_OR_STRING: Final = "int-or-string"

#: Common spellings of types whose meaning is unambiguous.
_TYPE_HABITS = {
    "bool": "boolean",
    "decimal": "number",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "none": "null",
    "str": "string",
}


class Upgrade(Protocol):
    """The interface that the rules use for subschemas."""

    def schema(self, node: Any, depth: int = 0) -> Any:
        """Upgrade a schema with its subschemas."""

    def referred_map(self, reference: JsonObject, depth: int) -> JsonObject:
        """Upgrade the target of a reference in place of a map of schemas."""


#: A rule receives the upgrade, the value and the depth. It returns the value to keep, or ``DROP``.
Rule: TypeAlias = Callable[[Any, Any, int], Any]


def is_true(value: Any) -> bool:
    """Return whether a flag of a document is set. YAML 1.1 and quotes can leave ``"true"`` behind."""
    return value is True or (value.__class__ is str and value.lower() == "true")


def is_boolean(value: Any) -> bool:
    """Return whether a flag of a document is set or cleared, also by the texts ``"true"`` and ``"false"``."""
    return value.__class__ is bool or str(value).lower() in {"true", "false"}


def is_plain(node: JsonObject) -> bool:
    """Return whether a schema is one type with texts next to it. Such a schema needs no upgrade."""
    if len(node) == 1:
        kind = node.get("type")
        return kind.__class__ is str and kind in _TYPES
    return (
        _TEXTS.issuperset(node)
        and {*map(type, node.values())} == _ONLY_TEXT
        and node.get("type", "string") in _TYPES
        and node.get("format") != INT_OR_STRING
    )


def _are_texts(values: Iterable[Any]) -> bool:
    return {*map(type, values)} == _ONLY_TEXT


def _upgrade_subschema(upgrade: Upgrade, value: Any, depth: int) -> Any:
    if value.__class__ is dict or isinstance(value, bool):
        return upgrade.schema(value, depth + 1)
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return is_true(value)
    return DROP


def _upgrade_items(upgrade: Upgrade, value: Any, depth: int) -> Any:
    return value if value.__class__ is list else _upgrade_subschema(upgrade, value, depth)


def schema_map(upgrade: Upgrade, value: Any, depth: int) -> Any:
    """Upgrade a map of schemas."""
    if value.__class__ is not dict:
        return DROP
    if value.get("$ref").__class__ is str:  # no schema is a text, so the map itself is a reference
        return upgrade.referred_map(value, depth)
    changed: JsonObject | None = None
    schema, below = upgrade.schema, depth + 1
    for name, node in value.items():
        new = schema(node, below)
        if new is not node:
            if changed is None:
                changed = dict(value)
            changed[name] = new
    return value if changed is None else changed


def _upgrade_schema_list(upgrade: Upgrade, value: Any, depth: int) -> Any:
    if value.__class__ is dict:  # one branch without its list
        return [upgrade.schema(value, depth + 1)]
    if value.__class__ is not list or not value:
        return DROP
    new = [upgrade.schema(node, depth + 1) for node in value]
    return value if all(map(is_, new, value)) else new


def _upgrade_type(_: Any, value: Any, __: int) -> Any:
    if value.__class__ is str:
        return value if value in _TYPES else _habit(value)
    if value.__class__ is not list or not value:
        return DROP
    # YAML's ``[string, null]`` contains null itself.
    kinds = [_habit("null" if kind is None else kind) for kind in value]
    if DROP in kinds:
        return DROP  # an unknown type may accept any value
    kinds = list(dict.fromkeys(kinds))
    return value if kinds == value else kinds


def _habit(kind: Any) -> Any:
    if not isinstance(kind, str):
        return DROP
    lower = kind.strip().lower()
    return lower if lower in _TYPES else _TYPE_HABITS.get(lower, DROP)


def _upgrade_enum(_: Any, value: Any, __: int) -> Any:
    return distinct(value) if value.__class__ is list and value else DROP


def distinct(values: list[Any]) -> list[Any]:
    """Return a list without repetitions; the same object if nothing is repeated."""
    if _are_texts(values):
        return values if len({*values}) == len(values) else list(dict.fromkeys(values))
    unique = {
        (item.__class__, dumps(item) if item.__class__ in (dict, list) else item): item
        for item in values
    }
    return values if len(unique) == len(values) else list(unique.values())


def _upgrade_names(_: Any, value: Any, __: int) -> Any:
    if value.__class__ is not list:
        return DROP
    if _are_texts(value) and len({*value}) == len(value):
        return value
    names = dict.fromkeys([name for name in value if name.__class__ is str])
    return value if len(names) == len(value) else list(names)


def _upgrade_dependent_required(_: Any, value: Any, __: int) -> Any:
    if value.__class__ is not dict:
        return DROP
    new = {key: _upgrade_names(None, names, 0) for key, names in value.items()}
    return {key: names for key, names in new.items() if names is not DROP}


def number(_: Any, value: Any, __: int) -> Any:
    """Keep a finite number."""
    return value if value.__class__ in (int, float) and value == value else DROP  # noqa: PLR0124  NaN


def positive(_: Any, value: Any, __: int) -> Any:
    """Keep a number above zero."""
    return value if value.__class__ in (int, float) and value > 0 else DROP


def _count(_: Any, value: Any, __: int) -> Any:
    if value.__class__ is float and value.is_integer():
        value = int(value)
    return value if value.__class__ is int and value >= 0 else DROP


def _text(_: Any, value: Any, __: int) -> Any:
    return value if value.__class__ is str else DROP


def _flag(_: Any, value: Any, __: int) -> Any:
    return value if value.__class__ is bool else (True if is_true(value) else DROP)


def _direction(upgrade: Any, value: Any, _: int) -> Any:
    """Keep a flag, and record that the document distinguishes requests and responses if it is set."""
    kept = _flag(upgrade, value, 0)
    upgrade.has_directions = upgrade.has_directions or kept is True
    return kept


def _upgrade_examples(_: Any, value: Any, __: int) -> Any:
    if value.__class__ is list:
        return value
    if value.__class__ is dict:  # the Media Type Object's form, in a schema
        return [
            item.get("value", item) if isinstance(item, dict) else item for item in value.values()
        ]
    return DROP


def _keep_declared(_: Any, value: Any, __: int) -> Any:
    """Keep the record of declared constants that normalizing writes; see ``constants.DECLARED``."""
    if value.__class__ is not dict or not value or not value.keys() <= {"const", "enum"}:
        return DROP
    return value if {*map(type, value.values())} == {list} else DROP


def _mark(_: Any, __: Any, ___: int) -> Any:
    """Leave out an annotation that only composing may write; a document must not contain it."""
    return DROP


#: The rule of each keyword. A keyword without a rule is kept unchanged.
RULES: dict[str, Rule] = {
    "$comment": _text,
    "$defs": schema_map,
    "additionalProperties": _upgrade_subschema,
    "allOf": _upgrade_schema_list,
    "anyOf": _upgrade_schema_list,
    "contains": _upgrade_subschema,
    "contentEncoding": _text,
    "contentMediaType": _text,
    "contentSchema": _upgrade_subschema,
    "dependentRequired": _upgrade_dependent_required,
    "dependentSchemas": schema_map,
    "deprecated": _flag,
    "description": _text,
    "else": _upgrade_subschema,
    "enum": _upgrade_enum,
    "examples": _upgrade_examples,
    "format": _text,
    "if": _upgrade_subschema,
    "items": _upgrade_items,
    "maxContains": _count,
    "maxItems": _count,
    "maxLength": _count,
    "maxProperties": _count,
    "maximum": number,
    "minContains": _count,
    "minItems": _count,
    "minLength": _count,
    "minProperties": _count,
    "minimum": number,
    "multipleOf": positive,
    "not": _upgrade_subschema,
    "oneOf": _upgrade_schema_list,
    "pattern": _text,
    "patternProperties": schema_map,
    "prefixItems": _upgrade_schema_list,
    "properties": schema_map,
    "propertyNames": _upgrade_subschema,
    "readOnly": _direction,
    "required": _upgrade_names,
    "then": _upgrade_subschema,
    "title": _text,
    "type": _upgrade_type,
    "unevaluatedItems": _upgrade_subschema,
    "unevaluatedProperties": _upgrade_subschema,
    "uniqueItems": _flag,
    "writeOnly": _direction,
    "x-specfn-contradiction": _mark,
    "x-specfn-declared": _keep_declared,
    "x-specfn-dropped": _mark,
    "x-specfn-more": _mark,
    "x-specfn-never": _mark,
    "x-specfn-open": lambda _, value, __: True if value is True else DROP,
}


def upgrade_int_or_string(out: JsonObject) -> None:
    """Add the type integer to a string of the format ``int-or-string``, in place (rule N7)."""
    kinds = out.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "string" in kinds and "integer" not in kinds:
        out["type"] = ["integer", *kinds]


NULLABLE = frozenset(("nullable", "x-nullable"))

#: Annotations that stay outside when a schema is wrapped to allow null.
_OUTER = ("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples")

#: Keywords besides ``type`` and ``enum`` that may reject null.
_APPLICATORS = frozenset(("$ref", "allOf", "anyOf", "oneOf", "not", "const", "if"))


def upgrade_nullable(out: JsonObject) -> JsonObject:
    """Upgrade ``nullable: true``: it allows null, whatever other keywords the schema has (rule N7)."""
    flag, extension = out.pop("nullable", None), out.pop("x-nullable", None)
    if flag is not True and not is_true(flag) and not is_true(extension):
        return out
    has_applicator = not _APPLICATORS.isdisjoint(out)
    if not has_applicator and "enum" not in out:
        kind = out.get("type")
        if isinstance(kind, str) and kind != "null":
            out["type"] = [kind, "null"]
        elif isinstance(kind, list) and "null" not in kind:
            out["type"] = [*kind, "null"]
        return out
    if not has_applicator:
        if isinstance(out.get("type"), str | list):
            kinds = out["type"] if isinstance(out["type"], list) else [out["type"]]
            out["type"] = kinds if "null" in kinds else [*kinds, "null"]
        if None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return out
    outer = {key: out.pop(key) for key in _OUTER if key in out}
    if out.keys() == {"anyOf"}:
        branches = out["anyOf"]
        if {"type": "null"} not in branches:
            branches = [*branches, {"type": "null"}]
        return {**outer, "anyOf": branches}
    return {**outer, "anyOf": [out, {"type": "null"}]}


#: The URIs of the metaschemas before 2019-09.
_OLDER: Final = re.compile(r"json-schema\.org/draft-0[3-7]/")

#: Identifiers of schemas. After the upgrade every reference names a component, so they are not needed.
IDENTITY = frozenset(("$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "id"))

BOUNDS = frozenset(("exclusiveMinimum", "exclusiveMaximum", "divisibleBy"))
TUPLE = frozenset(("items", "additionalItems"))


def drop_identity(out: JsonObject) -> None:
    """Remove identifiers and anchors. An ``id`` that is not a string is not draft 4's identifier."""
    for key in IDENTITY:
        if key != "id" or isinstance(out.get("id"), str):
            out.pop(key, None)


def upgrade_tuple(upgrade: Upgrade, out: JsonObject, depth: int) -> None:
    """Upgrade ``items`` as a list and ``additionalItems`` to ``prefixItems`` and ``items``."""
    items = out.get("items")
    rest = out.pop("additionalItems", None)
    if isinstance(items, list):
        del out["items"]
        if items:
            out.setdefault("prefixItems", [upgrade.schema(item, depth + 1) for item in items])
        if rest is not None:
            out["items"] = upgrade.schema(rest, depth + 1)


def upgrade_bounds(out: JsonObject) -> None:
    """Upgrade boolean exclusive bounds (draft 4, OpenAPI 3.0) to numbers, ``divisibleBy`` to ``multipleOf``."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = out.get(exclusive)
        if isinstance(value, bool | str):
            del out[exclusive]
            if is_true(value) and bound in out:
                out[exclusive] = out.pop(bound)
        elif exclusive in out and number(None, value, 0) is DROP:
            del out[exclusive]
    divisor = out.pop("divisibleBy", None)
    if divisor is not None and positive(None, divisor, 0) is not DROP:
        out.setdefault("multipleOf", divisor)


def is_before_2019(dialect: Any) -> bool:
    """Return whether a dialect has ``dependencies``, which 2019-09 replaced by two keywords."""
    return isinstance(dialect, str) and _OLDER.search(dialect) is not None


def upgrade_dependencies(upgrade: Upgrade, out: JsonObject, depth: int) -> None:
    """Upgrade ``dependencies`` (drafts 3 to 7) to ``dependentRequired`` and ``dependentSchemas``."""
    value = out.pop("dependencies")
    members = value.items() if isinstance(value, dict) else ()
    required = {name: value for name, value in members if isinstance(value, list)}
    for name, names in required.items():
        known = out.get("dependentRequired", {})
        together = [*known.get(name, ()), *(other for other in names if isinstance(other, str))]
        out["dependentRequired"] = {**known, name: list(dict.fromkeys(together))}
    schemas = schema_map(upgrade, {k: v for k, v in members if isinstance(v, dict | bool)}, depth)
    for name, schema in schemas.items():
        known = out.get("dependentSchemas", {})
        whole = {"allOf": [known[name], schema]} if name in known else schema
        out["dependentSchemas"] = {**known, name: whole}


def upgrade_example(out: JsonObject) -> None:
    """Upgrade ``example`` to ``examples``."""
    example = out.pop("example")
    out.setdefault("examples", [example])
