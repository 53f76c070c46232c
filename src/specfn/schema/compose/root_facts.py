"""Facts about the root of a composed schema: its types, constants and branches."""

import re
import warnings
from functools import cache, lru_cache
from typing import Any, NamedTuple

from specfn._internal.characters import are_plain, is_plain
from specfn._internal.json import JsonObject, identity, is_of_type, kind_of
from specfn.document.upgrade.keywords import NUMERIC_FORMATS
from specfn.schema.compose.merge import CONTRADICTION, NEVER
from specfn.schema.walk import SUBSCHEMAS

#: The minimum number of branches of a union that is a fragment of its own.
_MIN_BRANCHES = 4

#: More constants than this are described in a short rendering.
MANY_VALUES = 50

#: The annotation of an object whose properties are not all shown.
MORE = "x-specfn-more"

#: The annotation that holds the members that were left out of an ``enum`` because the type refuses them.
DROPPED = "x-specfn-dropped"

_NULL = {"type": "null"}


def is_leaf(node: Any) -> bool:
    """Return whether a composed schema contains no subschemas, so that it is shown wherever it is used."""
    return not isinstance(node, dict) or (SUBSCHEMAS.isdisjoint(node) and "$ref" not in node)


def is_fragment(node: JsonObject) -> bool:
    """Return whether an inline schema is a fragment of its own: it has properties, or is a union of many branches."""
    if node.get("properties"):
        return True
    return len(node.get("anyOf") or node.get("oneOf") or ()) >= _MIN_BRANCHES


def branches_of(node: JsonObject) -> tuple[list[Any], bool]:
    """Return the branches of a union without null, and whether null is one of them."""
    union = node.get("anyOf") or node.get("oneOf") or []
    branches = [branch for branch in union if branch != _NULL and branch is not False]
    return branches, _NULL in union


def constants_as_enum(node: JsonObject) -> JsonObject:
    """Return the schema with a union of constants of one type as one enum; else the schema itself."""
    key = "anyOf" if "anyOf" in node else "oneOf"
    union = node.get(key)
    if not union or not (_constant_kind(union[0]) or _constant_kind(union[-1])):
        return node
    if ("oneOf" in node and "anyOf" in node) or not _BESIDE_CONSTANTS.isdisjoint(node):
        return node
    branches, nullable = branches_of(node)
    kinds = {_constant_kind(branch) for branch in branches}
    if len(branches) < 2 or len(kinds) > 1 or None in kinds:
        return node
    [kind] = kinds
    declared, null = types_of(node)
    if declared not in ([], [kind]):
        return node
    nullable = nullable and (null or "type" not in node)
    values = [value for branch in branches for value in values_of(branch) or ()]
    out = {name: item for name, item in node.items() if name != key}
    out["type"] = [kind, "null"] if nullable else kind
    out["enum"] = _distinct([*values, None] if nullable else values)
    return out


#: Keywords next to which a union of constants does not become one enum.
_BESIDE_CONSTANTS = frozenset({"allOf", "const", "enum", "properties"})
_CONSTANT = frozenset({"const", "enum", "type"})


def _constant_kind(branch: Any) -> str | None:
    """Return the one type of a branch that contains only constants of this type; ``None`` for any other branch."""
    values = values_of(branch) if isinstance(branch, dict) and branch.keys() <= _CONSTANT else None
    if values is None or not isinstance(branch.get("type", ""), str):
        return None
    kinds, nullable = types_of_values(values)
    kind = kinds[0] if kinds and not nullable else None
    return kind if branch.get("type", kind) == kind else None


def types_of(node: JsonObject) -> tuple[list[str], bool]:
    """Return the declared types without null (``number`` includes ``integer``), and whether null is one of them."""
    kind = node.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind or ())
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return [item for item in kinds if item != "null"], "null" in kinds


def values_of(node: JsonObject) -> list[Any] | None:
    """Return the constants of a schema, each once (``1.0`` equals ``1``); ``None`` if there are no constants."""
    if "const" in node:
        return [node["const"]]
    values = node.get("enum")
    return _distinct(values) if isinstance(values, list) else None


def without_refused_constants(node: JsonObject) -> JsonObject:
    """Return a schema without the constants that its type refuses; the schema itself if it refuses no constant."""
    kinds, key = node.get("type"), "enum" if "enum" in node else "const"
    if kinds is None or key not in node:
        return node
    values = node["enum"] if key == "enum" else [node["const"]]
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kept = values_of_types(values, kinds)
    if len(kept) == len(values):
        return node
    if kept:
        dropped = [value for value in values if not values_of_types([value], kinds)]
        return {**node, "enum": kept, DROPPED: dropped}
    reason = f"type and {key} contradict each other"
    return {CONTRADICTION: reason, **node, NEVER: True}


