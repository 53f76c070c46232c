"""Reading of composed schemas as types. A type may accept more than its schema, never less.

A schema without ``type`` that has keywords of one type only is read as a schema of that type.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from specfn._internal.json import JsonObject
from specfn.function.signatures.doc_comments import comment_of
from specfn.function.signatures.type_nodes import (
    Array,
    Literals,
    Member,
    Named,
    Object,
    Scalar,
    Type,
    Types,
    Union,
    is_kind,
)
from specfn.schema.compose.definitions_lookup import DefinitionLookup
from specfn.schema.compose.merge import NEVER
from specfn.schema.compose.root_facts import values_of

#: The keywords from which a type is inferred.
_FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "patternProperties", "additionalProperties", "required"}),
    "array": frozenset({"items", "prefixItems"}),
}

#: The limits of merging properties with the branches of a union next to them: branches, and properties of a branch.
_BRANCHES: Final = 20
_MEMBERS: Final = 100

#: Schemas nested deeper than this are read as ``any``.
_DEPTH: Final = 30


class SchemaReader:
    """A reader of schemas with one set of definitions."""

    def __init__(self, types: Types, named: DefinitionLookup) -> None:
        self._types = types
        self._named = named
        self._depth = 0
        self._branches: dict[str, Type] = {}

    def read(self, schema: Any) -> Type:
        """Return the type of a composed schema."""
        if schema is False or (isinstance(schema, dict) and NEVER in schema):
            return self._types.scalar("never")
        if not isinstance(schema, dict) or self._depth > _DEPTH:
            return self._types.scalar("any")
        self._depth += 1
        node = self._all_parts(schema)
        self._depth -= 1
        return node

    def _all_parts(self, schema: JsonObject) -> Type:
        node = self._own(schema)
        for part in schema.get("allOf", ()):
            node = intersect(self._types, node, self.read(part))
        for key in ("anyOf", "oneOf"):
            if key in schema:
                node = self._with_union(node, schema[key])
        return node

    def _with_union(self, own: Type, branches: list[Any]) -> Type:
        """Return the type of a schema that has a union next to its other keywords."""
        read: Callable[[Any], Type] = self.read
        if isinstance(own, Object) and own.members:
            if len(branches) > _BRANCHES:
                return own
            read = self._branch
        return intersect(self._types, own, self._types.union([read(branch) for branch in branches]))

    def _branch(self, branch: Any) -> Type:
        """Return the object of a branch, to be merged with the properties next to it; ``any`` if it is not a small object."""
        node = self.read(branch)
        if isinstance(node, Named):
            node = self._definition(node.name)
        is_small = isinstance(node, Object) and len(node.members) <= _MEMBERS
        return node if is_small else self._types.scalar("any")

    def _definition(self, name: str) -> Type:
        """Return the type of a definition that is a branch; ``any`` within itself."""
        if name not in self._branches:
            self._branches[name] = self._types.scalar("any")
            self._branches[name] = self.read(self._named[name])
        return self._branches[name]

    def _own(self, schema: JsonObject) -> Type:
        """Return the type of a schema without its unions and parts."""
        if "$ref" in schema:
            name = self._named.name_of(schema["$ref"])
            return self._types.scalar("any") if name is None else self._types.of(Named, name, False)
        values = values_of(schema)
        if values is not None:
            return self._types.union([self._constant(value) for value in values])
        return self._types.union([self._of_kind(kind, schema) for kind in _kinds(schema)])

    def _constant(self, value: Any) -> Type:
        if isinstance(value, str | int | float | None):
            return self._types.of(Literals, ((type(value), value),))
        return self._of_kind("array" if isinstance(value, list) else "object", {})

    def _of_kind(self, kind: str, schema: JsonObject) -> Type:
        """Return the type of a schema for the values of one type of JSON Schema."""
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return self._array(schema)
        return self._types.scalar(kind)

    def _array(self, schema: JsonObject) -> Type:
        first = [self.read(item) for item in schema.get("prefixItems", ())]
        rest = self.read(schema.get("items", True))
        most = schema.get("maxItems")
        if first and isinstance(most, int | float) and most <= len(first):
            first, rest = first[: int(most)], self._types.scalar("never")
        needed = min(len(first), int(schema.get("minItems", 0)))
        return self._types.of(Array, tuple(first), needed, rest)

    def _object(self, schema: JsonObject) -> Type:
        required = schema.get("required", ())
        declared = schema.get("properties", {})
        keys = dict.fromkeys([*declared, *required])
        members = [
            self._types.of(Member, key, self.read(node), key in required, comment_of(node))
            for key, node in ((key, declared.get(key, True)) for key in keys)
            if node is not False or key in required
        ]
        return self._types.of(Object, tuple(members), self._rest(schema, bool(members)))

    def _rest(self, schema: JsonObject, has_members: bool) -> Type | None:  # noqa: FBT001  # internal
        """Return the type of the other properties; ``None`` if they are only tolerated."""
        others = [*schema.get("patternProperties", {}).values()]
        more = schema.get("additionalProperties")
        if more is None and not others and has_members:
            return None
        others.append(True if more is None else more)
        return self._types.union([self.read(other) for other in others])


def _kinds(schema: JsonObject) -> Iterator[str]:
    """Yield the declared or inferred types of a schema; ``any`` by default."""
    kind = schema.get("type")
    if isinstance(kind, str):
        yield kind
    elif kind is not None:
        yield from kind
    else:
        inferred = [name for name, keys in _FAMILIES.items() if not keys.isdisjoint(schema)]
        yield inferred[0] if len(inferred) == 1 else "any"


def intersect(types: Types, left: Type, right: Type) -> Type:
    """Return a type that accepts every value that is of both types; the narrower one where they cannot be merged."""
    if left is right or is_kind(left, "any"):
        return right
    if is_kind(right, "any"):
        return left
    if isinstance(left, Object) and isinstance(right, Object):
        return _both(types, left, right)
    if isinstance(right, Union) and not isinstance(left, Union):
        return types.union([intersect(types, left, part) for part in right.parts])
    if isinstance(left, Literals) or (isinstance(right, Scalar) and isinstance(left, Object)):
        return left
    return right


def _both(types: Types, left: Object, right: Object) -> Object:
    """Return an object with the properties of both."""
    members = {member.key: member for member in left.members}
    for member in right.members:
        known = members.get(member.key)
        members[member.key] = member if known is None else _member(types, known, member)
    rest = left.rest if right.rest is None else right.rest
    if left.rest is not None and right.rest is not None:
        rest = intersect(types, left.rest, right.rest)
    return types.of(Object, tuple(members.values()), rest)


def _member(types: Types, left: Member, right: Member) -> Member:
    return types.of(
        Member,
        left.key,
        intersect(types, left.type, right.type),
        left.required or right.required,
        left.comment or right.comment,
    )
