"""Schema of one level: the values that the level validates, and the keywords that the engine explains.

Some parts of a schema are only decided as a whole, and explained only if they fail:

* schemas that are not conjunctive: unions, conditions, dependent schemas;
* keywords with large errors: the engine copies the value and the keyword into each error. A thousand missing
  properties of a large object, or an enum of thousands for a thousand items, would not fit into memory;
* the members of maps: the engine's errors do not distinguish the keys ``"7"``, ``"07"`` and ``7``, and omit ``""``;
* subschemas beyond the size of one level.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn.schema.walk import ASSERTIONS, UNEVALUATED
from specfn.validation.explain.schema_facts import SchemaFacts
from specfn.validation.formats import prefer_pattern

_UNIONS: Final = ("anyOf", "oneOf")
_CONDITION: Final = ("if", "then", "else")

#: Keywords whose errors are never the engine's: it reports each name apart, with a copy of the object.
_NAMES: Final = ("propertyNames", "dependentRequired")

#: The maximum number of names of ``required``, values of an ``enum`` or characters of a ``pattern`` in errors.
_COPIED: Final[Mapping[str, int]] = {"required": 16, "enum": 16, "pattern": 200}


class SchemaPart(NamedTuple):
    """One part of a node.

    Attributes:
        keyword: its schema keyword.
        holder: the prepared node.
        schema: a schema of this part alone, with the same verdict.
        key: the property of a dependent schema, if the part is only one of them.
    """

    keyword: str
    holder: JsonObject
    schema: JsonObject
    key: str | None = None


def parts_of(node: JsonObject) -> list[SchemaPart]:
    """Return the parts of a node that are decided as a whole."""
    return list(_parts(node))


def is_small(node: Any) -> bool:
    """Return whether a node without subschemas is small enough to be copied into every error."""
    return not isinstance(node, dict) or not any(_is_long(node, key) for key in node)


def own_assertions(node: JsonObject) -> JsonObject:
    """Return the assertions of a node about the value itself, except those that are decided as a whole."""
    return {
        key: value
        for key, value in node.items()
        if key in ASSERTIONS and key not in _NAMES and not _is_long(node, key)
    }


def _parts(node: JsonObject) -> Iterator[SchemaPart]:
    """Yield the parts of a node that are explained only if they fail as a whole."""
    for key in node:
        if key in _NAMES or key == "not" or _is_long(node, key):
            yield SchemaPart(key, node, {key: node[key]})
    yield from _members(node)
    for key in _UNIONS:
        if key in node:
            yield SchemaPart(key, node, {key: node[key]})
    if "if" in node:
        yield SchemaPart("if", node, {key: node[key] for key in _CONDITION if key in node})
    if "dependentSchemas" in node:
        yield SchemaPart("dependentSchemas", node, {"dependentSchemas": node["dependentSchemas"]})


def is_ambiguous_name(name: str) -> bool:
    """Return whether the engine's errors may contain a property name in another form."""
    return not name or name[0].isdigit() or name[0] in "+-"


def names_and_patterns(node: JsonObject) -> JsonObject:
    """Return the declared names and patterns of a node without their schemas. ``additionalProperties`` depends on them."""
    return {
        keyword: dict.fromkeys(node[keyword], True)
        for keyword in ("properties", "patternProperties")
        if keyword in node
    }


def _members(node: JsonObject) -> Iterator[SchemaPart]:
    """Yield the parts of a node that concern properties in other ways than by plain names."""
    odd = {
        name: schema
        for name, schema in node.get("properties", {}).items()
        if is_ambiguous_name(name)
    }
    if odd:
        yield SchemaPart("properties", node, {"properties": odd})
    if "patternProperties" in node:
        yield SchemaPart(
            "patternProperties", node, {"patternProperties": node["patternProperties"]}
        )
    if isinstance(node.get("additionalProperties"), dict):
        part = {**names_and_patterns(node), "additionalProperties": node["additionalProperties"]}
        yield SchemaPart("additionalProperties", node, part)


