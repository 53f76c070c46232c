"""Comparison of two schemas with their definitions. Each pair of definitions is compared once."""

from collections import deque
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.comparison import subschema_rules
from specfn.comparison.branches import BranchRule, as_list
from specfn.comparison.difference import SchemaChange, Verdict, worst
from specfn.comparison.keyword_rules import (
    ALL_TYPES,
    annotation_changes,
    constraints,
    is_same,
    is_same_meaning,
    keyword_changes,
    types_of,
)
from specfn.comparison.subschema_rules import Below
from specfn.records import ABSENT
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.walk import walk


class UnchangedDefinitions:
    """The definitions of two documents that are the same. Each is looked at once.

    Args:
        old, new: the definitions of the two documents.
        is_same: decides whether two schemas are the same, without those that they refer to.
    """

    def __init__(
        self, old: DefinitionLookup, new: DefinitionLookup, is_same: Callable[[Any, Any], bool]
    ) -> None:
        self._old, self._new = old, new
        self._is_alike = is_same
        self._known: dict[str, bool] = {}

    def refer_alike(self, schema: Any) -> bool:
        """Return whether all definitions that a schema refers to are unchanged."""
        return all(self.is_unchanged(name) for name in self._references(schema))

    def is_unchanged(self, name: str) -> bool:
        """Return whether a definition is the same in both documents."""
        if name not in self._known:
            self._explore(name)
        return self._known[name]

    def _explore(self, start: str) -> None:
        """Decide every definition that one refers to: the changed ones first, then those that refer to them."""
        users: dict[str, list[str]] = {}
        changed: list[str] = []
        waiting, reached = [start], {start}
        while waiting:
            name = waiting.pop()
            if name in self._known:
                changed += [] if self._known[name] else [name]
                continue
            if not self._is_same(name):
                changed.append(name)
                continue
            for used in self._references(self._old[name]):
                users.setdefault(used, []).append(name)
                if used not in reached:
                    reached.add(used)
                    waiting.append(used)
        affected = set(changed)
        while changed:
            for user in users.get(changed.pop(), ()):
                if user not in affected:
                    affected.add(user)
                    changed.append(user)
        self._known.update((name, name not in affected) for name in reached)

    def _is_same(self, name: str) -> bool:
        try:
            return self._is_alike(self._old[name], self._new[name])
        except KeyError:
            return False

    def _references(self, schema: Any) -> Iterator[str]:
        for node in walk(schema):
            name = self._old.name_of(node["$ref"]) if "$ref" in node else None
            if name is not None:
                yield name


_Tokens = tuple[str, ...]
_Names = tuple[str, str]


class _Edge(NamedTuple):
    """A place at which both schemas refer to a definition."""

    tokens: _Tokens
    names: _Names
    is_given: bool


def _sorted(edges: list[_Edge]) -> list[_Edge]:
    """Sort references by their places, so that both directions of a comparison report a definition at the same place."""
    return sorted(edges, key=attrgetter("tokens"))


class _Part(NamedTuple):
    """The changes of two schemas, without those of their definitions."""

    changes: list[SchemaChange]
    edges: list[_Edge]


#: The maximum number of references that are followed one after the other, and of pairs that decide one verdict.
_MOST_REFERENCES: Final = 100
_MOST_PAIRS: Final = 200


#: The maximum number of schemas that are looked at only to choose among alternatives: for any two schemas, and for
#: each of their subschemas. Real documents need up to 2,500. Without a limit, nested alternatives would be compared with each other at every level.
_MAX_TRIES: Final = 5_000
_MAX_TRIES_PER_SUBSCHEMA: Final = 2

#: The maximum number of keys and items on the way to a compared schema.
_DEEPEST: Final = 200


def _too_deep(tokens: _Tokens) -> SchemaChange:
    return SchemaChange(
        tokens, "schema", ABSENT, ABSENT, "maybe", "the schemas are too deep to compare"
    )


