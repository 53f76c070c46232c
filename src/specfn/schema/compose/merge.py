"""Merge of the parts of ``allOf`` into one schema (rule F10).

Merging is exact: an instance is valid against the result if and only if it is valid against every part.
Keywords that one schema object cannot have twice (a second ``pattern``, a second union) remain in ``allOf``. So
do parts that contradict each other, which the result also records in an annotation.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from specfn._internal.json import JsonObject, identity, is_equal

#: The annotation of a merged schema whose parts contradict each other.
CONTRADICTION: Final = "x-specfn-contradiction"

#: The annotation of a merged schema that accepts no value.
NEVER: Final = "x-specfn-never"

#: Annotations: they do not constrain instances. The value of the first part wins.
ANNOTATIONS = frozenset(
    {
        "$comment",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "examples",
        "externalDocs",
        "readOnly",
        "title",
        "writeOnly",
        "xml",
    }
)

#: Keywords whose meaning depends on their neighbors: merged only as a whole.
_BUNDLES = (
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
    ("prefixItems", "items"),
)
_OBJECT = ("properties", "patternProperties", "additionalProperties")
_OBJECT_KEYS = frozenset(_OBJECT)
_GROUPED = frozenset({key for bundle in _BUNDLES for key in bundle} | set(_OBJECT))
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")

_REPEAT: Final = object()
_CLASH: Final = object()

#: The maximum number of properties and constants of all parts that are compared with those of other parts. Each part
#: with a schema for undeclared properties constrains every property of the others, so *n* parts would need *n²*
#: schemas. Parts beyond the limit remain in ``allOf``.
MAX_COMPARED: Final = 10_000

#: Returns the intersection of two schemas: the same object for the same pair, so that a cycle ends.
Intersect = Callable[[Any, Any], Any]


def is_annotation(key: str) -> bool:
    """Return whether a keyword is an annotation, which changes nothing about the valid instances."""
    return key in ANNOTATIONS or key.startswith("x-")


class Merging:
    """A merge of parts, one after the other.

    Attributes:
        out, rest: the merged schema, and the parts that could not be merged.
        clashes: the keywords in which parts contradict each other.
        looks: true if a part has a schema for undeclared properties.
        compared: the number of properties and constants that were compared with those of other parts.
    """

    __slots__ = ("clashes", "compared", "intersect", "looks", "out", "rest")

    def __init__(self, intersect: Intersect) -> None:
        self.intersect = intersect
        self.out: JsonObject = {}
        self.rest: list[JsonObject] = []
        self.clashes: list[str] = []
        self.looks = False
        self.compared = 0

    def add(self, part: JsonObject, *, outermost: bool = False) -> None:
        """Merge one more part.

        The outermost part comes last, because it depends on the properties that the others evaluate.
        """
        self.looks = self.looks or "additionalProperties" in part
        if not outermost and any(key in part for key in _UNEVALUATED):
            self.rest.append(part)  # it looks at its own neighbors only
            return
        left: JsonObject = {}
        is_full = self.compared > MAX_COMPARED
        self.compared += _count_comparisons(self.out, part)
        _merge_object(self.out, part, left, self.intersect, is_full=is_full)
        for bundle in _BUNDLES:
            _merge_bundle(self.out, part, bundle, left, self.intersect)
        for key, value in part.items():
            if is_full and key == "enum" and key in self.out:
                left[key] = value
            elif key not in _GROUPED and not is_annotation(key):
                _merge_keyword(self.out, key, value, left, self.clashes)
        if left:
            self.rest.append(left)

    def finish(self) -> JsonObject:
        """Return the merged schema."""
        _settle(out := self.out)
        if self.looks and "unevaluatedProperties" in out:
            # a part that takes all properties looks at them, and leaves nothing unevaluated
            out.setdefault("additionalProperties", True)
        if self.rest:
            out["allOf"] = self.rest
        _record_contradictions(out, self.clashes)
        return out


def _settle(out: JsonObject) -> None:
    """Replace the properties and names under construction by plain containers."""
    for key, kind in (("properties", dict), ("required", list)):
        if isinstance(out.get(key), _Own):
            out[key] = kind(out[key])


def _record_contradictions(out: JsonObject, clashes: list[str]) -> None:
    """Record the keywords in which the parts of a schema contradict each other."""
    never = bool(clashes)
    for kinds, clash in _empty(out):
        clashes.append(clash)
        never = never or not kinds or out.get("type") in kinds
    if never:
        out[NEVER] = True
    if clashes:
        out[CONTRADICTION] = f"the parts of allOf contradict each other in {', '.join(clashes)}"


def _is_refused(schema: JsonObject, name: str) -> bool:
    """Return whether an object cannot have a property, without testing patterns."""
    properties: JsonObject = schema.get("properties", {})
    if name in properties or "patternProperties" in schema:
        return properties.get(name) is False
    return schema.get("additionalProperties") is False


def _empty(schema: JsonObject) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the contradictory keywords, with the types that they concern; an empty tuple means any type."""
    for name in schema.get("required", ()):
        if _is_refused(schema, name):
            yield ("object",), name
    for kinds, low, high in _BOUNDS:
        if low in schema and high in schema and schema[low] > schema[high]:
            yield kinds, f"{low} and {high}"
    has_both = "const" in schema and "enum" in schema
    if has_both and not any(is_equal(schema["const"], value) for value in schema["enum"]):
        yield (), "const and enum"