def values_of_types(values: list[Any], kinds: list[str]) -> list[Any]:
    """Return the values that are of one of the types; the same list where all are."""
    if "string" in kinds and {*map(type, values)} == {str}:
        return values
    return [value for value in values if any(is_of_type(value, kind) for kind in kinds)]


def are_words(values: list[Any]) -> bool:
    """Return whether constants are few distinct texts with visible characters only."""
    if len(values) > MANY_VALUES or {*map(type, values)} != {str}:
        return False
    return len({*values}) == len(values) and are_plain(values)


def _distinct(values: list[Any]) -> list[Any]:
    try:
        if len(set(values)) == len(values):
            return values
    except TypeError:
        pass  # an object or a list among them
    distinct: dict[Any, Any] = {}
    for value in values:
        distinct.setdefault(identity(value), value)
    return [*distinct.values()]


class Root(NamedTuple):
    """The facts about the root of a schema.

    Attributes:
        kinds: the types but null, declared or those of the constants.
        nullable: true if null is accepted.
        branches: the branches of its union but null.
        is_union: true if it has a union.
        values: its constants; ``None`` if it has no constants.
    """

    kinds: list[str]
    nullable: bool
    branches: list[Any]
    is_union: bool
    values: list[Any] | None


#: Without these keywords, the type is the only constraint at the root.
_MORE_THAN_TYPE = frozenset({"anyOf", "const", "enum", "oneOf"})


def root_of(node: JsonObject) -> Root:
    """Return the facts about the root of a schema."""
    kind = node.get("type")
    if kind.__class__ is str and kind != "null" and _MORE_THAN_TYPE.isdisjoint(node):
        return Root([kind], False, [], False, None)
    branches, union_null = branches_of(node)
    kinds, type_null = types_of(node)
    values = values_of(node)
    is_union = bool(branches) or union_null
    if values is not None and not kinds and not branches:
        kinds, type_null = types_of_values(values)
    return Root(kinds, type_null or (union_null and not kinds), branches, is_union, values)


def is_numeric(name: str) -> bool:
    """Return whether a format applies to numbers."""
    return name in NUMERIC_FORMATS


def types_of_values(values: list[Any]) -> tuple[list[str], bool]:
    """Return the common type of constants without a declared type, as a list; an empty list if the types differ."""
    kinds = list(dict.fromkeys(kind_of(value) for value in values if value is not None))
    if len(kinds) == 1:
        return kinds, None in values
    return [], False


@lru_cache(4096)
def is_common(pattern: str) -> bool:
    """Return whether a pattern can be shown: ECMA-262 and other dialects can compile it, and all of it is visible."""
    if (
        len(pattern) > _MAX_PATTERN_CHARACTERS
        or not is_plain(pattern)
        or not _ecma().fullmatch(pattern)
    ):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # its meaning will change
            re.compile(pattern)
    except (re.error, FutureWarning, RecursionError, OverflowError):
        return False
    return True


@lru_cache(4096)
def is_word(name: str) -> bool:
    """Return whether the name of a format or a media type can be shown."""
    return is_plain(name)


def is_telling(example: Any) -> bool:
    """Return whether an example adds information. An object does not, because it repeats those of its properties."""
    if isinstance(example, list):
        return len(example) <= _MAX_EXAMPLE_ITEMS and all(map(is_telling, example))
    return not isinstance(example, dict) and (
        not isinstance(example, str) or len(example) <= _MAX_EXAMPLE_CHARACTERS
    )


@cache
def _ecma() -> re.Pattern[str]:
    """Return a regular expression of the patterns that ECMA-262 (flag ``u``) and other dialects read alike.

    Brackets must be escaped. Constructs of other dialects, such as ``a++`` and ``(?i)``, do not match.
    """
    escaped = r"\\(?:[^A-Za-z0-9]|[1-9bBdDfnrsStvwW]|0(?![0-9])|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})"
    either = rf"{escaped}|\[\^?(?>(?:[^\]\\]|{escaped})+)\]"
    quantifier = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??(?![*+?{])"
    assertion = (
        rf"\(\?<?[=!](?!(?>(?:{either}|[^\\()\[\]])*)\)[*+?{{])"  # none of them is quantified
    )
    return re.compile(
        rf"(?>(?:{either}|\((?!\?)|\(\?:|{assertion}|\)|{quantifier}|[^\\()\[\]{{}}*+?])*)"
    )


#: The longest text and list that serve as an example, and the longest pattern that is shown.
_MAX_EXAMPLE_CHARACTERS = 200
_MAX_PATTERN_CHARACTERS = 1000
_MAX_EXAMPLE_ITEMS = 5
