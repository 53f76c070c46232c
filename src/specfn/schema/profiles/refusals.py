"""Check of a schema against a profile. It reports every place that the provider would refuse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from specfn._internal.json import JsonObject, kind_of
from specfn._internal.pointer import join
from specfn.schema.compose.names import reference_to
from specfn.schema.dialect import Strict
from specfn.schema.profiles.profile import Profile

#: Locations of subschemas in a schema that was rendered for a model.
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS: Final = ("properties", "$defs", "patternProperties")
_SINGLES: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains")

_Path = tuple[str | int, ...]

#: Codes of the faults that a provider may find in a schema; see ``docs/records.md``.
RefusalCode: TypeAlias = Literal[
    "enum",
    "format",
    "items",
    "key",
    "keyword",
    "nesting",
    "null",
    "pattern",
    "reference",
    "required",
    "root",
    "size",
    "strict",
    "union",
]

_Faults: TypeAlias = Iterator[tuple[RefusalCode, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One fault for which a provider would refuse a schema.

    Attributes:
        pointer: JSON Pointer of the place in the schema.
        code: a short stable word.
        reason: one sentence.
    """

    pointer: str
    code: RefusalCode
    reason: str


def refusals(schema: Any, profile: Profile) -> Iterator[Refusal]:
    """Yield every fault for which a provider would refuse the schema of a tool."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield Refusal(pointer="", code="root", reason="the root must be of the type object")
    elif any(key in schema for key in ("anyOf", "oneOf", "allOf", "enum", "not")):
        yield Refusal(pointer="", code="root", reason="the root must not be a union or an enum")
    count = _Count()
    for node, path, depth, objects in _nodes(schema):
        count.add(node, objects)
        for code, reason in _check_node(node, path, profile):
            yield Refusal(pointer=join(path), code=code, reason=reason)
        if profile.nesting is not None and depth > profile.nesting and _nests(node):
            reason = f"nested deeper than {profile.nesting} objects and arrays"
            yield Refusal(pointer=join(path), code="nesting", reason=reason)
    if profile.strict is not None:
        yield from count.refusals(profile.strict)
        if not profile.strict.recursive and _is_recursive(schema):
            yield Refusal(
                pointer="", code="reference", reason="a recursive schema cannot be enforced"
            )


def costs(schema: JsonObject) -> tuple[int, int]:
    """Return the number of optional properties and the number of unions of a schema."""
    count = _Count()
    for node, _, _, objects in _nodes(schema):
        count.add(node, objects)
    return count.optional, count.unions


def _is_recursive(schema: Any) -> bool:
    """Return whether a definition refers to itself, directly or through others."""
    definitions = schema.get("$defs", {})
    names = {reference_to(name): name for name in definitions}
    used = {
        name: {names[node["$ref"]] for node, *_ in _nodes(item) if node.get("$ref") in names}
        for name, item in definitions.items()
    }
    while True:  # take out those that refer to nothing that is left
        ends = [name for name, others in used.items() if not others & used.keys()]
        if not ends:
            return bool(used)
        for name in ends:
            del used[name]


def _nests(node: JsonObject) -> bool:
    kinds = node.get("type")
    return kinds in {"object", "array"} if isinstance(kinds, str) else "properties" in node


def _nodes(schema: Any) -> Iterator[tuple[JsonObject, _Path, int, int]]:
    """Yield every schema object with its path, its depth in objects and arrays, and its depth in objects alone."""
    stack: list[tuple[Any, _Path, int, int]] = [(schema, (), 0, 0)]
    while stack:
        node, path, depth, objects = stack.pop()
        if not isinstance(node, dict):
            continue
        depth += _nests(node)
        objects += "properties" in node
        yield node, path, depth, objects
        below = [
            (inner, (*path, *steps), 0 if steps[0] == "$defs" else depth, objects)
            for steps, inner in _subschemas_with_paths(node)
        ]
        stack.extend(reversed(below))


def _subschemas_with_paths(node: JsonObject) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    for key, value in node.items():
        if key in _SINGLES:
            yield (key,), value
        elif key in _LISTS and isinstance(value, list):
            yield from (((key, index), item) for index, item in enumerate(value))
        elif key in _MAPS and isinstance(value, dict):
            yield from (((key, name), item) for name, item in value.items())


# -- one node -------------------------------------------------------------------------------------


def _check_node(node: JsonObject, path: _Path, profile: Profile) -> _Faults:
    accepted = profile.keywords | profile.tolerated | _SPOKEN
    for key in node:
        if key not in accepted:
            yield "keyword", f"the keyword {key} is not accepted"
    yield from _check_references(node, profile)
    yield from _check_types(node, profile)
    yield from _check_values(node, profile)
    yield from _check_format_and_pattern(node, profile)
    yield from _check_keys(node, path, profile)
    if profile.strict is not None:
        yield from _check_strict(node, profile.strict)


_GRAPH: Final = frozenset({"$defs", "$ref"})

#: Keywords that have a code of their own.
_SPOKEN: Final = _GRAPH | {"nullable"}


def _check_references(node: JsonObject, profile: Profile) -> _Faults:
    if not profile.refs and not _GRAPH.isdisjoint(node):
        yield "reference", "references are not accepted"
    if profile.ref_alone and "$ref" in node and len(node) > 1:
        yield "reference", "no other keyword is allowed next to $ref"


def _check_types(node: JsonObject, profile: Profile) -> _Faults:
    kinds = node.get("type")
    if isinstance(kinds, list) and (profile.null != "type" or len(kinds) > 2):
        yield "null", "a list of types is not accepted"
    if "nullable" in node and profile.null != "nullable":
        yield "null", "nullable is not JSON Schema, and null is refused"
    if kinds == "array" and not isinstance(node.get("items"), dict):
        yield "items", "an array must declare its items"
    if profile.union_alone and "anyOf" in node and len(node) > 1:
        yield "union", "no other keyword is allowed next to anyOf"
    undeclared = set(node.get("required", ())) - set(node.get("properties", ()))
    if undeclared:
        yield "required", f"required, but not declared: {', '.join(sorted(undeclared)[:3])}"


def _check_values(node: JsonObject, profile: Profile) -> _Faults:
    values = node.get("enum")
    if not isinstance(values, list):
        return
    if not values or any(kind_of(value) not in profile.enums for value in values):
        yield "enum", "an enum may contain " + ", ".join(sorted(profile.enums))
    if not profile.empty_text and "" in values:
        yield "enum", "an enum must not contain the empty string"


def _check_format_and_pattern(node: JsonObject, profile: Profile) -> _Faults:
    name, formats = node.get("format"), profile.formats
    if isinstance(name, str) and formats is not None:
        kinds = node.get("type")
        listed = [kinds] if isinstance(kinds, str) else kinds or []
        if not any(name in formats.get(kind, ()) for kind in listed):
            yield "format", f"the format {name} is not accepted"
    pattern = node.get("pattern")
    if isinstance(pattern, str) and profile.patterns and re.search(profile.patterns, pattern):
        yield "pattern", "the pattern uses lookaround or a backreference"


def _check_keys(node: JsonObject, path: _Path, profile: Profile) -> _Faults:
    legal = profile.nested_key if path else profile.root_key
    if legal is not None:
        for name in node.get("properties", ()):
            if not re.fullmatch(legal, name):
                yield "key", f"the property name {name[:80]!r} is not accepted"


def _check_strict(node: JsonObject, limits: Strict) -> _Faults:
    kinds = node.get("type")
    if kinds is None and "anyOf" not in node and "$ref" not in node and "enum" not in node:
        yield "strict", "a value of any type cannot be enforced"
    if "object" in ([kinds] if isinstance(kinds, str) else kinds or ()):
        if node.get("additionalProperties") is not False:
            yield "strict", "an object that accepts additional properties cannot be enforced"
        elif limits.required and set(node.get("required", ())) != set(node.get("properties", ())):
            yield "strict", "every property must be required"


class _Count:
    """The numbers that a provider limits over a whole schema."""

    def __init__(self) -> None:
        self.properties = self.nesting = self.values = self.text = 0
        self.optional = self.unions = 0
        self.long: list[tuple[int, int]] = []

    def add(self, node: JsonObject, depth: int) -> None:
        """Count one node."""
        names = node.get("properties", ())
        values = node.get("enum") or ([node["const"]] if "const" in node else [])
        texts = sum(len(value) for value in values if isinstance(value, str))
        self.properties += len(names)
        self.nesting = max(self.nesting, depth)
        self.values += len(values)
        self.text += texts + sum(map(len, names)) + sum(map(len, node.get("$defs", ())))
        self.optional += len(set(names) - set(node.get("required", ())))
        self.unions += "anyOf" in node or isinstance(node.get("type"), list)
        self.long.append((len(values), texts))

    def refusals(self, limits: Strict) -> Iterator[Refusal]:
        """Yield every number over its limit."""
        for what, number, most in (
            ("properties", self.properties, limits.properties),
            ("nested objects", self.nesting, limits.nesting),
            ("enum values", self.values, limits.enum_values),
            ("characters of names and enums", self.text, limits.text),
            ("optional properties", self.optional, limits.optional),
            ("unions", self.unions, limits.unions),
        ):
            if most is not None and number > most:
                reason = f"{number:,} {what}; at most {most:,} can be enforced"
                yield Refusal(pointer="", code="size", reason=reason)
        count, most = limits.long_enum
        if any(values > count and texts > most for values, texts in self.long):
            reason = f"an enum of over {count} values holds more than {most:,} characters"
            yield Refusal(pointer="", code="size", reason=reason)