#: Bounds that contradict each other when the first is above the second, by the types that they bound.
_BOUNDS = (
    (("integer", "number"), "minimum", "maximum"),
    (("string",), "minLength", "maxLength"),
    (("array",), "minItems", "maxItems"),
    (("object",), "minProperties", "maxProperties"),
)


def _merge_keyword(
    out: JsonObject, key: str, value: Any, left: JsonObject, clashes: list[str]
) -> None:
    if key not in out:
        out[key] = value
        return
    known = out[key]
    if is_equal(known, value):
        return
    merger = _MERGERS.get(key)
    new = merger(known, value) if merger else _REPEAT
    if new is _CLASH:
        clashes.append(key)
        left[key] = value
    elif new is _REPEAT:
        left[key] = value
    else:
        out[key] = new


def _merge_bundle(
    out: JsonObject,
    part: JsonObject,
    bundle: tuple[str, ...],
    left: JsonObject,
    intersect: Intersect,
) -> None:
    """Merge keywords that depend on each other. What cannot be merged goes to ``left``."""
    theirs = {key: part[key] for key in bundle if key in part}
    if not theirs:
        return
    ours = {key: out[key] for key in bundle if key in out}
    if not ours:
        out.update(theirs)
    elif ours.keys() == theirs.keys() == {"items"}:
        out["items"] = intersect(ours["items"], theirs["items"])
    elif not is_equal(ours, theirs):
        left.update(theirs)


# -- objects --------------------------------------------------------------------------------------


def _count_comparisons(out: JsonObject, part: JsonObject) -> int:
    """Return the number of properties and constants that a merge with one more part compares."""
    count = len(out["enum"]) if "enum" in out and "enum" in part else 0
    if not _OBJECT_KEYS.isdisjoint(part) and not (_is_open(out) and _is_open(part)):
        count += len(out.get("properties", ())) + len(part.get("properties", ()))
    if "patternProperties" in part:
        count += len(out.get("patternProperties", ()))
    return count


def _merge_object(
    out: JsonObject,
    part: JsonObject,
    left: JsonObject,
    intersect: Intersect,
    *,
    is_full: bool = False,
) -> None:
    theirs = {key: part[key] for key in _OBJECT if key in part}
    if not theirs:
        return
    closed = not (_is_open(out) and _is_open(part))
    if is_full and (closed or "patternProperties" in part):
        left.update(theirs)
        return
    if closed and ("patternProperties" in out or "patternProperties" in part):
        left.update(theirs)
        return
    if closed:
        properties = _merge_properties(out, part, intersect)
        if properties:
            out["properties"] = properties
    else:
        _add_properties(out, part, intersect)
    if closed:
        out["additionalProperties"] = _intersect_or_keep(_others(out), _others(part), intersect)
    patterns = part.get("patternProperties")
    if patterns:
        known = out.get("patternProperties", {})
        out["patternProperties"] = known | {
            name: intersect(known[name], node) if name in known else node
            for name, node in patterns.items()
        }