def _alternatives_in(schema: Any) -> int:
    """Return the number of alternatives of a schema, each of which is looked at in a comparison."""
    unions = [schema.get(key) for key in ("anyOf", "oneOf")] if isinstance(schema, dict) else []
    return sum(len(union) for union in unions if isinstance(union, list))


def _give_up(tokens: _Tokens) -> SchemaChange:
    text = "there are too many alternatives to compare"
    return SchemaChange(tokens, "schema", ABSENT, ABSENT, "maybe", text)


def _with_equal_lists(old: JsonObject, new: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return two schemas with lists of values, if one of them has alternatives that are single values."""
    unions = [not {"anyOf", "oneOf"}.isdisjoint(schema) for schema in (old, new)]
    return (old, new) if all(unions) else (as_list(old), as_list(new))


class SchemaPairs:
    """The pairs of schemas of two documents, in one direction.

    Args:
        old, new: the definitions of the two documents.
        is_exact: true if a value must fit exactly one alternative of a ``oneOf``.
        is_response: the old schemas are those of a server's responses, and the new ones those that a client reads.
    """

    def __init__(
        self,
        old: DefinitionLookup,
        new: DefinitionLookup,
        *,
        is_exact: bool = False,
        is_response: bool = False,
    ) -> None:
        self._old, self._new = old, new
        self._unchanged = UnchangedDefinitions(old, new, is_same)
        self._meanings = UnchangedDefinitions(old, new, is_same_meaning)
        self._parts: dict[_Names, _Part] = {}
        self._affected: dict[_Names, bool] = {}
        self._tries = 0
        self._is_response = is_response
        #: The verdicts by the identities of two schemas and the depth. The schemas are kept, so that each id stays theirs.
        self._verdicts: dict[tuple[int, int, int], tuple[Any, Any, Verdict]] = {}
        self._branches = BranchRule(self, is_exact=is_exact)

    def changes(self, old: Any, new: Any, *, is_given: bool = False) -> list[SchemaChange]:
        """Return the changes between two schemas. Those of a pair of definitions are listed at its first place.

        ``is_given`` is true if a value is always given, so that no default applies to it.
        """
        if self.is_unchanged(old, new):
            return []
        root = self._part(old, new, 0, is_given=is_given)
        places: dict[_Names, _Tokens] = {}
        omissible = set[_Names]()  # the pairs that a place refers to whose value may be left out
        waiting: deque[tuple[_Tokens, _Edge]] = deque(((), edge) for edge in _sorted(root.edges))
        while waiting:
            above, edge = waiting.popleft()
            if not edge.is_given:
                omissible.add(edge.names)
            if edge.names in places or not self._is_affected(edge.names):
                continue
            tokens = places[edge.names] = (*above, *edge.tokens)
            edges = self._definition(edge.names, 0).edges
            waiting.extend((tokens, below) for below in _sorted(edges))
        changes = list(root.changes)
        for names, tokens in places.items():
            for change in self._definition(names, 0).changes:
                is_default = change.kind == "default" and not change.tokens
                if is_default and names not in omissible:
                    change = change._replace(breaking="no")  # noqa: PLW2901  # the same change
                changes.append(change._replace(tokens=(*tokens, *change.tokens)))
        return changes

    def verdict(self, old: Any, new: Any, depth: int) -> Verdict:
        """Return whether the new schema refuses a value that the old one accepts; "maybe" after too many tries."""
        key = (id(old), id(new), depth)
        if key not in self._verdicts:
            self._verdicts[key] = (old, new, self._verdict(old, new, depth))
        return self._verdicts[key][2]

    def _verdict(self, old: Any, new: Any, depth: int) -> Verdict:
        if self.is_unchanged(old, new):
            return "no"
        waiting = [self._part(old, new, depth, only_verdict=True)]
        seen: set[_Names] = set()
        verdicts: list[Verdict] = []
        while waiting:
            part = waiting.pop()
            # a default decides nothing about the values that are accepted
            verdicts += [change.breaking for change in part.changes if change.kind != "default"]
            names = {edge.names for edge in part.edges} - seen
            seen |= names
            if len(seen) > _MOST_PAIRS:
                return worst([*verdicts, "maybe"])
            waiting += [self._definition(pair, depth) for pair in names if not self._is_equal(pair)]
        return worst(verdicts)

    def is_unchanged(self, old: Any, new: Any) -> bool:
        """Return whether two schemas are the same, with everything that they refer to."""
        return is_same(old, new) and self._unchanged.refer_alike(old)

    def means_the_same(self, old: Any, new: Any) -> bool:
        """Return whether two schemas differ in annotations only, with everything that they refer to."""
        return is_same_meaning(old, new) and self._meanings.refer_alike(old)

    def resolve(self, schema: Any, *, is_old: bool) -> JsonObject:
        """Return a schema as an object, with its reference followed."""
        definitions = self._old if is_old else self._new
        texts: JsonObject = {}
        for _ in range(_MOST_REFERENCES):
            if not isinstance(schema, dict):
                return {**({"not": {}} if schema is False else {}), **texts}
            if "$ref" not in schema:
                return {**schema, **texts}
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            name = definitions.name_of(schema["$ref"])
            if name is None:
                return {**rest, **texts}
            if constraints(rest):
                parts = [{"$ref": schema["$ref"]}, *rest.get("allOf", ())]
                return {**rest, **texts, "allOf": parts}
            texts = {**rest, **texts}
            schema = definitions[name]
        return texts

    # -- definitions ------------------------------------------------------------------------------

    def _is_equal(self, names: _Names) -> bool:
        return names[0] == names[1] and self._unchanged.is_unchanged(names[0])

    def _definition(self, names: _Names, depth: int) -> _Part:
        """Return the changes of a pair of definitions, which is compared once."""
        if names not in self._parts:
            if self._is_equal(names):
                self._parts[names] = _Part([], [])
            else:
                part = self._part(self._old[names[0]], self._new[names[1]], depth)
                if depth and self._tries <= 0:  # it is incomplete
                    return part
                self._parts[names] = part
        return self._parts[names]

    def _is_affected(self, names: _Names) -> bool:
        """Return whether a pair of definitions, or one that it refers to, has a change."""
        if names not in self._affected:
            self._explore(names)
        return self._affected[names]

    def _explore(self, start: _Names) -> None:
        """Decide the pairs that a pair refers to: those with changes first, then those that refer to them."""
        users: dict[_Names, list[_Names]] = {}
        waiting, reached = [start], {start}
        while waiting:
            names = waiting.pop()
            for edge in self._definition(names, 0).edges:
                users.setdefault(edge.names, []).append(names)
                if edge.names not in reached and edge.names not in self._affected:
                    waiting.append(edge.names)
                reached.add(edge.names)
        marked = [
            names for names in reached if self._affected.get(names) or self._parts[names].changes
        ]
        affected = set(marked)
        while marked:
            for user in users.get(marked.pop(), ()):
                if user not in affected:
                    affected.add(user)
                    marked.append(user)
        self._affected.update((names, names in affected) for names in reached)

    # -- one pair of schemas ----------------------------------------------------------------------

    def _part(
        self,
        old: Any,
        new: Any,
        depth: int,
        *,
        only_verdict: bool = False,
        is_given: bool = False,
    ) -> _Part:
        """Compare two schemas without following their references.

        With a ``depth``, the comparison only helps to choose between alternatives. With ``only_verdict``, it ends at the
        first change that breaks callers.
        """
        part = _Part([], [])
        if depth == 0:
            count = sum(1 for schema in (old, new) for _ in walk(schema))
            self._tries = _MAX_TRIES + _MAX_TRIES_PER_SUBSCHEMA * count
        waiting = [Below((), old, new, is_given)]
        #: The schemas are kept, so that each id stays theirs.
        seen: dict[tuple[int, int, bool], Any] = {}
        while waiting:
            tokens, before, after, is_given = waiting.pop()
            key = (id(before), id(after), is_given)
            if key in seen:
                continue
            seen[key] = (before, after)
            if depth:
                self._tries -= 1 + _alternatives_in(before) + _alternatives_in(after)
                if self._tries <= 0:
                    part.changes.append(_give_up(tokens))
                    break
            if len(tokens) > _DEEPEST:
                part.changes.append(_too_deep(tokens))
                continue
            edge = self._edge(tokens, before, after, is_given=is_given)
            if edge is not None:
                part.edges.append(edge)
                part.changes.extend(
                    change._replace(tokens=tokens)
                    for change in annotation_changes(
                        before, after, is_given=is_given or self._is_response
                    )
                )
                continue
            for item in self._compare(before, after, depth, is_given=is_given):
                if isinstance(item, SchemaChange):
                    part.changes.append(item._replace(tokens=(*tokens, *item.tokens)))
                    if only_verdict and item.breaking == "yes":
                        return part
                else:
                    is_same_value = not item.tokens
                    waiting.append(
                        item._replace(
                            tokens=(*tokens, *item.tokens),
                            is_given=is_given if is_same_value else item.is_given,
                        )
                    )
        return part

    def _edge(self, tokens: _Tokens, old: Any, new: Any, *, is_given: bool) -> _Edge | None:
        """Return the pair of definitions, if both schemas are references."""
        if not (isinstance(old, dict) and isinstance(new, dict)):
            return None
        if constraints(old).keys() != {"$ref"} or constraints(new).keys() != {"$ref"}:
            return None
        before, after = self._old.name_of(old["$ref"]), self._new.name_of(new["$ref"])
        return None if before is None or after is None else _Edge(tokens, (before, after), is_given)

    def _compare(
        self, old: Any, new: Any, depth: int, *, is_given: bool
    ) -> Iterator[SchemaChange | Below]:
        """Yield the changes of two schemas, and the pairs of their subschemas with their places."""
        before, after = self.resolve(old, is_old=True), self.resolve(new, is_old=False)
        if before.get("not") == {}:
            if after.get("not") != {}:
                yield SchemaChange((), "schema", old, new, "no", "values are allowed")
            return
        yield from annotation_changes(before, after, is_given=is_given or self._is_response)
        before, after = _with_equal_lists(before, after)
        if after.get("not") == {}:
            yield SchemaChange((), "schema", old, new, "yes", "no value is allowed")
            return
        if self._branches.is_alone(before, after):
            yield from self._branches.changes(before, after, depth)
            return
        if ("type" in before) != ("type" in after):
            before, after = (
                self._add_types(before, is_old=True),
                self._add_types(after, is_old=False),
            )
        yield from keyword_changes(before, after, self.means_the_same)
        yield from subschema_rules.changes(before, after, is_response=self._is_response)
        yield from self._branches.changes(before, after, depth)
        yield from self._unevaluated(before, after)

    def _add_types(self, schema: JsonObject, *, is_old: bool) -> JsonObject:
        """Return a schema with the types of its alternatives, if it declares no types itself."""
        branches = schema.get("anyOf", schema.get("oneOf", ()))
        if "type" in schema or not branches:
            return schema
        types = frozenset[str]().union(
            *(types_of(self.resolve(branch, is_old=is_old)) for branch in branches)
        )
        return schema if types == ALL_TYPES else {**schema, "type": sorted(types)}

    def _unevaluated(self, old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
        """Yield an undecided change if a changed schema refuses members that its subschemas do not evaluate."""
        for key in ("unevaluatedProperties", "unevaluatedItems"):
            if key not in old or new.get(key, True) is True:
                continue
            is_same_keyword = self.means_the_same({key: old[key]}, {key: new[key]})
            if is_same_keyword and not self.means_the_same(old, new):  # else it is listed already
                text = f"the keyword {key} applies to other values"
                yield SchemaChange((), "schema", old[key], new[key], "maybe", text)