def _is_long(node: JsonObject, keyword: str) -> bool:
    """Return whether a keyword of a node is too large to be copied into errors."""
    value = node[keyword]
    if keyword == "const":
        return type(value) is dict or type(value) is list
    if keyword not in _COPIED:
        return False
    return len(value) > _COPIED[keyword] or (keyword == "enum" and not all(map(_is_short, value)))


def _is_short(value: Any) -> bool:
    return type(value) is not dict and type(value) is not list


#: The maximum number of schemas with subschemas in one level, and of their levels.
_MAX_NODES: Final = 64
_MAX_DEPTH: Final = 8

#: The maximum number of checks of one value in one level. The engine copies the value for each failure.
_MAX_CHECKS: Final = 24

#: The maximum number of groups of nodes that exceed one level.
_MAX_GROUPS: Final = 16

#: Keywords that only refer to other nodes. These nodes are listed after the node itself.
_REFERRING: Final = frozenset({"$ref", "allOf"})


class LevelNode:
    """A value that a level validates, with the nodes that apply to it.

    Attributes:
        node: the prepared node of the value.
        members: the nodes that must all accept the value.
        parts: for each member, its parts that are decided as a whole.
        inside: the inner values, by the index of the member and the path in it.
        order: the declared properties in the document's order.
        number: a number that is unique in the level.
        repeated: whether the node applies to every item of an array.
    """

    __slots__ = ("inside", "members", "node", "number", "order", "parts", "repeated")

    def __init__(
        self, node: Any, facts: SchemaFacts, number: int = 0, *, repeated: bool = False
    ) -> None:
        """Collect the nodes that apply to one value."""
        self.node = node
        self.number = number
        self.repeated = repeated
        first, *rest = _batches(facts.conjuncts(node))
        self.members = tuple(first)
        self.parts = [parts_of(member) for member in self.members]
        for group in _join_batches(rest):
            self.parts[-1].append(
                SchemaPart("allOf", facts.conjunction(group), _without_references(group))
            )
        self.inside: dict[tuple[Any, ...], LevelNode] = {}
        names = (name for member in self.members for name in member.get("properties", ()))
        self.order: Mapping[Any, int] = {
            name: index for index, name in enumerate(dict.fromkeys(names))
        }


class _Subschema(NamedTuple):
    """A subschema for inner values: its path, and the container and the key that hold it."""

    place: tuple[Any, ...]
    holder: Any
    key: Any
    schema: Any


class LevelSchema:
    """A builder of the schema of one level.

    Attributes:
        root: the level's node for the value itself.
        schema: the schema for the engine.
    """

    def __init__(self, node: JsonObject, facts: SchemaFacts) -> None:
        """Build breadth first, so that nodes near the root are part of the level."""
        self._facts = facts
        self._decided_schemas: JsonObject = {}
        self.root = LevelNode(node, facts)
        self.schema: JsonObject = {"$defs": self._decided_schemas}
        waiting = [(self.root, self.schema, 1, frozenset[int]())]
        room = _MAX_NODES
        for level_node, into, depth, around in waiting:  # the loop appends to the list
            outer = around | {id(member) for member in level_node.members}
            pairs = zip(level_node.members, level_node.parts, strict=True)
            into["allOf"] = own = [self._own(*pair) for pair in pairs]
            for place, holder, key, inner in _subschemas(own):
                target = facts.target(inner)
                if facts.is_simple(target) and is_small(target):
                    holder[key] = _as_engine_decides(target)
                elif room and depth < _MAX_DEPTH and self._belongs(target, outer):
                    room -= 1
                    below: JsonObject = {}
                    level_node.inside[place] = LevelNode(
                        inner, facts, _MAX_NODES - room, repeated=place[1] == "items"
                    )
                    holder[key] = below
                    waiting.append((level_node.inside[place], below, depth + 1, outer))
                else:
                    holder[key] = self._verdict_only(inner)

    def _belongs(self, node: Any, outer: frozenset[int]) -> bool:
        """Return whether a node can be part of the level: it is not recursive and has no ``unevaluated*``."""
        conjuncts = self._facts.conjuncts(node)
        return (
            not self._facts.is_simple(node)
            and not has_unevaluated(conjuncts)
            and not any(id(member) in outer for member in conjuncts)
        )

    def _own(self, member: JsonObject, parts: list[SchemaPart]) -> JsonObject:
        """Return the keywords of one node. Its subschemas for inner values are replaced later."""
        own = own_assertions(member)
        if "properties" in member:
            own["properties"] = {
                key: inner
                for key, inner in member["properties"].items()
                if not is_ambiguous_name(key)
            }
        own.update({key: member[key] for key in ("items", "contains") if key in member})
        if "prefixItems" in member:
            own["prefixItems"] = list(member["prefixItems"])
        if member.get("additionalProperties") is False:
            names = names_and_patterns(member)
            declared = {**names.pop("properties", {}), **own.pop("properties", {})}
            own.update({"properties": declared, **names, "additionalProperties": False})
        if parts:
            own["allOf"] = [self._verdict_only(part.schema) for part in parts]
        return own

    def _verdict_only(self, schema: Any) -> JsonObject:
        """Return a schema with the same verdict that the engine decides without explaining or copying it."""
        name = str(len(self._decided_schemas))
        self._decided_schemas[name] = schema
        return {"not": {"not": {"$ref": f"#/$defs/{name}"}}}


