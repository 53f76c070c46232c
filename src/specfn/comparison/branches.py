"""Rules for alternatives (``anyOf``, ``oneOf``) and for schemas that all apply (``allOf``)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import unquote

from specfn._internal.json import JsonObject, dumps_sorted
from specfn._internal.pointer import unescape
from specfn.comparison.difference import DifferenceKind, SchemaChange, Verdict, shorten
from specfn.comparison.keyword_rules import constraints, type_text, types_of, values_of
from specfn.comparison.matching import Matched, match
from specfn.comparison.subschema_rules import Below, properties_of, required_of
from specfn.records import ABSENT
from specfn.schema.vocabulary import BY_TYPE, TYPED


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
    if all(isinstance(branch, dict) and _is_list(branch) for branch in branches):
        values = [value for branch in branches for value in values_of(branch) or ()]
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
        {"number" if kind == "integer" else kind for kind in types_of(schema)} for schema in schemas
    ]
    return sum(map(len, types)) == len(set[str]().union(*types))


_Changes: TypeAlias = Iterator[SchemaChange | Below]

_UNIONS: Final = ("anyOf", "oneOf")

#: The maximum number of alternatives that are compared with each other, and the deepest such comparison.
_MAX_BRANCHES: Final = 16
_MAX_DEPTH: Final = 2


class _Pairs(Protocol):
    """The comparison of two schemas."""

    def verdict(self, old: Any, new: Any, depth: int) -> Verdict:
        """Return whether the new schema refuses a value that the old one accepts."""

    def is_unchanged(self, old: Any, new: Any) -> bool:
        """Return whether two schemas are the same."""

    def resolve(self, schema: Any, *, is_old: bool) -> JsonObject:
        """Return a schema as an object, with its reference followed."""


class BranchRule:
    """The comparison of the alternatives of two schemas."""

    def __init__(self, pairs: _Pairs, *, is_exact: bool) -> None:
        self._pairs = pairs
        self._is_exact = is_exact
        self._split: dict[bytes, list[Any]] = {}
        self._tags: dict[tuple[str, bool], tuple[str, str] | None] = {}

    def is_alone(self, old: JsonObject, new: JsonObject) -> bool:
        """Return whether one schema consists only of a union, and the other has no union or also consists only of one."""
        unions = [_union(schema) is not None for schema in (old, new)]
        alone = [len(constraints(schema)) == 1 for schema in (old, new)]
        if all(unions):
            return all(alone)
        return any(union and only for union, only in zip(unions, alone, strict=True))

    def changes(self, old: JsonObject, new: JsonObject, depth: int) -> _Changes:
        """Yield the changes of the alternatives, and the pairs of alternatives to compare."""
        yield from self._all_of(old, new)
        before, after = _union(old), _union(new)
        if any(all(key in schema for key in _UNIONS) for schema in (old, new)):
            yield from self._several(old, new)
        elif before is not None and after is not None:
            yield from self._alternatives(before, after, depth)
            yield from self._overlap(old, new, after)
        elif before is not None:
            yield from self._only_old(before, new, depth, is_alone=len(constraints(old)) == 1)
        elif after is not None:
            yield from self._only_new(old, after, depth, is_alone=len(constraints(new)) == 1)
            yield from self._overlap(old, new, after)

    def _all_of(self, old: JsonObject, new: JsonObject) -> _Changes:
        marks = (dumps_sorted, reference_of)
        pairs, before, after = match(old.get("allOf", ()), new.get("allOf", ()), marks)
        if len(before) == len(after):
            pairs += zip(before, after, strict=True)
        elif after:
            yield SchemaChange((), "schema", before, after, "maybe", "other schemas apply (allOf)")
        else:
            yield SchemaChange((), "schema", before, after, "no", "fewer schemas apply (allOf)")
        yield from (Below((), *pair) for pair in pairs)

    def _several(self, old: JsonObject, new: JsonObject) -> _Changes:
        """Yield an undecided change if a schema has two lists of alternatives."""
        if any(not self._pairs.is_unchanged(old.get(key), new.get(key)) for key in _UNIONS):
            before, after = (
                {key: schema[key] for key in _UNIONS if key in schema} for schema in (old, new)
            )
            yield SchemaChange((), "schema", before, after, "maybe", "the alternatives changed")

    def _only_old(
        self, before: list[Any], new: JsonObject, depth: int, *, is_alone: bool
    ) -> _Changes:
        """Yield the changes of a schema that lost its alternatives."""
        if is_alone:
            yield from self._alternatives(before, self._by_type(new), depth)
        else:  # the keywords next to the alternatives are compared with the new schema
            text = "the alternatives no longer apply"
            yield SchemaChange((), "branch-removed", before, ABSENT, "no", text)

    def _only_new(
        self, old: JsonObject, after: list[Any], depth: int, *, is_alone: bool
    ) -> _Changes:
        """Yield the changes of a schema that got alternatives."""
        if is_alone:
            yield from self._alternatives(self._by_type(old), after, depth)
        else:
            verdict = self._best(old, after, depth)
            yield SchemaChange((), "schema", ABSENT, after, verdict, "alternatives apply now")

    def _by_type(self, schema: JsonObject) -> list[Any]:
        """Return a schema as alternatives by type. Equal schemas have the same objects, so that recursion ends."""
        rest = constraints(schema)
        return self._split.setdefault(dumps_sorted(rest), by_type(rest))

    # -- two lists of alternatives ----------------------------------------------------------------

    def _alternatives(self, before: list[Any], after: list[Any], depth: int) -> _Changes:
        """Pair the alternatives of two lists; yield the pairs, and a change for each alternative without a pair."""
        pairs, removed, added = self._pair(before, after)
        for schema, counterpart in pairs:
            if self._is_covered(schema, counterpart, after, depth):
                added = [*added, counterpart]
            else:
                yield Below((), schema, counterpart)
        for schema in removed:
            verdict = self._best(schema, after, depth)
            if verdict != "no":
                is_null = self._pairs.resolve(schema, is_old=True).get("type") == "null"
                kind: DifferenceKind = "nullable" if is_null else "branch-removed"
                text = f"the alternative {self._label(schema, is_old=True)} was removed"
                text = "null is no longer allowed" if is_null else text
                yield SchemaChange((), kind, schema, ABSENT, verdict, text)
        for schema in added:
            is_null = self._pairs.resolve(schema, is_old=False).get("type") == "null"
            kind = "nullable" if is_null else "branch-added"
            text = f"the alternative {self._label(schema, is_old=False)} is new"
            text = "null is allowed" if is_null else text
            yield SchemaChange((), kind, ABSENT, schema, "no", text)

    def _label(self, schema: Any, *, is_old: bool) -> str:
        """Return the name of an alternative for a sentence: of its definition, its title, its tag or its types."""
        reference = reference_of(schema)
        if isinstance(reference, str):
            name = unescape(unquote(reference.rpartition("/")[2]))
            return shorten(name.partition("<")[0])  # a derived definition has a hash after it
        node = self._pairs.resolve(schema, is_old=is_old)
        title, tag = title_of(node), tag_of(node)
        if title is not None:
            return shorten(title)
        if tag is not None:
            return shorten(f"with {tag[0]} {tag[1]}")
        return type_text(types_of(node))

    def _pair(self, before: list[Any], after: list[Any]) -> Matched:
        """Pair the same alternatives, then those with one reference, tag, title or type, then the last ones."""
        facts = [
            (partial(self._fact, fact, is_old=True), partial(self._fact, fact, is_old=False))
            for fact in (tag_of, title_of, type_of)
        ]
        matched = match(before, after, (dumps_sorted, reference_of, *facts))
        if len(matched.removed) == len(matched.added) == 1:
            return Matched([*matched.pairs, (matched.removed[0], matched.added[0])], [], [])
        return matched

    def _is_covered(self, old: Any, new: Any, after: list[Any], depth: int) -> bool:
        """Return whether the values of an old alternative that its new counterpart refuses fit another alternative."""
        if len(after) == 1 or depth >= _MAX_DEPTH or self._pairs.is_unchanged(old, new):
            return False
        is_refused = self._pairs.verdict(old, new, depth + 1) != "no"
        return is_refused and self._best(old, after, depth) == "no"

    def _fact(self, fact: Callable[[JsonObject], Any], schema: Any, *, is_old: bool) -> Any:
        return fact(self._pairs.resolve(schema, is_old=is_old))

    def _best(self, schema: Any, after: list[Any], depth: int) -> Verdict:
        """Return whether the new alternatives refuse a value of an old one."""
        if self._has_other_tag(schema, after):
            return "yes"
        if depth >= _MAX_DEPTH or len(after) > _MAX_BRANCHES:
            return "maybe"
        verdicts = set[Verdict]()
        for branch in after:
            verdicts.add(self._pairs.verdict(schema, branch, depth + 1))
            if "no" in verdicts:
                return "no"
        return "yes" if verdicts == {"yes"} else "maybe"

    def _has_other_tag(self, schema: Any, after: list[Any]) -> bool:
        """Return whether an alternative has a tag, and each new one has another value of the same property."""
        tag = self._tag(schema, is_old=True)
        tags = (self._tag(branch, is_old=False) for branch in after)
        return tag is not None and all(
            other is not None and other[0] == tag[0] and other[1] != tag[1] for other in tags
        )

    def _tag(self, schema: Any, *, is_old: bool) -> Any:
        """Return the tag of an alternative. The one of a reference is found once."""
        reference = reference_of(schema)
        if reference is None or len(schema) > 1:
            return self._fact(tag_of, schema, is_old=is_old)
        if (reference, is_old) not in self._tags:
            self._tags[reference, is_old] = self._fact(tag_of, schema, is_old=is_old)
        return self._tags[reference, is_old]

    def _overlap(self, old: JsonObject, new: JsonObject, after: list[Any]) -> _Changes:
        """Yield an undecided change if a value may fit two alternatives that were changed."""
        if not self._is_exact or "oneOf" not in new:
            return
        if "oneOf" in old and self._pairs.is_unchanged(old["oneOf"], new["oneOf"]):
            return
        schemas = [self._pairs.resolve(branch, is_old=False) for branch in after]
        if not (are_distinct([*map(tag_of, schemas)]) or are_disjoint(schemas)):
            text = "a value may now fit several alternatives of a oneOf"
            yield SchemaChange((), "schema", old.get("oneOf", ABSENT), new["oneOf"], "maybe", text)


def _union(schema: JsonObject) -> list[Any] | None:
    """Return the alternatives of a schema that has one list of them."""
    unions = [schema[key] for key in _UNIONS if key in schema]
    return unions[0] if len(unions) == 1 and isinstance(unions[0], list) else None