def _add_properties(out: JsonObject, part: JsonObject, intersect: Intersect) -> None:
    """Return the properties of an open part, added to those of an open schema: linear however many parts there are."""
    theirs: JsonObject = part.get("properties", {})
    if not theirs:
        return
    ours = out.get("properties")
    if not isinstance(ours, _Own):
        ours = out["properties"] = _Own(ours or {})
    if ours.keys().isdisjoint(theirs):
        ours.update(theirs)
        return
    for name, node in theirs.items():
        ours[name] = _intersect_or_keep(ours[name], node, intersect) if name in ours else node


class _Own(dict[str, Any]):
    """Properties, or names as keys, that belong to the schema in the making, and may be added to."""


def _merge_properties(out: JsonObject, part: JsonObject, intersect: Intersect) -> JsonObject:
    """Return the properties of both. A property of one schema must also fit the ``additionalProperties`` of the other."""
    ours: JsonObject = out.get("properties", {})
    theirs: JsonObject = part.get("properties", {})
    merged = {
        name: _intersect_or_keep(node, theirs[name] if name in theirs else _others(part), intersect)
        for name, node in ours.items()
    }
    for name, node in theirs.items():
        if name not in ours:
            merged[name] = _intersect_or_keep(node, _others(out), intersect)
    return merged


def _others(schema: JsonObject) -> Any:
    """Return the schema of the properties that a schema does not declare."""
    return schema.get("additionalProperties", True)


def _is_open(schema: JsonObject) -> bool:
    others = _others(schema)
    return others is True or others == {}


def _intersect_or_keep(left: Any, right: Any, intersect: Intersect) -> Any:
    if left is False or right is False:
        return False
    if right is True or right == {} or is_equal(left, right):
        return left
    return right if left is True or left == {} else intersect(left, right)


# -- single keywords ------------------------------------------------------------------------------


def _merge_types(left: Any, right: Any) -> Any:
    ours = [left] if isinstance(left, str) else left
    theirs = [right] if isinstance(right, str) else right
    common = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    common += [
        kind for kind in theirs if kind == "integer" and "number" in ours and kind not in common
    ]
    if not common:
        return _CLASH
    return common[0] if len(common) == 1 else common


def _merge_enums(left: Any, right: Any) -> Any:
    known = {identity(value) for value in right}
    return [value for value in left if identity(value) in known] or _CLASH


def _merge_constants(left: Any, right: Any) -> Any:
    return left if is_equal(left, right) else _CLASH


def _merge_multiple(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return math.lcm(left, right)
    return _REPEAT


def _merge_required(left: Any, right: Any) -> Any:
    """Return the names of both, linear however many parts there are."""
    names = left if isinstance(left, _Own) else _Own(dict.fromkeys(left))
    names.update(dict.fromkeys(right))
    return names


def _merge_dependents(left: Any, right: Any) -> Any:
    return left | {
        key: [*dict.fromkeys([*left[key], *names])] if key in left else names
        for key, names in right.items()
    }


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    "const": _merge_constants,
    "dependentRequired": _merge_dependents,
    "enum": _merge_enums,
    "exclusiveMaximum": min,
    "exclusiveMinimum": max,
    "maxItems": min,
    "maxLength": min,
    "maxProperties": min,
    "maximum": min,
    "minItems": max,
    "minLength": max,
    "minProperties": max,
    "minimum": max,
    "multipleOf": _merge_multiple,
    "required": _merge_required,
    "type": _merge_types,
    "uniqueItems": lambda left, right: left or right,
}