#: The types of constants that imply the keyword ``type``.
_TYPE_OF_CONSTANT: Final = {str: "string", type(None): "null"}


def _as_engine_decides(node: Any) -> Any:
    """Return a node without subschemas as the engine decides it fast, and with one error.

    A format is judged by a pattern, and the ``type`` that an ``enum`` implies is left out.
    """
    if not isinstance(node, dict):
        return node
    if "enum" not in node or "type" not in node:
        return prefer_pattern(node)
    declared = node["type"]
    types = {declared} if isinstance(declared, str) else {*declared}
    if not {_TYPE_OF_CONSTANT.get(type(value)) for value in node["enum"]} <= types:
        return node
    return {key: value for key, value in node.items() if key != "type"}


def has_unevaluated(members: Iterable[JsonObject]) -> bool:
    """Return whether a node has ``unevaluated*``."""
    return any(keyword in member for member in members for keyword in UNEVALUATED)


def _batches(conjuncts: Iterable[JsonObject]) -> list[list[JsonObject]]:
    """Divide the nodes that apply to one value into lists that are validated together; at least one list.

    Each list but the last has a node with own checks at its end, so each contains a part of the work. Nodes with
    ``unevaluated*`` are in the first list, together with the nodes that they refer to.
    """
    batches: list[list[JsonObject]] = [[]]
    weight = 0
    for member in conjuncts:
        added = 0 if has_unevaluated((member,)) else _weight(member)
        if weight and added and weight + added > _MAX_CHECKS:
            batches.append([])
            weight = 0
        weight += added
        batches[0 if has_unevaluated((member,)) else -1].append(member)
    return batches


def _weight(member: JsonObject) -> int:
    """Return the number of checks that a node makes of one value; zero for a node that only refers to others."""
    if member.keys() <= _REFERRING:
        return 0
    own = own_assertions(member)
    return len(own) + len(own.get("required", ())) + 1


def _join_batches(batches: list[list[JsonObject]]) -> Iterator[list[JsonObject]]:
    """Join consecutive lists so that few remain. Each is divided again when it is opened."""
    size = -(-len(batches) // _MAX_GROUPS)
    for start in range(0, len(batches), size or 1):
        yield [member for pack in batches[start : start + size] for member in pack]


def _without_references(members: Iterable[JsonObject]) -> JsonObject:
    """Return the schema of nodes without their references, which are decided separately."""
    return {
        "allOf": [
            {key: value for key, value in member.items() if key not in _REFERRING}
            for member in members
        ]
    }


def _subschemas(own: list[JsonObject]) -> Iterator[_Subschema]:
    """Yield the subschemas for properties and items."""
    for index, schema in enumerate(own):
        members = schema.get("properties", {})
        for key, inner in members.items():
            yield _Subschema((index, "properties", key), members, key, inner)
        first = schema.get("prefixItems", [])
        for at, inner in enumerate(first):
            yield _Subschema((index, "prefixItems", at), first, at, inner)
        if "items" in schema:
            yield _Subschema((index, "items"), schema, "items", schema["items"])
